/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * OpenMP made sequential. Each construct's body is put in the construct's place between two calls
 * of pluss_mark (number, is_end, operand...); SSA form then resolves the operands (the chunk, the
 * number of threads). A worksharing loop becomes one ordinary loop per collapsed dimension:
 *
 *     [index = initial; bound = final]  test: if (index < bound) { mark (body d); body; index += s
 * }
 *
 * Bounds are taken once, before the loop, since formal temporaries may be used again inside.
 *
 * Data sharing: a variable named in a private, firstprivate, lastprivate, linear or reduction
 * clause is replaced by a fresh one inside the construct, copied in and out as the clause says, so
 * that SSA does not mix the two. Arrays and variables declared inside of a parallel region are
 * noted as private memory.
 *
 * Tasks, target regions, teams and loops of other kinds are taken out; a mark says what was there.
 */
#include "shadow/flatten.h"

#include "shadow/callee.h"

namespace pluss
{

/* Without a name: GCC numbers the names that it makes up, and others' numbers would move. */
tree Flatten::temporary(tree type)
{
    tree t = create_tmp_var_raw(type, NULL);
    DECL_CONTEXT(t) = current_function_decl;
    DECL_SEEN_IN_BIND_EXPR_P(t) = 1;
    add_local_decl(cfun, t);
    return t;
}

tree Flatten::fresh(tree var)
{
    tree type = TREE_TYPE(var);
    tree t = temporary(type);
    DECL_NAME(t) = DECL_NAME(var);
    DECL_ARTIFICIAL(t) = DECL_ARTIFICIAL(var);
    DECL_IGNORED_P(t) = DECL_IGNORED_P(var);
    DECL_SOURCE_LOCATION(t) = DECL_SOURCE_LOCATION(var);
    TREE_ADDRESSABLE(t) = TREE_ADDRESSABLE(var) && !is_global_var(var);
    SET_DECL_ALIGN(t, DECL_ALIGN(var));
    DECL_USER_ALIGN(t) = DECL_USER_ALIGN(var);
    if (!VAR_P(var) || !is_global_var(var))
        DECL_NOT_GIMPLE_REG_P(t) = DECL_NOT_GIMPLE_REG_P(var);
    shadow.private_vars.insert(t);
    return t;
}

void Flatten::mark(gimple_seq *out, const Construct *c, bool end, tree a, tree b)
{
    while (numbers.size() < shadow.constructs.size())
        numbers.insert({&shadow.constructs[numbers.size()], numbers.size()});
    size_t number = numbers.at(c);
    auto_vec<tree> args;
    args.safe_push(build_int_cst(integer_type_node, number));
    args.safe_push(end ? integer_one_node : integer_zero_node);
    if (a || b)
        args.safe_push(a ? a : integer_zero_node);
    if (b)
        args.safe_push(b);
    gcall *call = gimple_build_call_vec(shadow.mark_fn, args);
    gimple_set_location(call, c->loc);
    gimple_call_set_nothrow(call, true);
    if (c->kind == ConstructKind::Body)
        glue(out, call);
    else
        put(out, call);
}

void Flatten::drop(gimple_seq *out, gimple *g, const char *what)
{
    Construct *c = add(ConstructKind::Unknown, g);
    c->what = what;
    mark(out, c, false);
}

gimple_seq Flatten::sequence(gimple_seq in)
{
    gimple_seq out = NULL;
    for (gimple_stmt_iterator i = gsi_start(in); !gsi_end_p(i);) {
        gimple *g = gsi_stmt(i);
        gsi_remove(&i, false);
        size_t at = shadow.flow.size();
        statement(&out, g);
        auto from = shadow.origin.find(g);
        if (from != shadow.origin.end() && callers.empty())
            shadow.span[from->second] = {at, shadow.flow.size()};
    }
    return out;
}

/* A construct that only wraps its body. */
void Flatten::simple(gimple_seq *out, gimple *g, ConstructKind kind)
{
    Construct *c = add(kind, g);
    std::vector<tree> own;
    if (kind == ConstructKind::Master)
        own = assigns_own(gimple_omp_body(g));
    mark(out, c, false);
    gimple_seq_add_seq(out, sequence(gimple_omp_body(g)));
    mark(out, c, true);
    set_apart(out, own);
}

/* The registers of a thread's own that a body assigns. */
std::vector<tree> Flatten::assigns_own(gimple_seq body)
{
    std::vector<tree> own;
    for (gimple *g : all_stmts(body)) {
        tree to = gimple_get_lhs(g);
        if (to && VAR_P(to) && is_gimple_reg(to) && !DECL_ARTIFICIAL(to) &&
            (parallel_depth == 0 || shadow.private_vars.count(to)) &&
            std::find(own.begin(), own.end(), to) == own.end())
            own.push_back(to);
    }
    return own;
}

void Flatten::set_apart(gimple_seq *out, const std::vector<tree> &assigned)
{
    for (tree var : assigned) {
        tree t = temporary(TREE_TYPE(var));
        DECL_NAME(t) = DECL_NAME(var);
        shadow.lone.insert(t);
        gimple_seq_add_stmt(out, gimple_build_assign(var, t));
    }
}

void Flatten::statement(gimple_seq *out, gimple *g)
{
    switch (gimple_code(g)) {
    case GIMPLE_BIND: {
        gbind *b = as_a<gbind *>(g);
        if (parallel_depth > 0)
            for (tree v = gimple_bind_vars(b); v; v = DECL_CHAIN(v))
                if (VAR_P(v) && !is_global_var(v))
                    shadow.private_vars.insert(v);
        gimple_bind_set_body(b, sequence(gimple_bind_body(b)));
        break;
    }
    case GIMPLE_TRY:
        /* What is described is the run without exceptions; their handlers are not for it. (And GCC
         * lowers what a noexcept function leaves in the place of a destructor's call only by
         * accident.) */
        if (gimple_try_kind(g) == GIMPLE_TRY_CATCH) {
            gimple_seq_add_seq(out, sequence(gimple_try_eval(g)));
            return;
        }
        gimple_try_set_eval(as_a<gtry *>(g), sequence(gimple_try_eval(g)));
        gimple_try_set_cleanup(as_a<gtry *>(g), sequence(gimple_try_cleanup(g)));
        break;
    case GIMPLE_CATCH:
        gimple_catch_set_handler(as_a<gcatch *>(g),
                                 sequence(gimple_catch_handler(as_a<gcatch *>(g))));
        break;
    case GIMPLE_EH_FILTER:
        gimple_eh_filter_set_failure(as_a<geh_filter *>(g), sequence(gimple_eh_filter_failure(g)));
        break;
    case GIMPLE_EH_ELSE:
        gimple_eh_else_set_n_body(as_a<geh_else *>(g),
                                  sequence(gimple_eh_else_n_body(as_a<geh_else *>(g))));
        gimple_eh_else_set_e_body(as_a<geh_else *>(g),
                                  sequence(gimple_eh_else_e_body(as_a<geh_else *>(g))));
        break;
    case GIMPLE_TRANSACTION: {
        gtransaction *t = as_a<gtransaction *>(g);
        gimple_seq_add_seq(out, sequence(gimple_transaction_body(t)));
        return;
    }
    case GIMPLE_OMP_PARALLEL:
        parallel(out, as_a<gomp_parallel *>(g));
        return;
    case GIMPLE_OMP_FOR:
        loop(out, as_a<gomp_for *>(g));
        return;
    case GIMPLE_OMP_SECTIONS:
        sections(out, as_a<gomp_sections *>(g));
        return;
    case GIMPLE_OMP_SINGLE:
        single(out, as_a<gomp_single *>(g));
        return;
    case GIMPLE_OMP_MASTER:
        simple(out, g, ConstructKind::Master);
        return;
    case GIMPLE_OMP_CRITICAL:
        simple(out, g, ConstructKind::Critical);
        return;
    case GIMPLE_OMP_ORDERED:
        if (gimple_omp_body(g))
            simple(out, g, ConstructKind::Ordered);
        return;
    case GIMPLE_OMP_SECTION: /* outside of sections: cannot be */
    case GIMPLE_OMP_TASKGROUP:
        gimple_seq_add_seq(out, sequence(gimple_omp_body(g)));
        return;
    case GIMPLE_OMP_SCAN:
        drop(out, g, "omp scan");
        gimple_seq_add_seq(out, sequence(gimple_omp_body(g)));
        return;
    case GIMPLE_OMP_TASK:
        drop(out, g, gimple_omp_task_taskwait_p(g) ? "omp taskwait depend" : "omp task");
        return;
    case GIMPLE_OMP_TARGET:
        drop(out, g, "omp target");
        return;
    case GIMPLE_OMP_TEAMS:
        drop(out, g, "omp teams");
        return;
    case GIMPLE_OMP_ATOMIC_LOAD: {
        gomp_atomic_load *a = as_a<gomp_atomic_load *>(g);
        tree addr = gimple_omp_atomic_load_rhs(a), lhs = gimple_omp_atomic_load_lhs(a);
        tree mem = build2(MEM_REF, TREE_TYPE(lhs), addr,
                          build_int_cst(build_pointer_type(TREE_TYPE(lhs)), 0));
        gassign *s = gimple_build_assign(lhs, mem);
        gimple_set_location(s, gimple_location(g));
        shadow.atomic.insert(s);
        shadow.origin[s] = shadow.origin[g];
        put(out, s);
        atomic_addr = addr;
        atomic_lhs = lhs;
        return;
    }
    case GIMPLE_OMP_ATOMIC_STORE: {
        tree val = gimple_omp_atomic_store_val(as_a<gomp_atomic_store *>(g));
        if (val == atomic_lhs || !atomic_addr)
            return; /* atomic read */
        tree mem = build2(MEM_REF, TREE_TYPE(atomic_lhs), atomic_addr,
                          build_int_cst(build_pointer_type(TREE_TYPE(atomic_lhs)), 0));
        gassign *s = gimple_build_assign(mem, val);
        gimple_set_location(s, gimple_location(g));
        shadow.atomic.insert(s);
        shadow.origin[s] = shadow.origin[g];
        put(out, s);
        return;
    }
    case GIMPLE_CALL:
        if (inline_call(out, as_a<gcall *>(g)))
            return;
        break;
    default:
        if (PLUSSI_IS_OMP_MASKED(g)) {
            if (plussi_masked_by_filter(g))
                drop(out, g, "omp masked with a filter");
            else
                simple(out, g, ConstructKind::Master);
            return;
        }
        if (PLUSSI_IS_OMP_SCOPE(g)) {
            gimple_seq_add_seq(out, sequence(gimple_omp_body(g)));
            return;
        }
        if (is_gimple_omp(g)) {
            drop(out, g, "an OpenMP construct of another kind");
            return;
        }
    }
    put(out, g);
}

/* ---- data sharing ---------------------------------------------------------------------------- */

struct RemapInfo {
    std::map<tree, tree> to;
    std::map<tree, tree> referred; /* of a reference: the variable that takes its object's place */
    std::set<tree> named; /* references that are used otherwise than to get at the object */
};

static tree remap_var(tree *tp, int *walk_subtrees, void *data)
{
    RemapInfo *r = static_cast<RemapInfo *>(static_cast<walk_stmt_info *>(data)->info);
    auto referred = [&](tree reference) {
        auto it = DECL_P(reference) ? r->referred.find(reference) : r->referred.end();
        return it == r->referred.end() ? NULL_TREE : it->second;
    };
    if (TYPE_P(*tp))
        *walk_subtrees = 0;
    else if (TREE_CODE(*tp) == OMP_CLAUSE && omp_clause_num_ops[OMP_CLAUSE_CODE(*tp)] > 0 &&
             OMP_CLAUSE_OPERAND(*tp, 0) && referred(OMP_CLAUSE_OPERAND(*tp, 0)))
        OMP_CLAUSE_OPERAND(*tp, 0) = referred(OMP_CLAUSE_OPERAND(*tp, 0));
    else if (TREE_CODE(*tp) == MEM_REF && integer_zerop(TREE_OPERAND(*tp, 1)) &&
             referred(TREE_OPERAND(*tp, 0)) &&
             useless_type_conversion_p(TREE_TYPE(referred(TREE_OPERAND(*tp, 0))), TREE_TYPE(*tp))) {
        *tp = referred(TREE_OPERAND(*tp, 0));
        *walk_subtrees = 0;
    } else if (DECL_P(*tp)) {
        if (referred(*tp))
            r->named.insert(*tp);
        auto it = r->to.find(*tp);
        if (it != r->to.end())
            *tp = it->second;
        *walk_subtrees = 0;
    }
    return NULL_TREE;
}

/* dst = src for two variables of a register type; through a temporary where both live in memory. */
void Flatten::assign_var(gimple_seq *out, tree dst, tree src, location_t loc)
{
    if (!is_gimple_reg(dst) && !is_gimple_reg(src)) {
        copy_value(out, dst, src, loc);
        return;
    }
    gassign *g = gimple_build_assign(dst, src);
    gimple_set_location(g, loc);
    put(out, g);
}

/* The same where either may come to live in memory. */
void Flatten::copy_value(gimple_seq *out, tree dst, tree src, location_t loc)
{
    tree t = temporary(TREE_TYPE(dst));
    gassign *g = gimple_build_assign(t, src);
    gimple_set_location(g, loc);
    put(out, g);
    g = gimple_build_assign(dst, t);
    gimple_set_location(g, loc);
    put(out, g);
}

/* The object of a reference, as it is in statements. */
static tree object_of(tree reference)
{
    return build2(MEM_REF, TREE_TYPE(TREE_TYPE(reference)), reference,
                  build_int_cst(build_pointer_type(TREE_TYPE(TREE_TYPE(reference))), 0));
}

/* Replaces the variables of g's data-sharing clauses inside g and returns the flattened body;
 * `before` and `after` get the copies in and out. What a reference refers to is what is private:
 * it becomes a variable, which the reference is set to where it is used as such. */
gimple_seq Flatten::with_clauses(gimple *g, gimple_seq *body, tree clauses, gimple_seq *before,
                                 gimple_seq *after)
{
    RemapInfo remap;
    std::vector<tree> references;
    for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN(c)) {
        bool in = false, copy_out = false;
        switch (OMP_CLAUSE_CODE(c)) {
        case OMP_CLAUSE_PRIVATE:
            break;
        case OMP_CLAUSE_FIRSTPRIVATE:
            in = true;
            break;
        case OMP_CLAUSE_LASTPRIVATE:
            copy_out = true;
            break;
        case OMP_CLAUSE_LINEAR:
            in = copy_out = true;
            break;
        case OMP_CLAUSE_REDUCTION:
        case OMP_CLAUSE_IN_REDUCTION:
        case OMP_CLAUSE_TASK_REDUCTION:
            copy_out = true;
            break;
        default:
            continue;
        }
        tree var = OMP_CLAUSE_DECL(c);
        bool section = TREE_CODE(var) == MEM_REF; /* an array section in a reduction */
        while (var && (TREE_CODE(var) == MEM_REF || TREE_CODE(var) == INDIRECT_REF ||
                       TREE_CODE(var) == POINTER_PLUS_EXPR || TREE_CODE(var) == ADDR_EXPR))
            var = TREE_OPERAND(var, 0);
        if (!var || !DECL_P(var) || remap.to.count(var))
            continue;
        bool linear = OMP_CLAUSE_CODE(c) == OMP_CLAUSE_LINEAR;
        tree type = TREE_TYPE(var);
        bool reg = is_gimple_reg_type(type) && !section;
        bool reference = TREE_CODE(type) == REFERENCE_TYPE;
        bool index = false;
        if (gomp_for *f = dyn_cast<gomp_for *>(g))
            for (size_t d = 0; d < gimple_omp_for_collapse(f); d++)
                index |= gimple_omp_for_index(f, d) == var;
        if (DECL_HAS_VALUE_EXPR_P(var))
            continue; /* a VLA: its pointer has a clause of its own, or is made inside */
        tree t = fresh(var);
        remap.to[var] = t;
        if (reference && !section && COMPLETE_TYPE_P(TREE_TYPE(type)) &&
            TREE_CODE(TYPE_SIZE(TREE_TYPE(type))) == INTEGER_CST) {
            tree object = temporary(TREE_TYPE(type));
            DECL_NAME(object) = DECL_NAME(var);
            DECL_SOURCE_LOCATION(object) = DECL_SOURCE_LOCATION(var);
            shadow.private_vars.insert(object);
            remap.referred[var] = object;
            references.push_back(var);
            if (is_gimple_reg_type(TREE_TYPE(object))) {
                if (in)
                    copy_value(before, object, object_of(var), gimple_location(g));
                if (copy_out) {
                    copy_value(after, object_of(var), object, gimple_location(g));
                    shadow.copied_out.insert(object);
                }
                if (linear)
                    shadow.linear.insert(object);
                continue;
            }
        }
        if (reg && !reference) {
            if (in && !index)
                assign_var(before, t, var, gimple_location(g));
            if (copy_out && !(VAR_P(var) && TREE_READONLY(var))) {
                assign_var(after, var, t, gimple_location(g));
                shadow.copied_out.insert(t);
            }
            if (linear)
                shadow.linear.insert(t);
        } else if (in || copy_out) {
            Construct *k = add(ConstructKind::Unknown, g);
            const char *name = DECL_NAME(var) ? IDENTIFIER_POINTER(DECL_NAME(var)) : "an array";
            k->what = std::string(in ? "the copy of " : "the combination of the threads' ") + name +
                      (in ? " into each thread" : "");
            mark(in ? before : after, k, false);
        }
    }
    for (gimple_stmt_iterator i = gsi_start(*after); !gsi_end_p(i); gsi_next(&i))
        shadow.taken_out.insert(gsi_stmt(i));
    if (!remap.to.empty()) {
        walk_stmt_info wi;
        memset(&wi, 0, sizeof wi);
        wi.info = &remap;
        walk_gimple_seq_mod(body, NULL, remap_var, &wi);
        if (gomp_for *f = dyn_cast<gomp_for *>(g))
            for (size_t d = 0; d < gimple_omp_for_collapse(f); d++) {
                walk_tree(gimple_omp_for_index_ptr(f, d), remap_var, &wi, NULL);
                walk_tree(gimple_omp_for_incr_ptr(f, d), remap_var, &wi, NULL);
                for (tree *b : {gimple_omp_for_initial_ptr(f, d), gimple_omp_for_final_ptr(f, d)})
                    if (TREE_CODE(*b) == TREE_VEC) /* names an outer index */
                        walk_tree(b, remap_var, &wi, NULL);
            }
        for (tree reference : references)
            if (remap.named.count(reference)) {
                tree object = remap.referred[reference];
                TREE_ADDRESSABLE(object) = 1;
                put(before, gimple_build_assign(remap.to[reference], build_fold_addr_expr(object)));
            }
    }
    return sequence(*body);
}

