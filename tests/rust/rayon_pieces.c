/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether the model of Rayon's splitting cuts loops as Rayon does, where nobody steals: standard
 * input is what the example `pieces` of the crate pluss-rayon prints.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "team/iterset.h"

static double work(void *user, uint64_t lo, uint64_t hi)
{
    (void)user;
    return (double)(hi - lo);
}

static uint64_t number(char **at)
{
    return strtoull(*at, at, 10);
}

/* A line "items least most: first-end ..." against the model; 1: they differ. */
static int check(plussi_ctx *ctx, char *line)
{
    char *at = line;
    uint64_t items = number(&at), least = number(&at), most = number(&at);
    plussi_itersets shares;
    if (*at++ != ':' ||
        plussi_simulate_rayon(ctx, items, least, most, 1, work, NULL, 1, &shares) != PLUSS_OK) {
        printf("cannot be read, or modelled: %s", line);
        return 1;
    }
    size_t n = 0;
    bool same = true;
    for (; *at == ' '; n++) {
        uint64_t lo = number(&at), hi = *at == '-' ? (at++, number(&at)) : lo;
        same = same && n < shares.n_segments && shares.segment[n].lo == lo &&
               shares.segment[n].hi == hi;
    }
    same = same && n == shares.n_segments;
    if (!same)
        printf("%zu pieces, modelled %zu: %s", n, shares.n_segments, line);
    plussi_itersets_free(&shares);
    return !same;
}

int main(void)
{
    static char line[1 << 20];
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    int loops = 0, differ = 0;
    for (; fgets(line, sizeof line, stdin); loops++)
        differ += check(&ctx, line);
    printf("%d loops, %d differ\n", loops, differ);
    plussi_ctx_clear(&ctx);
    return differ > 0 || loops < 100;
}
