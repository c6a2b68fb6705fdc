/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stores: which memory may be stored to, and which stores are executed between two executions of a
 * load.
 *
 * Whether two accesses may alias is decided by
 *
 *   - the objects: different variables never overlap; a variable whose address is not taken cannot
 * be reached through a pointer; heap blocks, restrict pointers and Fortran dummies are disjoint
 * from others; a pointer that is passed does not point to a variable of the function;
 *   - the types, by the rule of the language (a double is not stored over an int), the same at
 * every optimisation level; -fno-strict-aliasing switches this off;
 *   - constant offsets that do not overlap.
 */
#include "analysis/analysis.h"

#include "common/statements.h"
#include "shadow/effects.h"
#include "shadow/library.h"

namespace pluss
{

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
            if (!is_harmless(c)) {
                st.ref = NULL_TREE;
                stores.push_back(st);
            } else if (gives_by_pointer(c)) {
                result_by_pointer.push_back(s);
            }
        } else if (gasm *a = dyn_cast<gasm *>(s)) {
            if (gimple_vdef(a)) {
                st.ref = NULL_TREE;
                stores.push_back(st);
            }
        }
    }
}

/* Finds where a store goes, when it is first needed, since the address may depend on loads itself.
 * False: no object is known. */
bool Analysis::store_address(Store &st)
{
    if (st.state == Store::New) {
        st.state = Store::Busy;
        st.where.object = base_object(st.ref);
        st.where.offset = Poly::overflow(); /* not known yet */
        Ref r;
        if (!is_enough() && find_address(st.ref, gimple_bb(st.stmt), &r))
            st.where = r;
        st.state = Store::Done;
    } else if (st.state == Store::Busy) {
        if (!st.where.object)
            busy_hits++; /* no result based on this is memoized */
    }
    return st.where.object != nullptr;
}

/* The object of an access, found without its subscripts; NULL: not known. */
Object *Analysis::base_object(tree ref)
{
    ref = strip_components(ref);
    if (DECL_P(ref))
        return decl_object(ref);
    if (TREE_CODE(ref) != MEM_REF)
        return nullptr;
    return pointed_object(TREE_OPERAND(ref, 0));
}

/* The object that a pointer leads into, through whichever ways of PHIs; NULL: not known. */
Object *Analysis::pointed_object(tree pointer)
{
    constexpr size_t MOST = 64; /* names on the way */
    std::vector<tree> work{pointer};
    std::set<tree> seen;
    Object *found = nullptr;
    while (!work.empty()) {
        tree p = work.back();
        work.pop_back();
        if (integer_zerop(p) || !seen.insert(p).second)
            continue;
        Object *o = nullptr;
        if (TREE_CODE(p) == ADDR_EXPR) {
            o = base_object(TREE_OPERAND(p, 0));
        } else if (TREE_CODE(p) == SSA_NAME && seen.size() < MOST) {
            gimple *def = SSA_NAME_DEF_STMT(p);
            gassign *d = dyn_cast<gassign *>(def);
            if (d &&
                (gimple_assign_rhs_code(d) == POINTER_PLUS_EXPR || gimple_assign_cast_p(d) ||
                 gimple_assign_rhs_code(d) == SSA_NAME || gimple_assign_rhs_code(d) == ADDR_EXPR)) {
                work.push_back(gimple_assign_rhs1(d));
                continue;
            }
            if (gphi *phi = dyn_cast<gphi *>(def)) {
                for (unsigned i = 0; i < gimple_phi_num_args(phi); i++)
                    work.push_back(gimple_phi_arg_def(phi, i));
                continue;
            }
            const Atom *a =
                SSA_NAME_IS_DEFAULT_DEF(p) || is_gimple_call(def) ? value(p).is_atom() : nullptr;
            o = a && a->kind == AtomKind::Base ? a->object : nullptr;
        }
        if (!o || (found && o != found))
            return nullptr;
        found = o;
    }
    return found;
}

static bool is_char(tree type)
{
    return INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) == 8;
}

static bool same_scalar(tree a, tree b);

/* May the targets of pointers that are stored and loaded at one place be of these types? Pointers
 * to different structs are different types. */