/* ---- calls ----------------------------------------------------------------------------------- */

enum { MAX_INLINED_STMTS = 20000, MAX_INLINED_DEPTH = 12 };

struct ReturnInfo {
    tree result, done; /* the variable that takes the result (or NULL), the label after the body */
};

static tree replace_return(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
    *handled = false;
    greturn *r = dyn_cast<greturn *>(gsi_stmt(*gsi));
    if (!r)
        return NULL_TREE;
    ReturnInfo *info = static_cast<ReturnInfo *>(wi->info);
    tree value = gimple_return_retval(r);
    if (value && info->result && value != info->result) {
        gassign *a = gimple_build_assign(info->result, value);
        gimple_set_location(a, gimple_location(r));
        gsi_insert_before(gsi, a, GSI_SAME_STMT);
    }
    gsi_replace(gsi, gimple_build_goto(info->done), false);
    *handled = true;
    return NULL_TREE;
}

/* Puts the called function's body in the call's place: parameters become variables that the
 * arguments are assigned to, return becomes a jump to the end. */
bool Flatten::inline_call(gimple_seq *out, gcall *call)
{
    tree fn = gimple_call_fndecl(call);
    if (!fn || gimple_call_internal_p(call) || fndecl_built_in_p(fn) || fn == shadow.mark_fn ||
        fn == current_function_decl || callers.size() >= MAX_INLINED_DEPTH ||
        inlined_stmts > MAX_INLINED_STMTS || (gimple_call_flags(call) & ECF_NORETURN) ||
        std::find(callers.begin(), callers.end(), fn) != callers.end())
        return false;
    fn = callee_target(fn);
    tree result = DECL_RESULT(fn), lhs = gimple_call_lhs(call);
    if (!result || !DECL_ARGUMENTS(fn) != !gimple_call_num_args(call))
        return false;
    unsigned n = 0;
    for (tree p = DECL_ARGUMENTS(fn); p; p = DECL_CHAIN(p), n++)
        if (n >= gimple_call_num_args(call) ||
            !useless_type_conversion_p(TREE_TYPE(p), TREE_TYPE(gimple_call_arg(call, n))))
            return false;
    if (n != gimple_call_num_args(call))
        return false;
    if (DECL_BY_REFERENCE(result) && !lhs)
        return false;
    if (DECL_STATIC_CHAIN(fn) && !gimple_call_chain(call))
        return false;

    std::vector<gimple *> from, to;
    gimple_seq body = copy_callee(fn, &from, &to);
    if (!body)
        return false;
    inlined_stmts += to.size();
    shadow.adopt(from, to);
    location_t loc = gimple_location(call);
    /* What a system header's function does is told of the place that calls it. */
    if (in_system_header_at(DECL_SOURCE_LOCATION(fn)) && !in_system_header_at(loc))
        for (gimple *g : to)
            gimple_set_location(g, loc);
    RemapInfo remap;
    if (tree chain = chain_of(fn))
        remap.to[chain] = gimple_call_chain(call); /* which it passes on */
    n = 0;
    for (tree p = DECL_ARGUMENTS(fn); p; p = DECL_CHAIN(p), n++) {
        tree t = fresh(p), arg = gimple_call_arg(call, n);
        if (parallel_depth == 0)
            shadow.private_vars.erase(t);
        DECL_ARTIFICIAL(t) = DECL_IGNORED_P(t) = 1; /* named after the argument */
        remap.to[p] = t;
        gassign *a;
        if (!is_gimple_reg(t) && is_gimple_reg_type(TREE_TYPE(t)) && !is_gimple_val(arg)) {
            tree tmp = temporary(TREE_TYPE(t));
            put(out, gimple_build_assign(tmp, arg));
            arg = tmp;
        }
        a = gimple_build_assign(t, arg);
        gimple_set_location(a, loc);
        put(out, a);
    }
    ReturnInfo info = {NULL_TREE, create_artificial_label(loc)};
    if (!VOID_TYPE_P(TREE_TYPE(result))) {
        info.result = fresh(result);
        if (parallel_depth == 0)
            shadow.private_vars.erase(info.result);
        remap.to[result] = info.result;
        if (DECL_BY_REFERENCE(result)) {
            tree address = build_fold_addr_expr(unshare_expr(lhs));
            put(out, gimple_build_assign(info.result, address));
        }
    }
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = &remap;
    walk_gimple_seq_mod(&body, NULL, remap_var, &wi);
    memset(&wi, 0, sizeof wi);
    ReturnInfo give = info;
    if (DECL_BY_REFERENCE(result))
        give.result = NULL_TREE;
    wi.info = &give;
    walk_gimple_seq_mod(&body, replace_return, NULL, &wi);

    callers.push_back(fn);
    gimple_seq_add_seq(out, sequence(body));
    callers.pop_back();
    put(out, gimple_build_label(info.done));
    if (lhs && info.result && !DECL_BY_REFERENCE(result)) {
        if (!is_gimple_reg(lhs) && !is_gimple_reg(info.result) &&
            is_gimple_reg_type(TREE_TYPE(lhs))) {
            tree tmp = temporary(TREE_TYPE(lhs));
            put(out, gimple_build_assign(tmp, info.result));
            info.result = tmp;
        }
        gassign *a = gimple_build_assign(lhs, info.result);
        gimple_set_location(a, loc);
        auto from = shadow.origin.find(call);
        if (from != shadow.origin.end())
            shadow.origin[a] = from->second; /* what the call assigns */
        put(out, a);
    }
    return true;
}

