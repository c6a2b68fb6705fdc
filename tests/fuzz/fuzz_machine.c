/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any bytes as the machine file: read whole or refused; what was read is written, read again, and
 * written the same. All regions are found again, by name and by nearest team.
 */
#include <string.h>

#include "any_target.h"
#include "cost/time_model.h"
#include "study/machine_file.h"

static void check_rates(const plussi_machine_rates *t)
{
    require(t->sigma >= 0 && t->sigma <= 10 && t->skew >= 0 && t->skew <= 1e15 &&
                t->stall_rate >= 0 && t->stall_rate <= 1 && t->stall >= 0 && t->access >= 0,
            "numbers are in their ranges");
}

static void check_caches(const plussi_machine_caches *caches)
{
    static const uint32_t team[] = {1, 3, 64, UINT32_MAX};
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    for (size_t i = 0; i < sizeof team / sizeof *team && caches->hierarchy.n; i++) {
        plussi_hierarchy h;
        plussi_hierarchy_of_team(caches, team[i], &h);
        require(plussi_hierarchy_check(&ctx, &h) == PLUSS_OK, "every team has a hierarchy");
    }
    plussi_ctx_clear(&ctx);
}

static void check_costs(const plussi_machine_costs *costs)
{
    for (size_t i = 0; i < costs->n; i++)
        require(costs->server[i].held > 0 && costs->server[i].held <= 1, "a level is held");
    require(!costs->n_page_steps || (costs->page_bytes && costs->page_bytes <= PLUSSI_PAGE_MOST),
            "pages have bytes");
    for (size_t i = 1; i < costs->n_page_steps; i++)
        require(costs->page_step[i].reach > costs->page_step[i - 1].reach &&
                    costs->page_step[i].cycles.value >= costs->page_step[i - 1].cycles.value,
                "steps of pages grow");
    for (uint32_t n = 1; n; n *= 2)
        require(plussi_cost_of_team(costs, n).start.value >= 0, "every team has a cost");
}

static void check_file(const plussi_machine_file *file)
{
    check_caches(&file->caches);
    check_costs(&file->costs);
    check_rates(&file->all);
    for (size_t i = 0; i < file->n_regions; i++) {
        const plussi_calibrated_region *c = &file->region[i];
        check_rates(&c->all);
        require(c->team >= 1 && c->runs > c->discarded, "a region was run");
        const plussi_calibrated_region *same =
            plussi_machine_file_find(file, c->region, c->file, c->team);
        require(same && same <= c && same->team == c->team, "a region is found");
        require(!(c->all.access > 0) ||
                    plussi_machine_file_nearest(file, c->region, c->file, c->team)->team == c->team,
                "the nearest team is the same team");
    }
}

typedef struct written {
    char bytes[1 << 20];
    size_t n;
} written;

static int put_bytes(void *user, const char *data, size_t length)
{
    written *w = user;
    if (length > sizeof w->bytes - w->n)
        return 1;
    memcpy(w->bytes + w->n, data, length);
    w->n += length;
    return 0;
}

/* false: it is too long. */
static bool write_file(plussi_ctx *ctx, const plussi_machine_file *file, written *out)
{
    plussi_sink sink;
    out->n = 0;
    plussi_sink_init(&sink, put_bytes, out);
    return plussi_machine_file_write(ctx, file, &sink) == PLUSS_OK;
}

static void check_round_trip(plussi_ctx *ctx, const plussi_machine_file *file)
{
    static written first, second;
    char path[PATH_ROOM];
    plussi_machine_file *again;
    if (!write_file(ctx, file, &first))
        return;
    put_file("file", (const uint8_t *)first.bytes, first.n, path);
    require(plussi_machine_file_read(ctx, path, &again) == PLUSS_OK,
            "what was written can be read");
    require(write_file(ctx, again, &second) && first.n == second.n &&
                memcmp(first.bytes, second.bytes, first.n) == 0,
            "a second round changes nothing");
    plussi_machine_file_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double rates[] = {1, 1};
    char path[PATH_ROOM];
    plussi_ctx ctx;
    plussi_machine_file *file;
    plussi_ctx_init(&ctx, NULL);
    put_file("file", data, size, path);
    if (plussi_machine_file_read(&ctx, path, &file) == PLUSS_OK) {
        check_file(file);
        check_round_trip(&ctx, file);
        const plussi_calibrated_region new = {.region = "new", .team = 2, .runs = 1, .rate = rates};
        require(plussi_machine_file_merge(file, &new) == PLUSS_OK, "memory");
        check_rates(&file->all);
        plussi_machine_file_free(file);
    } else {
        require(ctx.n_diags > 0, "a failure is explained");
    }
    plussi_ctx_clear(&ctx);
    return 0;
}
