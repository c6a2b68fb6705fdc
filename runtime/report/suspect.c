/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/suspect.h"

#include <stdlib.h>
#include <string.h>

#include "report/sink.h"

static const double least_share = 0.01;

static bool is_same_reference(const plussi_level_part *a, const plussi_level_part *b)
{
    return a->site.line == b->site.line && a->site.write == b->site.write &&
           plussi_same_text(a->site.text, b->site.text) &&
           plussi_same_text(a->site.file, b->site.file) && a->loop_line == b->loop_line &&
           plussi_same_text(a->loop, b->loop);
}

static plussi_miss_kind find_kind(const plussi_misses *m)
{
    plussi_miss_kind most = PLUSSI_MISS_COLD;
    for (int k = 0; k < PLUSSI_MISS_KINDS; k++)
        if (m->kind[k] > m->kind[most])
            most = (plussi_miss_kind)k;
    return most;
}

static const plussi_reuse *find_lost(const plussi_level_result *level,
                                     const plussi_level_part *part)
{
    for (size_t i = 0; i < level->n_lost; i++) {
        const plussi_site *s = &level->lost[i].access;
        if (s->line == part->site.line && s->write == part->site.write &&
            plussi_same_text(s->text, part->site.text) &&
            plussi_same_text(s->file, part->site.file))
            return &level->lost[i];
    }
    return NULL;
}

/* Of the levels, the one at which the reference costs most. */
static plussi_suspect make_suspect(const plussi_point *point, const plussi_level_part *part,
                                   double share)
{
    plussi_suspect made = {.share = share};
    double weight = 1, most = -1;
    for (size_t i = 0; i < point->n_levels; i++, weight *= 4)
        for (size_t k = 0; k < point->level[i].n_parts; k++) {
            const plussi_level_part *p = &point->level[i].part[k];
            const double misses = weight * plussi_misses_weight(&p->misses);
            if (is_same_reference(p, part) && misses > most) {
                most = misses;
                made.part = p;
                made.level = &point->level[i];
            }
        }
    const int64_t line = made.level->id.line_bytes;
    made.kind = find_kind(&made.part->misses);
    made.lost = find_lost(made.level, made.part);
    made.jumps = made.kind != PLUSSI_MISS_COLD && llabs(made.part->step_bytes) >= line &&
                 made.part->least_step_loop && llabs(made.part->least_step_bytes) < line;
    return made;
}

size_t plussi_find_suspects(const plussi_point *point, plussi_suspect *out, size_t most)
{
    const plussi_level_result *first = point->level;
    const double all = plussi_misses_cost(first, point->n_levels, NULL);
    size_t n = 0;
    for (size_t i = 0; point->n_levels && i < first->n_parts; i++) {
        const plussi_level_part *part = &first->part[i];
        bool again = false; /* of several instances the first is asked for all */
        for (size_t k = 0; k < i && !again; k++)
            again = is_same_reference(&first->part[k], part);
        double share =
            all > 0 && !again ? plussi_misses_cost(first, point->n_levels, part) / all : 0;
        if (share < least_share || (n == most && share <= out[n - 1].share))
            continue;
        n += n < most;
        size_t at = n - 1;
        for (; at > 0 && out[at - 1].share < share; at--)
            out[at] = out[at - 1];
        out[at] = make_suspect(point, part, share);
    }
    return n;
}

/* ---- texts ----------------------------------------------------------------------------------- */

const char *plussi_reference_text(plussi_document *document, const plussi_level_part *p)
{
    const plussi_site *site = &p->site;
    const char *place = "";
    if (site->line)
        place = site->file ? plussi_document_text(document, "%s:%u: ", site->file, site->line)
                           : plussi_document_text(document, "line %u: ", site->line);
    return plussi_document_text(document, "%s%s%s of %s%s%s", place, site->atomic ? "atomic " : "",
                                site->write ? "write" : "read", site->text,
                                p->loop ? " in loop " : "", p->loop ? p->loop : "");
}

const char *plussi_writers_text(plussi_document *document, const plussi_level_result *l,
                                const plussi_level_part *of)
{
    const char *text = "";
    for (size_t i = 0; i < l->n_parts; i++) {
        const plussi_level_part *p = &l->part[i];
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = l->part[k].site.write && plussi_same_text(l->part[k].site.text, p->site.text);
        if (p->site.write && !again && plussi_is_same_group(p, of, PLUSSI_BY_ARRAY))
            text = plussi_document_text(document, "%s%s%s", text, *text ? ", " : "", p->site.text);
    }
    return text;
}

static const char *bytes_text(plussi_document *document, int64_t bytes)
{
    char text[PLUSSI_NUMBER];
    plussi_text_bytes(text, (uint64_t)llabs(bytes));
    return plussi_document_text(document, "%s", text);
}