/* ---- constructs ------------------------------------------------------------------------------ */

void Flatten::parallel(gimple_seq *out, gomp_parallel *p)
{
    tree clauses = gimple_omp_parallel_clauses(p);
    Construct *c = add(ConstructKind::Parallel, p);
    tree threads = NULL_TREE, cond = NULL_TREE;
    if (tree k = omp_find_clause(clauses, OMP_CLAUSE_NUM_THREADS))
        threads = OMP_CLAUSE_NUM_THREADS_EXPR(k);
    for (tree k = clauses; k; k = OMP_CLAUSE_CHAIN(k))
        if (OMP_CLAUSE_CODE(k) == OMP_CLAUSE_IF &&
            (OMP_CLAUSE_IF_MODIFIER(k) == ERROR_MARK || OMP_CLAUSE_IF_MODIFIER(k) == OMP_PARALLEL))
            cond = OMP_CLAUSE_IF_EXPR(k);
    c->has_threads = threads != NULL_TREE;
    c->has_if = cond != NULL_TREE;
    mark(out, c, false, threads, cond);
    gimple_seq before = NULL, after = NULL;
    parallel_depth++;
    only = gimple_omp_parallel_combined_p(p);
    parallel_loc = c->loc;
    gimple_seq body = with_clauses(p, gimple_omp_body_ptr(p), clauses, &before, &after);
    parallel_depth--;
    only = false;
    gimple_seq_add_seq(out, before);
    gimple_seq_add_seq(out, body);
    gimple_seq_add_seq(out, after);
    mark(out, c, true);
}

