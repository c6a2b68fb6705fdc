/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Emits the functions that walk the nest as one thread does. A worksharing loop L becomes three:
 * body_L, one iteration; count_L, the number of iterations; loop_L, which makes the thread's
 * iteration set and walks it. Loops are enumerated in sequential order, collapsed or not, and an
 * iteration is executed if its number is in the iteration set: one form for every schedule.
 *
 * Outside of parallel regions only thread 0 accesses memory; but every thread executes the code,
 * since it counts the loops around a parallel region itself.
 */
#include "codegen/source.h"

#include <inttypes.h>

typedef struct walker {
    plussi_text *text; /* the functions */
    const plussi_dialect *d;
    int indent;
} walker;

static void emit_list(walker *w, const plussi_body *list, bool parallel);

static void emit_line(walker *w, const char *s)
{
    for (int i = 0; i < w->indent; i++)
        plussi_emit(w->text, "    ");
    plussi_emit(w->text, "%s", s);
}

static void emit_expr(walker *w, const plussi_expr *x)
{
    plussi_emit_expr(w->text, w->d, x, false);
}

/* ---- loops' heads -----------------------------------------------------------------------------
 */

static void open_loop(walker *w, const plussi_node *loop)
{
    emit_line(w, w->d->is_rust ? "for " : "for (struct range ");
    if (w->d->is_rust) {
        plussi_emit_iv(w->text, loop);
        plussi_emit(w->text, " in range(");
    } else {
        plussi_emit(w->text, "r%u = range(", loop->id);
    }
    emit_expr(w, loop->u.loop.lo);
    plussi_emit(w->text, ", ");
    emit_expr(w, loop->u.loop.hi);
    plussi_emit(w->text, ", %" PRId64 ")", loop->u.loop.step);
    if (w->d->is_rust)
        plussi_emit(w->text, " {\n");
    else
        plussi_emit(w->text, "; r%u.n > 0; r%u.n--, r%u.at += r%u.step) {\n", loop->id, loop->id,
                    loop->id, loop->id);
    w->indent++;
    emit_line(w, w->d->is_rust ? "let _ = " : "const int64_t ");
    plussi_emit_iv(w->text, loop);
    if (w->d->is_rust)
        plussi_emit(w->text, ";\n");
    else {
        plussi_emit(w->text, " = r%u.at;\n", loop->id);
        emit_line(w, "(void)");
        plussi_emit_iv(w->text, loop);
        plussi_emit(w->text, ";\n");
    }
}

static void close_block(walker *w)
{
    w->indent--;
    emit_line(w, "}\n");
}

/* ---- statements -------------------------------------------------------------------------------
 */

static void emit_reference(walker *w, const plussi_node *ref, bool parallel)
{
    const plussi_array *a = ref->u.ref.array;
    emit_line(w, parallel ? "" : w->d->is_rust ? "if w.me == 0 { " : "if (w->me == 0) ");
    plussi_emit(w->text, w->d->is_rust ? "w.touch(%u, w.base[%u]" : "touch(w, %u, w->base[%u]",
                ref->id, a->id);
    for (uint32_t k = 0; k < ref->u.ref.n_subs; k++) {
        plussi_emit(w->text, " + ");
        emit_expr(w, ref->u.ref.subs[k]);
        plussi_emit(w->text, " * %sstride_%u_%u", w->d->symbols, a->id, k);
    }
    if (ref->u.ref.offset)
        plussi_emit(w->text, " + (%" PRId64 ")", ref->u.ref.offset);
    plussi_emit(w->text, w->d->is_rust && !parallel ? "); }\n" : ");\n");
}

/* The arguments of a worksharing loop's functions: the loops around it, outermost first. */
static void outer_ivs(walker *w, const plussi_node *node, bool declare)
{
    if (!node)
        return;
    outer_ivs(w, node->parent, declare);
    if (node->kind != PLUSSI_N_LOOP)
        return;
    plussi_emit(w->text, declare && !w->d->is_rust ? ", int64_t " : ", ");
    plussi_emit_iv(w->text, node);
    if (declare && w->d->is_rust)
        plussi_emit(w->text, ": i64");
}

static void emit_call(walker *w, const char *kind, const plussi_node *loop,
                      const plussi_node *innermost)
{
    plussi_emit(w->text, "%s_%u(w", kind, loop->id);
    outer_ivs(w, innermost, false);
    plussi_emit(w->text, ");\n");
}

