/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * memset, memcpy and memmove as what they access: a loop over the elements of the type that the
 * pointer leads to, or over bytes where the size is no multiple of one. Compilers make such calls
 * themselves: of whole arrays in Fortran, of std::fill and std::copy in C++.
 */
#include "shadow/flatten.h"

#include "common/statements.h"

namespace pluss
{

struct MemoryCall {
    tree to = NULL_TREE, from = NULL_TREE, bytes = NULL_TREE; /* from: NULL: memset */
};

static bool read_memory_call(gcall *call, MemoryCall *out)
{
    if (!gimple_call_builtin_p(call, BUILT_IN_NORMAL))
        return false;
    bool copies = false;
    switch (DECL_FUNCTION_CODE(gimple_call_fndecl(call))) {
    case BUILT_IN_MEMCPY:
    case BUILT_IN_MEMCPY_CHK:
    case BUILT_IN_MEMMOVE:
    case BUILT_IN_MEMMOVE_CHK:
        copies = true;
        break;
    case BUILT_IN_MEMSET:
    case BUILT_IN_MEMSET_CHK:
        break;
    default:
        return false;
    }
    out->to = gimple_call_arg(call, 0);
    out->from = copies ? gimple_call_arg(call, 1) : NULL_TREE;
    out->bytes = gimple_call_arg(call, 2);
    return true;
}

/* The elements of what is pointed to; NULL: not known, or their size does not fit. */
static tree find_element(tree type, tree bytes)
{
    while (type && TREE_CODE(type) == ARRAY_TYPE)
        type = TREE_TYPE(type);
    if (!type || VOID_TYPE_P(type) || !COMPLETE_TYPE_P(type) || TREE_ADDRESSABLE(type) ||
        !tree_fits_shwi_p(TYPE_SIZE_UNIT(type)) || tree_to_shwi(TYPE_SIZE_UNIT(type)) <= 0)
        return NULL_TREE;
    if (tree_fits_shwi_p(bytes) && tree_to_shwi(bytes) % tree_to_shwi(TYPE_SIZE_UNIT(type)))
        return NULL_TREE;
    return TYPE_MAIN_VARIANT(type);
}

/* The pointer to void that is loaded at an argument of a memory call, as z.data, or NULL. */
static tree find_loaded(tree arg)
{
    if (!arg || TREE_CODE(arg) != SSA_NAME || !VOID_TYPE_P(TREE_TYPE(TREE_TYPE(arg))))
        return NULL_TREE;
    gimple *def = SSA_NAME_DEF_STMT(arg);
    return gimple_assign_load_p(def) ? gimple_assign_rhs1(def) : NULL_TREE;
}

/* Accesses by pointers to void that are loaded from a place, and to what is beside. */
struct TypedAccesses {
    struct Place {
        tree pointer;
        std::set<tree> types; /* of what is accessed */
    };
    std::vector<Place> places;
    std::map<tree, size_t> copies; /* of the pointers: their places */

