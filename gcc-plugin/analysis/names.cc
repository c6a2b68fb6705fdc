/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source-like names of values and places.
 */
#include "analysis/analysis.h"

#include "common/statements.h"

namespace pluss
{

std::string name_of(tree v)
{
    tree id = NULL_TREE;
    if (v && TREE_CODE(v) == SSA_NAME)
        id = SSA_NAME_IDENTIFIER(v);
    else if (v && DECL_P(v))
        id = DECL_NAME(v);
    if (!id)
        return "";
    /* Names that the compiler made up: "n.0", "D.123". */
    std::string s = IDENTIFIER_POINTER(id);
    if (s.compare(0, 3, "SR.") == 0 || s.compare(0, 6, "__for_") == 0)
        return "";
    size_t dot = s.find_first_of(".$");
    return dot == std::string::npos ? s : s.substr(0, dot);
}

/* gfortran's descriptor of an array: data, offset, dtype, span, dim[]. */
bool is_descriptor(tree type)
{
    if (!lang_GNU_Fortran() || TREE_CODE(type) != RECORD_TYPE)
        return false;
    tree f = TYPE_FIELDS(type), next = f ? DECL_CHAIN(f) : NULL_TREE;
    return next && DECL_NAME(f) && DECL_NAME(next) && id_equal(DECL_NAME(f), "data") &&
           id_equal(DECL_NAME(next), "offset");
}

unsigned descriptor_rank(tree type)
{
    if (!is_descriptor(type))
        return 0;
    for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f)) {
        tree domain = TREE_CODE(TREE_TYPE(f)) == ARRAY_TYPE ? TYPE_DOMAIN(TREE_TYPE(f)) : NULL_TREE;
        if (domain && TYPE_MAX_VALUE(domain) && tree_fits_uhwi_p(TYPE_MAX_VALUE(domain)))
            return tree_to_uhwi(TYPE_MAX_VALUE(domain)) + 1;
    }
    return UINT_MAX; /* not known */
}

/* Is it a reference of C++, whose name denotes the object? */
static bool is_reference(tree p)
{
    for (int hops = 0; hops < 8 && TREE_CODE(p) == SSA_NAME; hops++) {
        tree var = SSA_NAME_VAR(p);
        if (TREE_CODE(TREE_TYPE(var ? var : p)) == REFERENCE_TYPE)
            return true;
        gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
        if (!d || (var && !DECL_IGNORED_P(var)) ||
            !(gimple_assign_single_p(d) || gimple_assign_cast_p(d)))
            return false;
        p = gimple_assign_rhs1(d);
    }
    return TREE_CODE(TREE_TYPE(p)) == REFERENCE_TYPE;
}

std::string Analysis::describe_name(tree name)
{
    std::string s = name_of(name);
    tree var = SSA_NAME_VAR(name);
    if (!s.empty() && var &&
        (SSA_NAME_IS_DEFAULT_DEF(name) || !(DECL_IGNORED_P(var) || DECL_ARTIFICIAL(var))))
        return s;
    gimple *def = SSA_NAME_DEF_STMT(name);
    if (gimple_assign_single_p(def) || (is_gimple_assign(def) && gimple_assign_cast_p(def)))
        return describe(gimple_assign_rhs1(def));
    if (is_gimple_assign(def) && gimple_assign_rhs_code(def) == POINTER_PLUS_EXPR)
        return describe(gimple_assign_rhs1(def)) + "[...]";
    /* rows = (int)strtol (...), bs = argc > 1 ? atoi (argv[1]) : 32 */
    if (is_gimple_call(def) || gimple_code(def) == GIMPLE_PHI)
        for (int hops = 0; hops < 12; hops++) {
            gimple *use;
            use_operand_p u;
            if (!single_imm_use(name, &u, &use) || !is_gimple_assign(use) ||
                !(gimple_assign_cast_p(use) || gimple_assign_single_p(use)) ||
                TREE_CODE(gimple_assign_lhs(use)) != SSA_NAME)
                break;
            name = gimple_assign_lhs(use);
            var = SSA_NAME_VAR(name);
            if (!name_of(name).empty() && var && !DECL_IGNORED_P(var) && !DECL_ARTIFICIAL(var))
                return name_of(name);
        }
    if (is_gimple_call(def) && gimple_call_fndecl(def))
        return name_of(gimple_call_fndecl(def)) + "()";
    return s.empty() ? "value" : s;
}

std::string Analysis::describe_field(tree ref)
{
    tree base = TREE_OPERAND(ref, 0), field = TREE_OPERAND(ref, 1);
    std::string f = DECL_NAME(field) ? IDENTIFIER_POINTER(DECL_NAME(field)) : "";
    if (f.empty()) /* a base class */
        return describe(base);
    /* A captured variable keeps its name. */
    tree id = TYPE_IDENTIFIER(TREE_TYPE(base));
    if (id && strstr(IDENTIFIER_POINTER(id), "lambda") && f.compare(0, 2, "__") == 0)
        return f.substr(2);
    if (is_frame(TREE_TYPE(base)))
        return name_of(field);
    std::string b = describe(base);
    if (is_descriptor(TREE_TYPE(base)))
        return f == "data" ? b : f + "(" + b + ")";
    if (f == "stride" || f == "lbound" || f == "ubound") {
        /* x.dim[k].stride of a descriptor is dimension k + 1's. */
        size_t at = b.rfind('[');
        if (b.compare(0, 4, "dim(") == 0 && at != std::string::npos)
            return f + "(" + b.substr(4, at - 5) + "," +
                   std::to_string(atoi(b.c_str() + at + 1) + 1) + ")";
    }
    return !b.empty() && b[0] == '*' ? b.substr(1) + "->" + f : b + "." + f;
}

std::string Analysis::describe(tree v)
{
    switch (TREE_CODE(v)) {
    case SSA_NAME:
        return describe_name(v);
    case COMPONENT_REF:
        return describe_field(v);
    case MEM_REF: {
        tree p = TREE_OPERAND(v, 0);
        if (TREE_CODE(p) == ADDR_EXPR)
            return describe(TREE_OPERAND(p, 0));
        std::string s = describe(p);
        /* Fortran passes everything by reference: *n is n. */
        if (lang_GNU_Fortran() || (is_reference(p)))
            return s;
        if (s.size() > 5 && s.compare(s.size() - 5, 5, "[...]") == 0)
            return s;
        return "*" + s;
    }
    case ARRAY_REF:
        return describe(TREE_OPERAND(v, 0)) + "[" + describe(TREE_OPERAND(v, 1)) + "]";
    CASE_CONVERT:
    case ADDR_EXPR:
    case VIEW_CONVERT_EXPR:
        return describe(TREE_OPERAND(v, 0));
    case INTEGER_CST: {
        int64_t c;
        return constant_value(v, false, &c) ? std::to_string(c) : "value";
    }
    default:
        break;
    }
    std::string s = DECL_P(v) ? name_of(v) : "";
    return s.empty() ? "value" : s;
}

} // namespace pluss