/* The size of the team that executes the node. */
static void wanted_team(walker *w, const plussi_node *node, bool inside)
{
    const char *const *select = w->d->select;
    if (inside) {
        plussi_emit(w->text, "1");
        return;
    }
    if (node->u.parallel.cond) {
        plussi_emit(w->text, "%s", select[0]);
        emit_expr(w, node->u.parallel.cond);
        plussi_emit(w->text, "%s", select[1]);
    }
    if (node->u.parallel.num_threads) {
        plussi_emit(w->text, "team_of(");
        emit_expr(w, node->u.parallel.num_threads);
        plussi_emit(w->text, ")");
    } else {
        plussi_emit(w->text, "%sdefault_team", w->d->walker);
    }
    if (node->u.parallel.cond)
        plussi_emit(w->text, "%s1%s", select[2], select[3]);
}

static void parallel_block(walker *w, const plussi_node *node, bool inside)
{
    const char *p = w->d->walker;
    const char *let = w->d->is_rust ? "let " : "const int64_t ";
    int depth = w->indent; /* distinguishes the names of saved values from outer ones */
    emit_line(w, "{\n");
    w->indent++;
    emit_line(w, "");
    plussi_emit(w->text, "%sthread_%d = %sthread;\n", let, depth, p);
    emit_line(w, "");
    plussi_emit(w->text, "%steam_%d = %steam;\n", let, depth, p);
    emit_line(w, "");
    plussi_emit(w->text, "%swanted_%d = ", let, depth);
    wanted_team(w, node, inside);
    plussi_emit(w->text, ";\n");
    if (inside) {
        emit_line(w, "{\n");
    } else {
        emit_line(w, "");
        plussi_emit(w->text,
                    w->d->is_rust ? "if w.me < wanted_%d {\n" : "if (w->me < wanted_%d) {\n",
                    depth);
    }
    w->indent++;
    emit_line(w, "");
    plussi_emit(w->text, "%sthread = ", p);
    plussi_emit(w->text, inside ? "0;\n" : w->d->is_rust ? "w.me;\n" : "w->me;\n");
    emit_line(w, "");
    plussi_emit(w->text, "%steam = wanted_%d;\n", p, depth);
    emit_list(w, &node->body, true);
    close_block(w);
    emit_line(w, "");
    plussi_emit(w->text, "%sthread = thread_%d;\n", p, depth);
    emit_line(w, "");
    plussi_emit(w->text, "%steam = team_%d;\n", p, depth);
    close_block(w);
}

typedef void (*body_fn)(walker *w, const plussi_body *list, bool parallel);

static void emit_guarded(walker *w, const plussi_node *node, bool parallel, body_fn emit_body)
{
    emit_line(w, w->d->is_rust ? "if " : "if (");
    emit_expr(w, node->u.branch.cond);
    plussi_emit(w->text, w->d->is_rust ? " {\n" : ") {\n");
    w->indent++;
    emit_body(w, &node->body, parallel);
    w->indent--;
    if (node->orelse.first) {
        emit_line(w, "} else {\n");
        w->indent++;
        emit_body(w, &node->orelse, parallel);
        w->indent--;
    }
    emit_line(w, "}\n");
}

static void emit_statement(walker *w, const plussi_node *node, bool parallel)
{
    switch (node->kind) {
    case PLUSSI_N_LOOP:
        if (node->u.loop.workshare) {
            emit_line(w, "");
            emit_call(w, "loop", node, node->parent);
            return;
        }
        open_loop(w, node);
        emit_list(w, &node->body, parallel);
        close_block(w);
        return;
    case PLUSSI_N_PARALLEL:
        parallel_block(w, node, parallel);
        return;
    case PLUSSI_N_REF:
        emit_reference(w, node, parallel);
        return;
    case PLUSSI_N_IF:
        emit_guarded(w, node, parallel, emit_list);
        return;
    case PLUSSI_N_SINGLE: /* thread 0 comes first, as in the closed form */
    case PLUSSI_N_MASTER:
        emit_line(w, w->d->is_rust ? "if w.thread == 0 {\n" : "if (w->thread == 0) {\n");
        w->indent++;
        emit_list(w, &node->body, parallel);
        close_block(w);
        return;
    case PLUSSI_N_CRITICAL:
    case PLUSSI_N_ORDERED:
        emit_list(w, &node->body, parallel);
        return;
    case PLUSSI_N_SWAP:
        emit_line(w, "");
        plussi_emit(w->text, w->d->is_rust ? "w.base.swap(%u, %u);\n" : "swap_bases(w, %u, %u);\n",
                    node->u.swap.a->id, node->u.swap.b->id);
        return;
    case PLUSSI_N_UNKNOWN:
        emit_line(w, "// not described: ");
        plussi_emit_string(w->text, node->u.unknown.reason);
        plussi_emit(w->text, "\n");
        return;
    case PLUSSI_N_BRANCH: /* refused before anything is written */
    case PLUSSI_N_BARRIER:
    case PLUSSI_N_OPS:
        return;
    }
}

