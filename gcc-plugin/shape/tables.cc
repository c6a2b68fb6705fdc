/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Contents of constant tables, for subscripts that are read from them.
 */
#include "shadow/callee.h"
#include "shape/shape.h"

namespace pluss
{

/* Appends the contents of a constant table of integers: static const int dx[4] = {...}. *good =
 * false: it is none. */
static void table_values(tree init, tree type, std::vector<int64_t> *out, bool *good)
{
    int64_t n = type_bytes(type);
    if (TREE_CODE(type) != ARRAY_TYPE) {
        if (init && (TREE_CODE(init) != INTEGER_CST || !tree_fits_shwi_p(init)))
            *good = false;
        else
            out->push_back(init ? tree_to_shwi(init) : 0);
        return;
    }
    tree inner = TREE_TYPE(type);
    int64_t each = type_bytes(inner);
    if (each <= 0 || n <= 0 || n / each > 65536 || (init && TREE_CODE(init) != CONSTRUCTOR)) {
        *good = false;
        return;
    }
    std::vector<tree> parts(n / each, NULL_TREE);
    unsigned HOST_WIDE_INT i, at = 0;
    tree index, value;
    if (init)
        FOR_EACH_CONSTRUCTOR_ELT(CONSTRUCTOR_ELTS(init), i, index, value)
        {
            tree low = TYPE_MIN_VALUE(TYPE_DOMAIN(type));
            unsigned HOST_WIDE_INT from = at, to;
            if (index && TREE_CODE(index) == RANGE_EXPR) {
                from = tree_to_uhwi(TREE_OPERAND(index, 0)) - tree_to_uhwi(low);
                to = tree_to_uhwi(TREE_OPERAND(index, 1)) - tree_to_uhwi(low);
            } else {
                if (index && tree_fits_uhwi_p(index) && low && tree_fits_uhwi_p(low))
                    from = tree_to_uhwi(index) - tree_to_uhwi(low);
                to = from;
            }
            if (to >= parts.size()) {
                *good = false;
                return;
            }
            for (at = from; at <= to; at++)
                parts[at] = value;
        }
    for (tree p : parts)
        if (*good)
            table_values(p, inner, out, good);
}

void Shapes::read_tables()
{
    std::set<Object *> read;
    for (auto &l : load_places)
        if (l.second.array)
            read.insert(l.second.array->object);
    for (Array &a : arrays) {
        Object *o = a.object;
        if (!read.count(o) || a.over || o->kind != ObjectKind::Decl || !VAR_P(o->decl) ||
            !TREE_READONLY(o->decl) || !DECL_INITIAL(o->decl) || may_be_replaced(o->decl) ||
            TREE_CODE(DECL_INITIAL(o->decl)) != CONSTRUCTOR || a.elem == PLUSSI_ELEM_BYTES)
            continue;
        bool good = true;
        std::vector<int64_t> v;
        table_values(DECL_INITIAL(o->decl), o->type, &v, &good);
        if (good && (int64_t)v.size() * a.elem_bytes == type_bytes(o->type))
            a.values = v;
    }
}

} // namespace pluss
