/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Statements: what each holds, and where each may be.
 */
#include "nest/validate_state.h"

#include <inttypes.h>
#include <string.h>

#include "nest/effective.h"
#include "nest/words.h"

/* Constructs around a statement, up to the innermost parallel region. */
typedef struct place {
    bool parallel;
    const char *within;      /* what a barrier may not stand in; NULL: nothing */
    const char *worksharing; /* what a master may not stand in */
} place;

static void check_body(plussi_validator *v, plussi_body *body, place at);

static bool fail_node(plussi_validator *v, const char *text)
{
    return plussi_validate_fail(v, PLUSS_EINVALID, NULL, "%s", text);
}

/* ---- loops ------------------------------------------------------------------------------------
 */

static void check_schedule(plussi_validator *v, const plussi_schedule *schedule)
{
    static const uint8_t most[] = {
        [PLUSSI_SCHED_NONE] = 0,   [PLUSSI_SCHED_STATIC] = 1,   [PLUSSI_SCHED_DYNAMIC] = 1,
        [PLUSSI_SCHED_GUIDED] = 1, [PLUSSI_SCHED_AUTO] = 0,     [PLUSSI_SCHED_RUNTIME] = 0,
        [PLUSSI_SCHED_RAYON] = 2,  [PLUSSI_SCHED_RECORDED] = 0,
    };
    if ((unsigned)schedule->kind > PLUSSI_SCHED_RECORDED ||
        (unsigned)schedule->modifier > PLUSSI_SCHED_NONMONOTONIC) {
        fail_node(v, "found no kind of schedule");
        return;
    }
    if (schedule->kind == PLUSSI_SCHED_NONE && schedule->modifier != PLUSSI_SCHED_PLAIN)
        fail_node(v, "found a schedule's modifier without a schedule");
    if (schedule->chunk2 && !schedule->chunk)
        fail_node(v, "found a schedule's second argument without the first");
    unsigned n = (schedule->chunk != NULL) + (schedule->chunk2 != NULL);
    const char *kind = plussi_schedule_word(schedule->kind);
    if (n > most[schedule->kind])
        plussi_validate_fail(v, PLUSS_EINVALID, NULL,
                             "found %u argument%s of schedule(%s), expected at most %u", n,
                             n == 1 ? "" : "s", kind ? kind : "", most[schedule->kind]);
    const unsigned may = PLUSSI_MAY_IV | PLUSSI_MAY_TEAM; /* the same for all threads */
    if (schedule->chunk)
        plussi_validate_at_least(v, schedule->chunk, may, 1, "a schedule's argument");
    if (schedule->chunk2)
        plussi_validate_at_least(v, schedule->chunk2, may, 1, "a schedule's argument");
}

/* The loops that `collapse` joins are each other's only statement and plain. */
static void check_collapse(plussi_validator *v, const plussi_node *loop)
{
    const plussi_node *inner = loop;
    for (uint32_t i = 1; i < loop->u.loop.collapse; i++) {
        inner = inner->body.first;
        if (!inner || inner->next || inner->kind != PLUSSI_N_LOOP || inner->u.loop.workshare) {
            plussi_validate_fail(v, PLUSS_EINVALID, NULL,
                                 "found %" PRIu32 " perfectly nested loop%s, expected %" PRIu32
                                 " for collapse",
                                 i, i == 1 ? "" : "s", loop->u.loop.collapse);
            return;
        }
    }
}

static void check_iv(plussi_validator *v, const plussi_node *loop)
{
    const char *iv = loop->u.loop.iv;
    if (!plussi_validate_name(v, iv, NULL, "a loop"))
        return;
    plussi_name *entry = plussi_names_intern(&v->names, iv, strlen(iv), NULL);
    if (!entry)
        v->status = PLUSS_ENOMEM;
    else if (entry->meaning)
        plussi_validate_fail(
            v, PLUSS_EINVALID, NULL,
            "found induction variable '%s', expected a name that no %s in scope has", iv,
            plussi_meaning_text(entry->meaning->kind));
}

/* Whether a collapse clause of a loop around makes this one part of a worksharing loop. */
static bool is_collapsed(const plussi_node *loop)
{
    uint32_t up = 1;
    const plussi_node *outer = loop->parent;
    for (; outer && outer->kind == PLUSSI_N_LOOP; outer = outer->parent, up++)
        if (outer->u.loop.workshare)
            return outer->u.loop.collapse > up;
    return false;
}

