/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a person wants to know first: for the worst regions, misses by level, the references that
 * cost most, why, and what to try. For people only.
 */
#include <math.h>

#include "report/report.h"
#include "report/sink.h"
#include "report/suspect.h"

enum { MOST_SUSPECTS = 3, MOST_COLUMNS = 12, MOST_TIPS = 2 };

/* Points that differ in their team alone, in the order of the result. */
typedef struct row_of_teams {
    const plussi_point *point[MOST_COLUMNS];
    size_t n;
} row_of_teams;

/* Those of the widest point's schedule and values; of many teams the last ones. */
static row_of_teams gather_teams(const plussi_points *points, const plussi_point *widest)
{
    row_of_teams row = {.n = 0};
    for (size_t i = 0; i < points->n; i++) {
        const plussi_point *p = &points->point[i];
        if (p->region != widest->region || !p->n_levels ||
            !plussi_is_same_setting(&p->curve->id, &widest->curve->id))
            continue;
        if (row.n == MOST_COLUMNS) {
            for (size_t k = 1; k < row.n; k++)
                row.point[k - 1] = row.point[k];
            row.n--;
        }
        row.point[row.n++] = p;
    }
    return row;
}

static bool is_team_twice(const row_of_teams *row, size_t of)
{
    for (size_t c = 0; c < row->n; c++)
        if (c != of && row->point[c]->curve->id.team == row->point[of]->curve->id.team)
            return true;
    return false;
}

static plussi_datum misses_of(const plussi_level_result *l)
{
    const plussi_misses *m = &l->misses;
    return plussi_d_measured(m->all / l->accesses, m->error < 0 ? -1 : m->error / l->accesses);
}

static void add_levels(plussi_section *section, const row_of_teams *row)
{
    plussi_document *document = section->document;
    plussi_heading column[MOST_COLUMNS + 2] = {
        {.label = "misses", .repeat = true},
        {.label = "size", .show = PLUSSI_AS_BYTES, .repeat = true}};
    for (size_t c = 0; c < row->n; c++)
        column[2 + c] = (plussi_heading){
            .label = plussi_report_team(document, row->point[c]->curve, is_team_twice(row, c)),
            .show = PLUSSI_AS_POINTS,
            .digits = 2,
            .unit = "%"};
    plussi_table *table = plussi_add_table(section, NULL, column, row->n + 2);
    const plussi_point *last = row->point[row->n - 1];
    for (size_t l = 0; l < last->n_levels; l++) {
        plussi_datum cell[MOST_COLUMNS + 2] = {plussi_d_text(last->level[l].level.name),
                                               plussi_d_count(last->level[l].level.bytes)};
        for (size_t c = 0; c < row->n; c++)
            cell[2 + c] =
                l < row->point[c]->n_levels ? misses_of(&row->point[c]->level[l]) : plussi_d_null();
        plussi_add_row(table, cell);
    }
}

static void add_suspects(plussi_section *section, const plussi_point *point,
                         const plussi_suspect *suspect, size_t n)
{
    plussi_document *document = section->document;
    char share[PLUSSI_NUMBER];
    plussi_section *worst = plussi_add_section(
        section, NULL,
        plussi_document_text(document, "worst references, T = %u", point->curve->id.team));
    for (size_t i = 0; i < n; i++) {
        const plussi_suspect *s = &suspect[i];
        const double all = s->level->misses.all;
        plussi_text_fixed(share, all > 0 ? 100 * s->part->misses.all / all : 0, 0);
        plussi_add_line(worst, "%zu. %s: %s %% of the misses of %s", i + 1,
                        plussi_reference_text(document, s->part), share, s->level->level.name);
        plussi_add_line(worst, "   %s", plussi_suspect_cause(document, s));
        if (s->jumps)
            plussi_add_line(worst, "   %s", plussi_suspect_jump(document, s));
    }
}

