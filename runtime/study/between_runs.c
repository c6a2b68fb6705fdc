/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/between_runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/line_sample.h"
#include "exact/lru.h"
#include "sampler/walking.h"
#include "study/query_lines.h"
#include "study/stage.h"
#include "trace/ordered_runs.h"
#include "trace/touched_lines.h"

enum {
    MOST_LISTED = 1 << 22,   /* lines of all descriptions */
    MOST_TOUCHES = 1 << 26,  /* lines of all runs */
    WALKED_AT_ONCE = 1 << 26 /* accesses, which take about a second */
};
/* Steps that the walks of all descriptions may take where no effort is given: 8 an access. */
#define WALKED_USUALLY UINT64_C(8000000000)

static const char stage[] = "runs in order";

/* A described block at a placement: its runs that others are nested in after the same numbers of
 * parallel constructs, or in none of which there are others. */
typedef struct part {
    plussi_line_part *piece; /* its lines in the list */
    size_t n;                /* >= 1 */
    uint64_t teams;          /* of runs in pieces: all parallel constructs */
    bool wanted, listed, left_out;
    plussi_line_part whole; /* the only piece */
    struct part *next;      /* of the same block and placement, in other pieces */
} part;

/* Of an entry of the order that descriptions tell. */
typedef struct told {
    part *part; /* NULL: it is not known what it touches */
    size_t piece;
    size_t
        before; /* of a run or piece, the entry of the run's last piece before it, + 1; 0: none */
} told;

typedef struct finder {
    plussi_ctx *ctx;
    const plussi_record *record;
    const plussi_nest *const *nests;
    size_t n_nests;
    const plussi_request *request;
    plussi_ordered_runs runs;
    plussi_effort effort;
    size_t *first; /* of each block, its first part; they are by placement */
    part *part;
    size_t n_parts;        /* without those in pieces, */
    size_t n_in_pieces;    /* of which there are this many */
    told *told;            /* by entry */
    plussi_line_list list; /* of all parts that are listed, */
    part **listed;         /* in this order */
    size_t n_listed;
    plussi_lru *lru;
    plussi_lru **own; /* by entry, of the run there that had pieces; NULL: none */
    uint32_t *order;  /* room for the longest run */
    plussi_ordered_line *sorted;
    plussi_line_groups *groups;
    plussi_between_runs *out;
} finder;

void plussi_found_lines_init(plussi_found_lines *found, const plussi_mem *mem)
{
    *found = (plussi_found_lines){0};
    plussi_histo_init(&found->distance, mem);
    plussi_histo_init(&found->own, mem);
    plussi_histo_init(&found->real, mem);
}

void plussi_found_lines_free(plussi_found_lines *found)
{
    plussi_histo_free(&found->distance);
    plussi_histo_free(&found->own);
    plussi_histo_free(&found->real);
}

pluss_status plussi_found_lines_add(plussi_found_lines *to, const plussi_found_lines *from)
{
    to->runs += from->runs;
    to->touched += from->touched;
    pluss_status status = plussi_histo_merge(&to->distance, &from->distance, 1);
    if (!status)
        status = plussi_histo_merge(&to->own, &from->own, 1);
    return status ? status : plussi_histo_merge(&to->real, &from->real, 1);
}

/* ---- lines of descriptions ---------------------------------------------------------------------
 */

static pluss_status number_parts(finder *f)
{
    const plussi_mem *mem = &f->ctx->mem;
    f->first = plussi_alloc(mem, f->record->n_blocks + 1, sizeof *f->first);
    if (!f->first)
        return PLUSS_ENOMEM;
    for (size_t b = 0; b < f->record->n_blocks; b++) {
        f->first[b] = f->n_parts;
        f->n_parts += f->record->block[b].n_places;
    }
    f->part = plussi_calloc(mem, f->n_parts + 1, sizeof *f->part);
    f->told = plussi_calloc(mem, f->runs.n + 1, sizeof *f->told);
    for (size_t i = 0; f->part && i < f->n_parts; i++) {
        f->part[i].piece = &f->part[i].whole;
        f->part[i].n = 1;
    }
    return f->part && f->told ? PLUSS_OK : PLUSS_ENOMEM;
}

