/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which operations a statement is, in the groups of table 3.1 of Cascaval's thesis ("Compile-time
 * performance prediction of scientific programs", section 3.1).
 *
 * Groups 13 to 20, loads and stores, are the nest's references, and group 12, loop overhead, its
 * loops: whoever counts has them from there. What remains is arithmetic, written as the source has
 * it, invariant operations included. Not counted, since other groups contain it: the arithmetic of
 * subscripts (a part of the array's access), the increment and the test of a loop (its overhead).
 */
#include "analysis/operations.h"

namespace pluss
{

const char *const operation_groups[N_OPERATIONS] = {"int_add", "int_mul",   "int_div", "flt_add",
                                                    "flt_div", "dbl_add",   "dbl_div", "sqrt",
                                                    "trig",    "intrinsic", "call"};

void Operations::add(location_t loc, OperationGroup group, uint64_t n)
{
    if (n == 0)
        return;
    int line = expand_location(loc).line;
    auto same = std::find_if(lines.begin(), lines.end(), [&](const LineOperations &l) {
        return expand_location(l.loc).line == line;
    });
    if (same == lines.end()) {
        lines.push_back({loc, {}});
        same = lines.end() - 1;
    }
    same->count[group] += n;
}

void Operations::add(const Operations &other)
{
    for (const LineOperations &l : other.lines)
        for (int g = 0; g < N_OPERATIONS; g++)
            add(l.loc, static_cast<OperationGroup>(g), l.count[g]);
}

uint64_t Operations::total() const
{
    uint64_t sum = 0;
    for (const LineOperations &l : lines)
        sum = std::accumulate(l.count.begin(), l.count.end(), sum);
    return sum;
}

/* The type of an element and how many elements a value of the type has, complex parts aside. */
static tree element_of(tree type, uint64_t *n)
{
    *n = 1;
    if (TREE_CODE(type) == VECTOR_TYPE) {
        TYPE_VECTOR_SUBPARTS(type).is_constant(n);
        type = TREE_TYPE(type);
    }
    return TREE_CODE(type) == COMPLEX_TYPE ? TREE_TYPE(type) : type;
}

static OperationGroup adder(tree element)
{
    if (!SCALAR_FLOAT_TYPE_P(element))
        return OP_INT_ADD;
    return TYPE_PRECISION(element) <= 32 ? OP_FLT_ADD : OP_DBL_ADD;
}

static OperationGroup divider(tree element)
{
    if (!SCALAR_FLOAT_TYPE_P(element))
        return OP_INT_DIV;
    return TYPE_PRECISION(element) <= 32 ? OP_FLT_DIV : OP_DBL_DIV;
}

/* Operations on complex numbers are those of their parts, as in school. */
enum { COMPLEX_SUM = 2, COMPLEX_PRODUCT = 6, COMPLEX_QUOTIENT = 9 };

static void add_arithmetic(gassign *g, Operations *out)
{
    tree_code code = gimple_assign_rhs_code(g);
    location_t loc = gimple_location(g);
    tree type = TREE_TYPE(gimple_assign_rhs1(g));
    uint64_t n;
    tree element = element_of(type, &n);
    const bool is_complex = TREE_CODE(type) == COMPLEX_TYPE;
    switch (code) {
    case PLUS_EXPR:
    case MINUS_EXPR:
    case NEGATE_EXPR:
        out->add(loc, adder(element), is_complex ? (uint64_t)COMPLEX_SUM : n);
        break;
    case MULT_EXPR:
        out->add(loc, adder(element) == OP_INT_ADD ? OP_INT_MUL : adder(element),
                 is_complex ? (uint64_t)COMPLEX_PRODUCT : n);
        break;
    case RDIV_EXPR:
    case TRUNC_DIV_EXPR:
    case CEIL_DIV_EXPR:
    case FLOOR_DIV_EXPR:
    case ROUND_DIV_EXPR:
    case EXACT_DIV_EXPR:
    case TRUNC_MOD_EXPR:
    case CEIL_MOD_EXPR:
    case FLOOR_MOD_EXPR:
    case ROUND_MOD_EXPR:
        out->add(loc, divider(element), is_complex ? 2 : n);
        if (is_complex)
            out->add(loc, adder(element), COMPLEX_QUOTIENT);
        break;
    case MIN_EXPR:
    case MAX_EXPR:
    case ABS_EXPR:
    case ABSU_EXPR:
    case COND_EXPR:
    case FLOAT_EXPR:
    case FIX_TRUNC_EXPR:
        out->add(loc, OP_INTRINSIC, n);
        break;
    case BIT_AND_EXPR:
    case BIT_IOR_EXPR:
    case BIT_XOR_EXPR:
    case BIT_NOT_EXPR:
    case LSHIFT_EXPR:
    case RSHIFT_EXPR:
    case LROTATE_EXPR:
    case RROTATE_EXPR:
    case POINTER_DIFF_EXPR:
        out->add(loc, OP_INT_ADD, n);
        break;
    default:
        if (TREE_CODE_CLASS(code) == tcc_comparison)
            out->add(loc, adder(element), n);
        else if (CONVERT_EXPR_CODE_P(code) && SCALAR_FLOAT_TYPE_P(element) &&
                 TYPE_PRECISION(element) != TYPE_PRECISION(TREE_TYPE(gimple_assign_lhs(g))))
            out->add(loc, OP_INTRINSIC, 1);
    }
}

/* The group of a function of the mathematical library, by its name without `__builtin_' and without
 * the suffix of its type. */
static const std::map<std::string, OperationGroup> &library_groups()
{
    static const std::map<std::string, OperationGroup> groups = [] {
        std::map<std::string, OperationGroup> g{{"sqrt", OP_SQRT}};
        for (const char *name :
             {"sin",   "cos",  "tan",  "asin",  "acos",  "atan", "atan2", "sinh",
              "cosh",  "tanh", "exp",  "exp2",  "expm1", "log",  "log2",  "log10",
              "log1p", "pow",  "cbrt", "hypot", "erf",   "erfc"})
            g[name] = OP_TRIG;
        for (const char *name : {"fmin", "fmax", "fabs", "abs", "labs", "llabs", "floor", "ceil",
                                 "round", "trunc", "rint", "nearbyint", "copysign"})
            g[name] = OP_INTRINSIC;
        return g;
    }();
    return groups;
}

static void add_call(gcall *g, Operations *out)
{
    location_t loc = gimple_location(g);
    tree fn = gimple_call_fndecl(g);
    if (gimple_call_internal_p(g))
        return;
    std::string name = fn && DECL_NAME(fn) ? IDENTIFIER_POINTER(DECL_NAME(fn)) : "";
    if (name.compare(0, 10, "__builtin_") == 0)
        name.erase(0, 10);
    const auto &groups = library_groups();
    auto found = groups.find(name);
    if (found == groups.end() && !name.empty() && (name.back() == 'f' || name.back() == 'l'))
        found = groups.find(name.substr(0, name.size() - 1));
    if (found != groups.end())
        out->add(loc, found->second, 1);
    else if (!fn || !fndecl_built_in_p(fn, BUILT_IN_NORMAL) || gimple_vdef(g))
        out->add(loc, OP_CALL, 1);
}

/* Is it a step of a loop's counter? */
static bool is_step(Analysis &an, gassign *g)
{
    const class loop *l = gimple_bb(g)->loop_father;
    tree control = loop_depth(l) > 0 ? an.get_loop(l)->control : NULL_TREE;
    gphi *phi = control && TREE_CODE(control) == SSA_NAME
                    ? safe_dyn_cast<gphi *>(SSA_NAME_DEF_STMT(control))
                    : NULL;
    for (unsigned i = 0; phi && i < gimple_phi_num_args(phi); i++)
        if (gimple_phi_arg_def(phi, i) == gimple_assign_lhs(g))
            return true;
    return false;
}

static bool is_test(Analysis &an, basic_block bb)
{
    return loop_depth(bb->loop_father) > 0 && an.get_loop(bb->loop_father)->test == bb;
}

void add_operations(Analysis &an, gimple *g, Operations *out)
{
    if (gassign *a = dyn_cast<gassign *>(g)) {
        tree lhs = gimple_assign_lhs(a);
        bool integer = TREE_CODE(lhs) == SSA_NAME && !POINTER_TYPE_P(TREE_TYPE(lhs)) &&
                       adder(TREE_TYPE(gimple_assign_rhs1(a))) == OP_INT_ADD;
        if (gimple_assign_single_p(a) || (TREE_CODE(lhs) == SSA_NAME && has_zero_uses(lhs)) ||
            (integer && (is_subscript(lhs, 8) || is_step(an, a) || is_test(an, gimple_bb(g)))))
            return;
        add_arithmetic(a, out);
    } else if (gcond *c = dyn_cast<gcond *>(g)) {
        if (!is_test(an, gimple_bb(g)))
            out->add(gimple_location(g), adder(TREE_TYPE(gimple_cond_lhs(c))), 1);
    } else if (gcall *c = dyn_cast<gcall *>(g)) {
        add_call(c, out);
    }
}

} // namespace pluss
