/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Operands of Fortran's .and. and .or. that do not decide. The language lets a compiler evaluate
 * them or not: gfortran evaluates both at -O0, and stops at the first that decides where it
 * optimises. Nests are to be those of the program as it runs in earnest, at each level:
 *
 *     t = x; ...; u = (load of y's operands) ...; v = t & u; if (v != 0)
 *
 * becomes what gfortran makes of it at -O1, `if (t != 0) { ...; if (u != 0)`. Operands that neither
 * load nor call stay as they are: GCC evaluates both of these at all levels. Programs that record
 * have the accesses that they make.
 */
#include "shadow/deciding.h"

#include "common/items.h"
#include "common/statements.h"

namespace pluss
{

namespace
{

/* How often a variable is an operand of statements, and the last one. */
struct Use {
    unsigned n = 0;
    gimple *by = nullptr;
};

bool is_truth(tree t)
{
    return TREE_CODE(TREE_TYPE(t)) == BOOLEAN_TYPE;
}

tree collect_name(tree *tp, int *, void *names)
{
    if (VAR_P(*tp) || TREE_CODE(*tp) == SSA_NAME)
        static_cast<std::set<tree> *>(names)->insert(*tp);
    return NULL_TREE;
}

/* A local variable of an `equivalence', which is a variable as others to the front end. */
bool is_equivalent(tree memory)
{
    tree base = TREE_CODE(memory) == COMPONENT_REF ? TREE_OPERAND(memory, 0) : NULL_TREE;
    return base && VAR_P(base) && !TREE_STATIC(base) && !DECL_EXTERNAL(base) &&
           TREE_CODE(TREE_TYPE(base)) == UNION_TYPE;
}

class Deciding
{
  public:
    explicit Deciding(gimple_seq body) { walk_sequence(body, NULL, count_use, &uses); }
    void change(gimple_seq *seq);

  private:
    /* The statements begin <= i < end do nothing but compute the value. */
    struct Operand {
        tree value;
        size_t begin, end;
    };
    struct Decision {
        Operand x, y;
        bool exchanged;
    };
    std::map<tree, Use> uses;
    std::vector<gimple *> in;
    gimple_seq out = NULL;

    static tree count_use(tree *tp, int *, void *data);

    /* The compiler's own variable that one statement alone uses, or NULL. */
    tree temporary(gimple *g) const;
    gassign *logical(size_t i) const;
    bool is_inner(size_t i) const;
    size_t begin_of(tree value, size_t low, size_t end, bool *reads) const;
    void emit(size_t low, size_t end);
    void emit_label(tree label) { gimple_seq_add_stmt(&out, gimple_build_label(label)); }
    void emit_branch(tree_code code, tree x, tree y, tree yes, tree no, location_t loc);
    void emit_value(const Operand &o, tree yes, tree no, location_t loc);
    bool read_decision(size_t low, size_t at, Decision *d) const;
    bool emit_decision(size_t low, size_t at, tree yes, tree no);
    bool emit_root(size_t low, size_t at);
};

tree Deciding::count_use(tree *tp, int *, void *data)
{
    const walk_stmt_info *wi = static_cast<walk_stmt_info *>(data);
    gimple *g = gsi_stmt(wi->gsi);
    if ((VAR_P(*tp) || TREE_CODE(*tp) == SSA_NAME) && !(wi->is_lhs && *tp == gimple_get_lhs(g))) {
        Use &use = (*walk_info<std::map<tree, Use>>(data))[*tp];
        use.n++;
        use.by = g;
    }
    return NULL_TREE;
}

tree Deciding::temporary(gimple *g) const
{
    tree lhs = is_gimple_assign(g) || is_gimple_call(g) ? gimple_get_lhs(g) : NULL_TREE;
    if (!lhs || !(TREE_CODE(lhs) == SSA_NAME || (VAR_P(lhs) && DECL_ARTIFICIAL(lhs) &&
                                                 !TREE_STATIC(lhs) && !TREE_ADDRESSABLE(lhs))))
        return NULL_TREE;
    auto use = uses.find(lhs);
    return use != uses.end() && use->second.n == 1 ? lhs : NULL_TREE;
}

/* Statement i, if it is x & y or x | y of truth values; or NULL. */
gassign *Deciding::logical(size_t i) const
{
    gassign *g = dyn_cast<gassign *>(in[i]);
    tree_code code = g ? gimple_assign_rhs_code(g) : ERROR_MARK;
    return (code == BIT_AND_EXPR || code == BIT_IOR_EXPR) && is_truth(gimple_assign_lhs(g)) &&
                   is_truth(gimple_assign_rhs1(g)) && is_truth(gimple_assign_rhs2(g))
               ? g
               : nullptr;
}

/* Is its value an operand of such a statement, or of the branch after it? */
bool Deciding::is_inner(size_t i) const
{
    tree t = temporary(in[i]);
    if (!t)
        return false;
    gimple *by = uses.at(t).by;
    for (size_t k = i + 1; k < in.size(); k++)
        if (in[k] == by)
            return logical(k) || (k == i + 1 && gimple_code(by) == GIMPLE_COND);
    return false;
}

/* The first of the statements low <= i <= end that do nothing but compute the value, with `end` if
 * there are none. reads: one of them loads or calls. */
size_t Deciding::begin_of(tree value, size_t low, size_t end, bool *reads) const
{
    std::set<tree> needed{value};
    *reads = false;
    size_t i = end;
    for (; i > low; i--) {
        gimple *g = in[i - 1];
        tree t = temporary(g);
        unsigned none = 0;
        if (!t || !needed.count(t))
            break;
        tree memory = find_access(g, false, &none);
        *reads |= is_gimple_call(g) || (memory && !is_equivalent(memory));
        for (unsigned k = 1; k < gimple_num_ops(g); k++)
            if (gimple_op(g, k))
                walk_tree(gimple_op_ptr(g, k), collect_name, &needed, NULL);
    }
    return i;
}

void Deciding::emit(size_t low, size_t end)
{
    for (size_t i = low; i < end; i++)
        gimple_seq_add_stmt(&out, in[i]);
}

void Deciding::emit_branch(tree_code code, tree x, tree y, tree yes, tree no, location_t loc)
{
    gcond *branch = gimple_build_cond(code, x, y, yes, no);
    gimple_set_location(branch, loc);
    gimple_seq_add_stmt(&out, branch);
}

/* The statements of an operand, and a jump by it. */
void Deciding::emit_value(const Operand &o, tree yes, tree no, location_t loc)
{
    gassign *g = o.end > o.begin ? dyn_cast<gassign *>(in[o.end - 1]) : nullptr;
    if (g && temporary(g) == o.value) {
        const tree_code code = gimple_assign_rhs_code(g);
        if (emit_decision(o.begin, o.end - 1, yes, no))
            return;
        if (TREE_CODE_CLASS(code) == tcc_comparison) {
            emit(o.begin, o.end - 1);
            emit_branch(code, gimple_assign_rhs1(g), gimple_assign_rhs2(g), yes, no,
                        gimple_location(g));
            return;
        }
        if ((code == BIT_NOT_EXPR || code == TRUTH_NOT_EXPR) && is_truth(gimple_assign_rhs1(g))) {
            emit_value({gimple_assign_rhs1(g), o.begin, o.end - 1}, no, yes, loc);
            return;
        }
    }
    emit(o.begin, o.end);
    emit_branch(NE_EXPR, o.value, build_zero_cst(TREE_TYPE(o.value)), yes, no, loc);
}

/* Statement `at` as x & y or x | y, if its second operand, or that of an operation in x, loads or
 * calls. Statements before `low` are not looked at. */
bool Deciding::read_decision(size_t low, size_t at, Decision *d) const
{
    gassign *g = logical(at);
    if (!g)
        return false;
    Operand x = {gimple_assign_rhs1(g), low, at}, y = {gimple_assign_rhs2(g), low, at};
    bool x_reads, y_reads;
    y.begin = x.end = begin_of(y.value, low, at, &y_reads);
    x.begin = begin_of(x.value, low, x.end, &x_reads);
    auto is_variable = [this](const Operand &o) {
        gassign *load = o.end == o.begin + 1 ? dyn_cast<gassign *>(in[o.begin]) : nullptr;
        return o.begin == o.end
                   ? DECL_P(o.value)
                   : load && gimple_assign_single_p(load) && DECL_P(gimple_assign_rhs1(load));
    };
    /* GCC has exchanged them, as it likes variables to be second. */
    d->exchanged = is_variable(y) && !is_variable(x);
    d->x = x;
    d->y = y;
    Decision inner;
    return (d->exchanged ? x_reads : y_reads) ||
           (x.end > x.begin && temporary(in[x.end - 1]) == x.value &&
            read_decision(x.begin, x.end - 1, &inner));
}

/* Statements low <= i <= at, of which the last is x & y or x | y, and a jump by what it is. False:
 * nothing is emitted, since both operands may be evaluated. */
bool Deciding::emit_decision(size_t low, size_t at, tree yes, tree no)
{
    Decision d;
    if (!read_decision(low, at, &d))
        return false;
    const location_t loc = gimple_location(in[at]);
    const bool both = gimple_assign_rhs_code(in[at]) == BIT_AND_EXPR;
    tree next = create_artificial_label(loc);
    if (d.exchanged) {
        emit(low, d.x.begin);
        std::swap(d.x, d.y);
    } else {
        d.x.begin = low;
    }
    emit_value(d.x, both ? next : yes, both ? no : next, loc);
    emit_label(next);
    emit_value(d.y, yes, no, loc);
    return true;
}

/* The same for statement `at` if no other decision needs it: a branch by it, or an assignment. */
bool Deciding::emit_root(size_t low, size_t at)
{
    if (gcond *c = dyn_cast<gcond *>(in[at])) {
        const bool equal = gimple_cond_code(c) == EQ_EXPR;
        tree yes = gimple_cond_true_label(c), no = gimple_cond_false_label(c);
        return at > low && (equal || gimple_cond_code(c) == NE_EXPR) &&
               integer_zerop(gimple_cond_rhs(c)) && temporary(in[at - 1]) == gimple_cond_lhs(c) &&
               emit_decision(low, at - 1, equal ? no : yes, equal ? yes : no);
    }
    gassign *g = logical(at);
    if (!g || is_inner(at))
        return false;
    location_t loc = gimple_location(g);
    tree yes = create_artificial_label(loc), no = create_artificial_label(loc),
         end = create_artificial_label(loc);
    if (!emit_decision(low, at, yes, no))
        return false;
    tree value = make_local(TREE_TYPE(gimple_assign_lhs(g)), "iftmp");
    add_local_decl(cfun, value);
    for (tree label : {yes, no}) {
        emit_label(label);
        gimple *set = gimple_build_assign(value, build_int_cst(TREE_TYPE(value), label == yes));
        gimple_set_location(set, loc);
        gimple_seq_add_stmt(&out, set);
        if (label == yes)
            gimple_seq_add_stmt(&out, gimple_build_goto(end));
    }
    emit_label(end);
    gimple *last = gimple_build_assign(gimple_assign_lhs(g), value);
    gimple_set_location(last, loc);
    gimple_seq_add_stmt(&out, last);
    return true;
}

void Deciding::change(gimple_seq *seq)
{
    for (gimple_stmt_iterator i = gsi_start(*seq); !gsi_end_p(i); gsi_next(&i)) {
        gimple *g = gsi_stmt(i);
        if (gbind *b = dyn_cast<gbind *>(g)) {
            change(gimple_bind_body_ptr(b));
        } else if (gtry *t = dyn_cast<gtry *>(g)) {
            change(gimple_try_eval_ptr(t));
            change(gimple_try_cleanup_ptr(t));
        } else if (is_gimple_omp(g) && gimple_has_substatements(g)) {
            change(gimple_omp_body_ptr(g));
        }
    }
    in.clear();
    for (gimple_stmt_iterator i = gsi_start(*seq); !gsi_end_p(i);) {
        in.push_back(gsi_stmt(i));
        gsi_remove(&i, false);
    }
    out = NULL;
    size_t done = 0;
    for (size_t i = 0; i < in.size(); i++)
        if (emit_root(done, i))
            done = i + 1;
    emit(done, in.size());
    *seq = out;
}

} // namespace

void stop_where_decided(gimple_seq *body)
{
    if (lang_GNU_Fortran() && options.mode == Mode::Describe)
        Deciding(*body).change(body);
}

} // namespace pluss
