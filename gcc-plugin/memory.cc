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
 * both; all executions of those come before either load. May alias is decided by
 *  - the objects: different variables never overlap; a variable whose address is not taken cannot
 * be reached through a pointer; heap blocks, restrict and Fortran dummies are disjoint from others;
 *  - the types, by the rule of the language (a double is not stored over an int), the same at every
 *    optimisation level; -fno-strict-aliasing switches this off;
 *  - constant offsets that do not overlap.
 */
#include "analysis.h"

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
        o->is_private =
            shadow.private_vars.count(decl) || (VAR_P(decl) && DECL_THREAD_LOCAL_P(decl));
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
            level.sub = resolve(value(TREE_OPERAND(t, 1)) - low, l);
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
        Poly address_value = not_null(ex, resolve(value(p), l)) + Poly(plus);
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

/* ---- what may be stored where ---------------------------------------------------------------- */

/* Functions that write no memory which the program's loops look at. */
static bool harmless_call(gcall *g)
{
    if (gimple_call_internal_p(g))
        return true;
    if (gimple_call_flags(g) & (ECF_CONST | ECF_PURE | ECF_NORETURN))
        return true;
    tree fn = gimple_call_fndecl(g);
    if (!fn || !DECL_NAME(fn))
        return false;
    const char *name = IDENTIFIER_POINTER(DECL_NAME(fn));
    if (plussi_startswith(name, "__builtin_"))
        name += strlen("__builtin_");
    if (plussi_startswith(name, "omp_") || plussi_startswith(name, "GOMP_") ||
        plussi_startswith(name, "pluss"))
        return true;
    static const char *const list[] = {
        "printf",      "puts",           "putchar",        "fprintf",
        "fputs",       "fputc",          "fwrite",         "fflush",
        "perror",      "malloc",         "calloc",         "aligned_alloc",
        "free",        "posix_memalign", "alloca",         "alloca_with_align",
        "stack_save",  "stack_restore",  "exit",           "abort",
        "clock",       "rand",           "srand",          "random",
        "drand48",     "time",           "expect",         "prefetch",
        "unreachable", "trap",           "assume_aligned", "vprintf",
        "vfprintf",    "sched_yield"};
    for (const char *s : list)
        if (!strcmp(name, s))
            return true;
    if (fndecl_built_in_p(fn, BUILT_IN_NORMAL)) {
        /* Mathematics: they set errno at most. */
        for (unsigned i = 0; i < gimple_call_num_args(g); i++)
            if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(g, i))))
                return false;
        return true;
    }
    return false;
}

bool Analysis::harmless(gcall *g)
{
    return harmless_call(g);
}

void Analysis::collect_stores()
{
    stores_done = true;
    renumber_gimple_stmt_uids(cfun);
    basic_block bb;
    FOR_EACH_BB_FN(bb, cfun)
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
        gimple *s = gsi_stmt(i);
        if (gimple_clobber_p(s) || is_gimple_debug(s))
            continue;
        Store st{s, NULL_TREE, Ref(), Store::New};
        if (is_gimple_assign(s) || is_gimple_call(s)) {
            tree lhs = gimple_get_lhs(s);
            if (lhs && TREE_CODE(lhs) != SSA_NAME) {
                st.ref = lhs;
                stores.push_back(st);
            }
        }
        if (gcall *c = dyn_cast<gcall *>(s)) {
            if (!harmless_call(c)) {
                st.ref = NULL_TREE;
                stores.push_back(st);
            }
        } else if (gasm *a = dyn_cast<gasm *>(s)) {
            if (gimple_vdef(a)) {
                st.ref = NULL_TREE;
                stores.push_back(st);
            }
        }
    }
}

/* Where a store goes; found when it is first asked for, since it may depend on loads itself. */
bool Analysis::store_address(Store &st)
{
    if (st.state == Store::New) {
        st.state = Store::Busy;
        st.where.object = base_object(st.ref);
        st.where.offset = Poly::overflow(); /* not known yet */
        Ref r;
        if (address(st.ref, gimple_bb(st.stmt), &r))
            st.where = r;
        st.state = Store::Done;
    } else if (st.state == Store::Busy) {
        if (!st.where.object)
            busy_hits++; /* whatever is concluded from this is not kept */
    }
    return st.where.object != nullptr;
}

/* The object that an access lies in, without a look at its subscripts; NULL where that is not
 * enough. */
Object *Analysis::base_object(tree ref)
{
    while (handled_component_p(ref))
        ref = TREE_OPERAND(ref, 0);
    if (DECL_P(ref))
        return decl_object(ref);
    if (TREE_CODE(ref) != MEM_REF)
        return nullptr;
    tree p = TREE_OPERAND(ref, 0);
    for (int hops = 0; hops < 64; hops++) {
        if (TREE_CODE(p) == ADDR_EXPR)
            return base_object(TREE_OPERAND(p, 0));
        if (TREE_CODE(p) != SSA_NAME)
            return nullptr;
        gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
        if (d &&
            (gimple_assign_rhs_code(d) == POINTER_PLUS_EXPR || gimple_assign_cast_p(d) ||
             gimple_assign_rhs_code(d) == SSA_NAME || gimple_assign_rhs_code(d) == ADDR_EXPR)) {
            p = gimple_assign_rhs1(d);
            continue;
        }
        if (!SSA_NAME_IS_DEFAULT_DEF(p) && !is_gimple_call(SSA_NAME_DEF_STMT(p)))
            return nullptr;
        const Atom *a = value(p).is_atom();
        return a && a->kind == AtomKind::Base ? a->object : nullptr;
    }
    return nullptr;
}

