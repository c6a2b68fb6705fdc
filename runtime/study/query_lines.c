/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/query_lines.h"

#include <stdlib.h>

#include "base/line_sample.h"
#include "sampler/engine.h"
#include "trace/record_try.h"

enum {
    QUERIES = 1 << 16,     /* at most: lines times threads, */
    LEAST_LINES = 1 << 10, /* but for this many lines */
    ASKED_AFTER = 1 << 10, /* lines that are looked for, */
    CHOSEN_FROM = 1 << 24, /* and lines that are chosen from */
    LINES_A_STEP = 4       /* of these */
};

/* When an access is made: threads are in step. */
typedef struct instant {
    uint64_t phase, pos;
    uint32_t thread;
} instant;

typedef struct candidate {
    uint64_t line, name;
    bool touched;
    instant first, last;
} candidate;

typedef struct querier {
    const plussi_bound *bound;
    plussi_listing *listing;
    candidate *line;
    size_t n, cap, most;
    /* within the attempt: */
    plussi_engine *engine;
    plussi_workspace *workspace;
    uint64_t phases;
    uint64_t *touchers;
    bool refused; /* a loop has iteration sets that are not known */
} querier;

static int compare_instants(const instant *a, const instant *b)
{
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    if (a->pos != b->pos)
        return a->pos < b->pos ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

static int by_name(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    return (x->name > y->name) - (x->name < y->name);
}

static int by_first(const void *a, const void *b)
{
    return compare_instants(&((const candidate *)a)->first, &((const candidate *)b)->first);
}

static int by_last(const void *a, const void *b)
{
    return compare_instants(&((const candidate *)a)->last, &((const candidate *)b)->last);
}

static pluss_status refuse(plussi_ctx *ctx)
{
    return plussi_fail(ctx, PLUSS_ELIMIT, NULL,
                       "looking for its lines takes more steps than the effort allows");
}

/* ---- candidates: all lines of memory that the hash chooses --------------------------------------
 */

/* Leaves half of them, by their hashes. */
static void thin(querier *q)
{
    const uint64_t threshold = plussi_line_threshold(++q->listing->shift);
    size_t kept = 0;
    for (size_t i = 0; i < q->n; i++)
        if (plussi_line_hash(q->line[i].name) <= threshold)
            q->line[kept++] = q->line[i];
    q->n = kept;
}

static pluss_status choose_of_array(plussi_ctx *ctx, querier *q, const plussi_line_names *names,
                                    const plussi_bound_array *array)
{
    const uint64_t first = plussi_array_first_line(q->bound, array),
                   last = plussi_array_last_line(q->bound, array);
    if (!plussi_effort_pay(q->listing->effort, (last - first) / LINES_A_STEP))
        return refuse(ctx);
    for (uint64_t line = first; line <= last; line++) {
        if (line % CHOSEN_FROM == 0)
            TRY(plussi_ask_whether(&q->listing->ask, q->listing->stage, -1, 0));
        const uint64_t name = plussi_name_line(names, line);
        if (plussi_line_hash(name) > plussi_line_threshold(q->listing->shift))
            continue;
        TRY(plussi_grow(&ctx->mem, &q->line, &q->cap, q->n, sizeof *q->line));
        q->line[q->n++] = (candidate){.line = line, .name = name};
        while (q->n > q->most && q->listing->shift < PLUSSI_LEAST_RATE_BITS)
            thin(q);
    }
    return PLUSS_OK;
}

static pluss_status choose_lines(plussi_ctx *ctx, querier *q)
{
    const plussi_line_names names = plussi_line_names_of(q->bound, q->listing->own);
    for (uint32_t i = 0; i < q->bound->n_arrays; i++)
        if (!q->bound->array[i].over)
            TRY(choose_of_array(ctx, q, &names, &q->bound->array[i]));
    if (q->n) /* arrays can share lines */
        qsort(q->line, q->n, sizeof *q->line, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < q->n; i++)
        if (!kept || q->line[kept - 1].name != q->line[i].name)
            q->line[kept++] = q->line[i];
    q->n = kept;
    return PLUSS_OK;
}

/* ---- queries -----------------------------------------------------------------------------------
 */

/* The thread's latest touch of a line before a cursor; false: there is none. */
static bool find_before(querier *q, const plussi_cursor *cursor, uint64_t line, instant *at)
{
    plussi_cursor touch;
    if (!plussi_engine_prev(q->workspace, cursor, line, NULL, &touch))
        return false;
    plussi_engine_locate(q->workspace, &touch, &at->phase, &at->pos);
    return true;
}

/* From a touch of the line to the thread's first one. */
static void find_first(querier *q, uint64_t line, instant *at)
{
    plussi_cursor cursor;
    instant found = *at;
    for (uint64_t least = 0; least < at->phase;) { /* no touch before phase `least` */
        const uint64_t middle = least + (at->phase - least) / 2;
        plussi_engine_end(q->workspace, at->thread, middle, &cursor);
        if (find_before(q, &cursor, line, &found))
            *at = found;
        else
            least = middle + 1;
    }
    for (uint64_t least = 0; least < at->pos;) { /* nor before position `least` of its phase */
        const uint64_t middle = at->pos - (at->pos - least) / 2;
        plussi_engine_unrank(q->workspace, at->thread, at->phase, middle, &cursor);
        if (find_before(q, &cursor, line, &found))
            *at = found;
        else
            least = middle;
    }
}

static void look_for(querier *q, candidate *c, uint32_t thread)
{
    instant last = {.thread = thread};
    plussi_cursor end;
    plussi_engine_end(q->workspace, thread, q->phases - 1, &end);
    if (!find_before(q, &end, c->line, &last))
        return;
    instant first = last;
    find_first(q, c->line, &first);
    if (!c->touched || compare_instants(&first, &c->first) < 0)
        c->first = first;
    if (!c->touched || compare_instants(&last, &c->last) > 0)
        c->last = last;
    c->touched = true;
}

static pluss_status query_all(querier *q)
{
    const uint32_t team = plussi_engine_team(q->engine);
    for (size_t i = 0; i < q->n; i++) {
        if (i % ASKED_AFTER == 0)
            TRY(plussi_ask_whether(&q->listing->ask, q->listing->stage, -1, i));
        q->line[i].touched = false;
        plussi_engine_touchers(q->engine, q->line[i].line, q->touchers);
        for (uint32_t t = 0; t < team; t++)
            if (q->touchers[t / 64] >> t % 64 & 1)
                look_for(q, &q->line[i], t);
        if (plussi_workspace_failed(q->workspace))
            return PLUSS_ENOMEM;
        if (q->refused)
            return PLUSS_EUNSUPPORTED;
    }
    return PLUSS_OK;
}

/* Threads in step take the chunks of a dynamic loop in turn, as far as these take equally long. */
static bool dispatch_in_turn(void *user, const plussi_bound_node *loop, const int64_t *iv,
                             uint64_t n, uint64_t chunk, uint32_t team, uint32_t thread,
                             plussi_thread_set *out)
{
    querier *q = user;
    (void)iv;
    q->refused = q->refused || loop->u.loop.schedule.kind != PLUSSI_SCHED_DYNAMIC;
    *out = (plussi_thread_set){plussi_iterset_static(n, chunk ? chunk : 1, team, thread), NULL};
    return true;
}

static pluss_status attempt_queries(plussi_ctx *ctx, void *user)
{
    querier *q = user;
    const plussi_iterset_source in_turn = {
        .set = dispatch_in_turn, .user = q, .ascending = true, .singles = false};
    TRY(plussi_engine_new(ctx, q->bound, &in_turn, &q->engine));
    q->phases = plussi_engine_phases(q->engine);
    q->touchers =
        plussi_alloc(&ctx->mem, plussi_engine_team(q->engine) / 64 + 1, sizeof *q->touchers);
    if (!q->touchers)
        return PLUSS_ENOMEM;
    TRY(plussi_workspace_new(ctx, q->engine, &q->workspace));
    return q->phases ? query_all(q) : PLUSS_OK;
}

/* ---- the list ----------------------------------------------------------------------------------
 */

static pluss_status append_lines(plussi_ctx *ctx, querier *q, plussi_line_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < q->n; i++)
        if (q->line[i].touched)
            q->line[kept++] = q->line[i];
    q->n = kept;
    if (!q->n)
        return PLUSS_OK;
    qsort(q->line, q->n, sizeof *q->line, by_last);
    for (size_t i = 0; i < q->n; i++) /* its number among them is all that counts */
        q->line[i].line = i;
    qsort(q->line, q->n, sizeof *q->line, by_first);
    const size_t before = list->n;
    for (size_t i = 0; i < q->n; i++) {
        pluss_status status =
            plussi_grow(&ctx->mem, &list->line, &list->cap, list->n, sizeof *list->line);
        if (status) {
            list->n = before;
            return status;
        }
        list->line[list->n++] = (plussi_ordered_line){q->line[i].name, q->line[i].line};
    }
    return PLUSS_OK;
}

pluss_status plussi_query_touched_lines(plussi_ctx *ctx, const plussi_bound *bound,
                                        plussi_listing *listing, plussi_line_list *list)
{
    const uint64_t most = QUERIES / bound->max_team;
    querier q = {
        .bound = bound, .listing = listing, .most = most > LEAST_LINES ? most : LEAST_LINES};
    q.most = q.most < listing->most ? q.most : listing->most;
    pluss_status status = choose_lines(ctx, &q);
    if (!status) {
        plussi_effort unbounded = {.left = UINT64_MAX};
        status = plussi_attempt(ctx, listing->effort ? listing->effort : &unbounded,
                                attempt_queries, &q);
        status = status == PLUSS_ELIMIT ? refuse(ctx) : status;
    }
    if (!status)
        status = append_lines(ctx, &q, list);
    plussi_free(&ctx->mem, q.line);
    return status;
}
