/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of observed.c from the closed forms of runtime/schedule/.
 */
#include <stdio.h>
#include <string.h>

#include "loops.h"
#include "team/share.h"

/* Owners by walking each thread's share, so that counts and positions are put to the test too. */
static void print_owners(const char *kind, int n, int chunk, int team)
{
    int owner[MAX_N];
    memset(owner, -1, sizeof owner);
    for (int t = 0; t < team; t++) {
        plussi_share s =
            plussi_share_static((uint64_t)n, (uint64_t)chunk, (uint32_t)team, (uint32_t)t);
        for (uint64_t pos = 0; pos < plussi_share_count(&s); pos++)
            owner[plussi_share_nth(&s, pos)] = t;
    }
    printf("%s n=%d chunk=%d team=%d:", kind, n, chunk, team);
    for (int i = 0; i < n; i++)
        printf(" %d", owner[i]);
    printf("\n");
}

static void expect_static(int n, int chunk, int team)
{
    print_owners("static", n, chunk, team);
}

static void expect_collapse(int rows, int chunk, int team)
{
    print_owners("collapse", 3 * rows, chunk, team);
}

static void expect_chunks(bool guided, int end, int step, int chunk, int team)
{
    plussi_dispatch d = {.kind = guided ? PLUSSI_SCHED_GUIDED : PLUSSI_SCHED_DYNAMIC,
                         .n = (uint64_t)(end + step - 1) / (uint64_t)step,
                         .chunk = (uint64_t)chunk,
                         .team = (uint32_t)team,
                         .ragged = end % step != 0};
    plussi_segment part;
    printf("%s end=%d step=%d chunk=%d team=%d:", guided ? "guided" : "dynamic", end, step, chunk,
           team);
    while (plussi_dispatch_next(&d, &part))
        printf(" %d", (int)(part.hi - part.lo));
    printf("\n");
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "";
    if (strcmp(kind, "static") == 0)
        for_each_static(expect_static);
    else if (strcmp(kind, "collapse") == 0)
        for_each_static(expect_collapse);
    else if (strcmp(kind, "dynamic") == 0)
        for_each_chunked(false, expect_chunks);
    else if (strcmp(kind, "guided") == 0)
        for_each_chunked(true, expect_chunks);
    else
        return 2;
    return 0;
}