static bool same_scalar(tree a, tree b)
{
    if (POINTER_TYPE_P(a) || POINTER_TYPE_P(b))
        return POINTER_TYPE_P(a) && POINTER_TYPE_P(b);
    if (INTEGRAL_TYPE_P(a) && INTEGRAL_TYPE_P(b))
        return TYPE_PRECISION(a) == TYPE_PRECISION(b);
    return TYPE_MAIN_VARIANT(a) == TYPE_MAIN_VARIANT(b) ||
           (TREE_CODE(a) == TREE_CODE(b) && TYPE_MODE(a) == TYPE_MODE(b));
}

static bool types_may_alias(tree a, tree b)
{
    if (global_options_set.x_flag_strict_aliasing && !flag_strict_aliasing)
        return true;
    for (tree t : {a, b}) {
        if (!(INTEGRAL_TYPE_P(t) || POINTER_TYPE_P(t) || SCALAR_FLOAT_TYPE_P(t) ||
              TREE_CODE(t) == COMPLEX_TYPE))
            return true; /* a whole struct holds all sorts of things */
        if (INTEGRAL_TYPE_P(t) && TYPE_PRECISION(t) == 8)
            return true; /* char */
        if (TYPE_REF_CAN_ALIAS_ALL(TYPE_POINTER_TO(t) ? TYPE_POINTER_TO(t) : ptr_type_node))
            continue;
    }
    return same_scalar(a, b);
}

static bool objects_may_overlap(const Object *a, const Object *b)
{
    if (a == b)
        return true;
    if (a->kind == ObjectKind::Rows || b->kind == ObjectKind::Rows) {
        const Object *o = a->kind == ObjectKind::Rows ? b : a;
        return !(o->kind == ObjectKind::Decl && !o->escapes);
    }
    if (a->kind == ObjectKind::Decl && b->kind == ObjectKind::Decl)
        return false;
    if (a->kind == ObjectKind::Heap && b->kind == ObjectKind::Heap)
        return false;
    for (const Object *x : {a, b}) {
        const Object *y = x == a ? b : a;
        if (x->kind == ObjectKind::Decl && !x->escapes)
            return false;
        if (x->is_restrict)
            return false;
        if (x->kind == ObjectKind::Heap && (y->kind == ObjectKind::Decl || y->is_param))
            return false;
    }
    return true;
}

bool Analysis::may_alias(const Ref &store, tree store_type, const Ref &load, tree load_type)
{
    if (!types_may_alias(store_type, load_type))
        return false;
    if (!store.object || !load.object)
        return !(load.object && load.object->kind == ObjectKind::Decl && !load.object->escapes);
    if (!objects_may_overlap(store.object, load.object))
        return false;
    if (store.object == load.object && store.object->kind != ObjectKind::Rows) {
        int64_t d;
        if ((store.offset - load.offset).is_const(&d) &&
            !(store.offset.kinds() & kind_bit(AtomKind::Iv)))
            return !(d >= (int64_t)load.width || -d >= (int64_t)store.width);
    }
    return true;
}

bool Analysis::reaches(gimple *a, gimple *b)
{
    basic_block x = gimple_bb(a), y = gimple_bb(b);
    if (x == y && gimple_uid(a) < gimple_uid(b))
        return true;
    std::vector<bool> &seen = reach[x];
    if (seen.empty()) {
        seen.resize(last_basic_block_for_fn(cfun), false);
        std::vector<basic_block> work;
        edge e;
        edge_iterator ei;
        FOR_EACH_EDGE(e, ei, x->succs)
        work.push_back(e->dest);
        while (!work.empty()) {
            basic_block bb = work.back();
            work.pop_back();
            if (seen[bb->index])
                continue;
            seen[bb->index] = true;
            FOR_EACH_EDGE(e, ei, bb->succs)
            work.push_back(e->dest);
        }
    }
    return seen[y->index];
}

/* Follows the parallel regions that begin and end up to `stop` (NULL: the block's end). */
void Analysis::follow_regions(basic_block bb, gimple *stop, Regions *at)
{
    for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i) && gsi_stmt(i) != stop;
         gsi_next(&i)) {
        Marker m;
        if (!shadow.marker(gsi_stmt(i), &m) || m.construct->kind != ConstructKind::Parallel)
            continue;
        at->depth += m.end ? -1 : 1;
        if (at->depth == 1 && !m.end)
            at->outermost = m.construct;
        else if (at->depth <= 0)
            at->outermost = nullptr;
    }
}

