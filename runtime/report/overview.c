/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/overview.h"

#include <math.h>
#include <string.h>

#include "report/sink.h"
#include "report/suspect.h"

enum { DIGITS = 5, PER_OCTAVE = 8, MOST_SIZES = 64 * PER_OCTAVE + 2, MOST_SUSPECTS = 5 };

static double shorten(double value)
{
    if (value == 0 || !isfinite(value))
        return value;
    const int digits = DIGITS - 1 - (int)floor(log10(fabs(value)));
    if (digits < 0)
        return round(value);
    const double scale = pow(10, digits);
    return round(value * scale) / scale;
}

static plussi_datum short_real(double value)
{
    return isfinite(value) ? plussi_d_real(shorten(value)) : plussi_d_null();
}

/* ---- references: a table of each region, whose rows points refer to ---------------------------
 */

typedef struct references {
    plussi_table *table;
    const plussi_site **site;
    const char **loop;
    size_t n, room;
} references;

/* The row of a site, which is added where there is none. array NULL: not known. */
static size_t find_row(plussi_document *document, references *r, const plussi_site *site,
                       const char *loop, uint32_t loop_line, const char *array)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->site[i]->line == site->line && r->site[i]->write == site->write &&
            plussi_same_text(r->site[i]->text, site->text) &&
            plussi_same_text(r->site[i]->file, site->file) &&
            (!loop || !r->loop[i] || strcmp(loop, r->loop[i]) == 0))
            return i;
    if (r->n == r->room || document->status)
        return 0;
    r->site[r->n] = site;
    r->loop[r->n] = loop;
    plussi_add_row(r->table, (plussi_datum[]){plussi_d_text(site->text),
                                              plussi_d_text(site->write ? "write" : "read"),
                                              plussi_d_if(site->atomic, plussi_d_boolean(true)),
                                              plussi_d_if(array != NULL, plussi_d_text(array)),
                                              plussi_d_if(loop != NULL, plussi_d_text(loop)),
                                              plussi_d_if(loop_line, plussi_d_count(loop_line)),
                                              plussi_d_place(site->file, site->line, 0)});
    return r->n++;
}

/* Upper bound of the rows that a region needs. */
static size_t count_sites(const plussi_points *points, size_t region)
{
    size_t n = 1;
    for (size_t i = 0; i < points->n; i++)
        for (size_t l = 0; l < points->point[i].n_levels && points->point[i].region == region; l++)
            n += points->point[i].level[l].n_parts + 2 * points->point[i].level[l].n_lost;
    return n;
}

static void begin_references(plussi_section *section, size_t room, references *out)
{
    static const plussi_heading column[] = {{.key = "reference"},
                                            {.key = "access"},
                                            {.key = "atomic"},
                                            {.key = "array"},
                                            {.key = "loop"},
                                            {.key = "loop_line"},
                                            {.key = "place", .show = PLUSSI_AS_PLACE}};
    plussi_document *document = section->document;
    *out = (references){.room = room};
    out->table = plussi_add_table(section, "references", column, sizeof column / sizeof *column);
    if (document->status)
        return;
    out->site = plussi_arena_alloc(&document->arena, room, sizeof *out->site);
    out->loop = plussi_arena_alloc(&document->arena, room, sizeof *out->loop);
    if (!out->site || !out->loop)
        document->status = PLUSS_ENOMEM;
}

/* ---- curves ---------------------------------------------------------------------------------- */

