/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "trace/state.h"

pluss_status plussi_walk_fail(plussi_walk *w, const plussi_bound_node *node, pluss_status status,
                              const char *what)
{
    if (w->status == PLUSS_OK) {
        w->status = status;
        if (what) {
            plussi_loc loc = node ? plussi_bound_node_loc(w->bound, node) : (plussi_loc){0};
            plussi_report(w->ctx, PLUSSI_ERROR, status, &loc, "%s", what);
        }
    }
    return w->status;
}

pluss_status plussi_walk_refuse(plussi_ctx *ctx)
{
    return plussi_fail(ctx, PLUSS_ELIMIT, NULL, "the walk takes more steps than the effort allows");
}

bool plussi_walk_pay(plussi_walk *w, uint64_t steps)
{
    if (plussi_effort_pay(w->effort, steps))
        return true;
    if (!w->status)
        w->status = plussi_walk_refuse(w->ctx);
    return false;
}

void plussi_walk_fault(plussi_walk *w, const plussi_bound_node *node, const plussi_cexpr *x,
                       const int64_t *iv)
{
    const plussi_cexpr *load = plussi_cexpr_faulty(x, iv);
    char element[160], what[320];
    size_t used = 0;
    bool fault = false;
    *element = '\0';
    for (uint32_t d = 0; load && d < load->array->rank && used < sizeof element; d++)
        used += (size_t)snprintf(element + used, sizeof element - used, "[%" PRId64 "]",
                                 plussi_cexpr_eval(load->sub[d], iv, &fault));
    snprintf(what, sizeof what,
             "%.64s%s is read, which is outside of the %" PRIu64 " values that are known of it",
             load ? load->array->decl->name : "an array's element", element,
             load ? load->array->n_values : 0);
    plussi_walk_fail(w, node, PLUSS_ERANGE, what);
}

bool plussi_branch_taken(const plussi_bound_node *branch, uint64_t seed, uint64_t repetition,
                         const int64_t *iv)
{
    uint64_t state = seed, h = plussi_splitmix64(&state);
    state = h ^ branch->id;
    h = plussi_splitmix64(&state);
    state = h ^ repetition;
    h = plussi_splitmix64(&state);
    for (uint32_t d = 0; d < branch->depth; d++) {
        state = h ^ (uint64_t)iv[1 + d];
        h = plussi_splitmix64(&state);
    }
    return (double)(h >> 11) * 0x1p-53 < branch->u.branch.probability;
}

static bool eval_expr(plussi_walk *w, const walk_thread *t, const plussi_bound_node *node,
                      const plussi_cexpr *x, int64_t *value)
{
    bool fault = false;
    *value = plussi_cexpr_eval(x, t->iv, &fault);
    if (fault)
        plussi_walk_fault(w, node, x, t->iv);
    return !fault;
}

/* ---- references --------------------------------------------------------------------------------
 */

static uint64_t address_of(const plussi_walk *w, const walk_thread *t, const step_entry *e,
                           int64_t offset)
{
    return (uint64_t)(w->base[e->array] + e->copy * t->number + offset + e->delta);
}

/* Emits references. false: the buffer is full, or failed. */
static bool emit_refs(plussi_walk *w, walk_thread *t, const step *s, plussi_access *buf, size_t cap,
                      size_t *n)
{
    const step_entry *entry = w->program.entry + s->first;
    for (; t->entry < s->n; t->entry++) {
        if (*n == cap)
            return false;
        const step_entry *e = &entry[t->entry];
        int64_t offset;
        if (e->offset->kind == PLUSSI_CEXPR_AFFINE)
            offset = plussi_affine(e->offset, t->iv);
        else if (!eval_expr(w, t, w->bound->ref[e->ref], e->offset, &offset))
            return false;
        buf[(*n)++] =
            (plussi_access){address_of(w, t, e, offset) >> w->line_shift, e->ref, t->number};
    }
    t->entry = 0;
    return true;
}