    size_t find(tree pointer) const
    {
        size_t i = 0;
        while (i < places.size() && !operand_equal_p(places[i].pointer, pointer, 0))
            i++;
        return i;
    }
    void follow(gimple *g)
    {
        tree lhs = gimple_assign_lhs(g), rhs = gimple_assign_rhs1(g);
        if (!POINTER_TYPE_P(TREE_TYPE(lhs)))
            return;
        auto copied = copies.find(rhs);
        size_t at = gimple_assign_load_p(g)  ? find(rhs)
                    : copied != copies.end() ? copied->second
                                             : places.size();
        if (at < places.size())
            copies[lhs] = at;
    }
};

static tree look_at_access(tree *tp, int *walk_subtrees, void *data)
{
    TypedAccesses *t = walk_info<TypedAccesses>(data);
    *walk_subtrees = !TYPE_P(*tp);
    if (TREE_CODE(*tp) != MEM_REF)
        return NULL_TREE;
    auto copied = t->copies.find(TREE_OPERAND(*tp, 0));
    if (copied == t->copies.end())
        return NULL_TREE;
    tree type = TREE_TYPE(*tp);
    while (TREE_CODE(type) == ARRAY_TYPE)
        type = TREE_TYPE(type);
    t->places[copied->second].types.insert(TYPE_MAIN_VARIANT(type));
    return NULL_TREE;
}

/* Since GCC 16 descriptors of Fortran's arrays hold pointers to void, which do not tell what is
 * cleared or copied: what else is accessed by them does, if it is of one type. */
void Flat::find_pointed(const std::vector<gimple *> &all)
{
    TypedAccesses t;
    std::vector<std::pair<tree, size_t>> asked;
    for (gimple *g : all) {
        MemoryCall m;
        if (!is_gimple_call(g) || !read_memory_call(as_a<gcall *>(g), &m))
            continue;
        for (tree arg : {m.to, m.from})
            if (tree pointer = find_loaded(arg)) {
                size_t at = t.find(pointer);
                if (at == t.places.size())
                    t.places.push_back({pointer, {}});
                asked.push_back({arg, at});
            }
    }
    if (asked.empty())
        return;
    walk_stmt_info wi;
    memset(&wi, 0, sizeof wi);
    wi.info = &t;
    for (gimple *g : all) {
        if (is_gimple_assign(g))
            t.follow(g);
        if (!gimple_has_substatements(g))
            walk_gimple_op(g, look_at_access, &wi);
    }
    for (const auto &a : asked)
        if (t.places[a.second].types.size() == 1)
            pointed[a.first] = *t.places[a.second].types.begin();
}

static bool is_byte(tree type)
{
    return integer_onep(TYPE_SIZE_UNIT(type));
}

/* False: it is another call. */
bool Flatten::expand_memory_call(gimple_seq *out, gcall *call)
{
    MemoryCall m;
    if (!read_memory_call(call, &m))
        return false;
    location_t loc = gimple_location(call);
    auto pointed = [&](tree pointer) {
        auto found = flat.pointed.find(pointer);
        return found != flat.pointed.end() ? found->second : TREE_TYPE(TREE_TYPE(pointer));
    };
    tree element = find_element(pointed(m.to), m.bytes);
    if (m.from && (!element || is_byte(element)))
        if (tree other = find_element(pointed(m.from), m.bytes))
            element = other;
    if (!element)
        element = unsigned_char_type_node;
    tree size = TYPE_SIZE_UNIT(element);
    if (tree lhs = gimple_call_lhs(call))
        append(out, gimple_build_assign(lhs, m.to));

    tree type = long_long_integer_type_node, index = make_temporary(type);
    DECL_NAME(index) = get_identifier("k");
    tree first = build_zero_cst(type), end = emit_operation(out, TRUNC_DIV_EXPR, m.bytes, size);
    auto emit = [&](gassign *g) {
        gimple_set_location(g, loc);
        auto from = flat.origin.find(call);
        if (from != flat.origin.end())
            flat.origin[g] = from->second;
        append(out, g);
    };
    auto emit_place = [&](tree pointer, tree offset) {
        tree at = make_temporary(build_pointer_type(element));
        append(out, gimple_build_assign(at, POINTER_PLUS_EXPR, pointer, offset));
        return build2(MEM_REF, element, at, build_int_cst(build_pointer_type(element), 0));
    };
    auto emit_element = [&](tree offset) {
        bool in_register = is_gimple_reg_type(element);
        tree value = in_register ? build_zero_cst(element) : build_constructor(element, NULL);
        if (m.from) {
            tree source = emit_place(m.from, offset);
            value = source;
            if (in_register) {
                value = make_temporary(element);
                emit(gimple_build_assign(value, source));
            }
        }
        emit(gimple_build_assign(emit_place(m.to, offset), value));
    };
    if (integer_onep(end)) {
        emit_element(size_zero_node);
        return true;
    }
    Counter counter = {
        {index, first, end, build_one_cst(type), LT_EXPR, PLUS_EXPR, loc}, index, first, end};
    emit_counting_loop(out, counter, loc, [&]() {
        tree wide = make_temporary(sizetype), offset = make_temporary(sizetype);
        append(out, gimple_build_assign(wide, NOP_EXPR, index));
        append(out, gimple_build_assign(offset, MULT_EXPR, wide, size));
        emit_element(offset);
    });
    return true;
}

} // namespace pluss