static bool same_target(tree a, tree b)
{
    while (TREE_CODE(a) == ARRAY_TYPE)
        a = TREE_TYPE(a);
    while (TREE_CODE(b) == ARRAY_TYPE)
        b = TREE_TYPE(b);
    enum Kind { Other, Struct, Number, Pointer };
    auto kind_of = [](tree t) {
        return TREE_CODE(t) == RECORD_TYPE && TYPE_IDENTIFIER(t)               ? Struct
               : POINTER_TYPE_P(t)                                             ? Pointer
               : (INTEGRAL_TYPE_P(t) && !is_char(t)) || SCALAR_FLOAT_TYPE_P(t) ? Number
                                                                               : Other;
    };
    Kind kind = kind_of(a), other = kind_of(b);
    if (kind == Other || other == Other)
        return true;
    if (kind == Struct && other == Struct)
        return TYPE_MAIN_VARIANT(a) == TYPE_MAIN_VARIANT(b) ||
               TYPE_IDENTIFIER(a) == TYPE_IDENTIFIER(b);
    return kind == other && same_scalar(a, b);
}

static bool same_scalar(tree a, tree b)
{
    if (POINTER_TYPE_P(a) || POINTER_TYPE_P(b)) /* in Fortran a type's extension may be there */
        return POINTER_TYPE_P(a) && POINTER_TYPE_P(b) &&
               (lang_GNU_Fortran() || same_target(TREE_TYPE(a), TREE_TYPE(b)));
    if (INTEGRAL_TYPE_P(a) && INTEGRAL_TYPE_P(b))
        return TYPE_PRECISION(a) == TYPE_PRECISION(b);
    return TYPE_MAIN_VARIANT(a) == TYPE_MAIN_VARIANT(b) ||
           (TREE_CODE(a) == TREE_CODE(b) && TYPE_MODE(a) == TYPE_MODE(b));
}

static bool is_scalar(tree type)
{
    return INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type) || SCALAR_FLOAT_TYPE_P(type) ||
           TREE_CODE(type) == COMPLEX_TYPE;
}

/* May a scalar of a type be in one of another type, by its members? */
static bool may_hold(tree type, tree scalar, int depth)
{
    if (is_scalar(type))
        return is_char(type) || same_scalar(type, scalar);
    if (depth == 0 || !COMPLETE_TYPE_P(type))
        return true;
    if (TREE_CODE(type) == ARRAY_TYPE)
        return may_hold(TREE_TYPE(type), scalar, depth - 1);
    if (TREE_CODE(type) != RECORD_TYPE)
        return true;
    for (tree f = TYPE_FIELDS(type); f; f = DECL_CHAIN(f))
        if (TREE_CODE(f) == FIELD_DECL &&
            (DECL_BIT_FIELD_TYPE(f) || may_hold(TREE_TYPE(f), scalar, depth - 1)))
            return true;
    return false;
}

bool types_may_alias(tree a, tree b)
{
    constexpr int DEEP = 8; /* structs in structs */
    if (global_options_set.x_flag_strict_aliasing && !flag_strict_aliasing)
        return true;
    if (is_scalar(a) && is_scalar(b))
        return is_char(a) || is_char(b) || same_scalar(a, b);
    if (!is_scalar(a) && !is_scalar(b))
        return true;
    tree scalar = is_scalar(a) ? a : b, whole = scalar == a ? b : a;
    return is_char(scalar) || may_hold(whole, scalar, DEEP);
}

bool objects_may_overlap(const Object *a, const Object *b)
{
    if (a == b)
        return true;
    if (a->kind == ObjectKind::Rows || b->kind == ObjectKind::Rows) {
        const Object *o = a->kind == ObjectKind::Rows ? b : a;
        return !(o->kind == ObjectKind::Decl && !o->pointed);
    }
    if (a->kind == ObjectKind::Decl && b->kind == ObjectKind::Decl)
        return false;
    if (a->kind == ObjectKind::Heap && b->kind == ObjectKind::Heap)
        return false;
    for (const Object *x : {a, b}) {
        const Object *y = x == a ? b : a;
        if (x->kind == ObjectKind::Decl && !x->pointed)
            return false;
        if (x->is_restrict)
            return false;
        if (x->kind == ObjectKind::Heap && (y->kind == ObjectKind::Decl || y->is_param))
            return false;
        /* The caller, which passed the pointer, has no address of this call's variables. */
        if (x->is_param && y->kind == ObjectKind::Decl && VAR_P(y->decl) && !is_global_var(y->decl))
            return false;
    }
    return true;
}