static void check_loop(plussi_validator *v, plussi_node *loop, place at)
{
    bool shared = loop->u.loop.workshare || is_collapsed(loop);
    unsigned may = shared ? PLUSSI_MAY_ALL & ~PLUSSI_MAY_THREAD : PLUSSI_MAY_ALL;
    check_iv(v, loop);
    plussi_validate_number(v, loop->u.loop.lo, may, "a loop's first value");
    plussi_validate_number(v, loop->u.loop.hi, may, "a loop's bound");
    if (loop->u.loop.step == 0 || loop->u.loop.step == INT64_MIN)
        plussi_validate_fail(v, PLUSS_EINVALID, NULL,
                             "found step %" PRId64 ", expected another number", loop->u.loop.step);
    if (loop->u.loop.workshare) {
        check_schedule(v, &loop->u.loop.schedule);
        if (loop->u.loop.collapse < 1)
            fail_node(v, "found collapse(0), expected at least 1");
        check_collapse(v, loop);
        if (!at.parallel)
            fail_node(v, "found a workshare loop outside of parallel");
        at.within = at.worksharing = "a workshare loop";
    } else if (loop->u.loop.schedule.kind != PLUSSI_SCHED_NONE || loop->u.loop.schedule.chunk ||
               loop->u.loop.collapse != 1 || loop->u.loop.nowait || loop->u.loop.ordered) {
        fail_node(v, "found a clause of worksharing on a loop without workshare");
    }
    if (v->n_loops == PLUSSI_MAX_LOOPS) {
        plussi_validate_fail(v, PLUSS_ELIMIT, NULL,
                             "found more than %d loops within each other, expected at most "
                             "PLUSSI_MAX_LOOPS = %d",
                             PLUSSI_MAX_LOOPS, PLUSSI_MAX_LOOPS);
        return;
    }
    size_t scope = v->names.depth;
    const char *iv = loop->u.loop.iv;
    plussi_name *entry = iv ? plussi_names_intern(&v->names, iv, strlen(iv), NULL) : NULL;
    if (iv && (!entry || !plussi_names_push(&v->names, entry, PLUSSI_MEANS_IV, 2, loop)))
        v->status = PLUSS_ENOMEM;
    v->n_loops++;
    check_body(v, &loop->body, at);
    v->n_loops--;
    plussi_names_pop(&v->names, scope);
}

/* ---- references and the rest ------------------------------------------------------------------
 */

static void check_reference(plussi_validator *v, plussi_node *ref)
{
    const plussi_array *array = ref->u.ref.array;
    if (!array) {
        fail_node(v, "found a reference without an array");
        return;
    }
    plussi_validate_visible(v, array->name, PLUSSI_MEANS_ARRAY, array, NULL);
    uint32_t n = ref->u.ref.subs ? ref->u.ref.n_subs : 0;
    if (n != array->rank)
        plussi_validate_fail(v, PLUSS_EINVALID, NULL,
                             "found %" PRIu32 " subscript%s of '%.255s', expected %" PRIu32, n,
                             n == 1 ? "" : "s", array->name ? array->name : "", array->rank);
    for (uint32_t i = 0; i < n; i++)
        plussi_validate_number(v, ref->u.ref.subs[i], PLUSSI_MAY_ALL, "a subscript");
    int64_t offset = ref->u.ref.offset, end;
    uint64_t width = plussi_effective_width(ref);
    bool inside = offset >= 0 && (uint64_t)offset < array->elem_bytes;
    if (ref->u.ref.width == 0 && !inside)
        fail_node(v, "found a reference to no byte of the element, expected a width");
    else if (width > PLUSSI_MAX_ACCESS)
        plussi_validate_fail(v, PLUSS_ELIMIT, NULL,
                             "found a reference to %" PRIu64
                             " bytes, expected at most PLUSSI_MAX_ACCESS = %d",
                             width, PLUSSI_MAX_ACCESS);
    else if (__builtin_add_overflow(offset, (int64_t)width, &end))
        fail_node(v, "found bytes of a reference that exceed 64 bits");
    else if (inside && width == array->elem_bytes - (uint64_t)offset)
        ref->u.ref.width = 0;
}

static void check_swap(plussi_validator *v, const plussi_node *swap, place at)
{
    const plussi_array *a = swap->u.swap.a, *b = swap->u.swap.b;
    if (!a || !b) {
        fail_node(v, "found a swap without two arrays");
        return;
    }
    plussi_validate_visible(v, a->name, PLUSSI_MEANS_ARRAY, a, NULL);
    plussi_validate_visible(v, b->name, PLUSSI_MEANS_ARRAY, b, NULL);
    if (at.parallel)
        fail_node(v, "found a swap inside of parallel, expected it outside");
    if (a == b)
        fail_node(v, "found a swap of an array with itself, expected two arrays");
    if (a->rank != b->rank || a->elem_bytes != b->elem_bytes)
        fail_node(v, "found a swap of arrays that differ in rank or element size");
    if (a->base_kind == PLUSSI_BASE_OVER || b->base_kind == PLUSSI_BASE_OVER || a->is_private ||
        b->is_private)
        fail_node(v, "found a swap of an array that is private or overlays another");
}