static void read_schedule(tree clause, Construct *c)
{
    unsigned kind = OMP_CLAUSE_SCHEDULE_KIND(clause);
    switch (kind & OMP_CLAUSE_SCHEDULE_MASK) {
    case OMP_CLAUSE_SCHEDULE_STATIC:
        c->schedule = PLUSSI_SCHED_STATIC;
        break;
    case OMP_CLAUSE_SCHEDULE_DYNAMIC:
        c->schedule = PLUSSI_SCHED_DYNAMIC;
        break;
    case OMP_CLAUSE_SCHEDULE_GUIDED:
        c->schedule = PLUSSI_SCHED_GUIDED;
        break;
    case OMP_CLAUSE_SCHEDULE_AUTO:
        c->schedule = PLUSSI_SCHED_AUTO;
        break;
    case OMP_CLAUSE_SCHEDULE_RUNTIME:
        c->schedule = PLUSSI_SCHED_RUNTIME;
        break;
    default:
        break;
    }
    c->modifier = kind & OMP_CLAUSE_SCHEDULE_MONOTONIC      ? PLUSSI_SCHED_MONOTONIC
                  : kind & OMP_CLAUSE_SCHEDULE_NONMONOTONIC ? PLUSSI_SCHED_NONMONOTONIC
                                                            : PLUSSI_SCHED_PLAIN;
}

