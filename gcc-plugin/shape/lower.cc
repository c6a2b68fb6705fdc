/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lower bounds of Fortran's arrays, for texts: the nest's subscripts count from 0.
 *
 * 1. Where the nest's subscripts are those of an array's descriptor (allocatable arrays, pointers),
 * they are the source's own: the bounds are 0.
 *
 * 2. Of other arrays gfortran's type is one-dimensional, with a name, for debuggers, that stands
 * for the declared one, one type of arrays a dimension, the first subscript's outermost.
 * Assumed-shape arrays are accessed through a pointer of such a type. The nest must have the same
 * dimensions, and the bounds be constants.
 */
#include "shape/shape.h"

namespace pluss
{

/* The ranges of the dimensions that are declared, the first subscript's first; none: not known. */
static std::vector<tree> declared_ranges(tree type)
{
    std::vector<tree> ranges;
    tree name = TYPE_P(type) ? TYPE_NAME(type) : NULL_TREE;
    if (!name || TREE_CODE(name) != TYPE_DECL || !DECL_ORIGINAL_TYPE(name))
        return ranges;
    for (tree t = DECL_ORIGINAL_TYPE(name); TREE_CODE(t) == ARRAY_TYPE && !TYPE_STRING_FLAG(t);
         t = TREE_TYPE(t)) {
        if (!TYPE_DOMAIN(t) || !TYPE_MIN_VALUE(TYPE_DOMAIN(t)))
            return {};
        ranges.push_back(TYPE_DOMAIN(t));
    }
    return ranges;
}

/* Are the dimensions of `a` the declared ones? Strides of a descriptor are those of its dimensions.
 */
static bool has_dimensions(Analysis &an, const Array *a, const std::vector<tree> &ranges,
                           bool by_descriptor)
{
    size_t n = a->stride.size();
    if (n == 0 || ranges.size() != n || a->column_order != (n > 1))
        return false;
    if (by_descriptor)
        return a->object->descriptor_rank == n;
    Poly stride(a->elem_bytes);
    for (size_t k = 0; k < n; k++) {
        if (a->stride[n - 1 - k] != stride)
            return false;
        if (k + 1 == n)
            break;
        tree last = TYPE_MAX_VALUE(ranges[k]);
        if (!last)
            return false;
        Poly high = an.resolve(an.variable_value(last), an.outermost()),
             low = an.resolve(an.variable_value(TYPE_MIN_VALUE(ranges[k])), an.outermost());
        if (find_opaque(high) || find_opaque(low))
            return false;
        stride = stride * (high - low + Poly(1));
    }
    return true;
}

/* The lower bounds of an array of that type, if it has them; none: not known. */
static std::vector<int64_t> declared_bounds(Analysis &an, tree type, const Array *a,
                                            bool by_descriptor)
{
    std::vector<int64_t> bounds;
    std::vector<tree> ranges = declared_ranges(type);
    if (ranges.empty() || type_bytes(TREE_TYPE(type)) != a->elem_bytes ||
        !has_dimensions(an, a, ranges, by_descriptor))
        return {};
    for (size_t k = ranges.size(); k-- > 0;) {
        tree low = TYPE_MIN_VALUE(ranges[k]);
        if (TREE_CODE(low) != INTEGER_CST || !tree_fits_shwi_p(low))
            return {};
        bounds.push_back(tree_to_shwi(low));
    }
    return bounds;
}

/* Are these of elements of the array, and not of characters of strings? */
static bool are_of_elements(const std::vector<const Ref *> &refs)
{
    return std::all_of(refs.begin(), refs.end(), [](const Ref *r) {
        tree type = r->elem_type;
        return r->levels.size() <= 1 && type && !TYPE_STRING_FLAG(type) &&
               !(TREE_CODE(type) == INTEGER_TYPE && TYPE_UNSIGNED(type));
    });
}

void find_lower_bounds(Analysis &an, const std::vector<const Ref *> &refs, Array *a,
                       bool by_descriptor)
{
    size_t n = a->stride.size();
    if (a->zero) {
        if (a->object->descriptor_rank == n && are_of_elements(refs))
            a->lower.assign(n, 0);
        return;
    }
    if (by_descriptor) {
        if (a->object->declared && are_of_elements(refs))
            a->lower = declared_bounds(an, a->object->declared, a, true);
        return;
    }
    for (const Ref *r : refs) {
        if (!r->array)
            continue;
        std::vector<int64_t> lower = declared_bounds(an, r->array, a, false);
        if (lower.empty() || (!a->lower.empty() && a->lower != lower)) {
            a->lower.clear();
            return;
        }
        a->lower = lower;
    }
}

} // namespace pluss