static void emit_list(walker *w, const plussi_body *list, bool parallel)
{
    for (const plussi_node *node = list->first; node; node = node->next)
        emit_statement(w, node, parallel);
}

/* ---- functions --------------------------------------------------------------------------------
 */

static void open_function(walker *w, const char *kind, const plussi_node *loop,
                          const plussi_node *innermost)
{
    plussi_emit(w->text, w->d->is_rust ? "fn %s_%u(w: &mut Walker" : "static void %s_%u(walker *w",
                kind, loop->id);
    outer_ivs(w, innermost, true);
    plussi_emit(w->text, w->d->is_rust ? ") {\n" : ")\n{\n");
    w->indent = 1;
    for (const plussi_node *n = innermost; n; n = n->parent)
        if (n->kind == PLUSSI_N_LOOP) {
            emit_line(w, w->d->is_rust ? "let _ = " : "(void)");
            plussi_emit_iv(w->text, n);
            plussi_emit(w->text, ";\n");
        }
}

static void close_function(walker *w)
{
    w->indent = 0;
    plussi_emit(w->text, "}\n\n");
}

/* The collapsed loops, outermost first; returns the innermost. */
static const plussi_node *open_loops(walker *w, const plussi_node *loop)
{
    const plussi_node *innermost = loop;
    for (uint32_t i = 0;;) {
        open_loop(w, innermost);
        if (++i == loop->u.loop.collapse)
            return innermost;
        innermost = innermost->body.first;
    }
}

static void close_loops(walker *w, const plussi_node *loop)
{
    for (uint32_t i = 0; i < loop->u.loop.collapse; i++)
        close_block(w);
}

static const plussi_node *innermost_of(const plussi_node *loop)
{
    for (uint32_t i = 1; i < loop->u.loop.collapse; i++)
        loop = loop->body.first;
    return loop;
}

static void make_iteration_set(walker *w, const plussi_node *loop)
{
    const plussi_schedule *schedule = &loop->u.loop.schedule;
    const char *kind =
        schedule->kind == PLUSSI_SCHED_GUIDED ? "GUIDED"
        : schedule->kind == PLUSSI_SCHED_DYNAMIC || schedule->kind == PLUSSI_SCHED_RUNTIME
            ? "DYNAMIC"
            : "STATIC";
    bool on_demand = kind[0] != 'S';
    bool ragged = schedule->kind == PLUSSI_SCHED_GUIDED && loop->u.loop.collapse == 1;
    bool rust = w->d->is_rust;
    emit_line(w, rust ? "let mut n: u64 = 0;\n" : "uint64_t n = 0;\n");
    if (on_demand)
        emit_line(w, rust ? "let mut cost: Vec<u64> = Vec::new();\n"
                          : "struct costs cost = {0, 0, 0};\n");
    const plussi_node *innermost = open_loops(w, loop);
    emit_line(w, "n += 1;\n");
    if (on_demand) {
        emit_line(w, rust ? "let before = w.count_from();\n"
                          : "const struct counting before = "
                            "count_from(w);\n");
        emit_line(w, "");
        emit_call(w, "body", loop, innermost);
        emit_line(w, rust ? "cost.push(w.count_to(before));\n"
                          : "costs_add(&cost, count_to(w, before));\n");
    }
    close_loops(w, loop);
    emit_line(w, rust ? "let mut set = IterationSet::new(w, "
                      : "struct iteration_set set = iteration_set_new(w, ");
    plussi_emit(w->text, rust ? "Kind::%s, n, " : "%s, n, ",
                rust ? kind[0] == 'S'   ? "Static"
                       : kind[0] == 'D' ? "Dynamic"
                                        : "Guided"
                     : kind);
    if (schedule->chunk)
        emit_expr(w, schedule->chunk);
    else
        plussi_emit(w->text, on_demand ? "1" : "0");
    plussi_emit(w->text, on_demand ? rust ? ", &cost, " : ", cost.at, "
                         : rust    ? ", &[], "
                                   : ", NULL, ");
    if (ragged) {
        plussi_emit(w->text, "floor_mod(");
        emit_expr(w, loop->u.loop.hi);
        plussi_emit(w->text, " - ");
        emit_expr(w, loop->u.loop.lo);
        plussi_emit(w->text, ", %" PRId64 ") != 0);\n",
                    loop->u.loop.step < 0 ? -loop->u.loop.step : loop->u.loop.step);
    } else {
        plussi_emit(w->text, "false);\n");
    }
    if (on_demand && !rust)
        emit_line(w, "free(cost.at);\n");
}