/* Computes the addresses of a flat loop's first iteration; the IV is set. */
static void begin_flat(plussi_walk *w, walk_thread *t, const step *s)
{
    const step_entry *entry = w->program.entry + s->first;
    for (uint32_t i = 0; i < s->n; i++)
        t->flat[i] =
            (flat_access){address_of(w, t, &entry[i], plussi_affine(entry[i].offset, t->iv)),
                          (uint64_t)entry[i].increment, entry[i].ref};
    t->entry = 0;
    t->inside = true;
}

static inline void emit_one(const plussi_walk *w, const walk_thread *t, flat_access *a,
                            plussi_access *out)
{
    out->line = a->address >> w->line_shift;
    out->ref = a->ref;
    out->thread = t->number;
    a->address += a->increment;
}

/* Emits t->left iterations of the flat accesses. false: the buffer is full. */
static bool emit_flat(const plussi_walk *w, walk_thread *t, uint32_t m, plussi_access *buf,
                      size_t cap, size_t *n)
{
    plussi_access *out = buf + *n, *end = buf + cap;
    flat_access *flat = t->flat;
    while (t->entry != 0 && out < end) { /* an iteration begun earlier */
        emit_one(w, t, &flat[t->entry], out++);
        if (++t->entry == m) {
            t->entry = 0;
            t->left--;
        }
    }
    if (t->entry == 0) {
        uint64_t whole = (uint64_t)(end - out) / m;
        whole = whole < t->left ? whole : t->left;
        t->left -= whole;
        for (; whole > 0; whole--)
            for (uint32_t i = 0; i < m; i++)
                emit_one(w, t, &flat[i], out++);
        if (t->left > 0)
            while (out < end)
                emit_one(w, t, &flat[t->entry++], out++);
    }
    *n = (size_t)(out - buf);
    return t->left == 0;
}

/* ---- worksharing loops -------------------------------------------------------------------------
 */

static bool on_demand(const step *s)
{
    plussi_schedule_kind kind = s->node->u.loop.schedule.kind;
    return kind == PLUSSI_SCHED_DYNAMIC || kind == PLUSSI_SCHED_GUIDED;
}

/* The next run of the iteration set: 1, none: 0; -1: a chunk would have to be taken now. */
static int next_run(plussi_walk *w, walk_thread *t, const step *s, bool may_take)
{
    if (!on_demand(s)) {
        if (t->position == t->count)
            return 0;
        plussi_iterset_run(&t->set, t->position, &t->next, &t->end);
        t->position += t->end - t->next;
        return 1;
    }
    plussi_dispatch *dispatch = &plussi_pool_find(w, t->encounter)->dispatch;
    if (dispatch->next >= dispatch->n)
        return 0;
    if (!may_take)
        return -1;
    plussi_segment chunk;
    if (!plussi_dispatch_next(dispatch, &chunk))
        return 0;
    t->next = chunk.lo;
    t->end = chunk.hi;
    return 1;
}

/* Goes to the next row. false: stops with *stop. */
static bool begin_row(plussi_walk *w, walk_thread *t, const step *s, bool may_take, walk_stop *stop)
{
    if (t->next == t->end) {
        int more = next_run(w, t, s, may_take);
        if (more < 0) {
            *stop = STOP_CLAIM;
            return false;
        }
        if (more == 0) {
            if (s->node->u.loop.schedule.kind != PLUSSI_SCHED_STATIC)
                plussi_pool_pass(w, t->encounter);
            t->step = s->target;
            return true;
        }
    }
    if (!plussi_rows_seek(w, t, s, t->next)) {
        *stop = STOP_FAIL;
        plussi_walk_fail(w, s->node, PLUSS_EINVALID,
                         "the threads of a team do not agree on a worksharing loop's bounds");
        return false;
    }
    const walk_level *inner = &t->level[s->levels - 1];
    t->row_left = t->end - t->next;
    if (s->levels > 1 && t->row_left > inner->trips - inner->at)
        t->row_left = inner->trips - inner->at;
    t->next += t->row_left;
    t->step++;
    return true;
}

