/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "profile/similarity.h"
#include "report/report.h"

/* The curve of the same program and lines, of that team, shared by all threads or by one; of the
 * same engine. NULL: there is none. */
static const plussi_mrc *find_other(const plussi_result *result, const plussi_identity *id,
                                    uint32_t team, uint32_t threads_per_cache)
{
    for (size_t i = 0; i < result->n; i++) {
        const plussi_identity *other = &result->curve[i].id;
        if (other->team == team && other->threads_per_cache == threads_per_cache &&
            plussi_same_text(other->region, id->region) && other->line_bytes == id->line_bytes &&
            plussi_identity_same_values(other, id) && plussi_same_text(other->engine, id->engine))
            return &result->curve[i].mrc;
    }
    return NULL;
}

static plussi_datum to_bytes(const plussi_identity *id, double lines)
{
    return plussi_d_if(lines > 0, plussi_d_count((uint64_t)ceil(lines) * id->line_bytes));
}

void plussi_report_scaling(const plussi_result *result, plussi_document *document)
{
    static const plussi_heading columns[] = {
        {.key = "region", .label = "region"},
        {.key = "values", .label = "values"},
        {.key = "engine", .label = "by"},
        {.key = "threads", .label = "T", .show = PLUSSI_AS_NUMBER},
        {.key = "c_max_bytes", .label = "C_max", .show = PLUSSI_AS_BYTES},
        {.key = "c_core_bytes", .label = "C_core", .show = PLUSSI_AS_BYTES},
        {.key = "growth_mean", .label = "dM mean", .show = PLUSSI_AS_NUMBER, .digits = 2},
        {.key = "growth_greatest", .label = "greatest", .show = PLUSSI_AS_NUMBER, .digits = 2},
        {.key = "c_share_bytes", .label = "C_share", .show = PLUSSI_AS_BYTES}};
    plussi_section *section =
        plussi_add_section(document->root, "capacities", "Capacities, of all caches together");
    plussi_add_line(section,
                    "from C_core on, a shared cache misses hardly more often than with one "
                    "thread;");
    plussi_add_line(section,
                    "dM: how many times as often as that it misses between 1 MiB and C_core;");
    plussi_add_line(section, "from C_share on, it misses less often than private caches do");
    plussi_table *table =
        plussi_add_table(section, "scaling", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < result->n; i++) {
        const plussi_identity *id = &result->curve[i].id;
        const plussi_mrc *shared = &result->curve[i].mrc;
        const plussi_mrc *one = find_other(result, id, 1, 0);
        const plussi_mrc *own = find_other(result, id, id->team, 1);
        if (id->team == 1 || id->threads_per_cache || !own)
            continue;
        const double mib = 1048576.0 / id->line_bytes,
                     core = one ? plussi_find_c_core(one, shared) : 0;
        double mean = 0, greatest = 0;
        const bool grows = one && plussi_find_growth(one, shared, mib, core, &mean, &greatest);
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_text(id->region),
                                        plussi_d_text(plussi_report_values(document, id)),
                                        plussi_d_text(id->engine), plussi_d_count(id->team),
                                        to_bytes(id, shared->size[shared->n - 1]),
                                        to_bytes(id, core), plussi_d_if(grows, plussi_d_real(mean)),
                                        plussi_d_if(grows, plussi_d_real(greatest)),
                                        to_bytes(id, plussi_find_c_share(shared, own, id->team))});
    }
}