static void emit_workshare(walker *w, const plussi_node *loop)
{
    const plussi_node *innermost = innermost_of(loop);
    bool rust = w->d->is_rust;
    open_function(w, "body", loop, innermost);
    emit_line(w, rust ? "let _ = &w;\n" : "(void)w;\n");
    emit_list(w, &innermost->body, true);
    close_function(w);

    open_function(w, "loop", loop, loop->parent);
    make_iteration_set(w, loop);
    emit_line(w, rust ? "let mut at: u64 = 0;\n" : "uint64_t at = 0;\n");
    open_loops(w, loop);
    emit_line(w, rust ? "if set.holds(at) {\n" : "if (iteration_set_holds(&set, at)) {\n");
    w->indent++;
    emit_line(w, "");
    emit_call(w, "body", loop, innermost);
    close_block(w);
    emit_line(w, "at += 1;\n");
    close_loops(w, loop);
    if (!rust)
        emit_line(w, "iteration_set_free(&set);\n");
    close_function(w);
}

/* Inner worksharing loops (of nested parallel regions) come first: outer ones call them. */
static void emit_workshares(walker *w, const plussi_body *list)
{
    for (const plussi_node *node = list->first; node; node = node->next) {
        emit_workshares(w, &node->body);
        emit_workshares(w, &node->orelse);
        if (node->kind == PLUSSI_N_LOOP && node->u.loop.workshare)
            emit_workshare(w, node);
    }
}

/* ---- the largest team -------------------------------------------------------------------------
 */

/* Whether num_threads makes other teams. */
static bool has_team(const plussi_node *node)
{
    if (node->kind == PLUSSI_N_PARALLEL)
        return node->u.parallel.num_threads != NULL;
    for (const plussi_node *n = node->body.first; n; n = n->next)
        if (has_team(n))
            return true;
    for (const plussi_node *n = node->orelse.first; n; n = n->next)
        if (has_team(n))
            return true;
    return false;
}

static void find_teams(walker *w, const plussi_body *list, bool parallel)
{
    (void)parallel; /* never inside one */
    const char *p = w->d->walker;
    for (const plussi_node *node = list->first; node; node = node->next) {
        if (!has_team(node))
            continue;
        switch (node->kind) {
        case PLUSSI_N_PARALLEL:
            emit_line(w, "");
            plussi_emit(w->text, "%smost_team = most(%smost_team, ", p, p);
            wanted_team(w, node, false);
            plussi_emit(w->text, ");\n");
            break;
        case PLUSSI_N_LOOP:
            open_loop(w, node);
            find_teams(w, &node->body, false);
            close_block(w);
            break;
        case PLUSSI_N_IF:
            emit_guarded(w, node, false, find_teams);
            break;
        default:
            find_teams(w, &node->body, false);
        }
    }
}

static void open_walk(walker *w, const char *name)
{
    plussi_emit(w->text,
                w->d->is_rust ? "fn %s(w: &mut Walker) {\n    let _ = &w;\n"
                              : "static void %s(walker *w)\n{\n    (void)w;\n",
                name);
    w->indent = 1;
}

static void every_region(walker *w, const plussi_nest *nest, body_fn emit_body)
{
    for (const plussi_region *region = nest->first_region; region; region = region->next) {
        emit_line(w, "// region ");
        plussi_emit_string(w->text, region->name);
        plussi_emit(w->text, "\n");
        emit_line(w, w->d->is_rust ? "for _ in range(0, " : "for (int64_t repeat = ");
        if (region->repeat)
            emit_expr(w, region->repeat);
        else
            plussi_emit(w->text, "1");
        plussi_emit(w->text, w->d->is_rust ? ", 1) {\n" : "; repeat > 0; repeat--) {\n");
        w->indent++;
        emit_body(w, &region->body, false);
        close_block(w);
    }
    close_function(w);
}

void plussi_emit_walk(plussi_text *text, const plussi_dialect *d, const plussi_nest *nest)
{
    walker w = {.text = text, .d = d};
    for (const plussi_region *region = nest->first_region; region; region = region->next)
        emit_workshares(&w, &region->body);
    open_walk(&w, "walk");
    every_region(&w, nest, emit_list);
    open_walk(&w, "find_teams");
    every_region(&w, nest, find_teams);
}