/* The part of a described run without others nested in it, at the same placement; NULL: where its
 * arrays lay is not known, or when it touched them. */
static part *part_of(const finder *f, const plussi_ordered_run *run)
{
    if (run->place == PLUSSI_NO_PLACE || run->place == PLUSSI_AROUND)
        return NULL;
    return &f->part[f->first[run->block] + run->place];
}

/* Leaves one line in 2^shift of the lists and of the recorded runs. */
static void follow(finder *f, unsigned shift)
{
    const uint64_t threshold = plussi_line_threshold(shift);
    size_t kept = 0;
    f->out->shift = shift;
    for (size_t i = 0; i < f->n_listed; i++) {
        for (size_t k = 0; k < f->listed[i]->n; k++) {
            plussi_line_part *p = &f->listed[i]->piece[k];
            p->n = plussi_thin_lines(f->list.line + kept, f->list.line + p->first, p->n, threshold);
            p->first = kept;
            kept += p->n;
        }
    }
    f->list.n = kept;
    f->runs.n_lines = plussi_thin_runs(f->runs.run, f->runs.n, f->runs.line, threshold);
}

static void begin_part(finder *f, part *p)
{
    for (size_t k = 0; k < p->n; k++) {
        p->piece[k].first = f->list.n;
        p->piece[k].n = 0;
    }
    p->listed = true;
    f->listed[f->n_listed++] = p;
}

/* Lists a part as `listing` has it: by a walk, or by closed-form queries where that takes long, if
 * there is a closed form, and the part is of one piece. What fails leaves no lines. */
static pluss_status list_lines(plussi_ctx *ctx, finder *f, const plussi_bound *bound,
                               plussi_listing *listing, part *p)
{
    const plussi_line_part *last = &p->piece[p->n - 1];
    const size_t before = f->list.n;
    uint64_t accesses = 0;
    const pluss_status walk = plussi_check_walk(ctx, bound, &f->effort, &accesses);
    pluss_status status = PLUSS_EUNSUPPORTED;
    if (p->n == 1 && (walk == PLUSS_ELIMIT || accesses > WALKED_AT_ONCE)) {
        status = plussi_query_touched_lines(ctx, bound, listing, &f->list);
        if (!status)
            p->whole.n = f->list.n - before;
    }
    if (status == PLUSS_EUNSUPPORTED)
        status = walk ? walk : plussi_list_touched_lines(ctx, bound, listing, &f->list);
    if (!status && p->n > 1 && last->teams != p->teams)
        status = plussi_fail(ctx, PLUSS_EUNSUPPORTED, NULL,
                             "other runs are nested in them after some of the %" PRIu64
                             " parallel constructs that they began, and their description has "
                             "%" PRIu64,
                             p->teams, last->teams);
    for (size_t k = 0; status && k < p->n; k++)
        p->piece[k].n = 0;
    if (status)
        f->list.n = before;
    return status;
}

static pluss_status list_placement(plussi_ctx *ctx, finder *f, size_t block, int64_t place, part *p)
{
    plussi_nest *nest = NULL;
    plussi_bound *bound = NULL;
    plussi_listing listing = {.own = (uint32_t)block,
                              .shift = f->out->shift,
                              .most = MOST_LISTED,
                              .part = p->piece,
                              .n_parts = p->n,
                              .effort = &f->effort,
                              .ask = f->request->ask,
                              .stage = stage};
    pluss_status status =
        plussi_record_nest(ctx, f->record, block, place, f->nests, f->n_nests, &nest);
    if (!status)
        status = plussi_pipeline_bind(ctx, nest, f->request, f->record->block[block].default_team,
                                      &bound);
    begin_part(f, p);
    if (!status)
        status = list_lines(ctx, f, bound, &listing, p);
    if (listing.shift > f->out->shift)
        follow(f, listing.shift);
    if (bound)
        plussi_bound_free(bound);
    plussi_nest_free(nest);
    return status;
}