/* A loop bound as a value that does not change: non-rectangular ones are outer * a + b. */
tree Flatten::bound(gimple_seq *out, tree value, tree type, location_t loc)
{
    if (is_gimple_min_invariant(value))
        return value;
    tree t = temporary(type);
    if (TREE_CODE(value) == TREE_VEC) {
        tree outer = TREE_VEC_ELT(value, 0);
        tree by = TREE_VEC_ELT(value, 1), plus = TREE_VEC_ELT(value, 2);
        tree m = temporary(type);
        tree wide = outer;
        if (!useless_type_conversion_p(type, TREE_TYPE(outer))) {
            wide = temporary(type);
            glue(out, gimple_build_assign(wide, NOP_EXPR, outer));
        }
        glue(out, gimple_build_assign(m, MULT_EXPR, wide, fold_convert(type, by)));
        glue(out, gimple_build_assign(t, PLUS_EXPR, m, fold_convert(type, plus)));
    } else {
        gassign *g = useless_type_conversion_p(type, TREE_TYPE(value))
                         ? gimple_build_assign(t, value)
                         : gimple_build_assign(t, NOP_EXPR, value);
        gimple_set_location(g, loc);
        glue(out, g);
    }
    return t;
}

void Flatten::loop(gimple_seq *out, gomp_for *f)
{
    int kind = gimple_omp_for_kind(f);
    tree clauses = gimple_omp_for_clauses(f);
    if (kind != GF_OMP_FOR_KIND_FOR && kind != GF_OMP_FOR_KIND_SIMD) {
        drop(out, f,
             kind == GF_OMP_FOR_KIND_DISTRIBUTE ? "omp distribute"
             : kind == GF_OMP_FOR_KIND_TASKLOOP ? "omp taskloop"
                                                : "an OpenACC loop");
        return;
    }
    gimple_seq_add_seq(out, sequence(gimple_omp_for_pre_body(f)));

    Construct *c = nullptr, *outer = combined;
    bool mine = kind == GF_OMP_FOR_KIND_FOR;
    combined = nullptr;
    if (mine) {
        c = add(ConstructKind::For, f);
        if (only)
            c->loc = parallel_loc;
        c->nowait = !only && omp_find_clause(clauses, OMP_CLAUSE_NOWAIT) != NULL_TREE;
        only = false;
        c->collapse = gimple_omp_for_collapse(f);
        if (tree o = omp_find_clause(clauses, OMP_CLAUSE_ORDERED)) {
            c->ordered = true;
            /* ordered(n) counts loops for dependences; only collapse(n) shares them out. */
            if (OMP_CLAUSE_ORDERED_EXPR(o)) {
                tree n = omp_find_clause(clauses, OMP_CLAUSE_COLLAPSE);
                c->collapse = n ? tree_to_uhwi(OMP_CLAUSE_COLLAPSE_EXPR(n)) : 1;
            }
        }
        tree chunk = NULL_TREE;
        if (tree s = omp_find_clause(clauses, OMP_CLAUSE_SCHEDULE)) {
            read_schedule(s, c);
            chunk = OMP_CLAUSE_SCHEDULE_CHUNK_EXPR(s);
        }
        c->has_chunk = chunk != NULL_TREE;
        c->chunk = chunk;
        if (parallel_depth == 0)
            shadow.orphaned = true;
        mark(out, c, false, chunk);
    } else {
        c = outer; /* of a combined `for simd` the loops are these; else a plain loop */
    }

    gimple_seq before = NULL, after = NULL, loops = NULL;
    Construct *within = nullptr;
    if (mine && gimple_omp_for_combined_p(f))
        within = c;
    combined = within;
    gimple_seq body = with_clauses(f, gimple_omp_body_ptr(f), clauses, &before, &after);
    combined = nullptr;
    if (within) {
        loops = body;
    } else {
        gimple_omp_set_body(f, body);
        loops_of(&loops, f, c);
    }
    gimple_seq_add_seq(out, before);
    gimple_seq_add_seq(out, loops);
    gimple_seq_add_seq(out, after);
    if (mine)
        mark(out, c, true);
}

