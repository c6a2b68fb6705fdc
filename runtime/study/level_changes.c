/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which levels' misses changed from one result to another, and whose they are.
 */
#include <math.h>
#include <string.h>

#include "study/comparison.h"

/* ---- references -------------------------------------------------------------------------------
 */

static bool is_same_site(const plussi_level_part *a, const plussi_level_part *b)
{
    return plussi_same_text(a->site.text, b->site.text) && a->site.write == b->site.write;
}

/* As many with its text come before it. */
static size_t count_before(const plussi_level_result *level, size_t i)
{
    size_t n = 0;
    for (size_t k = 0; k < i; k++)
        n += is_same_site(&level->part[k], &level->part[i]);
    return n;
}

static const plussi_level_part *find_part(const plussi_level_result *in,
                                          const plussi_level_result *of, size_t i)
{
    size_t skip = count_before(of, i);
    for (size_t k = 0; k < in->n_parts; k++)
        if (is_same_site(&in->part[k], &of->part[i]) && skip-- == 0)
            return &in->part[k];
    return NULL;
}

/* Puts it among the greatest changes. */
static pluss_status keep(plussi_comparison *c, plussi_level_pair *pair,
                         const plussi_level_part *first, const plussi_level_part *second)
{
    const plussi_level_part *any = second ? second : first;
    plussi_part_change change = {.write = any->site.write, .line = any->site.line};
    const plussi_level_part *both[2] = {first, second};
    double squares = 0;
    for (int i = 0; i < 2; i++) {
        change.misses[i] = both[i] ? both[i]->misses.all : 0;
        squares += both[i] && both[i]->misses.error > 0 ? pow(both[i]->misses.error, 2) : 0;
    }
    change.error = sqrt(squares);
    const double size = fabs(change.misses[1] - change.misses[0]);
    if (size <= 1.96 * change.error)
        return PLUSS_OK;
    size_t at = pair->n_parts;
    while (at > 0 && fabs(pair->part[at - 1].misses[1] - pair->part[at - 1].misses[0]) < size)
        at--;
    if (at == PLUSSI_PART_CHANGES)
        return PLUSS_OK;
    pluss_status status = plussi_copy_text(&c->mem, any->site.text, &change.text);
    if (!status)
        status = plussi_copy_text(&c->mem, any->site.file, &change.file);
    if (status) {
        plussi_free(&c->mem, change.text);
        return status;
    }
    if (pair->n_parts == PLUSSI_PART_CHANGES) {
        plussi_free(&c->mem, pair->part[--pair->n_parts].text);
        plussi_free(&c->mem, pair->part[pair->n_parts].file);
    }
    memmove(&pair->part[at + 1], &pair->part[at], (pair->n_parts - at) * sizeof change);
    pair->part[at] = change;
    pair->n_parts++;
    return PLUSS_OK;
}

pluss_status plussi_find_part_changes(plussi_comparison *c, plussi_level_pair *pair,
                                      const plussi_level_result *a, const plussi_level_result *b)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < a->n_parts && !status; i++)
        status = keep(c, pair, &a->part[i], find_part(b, a, i));
    for (size_t i = 0; i < b->n_parts && !status; i++)
        if (!find_part(a, b, i))
            status = keep(c, pair, NULL, &b->part[i]);
    return status;
}

void plussi_level_pair_free(const plussi_mem *mem, plussi_level_pair *pair)
{
    plussi_free(mem, pair->region);
    for (size_t i = 0; i < pair->n_parts; i++) {
        plussi_free(mem, pair->part[i].text);
        plussi_free(mem, pair->part[i].file);
    }
}

/* ---- report -----------------------------------------------------------------------------------
 */

/* Standard error of the difference of the misses. */
static double miss_error(const plussi_level_pair *p)
{
    return p->error > 0 ? p->error * fmax(p->accesses[0], p->accesses[1]) : 0;
}