/* ---- what to try ------------------------------------------------------------------------------
 */

static void add_try(plussi_section *section, const char *file, uint32_t line, const char *text)
{
    if (file && line)
        plussi_add_line(section, "%s:%u: %s", file, line, text);
    else
        plussi_add_line(section, "%s", text);
}

static plussi_section *add_tries(plussi_section *in)
{
    return plussi_add_section(in, NULL, "what to try");
}

bool plussi_is_tipped(const plussi_tips *tips, const char *region)
{
    for (size_t i = 0; tips && i < tips->n_regions; i++)
        if (plussi_same_text(tips->region[i], region))
            return true;
    return false;
}

static void add_tips(plussi_section *section, const plussi_tips *tips, const char *region)
{
    plussi_document *document = section->document;
    plussi_section *next = add_tries(section);
    char gain[PLUSSI_NUMBER], error[PLUSSI_NUMBER];
    size_t n = 0;
    for (size_t i = 0; i < tips->n && n < MOST_TIPS; i++) {
        const plussi_tip *tip = &tips->tip[i];
        if (!plussi_same_text(tip->region, region))
            continue;
        plussi_text_fixed(gain, 100 * tip->gain, 0);
        plussi_text_fixed(error, fmax(100 * tip->gain_error, 1), 0);
        add_try(next, tip->file, tip->line,
                plussi_document_text(document, "%s: legal, predicted to cost %s +-%s %% less",
                                     tip->text, gain, error));
        n++;
    }
    plussi_add_line(next, n ? "(pluss advise shows it, and more)"
                            : "no change that pluss advise tries is legal and predicted to cost "
                              "less");
}

/* Rules of thumb, which no one has checked. */
static void add_cures(plussi_section *section, const plussi_suspect *suspect, size_t n)
{
    plussi_section *next = NULL;
    for (size_t i = 0; i < n; i++) {
        const char *cure = plussi_suspect_cure(section->document, &suspect[i]);
        bool told = !*cure;
        for (size_t k = 0; k < i && !told; k++)
            told = plussi_same_text(cure, plussi_suspect_cure(section->document, &suspect[k]));
        if (told)
            continue;
        next = next ? next : add_tries(section);
        const plussi_site *site = &suspect[i].part->site;
        add_try(next, site->file, site->line, cure);
    }
}

static void add_worst(plussi_section *section, const plussi_point *point, const plussi_tips *tips)
{
    plussi_suspect suspect[MOST_SUSPECTS];
    const char *region = point->curve->id.region;
    const size_t n = plussi_find_suspects(point, suspect, MOST_SUSPECTS);
    if (!n)
        return;
    add_suspects(section, point, suspect, n);
    if (plussi_is_tipped(tips, region))
        add_tips(section, tips, region);
    else
        add_cures(section, suspect, n);
}

static const char *place_text(plussi_document *document, const plussi_identity *id)
{
    if (!id->file)
        return "";
    return id->line ? plussi_document_text(document, " (%s:%u)", id->file, id->line)
                    : plussi_document_text(document, " (%s)", id->file);
}

static void add_region(plussi_document *document, const plussi_points *points,
                       const plussi_tips *tips, size_t region)
{
    const plussi_point *widest = plussi_points_widest(points, region);
    const plussi_identity *id = &widest->curve->id;
    const row_of_teams row = gather_teams(points, widest);
    char accesses[PLUSSI_NUMBER], bytes[PLUSSI_NUMBER];
    const char *values = plussi_report_values(document, id);
    const char *schedule =
        *id->schedule ? plussi_document_text(document, ", schedule(%s)", id->schedule) : "";
    plussi_section *section =
        plussi_add_section(document->root, NULL,
                           plussi_document_text(document, "%s%s, T = %u%s", id->region,
                                                place_text(document, id), id->team, schedule));
    plussi_text_grouped(accesses, (uint64_t)(widest->curve->mrc.accesses + 0.5));
    plussi_text_bytes(bytes, widest->curve->footprint_lines > UINT64_MAX / id->line_bytes
                                 ? UINT64_MAX
                                 : widest->curve->footprint_lines * id->line_bytes);
    plussi_add_line(section, "%s%s%s accesses to %s, %s %s", values, *values ? ": " : "", accesses,
                    bytes, id->simulated ? "simulated, order:" : "predicted by", id->engine);
    if (!row.n)
        return;
    add_levels(section, &row);
    add_worst(section, widest, tips);
}

