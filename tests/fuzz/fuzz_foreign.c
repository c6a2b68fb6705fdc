/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as a foreign trace: no crash; every event is one that the header allows, and the same
 * again when it is packed and read back; or one message says why not.
 */
#include <stdlib.h>
#include <string.h>

#include "../unit/byte_sink.h"
#include "any_target.h"
#include "trace/foreign.h"
#include "trace/packed.h"

enum { MOST = 1 << 20 /* events that are looked at */, BATCH = 512 };

static void check_event(const plussi_event *e)
{
    require(e->kind < PLUSSI_EVENT_KINDS && e->thread < PLUSSI_EVENT_THREADS,
            "events are of a kind");
    require(plussi_event_is_access(e) ? e->bytes > 0 && e->address + e->bytes <= (uint64_t)1 << 61
                                      : e->bytes == 0,
            "accesses have an address");
}

static FILE *stream_of(const void *data, size_t size)
{
    return size ? fmemopen((void *)(uintptr_t)data, size, "rb") : fopen("/dev/null", "rb");
}

/* Reads the file's events; with a packer, packs them, too. */
static pluss_status read_all(plussi_ctx *ctx, FILE *in, bool skip, plussi_packer *packer,
                             uint64_t *all)
{
    plussi_foreign *trace = NULL;
    plussi_event buf[BATCH];
    pluss_status status = plussi_foreign_open_stream(ctx, in, "fuzz", skip, &trace);
    for (size_t n = 1; !status && n && *all < MOST; *all += n) {
        status = plussi_foreign_next(trace, buf, BATCH, &n);
        for (size_t i = 0; i < n && !status; i++)
            check_event(&buf[i]);
        if (!status && packer)
            require(!plussi_packer_add(packer, buf, n), "what is read can be packed");
    }
    plussi_foreign_close(trace);
    return status;
}

/* Two files with the same events. */
static void compare(plussi_ctx *ctx, FILE *a, FILE *b)
{
    plussi_foreign *x = NULL, *y = NULL;
    plussi_event of_x, of_y, more[2][BATCH];
    size_t i = 0, n = 0, k = 0, m = 0;
    require(!plussi_foreign_open_stream(ctx, a, "a", false, &x), "it reads again");
    require(!plussi_foreign_open_stream(ctx, b, "b", false, &y), "what is packed is read");
    for (;; i++, k++) {
        if (i == n)
            require(!plussi_foreign_next(x, more[0] + (i = 0), BATCH, &n), "it reads on");
        if (k == m)
            require(!plussi_foreign_next(y, more[1] + (k = 0), BATCH, &m), "it reads on");
        require((n == 0) == (m == 0), "no event is lost");
        if (n == 0)
            break;
        of_x = more[0][i];
        of_y = more[1][k];
        require(of_x.address == of_y.address && of_x.site == of_y.site &&
                    of_x.thread == of_y.thread && of_x.bytes == of_y.bytes &&
                    of_x.kind == of_y.kind,
                "events are the same");
    }
    plussi_foreign_close(x);
    plussi_foreign_close(y);
}

static void read_back(const void *data, size_t size)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    bytes packed = {0};
    plussi_packer *packer = NULL;
    uint64_t events = 0;
    FILE *in = stream_of(data, size);
    require(!plussi_packer_new(&ctx, add_bytes, &packed, &packer), "memory");
    require(!read_all(&ctx, in, false, packer, &events), "it reads alike");
    require(!plussi_packer_finish(packer), "it is packed");
    plussi_packer_free(packer);
    rewind(in);
    FILE *again = stream_of(packed.at, packed.n);
    compare(&ctx, in, again);
    fclose(again);
    fclose(in);
    free(packed.at);
    plussi_ctx_clear(&ctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int skip = 0; skip < 2; skip++) {
        plussi_ctx ctx;
        uint64_t events = 0;
        FILE *in = stream_of(data, size);
        plussi_ctx_init(&ctx, NULL);
        pluss_status status = read_all(&ctx, in, skip, NULL, &events);
        require(status == PLUSS_OK || status == PLUSS_EFORMAT || status == PLUSS_ELIMIT,
                "bad bytes are a bad format");
        require(ctx.n_diags == (status ? 1u : 0u), "one error says why");
        fclose(in);
        plussi_ctx_clear(&ctx);
        if (!status && !skip && events < MOST)
            read_back(data, size);
    }
    return 0;
}