bool Analysis::may_alias(const Ref &store, tree store_type, const Ref &load, tree load_type)
{
    if (!types_may_alias(store_type, load_type))
        return false;
    if (!store.object || !load.object)
        return !(load.object && load.object->kind == ObjectKind::Decl && !load.object->pointed);
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
    if (reach.empty())
        reach.resize(last_basic_block_for_fn(cfun));
    std::vector<bool> &seen = reach[x->index];
    if (seen.empty()) {
        seen.resize(reach.size(), false);
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

/* Updates *at by the parallel regions and worksharing loops that begin and end in a block before
 * `stop` (NULL: in all of it). */
void Analysis::follow_regions(basic_block bb, gimple *stop, Regions *at)
{
    const std::vector<Shadow::Marked> &in = shadow.markers_in(bb);
    const size_t n = stop ? shadow.count_markers(stop) : in.size();
    for (size_t k = 0; k < n; k++) {
        const Marker &m = in[k].marker;
        if (m.construct->kind == ConstructKind::For &&
            (m.end ? at->loop == m.construct : !at->loop))
            at->loop = m.end ? nullptr : m.construct;
        if (m.construct->kind != ConstructKind::Parallel)
            continue;
        at->depth += m.end ? -1 : 1;
        if (at->depth == 1 && !m.end)
            at->outermost = m.construct;
        else if (at->depth <= 0)
            at->outermost = nullptr;
    }
}

Analysis::Regions Analysis::regions_at(gimple *stmt)
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
        return Regions();
    auto it = regions_at_start.find(bb);
    Regions at = it == regions_at_start.end() ? Regions() : it->second;
    follow_regions(bb, stmt, &at);
    return at;
}

const Construct *Analysis::region_of(gimple *stmt)
{
    return regions_at(stmt).outermost;
}

const Construct *Analysis::worksharing_loop_of(gimple *stmt)
{
    return regions_at(stmt).loop;
}

bool Analysis::inside_parallel(gimple *stmt)
{
    return gimple_bb(stmt) && (region_of(stmt) || shadow.orphaned);
}

/* Is a statement executed only before all that the nest describes? */
bool Analysis::comes_before_regions(gimple *stmt)
{
    if (serial || shadow.orphaned || inside_parallel(stmt))
        return false;
    if (regions_begin.empty()) {
        basic_block bb;
        FOR_EACH_BB_FN(bb, cfun)
        for (const Shadow::Marked &in : shadow.markers_in(bb))
            if (!in.marker.end)
                regions_begin.push_back(in.stmt);
    }
    return std::none_of(regions_begin.begin(), regions_begin.end(),
                        [&](gimple *begin) { return reaches(begin, stmt); });
}

/* Is it a store through a pointer that is itself loaded from memory? */
static bool by_loaded_pointer(tree ref)
{
    ref = strip_components(ref);
    if (TREE_CODE(ref) != MEM_REF)
        return false;
    tree p = TREE_OPERAND(ref, 0);
    for (int hops = 0; hops < 64 && TREE_CODE(p) == SSA_NAME; hops++) {
        gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
        if (!d)
            return false;
        if (gimple_assign_load_p(d))
            return true;
        if (gimple_assign_rhs_code(d) != POINTER_PLUS_EXPR && !gimple_assign_cast_p(d) &&
            gimple_assign_rhs_code(d) != SSA_NAME)
            return false;
        p = gimple_assign_rhs1(d);
    }
    return false;
}

static bool executed_before(gimple *a, gimple *b)
{
    basic_block x = gimple_bb(a), y = gimple_bb(b);
    return x == y ? gimple_uid(a) < gimple_uid(b) : dominated_by_p(CDI_DOMINATORS, y, x);
}

/* Is an access to an element of an array, and not to a field of a struct? */
static bool is_element(tree ref)
{
    return TREE_CODE(ref) == ARRAY_REF ||
           (TREE_CODE(ref) == MEM_REF && !AGGREGATE_TYPE_P(TREE_TYPE(ref)));
}

/* Can code of another unit change a variable only by calling a function of this one? */
static bool is_of_unit(const Object *o)
{
    return o && o->kind == ObjectKind::Decl && VAR_P(o->decl) && TREE_STATIC(o->decl) &&
           !TREE_PUBLIC(o->decl) && !TREE_ADDRESSABLE(o->decl);
}

/* NULL: no call, or one through a pointer. */
static const Effects *effects_of_call(gimple *g)
{
    return is_gimple_call(g) ? effects_of(gimple_call_fndecl(g)) : nullptr;
}

/* Is a call taken not to change a place? It does not, by what its function does; or else the place
 * is a variable of this unit, and the function another unit's. */
bool Analysis::leaves_alone(gimple *call, const Ref &r, bool *assumed)
{
    const Effects *e = effects_of_call(call);
    if (!e || !is_of_unit(r.object) || e->stored.count(r.object->decl))
        return false;
    *assumed |= e->leaves_unit;
    return !e->leaves_unit || options.assume;
}

/* Does the function that is called, or one that it calls, name the variable in a store? */
bool stores_by_name(gimple *call, const Ref &r)
{
    const Effects *e = effects_of_call(call);
    return e && r.object && r.object->kind == ObjectKind::Decl && e->stored.count(r.object->decl);
}

/* Would a store or call in a worksharing loop that changed the place race with other iterations,
 * which load the same? A program without races does not. */
bool Analysis::would_race(const Store &s, gimple *load, const Ref &r)
{
    constexpr unsigned varying = kind_bit(AtomKind::Phi) | kind_bit(AtomKind::Iv) |
                                 kind_bit(AtomKind::Thread) | kind_bit(AtomKind::Opaque);
    if (!options.assume || !r.object || r.object->is_private ||
        (s.ref && s.where.object == r.object) || (r.offset.kinds() & varying) ||
        std::any_of(r.path.begin(), r.path.end(),
                    [](const Poly &p) { return p.kinds() & varying; }))
        return false;
    const Construct *loop = worksharing_loop_of(load);
    return loop && loop == worksharing_loop_of(s.stmt);
}

/* Does each iteration of the outermost loop around a load access a place of its own there, and
 * store to it, if at all, after it was read? The value is then that from before the loop. */
bool Analysis::is_read_first(Store &s, gimple *load, const Ref &r)
{
    const class loop *l = gimple_bb(load)->loop_father;
    int64_t apart = 0, step = 0;
    if (loop_depth(l) != 1 || !s.ref || !s.where.object || s.where.object != r.object ||
        r.object->kind == ObjectKind::Rows || !flow_bb_inside_loop_p(l, gimple_bb(s.stmt)) ||
        !executed_before(load, s.stmt) || !(s.where.offset - r.offset).is_const(&apart))
        return false;
    Loop *own = get_loop(l);
    if (own->busy || !own->reason.empty())
        return false;
    const Atom *iv = ex.iv(own).is_atom();
    for (const Term &t : r.offset.terms) {
        if (t.mono.size() == 1 && t.mono[0] == iv)
            step = t.coef * own->step;
        else if (std::any_of(t.mono.begin(), t.mono.end(),
                             [](const Atom *a) { return a->kind != AtomKind::Symbol; }))
            return false;
    }
    int64_t width = std::max<int64_t>(r.width, s.where.width);
    return (step < 0 ? -step : step) >= (apart < 0 ? -apart : apart) + width;
}

/* Is a store taken to be elsewhere without proof? The nest or a note says so. There are three
 * cases: (1) an index array and an array that is stored to, reached through two pointers of which
 * nothing more is known (alias); (2) a pointer or a number at one place, and an array of bytes
 * reached through another pointer, since the language lets bytes be part of anything (the array's
 * pointer may be the loaded value); (3) a variable or a field, and elements of an array that is
 * reached through another pointer (cols in dst[i] = 0 with int cols, *dst). */
bool Analysis::is_elsewhere_by_assumption(Store &s, const Ref &r)
{
    if (!s.ref)
        return false;
    bool bytes = is_char(TREE_TYPE(s.ref)) && !is_char(r.type);
    if (r.offset.is_const(nullptr)) {
        bool element = bytes || (options.assume && is_element(s.ref) &&
                                 (r.object->kind == ObjectKind::Decl || r.has_field));
        if (!element || (s.where.object && s.where.offset.is_const(nullptr)))
            return false;
    }
    if (!s.where.object)
        return r.offset.is_const(nullptr) && by_loaded_pointer(s.ref);
    return s.where.object != r.object;
}

std::string in_line(gimple *stmt)
{
    expanded_location at = expand_location(gimple_location(stmt));
    return at.line ? " in line " + std::to_string(at.line) : "";
}

/* The text of the assumption that calls and stores do not change a place. */
std::string Analysis::explain_unchanged(tree ref, const LoadHistory &past)
{
    std::string all;
    auto add = [&](const std::string &what) { all += (all.empty() ? "" : ", and by ") + what; };
    auto others = [](const std::vector<gimple *> &list) {
        return std::string(list.size() > 1 ? " and others" : "");
    };
    if (!past.elements.empty()) {
        tree to = gimple_get_lhs(past.elements[0]);
        add((is_char(TREE_TYPE(to)) ? "the bytes stored" : "what is stored") +
            (" to `" + describe(to)) + "'" + in_line(past.elements[0]) + others(past.elements));
    }
    if (!past.racing.empty())
        add((is_gimple_call(past.racing[0]) ? "the call" : "the store") + in_line(past.racing[0]) +
            others(past.racing) + ", as other iterations of the parallel loop read it");
    if (!past.away.empty())
        add("the call" + in_line(past.away[0]) + others(past.away) +
            " of a function that is not at hand");
    if (!past.calls.empty())
        add("the call" + in_line(past.calls[0]) +
            (past.calls.size() > 1 ? " and others outside of parallel regions"
                                   : ", which is outside of parallel regions"));
    return all.empty() ? "" : "`" + describe(ref) + "' is taken not to be changed by " + all;
}

/* Is it an element of an array that a descriptor of Fortran leads to? It is no scalar variable, and
 * none of the dummy arguments without a descriptor. */
static bool is_by_descriptor(tree ref)
{
    ref = strip_components(ref);
    tree p = TREE_CODE(ref) == MEM_REF ? TREE_OPERAND(ref, 0) : NULL_TREE;
    for (int hops = 0; hops < 8 && p && TREE_CODE(p) == SSA_NAME; hops++) {
        gassign *d = dyn_cast<gassign *>(SSA_NAME_DEF_STMT(p));
        if (!d || !(gimple_assign_single_p(d) || gimple_assign_cast_p(d)))
            return false;
        p = gimple_assign_rhs1(d);
    }
    return p && TREE_CODE(p) == COMPONENT_REF && is_descriptor(TREE_TYPE(TREE_OPERAND(p, 0)));
}

/* May a store or call change the place r (whose object may be unknown)? */
bool Analysis::may_change(Store &s, const Ref &r)
{
    if (!s.ref) {
        gcall *call = dyn_cast<gcall *>(s.stmt);
        if (call && stores_elsewhere(call, r))
            return false;
        return !r.object || ((r.object->kind != ObjectKind::Decl ||
                              (r.object->escapes && !TREE_READONLY(r.object->decl))) &&
                             !(call && is_out_of_reach(call, r.object)));
    }
    if (r.object && is_by_descriptor(s.ref) &&
        (r.object->kind == ObjectKind::Decl
             ? !AGGREGATE_TYPE_P(TREE_TYPE(r.object->decl))
             : r.object->is_param && r.object->is_restrict && !r.object->descriptor_rank))
        return false;
    static const Ref anywhere;
    return types_may_alias(TREE_TYPE(s.ref), r.type) &&
           may_alias(store_address(s) ? s.where : anywhere, TREE_TYPE(s.ref), r, r.type);
}

Analysis::Answers &Analysis::answers_for(const Ref &r)
{
    Answers &known = answers[{r.object, r.type}];
    known.resize(stores.size(), Unknown);
    return known;
}

/* The same, asked often: keeps what holds for all places of one type in one object. */
bool Analysis::may_change(size_t n, const Ref &r, Answers &known)
{
    Store &s = stores[n];
    if (known[n] != Unknown)
        return known[n] == Yes;
    const unsigned hits = busy_hits;
    const bool may = may_change(s, r);
    const bool by_object = s.state == Store::Done && s.where.object != r.object;
    if (s.ref ? !may && (by_object || !types_may_alias(TREE_TYPE(s.ref), r.type))
              : hits == busy_hits)
        known[n] = may ? Yes : No;
    return may;
}

/* Do all paths to a block take one of the ways? */
static bool is_after_any(const std::set<edge> &ways, basic_block bb)
{
    return std::any_of(ways.begin(), ways.end(), [bb](edge e) {
        return single_pred_p(e->dest) && dominated_by_p(CDI_DOMINATORS, bb, e->dest);
    });
}

/* The statements that may be executed between the last execution of `first`, which all paths to
 * `then` pass but those that take a way that is shut, and `then`. */
class Between
{
  public:
    Between(gimple *f, gimple *t, const std::set<edge> &shut) : first(f), then(t)
    {
        basic_block end = gimple_bb(then), start = gimple_bb(first);
        std::vector<basic_block> work;
        if (start != end || gimple_uid(first) > gimple_uid(then))
            work.push_back(end);
        edge e;
        edge_iterator ei;
        while (!work.empty()) {
            basic_block bb = work.back();
            work.pop_back();
            FOR_EACH_EDGE(e, ei, bb->preds)
            if (!shut.count(e) && !is_after_any(shut, e->src) && to_end.insert(e->src).second &&
                e->src != start)
                work.push_back(e->src);
        }
    }
    bool holds(gimple *g) const
    {
        basic_block bb = gimple_bb(g);
        bool before = bb == gimple_bb(first) && gimple_uid(g) < gimple_uid(first);
        if (bb == gimple_bb(then) && gimple_uid(g) < gimple_uid(then))
            return !before;
        return !before && to_end.count(bb);
    }

  private:
    gimple *first, *then;
    std::set<basic_block> to_end; /* blocks from whose end `then` can be reached */
};

bool is_bit_field(tree ref)
{
    return TREE_CODE(ref) == BIT_FIELD_REF ||
           (TREE_CODE(ref) == COMPONENT_REF && DECL_BIT_FIELD_TYPE(TREE_OPERAND(ref, 1)));
}

/* The loaded value, if it is known: that of the last store to the same place before the load, with
 * no other store on any path between them. NULL: there is no such store. In a team the others'
 * stores may come between: the memory must be private, or the store be in serial code.
 * *between_them: a statement that may change the place after the last store. */
tree Analysis::last_stored(gimple *load, const Ref &r, gimple **between_them)
{
    const class loop *inner = gimple_bb(load)->loop_father;
    gassign *last = nullptr;
    std::set<edge> shut;
    for (Store &s : stores) {
        if (!s.ref || (s.state == Store::Done && s.where.object != r.object))
            continue;
        gassign *g = dyn_cast<gassign *>(s.stmt);
        const class loop *l = gimple_bb(s.stmt)->loop_father;
        if (!g || !gimple_assign_single_p(g) || shadow.taken_out.count(g) ||
            !(l == inner || flow_loop_nested_p(l, inner)) ||
            !is_gimple_val(gimple_assign_rhs1(g)) ||
            !useless_type_conversion_p(r.type, TREE_TYPE(gimple_assign_rhs1(g))) ||
            !r.offset.is_const(nullptr))
            continue;
        const bool before = executed_before(g, load);
        std::set<edge> ways;
        if ((before || (r.object->decl && strip_components(s.ref) == r.object->decl)) &&
            store_address(s) && s.where.object == r.object && s.where.offset == r.offset &&
            s.where.width == r.width &&
            (!last || executed_before(last, g) || (before && !executed_before(g, last))) &&
            (before || executed_with(g, load, &ways))) {
            last = g;
            shut = ways;
        }
    }
    bool own = r.object->is_private && r.object->kind != ObjectKind::Pointer;
    if (!last || r.object->kind == ObjectKind::Rows || (inside_parallel(last) && !own) ||
        TREE_THIS_VOLATILE(gimple_get_lhs(last)) || is_bit_field(gimple_get_lhs(last)) ||
        is_bit_field(gimple_assign_rhs1(load)))
        return NULL_TREE;
    Between between(last, load, shut);
    for (Store &s : stores)
        if (s.stmt != last && between.holds(s.stmt) && may_change(s, r)) {
            if (between_them)
                *between_them = s.stmt;
            return NULL_TREE;
        }
    for (gimple *g : result_by_pointer)
        if (between.holds(g))
            return NULL_TREE;
    return gimple_assign_rhs1(last);
}

gimple *Analysis::changed_by(gimple *stmt, const std::function<bool(gimple *)> &counts)
{
    tree ref = gimple_assign_rhs1(stmt);
    Ref r;
    bool known = find_address(ref, gimple_bb(stmt), &r);
    if (!stores_done)
        collect_stores();
    for (Store &s : stores) {
        if (!counts(s.stmt) || !reaches(s.stmt, stmt))
            continue;
        bool ignored = false;
        if (may_change(s, r) && !(!s.ref && leaves_alone(s.stmt, r, &ignored)) &&
            !(known && (is_elsewhere_by_assumption(s, r) || is_read_first(s, stmt, r))))
            return s.stmt;
    }
    return nullptr;
}

} // namespace pluss
