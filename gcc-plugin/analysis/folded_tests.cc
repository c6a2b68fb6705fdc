/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tests that GCC joins when it optimises. Tested by tests/plugin/cases/folded_tests.
 *
 * Of x->a == y->a && x->b == y->b, and of x->a == 3 && x->b == 4, it makes one comparison of a word
 * where the fields stand side by side; bit-fields it compares as a word, without the bits of
 * others, at all levels. Here such a comparison is that of its fields again (not where the program
 * records: it has the value of the word).
 *
 * Of x[i] > 0 && x[i] < 8, and of x[i] == 3 || x[i] == 4, it makes one comparison, which loads the
 * element once: here the second load is none of its own at any level.
 */
#include "analysis/analysis.h"

namespace pluss
{

namespace
{

unsigned HOST_WIDE_INT ones(unsigned bits)
{
    return bits < 64 ? (HOST_WIDE_INT_1U << bits) - 1 : HOST_WIDE_INT_M1U;
}

/* Bits of a struct that one statement loads. */
struct Word {
    gimple *load = nullptr;
    tree of = NULL_TREE;  /* the struct */
    HOST_WIDE_INT at = 0; /* of the first bit, from the struct's start */
    unsigned bits = 0;
    unsigned HOST_WIDE_INT mask = HOST_WIDE_INT_M1U; /* those that are compared */
};

/* Is a value such a word, or some of its bits? */
bool read_word(tree value, Word *w)
{
    for (int hops = 0; hops < 8 && TREE_CODE(value) == SSA_NAME; hops++) {
        gassign *g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(value));
        if (!g || !INTEGRAL_TYPE_P(TREE_TYPE(value)))
            return false;
        tree x = gimple_assign_rhs1(g);
        if (gimple_assign_load_p(g)) {
            unsigned HOST_WIDE_INT at, size;
            if (TREE_CODE(x) != BIT_FIELD_REF ||
                TREE_CODE(TREE_TYPE(TREE_OPERAND(x, 0))) != RECORD_TYPE ||
                !bit_field_offset(x).is_constant(&at) || !bit_field_size(x).is_constant(&size) ||
                size > 64 || TYPE_REVERSE_STORAGE_ORDER(TREE_TYPE(TREE_OPERAND(x, 0))))
                return false;
            w->at = at;
            w->load = g;
            w->of = TREE_OPERAND(x, 0);
            w->bits = size;
            w->mask &= ones(size);
            return true;
        }
        if (gimple_assign_rhs_code(g) == BIT_AND_EXPR &&
            TREE_CODE(gimple_assign_rhs2(g)) == INTEGER_CST &&
            tree_fits_uhwi_p(gimple_assign_rhs2(g)))
            w->mask &= tree_to_uhwi(gimple_assign_rhs2(g));
        else if (!gimple_assign_cast_p(g) && !gimple_assign_ssa_name_copy_p(g))
            return false;
        if (!INTEGRAL_TYPE_P(TREE_TYPE(x)))
            return false;
        /* Narrower types on the way leave bits out. */
        w->mask &= ones(TYPE_PRECISION(TREE_TYPE(value)));
        value = x;
    }
    return false;
}

/* A field, and the bits of the word that it is. */
struct Part {
    tree path; /* a COMPONENT_REF */
    unsigned shift, bits;
};

/* The fields of a struct that a word has some bits of. False: only some bits of one are compared,
 * or it is nothing with a value. */
bool list_parts(tree of, HOST_WIDE_INT start, const Word &w, std::vector<Part> *parts)
{
    for (tree f = TYPE_FIELDS(TREE_TYPE(of)); f; f = DECL_CHAIN(f)) {
        if (TREE_CODE(f) != FIELD_DECL || !DECL_SIZE(f) || integer_zerop(DECL_SIZE(f)))
            continue;
        if (!tree_fits_uhwi_p(DECL_SIZE(f)) || !tree_fits_shwi_p(bit_position(f)))
            return false;
        const HOST_WIDE_INT first = start + tree_to_shwi(bit_position(f)) - w.at,
                            size = tree_to_uhwi(DECL_SIZE(f));
        if (first >= (HOST_WIDE_INT)w.bits || first + size <= 0)
            continue;
        tree path = build3(COMPONENT_REF, TREE_TYPE(f), of, f, NULL_TREE);
        if (TREE_CODE(TREE_TYPE(f)) == RECORD_TYPE) {
            if (!list_parts(path, first + w.at, w, parts))
                return false;
            continue;
        }
        if (first < 0 || first + size > (HOST_WIDE_INT)w.bits)
            return false;
        const unsigned HOST_WIDE_INT mask = ones(size) << first;
        if (!(mask & w.mask))
            continue;
        if ((mask & w.mask) != mask || !INTEGRAL_TYPE_P(TREE_TYPE(f)) ||
            (DECL_BIT_FIELD(f) && options.mode != Mode::Describe))
            return false;
        parts->push_back({path, (unsigned)first, (unsigned)size});
    }
    return true;
}

/* The load at the end of some steps that change a number's type, or add a constant. */
gassign *tested_load(tree name)
{
    for (int hops = 0; hops < 8 && TREE_CODE(name) == SSA_NAME; hops++) {
        gassign *g = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(name));
        if (!g || !INTEGRAL_TYPE_P(TREE_TYPE(name)) || gimple_assign_load_p(g))
            return g && INTEGRAL_TYPE_P(TREE_TYPE(name)) ? g : nullptr;
        const tree_code code = gimple_assign_rhs_code(g);
        if (!CONVERT_EXPR_CODE_P(code) && code != SSA_NAME &&
            !((code == PLUS_EXPR || code == MINUS_EXPR) &&
              TREE_CODE(gimple_assign_rhs2(g)) == INTEGER_CST))
            return nullptr;
        name = gimple_assign_rhs1(g);
    }
    return nullptr;
}

