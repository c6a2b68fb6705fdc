/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See archive.h. Flags are written as the memory that holds them: reader and writer are the same
 * compiler. Of a declaration or a type there is what the analysis looks at. Types lose their
 * typedefs; enumerations and pointers to members become integers.
 *
 * Records and declarations may lead back to themselves: they have their number from their beginning
 * on, all others when they are complete.
 */
#include "whole/archive.h"

#include "shadow/callee.h"

namespace pluss
{

static char *after(void *field, size_t size)
{
    return static_cast<char *>(field) + size;
}

/* ---- numbers and text ------------------------------------------------------------------------ */

void Archive::digits(uint64_t n)
{
    do {
        const unsigned digit = n & 31;
        n >>= 5;
        text += static_cast<char>('0' + digit + (n ? 32 : 0));
    } while (n);
}

uint64_t Archive::digits()
{
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 65; shift += 5) {
        if (at >= text.size())
            abort();
        const unsigned digit = static_cast<unsigned char>(text[at++]) - '0';
        if (digit > 63)
            abort();
        n |= static_cast<uint64_t>(digit & 31) << shift;
        if (digit < 32)
            return n;
    }
    abort();
}

void Archive::number_at(uint64_t *n)
{
    if (writing)
        digits(*n);
    else
        *n = digits();
}

uint64_t Archive::number(uint64_t n)
{
    number_at(&n);
    return n;
}

size_t Archive::count(size_t n)
{
    n = number(n);
    if (!writing && n > text.size() - at)
        abort();
    return n;
}

void Archive::string(std::string *s)
{
    static const char hex[] = "0123456789abcdef";
    size_t n = count(s->size());
    if (writing) {
        for (unsigned char c : *s)
            if (c > 32 && c < 127 && c != '\\')
                text += static_cast<char>(c);
            else
                text += {'\\', hex[c / 16], hex[c % 16]};
        return;
    }
    s->clear();
    for (; n > 0; n--) {
        if (at >= text.size())
            abort();
        char c = text[at++];
        if (c == '\\') {
            const char *high = at < text.size() ? strchr(hex, text[at]) : nullptr;
            const char *low = at + 1 < text.size() ? strchr(hex, text[at + 1]) : nullptr;
            if (!high || !low)
                abort();
            c = static_cast<char>((high - hex) * 16 + (low - hex));
            at += 2;
        }
        *s += c;
    }
}

void Archive::memory(void *from, void *end)
{
    unsigned char *p = static_cast<unsigned char *>(from), *e = static_cast<unsigned char *>(end);
    for (; p < e; p += 4) {
        const size_t n = MIN(e - p, 4);
        uint32_t word = 0;
        memcpy(&word, p, n);
        word = number(word);
        if (!writing)
            memcpy(p, &word, n);
    }
}

/* ---- places ---------------------------------------------------------------------------------- */

void Archive::place(location_t *loc)
{
    if (writing) {
        location_t plain = LOCATION_LOCUS(*loc);
        if (plain > BUILTINS_LOCATION)
            plain = linemap_resolve_location(line_table, plain, LRK_MACRO_EXPANSION_POINT, NULL);
        auto it = place_numbers.insert({plain, order.size()});
        if (it.second)
            order.push_back(plain);
        digits(it.first->second);
    } else {
        const uint64_t n = digits();
        if (n >= order.size())
            abort();
        *loc = order[n];
    }
}

void Archive::places()
{
    std::vector<location_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    std::string last;
    const size_t n = count(sorted.size());
    if (!writing)
        order.resize(n);
    for (size_t i = 0; i < n; i++) {
        const location_t loc = writing ? sorted[i] : 0;
        const uint64_t index = number(writing ? place_numbers[loc] : 0);
        const bool somewhere = flag(loc > BUILTINS_LOCATION);
        if (index >= n)
            abort();
        if (!somewhere) {
            order[index] = writing ? order[index] : number(0);
            if (writing)
                number(loc);
            continue;
        }
        expanded_location x = expand_location(loc);
        std::string file = writing && x.file ? plussi_recorded_path(x.file) : "";
        const bool same = flag(file == last);
        if (!same)
            string(&file);
        else
            file = last;
        last = file;
        const unsigned line = number(x.line), column = number(x.column);
        const bool system = flag(x.sysp);
        if (writing)
            continue;
        if (!same)
            linemap_add(line_table, line_table->depth ? LC_RENAME : LC_ENTER, system,
                        xstrdup(file.c_str()), line);
        linemap_line_start(line_table, line, MAX(column + 1, 128));
        order[index] = linemap_position_for_column(line_table, column);
    }
}

