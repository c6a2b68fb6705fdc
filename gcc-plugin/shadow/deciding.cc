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

/* A line of a source in lower case; empty: it cannot be read. */
std::string source_line(const std::string &file, size_t number)
{
    static std::map<std::string, std::vector<std::string>> files;
    auto it = files.find(file);
    if (it == files.end()) {
        it = files.insert({file, {}}).first;
        FILE *source = fopen(file.c_str(), "r");
        char *line = NULL;
        size_t room = 0;
        while (source && getline(&line, &room, source) >= 0) {
            std::string lower(line, strcspn(line, "\r\n"));
            for (char &c : lower)
                c = TOLOWER(c);
            it->second.push_back(lower);
        }
        free(line);
        if (source)
            fclose(source);
    }
    return number >= 1 && number <= it->second.size() ? it->second[number - 1] : "";
}

/* Does the source at a place have the variable as the first operand of .and. or .or.? False, too,
 * where that cannot be told. */
bool is_written_first(tree variable, bool both, location_t loc)
{
    const expanded_location at = expand_location(loc);
    if (!at.file || !DECL_NAME(variable))
        return false;
    const std::string line = source_line(at.file, at.line), op = both ? ".and." : ".or.",
                      name = IDENTIFIER_POINTER(DECL_NAME(variable)), blank = " \t";
    /* The statement is to be in this line alone: `&' continues lines, and column 6 in fixed form.
     */
    size_t number = at.line;
    std::string next = source_line(at.file, ++number);
    while (!next.empty() &&
           (strchr("c*!#", next[0]) ||
            (next.find_first_not_of(blank) == next.find('!') && next.find('!') != 5)))
        next = source_line(at.file, ++number);
    for (const std::string &part : {source_line(at.file, at.line - 1), line, next})
        if (part.find('&') != std::string::npos)
            return false;
    if (line.find_first_not_of(' ') == 5 || next.find_first_not_of(' ') == 5)
        return false;
    auto is_part = [&](size_t i) {
        return i < line.size() && (ISALNUM(line[i]) || line[i] == '_');
    };
    bool first = false;
    for (size_t i = line.find(name); i != std::string::npos; i = line.find(name, i + 1)) {
        const size_t end = i + name.size(), after = line.find_first_not_of(blank, end);
        if (is_part(end) || (i > 0 && is_part(i - 1)))
            continue;
        std::string before = line.substr(0, i);
        before.erase(before.find_last_not_of(blank) + 1);
        auto ends_in = [&](const std::string &word) {
            return before.size() >= word.size() &&
                   before.compare(before.size() - word.size(), word.size(), word) == 0;
        };
        const bool alone = ends_in("(") && after != std::string::npos && strchr("()", line[after]);
        if (ends_in(op) || alone)
            return false;
        first |= after != std::string::npos && line.compare(after, op.size(), op) == 0 &&
                 !ends_in(".not.") && !ends_in("%");
    }
    return first;
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
    size_t emit_root(size_t low, size_t at);
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
    auto variable = [this](const Operand &o) {
        gassign *load = o.end == o.begin + 1 ? dyn_cast<gassign *>(in[o.begin]) : nullptr;
        tree v = o.begin == o.end                       ? o.value
                 : load && gimple_assign_single_p(load) ? gimple_assign_rhs1(load)
                                                        : NULL_TREE;
        return v && DECL_P(v) ? v : NULL_TREE;
    };
    /* Has GCC exchanged them? It likes variables to be second, and nothing but the source tells
     * `ok .and. k(j) > 1' from `k(j) > 1 .and. ok'. */
    tree v = variable(y);
    d->exchanged =
        v && x_reads && !variable(x) &&
        is_written_first(v, gimple_assign_rhs_code(g) == BIT_AND_EXPR, gimple_location(g));
    d->x = x;
    d->y = y;
    Decision inner;
    return d->exchanged || y_reads ||
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

/* The same for statement `at` if no other decision needs it: a branch by it, or an assignment. The
 * number of statements that are done then; 0: nothing is emitted. */
size_t Deciding::emit_root(size_t low, size_t at)
{
    if (gcond *c = dyn_cast<gcond *>(in[at])) {
        const bool equal = gimple_cond_code(c) == EQ_EXPR;
        tree yes = gimple_cond_true_label(c), no = gimple_cond_false_label(c);
        bool done = at > low && (equal || gimple_cond_code(c) == NE_EXPR) &&
                    integer_zerop(gimple_cond_rhs(c)) &&
                    temporary(in[at - 1]) == gimple_cond_lhs(c) &&
                    emit_decision(low, at - 1, equal ? no : yes, equal ? yes : no);
        return done ? at + 1 : 0;
    }
    gassign *g = logical(at);
    if (!g || is_inner(at))
        return 0;
    /* The subscripts of an array element that is assigned to are computed after the operands: the
     * operation comes before them. */
    size_t first = at;
    while (temporary(g) && first > low && is_gimple_assign(in[first - 1]) &&
           temporary(in[first - 1]) && uses.at(gimple_get_lhs(in[first - 1])).by != g)
        first--;
    Decision d;
    auto begin = in.begin();
    std::rotate(begin + first, begin + at, begin + at + 1);
    if (!read_decision(low, first, &d)) {
        std::rotate(begin + first, begin + first + 1, begin + at + 1);
        return 0;
    }
    location_t loc = gimple_location(g);
    tree yes = create_artificial_label(loc), no = create_artificial_label(loc),
         end = create_artificial_label(loc);
    emit_decision(low, first, yes, no);
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
    return first + 1;
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
        if (size_t now = emit_root(done, i))
            done = now;
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
