/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All that a result has about one line of a source.
 */
#include <string.h>

#include "report/overview.h"
#include "report/sink.h"
#include "report/suspect.h"

/* Whether the path ends in the name, whole folders. */
static bool is_file(const char *path, const char *name)
{
    const size_t n = path ? strlen(path) : 0, m = strlen(name);
    return n >= m && strcmp(path + n - m, name) == 0 && (n == m || path[n - m - 1] == '/');
}

static bool is_here(const plussi_site *site, const char *file, uint32_t line)
{
    return site->line == line && is_file(site->file, file);
}

static plussi_datum count_of(double n)
{
    return n >= 0 && n < 0x1p63 ? plussi_d_count((uint64_t)(n + 0.5)) : plussi_d_null();
}

static void put_part(const plussi_level_result *l, const plussi_level_part *p, plussi_table *table)
{
    const plussi_misses *m = &p->misses;
    plussi_datum row[8 + PLUSSI_MISS_KINDS] = {
        plussi_d_text(l->level.name),
        plussi_d_text(p->site.text),
        plussi_d_text(p->site.write ? "write" : "read"),
        plussi_d_if(p->loop != NULL, plussi_d_text(p->loop)),
        count_of(m->requests),
        plussi_d_measured(m->all, m->error),
        plussi_d_real(l->misses.all > 0 ? m->all / l->misses.all : 0),
        count_of(m->fetched * l->id.line_bytes)};
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        row[8 + k] = count_of(m->kind[k]);
    plussi_add_row(table, row);
}

static void put_levels(const plussi_point *point, const char *file, uint32_t line,
                       plussi_section *section)
{
    plussi_heading column[8 + PLUSSI_MISS_KINDS] = {
        {.key = "level", .label = "cache", .repeat = true},
        {.key = "reference", .label = "reference", .repeat = true},
        {.key = "access", .label = ""},
        {.key = "loop", .label = "loop"},
        {.key = "requests", .label = "requests", .show = PLUSSI_AS_COUNT},
        {.key = "misses", .label = "misses", .show = PLUSSI_AS_COUNT},
        {.key = "share", .label = "of level", .show = PLUSSI_AS_POINTS, .digits = 1, .unit = "%"},
        {.key = "bytes_fetched", .label = "fetched", .show = PLUSSI_AS_BYTES}};
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        column[8 + k] = (plussi_heading){.key = plussi_miss_kind_key((plussi_miss_kind)k),
                                         .label = plussi_miss_kind_name((plussi_miss_kind)k),
                                         .show = PLUSSI_AS_COUNT};
    plussi_table *table =
        plussi_add_table(section, "levels", column, sizeof column / sizeof *column);
    for (size_t l = 0; l < point->n_levels; l++)
        for (size_t i = 0; i < point->level[l].n_parts; i++)
            if (is_here(&point->level[l].part[i].site, file, line))
                put_part(&point->level[l], &point->level[l].part[i], table);
}

static void put_lost(const plussi_point *point, const char *file, uint32_t line,
                     plussi_section *section)
{
    char share[PLUSSI_NUMBER];
    plussi_document *document = section->document;
    plussi_section *list = plussi_add_list(section, "lost_reuses", false), *text = NULL;
    for (size_t l = 0; l < point->n_levels; l++)
        for (size_t i = 0; i < point->level[l].n_lost; i++) {
            const plussi_reuse *r = &point->level[l].lost[i];
            if (!is_here(&r->access, file, line))
                continue;
            plussi_section *one = plussi_add_section(list, "", NULL);
            plussi_add_member(one, "level", plussi_d_text(point->level[l].level.name));
            plussi_report_reuse(r, one);
            text = text ? text : plussi_add_section(section, NULL, "reuse that is lost");
            plussi_text_fixed(share, 100 * r->share, 2);
            plussi_add_line(text, "%s: %s %% of all accesses: %s of %s, its reuse %s, %s",
                            point->level[l].level.name, share, r->access.write ? "write" : "read",
                            r->access.text, plussi_carried_text(document, r),
                            r->other_thread ? "another thread's" : "the thread's own");
        }
}

/* Why the references here are among those that cost most, where they are. */
static void put_causes(const plussi_point *point, const char *file, uint32_t line,
                       plussi_section *section)
{
    enum { MOST = 32 };
    plussi_suspect suspect[MOST];
    plussi_document *document = section->document;
    const size_t n = plussi_find_suspects(point, suspect, MOST);
    for (size_t i = 0; i < n; i++) {
        const plussi_suspect *s = &suspect[i];
        const char *jump = plussi_suspect_jump(document, s),
                   *cure = plussi_suspect_cure(document, s);
        if (!is_here(&s->part->site, file, line))
            continue;
        plussi_add_line(section, "%s, %s: %s%s%s", s->part->site.text, s->level->level.name,
                        plussi_suspect_cause(document, s), *jump ? "; " : "", jump);
        if (*cure)
            plussi_add_line(section, "  try: %s", cure);
    }
}

static bool put_point(const plussi_point *point, const char *file, uint32_t line,
                      plussi_section *list)
{
    const plussi_identity *id = &point->curve->id;
    plussi_document *document = list->document;
    bool here = false;
    for (size_t l = 0; l < point->n_levels && !here; l++)
        for (size_t i = 0; i < point->level[l].n_parts && !here; i++)
            here = is_here(&point->level[l].part[i].site, file, line);
    if (!here)
        return false;
    const char *values = plussi_report_values(document, id);
    plussi_section *section =
        plussi_add_section(list, "",
                           plussi_document_text(document, "%s, T = %u%s%s%s%s", id->region,
                                                id->team, *values ? ", " : "", values,
                                                *id->schedule ? ", schedule " : "", id->schedule));
    plussi_report_identity(id, section);
    put_levels(point, file, line, section);
    put_lost(point, file, line, section);
    put_causes(point, file, line, section);
    return true;
}

pluss_status plussi_report_line(plussi_ctx *ctx, const plussi_result *result, const char *file,
                                uint32_t line, plussi_document *document)
{
    plussi_points points;
    bool found = false;
    pluss_status status = plussi_points_find(&ctx->mem, result, &points);
    plussi_add_member(document->root, "place", plussi_d_place(file, line, 0));
    plussi_section *list = plussi_add_list(document->root, "points", true);
    for (size_t i = 0; i < points.n && !status; i++)
        found = put_point(&points.point[i], file, line, list) || found;
    plussi_points_free(&points);
    if (!status && !found)
        status = plussi_fail(ctx, PLUSS_ENOTFOUND, &(plussi_loc){file, line, 0},
                             "no reference whose misses are known is on this line");
    return status;
}