/* ---- counting ---------------------------------------------------------------------------------
 */

/* Reports iterations [lo, hi), from position `at` of the iteration set. */
static bool tell_iterations(plussi_walk *w, walk_thread *t, const step *s, uint64_t at, uint64_t lo,
                            uint64_t hi, size_t ahead)
{
    const plussi_walk_watch *watch = w->watch;
    double each = plussi_walk_each(w, t, s, lo);
    bool told = true;
    if (each > 0)
        told = watch->iterate(watch->user, t->number, s->node->id, at, hi - lo, each, ahead);
    for (uint64_t i = lo; each < 0 && i < hi && told && !w->status; i++) {
        double one = plussi_walk_work(w, t, s, i, i + 1);
        if (one > 0)
            told =
                watch->iterate(watch->user, t->number, s->node->id, at + (i - lo), 1, one, ahead);
    }
    if (!told)
        plussi_walk_fail(w, NULL, PLUSS_ENOMEM, NULL);
    return w->status == PLUSS_OK;
}

/* Reports the rest of an iteration set at once; false: stops with *stop. If it must not be taken
 * yet, only tests whether there is any. */
static bool count_share(plussi_walk *w, walk_thread *t, const step *s, size_t cap, size_t n,
                        walk_stop *stop)
{
    uint64_t position = t->position;
    double work = 0;
    int more;
    t->next = t->end = 0;
    while ((more = next_run(w, t, s, n == 0 && cap > 0)) > 0) {
        uint64_t at = on_demand(s) ? position : t->position - (t->end - t->next);
        position = at + (t->end - t->next);
        if (cap == 0)
            work += plussi_walk_work(w, t, s, t->next, t->end);
        else if (!tell_iterations(w, t, s, at, t->next, t->end, n))
            break;
    }
    *stop = w->status ? STOP_FAIL : more < 0 ? STOP_CLAIM : STOP_FULL;
    if (w->status || more < 0)
        return false;
    if (cap == 0 && work > 0) {
        t->position = 0; /* nothing was taken: positions count from the start of the set */
        return false;
    }
    if (s->node->u.loop.schedule.kind != PLUSSI_SCHED_STATIC)
        plussi_pool_pass(w, t->encounter);
    t->step = s->target;
    return true;
}

/* ---- the interpreter ---------------------------------------------------------------------------
 */

static bool begin_loop(plussi_walk *w, walk_thread *t, const step *s, uint64_t *trips)
{
    int64_t lo;
    if (!plussi_walk_trips(w, s->node, t->iv, &lo, trips))
        return false;
    t->iv[s->node->u.loop.slot] = lo;
    return true;
}

/* Executes control flow, which emits nothing. false: failed. */
static bool follow_jump(plussi_walk *w, walk_thread *t, const step *s)
{
    int64_t value = 0;
    uint64_t trips;
    switch (s->kind) {
    case STEP_LOOP: {
        if (!begin_loop(w, t, s, &trips))
            return false;
        t->rest[s->node->u.loop.slot] = trips - 1;
        t->step = trips ? t->step + 1 : s->target;
        return true;
    }
    case STEP_LOOP_NEXT: {
        uint32_t slot = s->node->u.loop.slot;
        bool more = t->rest[slot] > 0;
        if (more) {
            t->rest[slot]--;
            t->iv[slot] += s->node->u.loop.step;
        }
        t->step = more ? s->target : t->step + 1;
        return true;
    }
    case STEP_ROW_NEXT:
        if (--t->row_left > 0) {
            t->iv[s->inner->u.loop.slot] += s->inner->u.loop.step;
            t->step = s->target + 1;
        } else {
            t->step = s->target;
        }
        return true;
    case STEP_IF:
        if (!eval_expr(w, t, s->node, s->node->u.branch.cond, &value))
            return false;
        t->step = value ? t->step + 1 : s->target;
        return true;
    case STEP_BRANCH:
        t->step =
            plussi_branch_taken(s->node, w->seed, w->repetition, t->iv) ? t->step + 1 : s->target;
        return true;
    case STEP_MASTER:
        t->step = t->number == 0 ? t->step + 1 : s->target;
        return true;
    case STEP_SWAP:
        plussi_bound_swap(w->bound, s->node, w->base);
        t->step++;
        return true;
    case STEP_REGION:
        w->repetition = 0;
        t->step++;
        return true;
    case STEP_REGION_END:
        t->step = ++w->repetition < (uint64_t)s->repeat ? s->target : t->step + 1;
        return true;
    default: /* JUMP */
        t->step = s->target;
        return true;
    }
}