/* The lines that a sampler's walks tell of a run, for other runs of its block at that placement. */
static pluss_status take_walked(finder *f, part *p, const plussi_ordered_line *line, size_t n)
{
    begin_part(f, p);
    for (plussi_line_part *all = &p->whole; all->n < n; all->n++) {
        pluss_status status =
            plussi_grow(&f->ctx->mem, &f->list.line, &f->list.cap, f->list.n, sizeof *f->list.line);
        if (status)
            return status;
        f->list.line[f->list.n++] = line[all->n];
    }
    return PLUSS_OK;
}

static void tell_left_out(finder *f, size_t block, const char *why)
{
    const plussi_record_block *b = &f->record->block[block];
    char text[512];
    snprintf(text, sizeof text, "runs of %s are not in the curve of all runs: %s", b->region, why);
    for (size_t i = 0; i < f->ctx->n_diags; i++)
        if (strcmp(f->ctx->diags[i].text, text) == 0)
            return;
    plussi_report(f->ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, &b->loc, "%s", text);
}

static pluss_status list_part(finder *f, size_t block, int64_t place, part *p)
{
    plussi_ctx quiet;
    plussi_ctx_init(&quiet, &f->ctx->mem);
    pluss_status status = list_placement(&quiet, f, block, place, p);
    p->left_out = status != PLUSS_OK;
    if (status && status != PLUSS_ENOMEM && status != PLUSS_ECANCELLED) {
        const char *why = plussi_status_text(status);
        for (size_t i = 0; i < quiet.n_diags; i++)
            if (quiet.diags[i].severity == PLUSSI_ERROR)
                why = quiet.diags[i].text;
        tell_left_out(f, block, why);
        status = PLUSS_OK;
    }
    plussi_ctx_clear(&quiet);
    while (!status && f->list.n > MOST_LISTED && f->out->shift < PLUSSI_LEAST_RATE_BITS)
        follow(f, f->out->shift + 1);
    return status;
}

/* Of the run at an entry, with that many pieces before it. */
static part *new_part(const finder *f, size_t i, size_t pieces)
{
    const plussi_mem *mem = &f->ctx->mem;
    part *p = plussi_calloc(mem, 1, sizeof *p);
    plussi_line_part *piece = p ? plussi_calloc(mem, pieces + 1, sizeof *piece) : NULL;
    if (!piece) {
        plussi_free(mem, p);
        return NULL;
    }
    p->piece = piece;
    p->n = pieces + 1;
    p->teams = plussi_teams_begun(&f->runs.run[i]);
    for (size_t at = f->told[i].before; at; at = f->told[at - 1].before)
        piece[--pieces].teams = plussi_teams_begun(&f->runs.run[at - 1]);
    return p;
}

static void free_part(const plussi_mem *mem, part *p)
{
    plussi_free(mem, p->piece);
    plussi_free(mem, p);
}

static bool in_same_pieces(const part *a, const part *b)
{
    bool same = a->n == b->n && a->teams == b->teams;
    for (size_t k = 0; same && k + 1 < a->n; k++)
        same = a->piece[k].teams == b->piece[k].teams;
    return same;
}

/* The part of the run at an entry, and of its pieces, which is linked to that of runs at the same
 * placement that have none. */
static pluss_status find_in_pieces(finder *f, size_t i, part *whole, part **out)
{
    size_t pieces = 0;
    for (size_t at = f->told[i].before; at; at = f->told[at - 1].before)
        pieces++;
    part *made = new_part(f, i, pieces), *p = whole->next;
    if (!made)
        return PLUSS_ENOMEM;
    while (p && !in_same_pieces(p, made))
        p = p->next;
    if (p) {
        free_part(&f->ctx->mem, made);
    } else {
        p = made;
        p->next = whole->next;
        whole->next = p;
        f->n_in_pieces++;
    }
    f->told[i].piece = pieces;
    for (size_t at = f->told[i].before; at; at = f->told[at - 1].before)
        f->told[at - 1] = (told){p, --pieces, f->told[at - 1].before};
    *out = p;
    return PLUSS_OK;
}

