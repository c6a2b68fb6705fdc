/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes OpenMP sequential. The body of each construct takes the construct's place, between two
 * calls of pluss_mark (number, is_end, operand...); SSA form then resolves the operands (the chunk,
 * the number of threads). A worksharing loop becomes one ordinary loop for each collapsed
 * dimension:
 *
 *     index = first; bound = end;
 *     test: if (index < bound) { pluss_mark (body of dimension d); body; index += by; goto test; }
 *
 * Bounds are computed once, before the loop, since formal temporaries may be used again inside.
 *
 * Variables that have a data-sharing clause are replaced by sharing.cc. Arrays and variables that
 * are declared inside of a parallel region are noted as private memory. Target regions, teams and
 * taskloops become what the host does (host_constructs.cc). Tasks and loops of other kinds are
 * taken out; a marker says what was there.
 */
#include "shadow/flatten.h"

#include "common/statements.h"

namespace pluss
{

tree Flatten::make_temporary(tree type)
{
    tree t = make_local(type);
    add_local_decl(cfun, t);
    return t;
}

/* ---- markers --------------------------------------------------------------------------------- */

Construct *Flatten::add_construct(ConstructKind kind, gimple *at)
{
    flat.constructs.emplace_back(kind, gimple_location(at));
    auto from = flat.origin.find(at);
    if (from != flat.origin.end() && callers.empty())
        flat.constructs.back().original = from->second;
    return &flat.constructs.back();
}

void Flatten::emit_marker(gimple_seq *out, const Construct *c, bool end, tree a, tree b)
{
    while (numbers.size() < flat.constructs.size())
        numbers.insert({&flat.constructs[numbers.size()], numbers.size()});
    size_t number = numbers.at(c);
    auto_vec<tree> args;
    args.safe_push(build_int_cst(integer_type_node, number));
    args.safe_push(end ? integer_one_node : integer_zero_node);
    if (a || b)
        args.safe_push(a ? a : integer_zero_node);
    if (b)
        args.safe_push(b);
    gcall *call = gimple_build_call_vec(flat.marker, args);
    gimple_set_location(call, c->loc);
    gimple_call_set_nothrow(call, true);
    if (c->kind == ConstructKind::Body)
        append_glue(out, call);
    else
        append(out, call);
}

/* Marks the body of a loop construct's loop. */
void Flatten::emit_body_marker(gimple_seq *out, Construct *of, unsigned depth, location_t loc)
{
    flat.constructs.emplace_back(ConstructKind::Body, loc);
    Construct *b = &flat.constructs.back();
    b->of = of;
    b->dim = depth;
    emit_marker(out, b, false);
}

void Flatten::emit_unknown(gimple_seq *out, gimple *g, const std::string &what)
{
    Construct *c = add_construct(ConstructKind::Unknown, g);
    c->what = what;
    emit_marker(out, c, false);
}

void Flat::declare_marker()
{
    marker = build_fn_decl("pluss.mark", build_function_type(void_type_node, NULL_TREE));
    TREE_NOTHROW(marker) = 1;
}

bool Flat::read_marker(gimple *stmt, Marker *out)
{
    if (!is_gimple_call(stmt) || !marker || gimple_call_fndecl(stmt) != marker)
        return false;
    out->construct = &constructs[tree_to_uhwi(gimple_call_arg(stmt, 0))];
    out->end = integer_onep(gimple_call_arg(stmt, 1));
    for (unsigned i = 0; i < 2; i++)
        out->arg[i] = i + 2 < gimple_call_num_args(stmt) ? gimple_call_arg(stmt, i + 2) : NULL_TREE;
    return true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

void Flat::map_assignments(const std::vector<gimple *> &all)
{
    for (gimple *g : all)
        if (tree v = gimple_get_lhs(g))
            if (VAR_P(v))
                assigned[v].push_back(g);
    find_pointed(all);
    find_counting(all);
}

void Flat::map_copies(const std::vector<gimple *> &from, const std::vector<gimple *> &to)
{
    std::map<tree, tree> renamed;
    for (size_t i = 0; i < from.size(); i++) {
        origin[to[i]] = from[i];
        tree a = gimple_get_lhs(from[i]), b = gimple_get_lhs(to[i]);
        if (a && b && TREE_CODE(a) == SSA_NAME && TREE_CODE(b) == SSA_NAME)
            renamed[a] = b;
        if (a && b && VAR_P(a) && VAR_P(b))
            for (tree v : {a, b})
                if (v == a || a != b)
                    assigned[v].push_back(to[i]);
    }
    for (gimple *g : to)
        if (is_gimple_omp(g)) /* GCC's copier leaves the SSA names in their operands as they were */
            replace_names(g, &renamed);
    find_pointed(to);
    find_counting(to);
}

/* ---- statements ------------------------------------------------------------------------------ */

gimple_seq Flatten::flatten_sequence(gimple_seq in)
{
    gimple_seq out = NULL;
    for (gimple_stmt_iterator i = gsi_start(in); !gsi_end_p(i);) {
        gimple *g = gsi_stmt(i);
        gsi_remove(&i, false);
        size_t at = flat.flow.size();
        flatten_statement(&out, g);
        auto from = flat.origin.find(g);
        if (from != flat.origin.end() && callers.empty())
            flat.span[from->second] = {at, flat.flow.size()};
    }
    return out;
}

void Flatten::flatten_statement(gimple_seq *out, gimple *g)
{
    if (is_gimple_omp(g) ? flatten_construct(out, g) : flatten_inside(out, g))
        return;
    if (gcall *call = dyn_cast<gcall *>(g)) {
        if (inline_call(out, call) ||
            (purpose != Purpose::Execute && expand_memory_call(out, call)))
            return;
        pass_copies(out, call);
    }
    std::vector<gimple *> after;
    if (!gimple_has_substatements(g))
        after = reach_frames(out, g);
    append_mirrored(out, g);
    for (gimple *store : after)
        append_glue(out, store);
}

/* What reach_frame does at one statement. */
struct Flatten::Reaching {
    Flatten *flatten;
    gimple_seq *before;
    std::vector<gimple *> after;
    gimple *stmt;
};

/* Puts the field into the place of a variable. Where the statement needs a value, it is read before
 * and written after it. */
tree Flatten::reach_frame(tree *tp, int *walk_subtrees, void *data)
{
    walk_stmt_info *wi = static_cast<walk_stmt_info *>(data);
    Reaching *r = walk_info<Reaching>(data);
    const bool value = wi->val_only, written = wi->is_lhs;
    auto walk_into = [&](tree *operand, bool as_value) {
        wi->val_only = as_value;
        wi->is_lhs = false;
        walk_tree(operand, reach_frame, data, NULL);
        wi->val_only = value;
        wi->is_lhs = written;
    };
    *walk_subtrees = 0;
    if (TREE_CODE(*tp) == ADDR_EXPR) {
        walk_into(&TREE_OPERAND(*tp, 0), false);
    } else if (TREE_CODE(*tp) == MEM_REF) {
        walk_into(&TREE_OPERAND(*tp, 0), true);
    } else if (handled_component_p(*tp)) {
        for (; handled_component_p(*tp); tp = &TREE_OPERAND(*tp, 0))
            for (int k = 1; k < TREE_OPERAND_LENGTH(*tp); k++)
                if (TREE_OPERAND(*tp, k))
                    walk_into(&TREE_OPERAND(*tp, k), true);
        walk_into(tp, false);
    } else if (tree field = DECL_P(*tp) ? frame_field(*tp) : NULL_TREE) {
        if (value) {
            tree t = r->flatten->make_temporary(TREE_TYPE(*tp));
            tree same = written ? NULL_TREE : r->flatten->find_mirror(r->stmt, *tp);
            gassign *g = written ? gimple_build_assign(field, t)
                                 : gimple_build_assign(t, same ? same : field);
            gimple_set_location(g, gimple_location(r->stmt));
            if (written)
                r->after.push_back(g);
            else
                r->flatten->append_glue(r->before, g);
            field = t;
        }
        *tp = field;
    } else {
        *walk_subtrees = !TYPE_P(*tp);
    }
    return NULL_TREE;
}

/* The variables of a statement that are in a frame become its fields. Returns what is to follow the
 * statement. */
std::vector<gimple *> Flatten::reach_frames(gimple_seq *before, gimple *g)
{
    Reaching r = {this, before, {}, g};
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = &r;
    wi.val_only = true;
    walk_gimple_op(g, reach_frame, &wi);
    return r.after;
}

/* Flattens what a statement other than a construct holds. True: that takes its place. */
bool Flatten::flatten_inside(gimple_seq *out, gimple *g)
{
    if (gbind *b = dyn_cast<gbind *>(g)) {
        if (parallel_depth > 0)
            for (tree v = gimple_bind_vars(b); v; v = DECL_CHAIN(v))
                if (VAR_P(v) && !is_global_var(v))
                    flat.private_vars.insert(v);
        gimple_bind_set_body(b, flatten_sequence(gimple_bind_body(b)));
    } else if (gtry *t = dyn_cast<gtry *>(g)) {
        /* The run without exceptions is described or sampled, without their handlers. (And GCC
         * lowers what a noexcept function leaves in the place of a destructor's call only by
         * accident.) */
        if (gimple_try_kind(g) == GIMPLE_TRY_CATCH && purpose != Purpose::Execute) {
            gimple_seq_add_seq(out, flatten_sequence(gimple_try_eval(g)));
            return true;
        }
        gimple_try_set_eval(t, flatten_sequence(gimple_try_eval(g)));
        gimple_try_set_cleanup(t, flatten_sequence(gimple_try_cleanup(g)));
    } else if (gcatch *c = dyn_cast<gcatch *>(g)) {
        gimple_catch_set_handler(c, flatten_sequence(gimple_catch_handler(c)));
    } else if (geh_filter *e = dyn_cast<geh_filter *>(g)) {
        gimple_eh_filter_set_failure(e, flatten_sequence(gimple_eh_filter_failure(e)));
    } else if (geh_else *e = dyn_cast<geh_else *>(g)) {
        gimple_eh_else_set_n_body(e, flatten_sequence(gimple_eh_else_n_body(e)));
        gimple_eh_else_set_e_body(e, flatten_sequence(gimple_eh_else_e_body(e)));
    } else if (gtransaction *t = dyn_cast<gtransaction *>(g)) {
        gimple_seq_add_seq(out, flatten_sequence(gimple_transaction_body(t)));
        return true;
    }
    return false;
}

/* Puts plain code in a construct's place. False: it stays as it is. */
bool Flatten::flatten_construct(gimple_seq *out, gimple *g)
{
    if (const char *what = undescribed_construct(g)) {
        emit_unknown(out, g, what);
        return true;
    }
    Lone *around = lone;
    if (!is_taskloop(g) && gimple_code(g) != GIMPLE_OMP_TASKGROUP)
        lone = nullptr;
    switch (gimple_code(g)) {
    case GIMPLE_OMP_TARGET:
        flatten_target(out, as_a<gomp_target *>(g));
        break;
    case GIMPLE_OMP_TEAMS:
        flatten_teams(out, as_a<gomp_teams *>(g));
        break;
    case GIMPLE_OMP_PARALLEL:
        flatten_parallel(out, as_a<gomp_parallel *>(g));
        break;
    case GIMPLE_OMP_FOR:
        if (gimple_omp_for_kind(g) == GF_OMP_FOR_KIND_DISTRIBUTE)
            flatten_distribute(out, as_a<gomp_for *>(g));
        else
            flatten_loop(out, as_a<gomp_for *>(g));
        break;
    case GIMPLE_OMP_TASK: /* of a taskloop */
        flatten_around(out, g, gimple_omp_body_ptr(g), gimple_omp_task_clauses(g));
        break;
    case GIMPLE_OMP_SECTIONS:
        flatten_sections(out, as_a<gomp_sections *>(g));
        break;
    case GIMPLE_OMP_SINGLE:
        flatten_single(out, as_a<gomp_single *>(g));
        break;
    case GIMPLE_OMP_MASTER:
        flatten_wrapper(out, g, ConstructKind::Master);
        break;
    case GIMPLE_OMP_CRITICAL:
        flatten_wrapper(out, g, ConstructKind::Critical);
        break;
    case GIMPLE_OMP_ORDERED:
        if (gimple_omp_body(g))
            flatten_wrapper(out, g, ConstructKind::Ordered);
        break;
    case GIMPLE_OMP_SCAN:
        if (scan)
            take_phase(as_a<gomp_scan *>(g));
        else
            gimple_seq_add_seq(out, flatten_sequence(gimple_omp_body(g)));
        break;
    case GIMPLE_OMP_SECTION: /* outside of sections: cannot be */
    case GIMPLE_OMP_TASKGROUP:
        gimple_seq_add_seq(out, flatten_sequence(gimple_omp_body(g)));
        break;
    default:
        if (PLUSSI_IS_OMP_MASKED(g))
            flatten_wrapper(out, g, ConstructKind::Master);
        else if (PLUSSI_IS_OMP_SCOPE(g))
            gimple_seq_add_seq(out, flatten_sequence(gimple_omp_body(g)));
        else if (!flatten_atomic(out, g))
            emit_unknown(out, g, "an OpenMP construct of another kind");
    }
    lone = around;
    return true;
}

void Flatten::emit_atomic(gimple_seq *out, gimple *from, tree to, tree value)
{
    gassign *s = gimple_build_assign(to, value);
    gimple_set_location(s, gimple_location(from));
    flat.atomic.insert(s);
    flat.origin[s] = flat.origin[from];
    append(out, s);
}

/* Makes a load and a store of the two halves of an atomic operation. */
bool Flatten::flatten_atomic(gimple_seq *out, gimple *g)
{
    auto memory = [&]() {
        return build2(MEM_REF, TREE_TYPE(atomic_lhs), atomic_addr,
                      build_int_cst(build_pointer_type(TREE_TYPE(atomic_lhs)), 0));
    };
    if (gomp_atomic_load *a = dyn_cast<gomp_atomic_load *>(g)) {
        atomic_addr = gimple_omp_atomic_load_rhs(a);
        atomic_lhs = gimple_omp_atomic_load_lhs(a);
        emit_atomic(out, g, atomic_lhs, memory());
        return true;
    }
    gomp_atomic_store *a = dyn_cast<gomp_atomic_store *>(g);
    if (!a)
        return false;
    tree value = gimple_omp_atomic_store_val(a);
    if (value != atomic_lhs && atomic_addr) /* else it is an atomic read */
        emit_atomic(out, g, memory(), value);
    return true;
}

/* ---- constructs that one thread executes, or all alike --------------------------------------- */

static bool is_closed(gimple *g)
{
    return is_gimple_omp(g) && gimple_code(g) != GIMPLE_OMP_TASKGROUP;
}

/* Is it executed from its begin to its end, without branches? */
static bool is_straight(gimple_seq body)
{
    std::vector<gimple *> all = list_statements(body, is_closed);
    return std::none_of(all.begin(), all.end(), [](gimple *g) {
        return gimple_code(g) == GIMPLE_COND || gimple_code(g) == GIMPLE_SWITCH ||
               gimple_code(g) == GIMPLE_GOTO || gimple_code(g) == GIMPLE_LABEL;
    });
}

/* A construct that only wraps its body. */
void Flatten::flatten_wrapper(gimple_seq *out, gimple *g, ConstructKind kind)
{
    Construct *c = add_construct(kind, g);
    Lone here{c, g};
    std::vector<tree> own;
    if (kind == ConstructKind::Master) {
        own = find_assigned_registers(gimple_omp_body(g));
        lone = is_straight(gimple_omp_body(g)) ? &here : nullptr;
    }
    emit_marker(out, c, false);
    gimple_seq_add_seq(out, flatten_sequence(gimple_omp_body(g)));
    emit_marker(out, here.construct, true);
    forget_assigned(out, own);
}

/* The registers of a thread's own that a body assigns. */
std::vector<tree> Flatten::find_assigned_registers(gimple_seq body)
{
    std::vector<tree> own;
    for (gimple *g : list_statements(body)) {
        tree to = gimple_get_lhs(g);
        if (to && VAR_P(to) && is_gimple_reg(to) && !DECL_ARTIFICIAL(to) &&
            (parallel_depth == 0 || flat.private_vars.count(to)) &&
            std::find(own.begin(), own.end(), to) == own.end())
            own.push_back(to);
    }
    return own;
}

void Flatten::forget_assigned(gimple_seq *out, const std::vector<tree> &assigned)
{
    for (tree var : assigned) {
        tree t = make_temporary(TREE_TYPE(var));
        DECL_NAME(t) = DECL_NAME(var);
        flat.lone.insert(t);
        gimple_seq_add_stmt(out, gimple_build_assign(var, t));
    }
}

void Flatten::flatten_single(gimple_seq *out, gomp_single *s)
{
    tree clauses = gimple_omp_single_clauses(s);
    Construct *c = add_construct(ConstructKind::Single, s);
    c->nowait = has_nowait(s);
    emit_marker(out, c, false);
    Lone here{c, s};
    lone = is_straight(gimple_omp_body(s)) ? &here : nullptr;
    std::vector<tree> own = find_assigned_registers(gimple_omp_body(s));
    for (tree p = clauses; p; p = OMP_CLAUSE_CHAIN(p))
        if (OMP_CLAUSE_CODE(p) == OMP_CLAUSE_COPYPRIVATE) /* all threads get the value */
            own.erase(std::remove(own.begin(), own.end(), OMP_CLAUSE_DECL(p)), own.end());
    flatten_around(out, s, gimple_omp_body_ptr(s), clauses);
    emit_marker(out, here.construct, true);
    forget_assigned(out, own);
}

void Flatten::flatten_parallel(gimple_seq *out, gomp_parallel *p)
{
    ParallelClauses clauses = read_parallel(p);
    Construct *c = add_construct(ConstructKind::Parallel, p);
    c->has_threads = clauses.threads != NULL_TREE;
    c->has_if = clauses.condition != NULL_TREE;
    emit_marker(out, c, false, clauses.threads, clauses.condition);
    parallel_depth++;
    whole_parallel = gimple_omp_parallel_combined_p(p);
    parallel_loc = c->loc;
    flatten_around(out, p, gimple_omp_body_ptr(p), gimple_omp_parallel_clauses(p));
    parallel_depth--;
    whole_parallel = false;
    emit_marker(out, c, true);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* A loop bound as a value that does not change: non-rectangular ones are outer * a + b. */
tree Flatten::emit_bound(gimple_seq *out, tree value, tree type, location_t loc)
{
    if (is_gimple_min_invariant(value))
        return value;
    tree t = make_temporary(type);
    if (tree field = DECL_P(value) ? frame_field(value) : NULL_TREE) {
        value = make_temporary(TREE_TYPE(field));
        append_glue(out, gimple_build_assign(value, field));
    }
    if (TREE_CODE(value) == TREE_VEC) {
        tree outer = TREE_VEC_ELT(value, 0);
        tree by = TREE_VEC_ELT(value, 1), plus = TREE_VEC_ELT(value, 2);
        tree m = make_temporary(type);
        tree wide = outer;
        if (!useless_type_conversion_p(type, TREE_TYPE(outer))) {
            wide = make_temporary(type);
            append_glue(out, gimple_build_assign(wide, NOP_EXPR, outer));
        }
        append_glue(out, gimple_build_assign(m, MULT_EXPR, wide, fold_convert(type, by)));
        append_glue(out, gimple_build_assign(t, PLUS_EXPR, m, fold_convert(type, plus)));
    } else {
        gassign *g = useless_type_conversion_p(type, TREE_TYPE(value))
                         ? gimple_build_assign(t, value)
                         : gimple_build_assign(t, NOP_EXPR, value);
        gimple_set_location(g, loc);
        append_glue(out, g);
    }
    return t;
}

Flatten::Counter Flatten::make_counter(gimple_seq *out, gomp_for *f, unsigned depth)
{
    Counter c;
    c.loop = get_loop(f, depth);
    c.end = emit_bound(out, c.loop.end, c.loop.type(), c.loop.loc);
    c.first = emit_bound(out, c.loop.first, c.loop.type(), c.loop.loc);
    c.reg = c.loop.index;
    if (!is_gimple_reg(c.reg)) {
        /* The variable's address is taken: count in a register and store it for the body. */
        c.reg = make_temporary(c.loop.type());
        DECL_NAME(c.reg) = DECL_NAME(c.loop.index);
    }
    return c;
}

void Flatten::emit_index(gimple_seq *out, const Counter &c)
{
    if (c.reg != c.loop.index)
        append_glue(out, gimple_build_assign(c.loop.index, c.reg));
}

void Flatten::emit_advance(gimple_seq *out, const Counter &c, location_t loc)
{
    gassign *next = gimple_build_assign(c.reg, c.loop.advance, c.reg, c.loop.by);
    gimple_set_location(next, loc);
    append_glue(out, next);
}

void Flatten::emit_counting_loop(gimple_seq *out, const Counter &c, location_t loc,
                                 const std::function<void()> &emit_body)
{
    location_t at = c.loop.loc;
    tree test = create_artificial_label(at), top = create_artificial_label(at),
         done = create_artificial_label(at);
    gassign *start = gimple_build_assign(c.reg, c.first);
    gimple_set_location(start, loc);
    append_glue(out, start);
    append_glue(out, gimple_build_label(test));
    gcond *cond = gimple_build_cond(c.loop.relation, c.reg, c.end, top, done);
    gimple_set_location(cond, loc);
    append_glue(out, cond);
    append_glue(out, gimple_build_label(top));
    emit_index(out, c);
    emit_body();
    emit_advance(out, c, loc);
    append_glue(out, gimple_build_goto(test));
    append_glue(out, gimple_build_label(done));
}

void Flatten::emit_loop_nest(gimple_seq *out, gomp_for *f, Construct *c, unsigned depth)
{
    if (depth == gimple_omp_for_collapse(f)) {
        gimple_seq_add_seq(out, gimple_omp_body(f));
        return;
    }
    Counter counter = make_counter(out, f, depth);
    emit_counting_loop(out, counter, counter.loop.loc, [&]() {
        if (c)
            emit_body_marker(out, c, depth, counter.loop.loc);
        emit_loop_nest(out, f, c, depth + 1);
    });
}

Construct *Flatten::begin_worksharing(gimple_seq *out, gomp_for *f)
{
    Construct *c = add_construct(ConstructKind::For, f);
    read_worksharing(f, c);
    if (whole_parallel) {
        c->loc = parallel_loc;
        c->nowait = whole_parallel = false;
    }
    flat.orphaned |= parallel_depth == 0;
    emit_marker(out, c, false, c->chunk);
    return c;
}

void Flatten::flatten_loop(gimple_seq *out, gomp_for *f)
{
    gimple_seq_add_seq(out, flatten_sequence(gimple_omp_for_pre_body(f)));
    /* The loops of a combined `for simd' are the simd construct's, and those of a taskloop are in
     * its task; other simd loops are not shared. */
    Construct *c = combined;
    combined = nullptr;
    bool tasks = is_taskloop(f) && !c;
    bool shared = tasks || gimple_omp_for_kind(f) == GF_OMP_FOR_KIND_FOR;
    if (shared)
        c = tasks ? begin_taskloop(out, f) : begin_worksharing(out, f);
    if (shared && !c)
        return;
    Scan phases, *outer_scan = scan;
    const bool scanned = c && !tasks && has_scan(f) && is_scanned(f);
    if (c && !scanned && !tasks && has_scan(f))
        emit_unknown(out, f, "omp scan");
    scan = scanned ? &phases : nullptr;
    flat.elsewhere |= scanned;
    Lone *around = lone;
    lone = nullptr;

    gimple_seq before = NULL, after = NULL, loops = NULL;
    bool outer = gimple_omp_for_combined_p(f);
    combined = outer ? c : nullptr;
    gimple_seq body =
        flatten_with_clauses(f, gimple_omp_body_ptr(f), gimple_omp_for_clauses(f), &before, &after);
    combined = nullptr;
    scan = outer_scan;
    if (outer) {
        loops = body;
        c = scanned ? second_phase : c;
    } else if (scanned) {
        loops = body; /* declares its variables */
        c = second_phase = emit_scan(&loops, f, c, phases);
    } else {
        gimple_omp_set_body(f, body);
        emit_loops(&loops, f, c);
    }
    gimple_seq_add_seq(out, before);
    gimple_seq_add_seq(out, loops);
    gimple_seq_add_seq(out, after);
    lone = around;
    if (tasks)
        end_taskloop(out, c);
    else if (shared)
        emit_marker(out, c, true);
}

/* ---- sections -------------------------------------------------------------------------------- */

/* if (index == k) { the k-th section } */
void Flatten::flatten_section(gimple_seq *out, gomp_sections *s, gimple *section, tree index,
                              size_t k)
{
    location_t loc = gimple_location(s);
    tree yes = create_artificial_label(loc), no = create_artificial_label(loc);
    gcond *mine = gimple_build_cond(EQ_EXPR, index, build_int_cst(integer_type_node, k), yes, no);
    gimple_set_location(
        mine, gimple_location(section) != UNKNOWN_LOCATION ? gimple_location(section) : loc);
    append(out, mine);
    append(out, gimple_build_label(yes));
    flatten_around(out, s, gimple_omp_body_ptr(section), gimple_omp_sections_clauses(s));
    append(out, gimple_build_label(no));
}

/* Each thread gets the next section when it asks for one, as in a loop with schedule(dynamic, 1).
 */
void Flatten::flatten_sections(gimple_seq *out, gomp_sections *s)
{
    Construct *c = add_construct(ConstructKind::Sections, s);
    c->nowait = !whole_parallel && has_nowait(s);
    whole_parallel = false;
    c->schedule = PLUSSI_SCHED_DYNAMIC;
    c->has_chunk = true;
    flat.orphaned |= parallel_depth == 0;
    std::vector<gimple *> sections = list_sections(s);
    c->sections = sections.size();
    emit_marker(out, c, false, integer_one_node);

    tree index = make_temporary(integer_type_node);
    DECL_NAME(index) = get_identifier("section");
    tree end = build_int_cst(integer_type_node, sections.size());
    Counter counter = {
        {index, integer_zero_node, end, integer_one_node, LT_EXPR, PLUS_EXPR, gimple_location(s)},
        index,
        integer_zero_node,
        end};
    gimple_seq loop = NULL;
    emit_counting_loop(&loop, counter, UNKNOWN_LOCATION, [&]() {
        emit_body_marker(&loop, c, 0, counter.loop.loc);
        tree skip = begin_section(&loop, index);
        for (size_t k = 0; k < sections.size(); k++)
            flatten_section(&loop, s, sections[k], index, k);
        if (skip)
            append_glue(&loop, gimple_build_label(skip));
    });
    gimple_seq_add_seq(out, loop);
    emit_marker(out, c, true);
}

} // namespace pluss