void Flatten::dimension(gimple_seq *out, gomp_for *f, Construct *c, unsigned d)
{
    location_t loc = gimple_location(f);
    tree index = gimple_omp_for_index(f, d);
    tree type = TREE_TYPE(index);
    tree final = bound(out, gimple_omp_for_final(f, d), type, loc);
    tree initial = bound(out, gimple_omp_for_initial(f, d), type, loc);
    tree reg = index;
    if (!is_gimple_reg(index)) {
        /* The variable's address is taken: count in a register and store it for the body. */
        reg = temporary(type);
        DECL_NAME(reg) = DECL_NAME(index);
    }
    gassign *start = gimple_build_assign(reg, initial);
    gimple_set_location(start, loc);
    glue(out, start);

    tree test = create_artificial_label(loc), top = create_artificial_label(loc),
         done = create_artificial_label(loc);
    glue(out, gimple_build_label(test));
    gcond *cond = gimple_build_cond(gimple_omp_for_cond(f, d), reg, final, top, done);
    gimple_set_location(cond, loc);
    glue(out, cond);
    glue(out, gimple_build_label(top));
    if (reg != index)
        glue(out, gimple_build_assign(index, reg));
    if (c) {
        shadow.constructs.emplace_back(ConstructKind::Body, loc);
        Construct *b = &shadow.constructs.back();
        b->of = c;
        b->dim = d;
        mark(out, b, false);
    }
    if (d + 1 < gimple_omp_for_collapse(f))
        dimension(out, f, c, d + 1);
    else
        gimple_seq_add_seq(out, gimple_omp_body(f));
    tree incr = gimple_omp_for_incr(f, d);
    tree by = TREE_OPERAND(incr, 1);
    gassign *next = gimple_build_assign(reg, TREE_CODE(incr), reg, by);
    gimple_set_location(next, loc);
    glue(out, next);
    glue(out, gimple_build_goto(test));
    glue(out, gimple_build_label(done));
}