bool plussi_level_pair_changed(const plussi_level_pair *p)
{
    return fabs(p->misses[1] - p->misses[0]) > 1.96 * miss_error(p);
}

static void add_level_row(plussi_table *table, const plussi_level_pair *p)
{
    const double change = p->misses[1] - p->misses[0], error = miss_error(p);
    const double by = p->misses[0] > 0 ? 100 / p->misses[0] : NAN;
    plussi_add_row(table,
                   (plussi_datum[]){plussi_d_text(p->region), plussi_d_count(p->team),
                                    plussi_d_text(p->name), plussi_d_count(p->threads_per_cache),
                                    plussi_d_real(p->misses[0]), plussi_d_real(p->misses[1]),
                                    plussi_d_measured(change * by, error * by),
                                    plussi_d_boolean(plussi_level_pair_changed(p))});
}

static void add_part_rows(plussi_table *table, const plussi_level_pair *p)
{
    for (size_t i = 0; i < p->n_parts; i++) {
        const plussi_part_change *part = &p->part[i];
        plussi_add_row(
            table,
            (plussi_datum[]){
                plussi_d_text(p->region), plussi_d_count(p->team), plussi_d_text(p->name),
                plussi_d_text(part->text), plussi_d_text(part->write ? "write" : "read"),
                plussi_d_if(part->file || part->line, plussi_d_place(part->file, part->line, 0)),
                plussi_d_real(part->misses[0]), plussi_d_real(part->misses[1]),
                plussi_d_measured(part->misses[1] - part->misses[0], part->error)});
    }
}

void plussi_changes_report(const plussi_comparison *c, plussi_document *document)
{
    static const plussi_heading levels[] = {
        {.key = "region", .label = "region"},
        {.key = "threads", .label = "T", .show = PLUSSI_AS_NUMBER},
        {.key = "name", .label = "cache"},
        {.key = "threads_per_cache"},
        {.key = "misses_old", .label = "misses before", .show = PLUSSI_AS_COUNT},
        {.key = "misses_new", .label = "now", .show = PLUSSI_AS_COUNT},
        {.key = "change_percent",
         .label = "change",
         .show = PLUSSI_AS_NUMBER,
         .digits = 2,
         .unit = "%"},
        {.key = "changed"}};
    static const plussi_heading parts[] = {
        {.key = "region", .label = "region"},
        {.key = "threads", .label = "T", .show = PLUSSI_AS_NUMBER},
        {.key = "name", .label = "cache"},
        {.key = "reference", .label = "reference"},
        {.key = "access", .label = "access"},
        {.key = "place", .label = "at", .show = PLUSSI_AS_PLACE},
        {.key = "misses_old", .label = "misses before", .show = PLUSSI_AS_COUNT},
        {.key = "misses_new", .label = "now", .show = PLUSSI_AS_COUNT},
        {.key = "change", .label = "change", .show = PLUSSI_AS_NUMBER}};
    plussi_section *root = document->root;
    size_t changed = 0;
    for (size_t i = 0; i < c->n_levels; i++)
        changed += plussi_level_pair_changed(&c->level[i]);
    plussi_add_member(root, "compared", plussi_d_count(c->n_levels));
    plussi_add_member(root, "changed", plussi_d_count(changed));
    plussi_add_line(root, "%zu of %zu levels changed by more than the error", changed, c->n_levels);
    plussi_table *table =
        plussi_add_table(root, "level_changes", levels, sizeof levels / sizeof *levels);
    for (size_t i = 0; i < c->n_levels; i++)
        add_level_row(table, &c->level[i]);
    if (!changed)
        return;
    table = plussi_add_table(root, "reference_changes", parts, sizeof parts / sizeof *parts);
    for (size_t i = 0; i < c->n_levels; i++)
        if (plussi_level_pair_changed(&c->level[i]))
            add_part_rows(table, &c->level[i]);
}
