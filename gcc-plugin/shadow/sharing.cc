/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Data sharing in a flattened body. A variable that a private, firstprivate, lastprivate, linear or
 * reduction clause names is replaced by a fresh one inside of the construct, copied in and out as
 * the clause says, so that SSA form does not mix the two. Of a C++ reference it is the object that
 * is private: the object becomes a variable, and the reference is set to it where the program uses
 * the reference for anything but reaching the object.
 */
#include "shadow/flatten.h"

#include "common/statements.h"

namespace pluss
{

tree Flatten::make_private(tree var)
{
    tree t = make_temporary(TREE_TYPE(var));
    DECL_NAME(t) = DECL_NAME(var);
    DECL_ARTIFICIAL(t) = DECL_ARTIFICIAL(var);
    DECL_IGNORED_P(t) = DECL_IGNORED_P(var);
    DECL_SOURCE_LOCATION(t) = DECL_SOURCE_LOCATION(var);
    TREE_ADDRESSABLE(t) = TREE_ADDRESSABLE(var) && !is_global_var(var);
    SET_DECL_ALIGN(t, DECL_ALIGN(var));
    DECL_USER_ALIGN(t) = DECL_USER_ALIGN(var);
    if (!VAR_P(var) || !is_global_var(var))
        DECL_NOT_GIMPLE_REG_P(t) = DECL_NOT_GIMPLE_REG_P(var);
    flat.private_vars.insert(t);
    return t;
}

tree rename_operand(tree *tp, int *walk_subtrees, void *data)
{
    Renaming *r = walk_info<Renaming>(data);
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

/* dst = src for two variables of a register type; through a temporary where both are in memory. */
void Flatten::emit_assignment(gimple_seq *out, tree dst, tree src, location_t loc)
{
    if (!is_gimple_reg(dst) && !is_gimple_reg(src)) {
        emit_copy(out, dst, src, loc);
        return;
    }
    gassign *g = gimple_build_assign(dst, src);
    gimple_set_location(g, loc);
    append(out, g);
}

/* The same where either may come to be in memory. */
void Flatten::emit_copy(gimple_seq *out, tree dst, tree src, location_t loc)
{
    tree t = make_temporary(TREE_TYPE(dst));
    for (gassign *g : {gimple_build_assign(t, src), gimple_build_assign(dst, t)}) {
        gimple_set_location(g, loc);
        append(out, g);
    }
}

/* The object of a reference, as it is in statements. */
static tree build_referred(tree reference)
{
    return build2(MEM_REF, TREE_TYPE(TREE_TYPE(reference)), reference,
                  build_int_cst(build_pointer_type(TREE_TYPE(TREE_TYPE(reference))), 0));
}

/* The variables of one construct that become a thread's own. */
struct Flatten::Privatization {
    gimple *construct;
    gimple_seq *before, *after; /* copies in and out */
    Renaming renaming;
    std::vector<tree> references;
};

/* The object of a reference becomes a variable. False if its size varies, or if it is not copied
 * by one assignment. */
bool Flatten::privatize_object(const Sharing &s, Privatization *p)
{
    tree var = s.variable, type = TREE_TYPE(var);
    if (TREE_CODE(type) != REFERENCE_TYPE || s.section || !COMPLETE_TYPE_P(TREE_TYPE(type)) ||
        TREE_CODE(TYPE_SIZE(TREE_TYPE(type))) != INTEGER_CST)
        return false;
    tree object = make_temporary(TREE_TYPE(type));
    DECL_NAME(object) = DECL_NAME(var);
    DECL_SOURCE_LOCATION(object) = DECL_SOURCE_LOCATION(var);
    flat.private_vars.insert(object);
    p->renaming.referred[var] = object;
    p->references.push_back(var);
    if (!is_gimple_reg_type(TREE_TYPE(object)))
        return false;
    location_t loc = gimple_location(p->construct);
    if (s.copied_in)
        emit_copy(p->before, object, build_referred(var), loc);
    if (s.copied_out) {
        emit_copy(p->after, build_referred(var), object, loc);
        flat.copied_out.insert(object);
    }
    if (s.linear)
        flat.linear.insert(object);
    return true;
}

/* shared[k] += own[k] for all elements. */
void Flatten::combine_elements(gimple_seq *out, tree shared, tree own, location_t loc)
{
    tree type = TREE_TYPE(shared);
    if (TREE_CODE(type) == ARRAY_TYPE) {
        tree domain = TYPE_DOMAIN(type), by = build_one_cst(domain);
        tree first = fold_convert(domain, TYPE_MIN_VALUE(domain)), end = TYPE_MAX_VALUE(domain);
        if (TREE_CODE(end) == INTEGER_CST) {
            end = fold_build2(PLUS_EXPR, domain, fold_convert(domain, end), by);
        } else {
            tree last = emit_bound(out, end, domain, loc);
            end = make_temporary(domain);
            append_glue(out, gimple_build_assign(end, PLUS_EXPR, last, by));
        }
        tree index = make_temporary(domain);
        DECL_NAME(index) = get_identifier("k");
        Counter counter = {{index, first, end, by, LT_EXPR, PLUS_EXPR, loc}, index, first, end};
        emit_counting_loop(out, counter, loc, [&]() {
            auto element = [&](tree array) {
                return build4(ARRAY_REF, TREE_TYPE(type), unshare_expr(array), index, NULL_TREE,
                              NULL_TREE);
            };
            combine_elements(out, element(shared), element(own), loc);
        });
        return;
    }
    tree sum = make_temporary(type), more = make_temporary(type), all = more;
    bool adds = SCALAR_FLOAT_TYPE_P(type) || TREE_CODE(type) == INTEGER_TYPE;
    std::vector<gassign *> steps = {gimple_build_assign(sum, shared),
                                    gimple_build_assign(more, own)};
    if (adds) {
        all = make_temporary(type);
        steps.push_back(gimple_build_assign(all, PLUS_EXPR, sum, more));
    }
    steps.push_back(gimple_build_assign(unshare_expr(shared), all));
    for (gassign *g : steps) {
        gimple_set_location(g, loc);
        append(out, g);
    }
}

/* Are all bounds of an array type values, and its elements of a type that fits a register? */
static bool is_countable_array(tree type)
{
    bool any = false;
    for (; TREE_CODE(type) == ARRAY_TYPE; type = TREE_TYPE(type)) {
        tree domain = TYPE_DOMAIN(type);
        if (!domain || !TYPE_MAX_VALUE(domain) || !is_gimple_val(TYPE_MAX_VALUE(domain)) ||
            TREE_CODE(TYPE_MIN_VALUE(domain)) != INTEGER_CST)
            return false;
        any = true;
    }
    return any && is_gimple_reg_type(type);
}

/* Each thread adds its own array to the shared one, while the others wait. False: what the array is
 * cannot be said. */
bool Flatten::emit_combination(const Sharing &s, tree own, Privatization *p)
{
    tree var = s.variable, shared = s.section ? s.section : var;
    auto other = p->renaming.referred.find(var);
    if (s.section) { /* of a pointer or an array, from its start */
        tree start = TREE_OPERAND(s.section, 0);
        bool whole =
            start == var || (TREE_CODE(start) == ADDR_EXPR && TREE_OPERAND(start, 0) == var);
        if (!whole)
            return false;
        if (start != var) {
            TREE_ADDRESSABLE(own) = 1;
            own = build_fold_addr_expr(own);
        }
        own = build2(MEM_REF, TREE_TYPE(s.section), own, TREE_OPERAND(s.section, 1));
        shared = unshare_expr(s.section);
    } else if (TREE_CODE(TREE_TYPE(var)) == REFERENCE_TYPE) {
        shared = build_referred(var);
        own = other == p->renaming.referred.end() ? build_referred(own) : other->second;
    }
    if (tree field = DECL_P(shared) ? frame_field(shared) : NULL_TREE)
        shared = field;
    if (!is_countable_array(TREE_TYPE(shared)))
        return false;
    Construct *c = add_construct(ConstructKind::Critical, p->construct);
    c->original = nullptr;
    emit_marker(p->after, c, false);
    combine_elements(p->after, shared, own, gimple_location(p->construct));
    emit_marker(p->after, c, true);
    return true;
}

void Flatten::privatize_variable(const Sharing &s, Privatization *p)
{
    tree var = s.variable, type = TREE_TYPE(var), field = frame_field(var);
    tree outer = field ? field : var;
    location_t loc = gimple_location(p->construct);
    tree t = make_private(var);
    p->renaming.to[var] = t;
    if (privatize_object(s, p))
        return;
    if (is_gimple_reg_type(type) && !s.section && TREE_CODE(type) != REFERENCE_TYPE) {
        if (s.copied_in && !is_loop_index(p->construct, var))
            emit_assignment(p->before, t, outer, loc);
        if (s.copied_out && !(VAR_P(var) && TREE_READONLY(var))) {
            emit_assignment(p->after, outer, t, loc);
            flat.copied_out.insert(t);
        }
        if (s.linear)
            flat.linear.insert(t);
    } else if ((s.copied_in || s.copied_out) && !(s.reduced && emit_combination(s, t, p))) {
        const char *name = DECL_NAME(var) ? IDENTIFIER_POINTER(DECL_NAME(var)) : "an array";
        emit_unknown(
            s.copied_in ? p->before : p->after, p->construct,
            std::string(s.copied_in ? "the copy of " : "the combination of the threads' ") + name +
                (s.copied_in ? " into each thread" : ""));
    }
}

/* The private variables in the operands of a loop construct. */
static void rename_loop_operands(gomp_for *f, Renaming *renaming)
{
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = renaming;
    for (size_t d = 0; d < gimple_omp_for_collapse(f); d++) {
        walk_tree(gimple_omp_for_index_ptr(f, d), rename_operand, &wi, NULL);
        walk_tree(gimple_omp_for_incr_ptr(f, d), rename_operand, &wi, NULL);
        for (tree *b : {gimple_omp_for_initial_ptr(f, d), gimple_omp_for_final_ptr(f, d)})
            if (TREE_CODE(*b) == TREE_VEC) /* names an outer index */
                walk_tree(b, rename_operand, &wi, NULL);
    }
}

/* Replaces the variables of g's data-sharing clauses inside of its body and returns the flattened
 * body; `before` and `after` get the copies in and out. */
gimple_seq Flatten::flatten_with_clauses(gimple *g, gimple_seq *body, tree clauses,
                                         gimple_seq *before, gimple_seq *after)
{
    Privatization p = {g, before, after, {}, {}};
    for (tree c = clauses; c; c = OMP_CLAUSE_CHAIN(c)) {
        Sharing s = read_sharing(c);
        if (s.variable && !p.renaming.to.count(s.variable))
            privatize_variable(s, &p);
    }
    for (gimple_stmt_iterator i = gsi_start(*after); !gsi_end_p(i); gsi_next(&i))
        flat.taken_out.insert(gsi_stmt(i));
    if (!p.renaming.to.empty()) {
        change_sequence(body, NULL, rename_operand, &p.renaming);
        if (gomp_for *f = dyn_cast<gomp_for *>(g))
            rename_loop_operands(f, &p.renaming);
        for (tree reference : p.references)
            if (p.renaming.named.count(reference)) {
                tree object = p.renaming.referred[reference];
                TREE_ADDRESSABLE(object) = 1;
                append(before,
                       gimple_build_assign(p.renaming.to[reference], build_fold_addr_expr(object)));
            }
    }
    if (gomp_for *f = dyn_cast<gomp_for *>(g))
        note_counters(f, *body);
    return flatten_sequence(*body);
}

/* The flattened body between the copies in and out. */
void Flatten::flatten_around(gimple_seq *out, gimple *g, gimple_seq *body, tree clauses)
{
    gimple_seq before = NULL, after = NULL;
    gimple_seq inner = flatten_with_clauses(g, body, clauses, &before, &after);
    gimple_seq_add_seq(out, before);
    gimple_seq_add_seq(out, inner);
    gimple_seq_add_seq(out, after);
}

} // namespace pluss