static void check_ops(plussi_validator *v, const plussi_node *ops)
{
    if (ops->u.ops.n == 0 || !ops->u.ops.op) {
        fail_node(v, "found ops without a group, expected at least one");
        return;
    }
    for (uint32_t i = 0; i < ops->u.ops.n; i++) {
        plussi_validate_name(v, ops->u.ops.op[i].group, NULL, "a group of operations");
        if (ops->u.ops.op[i].count > INT64_MAX)
            fail_node(v, "found a count of operations that exceeds 64 bits signed");
    }
}

static void check_unknown(plussi_validator *v, const plussi_node *unknown)
{
    if (!plussi_unknown_word(unknown->u.unknown.kind))
        fail_node(v, "found no kind of unknown");
    if (!unknown->u.unknown.reason || !*unknown->u.unknown.reason)
        fail_node(v, "found unknown without a reason");
    const plussi_array *array = unknown->u.unknown.array;
    if (array)
        plussi_validate_visible(v, array->name, PLUSSI_MEANS_ARRAY, array, NULL);
}

/* OpenMP 4.5, 2.17: regions that bind to the team may not stand in one that not all of it executes.
 */
static void forbid_within(plussi_validator *v, const char *found, const char *within)
{
    if (within)
        plussi_validate_fail(v, PLUSS_EINVALID, NULL, "found %s inside of %s", found, within);
}

static void check_node(plussi_validator *v, plussi_node *node, place at)
{
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        if (node->u.loop.workshare)
            forbid_within(v, "a workshare loop", at.within);
        check_loop(v, node, at);
        break;
    case PLUSSI_N_PARALLEL:
        if (node->u.parallel.num_threads)
            plussi_validate_at_least(v, node->u.parallel.num_threads, PLUSSI_MAY_IV, 1,
                                     "the number of threads");
        if (node->u.parallel.cond)
            plussi_validate_condition(v, node->u.parallel.cond, PLUSSI_MAY_IV | PLUSSI_MAY_LOAD,
                                      "the if clause");
        check_body(v, &node->body, (place){.parallel = true});
        break;
    case PLUSSI_N_REF:
        check_reference(v, node);
        break;
    case PLUSSI_N_IF:
        plussi_validate_condition(v, node->u.branch.cond, PLUSSI_MAY_ALL, "a guard");
        check_body(v, &node->body, at);
        check_body(v, &node->orelse, at);
        break;
    case PLUSSI_N_BRANCH:
        if (!(node->u.branch.probability >= 0 && node->u.branch.probability <= 1))
            fail_node(v, "found a probability outside of 0 to 1");
        else if (node->u.branch.probability == 0)
            node->u.branch.probability = 0; /* not -0 */
        check_body(v, &node->body, at);
        check_body(v, &node->orelse, at);
        break;
    case PLUSSI_N_BARRIER:
        forbid_within(v, "a barrier", at.within);
        break;
    case PLUSSI_N_SINGLE:
        forbid_within(v, "a single", at.within);
        at.within = at.worksharing = "a single";
        check_body(v, &node->body, at);
        break;
    case PLUSSI_N_MASTER:
        forbid_within(v, "a master", at.worksharing);
        at.within = "a master";
        check_body(v, &node->body, at);
        break;
    case PLUSSI_N_CRITICAL:
    case PLUSSI_N_ORDERED:
        at.within = node->kind == PLUSSI_N_CRITICAL ? "a critical" : "an ordered";
        check_body(v, &node->body, at);
        break;
    case PLUSSI_N_SWAP:
        check_swap(v, node, at);
        break;
    case PLUSSI_N_OPS:
        check_ops(v, node);
        break;
    case PLUSSI_N_UNKNOWN:
        check_unknown(v, node);
        break;
    default:
        plussi_validate_fail(v, PLUSS_EINVALID, NULL, "found a statement of kind %d",
                             (int)node->kind);
    }
}

static void check_body(plussi_validator *v, plussi_body *body, place at)
{
    for (plussi_node *node = body->first; node && v->status != PLUSS_ENOMEM; node = node->next) {
        plussi_loc outer = v->where;
        if (node->text_loc.line) {
            v->where = node->text_loc;
        } else if (node->loc.line) {
            v->where = node->loc;
            if (!v->where.file)
                v->where.file = v->region->loc.file;
        }
        bool leaf = node->kind == PLUSSI_N_REF || node->kind == PLUSSI_N_BARRIER ||
                    node->kind == PLUSSI_N_SWAP || node->kind == PLUSSI_N_OPS ||
                    node->kind == PLUSSI_N_UNKNOWN;
        bool forks = node->kind == PLUSSI_N_IF || node->kind == PLUSSI_N_BRANCH;
        if ((leaf && node->body.first) || (!forks && node->orelse.first))
            fail_node(v, "found a block in a statement that has none");
        check_node(v, node, at);
        v->where = outer;
    }
}

void plussi_validate_body(plussi_validator *v, plussi_body *body)
{
    check_body(v, body, (place){0});
}