/* ---- shared nodes ---------------------------------------------------------------------------- */

Archive::Key Archive::key_of(tree t)
{
    if (TYPE_P(t))
        return {0, TYPE_UID(t)};
    return DECL_P(t) ? Key{1, DECL_UID(t)} : Key{2, SSA_NAME_VERSION(t)};
}

size_t Archive::add_known(tree t)
{
    if (writing) {
        keys.push_back(key_of(t));
        numbers[keys.back()] = known.size();
        t = NULL_TREE; /* it may be collected */
    }
    known.push_back(t);
    return known.size() - 1;
}

void Archive::take_back(const Mark &m)
{
    text.resize(m.length);
    for (size_t i = m.known; i < keys.size(); i++) {
        auto it = numbers.find(keys[i]);
        if (it != numbers.end() && it->second >= m.known)
            numbers.erase(it);
    }
    keys.resize(m.known);
    known.resize(m.known);
    for (size_t i = m.places; i < order.size(); i++)
        place_numbers.erase(order[i]);
    order.resize(m.places);
    failed = false;
}

void Archive::forget_ssa_names()
{
    numbers.erase(numbers.lower_bound(Key{2, 0}), numbers.end());
}

Archive::Kind Archive::kind_of(tree t, uint64_t *index)
{
    if (!t)
        return Nothing;
    if (TREE_CODE(t) == IDENTIFIER_NODE)
        return Name;
    if (!TYPE_P(t) && !DECL_P(t) && TREE_CODE(t) != SSA_NAME)
        return Expression;
    auto it = numbers.find(key_of(t));
    if (it == numbers.end())
        return TYPE_P(t) ? Type : Declaration;
    *index = it->second;
    return Known;
}