/* Which parts are in the order with their descriptions alone. */
static pluss_status find_wanted(finder *f)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < f->runs.n && !status; i++) {
        const plussi_ordered_run *run = &f->runs.run[i];
        if (!plussi_is_described(run))
            continue;
        if (run->place == PLUSSI_PIECE) {
            told *of = &f->told[i + run->times];
            f->told[i].before = of->before;
            of->before = run->times ? i + 1 : 0; /* 0: the run has not ended */
            continue;
        }
        part *p = part_of(f, run);
        if (p && plussi_is_by_teams(run))
            status = find_in_pieces(f, i, p, &p);
        f->told[i].part = status ? NULL : p;
        if (p && !status)
            p->wanted = true;
        else if (!status)
            tell_left_out(f, run->block,
                          run->place == PLUSSI_AROUND
                              ? "other runs are nested in their parallel constructs"
                              : "where its arrays lay is not known of all its runs");
    }
    if (!status)
        f->listed = plussi_alloc(&f->ctx->mem, f->n_parts + f->n_in_pieces + 1, sizeof *f->listed);
    return status || f->listed ? status : PLUSS_ENOMEM;
}

static pluss_status take_all_walked(finder *f)
{
    pluss_status status = PLUSS_OK;
    size_t at = 0;
    for (size_t i = 0; i < f->runs.n && !status; i++) {
        const plussi_ordered_run *run = &f->runs.run[i];
        const uint64_t n = plussi_told_lines(run);
        part *p = n && run->place != PLUSSI_PIECE ? part_of(f, run) : NULL;
        if (p && p->wanted && !p->listed)
            status = take_walked(f, p, f->runs.line + at, n);
        at += n;
    }
    return status;
}

static pluss_status list_parts_at(finder *f, size_t block, int64_t place)
{
    pluss_status status = PLUSS_OK;
    for (part *p = &f->part[f->first[block] + (size_t)place]; p && !status; p = p->next) {
        if (!p->wanted || p->listed)
            continue;
        status = plussi_pipeline_ask(f->request, stage, -1, 0);
        if (!status)
            status = list_part(f, block, place, p);
    }
    return status;
}

static pluss_status list_parts(finder *f)
{
    pluss_status status = find_wanted(f);
    if (!status)
        status = take_all_walked(f);
    for (size_t b = 0; b < f->record->n_blocks && !status; b++)
        for (size_t place = 0; place < f->record->block[b].n_places && !status; place++)
            status = list_parts_at(f, b, (int64_t)place);
    return status;
}

/* ---- the stack ---------------------------------------------------------------------------------
 */

/* The lines of a run; `known` false: it is left out. */
typedef struct touched {
    const plussi_ordered_line *line;
    size_t n;
    bool known;
} touched;

static touched lines_of(const finder *f, size_t i, size_t at)
{
    const plussi_ordered_run *run = &f->runs.run[i];
    if (!plussi_is_described(run))
        return (touched){f->runs.line ? f->runs.line + at : NULL, run->lines, true};
    const part *p = f->told[i].part;
    if (!p || p->left_out)
        return (touched){NULL, 0, false};
    const plussi_line_part *piece = &p->piece[f->told[i].piece];
    return (touched){piece->n ? f->list.line + piece->first : NULL, piece->n, true};
}

/* More runs than that in a row find the same as the second one. */
static uint64_t simulated(const plussi_ordered_run *run)
{
    return run->times < 2 || run->place == PLUSSI_PIECE ? 1 : 2;
}

static uint64_t count_touches(const finder *f, size_t *longest)
{
    uint64_t touches = 0;
    size_t at = 0;
    *longest = 0;
    for (size_t i = 0; i < f->runs.n; i++) {
        const plussi_ordered_run *run = &f->runs.run[i];
        const touched t = lines_of(f, i, at);
        touches += simulated(run) * t.n;
        *longest = t.n > *longest ? t.n : *longest;
        at += plussi_told_lines(run);
    }
    return touches;
}

