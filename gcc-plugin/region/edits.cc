/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "region/edits.h"

#include "common/statements.h"

namespace pluss
{

tree Edits::variable(tree type, const char *name)
{
    tree v = make_local(type, name);
    DECL_IGNORED_P(v) = 1;
    variables.push_back(v);
    return v;
}

tree edit_stmt(gimple_stmt_iterator *gsi, bool *handled, walk_stmt_info *wi)
{
    *handled = false;
    auto *around = walk_info<std::map<gimple *, Edits::Around>>(wi);
    auto it = around->find(gsi_stmt(*gsi));
    if (it == around->end() || it->second.done)
        return NULL_TREE;
    it->second.done = true;
    if (it->second.before)
        gsi_insert_seq_before(gsi, it->second.before, GSI_SAME_STMT);
    if (it->second.after)
        gsi_insert_seq_after(gsi, it->second.after, GSI_SAME_STMT);
    return NULL_TREE;
}

void Edits::apply()
{
    gimple_seq body = gimple_body(fn->decl);
    change_sequence(&body, edit_stmt, NULL, &around);
    gimple_set_body(fn->decl, body);
    gbind *bind = only_bind(body);
    if (!bind) {
        bind = gimple_build_bind(NULL_TREE, body, DECL_INITIAL(fn->decl));
        body = NULL;
        gimple_seq_add_stmt(&body, bind);
        gimple_set_body(fn->decl, body);
    }
    for (tree v : variables)
        gimple_bind_append_vars(bind, v);
    gimple_seq inner = gimple_bind_body(bind);
    if (cleanup) {
        gtry *guard = gimple_build_try(inner, cleanup, GIMPLE_TRY_FINALLY);
        inner = NULL;
        gimple_seq_add_stmt(&inner, guard);
    }
    gimple_seq all = start;
    gimple_seq_add_seq(&all, inner);
    gimple_bind_set_body(bind, all);
}

tree emit_value(gimple_seq *seq, tree type, tree_code code, tree a, tree b)
{
    tree name = make_ssa_name(type);
    a = unshare_expr(a);
    b = unshare_expr(b);
    gassign *g = b ? gimple_build_assign(name, code, a, b) : gimple_build_assign(name, code, a);
    gimple_seq_add_stmt(seq, g);
    return name;
}

tree emit_convert(gimple_seq *seq, tree type, tree value)
{
    if (useless_type_conversion_p(type, TREE_TYPE(value)))
        return value;
    if (CONSTANT_CLASS_P(value))
        return fold_convert(type, value);
    return emit_value(seq, type, NOP_EXPR, value);
}

tree emit_operand(gimple_seq *seq, tree value)
{
    return is_gimple_min_invariant(value) || is_gimple_reg(value)
               ? value
               : emit_value(seq, TREE_TYPE(value), TREE_CODE(value), value);
}

static tree plus_bytes(gimple_seq *seq, tree pointer, HOST_WIDE_INT bytes)
{
    if (bytes == 0)
        return pointer;
    pointer = emit_operand(seq, pointer);
    return emit_value(seq, TREE_TYPE(pointer), POINTER_PLUS_EXPR, pointer, size_int(bytes));
}

tree emit_address(gimple_seq *seq, tree lvalue)
{
    tree base = strip_components(lvalue);
    if (DECL_P(base)) {
        if (is_gimple_reg(base))
            return NULL_TREE; /* a part of a register has no address */
        mark_addressable(base);
    } else if (TREE_CODE(base) != MEM_REF) {
        return NULL_TREE;
    }
    if (TREE_CODE(lvalue) == COMPONENT_REF && DECL_BIT_FIELD(TREE_OPERAND(lvalue, 1))) {
        tree whole = emit_address(seq, TREE_OPERAND(lvalue, 0));
        HOST_WIDE_INT bits = int_bit_position(TREE_OPERAND(lvalue, 1));
        return whole ? plus_bytes(seq, whole, bits / BITS_PER_UNIT) : NULL_TREE;
    }
    if (TREE_CODE(lvalue) == BIT_FIELD_REF) {
        tree whole = emit_address(seq, TREE_OPERAND(lvalue, 0)), bits = TREE_OPERAND(lvalue, 2);
        return whole && tree_fits_shwi_p(bits)
                   ? plus_bytes(seq, whole, tree_to_shwi(bits) / BITS_PER_UNIT)
                   : NULL_TREE;
    }
    if (TREE_CODE(lvalue) == MEM_REF)
        return plus_bytes(seq, TREE_OPERAND(lvalue, 0),
                          mem_ref_offset(lvalue).to_constant().to_shwi());
    tree address = build1(ADDR_EXPR, build_pointer_type(TREE_TYPE(lvalue)), unshare_expr(lvalue));
    recompute_tree_invariant_for_addr_expr(address);
    return emit_operand(seq, address);
}

tree emit_step(gimple_seq *seq, const OmpLoop &loop)
{
    tree i64 = intDI_type_node, by = emit_operand(seq, loop.by);
    /* A step down is a large number if the type is unsigned. */
    tree step = emit_convert(seq, i64, emit_convert(seq, signed_type_for(TREE_TYPE(by)), by));
    if (loop.advance != MINUS_EXPR)
        return step;
    return TREE_CODE(step) == INTEGER_CST ? fold_build1(NEGATE_EXPR, i64, step)
                                          : emit_value(seq, i64, NEGATE_EXPR, step);
}

gcall *emit_call(gimple_seq *seq, tree fn, const std::vector<tree> &args)
{
    auto_vec<tree> v;
    for (tree a : args)
        v.safe_push(unshare_expr(a));
    gcall *call = gimple_build_call_vec(fn, v);
    gimple_call_set_nothrow(call, true);
    gimple_seq_add_stmt(seq, call);
    return call;
}

/* ---- libpluss-rt ----------------------------------------------------------------------------- */

static std::vector<tree> declared; /* no duplicates: the callers keep them */

void keep_for_collector(tree t)
{
    declared.push_back(t);
}

void mark_rt_functions()
{
    for (tree f : declared)
        gt_ggc_mx_tree_node(f);
}

static tree type_of_letter(char letter)
{
    switch (letter) {
    case 'p':
        return ptr_type_node;
    case 'c':
        return const_ptr_type_node;
    case 'u':
        return uint32_type_node;
    case 'U':
        return uint64_type_node;
    case 'i':
        return integer_type_node;
    case 'I':
        return intDI_type_node;
    default:
        return void_type_node;
    }
}

tree declare_rt(const RtFunction &function, tree *made)
{
    if (*made)
        return *made;
    auto_vec<tree> parameters;
    for (const char *t = function.types + 1; *t; t++)
        parameters.safe_push(type_of_letter(*t));
    tree type = build_function_type_array(type_of_letter(function.types[0]), parameters.length(),
                                          parameters.address());
    tree f = build_fn_decl(function.name, type);
    TREE_NOTHROW(f) = 1;
    DECL_IS_NOVOPS(f) = function.apart;
    DECL_ATTRIBUTES(f) = tree_cons(get_identifier("leaf"), NULL_TREE, DECL_ATTRIBUTES(f));
    keep_for_collector(f);
    return *made = f;
}

tree rt_function(Rt which)
{
    static const RtFunction functions[] = {{"pluss_rt_enter", "pcccu", false},
                                           {"pluss_rt_enter_team", "pcccuuu", false},
                                           {"pluss_rt_leave", "vp", false},
                                           {"pluss_rt_thread_begin", "vpuu", false},
                                           {"pluss_rt_thread_end", "vp", false},
                                           {"pluss_rt_access", "vuc", true},
                                           {"pluss_rt_called", "vcu", true},
                                           {"pluss_rt_called_four", "vccccUU", true},
                                           {"pluss_rt_called_loop", "vUuc", false},
                                           {"pluss_rt_access_loop", "vUuc", false},
                                           {"pluss_rt_fill", "vuucu", true},
                                           {"pluss_rt_fill_called", "vu", true},
                                           {"pluss_rt_done", "vu", true},
                                           {"pluss_rt_symbol", "vuI", true},
                                           {"pluss_rt_decision", "vuI", true},
                                           {"pluss_rt_base", "vuc", true},
                                           {"pluss_rt_loop", "vuuIII", true},
                                           {"pluss_rt_iteration", "vuI", true},
                                           {"pluss_rt_fork", "vp", true},
                                           {"pluss_rt_mark", "vuu", true},
                                           {"pluss_rt_stamp", "v", true}};
    static tree made[(int)Rt::Count];
    static_assert(sizeof functions / sizeof *functions == (int)Rt::Count, "one for each");
    return declare_rt(functions[(int)which], &made[(int)which]);
}

/* ---- constants ------------------------------------------------------------------------------- */

tree static_constant(tree type, tree init, const char *prefix)
{
    tree v = build_decl(UNKNOWN_LOCATION, VAR_DECL, create_tmp_var_name(prefix), type);
    TREE_STATIC(v) = 1;
    TREE_READONLY(v) = 1;
    TREE_ADDRESSABLE(v) = 1;
    TREE_USED(v) = 1;
    DECL_ARTIFICIAL(v) = 1;
    DECL_IGNORED_P(v) = 1;
    DECL_INITIAL(v) = init;
    TREE_CONSTANT(init) = 1;
    TREE_STATIC(init) = 1;
    varpool_node::finalize_decl(v);
    return v;
}

tree string_pointer(const std::string &s)
{
    return build_string_literal(s.size() + 1, s.c_str());
}

} // namespace pluss
