/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A region's descriptor, and the code that computes the values of its symbols and the addresses of
 * its arrays for its beginning. See region.h.
 */
#include "region/region.h"

namespace pluss
{

/* ---- the descriptor -------------------------------------------------------------------------- */

/* A record type with these fields, laid out as C would. */
static tree build_record_type(const std::vector<tree> &types)
{
    tree record = make_node(RECORD_TYPE), last = NULL_TREE;
    for (tree t : types) {
        tree f = build_decl(UNKNOWN_LOCATION, FIELD_DECL, NULL_TREE, t);
        DECL_FIELD_CONTEXT(f) = record;
        DECL_CHAIN(f) = last;
        last = f;
    }
    TYPE_FIELDS(record) = nreverse(last);
    layout_type(record);
    return record;
}

static tree build_record(tree record, const std::vector<tree> &values)
{
    vec<constructor_elt, va_gc> *v = NULL;
    tree f = TYPE_FIELDS(record);
    for (tree x : values) {
        CONSTRUCTOR_APPEND_ELT(v, f, fold_convert(TREE_TYPE(f), x));
        f = DECL_CHAIN(f);
    }
    return build_constructor(record, v);
}

static tree build_array_type(tree type, size_t n)
{
    return build_array_type_nelts(type, n ? n : 1);
}

/* The address of a static table; a null pointer where it is empty. */
static tree build_table(tree type, const std::vector<tree> &values, const char *prefix)
{
    if (values.empty())
        return null_pointer_node;
    vec<constructor_elt, va_gc> *v = NULL;
    for (size_t i = 0; i < values.size(); i++)
        CONSTRUCTOR_APPEND_ELT(v, size_int(i), values[i]);
    tree t = build_array_type(build_qualified_type(type, TYPE_QUAL_CONST), values.size());
    return build_fold_addr_expr(static_constant(t, build_constructor(t, v), prefix));
}

static tree build_names(const std::vector<std::string> &list)
{
    std::vector<tree> v;
    for (const std::string &s : list)
        v.push_back(fold_convert(const_ptr_type_node, string_pointer(s)));
    return build_table(const_ptr_type_node, v, "pluss_names");
}

tree region_descriptor(const Region &region)
{
    tree u = uint32_type_node, p = const_ptr_type_node;
    auto number = [&](uint64_t n) { return build_int_cst(u, n); };
    tree shape = build_record_type({u, u});
    std::vector<tree> refs;
    for (const RegionRef &r : region.refs)
        refs.push_back(build_record(shape, {number(r.width), number(r.granule)}));
    tree type = build_qualified_type(
        build_record_type({size_type_node, p, p, u, u, u, u, p, p, p, u}), TYPE_QUAL_CONST);
    const NestNames &n = region.names;
    tree value = build_record(type, {TYPE_SIZE_UNIT(type), string_pointer(n.name),
                                     string_pointer(n.file), number(n.line), number(refs.size()),
                                     number(n.symbols.size()), number(n.arrays.size()),
                                     build_table(shape, refs, "pluss_refs"), build_names(n.symbols),
                                     build_names(n.arrays), number(region.n_described)});
    return build_fold_addr_expr(static_constant(type, value, "pluss_region"));
}

/* ---- values ---------------------------------------------------------------------------------- */

/* A place that is moved by a number of units, which are read here. */
tree Entry::emit_moved(const Value &v, tree from, gimple_seq *out)
{
    tree type = intDI_type_node;
    tree a = emit_convert(out, type, from);
    tree b = emit_convert(out, type, emit_early(v.of[1], out));
    tree unit = v.of.size() > 2 ? emit_convert(out, type, emit_early(v.of[2], out))
                                : build_int_cst(type, v.offset);
    return emit_value(out, type, PLUS_EXPR, a, emit_value(out, type, MULT_EXPR, b, unit));
}

/* What a branch decides, or a comparison that is a value. */
static tree emit_truth(gimple *test, gimple_seq *out)
{
    return is_gimple_assign(test) ? gimple_assign_lhs(test)
                                  : emit_value(out, boolean_type_node, gimple_cond_code(test),
                                               gimple_cond_lhs(test), gimple_cond_rhs(test));
}

/* Emits code for a value at the region's entry, in the value's own type. */
tree Entry::emit_early(const Value &v, gimple_seq *out)
{
    switch (v.kind) {
    case Value::Start:
    case Value::After:
    case Value::Before:
    case Value::Truth: {
        tree type = v.kind == Value::Truth ? integer_type_node : TREE_TYPE(v.operand);
        tree kept = edits.variable(type, "pluss_value");
        gimple_seq here = NULL;
        if (v.kind == Value::Start) {
            gimple_seq_add_stmt(&edits.start, gimple_build_assign(kept, unshare_expr(v.operand)));
            return kept;
        }
        tree now = v.operand;
        if (v.kind == Value::Truth)
            now = emit_convert(&here, type, emit_truth(v.at[0], &here));
        gimple_seq_add_stmt(&here, gimple_build_assign(kept, unshare_expr(now)));
        if (v.kind == Value::After || (v.kind == Value::Truth && is_gimple_assign(v.at[0])))
            captures.push_back({v.at[0], here});
        else
            gimple_seq_add_seq(edits.before(v.at[0]), here);
        return kept;
    }
    case Value::Read: {
        tree ref = v.operand;
        bool whole = v.offset == 0 && useless_type_conversion_p(v.type, TREE_TYPE(ref));
        if (!whole) {
            mark_addressable(ref);
            ref = build2(MEM_REF, v.type, build_fold_addr_expr(ref),
                         build_int_cst(build_pointer_type(v.type), v.offset));
        }
        return emit_value(out, v.type, TREE_CODE(ref), ref);
    }
    case Value::Follow: {
        tree base = emit_convert(out, ptr_type_node, emit_early(v.of[0], out));
        if (TREE_CODE(base) != SSA_NAME)
            base = emit_value(out, ptr_type_node, TREE_CODE(base), base);
        tree ref = build2(MEM_REF, v.type, base, build_int_cst(ptr_type_node, v.offset));
        return emit_value(out, v.type, MEM_REF, ref);
    }
    case Value::Address:
        return emit_address(out, v.operand);
    case Value::Apart: {
        tree type = intDI_type_node;
        tree a = emit_convert(out, type, emit_early(v.of[0], out));
        tree b = emit_convert(out, type, emit_early(v.of[1], out));
        tree d = emit_value(out, type, MINUS_EXPR, a, b);
        return emit_value(out, type, TRUNC_DIV_EXPR, d, build_int_cst(type, v.offset));
    }
    case Value::Moved:
        return emit_moved(v, emit_early(v.of[0], out), out);
    case Value::Sum:
    case Value::Product: {
        tree type = intDI_type_node;
        const bool sum = v.kind == Value::Sum;
        tree all = build_int_cst(type, sum ? 0 : v.offset);
        for (const Value &x : v.of)
            all = emit_value(out, type, sum ? PLUS_EXPR : MULT_EXPR, all,
                             emit_convert(out, type, emit_early(x, out)));
        return all;
    }
    case Value::There: {
        tree p = emit_convert(out, ptr_type_node, emit_early(v.of[0], out));
        return emit_value(out, boolean_type_node, NE_EXPR, emit_operand(out, p), null_pointer_node);
    }
    default:
        gcc_unreachable();
    }
}

/* A value known only inside of the region: reported where it becomes known. */
void Entry::emit_late(const Value &v, Rt report, unsigned number)
{
    tree type = report == Rt::Symbol ? intDI_type_node : const_ptr_type_node;
    for (gimple *g : v.at) {
        gimple_seq here = NULL;
        tree now = v.operand;
        const bool after = v.kind == Value::After || v.kind == Value::Moved ||
                           v.kind == Value::Read || (v.kind == Value::Truth && is_gimple_assign(g));
        if (after)
            now = gimple_get_lhs(g);
        if (v.kind == Value::Moved)
            now = emit_moved(v, now, &here);
        else if (v.kind == Value::Read)
            now = emit_early(v, &here);
        else if (v.kind == Value::Truth)
            now = emit_truth(g, &here);
        now = emit_convert(&here, type, now);
        emit_call(&here, rt_function(v.kind == Value::Truth ? Rt::Decision : report),
                  {build_u32(number), now});
        if (after)
            captures.push_back({g, here});
        else
            gimple_seq_add_seq(edits.before(g), here);
    }
}

/* A value that is computed on some of the paths to the region; `otherwise` on the others. */
tree Entry::emit_perhaps(const Value &v, tree type, tree otherwise)
{
    tree kept = edits.variable(type, "pluss_value");
    gimple_seq_add_stmt(&edits.start, gimple_build_assign(kept, otherwise));
    for (gimple *g : v.at) {
        gimple_seq here = NULL;
        tree now = emit_convert(&here, type, gimple_get_lhs(g));
        gimple_seq_add_stmt(&here, gimple_build_assign(kept, now));
        captures.push_back({g, here});
    }
    return kept;
}

/* As in rt/rt.h: a branch, a value, an address that the run does not reach. */
static const int64_t RT_UNDECIDED = INT64_MIN + 1, RT_UNREACHED = INT64_MIN + 2, RT_UNTOUCHED = 1;

/* An array of the values on the stack; its address. */
tree Entry::emit_array(const std::vector<Value> &values, tree type, const char *name, Rt report)
{
    if (values.empty())
        return null_pointer_node;
    tree array = edits.variable(build_array_type(type, values.size()), name);
    TREE_ADDRESSABLE(array) = 1;
    for (size_t i = 0; i < values.size(); i++) {
        const Value &v = values[i];
        bool symbol = report == Rt::Symbol;
        tree x = symbol ? TYPE_MIN_VALUE(type) : build_int_cst(type, 0);
        if (v.perhaps || v.late)
            x = build_int_cst(type, !symbol                  ? RT_UNTOUCHED
                                    : v.kind == Value::Truth ? RT_UNDECIDED
                                                             : RT_UNREACHED);
        if (v.kind == Value::Count) {
            tree n = edits.variable(type, "pluss_trips");
            gimple_seq_add_stmt(&seq, gimple_build_assign(n, build_int_cst(type, 0)));
            gimple_seq_add_stmt(edits.before(v.at[0]),
                                gimple_build_assign(n, PLUS_EXPR, n, build_int_cst(type, 1)));
            gimple_seq_add_stmt(&edits.start, gimple_build_assign(n, build_int_cst(type, 0)));
            counters.push_back({(unsigned)i, n});
        } else if (v.perhaps)
            x = emit_perhaps(v, type, x);
        else if (v.late)
            emit_late(v, report, i);
        else if (v.kind != Value::Unknown)
            x = emit_convert(&seq, type, emit_early(v, &seq));
        tree element =
            build4(ARRAY_REF, type, array, build_int_cst(size_type_node, i), NULL_TREE, NULL_TREE);
        if (!is_gimple_val(x) || (VAR_P(x) && !is_gimple_reg(x)))
            x = emit_value(&seq, type, TREE_CODE(x), x);
        gimple_seq_add_stmt(&seq, gimple_build_assign(element, unshare_expr(x)));
    }
    return build_fold_addr_expr(array);
}

Entry::Entry(Region &r, Edits &e) : region(r), edits(e)
{
    descriptor = region_descriptor(region);
    symbols = emit_array(region.symbols, intDI_type_node, "pluss_symbols", Rt::Symbol);
    bases = emit_array(region.bases, const_ptr_type_node, "pluss_bases", Rt::Base);
}

void Entry::emit_counts(gimple_seq *end) const
{
    for (auto &c : counters)
        emit_call(end, rt_function(Rt::Symbol), {build_u32(c.first), c.second});
}

void Entry::insert()
{
    for (auto &c : captures)
        gimple_seq_add_seq(edits.after(c.first), c.second);
    gimple_seq *at = !region.entry        ? &edits.start
                     : region.entry_after ? edits.after(region.entry)
                                          : edits.before(region.entry);
    gimple_seq_add_seq(at, seq);
}

} // namespace pluss