static void put_curve(const plussi_curve *curve, plussi_section *section)
{
    static const plussi_heading column[] = {
        {.key = "size_lines"}, {.key = "miss_ratio"}, {.key = "miss_ratio_error"}};
    static const size_t most = MOST_SIZES;
    double size[MOST_SIZES], miss[MOST_SIZES], error[MOST_SIZES], before = -1;
    const double last = 2 * (double)curve->footprint_lines + 2;
    size_t n = 0;
    for (unsigned k = 0; n < most; k++) {
        const double lines = round(exp2((double)k / PER_OCTAVE));
        const double at = plussi_mrc_at(&curve->mrc, lines),
                     wrong = plussi_curve_error_at(curve, lines);
        const bool end = lines >= last || k + 2 == MOST_SIZES;
        if ((n == 0 || lines > size[n - 1]) &&
            (n == 0 || end || fabs(at - before) > 1e-3 * before ||
             fabs(shorten(wrong) - error[n - 1]) > 0.1 * error[n - 1])) {
            size[n] = lines;
            miss[n] = shorten(at);
            error[n++] = shorten(wrong);
            before = at;
        }
        if (end)
            break;
    }
    plussi_add_member(
        section, "threads_per_cache",
        plussi_d_count(curve->id.threads_per_cache ? curve->id.threads_per_cache : curve->id.team));
    plussi_add_series(section, "curve", column, curve->n_error ? 3 : 2,
                      (const double *const[]){size, miss, error}, n);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void put_parts(const plussi_level_result *l, references *r, plussi_section *section)
{
    enum { COLUMNS = 5 + PLUSSI_MISS_KINDS };
    plussi_document *document = section->document;
    plussi_heading column[COLUMNS] = {{.key = "reference"},
                                      {.key = "requests"},
                                      {.key = "misses"},
                                      {.key = "misses_error"},
                                      {.key = "bytes_fetched"}};
    double *value[COLUMNS];
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        column[5 + k].key = plussi_miss_kind_key((plussi_miss_kind)k);
    for (size_t c = 0; c < COLUMNS && !document->status; c++)
        if (!(value[c] = plussi_arena_alloc(&document->arena, l->n_parts + 1, sizeof **value)))
            document->status = PLUSS_ENOMEM;
    if (document->status)
        return;
    for (size_t i = 0; i < l->n_parts; i++) {
        const plussi_level_part *p = &l->part[i];
        value[0][i] = (double)find_row(document, r, &p->site, p->loop, p->loop_line, p->array);
        value[1][i] = shorten(p->misses.requests);
        value[2][i] = shorten(p->misses.all);
        value[3][i] = p->misses.error < 0 ? 0 : shorten(p->misses.error);
        value[4][i] = shorten(p->misses.fetched * l->id.line_bytes);
        for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
            value[5 + k][i] = shorten(p->misses.kind[k]);
    }
    plussi_section *parts = plussi_add_section(section, "by_reference", NULL);
    plussi_add_series(parts, "by_reference", column, COLUMNS, (const double *const *)value,
                      l->n_parts);
}

static void put_lost(const plussi_level_result *l, references *r, plussi_section *section)
{
    static const char *const carried[] = {[PLUSSI_BY_NOTHING] = "first touch",
                                          [PLUSSI_BY_LOOP] = "loop",
                                          [PLUSSI_BY_REPEAT] = "repetition",
                                          [PLUSSI_BY_NEST] = "other loop",
                                          [PLUSSI_BY_ITERATION] = "same iteration"};
    static const plussi_heading column[] = {
        {.key = "reference"}, {.key = "after"},  {.key = "carried_by"}, {.key = "loop"},
        {.key = "loop_line"}, {.key = "thread"}, {.key = "share"}};
    plussi_document *document = section->document;
    if (!l->n_lost)
        return;
    plussi_table *table =
        plussi_add_table(section, "lost_reuses", column, sizeof column / sizeof *column);
    for (size_t i = 0; i < l->n_lost; i++) {
        const plussi_reuse *u = &l->lost[i];
        const size_t access = find_row(document, r, &u->access, NULL, 0, u->array);
        const size_t source =
            u->source.text ? find_row(document, r, &u->source, NULL, 0, u->array) : 0;
        plussi_add_row(
            table, (plussi_datum[]){
                       plussi_d_count(access), plussi_d_if(u->source.text, plussi_d_count(source)),
                       plussi_d_text(carried[u->by]), plussi_d_if(u->loop, plussi_d_text(u->loop)),
                       plussi_d_if(u->loop_line, plussi_d_count(u->loop_line)),
                       plussi_d_text(u->other_thread ? "other" : "own"), short_real(u->share)});
    }
}

static void put_level(const plussi_level_result *l, references *r, plussi_section *section)
{
    const plussi_misses *m = &l->misses;
    const plussi_hierarchy h = {.line_bytes = l->id.line_bytes, .n = 1, .level = {l->level}};
    plussi_add_member(section, "name", plussi_d_text(l->level.name));
    plussi_add_member(section, "bytes", plussi_d_count(l->level.bytes));
    plussi_add_member(section, "ways", plussi_d_count(plussi_level_ways(&h, 0)));
    plussi_add_member(
        section, "threads_per_cache",
        plussi_d_count(l->id.threads_per_cache ? l->id.threads_per_cache : l->id.team));
    plussi_add_member(section, "requests", short_real(m->requests));
    plussi_add_member(section, "misses", short_real(m->all));
    plussi_add_member(section, "miss_ratio", short_real(m->all / l->accesses));
    plussi_add_member(section, "miss_ratio_error",
                      plussi_d_if(m->error >= 0, short_real(m->error / l->accesses)));
    plussi_add_member(section, "bytes_fetched", short_real(m->fetched * l->id.line_bytes));
    plussi_add_member(section, "bytes_written_back",
                      short_real(m->written_back * l->id.line_bytes));
    put_parts(l, r, section);
    put_lost(l, r, section);
}

/* ---- points ---------------------------------------------------------------------------------- */

static void put_suspects(const plussi_point *p, references *r, plussi_section *section)
{
    plussi_suspect suspect[MOST_SUSPECTS];
    plussi_document *document = section->document;
    const size_t n = plussi_find_suspects(p, suspect, MOST_SUSPECTS);
    plussi_section *list = n ? plussi_add_list(section, "worst", false) : NULL;
    for (size_t i = 0; i < n; i++) {
        const plussi_suspect *s = &suspect[i];
        const double all = s->level->misses.all;
        plussi_section *one = plussi_add_section(list, "", NULL);
        plussi_add_member(one, "reference",
                          plussi_d_count(find_row(document, r, &s->part->site, s->part->loop,
                                                  s->part->loop_line, s->part->array)));
        plussi_add_member(one, "level", plussi_d_text(s->level->level.name));
        plussi_add_member(one, "share", short_real(all > 0 ? s->part->misses.all / all : 0));
        plussi_add_member(one, "cost", short_real(s->share));
        plussi_add_member(one, "cause", plussi_d_text(plussi_suspect_cause(document, s)));
        const char *jump = plussi_suspect_jump(document, s),
                   *cure = plussi_suspect_cure(document, s);
        plussi_add_member(one, "jump", plussi_d_if(*jump, plussi_d_text(jump)));
        plussi_add_member(one, "cure", plussi_d_if(*cure, plussi_d_text(cure)));
    }
}

static void put_point(const plussi_point *p, references *r, plussi_section *section)
{
    const plussi_curve *curve = p->curve;
    const plussi_identity *id = &curve->id;
    plussi_document *document = section->document;
    plussi_add_member(section, "threads", plussi_d_count(id->team));
    plussi_add_member(section, "schedule", plussi_d_text(id->schedule));
    plussi_section *values = plussi_add_section(section, "values", NULL);
    for (size_t i = 0; i < id->n_values; i++)
        plussi_add_member(values, plussi_document_text(document, "%s", id->values[i].name),
                          plussi_d_integer(id->values[i].value));
    plussi_add_member(section, "method",
                      plussi_d_text(id->simulated ? "simulation" : "prediction"));
    plussi_add_member(section, "engine", plussi_d_text(id->engine));
    plussi_add_member(section, "line_bytes", plussi_d_count(id->line_bytes));
    plussi_add_member(section, "runs", plussi_d_if(curve->runs, plussi_d_count(curve->runs)));
    plussi_add_member(
        section, "recorded",
        plussi_d_if(curve->runs, plussi_d_text(plussi_recording_name((int)curve->recorded))));
    plussi_add_member(section, "coverage",
                      plussi_d_if(curve->counted, short_real(curve->coverage)));
    plussi_add_member(section, "accesses", plussi_d_real(curve->mrc.accesses));
    plussi_add_member(section, "footprint_lines", plussi_d_count(curve->footprint_lines));
    plussi_add_member(section, "mean_error",
                      plussi_d_if(curve->n_error, short_real(curve->mean_error)));
    plussi_add_member(section, "cost", short_real(plussi_misses_cost(p->level, p->n_levels, NULL)));
    plussi_section *curves = plussi_add_list(section, "curves", false);
    for (size_t i = 0; i < p->n_curves; i++)
        put_curve(&curve[i], plussi_add_section(curves, "", NULL));
    plussi_section *levels = plussi_add_list(section, "levels", false);
    for (size_t i = 0; i < p->n_levels; i++)
        put_level(&p->level[i], r, plussi_add_section(levels, "", NULL));
    put_suspects(p, r, section);
}

/* The document outlives the tips. */
static const char *kept(plussi_document *document, const char *text)
{
    return plussi_document_text(document, "%s", text);
}

static void put_tips(const plussi_tips *tips, const char *region, plussi_section *section)
{
    plussi_document *document = section->document;
    if (!plussi_is_tipped(tips, region))
        return;
    plussi_section *list = plussi_add_list(section, "advice", false);
    for (size_t i = 0; i < tips->n; i++) {
        const plussi_tip *tip = &tips->tip[i];
        if (!plussi_same_text(tip->region, region))
            continue;
        plussi_section *one = plussi_add_section(list, "", NULL);
        const char *file = tip->file ? kept(document, tip->file) : NULL;
        plussi_add_member(one, "text", plussi_d_text(kept(document, tip->text)));
        plussi_add_member(one, "place", plussi_d_place(file, tip->line, 0));
        plussi_add_member(one, "threads", plussi_d_count(tip->team));
        plussi_add_member(one, "gain", short_real(tip->gain));
        plussi_add_member(one, "gain_error", short_real(tip->gain_error));
        plussi_add_member(one, "steps",
                          plussi_d_if(*tip->steps, plussi_d_text(kept(document, tip->steps))));
        plussi_add_member(one, "source",
                          plussi_d_if(*tip->source, plussi_d_text(kept(document, tip->source))));
    }
}

static void put_region(const plussi_points *points, size_t region, const plussi_tips *tips,
                       plussi_section *section)
{
    const plussi_point *widest = plussi_points_widest(points, region);
    const plussi_identity *id = &widest->curve->id;
    references r;
    plussi_add_member(section, "region", plussi_d_text(id->region));
    plussi_add_member(section, "place", plussi_d_place(id->file, id->line, 0));
    plussi_add_member(section, "program", plussi_d_if(id->program, plussi_d_count(id->program)));
    plussi_add_member(section, "unknown_constructs", plussi_d_count(id->unknowns));
    plussi_add_member(section, "cost", short_real(points->cost[region]));
    put_tips(tips, id->region, section);
    begin_references(section, count_sites(points, region), &r);
    plussi_section *list = plussi_add_list(section, "points", false);
    for (size_t i = 0; i < points->n && !section->document->status; i++)
        if (points->point[i].region == region)
            put_point(&points->point[i], &r, plussi_add_section(list, "", NULL));
}

/* ---- findings: what a forge shows at a line ---------------------------------------------------
 */

static void put_finding(const plussi_point *point, const plussi_suspect *s, plussi_table *table)
{
    static const char *const rule[PLUSSI_MISS_KINDS] = {[PLUSSI_MISS_COLD] = "cold-misses",
                                                        [PLUSSI_MISS_CAPACITY] = "capacity-misses",
                                                        [PLUSSI_MISS_CONFLICT] = "conflict-misses",
                                                        [PLUSSI_MISS_TRUE_SHARING] = "true-sharing",
                                                        [PLUSSI_MISS_FALSE_SHARING] =
                                                            "false-sharing"};
    plussi_document *document = table->document;
    const plussi_level_result *l = s->level;
    const plussi_site *site = &s->part->site;
    const char *jump = plussi_suspect_jump(document, s), *cure = plussi_suspect_cure(document, s);
    char share[PLUSSI_NUMBER], misses[PLUSSI_NUMBER];
    const bool much =
        s->share >= 0.1 && s->kind != PLUSSI_MISS_COLD && s->part->misses.all >= 0.01 * l->accesses;
    plussi_text_fixed(share, 100 * s->part->misses.all / l->misses.all, 0);
    plussi_text_general(misses, 100 * s->part->misses.all / l->accesses, 2);
    const char *text = plussi_document_text(
        document, "%s of %s: %s %% of the misses of %s, %s %% of all accesses (T = %u). %s%s%s%s%s",
        site->write ? "write" : "read", site->text, share, l->level.name, misses,
        point->curve->id.team, plussi_suspect_cause(document, s), *jump ? "; " : "", jump,
        *cure ? ". Try: " : "", cure);
    plussi_add_row(table,
                   (plussi_datum[]){plussi_d_text(s->jumps ? "strided-access" : rule[s->kind]),
                                    plussi_d_text(much ? "warning" : "note"), plussi_d_text(text),
                                    plussi_d_place(site->file, site->line, 0),
                                    plussi_d_text(point->curve->id.region)});
}

static void put_findings(const plussi_points *points, plussi_document *document)
{
    static const plussi_heading column[] = {{.key = "rule"},
                                            {.key = "severity"},
                                            {.key = "text"},
                                            {.key = "place", .show = PLUSSI_AS_PLACE},
                                            {.key = "region"}};
    plussi_suspect suspect[MOST_SUSPECTS];
    plussi_table *table = plussi_add_table(document->root, "findings", column, 5);
    for (size_t i = 0; i < points->n_regions && !document->status; i++) {
        const size_t region = points->point[points->first[i]].region;
        const plussi_point *point = plussi_points_widest(points, region);
        const size_t n = plussi_find_suspects(point, suspect, MOST_SUSPECTS);
        for (size_t k = 0; k < n; k++)
            put_finding(point, &suspect[k], table);
    }
}

static void put_caches(const plussi_report_caches *caches, plussi_document *document)
{
    static const plussi_heading column[] = {
        {.key = "label"}, {.key = "bytes"}, {.key = "threads_per_cache"}};
    plussi_table *table = plussi_add_table(document->root, "caches", column, 3);
    for (size_t i = 0; i < caches->n; i++) {
        const plussi_report_cache *c = &caches->cache[i];
        plussi_add_row(table,
                       (plussi_datum[]){plussi_d_text(c->label), plussi_d_count(c->bytes),
                                        plussi_d_if(c->threads, plussi_d_count(c->threads))});
    }
}

void plussi_report_overview(plussi_ctx *ctx, const plussi_result *result,
                            const plussi_report_caches *caches, const plussi_tips *tips,
                            plussi_document *document)
{
    plussi_points points;
    pluss_status status = plussi_points_find(&ctx->mem, result, &points);
    (void)plussi_report_summary(ctx, result, tips, false, document);
    put_caches(caches, document);
    if (result->coverage.counted)
        plussi_add_member(document->root, "coverage",
                          short_real(plussi_coverage_share(&result->coverage)));
    plussi_section *list = plussi_add_list(document->root, "regions", false);
    for (size_t i = 0; i < points.n_regions && !status; i++)
        put_region(&points, points.point[points.first[i]].region, tips,
                   plussi_add_section(list, "", NULL));
    if (!status)
        put_findings(&points, document);
    plussi_points_free(&points);
    if (status && !document->status)
        document->status = status;
}