/* The load that the branch at a block's end compares with a constant; NULL: it is another one. */
gassign *load_of_test(basic_block bb)
{
    gcond *c = safe_dyn_cast<gcond *>(plussi_last_stmt(bb));
    return c && TREE_CODE(gimple_cond_rhs(c)) == INTEGER_CST ? tested_load(gimple_cond_lhs(c))
                                                             : nullptr;
}

} // namespace

const Cond *Analysis::compare_fields(Cond::Op op, tree l, tree r)
{
    Word x, y;
    const bool constant = TREE_CODE(r) == INTEGER_CST && TYPE_PRECISION(TREE_TYPE(r)) <= 64;
    if (BYTES_BIG_ENDIAN || options.mode != Mode::Describe || !read_word(l, &x) ||
        (!constant && (!read_word(r, &y) || x.mask != y.mask || x.bits != y.bits || x.at != y.at ||
                       TYPE_MAIN_VARIANT(TREE_TYPE(x.of)) != TYPE_MAIN_VARIANT(TREE_TYPE(y.of)))))
        return nullptr;
    std::vector<Part> parts, others;
    if (!list_parts(x.of, 0, x, &parts) || (!constant && !list_parts(y.of, 0, y, &others)))
        return nullptr;
    const unsigned HOST_WIDE_INT number = constant ? TREE_INT_CST_LOW(r) & ones(x.bits) : 0;
    auto read = [&](const Word &w, const Part &p) {
        const Poly a = read_load(w.load, p.path);
        const Atom *of_all = a.is_atom();
        return of_all && of_all->kind == AtomKind::Symbol &&
                       symbols[of_all->name].origin.def == w.load
                   ? Poly::overflow()
                   : a;
    };
    unsigned HOST_WIDE_INT left = x.mask;
    const Cond *all = ex.constant(true);
    for (size_t i = 0; i < parts.size(); i++) {
        const Part &p = parts[i];
        left &= ~(ones(p.bits) << p.shift);
        const HOST_WIDE_INT k = (number >> p.shift) & ones(p.bits);
        const Poly a = read(x, p),
                   b = constant
                           ? Poly((int64_t)(TYPE_UNSIGNED(TREE_TYPE(p.path)) ? k
                                                                             : sext_hwi(k, p.bits)))
                           : read(y, others[i]);
        if (a.bad || b.bad || find_opaque(a) || find_opaque(b))
            return nullptr;
        all = ex.both(all, ex.relation(Cond::Eq, a, b));
    }
    if (parts.empty() || left || (number & ~x.mask))
        return nullptr;
    return op == Cond::Eq ? all : ex.negate(all);
}

gassign *Analysis::tested_before(gimple *load)
{
    auto known = tested.find(load);
    if (known != tested.end())
        return known->second;
    tested[load] = nullptr;
    basic_block bb = gimple_bb(load);
    if (!gimple_vuse(load) || !INTEGRAL_TYPE_P(TREE_TYPE(gimple_get_lhs(load))) ||
        load_of_test(bb) != load || !single_pred_p(bb) || EDGE_COUNT(bb->succs) != 2)
        return nullptr;
    basic_block above = single_pred(bb);
    gassign *first = EDGE_COUNT(above->succs) == 2 ? load_of_test(above) : nullptr;
    tree ref = gimple_assign_rhs1(load);
    Ref a, b;
    if (!first || gimple_vuse(first) != gimple_vuse(load) || TREE_THIS_VOLATILE(ref) ||
        !types_compatible_p(TREE_TYPE(ref), TREE_TYPE(gimple_assign_rhs1(first))) ||
        is_bit_field(ref) || is_bit_field(gimple_assign_rhs1(first)) ||
        !find_address(ref, bb, &a) || !find_address(gimple_assign_rhs1(first), above, &b) ||
        a.object != b.object || a.offset != b.offset || a.path != b.path)
        return nullptr;
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i))
        if (gimple_vdef(gsi_stmt(i)))
            return nullptr;
    gassign *earlier = tested_before(first);
    return tested[load] = earlier ? earlier : first;
}

bool Analysis::is_tested_again(gimple *load)
{
    gassign *first = tested_before(load);
    basic_block bb = gimple_bb(load);
    if (!first)
        return false;
    /* x && y has one way in common if they do not hold, x || y if they do. */
    basic_block above = single_pred(bb);
    edge t, f, yes, no;
    extract_true_false_edges_from_block(above, &t, &f);
    extract_true_false_edges_from_block(bb, &yes, &no);
    const bool all = t->dest == bb;
    basic_block other = skip_empty((all ? f : t)->dest);
    const bool by_no = skip_empty(no->dest) == other;
    if (!by_no && skip_empty(yes->dest) != other)
        return false;
    const Cond *x = read_condition(above), *y = read_condition(bb);
    if (by_no != all)
        y = ex.negate(y);
    return ex.is_one_range(x, y, all);
}

} // namespace pluss
