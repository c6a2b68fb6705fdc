/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory: which object an address lies in, at which offset; which loads give the same value
 * wherever they are executed.
 *
 * An address is the start of one object plus an offset. The way there is kept as levels (stride and
 * subscript) as the source and the types have it; shape.cc makes one shape per array of them.
 *
 * A load is a symbol (constant offset) or a Load atom (an index array) only where no store can
 * change what it sees between two of its executions: no store that may alias lies on a path from
 * the load back to itself. Two loads of a place are the same symbol iff the same stores can reach
 * both; all executions of those come before either load.
 * What may be stored where: stores.cc.
 */
#include "analysis/analysis.h"

namespace pluss
{

Object *Analysis::decl_object(tree decl)
{
    char key[32];
    snprintf(key, sizeof key, "decl:%u", DECL_UID(decl));
    Object *&o = object_table[key];
    if (!o) {
        objects.emplace_back(ObjectKind::Decl);
        o = &objects.back();
        o->decl = decl;
        o->type = TREE_TYPE(decl);
        o->name = name_of(decl);
        if (o->name.empty())
            o->name = "temporary";
        o->loc = DECL_SOURCE_LOCATION(decl);
        /* A local variable of a function that every thread of a team is in is each thread's own. */
        o->is_private = shadow.private_vars.count(decl) ||
                        (VAR_P(decl) && DECL_THREAD_LOCAL_P(decl)) ||
                        (shadow.orphaned && !is_global_var(decl));
        o->escapes = is_global_var(decl) || TREE_ADDRESSABLE(decl);
    }
    return o;
}

Object *Analysis::pointer_object(const std::string &key, ObjectKind kind, const std::string &name,
                                 tree type, location_t loc)
{
    Object *&o = object_table[key];
    if (!o) {
        objects.emplace_back(kind);
        o = &objects.back();
        o->name = o->source = name;
        /* The elements of a std::vector go by the vector's name. */
        for (const char *end : {"._M_impl._M_start", "->_M_impl._M_start"}) {
            size_t n = strlen(end);
            if (name.size() > n && name.compare(name.size() - n, n, end) == 0)
                o->name = name.substr(0, name.size() - n);
        }
        o->type = type;
        o->loc = loc;
    }
    return o;
}

Object *Analysis::rows_object(Object *table)
{
    char key[32];
    snprintf(key, sizeof key, "rows:%p", (void *)table);
    Object *&o = object_table[key];
    if (!o) {
        objects.emplace_back(ObjectKind::Rows);
        o = &objects.back();
        o->name = table->name + "[]";
        o->loc = table->loc;
        o->table = table;
        o->is_private = table->is_private;
    }
    return o;
}

/* A pointer that is null or leads somewhere is not null where memory is accessed through it. */
static Poly not_null(Exprs &ex, const Poly &p)
{
    return ex.replace(p, kind_bit(AtomKind::Select), [&](const Atom *a, Poly *out) {
        for (int i = 0; i < 2; i++)
            if (a->args[1 - i].zero() && any_atom(a->args[i], [](const Atom *x) {
                    return x->kind == AtomKind::Base || x->is_pointer_load();
                })) {
                *out = not_null(ex, a->args[i]);
                return true;
            }
        return false;
    });
}

/* The object that a pointer value leads to, and the bytes from its start. */
static bool split_base(const Poly &p, const Atom **base, Poly *offset, std::string *reason)
{
    if (p.bad) {
        *reason = "the address does not fit 64 bits";
        return false;
    }
    *base = nullptr;
    *offset = Poly();
    for (const Term &t : p.terms) {
        bool pointer = t.mono.size() == 1 &&
                       (t.mono[0]->kind == AtomKind::Base || t.mono[0]->is_pointer_load());
        if (pointer && t.coef == 1 && !*base) {
            *base = t.mono[0];
        } else {
            Poly one;
            one.terms.push_back(t);
            *offset = *offset + one;
        }
    }
    if (!*base) {
        const Atom *why = find_opaque(p);
        bool choice = p.kinds() & kind_bit(AtomKind::Base);
        *reason = why      ? why->reason
                  : choice ? "the pointer may lead to more than one array"
                           : "the address is not based on a pointer that is described";
        return false;
    }
    if (offset->kinds() & kind_bit(AtomKind::Base)) {
        *reason = "the address depends on the place of another array";
        return false;
    }
    return true;
}

static bool byte_size(tree type, int64_t *out)
{
    tree s = TYPE_SIZE_UNIT(type);
    if (!s || !tree_fits_shwi_p(s))
        return false;
    *out = tree_to_shwi(s);
    return true;
}

/* The size of a type in bytes; of a variable one from the variable that holds it. */
Poly Analysis::type_size(tree type)
{
    int64_t c;
    if (byte_size(type, &c))
        return Poly(c);
    tree s = TYPE_SIZE_UNIT(type);
    return s ? variable_value(s) : ex.opaque(NULL_TREE, "a type of unknown size", UNKNOWN_LOCATION);
}

/* The value of a variable that is assigned once (sizes and bounds of variable types). */
Poly Analysis::variable_value(tree v)
{
    if (TREE_CODE(v) == INTEGER_CST || TREE_CODE(v) == SSA_NAME)
        return value(v);
    auto it = shadow.assigned.find(v);
    if (it != shadow.assigned.end()) {
        Poly r;
        bool known = false, same = true;
        for (gimple *g : it->second) {
            tree lhs = gimple_get_lhs(g);
            if (!lhs || TREE_CODE(lhs) != SSA_NAME) {
                same = false;
                break;
            }
            Poly x = value(lhs);
            same &= !known || x == r;
            r = x;
            known = true;
        }
        if (known && same)
            return r;
    }
    if (TREE_CODE(v) == PARM_DECL && is_gimple_reg(v))
        if (tree d = ssa_default_def(cfun, v))
            return value(d);
    return ex.opaque(NULL_TREE, "a variable bound of a type", UNKNOWN_LOCATION);
}

/* Subscripts are not taken modulo 2^32: one that wraps around lies in no array. */
static Poly in_range(const Poly &p)
{
    constexpr int64_t range = (int64_t)1 << 32;
    Poly sum;
    for (const Term &t : p.terms) {
        int64_t m = 0;
        Poly one;
        if (t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Mod &&
            t.mono[0]->args[1].is_const(&m) && m == range) {
            const Poly &q = t.mono[0]->args[0];
            one = Poly(t.coef) * (q.constant() >= range / 2 ? q - Poly(range) : q);
        } else {
            one.terms.push_back(t);
        }
        sum = sum + one;
    }
    return p.bad ? p : sum;
}

/* Of an address on its way to where it is used: each function in between copies it some four times
 * (std::move in std::swap in a swap of the program). */
enum { MAX_COPIES = 32 };

bool Analysis::address(tree ref, basic_block bb, Ref *out)
{
    std::vector<Level> rev; /* innermost first */
    int64_t inner_fields = 0, outer_fields = 0, c;
    bool structured = true;
    tree elem = NULL_TREE;
    tree t = ref;
    out->type = TREE_TYPE(ref);
    if (!byte_size(out->type, &c)) {
        out->reason = "an access of variable size";
        return false;
    }
    out->width = c;
    const class loop *l = bb->loop_father;
    Poly variable; /* offsets of fields that are not constant */

    while (handled_component_p(t)) {
        switch (TREE_CODE(t)) {
        case ARRAY_REF:
        case ARRAY_RANGE_REF: {
            if (!elem)
                elem = TREE_TYPE(t);
            Poly low, size;
            tree lb = TREE_OPERAND(t, 2) ? TREE_OPERAND(t, 2) : array_ref_low_bound(t);
            low = variable_value(lb);
            if (TREE_OPERAND(t, 3)) {
                tree et = TREE_TYPE(TREE_TYPE(TREE_OPERAND(t, 0)));
                size = variable_value(TREE_OPERAND(t, 3)) * Poly((int64_t)TYPE_ALIGN_UNIT(et));
            } else {
                size = type_size(TREE_TYPE(TREE_TYPE(TREE_OPERAND(t, 0))));
            }
            Level level;
            level.stride = resolve(size, l);
            level.sub = resolve(in_range(value(TREE_OPERAND(t, 1))) - low, l);
            tree domain = TYPE_DOMAIN(TREE_TYPE(TREE_OPERAND(t, 0)));
            if (domain && TYPE_MIN_VALUE(domain) && TYPE_MAX_VALUE(domain) &&
                tree_fits_shwi_p(TYPE_MIN_VALUE(domain)) &&
                tree_fits_shwi_p(TYPE_MAX_VALUE(domain)))
                level.extent = Poly(tree_to_shwi(TYPE_MAX_VALUE(domain)) -
                                    tree_to_shwi(TYPE_MIN_VALUE(domain)) + 1);
            rev.push_back(level);
            break;
        }
        case COMPONENT_REF: {
            tree f = TREE_OPERAND(t, 1);
            tree off = component_ref_field_offset(t);
            int64_t bits = tree_fits_shwi_p(DECL_FIELD_BIT_OFFSET(f))
                               ? tree_to_shwi(DECL_FIELD_BIT_OFFSET(f))
                               : 0;
            int64_t bytes = bits / BITS_PER_UNIT;
            if (off && tree_fits_shwi_p(off))
                bytes += tree_to_shwi(off);
            else {
                out->reason = "a field at a variable place";
                return false;
            }
            if (t == ref && DECL_BIT_FIELD(f) && DECL_SIZE(f) && tree_fits_uhwi_p(DECL_SIZE(f)))
                out->width =
                    (bits % BITS_PER_UNIT + tree_to_uhwi(DECL_SIZE(f)) + BITS_PER_UNIT - 1) /
                    BITS_PER_UNIT;
            (rev.empty() ? inner_fields : outer_fields) += bytes;
            /* A union's members lie over each other: no view of their own. */
            out->has_field = true;
            out->field_level = rev.size(); /* counted from the inside for now */
            if (DECL_NAME(f))
                out->field = std::string(".") + IDENTIFIER_POINTER(DECL_NAME(f)) + out->field;
            break;
        }
        case IMAGPART_EXPR:
            inner_fields += out->width;
            break;
        case BIT_FIELD_REF: {
            tree pos = TREE_OPERAND(t, 2);
            if (tree_fits_shwi_p(pos))
                inner_fields += tree_to_shwi(pos) / BITS_PER_UNIT;
            break;
        }
        default:
            break; /* REALPART, VIEW_CONVERT */
        }
        t = TREE_OPERAND(t, 0);
    }

    Poly start;
    if (TREE_CODE(t) == MEM_REF) {
        tree p = TREE_OPERAND(t, 0);
        int64_t plus = mem_ref_offset(t).force_shwi().to_constant();
        if (!elem)
            elem = TREE_TYPE(t);
        /* *(&a[i]): the levels of a[i] are better than one flat offset. */
        if (TREE_CODE(p) == SSA_NAME && plus == 0 && rev.empty()) {
            tree q = p;
            for (int hops = 0; hops < MAX_COPIES && TREE_CODE(q) == SSA_NAME; hops++) {
                gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(q));
                if (!d || !(gimple_assign_single_p(d) || gimple_assign_cast_p(d)))
                    break;
                q = gimple_assign_rhs1(d);
                if (TREE_CODE(q) == ADDR_EXPR && gimple_bb(d)->loop_father == l &&
                    handled_component_p(TREE_OPERAND(q, 0)) &&
                    tree_int_cst_equal(TYPE_SIZE_UNIT(TREE_TYPE(TREE_OPERAND(q, 0))),
                                       TYPE_SIZE_UNIT(TREE_TYPE(t)))) {
                    Ref r;
                    if (!address(TREE_OPERAND(q, 0), bb, &r))
                        break;
                    r.last_offset += inner_fields;
                    r.offset = r.offset + Poly(inner_fields);
                    r.width = out->width;
                    r.type = out->type;
                    if (out->has_field && !r.has_field) {
                        r.has_field = true;
                        r.field_level = r.levels.size();
                    }
                    r.field += out->field;
                    *out = r;
                    return true;
                }
            }
        }
        Poly address_value = not_null(ex, resolve(in_range(value(p)), l)) + Poly(plus);
        const Atom *base;
        if (!split_base(address_value, &base, &start, &out->reason))
            return false;
        if (base->kind == AtomKind::Base) {
            out->object = base->object;
        } else {
            out->object = rows_object(base->object);
            out->table_offset = base->args[0];
        }
        Poly unit = resolve(type_size(TREE_TYPE(t)), l), steps;
        int64_t u;
        if (find_opaque(unit) || (unit.is_const(&u) && u <= 0)) {
            structured = false;
        } else if (start.divide(unit, &steps)) {
            rev.push_back({unit, steps, Poly(), true});
        } else if (unit.is_const(&u)) {
            /* A constant rest is a field that the compiler folded into the offset. */
            int64_t k = start.constant(), rest = k - u * (k >= 0 ? k / u : -((-k + u - 1) / u));
            if (rest && (start - Poly(rest)).divide(unit, &steps)) {
                rev.push_back({unit, steps, Poly(), true});
                (rev.size() == 1 ? inner_fields : outer_fields) += rest;
                start = start - Poly(rest);
            } else {
                structured = false;
            }
        } else {
            structured = false;
        }
        if (!out->object->type)
            out->object->type = TREE_TYPE(t);
    } else if (DECL_P(t)) {
        out->object = decl_object(t);
        if (!elem)
            elem = TREE_TYPE(t);
    } else {
        out->reason = "an access to something that is not a variable";
        return false;
    }