/* From the order of first touches to that of the last ones. */
static pluss_status reorder(finder *f, plussi_lru *lru, const touched *t)
{
    for (size_t i = 0; i < t->n; i++)
        f->sorted[i] = (plussi_ordered_line){i, t->line[i].last};
    qsort(f->sorted, t->n, sizeof *f->sorted, plussi_ordered_by_last);
    for (size_t i = 0; i < t->n; i++)
        f->order[i] = (uint32_t)f->sorted[i].line;
    return plussi_lru_reorder(lru, f->order, t->n);
}

/* What the lines of a run, or of a piece, are added to. */
typedef struct adding {
    plussi_found_lines *found; /* NULL: of no block */
    plussi_lru *own;           /* of what the run did before; NULL: nothing */
    double weight;             /* of a line */
} adding;

/* A line that has that many others above it in the stack of all runs, COLD: it is not there. */
static pluss_status count_line(finder *f, const adding *to, uint64_t line, uint64_t distance)
{
    const unsigned shift = f->out->shift;
    const uint64_t before = to->own ? plussi_lru_touch(to->own, line) : PLUSSI_LRU_COLD;
    const uint64_t lines = distance << shift;
    uint32_t bin = PLUSSI_NEVER_BIN;
    if (distance == PLUSSI_LRU_FAIL || before == PLUSSI_LRU_FAIL)
        return PLUSS_ENOMEM;
    if (!to->found)
        return PLUSS_OK;
    if (distance != PLUSSI_LRU_COLD)
        bin = plussi_bin_of(lines, PLUSSI_COARSE_BITS);
    plussi_line_group_of(f->groups, plussi_line_hash(line))[bin] += to->weight;
    if (before != PLUSSI_LRU_COLD && distance != PLUSSI_LRU_COLD) {
        pluss_status status = plussi_histo_add(&to->found->own, before << shift, to->weight);
        return status ? status : plussi_histo_add(&to->found->real, lines, to->weight);
    }
    to->found->touched += to->weight;
    if (distance != PLUSSI_LRU_COLD)
        return plussi_histo_add(&to->found->distance, lines, to->weight);
    to->found->distance.cold += to->weight;
    return PLUSS_OK;
}

/* Lines of which each stands for `times` like it. */
static pluss_status add_lines(finder *f, const touched *t, adding *to, uint64_t times)
{
    to->weight = (double)times * (double)((uint64_t)1 << f->out->shift);
    for (size_t i = 0; i < t->n; i++) {
        const uint64_t line = t->line[i].line;
        pluss_status status = count_line(f, to, line, plussi_lru_touch(f->lru, line));
        if (status)
            return status;
    }
    pluss_status status = t->n ? reorder(f, f->lru, t) : PLUSS_OK;
    return status || !to->own || !t->n ? status : reorder(f, to->own, t);
}

/* A piece of a run. */
static pluss_status add_piece(finder *f, size_t i, const touched *t)
{
    const plussi_ordered_run *piece = &f->runs.run[i];
    plussi_lru **own = piece->times ? &f->own[i + piece->times] : NULL;
    pluss_status status = own && !*own ? plussi_lru_new(f->ctx, own) : PLUSS_OK;
    adding to = {own ? &f->out->block[piece->block] : NULL, own ? *own : NULL, 0};
    return status ? status : add_lines(f, t, &to, 1);
}

/* A run, or the rest of one after its pieces. */
static pluss_status add_run(finder *f, size_t i, const touched *t)
{
    const plussi_ordered_run *run = &f->runs.run[i];
    adding to = {&f->out->block[run->block], f->own[i], 0};
    pluss_status status = add_lines(f, t, &to, 1);
    to.found->runs += run->times;
    plussi_lru_free(f->own[i]);
    f->own[i] = to.own = NULL;
    return status || run->times < 2 ? status : add_lines(f, t, &to, run->times - 1);
}