/* Whether points of the region differ in their schedule or their values. */
static bool are_compared(const plussi_points *points, size_t region)
{
    const plussi_identity *first = &plussi_points_widest(points, region)->curve->id;
    for (size_t i = 0; i < points->n; i++) {
        const plussi_identity *id = &points->point[i].curve->id;
        if (points->point[i].region == region && id->line_bytes == first->line_bytes &&
            !plussi_is_same_setting(first, id))
            return true;
    }
    return false;
}

static bool add_choices(plussi_document *document, const plussi_points *points, size_t region)
{
    enum { LEVELS = PLUSSI_LEVELS_MOST };
    plussi_heading column[LEVELS + 3] = {{.label = "values", .repeat = true},
                                         {.label = "schedule", .repeat = true},
                                         {.label = "T", .show = PLUSSI_AS_NUMBER, .repeat = true}};
    const plussi_point *first = plussi_points_widest(points, region);
    const size_t n = first->n_levels;
    if (n == 0 || !are_compared(points, region))
        return false;
    plussi_section *section =
        plussi_add_section(document->root, NULL,
                           plussi_document_text(document, "%s: misses by values, schedule and team",
                                                first->curve->id.region));
    for (size_t l = 0; l < n; l++)
        column[3 + l] = (plussi_heading){.label = first->level[l].level.name,
                                         .show = PLUSSI_AS_POINTS,
                                         .digits = 2,
                                         .unit = "%"};
    plussi_table *table = plussi_add_table(section, NULL, column, n + 3);
    for (size_t i = 0; i < points->n; i++) {
        const plussi_point *p = &points->point[i];
        const plussi_identity *id = &p->curve->id;
        if (p->region != region)
            continue;
        plussi_datum cell[LEVELS + 3] = {plussi_d_text(plussi_report_values(document, id)),
                                         plussi_d_text(*id->schedule ? id->schedule : "as written"),
                                         plussi_d_count(id->team)};
        for (size_t l = 0; l < n; l++)
            cell[3 + l] = l < p->n_levels ? misses_of(&p->level[l]) : plussi_d_null();
        plussi_add_row(table, cell);
    }
    return true;
}

static bool add_all(plussi_document *document, const plussi_points *points, const plussi_tips *tips,
                    bool ranked)
{
    bool compared = false;
    size_t shown = points->n_regions < PLUSSI_WORST ? points->n_regions : PLUSSI_WORST;
    while (ranked && shown && !points->point[points->first[shown - 1]].n_levels)
        shown--; /* those without come last */
    for (size_t i = 0; i < shown; i++) {
        const size_t region = points->point[points->first[i]].region;
        add_region(document, points, tips, region);
        compared = add_choices(document, points, region) || compared;
    }
    if (!ranked && shown < points->n_regions)
        plussi_add_line(document->root, "%zu more regions cost less: --region NAME shows one",
                        points->n_regions - shown);
    return compared;
}

bool plussi_report_summary(plussi_ctx *ctx, const plussi_result *result, const plussi_tips *tips,
                           bool ranked, plussi_document *document)
{
    plussi_points points;
    bool compared = false;
    pluss_status status = plussi_points_find(&ctx->mem, result, &points);
    if (!status)
        compared = add_all(document, &points, tips, ranked);
    plussi_points_free(&points);
    if (status && !document->status)
        document->status = status;
    return compared;
}
