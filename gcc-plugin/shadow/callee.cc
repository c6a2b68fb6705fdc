/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A call inside of a parallel loop hides the memory that it accesses. If the called function's body
 * is in the same compilation it is put in the call's place, in the shadow only, at every
 * optimisation level: accessors, operators and small helpers (`at (i, j)`, operator[], size ())
 * then leave no trace in the description.
 *
 * Functions are lowered in an order that does not help, so a body is found in one of two ways. A
 * function that was lowered earlier left a copy here (keep_body; small functions only, and of those
 * with OpenMP constructs only the unit's own). One that comes later is gimplified now, as the
 * compiler would do anyway later, and copied from there.
 *
 * Copies are made inside of a function of their own (struct function without a declaration's
 * number), so that no SSA name or temporary is added to the compiler's functions. What is kept is
 * copied in the compiler itself, not in a child (apart.h), and must not shift the numbers of the
 * program's own declarations: the copy's declarations get numbers far above, and the counters are
 * restored.
 */
#include "shadow/callee.h"

#include "common/items.h"
#include "common/statements.h"

extern const ggc_root_tab gt_pch_rs_gt_tree_h[]; /* tree.cc */

namespace pluss
{

enum { MAX_KEPT_STMTS = 2500 };

struct Kept {
    function *fn;    /* the function that the copy lives in */
    gimple_seq body; /* NULL: too large or not usable */
};

static std::map<tree, Kept> kept;

/* GCC's copier leaves two things shared with the source, and then renames variables in them: - the
 * operands of atomics: they are copied here, and the source gets its own back; - the body of `omp
 * scan' (GCC does not know that it has one): it is copied as one of `omp ordered', a statement with
 * the same parts. Bodies with other such statements are not copied. */
bool can_copy(const std::vector<gimple *> &all)
{
    for (gimple *g : all)
        if (is_gimple_omp(g) && !gimple_has_substatements(g) &&
            gimple_code(g) != GIMPLE_OMP_ATOMIC_LOAD && gimple_code(g) != GIMPLE_OMP_ATOMIC_STORE &&
            gimple_code(g) != GIMPLE_OMP_SCAN)
            return false;
    return true;
}

std::map<tree, tree> pair_variables(const std::vector<gimple *> &from,
                                    const std::vector<gimple *> &to)
{
    std::map<tree, tree> source;
    for (size_t i = 0; i < from.size() && i < to.size(); i++) {
        gbind *a = dyn_cast<gbind *>(from[i]), *b = dyn_cast<gbind *>(to[i]);
        tree v = a ? gimple_bind_vars(a) : NULL_TREE, w = b ? gimple_bind_vars(b) : NULL_TREE;
        for (; v && w; v = DECL_CHAIN(v)) {
            if (v == w) {
                w = DECL_CHAIN(w);
            } else if (TREE_CODE(v) == TREE_CODE(w) && DECL_NAME(v) == DECL_NAME(w) &&
                       DECL_SOURCE_LOCATION(v) == DECL_SOURCE_LOCATION(w)) {
                source[w] = v;
                w = DECL_CHAIN(w);
            }
        }
    }
    return source;
}

/* Do any variables stand for fields of a frame? Most bodies have none. */
static bool declares_fields(const std::vector<gimple *> &all)
{
    for (gimple *g : all)
        if (gbind *b = dyn_cast<gbind *>(g))
            for (tree v = gimple_bind_vars(b); v; v = DECL_CHAIN(v))
                if (frame_field(v))
                    return true;
    return false;
}

/* The fields of a copied frame, in place of the source's. */
static void copy_frame_fields(const std::vector<gimple *> &from, const std::vector<gimple *> &to)
{
    if (!declares_fields(to))
        return;
    std::map<tree, tree> source = pair_variables(from, to), copies;
    for (auto &p : source)
        copies[p.second] = p.first;
    for (auto &p : source)
        if (tree field = frame_field(p.first)) {
            tree *base = &field;
            while (handled_component_p(*base))
                base = &TREE_OPERAND(*base, 0);
            if (!DECL_P(*base))
                base = &TREE_OPERAND(*base, 0);
            auto it = copies.find(*base);
            if (it != copies.end())
                *base = it->second;
            SET_DECL_VALUE_EXPR(p.first, field);
        }
}

gimple_seq copy_body(gimple_seq body)
{
    std::vector<std::pair<gimple *, std::pair<tree, tree>>> atomics;
    std::vector<gimple *> all = list_statements(body);
    if (!can_copy(all))
        return NULL;
    std::vector<size_t> scans;
    for (size_t i = 0; i < all.size(); i++)
        if (gimple_code(all[i]) == GIMPLE_OMP_SCAN) {
            all[i]->code = GIMPLE_OMP_ORDERED;
            scans.push_back(i);
        }
    for (gimple *g : all) {
        if (gomp_atomic_load *a = dyn_cast<gomp_atomic_load *>(g)) {
            tree lhs = gimple_omp_atomic_load_lhs(a), rhs = gimple_omp_atomic_load_rhs(a);
            atomics.push_back({g, {lhs, rhs}});
            gimple_omp_atomic_load_set_rhs(a, unshare_expr(rhs));
        } else if (gomp_atomic_store *a = dyn_cast<gomp_atomic_store *>(g)) {
            tree val = gimple_omp_atomic_store_val(a);
            atomics.push_back({g, {val, NULL_TREE}});
            gimple_omp_atomic_store_set_val(a, unshare_expr(val));
        }
    }
    gimple_seq copy = copy_gimple_seq_and_replace_locals(body);
    std::vector<gimple *> copies = list_statements(copy);
    for (size_t i : scans) {
        all[i]->code = GIMPLE_OMP_SCAN;
        if (i < copies.size() && gimple_code(copies[i]) == GIMPLE_OMP_ORDERED)
            copies[i]->code = GIMPLE_OMP_SCAN;
    }
    for (auto &p : atomics) {
        if (gomp_atomic_load *a = dyn_cast<gomp_atomic_load *>(p.first))
            gimple_omp_atomic_load_set_rhs(a, p.second.second);
        else
            gimple_omp_atomic_store_set_val(as_a<gomp_atomic_store *>(p.first), p.second.first);
    }
    copy_frame_fields(all, copies);
    return copy;
}

struct Uses {
    tree decl;
    size_t n;
};

static tree count_uses(tree *tp, int *, void *data)
{
    Uses *uses = walk_info<Uses>(data);
    uses->n += *tp == uses->decl;
    return NULL_TREE;
}

tree static_chain_of(tree fn)
{
    function *f = DECL_STATIC_CHAIN(fn) ? DECL_STRUCT_FUNCTION(fn) : NULL;
    return f ? f->static_chain_decl : NULL_TREE;
}

/* Does the body of a nested function use the static chain, by which it finds the variables of the
 * function around it, for more than to pass it on? At -O0 all nested functions have one, for
 * debuggers. */
static bool uses_chain(tree fn, gimple_seq body)
{
    Uses uses = {static_chain_of(fn), 0};
    if (!uses.decl)
        return true;
    walk_sequence(body, NULL, count_uses, &uses);
    for (gimple *g : list_statements(body))
        if (is_gimple_call(g) && gimple_call_chain(g) == uses.decl)
            uses.n--;
    return uses.n != 0;
}

bool has_own_labels(const std::vector<gimple *> &all)
{
    for (gimple *g : all) {
        if (gimple_code(g) == GIMPLE_GOTO && TREE_CODE(gimple_goto_dest(g)) != LABEL_DECL)
            return false;
        if (gimple_code(g) == GIMPLE_LABEL &&
            (FORCED_LABEL(gimple_label_label(as_a<glabel *>(g))) ||
             DECL_NONLOCAL(gimple_label_label(as_a<glabel *>(g)))))
            return false;
    }
    return true;
}

/* May the body replace a call? */
static bool is_usable(tree fn, gimple_seq body)
{
    if (!body || (DECL_STATIC_CHAIN(fn) && uses_chain(fn, body)) || stdarg_p(TREE_TYPE(fn)) ||
        lookup_attribute("noipa", DECL_ATTRIBUTES(fn)))
        return false;
    std::vector<gimple *> all = list_statements(body);
    size_t n = 0; /* debug statements do not count: nests are to be the same with -g */
    for (gimple *g : all)
        n += !is_gimple_debug(g);
    if (n > MAX_KEPT_STMTS)
        return false;
    for (gimple *g : all)
        if ((is_gimple_omp(g) && (options.mode != Mode::Describe || TREE_PUBLIC(fn))) ||
            gimple_code(g) == GIMPLE_TRANSACTION)
            return false;
    return has_own_labels(all);
}

/* GCC's counters of declarations and types are static; their addresses are in a table that it
 * exports for precompiled headers. Which entries they are is found by creating a node. */
class Counters
{
  public:
    Counters()
    {
        find(CONST_DECL, &decls, [](tree t) { return (int)DECL_UID(t); });
        find(RECORD_TYPE, &types, [](tree t) { return (int)TYPE_UID(t); });
    }
    int *decls = nullptr, *types = nullptr; /* NULL: not found */

  private:
    static void find(tree_code code, int **out, int (*number)(tree))
    {
        std::vector<int *> all;
        std::vector<int> before;
        for (const ggc_root_tab *t = gt_pch_rs_gt_tree_h; t->base; t++)
            if (t->nelt == 1 && t->stride == sizeof(int)) {
                all.push_back(static_cast<int *>(t->base));
                before.push_back(*all.back());
            }
        int n = number(make_node(code)), found = 0;
        for (size_t i = 0; i < all.size(); i++)
            if (before[i] == n && *all[i] == n + 1) {
                *out = all[i];
                found++;
            }
        if (found == 1)
            **out = n; /* the node is not used */
        else
            *out = nullptr;
    }
};

static bool has_varying_type(tree t, std::map<tree, bool> *seen)
{
    tree type = TREE_TYPE(t);
    if (!type || !TYPE_P(type))
        return false;
    auto it = seen->find(type);
    if (it == seen->end())
        it = seen->insert({type, variably_modified_type_p(type, current_function_decl)}).first;
    return it->second;
}

static tree find_varying_type(tree *tp, int *walk_subtrees, void *data)
{
    if (TYPE_P(*tp)) {
        *walk_subtrees = 0;
        return NULL_TREE;
    }
    return has_varying_type(*tp, walk_info<std::map<tree, bool>>(data)) ? *tp : NULL_TREE;
}

/* Is there a type whose size is a variable of the function? A copy would get a type of its own,
 * which stays in the chain of the original's variants, where debugging information finds it. */
static bool has_varying_types(gimple_seq body)
{
    std::map<tree, bool> seen;
    if (walk_sequence(body, NULL, find_varying_type, &seen))
        return true;
    for (tree v : list_declared(body))
        if (has_varying_type(v, &seen))
            return true;
    return false;
}

/* A copy of a body that uses up no declaration numbers of the program; NULL: not possible. */
static gimple_seq copy_unnumbered(gimple_seq body)
{
    static Counters counters;
    static int far_off = 1 << 30;
    if (!counters.decls || !counters.types)
        return NULL;
    if (has_varying_types(body))
        return NULL;
    int decls = *counters.decls, types = *counters.types;
    gimple_seq copy = copy_body(body);
    int made = *counters.decls - decls;
    std::set<tree> used = list_used(copy), numbered;
    for (tree v : list_declared(copy))
        used.insert(v);
    for (tree d : used)
        if ((int)DECL_UID(d) >= decls && (int)DECL_UID(d) < decls + made)
            numbered.insert(d);
    bool all = (int)numbered.size() == made && *counters.types == types;
    for (tree d : numbered)
        if (all)
            DECL_UID(d) = far_off++;
    *counters.decls = decls;
    *counters.types = types;
    return all ? copy : NULL;
}

void keep_body(function *fn)
{
    gimple_seq body = gimple_body(fn->decl);
    if (kept.count(fn->decl) || !is_usable(fn->decl, body))
        return;
    function *original = cfun;
    allocate_struct_function(NULL_TREE, false);
    cfun->decl = fn->decl;
    init_tree_ssa(cfun);
    Kept k = {cfun, copy_unnumbered(body)};
    set_cfun(original, true);
    kept[fn->decl] = k;
}

void take_body(function *fn)
{
    gimple_seq body = gimple_body(fn->decl);
    if (is_usable(fn->decl, body))
        kept[fn->decl] = {fn, body};
}

bool may_be_replaced(tree declaration)
{
    return (DECL_WEAK(declaration) && !DECL_COMDAT(declaration)) ||
           lookup_attribute("ifunc", DECL_ATTRIBUTES(declaration));
}

static std::map<tree, tree> aliases; /* of other units' functions */

void take_alias(tree alias, tree fn)
{
    if (alias != fn && TREE_CODE(alias) == FUNCTION_DECL && DECL_EXTERNAL(alias))
        aliases[alias] = fn;
}

/* Constructors and destructors have several names for one body. */
tree callee_target(tree fn)
{
    for (int hops = 0; hops < 4 && !may_be_replaced(fn); hops++) {
        auto taken = aliases.find(fn);
        if (taken != aliases.end())
            return taken->second;
        cgraph_node *node = cgraph_node::get(fn);
        tree to = node && node->alias ? node->get_alias_target_tree() : NULL_TREE;
        if (!to || TREE_CODE(to) != FUNCTION_DECL)
            break;
        fn = to;
    }
    return fn;
}

gimple_seq copy_callee(tree fn, size_t limit, std::vector<gimple *> *from,
                       std::vector<gimple *> *to)
{
    fn = callee_target(fn);
    if (may_be_replaced(fn))
        return NULL;
    gimple_seq body = NULL;
    auto it = kept.find(fn);
    if (it != kept.end()) {
        body = it->second.body;
    } else {
        cgraph_node *node = cgraph_node::get(fn);
        if (!node || node->alias || node->thunk || node->lowered)
            return NULL;
        if (!gimple_has_body_p(fn)) {
            if (!DECL_SAVED_TREE(fn) || !DECL_STRUCT_FUNCTION(fn))
                return NULL;
            /* A function that is compiled elsewhere (extern template) must not get a body here that
             * GCC has no use for, unless this is a child, of which nothing stays. */
            if (DECL_EXTERNAL(fn) && options.mode != Mode::Describe)
                return NULL;
            gimplify_function_tree(fn);
        }
        function *f = DECL_STRUCT_FUNCTION(fn);
        if (!f || f->cfg || (f->curr_properties & PROP_gimple_lcf))
            return NULL;
        body = gimple_body(fn);
    }
    *from = list_statements(body);
    if (from->size() > limit || !is_usable(fn, body))
        return NULL;
    /* Locals are recognised by the function that they belong to. */
    tree caller = current_function_decl;
    current_function_decl = fn;
    cfun->decl = fn;
    gimple_seq copy = copy_body(body);
    current_function_decl = caller;
    cfun->decl = caller;
    *to = list_statements(copy);
    if (from->size() != to->size())
        return NULL;
    for (gimple *g : *to)
        if (glabel *l = dyn_cast<glabel *>(g))
            DECL_CONTEXT(gimple_label_label(l)) = caller;
    for (tree v : list_declared(copy))
        if (VAR_P(v) && !TREE_STATIC(v) && !DECL_EXTERNAL(v))
            DECL_CONTEXT(v) = caller;
    return copy;
}

void mark_kept_bodies()
{
    for (auto &k : kept) {
        gt_ggc_mx_function(k.second.fn);
        gt_ggc_mx_gimple(k.second.body);
    }
}

} // namespace pluss
