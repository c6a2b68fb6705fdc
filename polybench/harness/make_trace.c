/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes a packed trace of one thread to standard output, for `make bench`:
 *
 *     make_trace gemm LINES ACCESSES       three square matrices of doubles, LINES of 64 bytes in
 *                                          all, in the order of C[i][j] += A[i][k] * B[k][j]
 *     make_trace random LINES ACCESSES     LINES lines, uniformly at random
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "trace/packed.h"

enum { BATCH = 4096 };

typedef struct writer {
    plussi_packer *packer;
    plussi_event event[BATCH];
    size_t n;
    uint64_t left;
} writer;

static int put(void *user, const char *data, size_t length)
{
    return fwrite(data, 1, length, user) != length;
}

static void must(pluss_status status)
{
    if (status) {
        fprintf(stderr, "make_trace: %s\n", plussi_status_text(status));
        exit(1);
    }
}

static void add(writer *w, uint64_t address, uint64_t site, plussi_event_kind kind)
{
    if (w->left == 0)
        return;
    w->left--;
    w->event[w->n++] = (plussi_event){address, site, 0, 8, (uint8_t)kind};
    if (w->n == BATCH || w->left == 0) {
        must(plussi_packer_add(w->packer, w->event, w->n));
        w->n = 0;
    }
}

static void walk_gemm(writer *w, uint64_t lines)
{
    const uint64_t n = (uint64_t)sqrt((double)lines * 8 / 3), matrix = n * n * 8;
    for (uint64_t i = 0; w->left; i = (i + 1) % n)
        for (uint64_t j = 0; j < n && w->left; j++)
            for (uint64_t k = 0; k < n && w->left; k++) {
                add(w, 8 * (i * n + k), 1, PLUSSI_EVENT_READ);
                add(w, matrix + 8 * (k * n + j), 2, PLUSSI_EVENT_READ);
                add(w, 2 * matrix + 8 * (i * n + j), 3, PLUSSI_EVENT_READ);
                add(w, 2 * matrix + 8 * (i * n + j), 4, PLUSSI_EVENT_WRITE);
            }
}

int main(int argc, char **argv)
{
    static writer w;
    plussi_ctx ctx;
    plussi_rng rng;
    if (argc != 4 || (strcmp(argv[1], "gemm") != 0 && strcmp(argv[1], "random") != 0)) {
        fprintf(stderr, "usage: make_trace gemm|random LINES ACCESSES\n");
        return 2;
    }
    const uint64_t lines = strtoull(argv[2], NULL, 10);
    plussi_ctx_init(&ctx, NULL);
    plussi_rng_seed(&rng, 1, 0);
    w.left = strtoull(argv[3], NULL, 10);
    must(plussi_packer_new(&ctx, put, stdout, &w.packer));
    if (strcmp(argv[1], "gemm") == 0)
        walk_gemm(&w, lines);
    while (w.left)
        add(&w, 64 * plussi_rng_below(&rng, lines), 1, PLUSSI_EVENT_READ);
    must(plussi_packer_finish(w.packer));
    plussi_packer_free(w.packer);
    plussi_ctx_clear(&ctx);
    return fflush(stdout) != 0;
}