void Archive::node(tree *t)
{
    uint64_t index = 0;
    tree called = NULL_TREE;
    if (writing && *t && TREE_CODE(*t) == FUNCTION_DECL) {
        called = callee_target(*t);
        mentioned.insert(called);
        t = &called;
    }
    switch (number(writing ? kind_of(*t, &index) : 0)) {
    case Nothing:
        *t = NULL_TREE;
        break;
    case Known:
        number_at(&index);
        if (!writing) {
            if (index >= known.size() || !known[index])
                abort();
            *t = known[index];
        }
        break;
    case Name: {
        std::string name = writing ? IDENTIFIER_POINTER(*t) : "";
        string(&name);
        if (!writing)
            *t = get_identifier(name.c_str());
        break;
    }
    case Type:
        type(t);
        break;
    case Declaration:
        declaration(t);
        break;
    case Expression:
        expression(t);
        break;
    default:
        abort();
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Flags, size and alignment. */
void Archive::type_bits(tree t)
{
    memory(&t->base, after(&t->base, 8));
    memory(after(&t->type_common.uid, sizeof t->type_common.uid), &t->type_common.alias_set);
    node(&TYPE_SIZE(t));
    node(&TYPE_SIZE_UNIT(t));
}

void Archive::name_of_type(tree t)
{
    tree name = writing ? TYPE_IDENTIFIER(t) : NULL_TREE;
    node(&name);
    if (!writing && name)
        TYPE_NAME(t) = build_decl(UNKNOWN_LOCATION, TYPE_DECL, name, t);
}

/* Integers, enumerations, truth values. */
tree Archive::scalar_type(tree_code code, tree t)
{
    enum { Plain, Size, BitSize };
    const bool truth = code == BOOLEAN_TYPE;
    const unsigned precision = number(t ? TYPE_PRECISION(t) : 0);
    const unsigned bits = number(t ? GET_MODE_BITSIZE(SCALAR_INT_TYPE_MODE(t)) : 0);
    const bool is_unsigned = flag(t && TYPE_UNSIGNED(t));
    const bool size = t && (t == sizetype || TREE_TYPE(t) == sizetype || t == bitsizetype);
    const unsigned which = number(!size                                           ? Plain
                                  : TYPE_PRECISION(t) == TYPE_PRECISION(sizetype) ? Size
                                                                                  : BitSize);
    if (writing)
        return t;
    if (which != Plain)
        return which == Size ? sizetype : bitsizetype;
    if (!truth)
        return build_nonstandard_integer_type(precision, is_unsigned);
    if (bits == GET_MODE_BITSIZE(SCALAR_INT_TYPE_MODE(boolean_type_node)))
        return boolean_type_node;
    static std::map<unsigned, tree> logical;
    tree &made = logical[bits];
    if (!made) {
        made = make_unsigned_type(bits);
        TREE_SET_CODE(made, BOOLEAN_TYPE);
        TYPE_PRECISION(made) = precision;
        TYPE_MAX_VALUE(made) = build_int_cst(made, 1);
    }
    return made;
}

static tree real_type(machine_mode mode)
{
    for (tree t : {float_type_node, double_type_node, long_double_type_node, float128_type_node})
        if (t && TYPE_MODE(t) == mode)
            return t;
    tree t = make_node(REAL_TYPE);
    TYPE_PRECISION(t) = GET_MODE_PRECISION(as_a<scalar_float_mode>(mode));
    SET_TYPE_MODE(t, mode);
    layout_type(t);
    return t;
}

void Archive::function_type(tree *t, tree_code code)
{
    tree from = *t;
    if (!writing)
        *t = make_node(code == METHOD_TYPE ? FUNCTION_TYPE : code);
    tree result = writing ? TREE_TYPE(from) : NULL_TREE;
    node(&result);
    std::vector<tree> types;
    bool open = true; /* more arguments may follow */
    for (tree a = writing ? TYPE_ARG_TYPES(from) : NULL_TREE; a; a = TREE_CHAIN(a)) {
        if (a == void_list_node)
            open = false;
        else
            types.push_back(TREE_VALUE(a));
    }
    types.resize(number(types.size()), NULL_TREE);
    open = flag(open);
    for (tree &type : types)
        node(&type);
    if (!writing) {
        TREE_TYPE(*t) = result;
        tree list = open ? NULL_TREE : void_list_node;
        for (size_t i = types.size(); i-- > 0;)
            list = tree_cons(NULL_TREE, types[i], list);
        TYPE_ARG_TYPES(*t) = list;
        layout_type(*t);
    }
    attributes(*t);
}

void Archive::array_type(tree *t)
{
    tree from = *t, domain = writing ? TYPE_DOMAIN(from) : NULL_TREE;
    tree element = writing ? TREE_TYPE(from) : NULL_TREE;
    node(&element);
    tree index = NULL_TREE, low = domain ? TYPE_MIN_VALUE(domain) : NULL_TREE;
    tree high = domain ? TYPE_MAX_VALUE(domain) : NULL_TREE;
    if (flag(domain != NULL_TREE)) {
        index = scalar_type(INTEGER_TYPE, domain);
        node(&low);
        node(&high);
    }
    if (!writing) {
        *t = make_node(ARRAY_TYPE);
        TREE_TYPE(*t) = element;
    }
    type_bits(*t);
    if (!writing) {
        TYPE_CANONICAL(*t) = *t;
        if (index)
            TYPE_DOMAIN(*t) = build_range_type(index, low, high);
    }
}

/* Records of one name and the same fields are the same in all units. */
static tree canonical_record(tree t)
{
    static std::map<std::string, tree> all;
    std::string key = TYPE_NAME(t) ? IDENTIFIER_POINTER(TYPE_IDENTIFIER(t)) : "";
    for (tree f = TYPE_FIELDS(t); f; f = DECL_CHAIN(f)) {
        key += std::string(";") + (DECL_NAME(f) ? IDENTIFIER_POINTER(DECL_NAME(f)) : "");
        for (tree part : {DECL_FIELD_OFFSET(f), DECL_FIELD_BIT_OFFSET(f), DECL_SIZE(f)})
            key += ',' + std::to_string(part && tree_fits_shwi_p(part) ? tree_to_shwi(part) : -1);
        key += ',' + std::to_string((int)DECL_MODE(f));
    }
    return all.insert({key, t}).first->second;
}

void Archive::record_type(tree *t, tree_code code)
{
    if (!writing)
        *t = make_node(code);
    add_known(*t);
    tree r = *t;
    name_of_type(r);
    std::vector<tree> fields;
    for (tree f = writing ? TYPE_FIELDS(r) : NULL_TREE; f; f = DECL_CHAIN(f))
        if (TREE_CODE(f) == FIELD_DECL)
            fields.push_back(f);
    fields.resize(count(fields.size()), NULL_TREE);
    for (tree &f : fields)
        node(&f);
    type_bits(r);
    if (writing)
        return;
    for (size_t i = 0; i < fields.size(); i++) {
        DECL_FIELD_CONTEXT(fields[i]) = r;
        DECL_CHAIN(fields[i]) = i + 1 < fields.size() ? fields[i + 1] : NULL_TREE;
    }
    TYPE_FIELDS(r) = fields.empty() ? NULL_TREE : fields[0];
    tree canonical = canonical_record(r);
    for (tree v = r; v; v = TYPE_NEXT_VARIANT(v)) { /* made while the fields were read */
        TYPE_FIELDS(v) = TYPE_FIELDS(r);
        TYPE_SIZE(v) = TYPE_SIZE(r);
        TYPE_SIZE_UNIT(v) = TYPE_SIZE_UNIT(r);
        TYPE_NAME(v) = TYPE_NAME(r);
        SET_TYPE_ALIGN(v, TYPE_ALIGN(r));
        SET_TYPE_MODE(v, TYPE_MODE(r));
        TYPE_CANONICAL(v) = canonical;
    }
}

void Archive::type(tree *t)
{
    const bool variant = flag(writing && TYPE_MAIN_VARIANT(*t) != *t);
    if (variant) {
        tree main = writing ? TYPE_MAIN_VARIANT(*t) : NULL_TREE;
        node(&main);
        const int quals = number(writing ? TYPE_QUALS(*t) : 0);
        if (!writing)
            *t = build_qualified_type(main, quals);
        add_known(*t);
        return;
    }
    tree from = writing ? *t : NULL_TREE, inner = from ? TREE_TYPE(from) : NULL_TREE;
    const tree_code code = (tree_code)number(writing ? TREE_CODE(from) : 0);
    switch (code) {
    case VOID_TYPE:
        if (!writing)
            *t = void_type_node;
        break;
    case INTEGER_TYPE:
    case ENUMERAL_TYPE:
    case BOOLEAN_TYPE:
        *t = scalar_type(code, from);
        break;
    case OFFSET_TYPE:
        if (!writing)
            *t = build_nonstandard_integer_type(POINTER_SIZE, 0);
        break;
    case NULLPTR_TYPE:
        if (!writing)
            *t = ptr_type_node;
        break;
    case REAL_TYPE: {
        const uint64_t mode = number(from ? (int)TYPE_MODE(from) : 0);
        if (!writing)
            *t = real_type((machine_mode)mode);
        break;
    }
    case COMPLEX_TYPE:
        node(&inner);
        if (!writing)
            *t = build_complex_type(inner);
        break;
    case VECTOR_TYPE: {
        node(&inner);
        const unsigned lanes = number(from ? TYPE_VECTOR_SUBPARTS(from).to_constant() : 0);
        if (!writing)
            *t = build_vector_type(inner, lanes);
        break;
    }
    case POINTER_TYPE:
    case REFERENCE_TYPE: {
        node(&inner);
        const bool all = flag(from && TYPE_REF_CAN_ALIAS_ALL(from));
        if (!writing)
            *t = code == POINTER_TYPE ? build_pointer_type_for_mode(inner, VOIDmode, all)
                                      : build_reference_type_for_mode(inner, VOIDmode, all);
        break;
    }
    case FUNCTION_TYPE:
    case METHOD_TYPE:
        function_type(t, code);
        break;
    case ARRAY_TYPE:
        array_type(t);
        break;
    case RECORD_TYPE:
    case UNION_TYPE:
    case QUAL_UNION_TYPE:
        record_type(t, code);
        return; /* has its number */
    default:
        if (!writing)
            abort();
        failed = true;
    }
    add_known(writing ? from : *t);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* Names, with what they say if that is text. */
void Archive::attributes(tree d)
{
    tree *list = TYPE_P(d) ? &TYPE_ATTRIBUTES(d) : &DECL_ATTRIBUTES(d);
    std::vector<std::pair<std::string, std::string>> all;
    for (tree a = writing ? *list : NULL_TREE; a; a = TREE_CHAIN(a)) {
        tree value = TREE_VALUE(a) && TREE_CODE(TREE_VALUE(a)) == TREE_LIST
                         ? TREE_VALUE(TREE_VALUE(a))
                         : NULL_TREE;
        const bool says = value && TREE_CODE(value) == STRING_CST;
        all.push_back(
            {IDENTIFIER_POINTER(get_attribute_name(a)),
             says ? std::string(TREE_STRING_POINTER(value), TREE_STRING_LENGTH(value)) : ""});
    }
    all.resize(count(all.size()));
    for (auto &a : all) {
        string(&a.first);
        string(&a.second);
    }
    if (writing)
        return;
    *list = NULL_TREE;
    for (size_t i = all.size(); i-- > 0;) {
        tree value = all[i].second.empty()
                         ? NULL_TREE
                         : build_tree_list(
                               NULL_TREE, build_string(all[i].second.size(), all[i].second.data()));
        *list = tree_cons(get_identifier(all[i].first.c_str()), value, *list);
    }
}

/* A constant table: numbers alone. */
static bool is_table(tree t)
{
    if (TREE_CODE(t) != CONSTRUCTOR)
        return TREE_CODE(t) == INTEGER_CST || TREE_CODE(t) == REAL_CST;
    unsigned HOST_WIDE_INT i;
    tree value;
    FOR_EACH_CONSTRUCTOR_VALUE(CONSTRUCTOR_ELTS(t), i, value)
    if (!is_table(value))
        return false;
    return true;
}

static bool has_initial(tree d)
{
    tree value = DECL_INITIAL(d);
    switch (TREE_CODE(d)) {
    case CONST_DECL:
    case PARM_DECL: /* its type as an argument */
        return value != NULL_TREE;
    case VAR_DECL:
        return TREE_READONLY(d) && is_global_var(d) && value && is_table(value);
    default:
        return false;
    }
}

static bool is_archived(tree_code code)
{
    return code == VAR_DECL || code == PARM_DECL || code == RESULT_DECL || code == FIELD_DECL ||
           code == LABEL_DECL || code == FUNCTION_DECL || code == CONST_DECL;
}

/* The name by which other units know a declaration; "": they do not. */
std::string symbol_of(tree d)
{
    if (TREE_CODE(d) != FUNCTION_DECL && !(VAR_P(d) && is_global_var(d)))
        return "";
    if (!TREE_PUBLIC(d) && !DECL_EXTERNAL(d))
        return "";
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(d));
    return name + (*name == '*');
}

/* What other units say of a declaration is kept where they define it; a weak definition gives way
 * to another. */
static void take_definition(tree known, tree read)
{
    if (DECL_EXTERNAL(read) ||
        (!DECL_EXTERNAL(known) && (!may_be_replaced(known) || may_be_replaced(read))))
        return;
    DECL_EXTERNAL(known) = 0;
    DECL_ATTRIBUTES(known) = DECL_ATTRIBUTES(read);
    DECL_WEAK(known) = DECL_WEAK(read);
    DECL_COMDAT(known) = DECL_COMDAT(read);
    if (VAR_P(read) && VAR_P(known)) {
        TREE_TYPE(known) = TREE_TYPE(read);
        DECL_SIZE(known) = DECL_SIZE(read);
        DECL_SIZE_UNIT(known) = DECL_SIZE_UNIT(read);
        DECL_INITIAL(known) = DECL_INITIAL(read);
        TREE_READONLY(known) = TREE_READONLY(read);
        TREE_STATIC(known) = TREE_STATIC(read);
        SET_DECL_MODE(known, DECL_MODE(read));
        SET_DECL_ALIGN(known, DECL_ALIGN(read));
    }
}

void Archive::declaration(tree *t)
{
    const tree_code code = (tree_code)number(writing ? TREE_CODE(*t) : 0);
    if (code == SSA_NAME) {
        temporary(t);
        return;
    }
    if (!is_archived(code)) {
        if (!writing)
            abort();
        failed = true;
        return;
    }
    std::string symbol = writing ? symbol_of(*t) : "";
    string(&symbol);
    tree d = writing ? *t : make_node(code), same = NULL_TREE;
    if (!writing && !symbol.empty())
        same = find_symbol(symbol);
    if (same && TREE_CODE(same) != code)
        same = NULL_TREE;
    add_known(same ? same : d);
    if (!writing && !same && !symbol.empty())
        note_symbol(symbol, d);
    memory(&d->base, after(&d->base, 8));
    place(&DECL_SOURCE_LOCATION(d));
    node(&DECL_NAME(d));
    tree around = current_function_decl;
    if (!writing && code == FUNCTION_DECL) /* sizes in its type name its parameters */
        current_function_decl = same ? same : d;
    node(&TREE_TYPE(d));
    current_function_decl = around;
    memory(after(&d->decl_common.size, sizeof(tree)), &d->decl_common.pt_uid);
    node(&DECL_SIZE(d));
    node(&DECL_SIZE_UNIT(d));
    attributes(d);
    tree initial = writing && has_initial(d) ? DECL_INITIAL(d) : NULL_TREE;
    node(&initial);
    tree value = NULL_TREE;
    const bool may_stand = code == VAR_DECL || code == PARM_DECL || code == RESULT_DECL;
    if (writing && may_stand && DECL_HAS_VALUE_EXPR_P(d))
        value = DECL_VALUE_EXPR(d);
    node(&value);
    if (code == VAR_DECL || code == FUNCTION_DECL)
        memory(after(&d->decl_with_vis.symtab_node, sizeof(symtab_node *)),
               after(&d->decl_with_vis, sizeof d->decl_with_vis));
    if (code == FUNCTION_DECL)
        memory(after(&d->function_decl.vindex, sizeof(tree)),
               after(&d->function_decl, sizeof d->function_decl));
    if (code == FIELD_DECL) {
        node(&DECL_FIELD_OFFSET(d));
        node(&DECL_FIELD_BIT_OFFSET(d));
        node(&DECL_BIT_FIELD_TYPE(d));
        tree record = writing ? DECL_FIELD_CONTEXT(d) : NULL_TREE;
        node(&record); /* with all of its fields */
        if (!writing)
            DECL_FIELD_CONTEXT(d) = record;
    }
    const unsigned threads = number(writing && VAR_P(d) ? DECL_TLS_MODEL(d) : TLS_MODEL_NONE);
    const bool local = flag(writing && code != FIELD_DECL && DECL_CONTEXT(d) &&
                            TREE_CODE(DECL_CONTEXT(d)) == FUNCTION_DECL);
    if (writing)
        return;
    DECL_INITIAL(d) = initial;
    if (local)
        DECL_CONTEXT(d) = current_function_decl;
    if (threads != TLS_MODEL_NONE)
        set_decl_tls_model(d, (tls_model)threads);
    TREE_VISITED(d) = TREE_ASM_WRITTEN(d) = 0;
    if (code == LABEL_DECL)
        LABEL_DECL_UID(d) = -1;
    if (value)
        SET_DECL_VALUE_EXPR(d, value);
    if (!symbol.empty())
        d->decl_with_vis.assembler_name = get_identifier(symbol.c_str());
    if (same)
        take_definition(same, d);
    *t = same ? same : d;
}

void Archive::temporary(tree *t)
{
    tree type = writing ? TREE_TYPE(*t) : NULL_TREE;
    tree name = writing ? SSA_NAME_IDENTIFIER(*t) : NULL_TREE;
    if (writing && (SSA_NAME_VAR(*t) || SSA_NAME_IS_DEFAULT_DEF(*t)))
        failed = true;
    node(&type);
    node(&name);
    if (!writing) {
        *t = make_ssa_name(type);
        SET_SSA_NAME_VAR_OR_IDENTIFIER(*t, name);
    }
    add_known(*t);
}

/* ---- expressions ----------------------------------------------------------------------------- */

void Archive::literal(tree *t, tree_code code)
{
    tree type = writing ? TREE_TYPE(*t) : NULL_TREE;
    node(&type);
    if (code == INTEGER_CST) {
        std::vector<HOST_WIDE_INT> parts(count(writing ? TREE_INT_CST_NUNITS(*t) : 0));
        for (size_t i = 0; i < parts.size(); i++)
            parts[i] = number(writing ? TREE_INT_CST_ELT(*t, i) : 0);
        if (!writing)
            *t = wide_int_to_tree(
                type, wide_int::from_array(parts.data(), parts.size(), TYPE_PRECISION(type)));
    } else if (code == REAL_CST) {
        REAL_VALUE_TYPE value;
        if (writing)
            value = TREE_REAL_CST(*t);
        memory(&value, &value + 1);
        if (!writing)
            *t = build_real(type, value);
    } else if (code == STRING_CST) {
        std::string s = writing ? std::string(TREE_STRING_POINTER(*t), TREE_STRING_LENGTH(*t)) : "";
        string(&s);
        if (!writing) {
            *t = build_string(s.size(), s.data());
            TREE_TYPE(*t) = type;
        }
    } else if (code == VECTOR_CST) {
        const unsigned patterns = number(writing ? VECTOR_CST_LOG2_NPATTERNS(*t) : 0);
        const unsigned each = number(writing ? VECTOR_CST_NELTS_PER_PATTERN(*t) : 0);
        if (!writing) {
            *t = make_vector(patterns, each);
            TREE_TYPE(*t) = type;
        }
        for (unsigned i = 0; i < vector_cst_encoded_nelts(*t); i++)
            node(&VECTOR_CST_ENCODED_ELT(*t, i));
    } else {
        tree real = writing ? TREE_REALPART(*t) : NULL_TREE;
        tree imaginary = writing ? TREE_IMAGPART(*t) : NULL_TREE;
        node(&real);
        node(&imaginary);
        if (!writing)
            *t = build_complex(type, real, imaginary);
    }
}

void Archive::list(tree *t)
{
    if (!writing)
        *t = make_node(TREE_LIST);
    node(&TREE_PURPOSE(*t));
    node(&TREE_VALUE(*t));
    node(&TREE_CHAIN(*t));
}

void Archive::several(tree *t)
{
    const int n = count(writing ? TREE_VEC_LENGTH(*t) : 0);
    if (!writing)
        *t = make_tree_vec(n);
    for (int i = 0; i < n; i++)
        node(&TREE_VEC_ELT(*t, i));
}

void Archive::constructor(tree *t)
{
    if (!writing)
        *t = make_node(CONSTRUCTOR);
    memory(&(*t)->base, after(&(*t)->base, 8));
    node(&TREE_TYPE(*t));
    const unsigned n = number(writing ? CONSTRUCTOR_NELTS(*t) : 0);
    for (unsigned i = 0; i < n; i++) {
        constructor_elt e = {NULL_TREE, NULL_TREE};
        if (writing)
            e = *CONSTRUCTOR_ELT(*t, i);
        node(&e.index);
        node(&e.value);
        if (!writing)
            CONSTRUCTOR_APPEND_ELT(CONSTRUCTOR_ELTS(*t), e.index, e.value);
    }
}

/* A list of clauses. */
void Archive::clauses(tree *t)
{
    for (;; t = &OMP_CLAUSE_CHAIN(*t)) {
        if (!flag(writing && *t))
            break;
        const omp_clause_code code = (omp_clause_code)number(writing ? OMP_CLAUSE_CODE(*t) : 0);
        if (!writing)
            *t = build_omp_clause(UNKNOWN_LOCATION, code);
        tree c = *t;
        memory(&c->base, after(&c->base, 8));
        place(&OMP_CLAUSE_LOCATION(c));
        memory(&c->omp_clause.subcode, &c->omp_clause.subcode + 1);
        sequence(&c->omp_clause.gimple_reduction_init);
        sequence(&c->omp_clause.gimple_reduction_merge);
        for (int i = 0; i < omp_clause_num_ops[code]; i++)
            node(&OMP_CLAUSE_OPERAND(c, i));
    }
}

void Archive::expression(tree *t)
{
    const tree_code code = (tree_code)number(writing ? TREE_CODE(*t) : 0);
    switch (code) {
    case INTEGER_CST:
    case REAL_CST:
    case STRING_CST:
    case COMPLEX_CST:
    case VECTOR_CST:
        literal(t, code);
        return;
    case TREE_LIST:
        list(t);
        return;
    case TREE_VEC:
        several(t);
        return;
    case CONSTRUCTOR:
        constructor(t);
        return;
    case OMP_CLAUSE:
        clauses(t);
        return;
    default:
        break;
    }
    const tree_code_class kind =
        code < LAST_AND_UNUSED_TREE_CODE ? TREE_CODE_CLASS(code) : tcc_exceptional;
    if (kind != tcc_reference && kind != tcc_unary && kind != tcc_binary &&
        kind != tcc_comparison && kind != tcc_expression && code != CASE_LABEL_EXPR) {
        if (!writing)
            abort();
        failed = true;
        return;
    }
    tree e = writing ? *t : make_node(code);
    memory(&e->base, after(&e->base, 8));
    node(&TREE_TYPE(e));
    place(&e->exp.locus);
    for (int i = 0; i < TREE_CODE_LENGTH(code); i++)
        node(&TREE_OPERAND(e, i));
    *t = e;
}

} // namespace pluss
