/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Memory: which object an address is in, and at which offset; which loads give the same value
 * wherever they are executed.
 *
 * An address is the start of one object plus an offset. The levels of the access (stride and
 * subscript) are kept as the source and the types have them; shape.cc makes one shape per array of
 * them.
 *
 * A load is a symbol (constant offset) or a Load atom (an index array) only if no store can change
 * the loaded value between two of its executions: no store that may alias is on a path from the
 * load back to itself. Two loads of a place are the same symbol iff the same stores can reach both;
 * all executions of those come before either load. stores.cc says what may be stored where.
 */
#include "analysis/analysis.h"

#include "common/statements.h"
#include "shadow/effects.h"

namespace pluss
{

Object *Analysis::decl_object(tree decl)
{
    Object *&o = object_table["decl:" + std::to_string(DECL_UID(decl))];
    if (!o) {
        objects.emplace_back(ObjectKind::Decl);
        o = &objects.back();
        o->decl = decl;
        o->type = TREE_TYPE(decl);
        o->name = name_of(decl);
        if (o->name.empty())
            o->name = "temporary";
        o->loc = DECL_SOURCE_LOCATION(decl);
        /* If every thread of a team executes the whole function, its local variables are private to
         * each. */
        o->is_private = shadow.private_vars.count(decl) ||
                        (VAR_P(decl) && DECL_THREAD_LOCAL_P(decl)) ||
                        (shadow.orphaned && !is_global_var(decl));
        o->escapes = is_global_var(decl) || TREE_ADDRESSABLE(decl);
        o->pointed = o->escapes && may_be_pointed_to(decl);
    }
    return o;
}

Object *Analysis::register_object(tree var)
{
    Object *&o = object_table["register:" + std::to_string(DECL_UID(var))];
    if (!o) {
        objects.push_back(*decl_object(var));
        o = &objects.back();
        o->name = "&" + o->name; /* induction variables and symbols have the variables' names */
        o->escapes = o->pointed = false;
        o->is_register = true;
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
        /* The elements of a std::vector have the vector's name. */
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

/* Is it made of the address of an array? */
static bool leads_somewhere(const Poly &p)
{
    return any_atom(
        p, [](const Atom *x) { return x->kind == AtomKind::Base || x->is_pointer_load(); });
}

Poly not_null(Exprs &ex, const Poly &p)
{
    return ex.replace(p, kind_bit(AtomKind::Select), [&](const Atom *a, Poly *out) {
        for (int i = 0; i < 2; i++)
            if (a->args[1 - i].zero() && leads_somewhere(a->args[i])) {
                *out = not_null(ex, a->args[i]);
                return true;
            }
        return false;
    });
}

/* Splits a pointer's value into the object that it points to and the bytes from the object's start.
 */
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
            *offset = *offset + Poly(t);
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

/* The size of a type in bytes; for a type of variable size, the value of the variable that holds
 * it. */
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
    if (tree copy = shadow.part && VAR_P(v) ? shadow.find_copy(v) : NULL_TREE)
        v = copy;
    if (shadow.part && VAR_P(v) && shadow.is_given(v) && is_gimple_reg(v))
        return value(get_or_create_ssa_default_def(cfun, v));
    return ex.opaque(NULL_TREE, "a variable bound of a type", UNKNOWN_LOCATION);
}

/* Subscripts are not taken modulo 2^32: one that wraps around is in no array. */
static Poly in_range(const Poly &p)
{
    constexpr int64_t range = (int64_t)1 << 32;
    Poly sum;
    for (const Term &t : p.terms) {
        int64_t m = 0;
        if (t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Mod &&
            t.mono[0]->args[1].is_const(&m) && m == range) {
            const Poly &q = t.mono[0]->args[0];
            sum = sum + Poly(t.coef) * (q.constant() >= range / 2 ? q - Poly(range) : q);
        } else {
            sum = sum + Poly(t);
        }
    }
    return p.bad ? p : sum;
}

/* The levels and fields between an access and the start of its object. */
struct AccessPath {
    std::vector<Level> levels;                  /* innermost first */
    int64_t inner_fields = 0, outer_fields = 0; /* bytes: before the first level, and after it */
    bool structured = true;                     /* the levels are all of the offset */
    bool by_pointer = false;                    /* the outermost level is the pointer's own steps */
    tree element = NULL_TREE;                   /* the type of the innermost level's elements */
    Poly start; /* bytes from the object's start to the pointer's target */

    void add_field(int64_t bytes) { (levels.empty() ? inner_fields : outer_fields) += bytes; }
};

/* The subscript of an ARRAY_REF. */
Level Analysis::array_level(tree t, const class loop *l)
{
    tree array_type = TREE_TYPE(TREE_OPERAND(t, 0)), element = TREE_TYPE(array_type);
    tree low = TREE_OPERAND(t, 2) ? TREE_OPERAND(t, 2) : array_ref_low_bound(t);
    Poly lowest = variable_value(low);
    Poly size = TREE_OPERAND(t, 3)
                    ? variable_value(TREE_OPERAND(t, 3)) * Poly((int64_t)TYPE_ALIGN_UNIT(element))
                    : type_size(element);
    Level level;
    level.stride = resolve(size, l);
    level.sub = resolve(in_range(value(TREE_OPERAND(t, 1))) - lowest, l);
    tree domain = TYPE_DOMAIN(array_type);
    if (domain && TYPE_MIN_VALUE(domain) && TYPE_MAX_VALUE(domain) &&
        tree_fits_shwi_p(TYPE_MIN_VALUE(domain)) && tree_fits_shwi_p(TYPE_MAX_VALUE(domain)))
        level.extent =
            Poly(tree_to_shwi(TYPE_MAX_VALUE(domain)) - tree_to_shwi(TYPE_MIN_VALUE(domain)) + 1);
    return level;
}

/* Adds a COMPONENT_REF. whole: it is the access itself, which may be to a bit-field. False: the
 * field has no constant offset. */
static bool add_component(tree t, bool whole, AccessPath *path, Ref *out)
{
    tree field = TREE_OPERAND(t, 1), offset = component_ref_field_offset(t);
    tree bit_offset = DECL_FIELD_BIT_OFFSET(field);
    if (!offset || !tree_fits_shwi_p(offset)) {
        out->reason = "a field at a variable place";
        return false;
    }
    int64_t bits = tree_fits_shwi_p(bit_offset) ? tree_to_shwi(bit_offset) : 0;
    if (whole && DECL_BIT_FIELD(field) && DECL_SIZE(field) && tree_fits_uhwi_p(DECL_SIZE(field)))
        out->width = (bits % BITS_PER_UNIT + tree_to_uhwi(DECL_SIZE(field)) + BITS_PER_UNIT - 1) /
                     BITS_PER_UNIT;
    path->add_field(bits / BITS_PER_UNIT + tree_to_shwi(offset));
    /* A union's members overlap: no view of their own. */
    out->has_field = true;
    out->field_level = path->levels.size(); /* counted from the inside for now */
    if (DECL_NAME(field))
        out->field = (is_frame(TREE_TYPE(TREE_OPERAND(t, 0)))
                          ? name_of(field)
                          : std::string(".") + IDENTIFIER_POINTER(DECL_NAME(field))) +
                     out->field;
    return true;
}

/* Adds the levels and fields of an access; sets *base to the variable or dereferenced pointer below
 * them. */
bool Analysis::add_components(tree ref, const class loop *l, AccessPath *path, Ref *out, tree *base)
{
    tree t = ref;
    for (; handled_component_p(t); t = TREE_OPERAND(t, 0)) {
        switch (TREE_CODE(t)) {
        case ARRAY_REF:
        case ARRAY_RANGE_REF:
            if (!path->element)
                path->element = TREE_TYPE(t);
            path->levels.push_back(array_level(t, l));
            break;
        case COMPONENT_REF:
            if (!add_component(t, t == ref, path, out))
                return false;
            break;
        case IMAGPART_EXPR:
            path->inner_fields += out->width;
            break;
        case BIT_FIELD_REF:
            if (tree_fits_shwi_p(TREE_OPERAND(t, 2)))
                path->inner_fields += tree_to_shwi(TREE_OPERAND(t, 2)) / BITS_PER_UNIT;
            break;
        default:
            break; /* REALPART, VIEW_CONVERT */
        }
    }
    if (!path->element)
        path->element = TREE_TYPE(t);
    *base = t;
    return true;
}

/* Limit on copies of an address before its use: each function in between copies it some four times
 * (std::move in std::swap in a swap of the program). */
enum { MAX_COPIES = 32 };

/* The reference whose address a pointer holds, in *(&a[i]); NULL_TREE: none of this size. */
static tree pointed_reference(tree pointer, tree type, const class loop *l)
{
    for (int hops = 0; hops < MAX_COPIES && TREE_CODE(pointer) == SSA_NAME; hops++) {
        gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(pointer));
        if (!d || !(gimple_assign_single_p(d) || gimple_assign_cast_p(d)))
            return NULL_TREE;
        pointer = gimple_assign_rhs1(d);
        if (TREE_CODE(pointer) != ADDR_EXPR || gimple_bb(d)->loop_father != l)
            continue;
        tree ref = TREE_OPERAND(pointer, 0);
        if (handled_component_p(ref) &&
            tree_int_cst_equal(TYPE_SIZE_UNIT(TREE_TYPE(ref)), TYPE_SIZE_UNIT(type)))
            return ref;
    }
    return NULL_TREE;
}

/* Finds the address of *(&a[i]) with the levels of a[i], which say more than one flat offset. */
bool Analysis::pointed_address(tree ref, basic_block bb, int64_t fields, Ref *out)
{
    Ref r;
    if (!find_address(ref, bb, &r))
        return false;
    r.last_offset += fields;
    r.offset = r.offset + Poly(fields);
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

/* Adds the offset of the pointer's target as a level of steps of `unit` bytes. False: it is no
 * multiple. */
static bool add_pointer_steps(const Poly &unit, AccessPath *path)
{
    Poly steps;
    int64_t u = 0;
    bool is_const = unit.is_const(&u);
    if (find_opaque(unit) || (is_const && u <= 0))
        return false;
    if (path->start.divide(unit, &steps)) {
        path->levels.push_back({unit, steps, Poly(), true});
        return true;
    }
    if (!is_const)
        return false;
    /* A constant rest is a field that the compiler folded into the offset. */
    int64_t k = path->start.constant(), rest = k - u * (k >= 0 ? k / u : -((-k + u - 1) / u));
    if (!rest || !(path->start - Poly(rest)).divide(unit, &steps))
        return false;
    path->levels.push_back({unit, steps, Poly(), true});
    (path->levels.size() == 1 ? path->inner_fields : path->outer_fields) += rest;
    path->start = path->start - Poly(rest);
    return true;
}

/* Finds the object of a MEM_REF, and the target's offset in it. */
bool Analysis::pointer_target(tree t, const class loop *l, AccessPath *path, Ref *out)
{
    int64_t plus = mem_ref_offset(t).force_shwi().to_constant();
    Poly at = not_null(ex, resolve(in_range(value(TREE_OPERAND(t, 0))), l)) + Poly(plus);
    const Atom *base;
    for (size_t nested = 0; nested < taken.size(); nested++)
        at = ex.replace(at, kind_bit(AtomKind::Select), [&](const Atom *a, Poly *way) {
            auto side = taken.find(a);
            if (side == taken.end())
                return false;
            *way = a->args[side->second ? 0 : 1];
            return true;
        });
    if (!split_base(at, &base, &path->start, &out->reason)) {
        for (const Term &part : at.terms) {
            const Atom *a = part.mono.size() == 1 && part.coef == 1 ? part.mono[0] : nullptr;
            if (a && a->kind == AtomKind::Select && find_unknown(a->cond).empty() &&
                leads_somewhere(a->args[0]) && leads_somewhere(a->args[1]))
                out->choice = a;
        }
        return false;
    }
    if (base->kind == AtomKind::Base) {
        out->object = base->object;
    } else {
        out->object = rows_object(base->object);
        out->path = base->args;
    }
    path->by_pointer = true;
    path->structured = add_pointer_steps(resolve(type_size(TREE_TYPE(t)), l), path);
    if (!out->object->type)
        out->object->type = TREE_TYPE(t);
    return true;
}

static void set_levels(const AccessPath &path, Ref *out)
{
    const std::vector<Level> &in = path.levels;
    size_t own = path.by_pointer && path.structured ? in.size() - 1 : in.size();
    out->offset = path.start + Poly(path.inner_fields) + Poly(path.outer_fields);
    for (size_t i = 0; i < own; i++) /* the pointer's own steps are in start */
        out->offset = out->offset + in[i].stride * in[i].sub;
    out->elem_type = path.element;
    out->last_offset = path.inner_fields;
    out->field_offset = path.outer_fields;
    if (!path.structured) {
        out->has_field = false;
        out->field.clear();
        return;
    }
    out->levels.assign(in.rbegin(), in.rend());
    if (out->has_field)
        out->field_level = in.size() - out->field_level;
}

/* The type of the array that `ref` is an element of, or a part of one: of a variable that has the
 * object's name and its address, in Fortran. NULL: there is none. */
tree Analysis::declared_array(tree ref, const Object *o)
{
    tree array = NULL_TREE, base = ref;
    for (; lang_GNU_Fortran() && handled_component_p(base); base = TREE_OPERAND(base, 0)) {
        if (array)
            return NULL_TREE;
        if (TREE_CODE(base) == ARRAY_REF)
            array = TREE_TYPE(TREE_OPERAND(base, 0));
    }
    if (!array || DECL_P(base))
        return array;
    if (TREE_CODE(base) != MEM_REF || !integer_zerop(TREE_OPERAND(base, 1)) ||
        TREE_CODE(TREE_OPERAND(base, 0)) != SSA_NAME)
        return NULL_TREE;
    tree pointer = TREE_OPERAND(base, 0);
    const Atom *at = value(pointer).is_atom();
    if (!at || at->kind != AtomKind::Base || at->object != o)
        return NULL_TREE;
    for (int hops = 0; hops < MAX_COPIES; hops++) {
        if (name_of(pointer) == o->name)
            return array;
        gassign *copy = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(pointer));
        if (!copy || !(gimple_assign_ssa_name_copy_p(copy) || gimple_assign_cast_p(copy)) ||
            TREE_CODE(gimple_assign_rhs1(copy)) != SSA_NAME)
            break;
        pointer = gimple_assign_rhs1(copy);
    }
    return NULL_TREE;
}

bool Analysis::find_address(tree ref, basic_block bb, Ref *out, bool accessed)
{
    const class loop *l = bb->loop_father;
    AccessPath path;
    tree base;
    int64_t width = 0;
    out->type = TREE_TYPE(ref);
    if (!byte_size(out->type, &width) && accessed) {
        out->reason = "an access of variable size";
        return false;
    }
    out->width = width;
    if (!add_components(ref, l, &path, out, &base))
        return false;
    if (TREE_CODE(base) == MEM_REF) {
        bool direct = path.levels.empty() && integer_zerop(TREE_OPERAND(base, 1));
        tree pointed = direct ? pointed_reference(TREE_OPERAND(base, 0), TREE_TYPE(base), l) : NULL;
        if (pointed && pointed_address(pointed, bb, path.inner_fields, out))
            return true;
        if (!pointer_target(base, l, &path, out))
            return false;
    } else if (DECL_P(base)) {
        out->object = decl_object(base);
    } else {
        out->reason = "an access to something that is not a variable";
        return false;
    }
    set_levels(path, out);
    const Atom *why = find_opaque(out->offset);
    for (size_t i = 0; !why && i < out->path.size(); i++)
        why = find_opaque(out->path[i]);
    if (why || out->offset.bad) {
        out->reason = why ? why->reason : "the address does not fit 64 bits";
        return false;
    }
    if (out->object->kind == ObjectKind::Decl && TREE_CODE(out->object->decl) == CONST_DECL) {
        out->reason = "a constant";
        out->is_constant = true;
        return false;
    }
    out->array = declared_array(ref, out->object);
    return true;
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* Is it a constant variable, which C treats as a constant only if it optimises? */
static bool is_named_constant(tree ref)
{
    return VAR_P(ref) && TREE_READONLY(ref) && TREE_STATIC(ref) && !DECL_WEAK(ref) &&
           INTEGRAL_TYPE_P(TREE_TYPE(ref)) && DECL_INITIAL(ref) &&
           TREE_CODE(DECL_INITIAL(ref)) == INTEGER_CST && tree_fits_shwi_p(DECL_INITIAL(ref));
}

/* Fills *out. Returns a store or call that may change the loaded value between two executions of
 * the load, or NULL. Calls come first: nothing more has to be found out about them, and if one
 * decides, no store's address has to be found. */
const Analysis::Store *Analysis::look_back(gimple *load, const Ref &r, LoadHistory *out)
{
    Answers &known = answers_for(r);
    for (size_t n = 0; n < stores.size(); n++) {
        Store &s = stores[n];
        if (s.ref || !may_change(n, r, known) || !reaches(s.stmt, load))
            continue;
        bool assumed = false;
        if (leaves_alone(s.stmt, r, &assumed)) {
            if (assumed)
                out->away.push_back(s.stmt);
            continue;
        }
        if (!reaches(load, s.stmt)) {
            out->before.insert(s.stmt);
            continue;
        }
        if (would_race(s, load, r)) {
            out->racing.push_back(s.stmt);
            continue;
        }
        /* The function is called between two runs of a parallel region, not in it. */
        const Construct *here = shadow.orphaned ? nullptr : region_of(load);
        if (shadow.orphaned || (here && here == region_of(s.stmt)) || stores_by_name(s.stmt, r))
            return &s;
        out->calls.push_back(s.stmt);
    }
    for (size_t n = 0; n < stores.size(); n++) {
        Store &s = stores[n];
        if (!s.ref || known[n] == No || !reaches(s.stmt, load) || !may_change(n, r, known))
            continue;
        bool again = reaches(load, s.stmt), one_place = r.offset.is_const(nullptr);
        if (!again && (one_place || !is_elsewhere_by_assumption(s, r)))
            out->before.insert(s.stmt); /* nothing has to be assumed */
        else if (again && is_read_first(s, load, r))
            continue;
        else if (is_elsewhere_by_assumption(s, r)) {
            if (one_place)
                out->elements.push_back(s.stmt);
            else
                out->assumed.push_back(s.where.object);
        } else if (would_race(s, load, r))
            out->racing.push_back(s.stmt);
        else
            return &s;
    }
    return nullptr;
}

/* The value of a load that store or call s may change. */
Poly Analysis::changed_load(gimple *stmt, tree ref, const Ref &r, const Store &s)
{
    gimple *by = s.stmt;
    if (tree stored = last_stored(stmt, r, &by))
        return value(stored);
    tree to = is_gimple_call(by) ? NULL_TREE : gimple_get_lhs(by);
    return make_leaf(gimple_get_lhs(stmt), stmt,
                     "`" + describe(ref) + "' may be changed by the " +
                         (to ? "store to `" + describe(to) + "'" : std::string("call")) +
                         in_line(by));
}

/* An element of an index array or of a table of pointers. An array's contents are one fixed set of
 * values: there is no name for a second version. No run has those of two uses that exclude each
 * other. */
Poly Analysis::load_element(gimple *stmt, tree ref, const Ref &r, const std::string &version,
                            const LoadHistory &past)
{
    tree name = gimple_get_lhs(stmt), type = TREE_TYPE(ref);
    if (is_bit_field(ref))
        return make_leaf(name, stmt, "a bit-field of an array's element");
    Poly chosen;
    if (choose_pointer(stmt, ref, r, version, past, &chosen))
        return chosen;
    if (comes_before_regions(stmt) && !runs_once(stmt))
        return ex.opaque(name,
                         "`" + describe(ref) + "' is loaded in a loop before the parallel regions",
                         gimple_location(stmt));
    if (!by_contents && !POINTER_TYPE_P(type))
        return make_leaf(name, stmt, "`" + describe(ref) + "' is an element of an array");
    std::map<gimple *, std::string> &uses = load_version[r.object];
    for (auto &u : uses)
        if (u.second != version && (reaches(u.first, stmt) || reaches(stmt, u.first)))
            return make_leaf(name, stmt,
                             "`" + r.object->name + "' is changed between two of its uses");
    uses.emplace(stmt, version);
    Poly p =
        ex.load(r.object, r.offset, r.path, r.width, !TYPE_UNSIGNED(type), POINTER_TYPE_P(type));
    if (const Atom *a = p.is_atom())
        load_ref.insert({a, r});
    std::string assumption = explain_unchanged(ref, past);
    if (!assumption.empty() && r.object->assumption.empty())
        r.object->assumption = assumption;
    for (Object *o : past.assumed)
        aliases.insert({std::min(o, r.object), std::max(o, r.object)});
    return p;
}

/* Notes that the program has the value where it loads it. */
static void add_origin(gimple *load, tree ref, const std::set<gimple *> &before, Origin *out)
{
    out->loads.push_back(load);
    out->stores = before;
    out->type = is_bit_field(ref) ? NULL_TREE : TREE_TYPE(ref);
}

/* One of few pointers, by a subscript (`w[t & 1][i]' with double *w[2]): that of the first where
 * the subscript is 0, and so on. They may lead anywhere. False: the table is larger, or in rows. */
bool Analysis::choose_pointer(gimple *stmt, tree ref, const Ref &r, const std::string &version,
                              const LoadHistory &past, Poly *out)
{
    enum { FEW = 4 };
    if (!POINTER_TYPE_P(TREE_TYPE(ref)) || TREE_CODE(ref) != ARRAY_REF ||
        r.object->kind == ObjectKind::Rows)
        return false;
    const Level level = array_level(ref, gimple_bb(stmt)->loop_father);
    int64_t n = 0, width = 0, start = 0;
    if (!level.extent.is_const(&n) || n < 2 || n > FEW || !level.stride.is_const(&width) ||
        !(r.offset - level.stride * level.sub).is_const(&start) || level.sub.bad ||
        find_opaque(level.sub) || (level.sub.kinds() & kind_bit(AtomKind::Load)))
        return false;
    for (int64_t k = n; k-- > 0;) {
        std::string name = describe(TREE_OPERAND(ref, 0)) + "[" + std::to_string(k) + "]";
        const Poly p = load_pointer(stmt, ref, name, r, start + k * width, version, past);
        *out = k == n - 1 ? p : ex.select(ex.relation(Cond::Eq, level.sub, Poly(k)), p, *out);
    }
    return true;
}

/* A pointer at a fixed place: an object. The statement loads it, or one of several. */
Poly Analysis::load_pointer(gimple *stmt, tree ref, const std::string &name, const Ref &r,
                            int64_t offset, const std::string &version, const LoadHistory &past)
{
    char key[64];
    snprintf(key, sizeof key, "at:%p:%lld:", (void *)r.object, (long long)offset);
    tree type = TREE_TYPE(ref);
    Object *o =
        pointer_object(key + version, ObjectKind::Pointer, name, TREE_TYPE(type), r.object->loc);
    if (DECL_P(ref))
        o->decl = ref;
    if (r.object->is_private)
        o->is_private = true;
    o->is_restrict = TYPE_RESTRICT(type);
    o->assumption = explain_unchanged(ref, past);
    o->inside = r.object;
    o->at = offset;
    add_origin(stmt, ref, past.before, &o->origin);
    if (!r.offset.is_const(nullptr)) {
        o->origin.loads.pop_back();
        o->origin.near.push_back(stmt);
    }
    if (TREE_CODE(ref) == COMPONENT_REF)
        o->descriptor_rank = descriptor_rank(TREE_TYPE(TREE_OPERAND(ref, 0)));
    /* gfortran accesses an assumed-shape array through a pointer of its name. */
    tree pointer = o->descriptor_rank ? gimple_get_lhs(stmt) : NULL_TREE;
    if (pointer && POINTER_TYPE_P(TREE_TYPE(pointer)) && name_of(pointer) == o->name) {
        tree declared = TREE_TYPE(TREE_TYPE(pointer));
        o->declared = o->declared && o->declared != declared ? error_mark_node : declared;
    }
    return ex.base(o);
}

/* A key for a bit-field's position and width. */
static std::string bit_field_key(tree ref)
{
    HOST_WIDE_INT bits = TREE_CODE(ref) == BIT_FIELD_REF
                             ? bit_field_offset(ref).to_constant()
                             : tree_to_shwi(DECL_FIELD_BIT_OFFSET(TREE_OPERAND(ref, 1)));
    return "bit" + std::to_string(bits) + ":" + std::to_string(TYPE_PRECISION(TREE_TYPE(ref)));
}

/* A pointer without the copies and casts that it went through. */
static tree first_copy(tree p)
{
    for (int hops = 0; hops < MAX_COPIES && TREE_CODE(p) == SSA_NAME; hops++) {
        gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
        if (!d || !(gimple_assign_single_p(d) || gimple_assign_cast_p(d)) ||
            gimple_assign_load_p(d))
            break;
        p = gimple_assign_rhs1(d);
    }
    return p;
}

gassign *Analysis::loaded_before(gimple *at, tree pointer, tree type)
{
    pointer = first_copy(pointer);
    gimple *before = at;
    for (basic_block bb = gimple_bb(at); bb && bb != ENTRY_BLOCK_PTR_FOR_FN(cfun);
         bb = get_immediate_dominator(CDI_DOMINATORS, bb)) {
        gimple_stmt_iterator i = gimple_bb(before) == bb ? gsi_for_stmt(before) : gsi_last_bb(bb);
        for (; !gsi_end_p(i); gsi_prev(&i)) {
            gassign *g = dyn_cast<gassign *>(gsi_stmt(i));
            if (gimple_vdef(gsi_stmt(i)))
                return nullptr;
            if (!g || g == at || !gimple_assign_load_p(g) || gimple_vuse(g) != gimple_vuse(at) ||
                !useless_type_conversion_p(type, TREE_TYPE(gimple_assign_lhs(g))))
                continue;
            tree ref = gimple_assign_rhs1(g), from = NULL_TREE;
            if (TREE_CODE(ref) == MEM_REF && integer_zerop(TREE_OPERAND(ref, 1)))
                from = first_copy(TREE_OPERAND(ref, 0));
            bool same = from && operand_equal_p(from, pointer, 0);
            if (TREE_CODE(pointer) == ADDR_EXPR)
                same |= operand_equal_p(ref, TREE_OPERAND(pointer, 0), 0);
            if (same)
                return g;
        }
        if (gimple_vdef(first_stmt(bb) ? first_stmt(bb) : at))
            return nullptr;
    }
    return nullptr;
}

bool Analysis::is_read_again(gimple *load)
{
    return is_tested_again(load) || is_chosen_again(load);
}

bool Analysis::is_chosen_again(gimple *load)
{
    tree ref = gimple_assign_rhs1(load), type = TREE_TYPE(gimple_get_lhs(load));
    if (TREE_CODE(ref) != MEM_REF || !integer_zerop(TREE_OPERAND(ref, 1)) ||
        TREE_THIS_VOLATILE(ref) || !gimple_vuse(load))
        return false;
    std::vector<tree> work{first_copy(TREE_OPERAND(ref, 0))};
    std::set<tree> seen;
    bool chosen = false;
    while (!work.empty()) {
        tree p = work.back();
        work.pop_back();
        if (!seen.insert(p).second)
            continue;
        gphi *phi = TREE_CODE(p) == SSA_NAME ? dyn_cast<gphi *>(SSA_NAME_DEF_STMT(p)) : nullptr;
        if (phi && gimple_bb(phi)->loop_father->header != gimple_bb(phi) && seen.size() < 16) {
            chosen = true;
            for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
                work.push_back(first_copy(gimple_phi_arg_def(phi, i)));
            continue;
        }
        bool alone = TREE_CODE(p) == ADDR_EXPR && DECL_P(TREE_OPERAND(p, 0)) &&
                     is_gimple_reg_type(TREE_TYPE(TREE_OPERAND(p, 0)));
        if (!(alone && !options.scalars) && !loaded_before(load, p, type))
            return false;
    }
    return chosen;
}

Poly Analysis::chosen_load(gimple *load, tree pointer)
{
    pointer = first_copy(pointer);
    if (gassign *g = loaded_before(load, pointer, TREE_TYPE(gimple_get_lhs(load))))
        return value(gimple_get_lhs(g));
    gphi *phi =
        TREE_CODE(pointer) == SSA_NAME ? dyn_cast<gphi *>(SSA_NAME_DEF_STMT(pointer)) : NULL;
    basic_block top = phi ? get_immediate_dominator(CDI_DOMINATORS, gimple_bb(phi)) : NULL;
    Poly way[2];
    bool found[2] = {false, false};
    edge by[2];
    if (top && EDGE_COUNT(top->succs) == 2 && safe_dyn_cast<gcond *>(plussi_last_stmt(top))) {
        extract_true_false_edges_from_block(top, &by[0], &by[1]);
        for (unsigned i = 0; i < gimple_phi_num_args(phi); i++) {
            edge e = gimple_phi_arg_edge(phi, i);
            for (int k = 0; k < 2; k++)
                if (e == by[k] || (single_pred_p(by[k]->dest) &&
                                   dominated_by_p(CDI_DOMINATORS, e->src, by[k]->dest))) {
                    way[k] =
                        found[k] ? Poly::overflow() : chosen_load(load, gimple_phi_arg_def(phi, i));
                    found[k] = true;
                }
        }
    }
    return found[0] && found[1]
               ? ex.select(read_condition(top), way[0], way[1])
               : ex.opaque(NULL_TREE, "its value depends on the way taken", gimple_location(load));
}

Poly Analysis::read_load(gimple *stmt, tree ref)
{
    tree name = gimple_get_lhs(stmt), type = TREE_TYPE(ref);
    if (TREE_THIS_VOLATILE(ref))
        return ex.opaque(name, "a volatile value", gimple_location(stmt));
    if (is_named_constant(ref))
        return Poly(tree_to_shwi(DECL_INITIAL(ref)));
    if (gassign *before = ref == gimple_assign_rhs1(stmt) ? tested_before(stmt) : nullptr)
        return value(gimple_assign_lhs(before));
    Ref r;
    if (!find_address(ref, gimple_bb(stmt), &r)) {
        int64_t number;
        tree made = r.is_constant && r.offset.zero() ? DECL_INITIAL(r.object->decl) : NULL_TREE;
        if (made && TREE_CODE(made) == INTEGER_CST && INTEGRAL_TYPE_P(type) &&
            useless_type_conversion_p(type, TREE_TYPE(made)) &&
            constant_value(made, false, &number))
            return Poly(number);
        if (INTEGRAL_TYPE_P(type) && is_chosen_again(stmt)) {
            Poly p = chosen_load(stmt, TREE_OPERAND(ref, 0));
            if (!p.bad && !find_opaque(p))
                return p;
        }
        return make_leaf(name, stmt, r.reason);
    }
    if (!stores_done)
        collect_stores();
    LoadHistory past;
    if (const Store *s = look_back(stmt, r, &past))
        return changed_load(stmt, ref, r, *s);
    /* The stores before the load, in the order of the function. */
    std::vector<unsigned> before;
    for (gimple *g : past.before)
        before.push_back(gimple_uid(g));
    std::sort(before.begin(), before.end());
    std::string version;
    for (unsigned uid : before)
        version += std::to_string(uid) + ",";
    int64_t offset;
    if (r.object->kind == ObjectKind::Rows || !r.offset.is_const(&offset))
        return load_element(stmt, ref, r, version, past);
    /* Each thread has a number of its own there: no symbol. */
    if (((r.object->is_private && r.object->kind == ObjectKind::Decl) ||
         !same_for_all_threads(name)) &&
        INTEGRAL_TYPE_P(type) && inside_parallel(stmt)) {
        tree stored = last_stored(stmt, r);
        return stored ? value(stored)
                      : ex.opaque(name, "`" + describe(ref) + "' may differ from thread to thread",
                                  gimple_location(stmt));
    }
    if (is_bit_field(ref))
        version += bit_field_key(ref);
    if (POINTER_TYPE_P(type))
        return load_pointer(stmt, ref, describe(ref), r, offset, version, past);
    Poly p = symbol_at(r.object, offset, r.width, version, describe(ref), type);
    SymbolInfo &info = symbols[p.is_atom()->name];
    info.assumption = explain_unchanged(ref, past);
    add_origin(stmt, ref, past.before, &info.origin);
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
    return ex.symbol(key + version, info.name, info.loc, type);
}

} // namespace pluss