    out->offset = start + Poly(inner_fields) + Poly(outer_fields);
    size_t from_rev = TREE_CODE(t) == MEM_REF && structured ? rev.size() - 1 : rev.size();
    for (size_t i = 0; i < from_rev; i++)
        out->offset = out->offset + rev[i].stride * rev[i].sub;
    out->elem_type = elem;
    out->last_offset = inner_fields;
    out->field_offset = outer_fields;
    if (structured) {
        for (size_t i = rev.size(); i-- > 0;)
            out->levels.push_back(rev[i]);
        if (out->has_field)
            out->field_level = rev.size() - out->field_level;
    } else {
        out->has_field = false;
        out->field.clear();
    }
    const Atom *why = find_opaque(out->offset);
    if (!why)
        why = find_opaque(out->table_offset);
    if (why || out->offset.bad) {
        out->reason = why ? why->reason : "the address does not fit 64 bits";
        return false;
    }
    if (out->object->kind == ObjectKind::Decl && TREE_CODE(out->object->decl) == CONST_DECL) {
        out->reason = "a constant";
        return false;
    }
    return true;
}

Poly Analysis::load(gimple *stmt, tree ref)
{
    tree name = gimple_get_lhs(stmt);
    tree type = TREE_TYPE(ref);
    location_t loc = gimple_location(stmt);
    if (TREE_THIS_VOLATILE(ref))
        return ex.opaque(name, "a volatile value", loc);
    /* A constant that C does not take for one unless it optimises. */
    int64_t constant;
    if (VAR_P(ref) && TREE_READONLY(ref) && TREE_STATIC(ref) && !DECL_WEAK(ref) &&
        INTEGRAL_TYPE_P(type) && DECL_INITIAL(ref) && TREE_CODE(DECL_INITIAL(ref)) == INTEGER_CST &&
        tree_fits_shwi_p(DECL_INITIAL(ref))) {
        constant = tree_to_shwi(DECL_INITIAL(ref));
        return Poly(constant);
    }
    Ref r;
    if (!address(ref, gimple_bb(stmt), &r))
        return leaf(name, stmt, r.reason);
    if (!stores_done)
        collect_stores();

    auto changed = [&](const Store &s) {
        std::string what = "`" + describe(ref) + "' may be changed by the ";
        what += s.ref ? "store to `" + describe(s.ref) + "'" : std::string("call");
        tree stored = last_stored(stmt, r);
        return stored ? value(stored) : leaf(name, stmt, what + in_line(s.stmt));
    };
    /* Calls first: of them nothing more has to be found out, and where they decide, no address of a
     * store is looked for. */
    std::vector<gimple *> calls;
    std::set<gimple *> before;
    for (Store &s : stores) {
        if (s.ref || !may_change(s, r) || !reaches(s.stmt, stmt))
            continue;
        if (!reaches(stmt, s.stmt)) {
            before.insert(s.stmt);
            continue;
        }
        /* A function called between two runs of a parallel region, not in it. */
        const Construct *here = shadow.orphaned ? nullptr : region_of(stmt);
        if (shadow.orphaned || (here && here == region_of(s.stmt)))
            return changed(s);
        calls.push_back(s.stmt);
    }
    std::vector<Object *> assumed;
    std::vector<gimple *> bytes;
    for (Store &s : stores) {
        if (!s.ref || !reaches(s.stmt, stmt) || !may_change(s, r))
            continue;
        bool again = reaches(stmt, s.stmt), one_place = r.offset.is_const(nullptr);
        if (!again && (one_place || !by_assumption(s, r)))
            before.insert(s.stmt); /* nothing has to be assumed */
        else if (!by_assumption(s, r))
            return changed(s);
        else if (one_place)
            bytes.push_back(s.stmt);
        else
            assumed.push_back(s.where.object);
    }
    /* The stores that it sees, in the order of the function. */
    std::string version;
    for (const Store &s : stores)
        if (before.count(s.stmt))
            version += std::to_string(gimple_uid(s.stmt)) + ",";
    auto from_here = [&](Origin *o) {
        o->loads.push_back(stmt);
        o->stores = before;
        o->type = bit_field(ref) ? NULL_TREE : type;
    };

    std::string assumption = taken_for_unchanged(ref, calls, bytes);
    int64_t c;
    if (r.object->kind == ObjectKind::Rows || !r.offset.is_const(&c)) {
        /* An element of an index array or of a table of pointers. Its contents are one fixed set
         * of values: a second version has no name. */
        if (r.object->kind == ObjectKind::Rows)
            return leaf(name, stmt, "a table of tables");
        if (bit_field(ref))
            return leaf(name, stmt, "a bit-field of an array's element");
        auto known = load_version.find(r.object);
        if (known == load_version.end())
            load_version[r.object] = version;
        else if (known->second != version)
            return leaf(name, stmt, "`" + r.object->name + "' is changed between two of its uses");
        bool pointer = POINTER_TYPE_P(type);
        Poly p = ex.load(r.object, r.offset, r.width, !TYPE_UNSIGNED(type), pointer);
        if (const Atom *a = p.is_atom())
            load_ref.insert({a, r});
        if (!assumption.empty() && r.object->assumption.empty())
            r.object->assumption = assumption;
        for (Object *o : assumed)
            aliases.insert({std::min(o, r.object), std::max(o, r.object)});
        return p;
    }
    std::string text = describe(ref);
    /* Each thread has such a number of its own: no symbol. */
    if (r.object->is_private && r.object->kind == ObjectKind::Decl && INTEGRAL_TYPE_P(type) &&
        inside_parallel(stmt)) {
        tree stored = last_stored(stmt, r);
        return stored ? value(stored)
                      : ex.opaque(name, "`" + text + "' may differ from thread to thread", loc);
    }
    if (bit_field(ref)) { /* not told by its bytes */
        HOST_WIDE_INT bits = TREE_CODE(ref) == BIT_FIELD_REF
                                 ? bit_field_offset(ref).to_constant()
                                 : tree_to_shwi(DECL_FIELD_BIT_OFFSET(TREE_OPERAND(ref, 1)));
        version += "bit" + std::to_string(bits) + ":" + std::to_string(TYPE_PRECISION(type));
    }
    if (POINTER_TYPE_P(type)) {
        char key[64];
        snprintf(key, sizeof key, "at:%p:%lld:", (void *)r.object, (long long)c);
        Object *o = pointer_object(key + version, ObjectKind::Pointer, text, TREE_TYPE(type),
                                   r.object->loc);
        if (DECL_P(ref))
            o->decl = ref;
        if (r.object->is_private)
            o->is_private = true;
        o->is_restrict = TYPE_RESTRICT(type);
        o->assumption = assumption;
        o->inside = r.object;
        o->at = c;
        from_here(&o->origin);
        o->by_descriptor =
            TREE_CODE(ref) == COMPONENT_REF && is_descriptor(TREE_TYPE(TREE_OPERAND(ref, 0)));
        return ex.base(o);
    }
    Poly p = symbol_at(r.object, c, r.width, version, text, type);
    symbols[p.is_atom()->name].assumption = assumption;
    from_here(&symbols[p.is_atom()->name].origin);
    return p;
}

Poly Analysis::symbol_at(Object *o, int64_t offset, unsigned width, const std::string &version,
                         const std::string &name, tree type)
{
    char key[64];
    bool natural = type && INTEGRAL_TYPE_P(type) && TYPE_UNSIGNED(type);
    snprintf(key, sizeof key, "at:%p:%lld:%s%u:", (void *)o, (long long)offset, natural ? "u" : "",
             width);
    SymbolInfo &info = symbols[key + version];
    if (info.name.empty()) {
        info.name = name;
        info.loc = o->loc;
        info.object = o;
        info.offset = offset;
        info.version = version;
    }
    return ex.symbol(key + version, info.loc, type);
}

} // namespace pluss