static pluss_status simulate(finder *f)
{
    pluss_status status = PLUSS_OK;
    uint64_t steps = 0;
    size_t at = 0;
    for (size_t i = 0; i < f->runs.n && !status; i++) {
        const plussi_ordered_run *run = &f->runs.run[i];
        const touched t = lines_of(f, i, at);
        at += plussi_told_lines(run);
        if (!t.known)
            continue;
        if ((steps += t.n) >> 20) {
            status = plussi_pipeline_ask(f->request, stage, (double)i / (double)f->runs.n, 0);
            steps = 0;
        }
        if (!status)
            status = (run->place == PLUSSI_PIECE ? add_piece : add_run)(f, i, &t);
    }
    return status;
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static pluss_status prepare(finder *f)
{
    const plussi_mem *mem = &f->ctx->mem;
    plussi_between_runs *out = f->out;
    size_t longest = 0;
    while (count_touches(f, &longest) > MOST_TOUCHES && out->shift < PLUSSI_LEAST_RATE_BITS)
        follow(f, out->shift + 1);
    out->block = plussi_calloc(mem, f->record->n_blocks + 1, sizeof *out->block);
    f->order = plussi_alloc(mem, longest + 1, sizeof *f->order);
    f->sorted = plussi_alloc(mem, longest + 1, sizeof *f->sorted);
    f->groups = plussi_calloc(mem, 1, sizeof *f->groups);
    f->own = plussi_calloc(mem, f->runs.n + 1, sizeof *f->own);
    if (!out->block || !f->own || !f->order || !f->sorted || !f->groups)
        return PLUSS_ENOMEM;
    out->n = f->record->n_blocks;
    for (size_t b = 0; b < out->n; b++)
        plussi_found_lines_init(&out->block[b], mem);
    return plussi_lru_new(f->ctx, &f->lru);
}

static void finish(finder *f)
{
    const plussi_mem *mem = &f->ctx->mem;
    for (size_t i = 0; f->own && i < f->runs.n; i++)
        plussi_lru_free(f->own[i]);
    for (size_t i = 0; f->part && i < f->n_parts; i++)
        for (part *p = f->part[i].next; p; p = f->part[i].next) {
            f->part[i].next = p->next;
            free_part(mem, p);
        }
    plussi_ordered_runs_free(&f->runs);
    plussi_free(mem, f->told);
    plussi_free(mem, f->own);
    plussi_free(mem, f->listed);
    plussi_free(mem, f->first);
    plussi_free(mem, f->part);
    plussi_free(mem, f->list.line);
    plussi_free(mem, f->order);
    plussi_free(mem, f->sorted);
    plussi_free(mem, f->groups);
    plussi_lru_free(f->lru);
}

pluss_status plussi_find_between_runs(plussi_ctx *ctx, const plussi_record *record,
                                      const plussi_nest *const *nests, size_t n,
                                      const plussi_request *request, plussi_between_runs *out)
{
    plussi_between_runs found = {.mem = ctx->mem};
    plussi_request own = *request;
    own.line_bytes = record->line_bytes;
    finder f = {.ctx = ctx,
                .record = record,
                .nests = nests,
                .n_nests = n,
                .request = &own,
                .effort = {.left = request->effort ? request->effort : WALKED_USUALLY},
                .out = &found};
    pluss_status status = plussi_ordered_runs_read(ctx, record, &f.runs);
    found.shift = f.runs.shift;
    if (!status && record->ordered_lost)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_ELIMIT, NULL,
                      "%" PRIu64
                      " runs at the end are not in the curve of all runs: their order is "
                      "not in the record",
                      record->ordered_lost);
    if (!status)
        status = number_parts(&f);
    if (!status)
        status = list_parts(&f);
    if (!status)
        status = prepare(&f);
    if (!status)
        status = simulate(&f);
    if (!status && found.shift)
        found.error = plussi_line_groups_errors(f.groups, found.error_at);
    finish(&f);
    if (status)
        plussi_between_runs_free(&found);
    else
        *out = found;
    return status;
}

void plussi_between_runs_free(plussi_between_runs *between)
{
    for (size_t b = 0; b < between->n; b++)
        plussi_found_lines_free(&between->block[b]);
    plussi_free(&between->mem, between->block);
    *between = (plussi_between_runs){0};
}