/* sections: whoever comes takes the next section, as a loop with schedule(dynamic, 1) would. */
void Flatten::sections(gimple_seq *out, gomp_sections *s)
{
    location_t loc = gimple_location(s);
    tree clauses = gimple_omp_sections_clauses(s);
    Construct *c = add(ConstructKind::Sections, s);
    c->nowait = !only && omp_find_clause(clauses, OMP_CLAUSE_NOWAIT) != NULL_TREE;
    only = false;
    c->schedule = PLUSSI_SCHED_DYNAMIC;
    c->has_chunk = true;
    if (parallel_depth == 0)
        shadow.orphaned = true;
    std::vector<gimple *> parts;
    std::function<void(gimple_seq)> find = [&](gimple_seq seq) {
        for (gimple_stmt_iterator i = gsi_start(seq); !gsi_end_p(i); gsi_next(&i)) {
            if (gimple_code(gsi_stmt(i)) == GIMPLE_OMP_SECTION)
                parts.push_back(gsi_stmt(i));
            else if (gbind *b = dyn_cast<gbind *>(gsi_stmt(i)))
                find(gimple_bind_body(b));
        }
    };
    find(gimple_omp_body(s));

    c->sections = parts.size();
    mark(out, c, false, integer_one_node);

    tree index = temporary(integer_type_node);
    DECL_NAME(index) = get_identifier("section");
    tree test = create_artificial_label(loc), top = create_artificial_label(loc),
         done = create_artificial_label(loc);
    gimple_seq loops = NULL;
    glue(&loops, gimple_build_assign(index, integer_zero_node));
    glue(&loops, gimple_build_label(test));
    glue(&loops, gimple_build_cond(LT_EXPR, index, build_int_cst(integer_type_node, parts.size()),
                                   top, done));
    glue(&loops, gimple_build_label(top));
    shadow.constructs.emplace_back(ConstructKind::Body, loc);
    Construct *b = &shadow.constructs.back();
    b->of = c;
    mark(&loops, b, false);
    tree skip = section_head(&loops, index);
    for (size_t k = 0; k < parts.size(); k++) {
        tree yes = create_artificial_label(loc), no = create_artificial_label(loc);
        gcond *mine =
            gimple_build_cond(EQ_EXPR, index, build_int_cst(integer_type_node, k), yes, no);
        gimple_set_location(
            mine, gimple_location(parts[k]) != UNKNOWN_LOCATION ? gimple_location(parts[k]) : loc);
        put(&loops, mine);
        put(&loops, gimple_build_label(yes));
        gimple_seq in = NULL, back = NULL;
        gimple_seq body = with_clauses(s, gimple_omp_body_ptr(parts[k]), clauses, &in, &back);
        gimple_seq_add_seq(&loops, in);
        gimple_seq_add_seq(&loops, body);
        gimple_seq_add_seq(&loops, back);
        put(&loops, gimple_build_label(no));
    }
    if (skip)
        glue(&loops, gimple_build_label(skip));
    glue(&loops, gimple_build_assign(index, PLUS_EXPR, index, integer_one_node));
    glue(&loops, gimple_build_goto(test));
    glue(&loops, gimple_build_label(done));

    gimple_seq_add_seq(out, loops);
    mark(out, c, true);
}

void Flatten::single(gimple_seq *out, gomp_single *s)
{
    tree clauses = gimple_omp_single_clauses(s);
    Construct *c = add(ConstructKind::Single, s);
    c->nowait = omp_find_clause(clauses, OMP_CLAUSE_NOWAIT) != NULL_TREE;
    mark(out, c, false);
    std::vector<tree> own = assigns_own(gimple_omp_body(s));
    for (tree p = clauses; p; p = OMP_CLAUSE_CHAIN(p))
        if (OMP_CLAUSE_CODE(p) == OMP_CLAUSE_COPYPRIVATE) /* all get what the one has */
            own.erase(std::remove(own.begin(), own.end(), OMP_CLAUSE_DECL(p)), own.end());
    gimple_seq before = NULL, after = NULL;
    gimple_seq body = with_clauses(s, gimple_omp_body_ptr(s), clauses, &before, &after);
    gimple_seq_add_seq(out, before);
    gimple_seq_add_seq(out, body);
    gimple_seq_add_seq(out, after);
    mark(out, c, true);
    set_apart(out, own);
}

} // namespace pluss