const char *plussi_carried_text(plussi_document *document, const plussi_reuse *r)
{
    switch (r->by) {
    case PLUSSI_BY_LOOP:
        return r->loop_line ? plussi_document_text(document, "carried by loop %s (line %u)",
                                                   r->loop, r->loop_line)
                            : plussi_document_text(document, "carried by loop %s", r->loop);
    case PLUSSI_BY_REPEAT:
        return "carried by the region's repetition";
    case PLUSSI_BY_NEST:
        return plussi_document_text(document, "after the %s of %s in another loop",
                                    r->source.write ? "write" : "read", r->source.text);
    case PLUSSI_BY_ITERATION:
        return plussi_document_text(document, "after the %s of %s in the same iteration",
                                    r->source.write ? "write" : "read", r->source.text);
    default:
        return "";
    }
}

/* With the references of the level that write, if there are any: others may be another region's. */
static const char *sharing_text(plussi_document *document, const char *what,
                                const plussi_level_result *level, const plussi_level_part *of)
{
    const char *writers = plussi_writers_text(document, level, of);
    return *writers ? plussi_document_text(document, "%s (%s)", what, writers) : what;
}

const char *plussi_suspect_cause(plussi_document *document, const plussi_suspect *s)
{
    const plussi_level_part *p = s->part;
    const char *name = s->level->level.name;
    switch (s->kind) {
    case PLUSSI_MISS_FALSE_SHARING:
        return sharing_text(document,
                            "false sharing: other threads write other elements of its lines",
                            s->level, p);
    case PLUSSI_MISS_TRUE_SHARING:
        return sharing_text(document, "true sharing: other threads write its data", s->level, p);
    case PLUSSI_MISS_CONFLICT:
        if (!p->pad_bytes)
            return plussi_document_text(document,
                                        "conflict%s%s: too many of its lines fall into "
                                        "the same sets",
                                        p->rival ? " with " : "", p->rival ? p->rival : "");
        return plussi_document_text(
            document, "conflict: %s of %s are %s apart, so that a %s falls into few sets (%llu)",
            p->columns ? "columns" : "rows", p->rival, bytes_text(document, (int64_t)p->row_bytes),
            p->columns ? "row" : "column", (unsigned long long)p->column_sets);
    case PLUSSI_MISS_CAPACITY:
        return s->lost ? plussi_document_text(document,
                                              "capacity: its reuse, %s, comes after more than %s "
                                              "holds",
                                              plussi_carried_text(document, s->lost), name)
                       : plussi_document_text(document,
                                              "capacity: %s does not hold its lines until "
                                              "they are used again",
                                              name);
    default:
        return "cold: first touches of its lines";
    }
}

const char *plussi_suspect_jump(plussi_document *document, const plussi_suspect *s)
{
    const plussi_level_part *p = s->part;
    return !s->jumps
               ? ""
               : plussi_document_text(document,
                                      "it moves on by %s from one iteration of loop %s to the "
                                      "next, by %s in loop %s",
                                      bytes_text(document, p->step_bytes), p->loop ? p->loop : "?",
                                      bytes_text(document, p->least_step_bytes),
                                      p->least_step_loop);
}

const char *plussi_suspect_cure(plussi_document *document, const plussi_suspect *s)
{
    const plussi_level_part *p = s->part;
    const char *array = p->array ? p->array : "the array";
    if (s->kind == PLUSSI_MISS_FALSE_SHARING)
        return plussi_document_text(document,
                                    "give each thread lines of %s of its own: pad what a thread "
                                    "writes to %u B, or collect it in a local variable",
                                    array, s->level->id.line_bytes);
    if (s->kind == PLUSSI_MISS_COLD)
        return "";
    if (s->jumps)
        return plussi_document_text(document,
                                    "interchange the loops so that %s is innermost in place of "
                                    "%s: lines are then used whole",
                                    p->least_step_loop, p->loop ? p->loop : "?");
    if (s->kind == PLUSSI_MISS_CONFLICT && p->pad_bytes)
        return plussi_document_text(document, "make %s of %s longer by %s",
                                    p->columns ? "columns" : "rows", p->rival,
                                    bytes_text(document, (int64_t)p->pad_bytes));
    if (s->kind == PLUSSI_MISS_CAPACITY && s->lost && s->lost->by == PLUSSI_BY_LOOP)
        return plussi_document_text(
            document,
            "tile the loops inside %s, or make their tiles smaller, so that "
            "what it reuses of %s fits into %s (%s)",
            s->lost->loop, array, s->level->level.name,
            bytes_text(document, (int64_t)s->level->level.bytes));
    if (s->kind == PLUSSI_MISS_CAPACITY && s->lost && s->lost->by == PLUSSI_BY_NEST)
        return plussi_document_text(document, "fuse the loops that touch %s", array);
    return "";
}