/* false: the single would have to be taken now. */
static bool meet_single(plussi_walk *w, walk_thread *t, const step *s, bool may_take,
                        walk_stop *stop)
{
    bool is_new;
    walk_pool *pool = plussi_pool_meet(w, t, t->step, &is_new);
    if (!pool) {
        *stop = STOP_FAIL;
        return false;
    }
    if (!pool->taken && !may_take) {
        t->n_encounters--; /* it comes here again */
        *stop = STOP_CLAIM;
        return false;
    }
    t->step = pool->taken ? s->target : t->step + 1;
    pool->taken = true;
    plussi_pool_pass(w, t->encounter);
    return true;
}

walk_stop plussi_walk_run(plussi_walk *w, walk_thread *t, plussi_access *buf, size_t cap, size_t *n)
{
    walk_stop stop = STOP_FAIL;
    uint64_t trips;
    for (;;) {
        const step *s = &w->program.step[t->step];
        bool may_take = *n == 0 && cap > 0;
        if (!plussi_walk_pay(w, s->cost))
            return STOP_FAIL;
        switch (s->kind) {
        case STEP_REFS:
            if (!emit_refs(w, t, s, buf, cap, n))
                return w->status ? STOP_FAIL : STOP_FULL;
            t->step++;
            break;
        case STEP_FLAT:
            if (!t->inside) {
                if (!begin_loop(w, t, s, &trips))
                    return STOP_FAIL;
                if (trips == 0) {
                    t->step++;
                    break;
                }
                t->left = trips;
                begin_flat(w, t, s);
            }
            if (!emit_flat(w, t, s->n, buf, cap, n))
                return STOP_FULL;
            t->inside = false;
            t->step++;
            break;
        case STEP_ITERSET:
            if (!plussi_iterset_begin(w, t, t->step))
                return STOP_FAIL;
            if (w->watch)
                w->watch->meet(w->watch->user, t->number, s->node->id);
            t->step++;
            break;
        case STEP_ROW:
            if (w->watch) {
                if (!count_share(w, t, s, cap, *n, &stop))
                    return stop;
                break;
            }
            if (!begin_row(w, t, s, may_take, &stop))
                return stop;
            break;
        case STEP_ROW_FLAT:
            if (!t->inside) {
                t->left = t->row_left;
                begin_flat(w, t, s);
            }
            if (!emit_flat(w, t, s->n, buf, cap, n))
                return STOP_FULL;
            t->inside = false;
            t->step = s->target;
            break;
        case STEP_SINGLE:
            if (!meet_single(w, t, s, may_take, &stop))
                return stop;
            break;
        case STEP_BARRIER:
        case STEP_JOIN:
            return STOP_WAIT;
        case STEP_FORK:
            return STOP_FORK;
        case STEP_END:
            return STOP_END;
        default:
            if (!follow_jump(w, t, s))
                return STOP_FAIL;
        }
    }
}
