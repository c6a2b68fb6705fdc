/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Floating-point numbers that integers were converted to: (double)(42 + i) != 0. Conversions round,
 * but keep the order of numbers, and are exact up to 2^p for a mantissa of p bits. So such a number
 * compares with a constant of a smaller size as the integer does, however large that is, and with
 * another one if both are exact. None is a NaN: comparisons that are true of NaNs, too, are those
 * that are not. Tested by tests/plugin/cases/whole_numbers.
 */
#include "analysis/analysis.h"

namespace pluss
{

/* An integer that was converted, or a constant. */
struct WholeNumber {
    tree integer = NULL_TREE; /* NULL: it is the constant */
    REAL_VALUE_TYPE constant;
    int mantissa = 112; /* bits of the narrowest type on the way */

    bool is_exact() const
    {
        tree type = TREE_TYPE(integer);
        return (int)TYPE_PRECISION(type) - !TYPE_UNSIGNED(type) <= mantissa;
    }
    /* Is the constant smaller than what any rounding leaves as it is? */
    bool is_small() const
    {
        return real_isfinite(&constant) &&
               (constant.cl == rvc_zero || REAL_EXP(&constant) < limit());
    }
    int limit() const { return std::min(mantissa, 62); }
};

/* Where a floating-point number comes from. False: not from one integer or constant. */
static bool find_whole(tree v, WholeNumber *out)
{
    for (int hops = 0; hops < 16; hops++) {
        if (!SCALAR_FLOAT_TYPE_P(TREE_TYPE(v)))
            return false;
        const real_format *format = REAL_MODE_FORMAT(TYPE_MODE(TREE_TYPE(v)));
        if (!format || format->b != 2)
            return false;
        out->mantissa = std::min(out->mantissa, format->p);
        if (TREE_CODE(v) == REAL_CST) {
            out->constant = TREE_REAL_CST(v);
            return true;
        }
        gassign *g = TREE_CODE(v) == SSA_NAME ? dyn_cast<gassign *>(SSA_NAME_DEF_STMT(v)) : nullptr;
        tree_code code = g ? gimple_assign_rhs_code(g) : ERROR_MARK;
        if (code == FLOAT_EXPR) {
            out->integer = gimple_assign_rhs1(g);
            return is_number(TREE_TYPE(out->integer));
        }
        if (code != SSA_NAME && code != REAL_CST && !CONVERT_EXPR_CODE_P(code))
            return false;
        v = gimple_assign_rhs1(g);
    }
    return false;
}

/* The comparison of numbers that are no NaNs which a comparison is. */
static tree_code without_nans(tree_code code)
{
    switch (code) {
    case UNLT_EXPR:
        return LT_EXPR;
    case UNLE_EXPR:
        return LE_EXPR;
    case UNGT_EXPR:
        return GT_EXPR;
    case UNGE_EXPR:
        return GE_EXPR;
    case UNEQ_EXPR:
        return EQ_EXPR;
    case LTGT_EXPR:
        return NE_EXPR;
    default:
        return code;
    }
}

/* integer op c, where c need not be whole: i < 2.5 is i < 3, and i > 2.5 is i > 2. */
static const Cond *compare_with_constant(Exprs &ex, Cond::Op op, const Poly &integer,
                                         const REAL_VALUE_TYPE &c)
{
    REAL_VALUE_TYPE below, above;
    real_floor(&below, VOIDmode, &c);
    real_ceil(&above, VOIDmode, &c);
    bool up = op == Cond::Lt || op == Cond::Ge;
    if ((op == Cond::Eq || op == Cond::Ne) && !real_identical(&below, &above))
        return ex.constant(op == Cond::Ne);
    return ex.relation(op, integer, Poly((int64_t)real_to_integer(up ? &above : &below)));
}

/* The integer of a whole number as the statement `at` uses it. */
Poly Analysis::whole_value(tree integer, gimple *at)
{
    return unwrap(value(integer), TREE_TYPE(integer), at);
}

/* NULL: these are not two such numbers, or rounding may decide. */
const Cond *Analysis::compare_whole_numbers(tree_code code, tree l, tree r, gimple *at)
{
    WholeNumber x, y;
    if (!find_whole(l, &x) || !find_whole(r, &y))
        return nullptr;
    if ((!x.integer && !real_isfinite(&x.constant)) || (!y.integer && !real_isfinite(&y.constant)))
        return nullptr;
    if (code == ORDERED_EXPR || code == UNORDERED_EXPR)
        return ex.constant(code == ORDERED_EXPR);
    code = without_nans(code);
    if (!x.integer && !y.integer)
        return ex.constant(real_compare(code, &x.constant, &y.constant));
    if (!x.integer) {
        std::swap(x, y);
        code = swap_tree_comparison(code);
    }
    Cond::Op op;
    if (!read_relation(code, &op))
        return nullptr;
    x.mantissa = y.mantissa = std::min(x.mantissa, y.mantissa);
    if (y.integer ? !x.is_exact() || !y.is_exact() : !y.is_small())
        return nullptr;
    Poly a = whole_value(x.integer, at);
    if (find_opaque(a))
        return ex.unknown(find_opaque(a)->reason);
    if (!y.integer)
        return compare_with_constant(ex, op, a, y.constant);
    Poly b = whole_value(y.integer, at);
    if (find_opaque(b))
        return ex.unknown(find_opaque(b)->reason);
    return ex.relation(op, a, b);
}

/* A whole number made an integer again: (int)(double)n. False: it is none, or not exact. */
bool Analysis::find_whole_value(tree v, gimple *at, Poly *out)
{
    WholeNumber x;
    if (!find_whole(v, &x) || (x.integer ? !x.is_exact() : !x.is_small()))
        return false;
    if (x.integer) {
        *out = whole_value(x.integer, at);
        return true;
    }
    REAL_VALUE_TYPE whole;
    real_trunc(&whole, VOIDmode, &x.constant);
    *out = Poly((int64_t)real_to_integer(&whole));
    return true;
}

} // namespace pluss