const Construct *Analysis::region_of(gimple *stmt)
{
    if (regions_at_start.empty()) {
        std::vector<std::pair<basic_block, Regions>> work{
            {single_succ(ENTRY_BLOCK_PTR_FOR_FN(cfun)), Regions()}};
        edge e;
        edge_iterator ei;
        while (!work.empty()) {
            auto [bb, at] = work.back();
            work.pop_back();
            if (!regions_at_start.insert({bb, at}).second)
                continue;
            follow_regions(bb, NULL, &at);
            FOR_EACH_EDGE(e, ei, bb->succs)
            work.push_back({e->dest, at});
        }
    }
    basic_block bb = gimple_bb(stmt);
    if (!bb)
        return nullptr;
    auto it = regions_at_start.find(bb);
    Regions at = it == regions_at_start.end() ? Regions() : it->second;
    if (gimple_code(stmt) != GIMPLE_PHI)
        follow_regions(bb, stmt, &at);
    return at.outermost;
}

bool Analysis::inside_parallel(gimple *stmt)
{
    return gimple_bb(stmt) && (region_of(stmt) || shadow.orphaned);
}

/* An index array and an array that is stored to, reached through two pointers of which nothing more
 * is known: taken as distinct memory, and the nest says so (alias). */
bool Analysis::by_assumption(Store &s, const Ref &r)
{
    if (!s.ref || !s.where.object || s.where.object == r.object || r.offset.is_const(nullptr))
        return false;
    for (const Object *o : {s.where.object, r.object})
        if (o->kind == ObjectKind::Rows)
            return false;
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

    std::string version;
    std::set<gimple *> before;
    std::vector<Object *> assumed;
    std::vector<gimple *> calls;
    for (Store &s : stores) {
        if (!reaches(s.stmt, stmt))
            continue;
        bool alias;
        if (!s.ref)
            alias = !(r.object->kind == ObjectKind::Decl && !r.object->escapes) &&
                    !(r.object->kind == ObjectKind::Decl && TREE_READONLY(r.object->decl));
        else
            alias = types_may_alias(TREE_TYPE(s.ref), type) &&
                    may_alias(store_address(s) ? s.where : Ref(), TREE_TYPE(s.ref), r, type);
        if (!alias)
            continue;
        if (by_assumption(s, r)) {
            assumed.push_back(s.where.object);
            continue;
        }
        /* A function called between two runs of a parallel region, not in it. */
        if (!s.ref && !shadow.orphaned && reaches(stmt, s.stmt)) {
            const Construct *here = region_of(stmt);
            if (!here || here != region_of(s.stmt)) {
                calls.push_back(s.stmt);
                continue;
            }
        }
        if (reaches(stmt, s.stmt)) {
            std::string what = "`" + describe(ref) + "' may be changed by the ";
            what += s.ref ? "store to `" + describe(s.ref) + "'" : std::string("call");
            expanded_location at = expand_location(gimple_location(s.stmt));
            if (at.line)
                what += " in line " + std::to_string(at.line);
            return leaf(name, stmt, what);
        }
        version += std::to_string(gimple_uid(s.stmt)) + ",";
        before.insert(s.stmt);
    }
    auto from_here = [&](Origin *o) {
        o->loads.push_back(stmt);
        o->stores = before;
        o->type = type;
    };

    std::string assumption;
    if (!calls.empty()) {
        assumption = "`" + describe(ref) + "' is taken not to be changed by the call";
        expanded_location at = expand_location(gimple_location(calls[0]));
        if (at.line)
            assumption += " in line " + std::to_string(at.line);
        assumption += calls.size() > 1 ? " and others outside of parallel regions"
                                       : ", which is outside of parallel regions";
    }
    int64_t c;
    if (r.object->kind == ObjectKind::Rows || !r.offset.is_const(&c)) {
        /* An element of an index array or of a table of pointers. Its contents are one fixed set
         * of values: a second version has no name. */
        if (r.object->kind == ObjectKind::Rows)
            return leaf(name, stmt, "a table of tables");
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

gimple *Analysis::changed_by(gimple *stmt, const std::function<bool(gimple *)> &counts)
{
    tree ref = gimple_assign_rhs1(stmt), type = TREE_TYPE(ref);
    Ref r;
    bool known = address(ref, gimple_bb(stmt), &r);
    if (!stores_done)
        collect_stores();
    for (Store &s : stores) {
        if (!counts(s.stmt) || !reaches(s.stmt, stmt))
            continue;
        bool alias;
        if (!s.ref)
            alias = !r.object || r.object->kind != ObjectKind::Decl ||
                    (r.object->escapes && !TREE_READONLY(r.object->decl));
        else
            alias = types_may_alias(TREE_TYPE(s.ref), type) &&
                    may_alias(store_address(s) ? s.where : Ref(), TREE_TYPE(s.ref), r, type);
        if (alias && !(known && by_assumption(s, r)))
            return s.stmt;
    }
    return nullptr;
}

Poly Analysis::symbol_at(Object *o, int64_t offset, unsigned width, const std::string &version,
                         const std::string &name, tree type)
{
    char key[64];
    snprintf(key, sizeof key, "at:%p:%lld:%u:", (void *)o, (long long)offset, width);
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
