/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds one shape for all references to an array.
 *
 * 1. The levels that the source and the types give are used as they are if all references agree:
 * A[i][j] of a static array, of a VLA, of a pointer to rows of constant or variable length. Fields
 * of structs are byte ranges of the element; an array inside of a struct is a view of its own over
 * the array of structs (views.cc).
 *
 * 2. A reference without levels (through &A[0][0], an atomic's address) is expressed in the strides
 * of the others if its subscripts provably stay inside of the rows.
 *
 * 3. A flat array with computed subscripts (A[i*n + k]) is delinearised: the strides are the
 * factors of the induction variables, each a multiple of the next, and all subscripts but the first
 * must provably stay inside of their dimension for all references. Otherwise it stays flat, which
 * is exact, too, and only costs the engines time. Accesses of vectors that begin at any element are
 * fields that reach beyond it.
 *
 * 4. The rows that a table of pointers points to (double **A) become one array: the rows are taken
 * to be contiguous, as long as the longest subscript needs. A note says so (views.cc).
 */
#include "shape/shape.h"

#include "base/arith.h"

namespace pluss
{

int64_t type_bytes(tree type)
{
    tree s = type ? TYPE_SIZE_UNIT(type) : NULL_TREE;
    return s && tree_fits_shwi_p(s) ? tree_to_shwi(s) : 0;
}

plussi_elem element_kind(tree type, int64_t bytes)
{
    if (!type)
        return PLUSSI_ELEM_BYTES;
    if (TREE_CODE(type) == REAL_TYPE)
        return bytes == 4    ? PLUSSI_ELEM_F32
               : bytes == 8  ? PLUSSI_ELEM_F64
               : bytes == 16 ? PLUSSI_ELEM_F80
                             : PLUSSI_ELEM_BYTES;
    if (TREE_CODE(type) == COMPLEX_TYPE && TREE_CODE(TREE_TYPE(type)) == REAL_TYPE)
        return bytes == 8 ? PLUSSI_ELEM_C64 : bytes == 16 ? PLUSSI_ELEM_C128 : PLUSSI_ELEM_BYTES;
    if (INTEGRAL_TYPE_P(type) || POINTER_TYPE_P(type))
        return bytes == 1    ? PLUSSI_ELEM_I8
               : bytes == 2  ? PLUSSI_ELEM_I16
               : bytes == 4  ? PLUSSI_ELEM_I32
               : bytes == 8  ? PLUSSI_ELEM_I64
               : bytes == 16 ? PLUSSI_ELEM_I128
                             : PLUSSI_ELEM_BYTES;
    return PLUSSI_ELEM_BYTES;
}

/* ---- who refers to what ---------------------------------------------------------------------- */

void Shapes::add_ref(const Ref *r)
{
    if (!by_object.count(r->object))
        order.push_back(r->object);
    by_object[r->object].push_back(r);
}

void Shapes::collect_refs(const Poly &p)
{
    any_atom(p, [&](const Atom *a) {
        if (a->kind == AtomKind::Load && !load_places.count(a)) {
            load_places[a] = Place();
            auto known = an.load_ref.find(a);
            Ref r;
            if (known != an.load_ref.end()) {
                r = known->second;
            } else {
                r.object = a->object;
                r.offset = a->args[0];
                r.path.assign(a->args.begin() + 1, a->args.end());
                r.width = a->width;
            }
            load_refs.push_back(r);
            load_of[&load_refs.back()] = a;
            add_ref(&load_refs.back());
        }
        return false;
    });
}

void Shapes::collect_refs(const Cond *c)
{
    if (!c)
        return;
    if (c->a) {
        collect_refs(c->a);
        collect_refs(c->b);
    } else {
        collect_refs(c->l);
        collect_refs(c->r);
    }
}

void Shapes::collect_refs(const std::vector<Item *> &items)
{
    for (const Item *it : items) {
        collect_refs(it->lo);
        collect_refs(it->hi);
        collect_refs(it->chunk);
        collect_refs(it->threads);
        collect_refs(it->cond);
        if (it->ref) {
            if (!places.count(it->ref)) {
                places[it->ref] = Place();
                add_ref(it->ref);
            }
            for (const Level &l : it->ref->levels)
                collect_refs(l.sub);
            collect_refs(it->ref->offset);
            for (const Poly &p : it->ref->path)
                collect_refs(p);
        }
        collect_refs(it->body);
        collect_refs(it->orelse);
    }
}

void Shapes::set_place(const Ref *r, const Place &p)
{
    auto it = load_of.find(r);
    if (it != load_of.end())
        load_places[it->second] = p;
    else
        places[r] = p;
}

void Shapes::refuse_refs(const std::vector<const Ref *> &refs, const std::string &why)
{
    Place p;
    p.reason = why;
    for (const Ref *r : refs)
        set_place(r, p);
}

const Place &Shapes::place_of(const Ref *ref)
{
    return places[ref];
}
const Place &Shapes::place_of(const Atom *load)
{
    return load_places[load];
}

/* ---- subscripts out of offsets --------------------------------------------------------------- */

/* Finds offset = sum of subs[d] * stride[d] + rest, 0 <= rest < the last stride. prove: all
 * subscripts but the first must stay inside of their dimensions. */
bool Shapes::express_offset(const Poly &offset, const std::vector<Poly> &stride, bool prove,
                            std::vector<Poly> *subs, int64_t *rest)
{
    size_t n = stride.size();
    subs->assign(n, Poly());
    int64_t c = offset.constant(), s;
    if (offset.bad)
        return false;
    Poly left = offset - Poly(c);
    for (size_t d = 0; d < n; d++) {
        Poly q, r;
        left.divide(stride[d], &q, &r);
        (*subs)[d] = q;
        left = r;
    }
    int64_t more = left.constant();
    if (!(left - Poly(more)).zero() || plussi_add_over(c, more, &c))
        return false;
    for (size_t d = 0; d < n; d++) {
        if (!stride[d].is_const(&s) || s <= 0)
            continue;
        int64_t k = plussi_floordiv(d + 1 < n ? c + s / 2 : c, s); /* A[i][j-1]: nearest row */
        (*subs)[d] = (*subs)[d] + Poly(k);
        c -= k * s;
    }
    /* A symbolic stride is at least one element: the rest is a place inside of it. */
    if (c < 0 || (stride[n - 1].is_const(&s) && c >= s))
        return false;
    *rest = c;
    for (size_t d = 1; prove && d < n; d++) {
        Poly extent, low, high;
        if (!stride[d - 1].divide(stride[d], &extent))
            return false;
        if (!lower_bound(an.ex, (*subs)[d], &low) || !is_size(low))
            return false;
        if (!upper_bound(an.ex, (*subs)[d], &high) || !is_size(extent - Poly(1) - high))
            return false;
    }
    return true;
}

/* The factors of induction variables (and of other values that vary) in an offset, in bytes. */
static void stride_candidates(const Poly &offset, std::vector<Poly> *out)
{
    std::vector<const Atom *> varies;
    for (const Term &t : offset.terms)
        for (const Atom *a : t.mono)
            if (a->kind != AtomKind::Symbol &&
                std::find(varies.begin(), varies.end(), a) == varies.end())
                varies.push_back(a);
    for (const Atom *v : varies) {
        Poly p;
        for (const Term &t : offset.terms) {
            auto at = std::find(t.mono.begin(), t.mono.end(), v);
            if (at == t.mono.end())
                continue;
            Term f = t;
            f.mono.erase(f.mono.begin() + (at - t.mono.begin()));
            p = p + Poly(f);
        }
        if (!p.terms.empty() && p.terms.back().coef < 0)
            p = -p;
        bool sizes = !p.terms.empty() &&
                     !any_atom(p, [](const Atom *a) { return a->kind != AtomKind::Symbol; });
        if (sizes && std::find(out->begin(), out->end(), p) == out->end())
            out->push_back(p);
    }
}

static size_t find_degree(const Poly &p)
{
    size_t n = 0;
    for (const Term &t : p.terms)
        n = std::max(n, t.mono.size());
    return n;
}

/* Sorts strides so that each is a multiple of the next. False: they cannot be. */
static bool sort_into_chain(std::vector<Poly> *v)
{
    std::stable_sort(v->begin(), v->end(), [](const Poly &a, const Poly &b) {
        size_t x = find_degree(a), y = find_degree(b);
        return x != y ? x > y : a.terms.back().coef > b.terms.back().coef;
    });
    for (size_t i = 0; i + 1 < v->size(); i++) {
        Poly q;
        if (!(*v)[i].divide((*v)[i + 1], &q))
            return false;
    }
    return true;
}

/* The size of a flat array's elements: that of the references' type if all agree, else the common
 * divisor of their offsets' factors; *type is then NULL. */
static int64_t common_element(Object *o, const std::vector<const Ref *> &refs, tree *type)
{
    *type = refs[0]->elem_type;
    int64_t elem = type_bytes(*type), unit = 0;
    for (const Ref *r : refs) {
        if (type_bytes(r->elem_type) != elem && r->elem_type)
            elem = 0;
        for (const Term &t : r->offset.terms)
            if (!t.mono.empty())
                unit = gcd(unit, t.coef < 0 ? -t.coef : t.coef);
    }
    if (elem > 0 && unit % elem == 0)
        return elem;
    *type = NULL_TREE;
    return unit ? unit : o->type && type_bytes(o->type) ? type_bytes(o->type) : 1;
}

/* The lists of strides that a flat array may have, without the last one: the best ones first. */
static std::vector<std::vector<Poly>> possible_strides(const std::vector<const Ref *> &refs,
                                                       const Poly &last,
                                                       const std::vector<Poly> &hint)
{
    std::vector<Poly> found;
    for (const Ref *r : refs)
        stride_candidates(r->offset, &found);
    found.erase(std::remove(found.begin(), found.end(), last), found.end());
    std::vector<std::vector<Poly>> tries;
    if (hint.size() > 1)
        tries.push_back(hint);
    std::vector<Poly> symbolic, all = found;
    for (const Poly &p : found)
        if (!p.is_const(nullptr))
            symbolic.push_back(p);
    if (sort_into_chain(&all))
        tries.push_back(all);
    if (symbolic.size() != all.size() && sort_into_chain(&symbolic))
        tries.push_back(symbolic);
    for (const Poly &p : found)
        tries.push_back({p});
    tries.push_back({});
    return tries;
}

/* Gives the references places in an array of these strides. False: not all have one for certain. */
bool Shapes::try_strides(const std::vector<const Ref *> &refs, const std::vector<Poly> &stride,
                         Array *a)
{
    std::vector<Place> result(refs.size());
    for (size_t i = 0; i < refs.size(); i++) {
        Place &p = result[i];
        if (!express_offset(refs[i]->offset, stride, stride.size() > 1, &p.subs, &p.offset))
            return false;
        p.array = a;
        p.width = refs[i]->width;
    }
    for (size_t i = 0; i < refs.size(); i++)
        set_place(refs[i], result[i]);
    return true;
}

/* Is an access wider than what is left of its element? Vectors of elements are, at any of these. */
static bool reach_beyond(const std::vector<const Ref *> &refs, int64_t elem)
{
    return std::any_of(refs.begin(), refs.end(), [&](const Ref *r) {
        return plussi_floormod(r->offset.constant(), elem) + (int64_t)r->width > elem;
    });
}

static bool is_placed_by_data(const Ref *r)
{
    return (r->offset.kinds() & kind_bit(AtomKind::Load)) != 0;
}

bool Shapes::shape_flat(Object *o, const std::vector<const Ref *> &refs, Array *a,
                        const std::vector<Poly> &hint)
{
    tree type;
    int64_t elem = common_element(o, refs, &type);
    if (reach_beyond(refs, elem)) {
        if (std::any_of(refs.begin(), refs.end(), is_placed_by_data))
            return false;
        for (const Ref *r : refs)
            if (type_bytes(r->elem_type) == elem)
                type = r->elem_type;
    }
    Poly last(elem);
    for (std::vector<Poly> &s : possible_strides(refs, last, hint)) {
        if (s.empty() || s.back() != last)
            s.push_back(last);
        if (s.size() > PLUSSI_MAX_RANK || !sort_into_chain(&s) || !try_strides(refs, s, a))
            continue;
        a->elem_bytes = elem;
        a->elem = element_kind(type, elem);
        a->stride = s;
        return true;
    }
    return false;
}

/* Shapes an array that has a descriptor (Fortran): subscripts are the factors of the strides, which
 * are symbols; the language keeps them inside of their dimensions. An `offset' that all references
 * share is the place of subscript 0: the subscripts are then the program's own. */
bool Shapes::shape_by_descriptor(Object *o, const std::vector<const Ref *> &refs, Array *a)
{
    int64_t elem = type_bytes(refs[0]->elem_type);
    std::map<int, const Atom *> stride;
    const Atom *origin = nullptr, *span = nullptr; /* bytes from element to element of a POINTER */
    for (const Ref *r : refs) {
        if (type_bytes(r->elem_type) != elem || elem <= 0)
            return false;
        any_atom(r->offset, [&](const Atom *x) {
            if (x->kind != AtomKind::Symbol)
                return false;
            const SymbolInfo &info = an.symbols[x->name];
            size_t comma = info.name.rfind(',');
            if (info.name == "stride(" + o->source + "," + info.name.substr(comma + 1))
                stride[atoi(info.name.c_str() + comma + 1)] = x;
            else if (info.name == "offset(" + o->source + ")")
                origin = x;
            else if (info.name == "span(" + o->source + ")")
                span = x;
            return false;
        });
    }
    int rank = stride.empty() ? 1 : stride.rbegin()->first;
    if (rank > PLUSSI_MAX_RANK)
        return false;
    std::vector<Poly> strides, extent(rank);
    Poly unit = span ? Poly(span) : Poly(elem);
    for (int d = rank; d >= 1; d--) {
        if (!stride.count(d) && d > 1)
            return false;
        strides.push_back(stride.count(d) ? Poly(stride[d]) * unit : unit);
    }
    for (int d = 1; d < rank; d++) { /* all but the slowest */
        const SymbolInfo info = an.symbols[stride[rank]->name];
        int64_t at = info.offset - 24 * (rank - d);
        auto field = [&](int k, const char *name) {
            Poly p = an.symbol_at(info.object, at + 8 * k, 8, info.version,
                                  name + ("(" + o->source) + "," + std::to_string(d) + ")");
            Origin &from = an.symbols[p.is_atom()->name].origin;
            if (!from.type) { /* not loaded by the program: like the stride of its dimension */
                from.type = info.origin.type;
                from.stores = info.origin.stores;
                from.near = info.origin.loads;
            }
            return p;
        };
        extent[rank - d] = field(2, "ubound") + Poly(1);
        if (!origin)
            extent[rank - d] = extent[rank - d] - field(1, "lbound");
    }
    std::vector<Place> result(refs.size());
    for (size_t i = 0; i < refs.size(); i++) {
        Poly offset = refs[i]->offset;
        if (origin)
            offset = offset - unit * Poly(origin);
        if (!express_offset(offset, strides, false, &result[i].subs, &result[i].offset) ||
            result[i].offset + (int64_t)refs[i]->width > elem)
            return false;
        result[i].array = a;
        result[i].width = refs[i]->width;
    }
    a->elem_bytes = elem;
    a->elem = element_kind(refs[0]->elem_type, elem);
    a->stride = strides;
    a->extent = extent;
    a->zero = origin;
    a->span = span;
    a->explicit_strides = rank > 1 || stride.count(1) || span;
    a->column_order = rank > 1;
    find_lower_bounds(an, refs, a, true);
    for (size_t i = 0; i < refs.size(); i++)
        set_place(refs[i], result[i]);
    return true;
}

/* ---- one object ------------------------------------------------------------------------------ */

bool same_strides(const std::vector<Level> &a, const std::vector<Level> &b)
{
    if (a.size() != b.size())
        return false;
    for (size_t i = 0; i < a.size(); i++)
        if (a[i].stride != b[i].stride)
            return false;
    return true;
}

void set_extents(Analysis &an, Object *o, Array *a, bool whole)
{
    a->column_order = lang_GNU_Fortran() && a->stride.size() > 1;
    size_t n = a->stride.size();
    a->extent.assign(n, Poly());
    for (size_t d = 1; d < n; d++)
        if (!a->stride[d - 1].divide(a->stride[d], &a->extent[d]))
            a->explicit_strides = true;
    if (n && whole && o->type && TREE_CODE(o->type) == ARRAY_TYPE) {
        Poly total = an.resolve(an.type_size(o->type), an.outermost()), q;
        if (!find_opaque(total) && total.divide(a->stride[0], &q))
            a->extent[0] = q;
    }
    if (n && a->extent[0].zero() && !o->bytes.zero()) {
        Poly q, total = an.resolve(o->bytes, an.outermost());
        if (!find_opaque(total) && total.divide(a->stride[0], &q))
            a->extent[0] = q;
    }
    int64_t s;
    if (n && (!a->stride[n - 1].is_const(&s) || s != a->elem_bytes))
        a->explicit_strides = true;
    if (n && any_atom(a->extent[0], varies)) /* allocated anew, with another size */
        a->extent[0] = Poly();
}

void Shapes::shape_view(Object *o, const std::vector<const Ref *> &refs, Array *over)
{
    /* A level of the pointer's own type along which no reference steps is dropped. */
    bool drop = true;
    for (const Ref *r : refs)
        drop &= !r->levels.empty() && r->levels[0].from_pointer && r->levels[0].sub.zero();
    std::vector<std::vector<Level>> levels;
    size_t best = 0;
    for (const Ref *r : refs) {
        levels.push_back(std::vector<Level>(r->levels.begin() + drop, r->levels.end()));
        if (levels.back().size() > levels[best].size())
            best = levels.size() - 1;
    }
    arrays.push_back(Array());
    Array *a = &arrays.back();
    a->object = o;
    a->name = o->name;
    const std::vector<Level> &model = levels[best];
    const Ref *lead = refs[best];
    std::vector<Poly> stride;
    for (const Level &l : model)
        stride.push_back(l.stride);
    int64_t elem = type_bytes(lead->elem_type);
    bool good = elem > 0 && (!model.empty() || drop || o->kind == ObjectKind::Decl);
    std::vector<Place> result(refs.size());
    for (size_t i = 0; good && i < refs.size(); i++) {
        const Ref *r = refs[i];
        Place &p = result[i];
        p.array = a;
        p.width = r->width;
        if (same_strides(levels[i], model) && type_bytes(r->elem_type) == elem) {
            for (const Level &l : levels[i])
                p.subs.push_back(l.sub);
            p.offset = r->last_offset;
        } else if (stride.empty() ||
                   !express_offset(r->offset - Poly(a->shift), stride, true, &p.subs, &p.offset)) {
            good = false;
        }
        good &= p.offset >= 0 && p.offset + (int64_t)p.width <= elem;
    }
    if (o->descriptor_rank && !over && shape_by_descriptor(o, refs, a))
        return;
    /* One level of single elements: perhaps a matrix in disguise. */
    bool single = good && model.size() == 1;
    if (single && !over && shape_flat(o, refs, a, {})) {
        if (a->stride.size() > 1 || a->elem_bytes == elem) {
            set_extents(an, o, a, o->kind == ObjectKind::Decl || drop);
            find_lower_bounds(an, refs, a, false);
            return;
        }
    }
    if (good) {
        a->elem_bytes = elem;
        a->elem = element_kind(lead->elem_type, elem);
        a->stride = stride;
        set_extents(an, o, a, o->kind == ObjectKind::Decl || drop);
        find_lower_bounds(an, refs, a, false);
        for (size_t i = 0; i < refs.size(); i++)
            set_place(refs[i], result[i]);
    } else if (shape_flat(o, refs, a, stride)) {
        set_extents(an, o, a, o->kind == ObjectKind::Decl || drop);
        find_lower_bounds(an, refs, a, false);
    } else if (over || !shape_whole_and_elements(o, refs, a)) {
        refuse_refs(refs, "the accesses to `" + o->name + "' have no common shape");
    }
}

/* A variable that is stored as a whole, too (int count[16] = {0}): its elements are a view of it.
 */
bool Shapes::shape_whole_and_elements(Object *o, const std::vector<const Ref *> &refs, Array *a)
{
    int64_t bytes = o->kind == ObjectKind::Decl && o->type ? type_bytes(o->type) : 0;
    std::vector<const Ref *> whole, elements;
    for (const Ref *r : refs)
        (r->levels.empty() && (int64_t)r->width == bytes ? whole : elements).push_back(r);
    if (bytes <= 0 || whole.empty() || elements.empty())
        return false;
    a->name = o->name + "{}";
    a->elem_bytes = bytes;
    a->stride.assign(1, Poly(bytes));
    a->extent.assign(1, Poly(1));
    for (const Ref *r : whole) {
        Place p;
        p.array = a;
        p.subs.push_back(Poly());
        p.width = r->width;
        set_place(r, p);
    }
    size_t view = arrays.size();
    shape_view(o, elements, a);
    arrays[view].over = a;
    return true;
}

/* The key of a field of structs: s[i].v[j]. Every field that is indexed is an array of its own over
 * the array of structs. */
static std::string view_key(const Ref *r)
{
    if (!r->has_field || r->field_level >= r->levels.size())
        return "";
    std::string s = r->field + "@" + std::to_string(r->field_offset);
    for (const Level &l : r->levels)
        s += ":" + l.stride.key();
    return s;
}

void Shapes::shape_object(Object *o)
{
    if (!done.insert(o).second)
        return;
    const std::vector<const Ref *> refs = by_object[o];
    if (o->kind == ObjectKind::Rows) {
        shape_rows(o, refs, "");
        return;
    }
    std::map<std::string, std::vector<const Ref *>> views;
    std::vector<std::string> keys;
    for (const Ref *r : refs) {
        std::string k = view_key(r);
        if (!views.count(k))
            keys.push_back(k);
        views[k].push_back(r);
    }
    bool has_views = keys.size() > 1 || !keys[0].empty();
    if (!has_views) {
        shape_view(o, refs, nullptr);
        return;
    }
    Array *main = nullptr;
    if (views.count("")) {
        shape_view(o, views[""], nullptr);
        main = &arrays.back();
        if (main->stride.empty() && main->elem_bytes == 0)
            main = nullptr;
    }
    for (const std::string &k : keys)
        if (!k.empty())
            shape_field(o, views[k], &main, keys.size() > 1);
}

void Shapes::infer_shapes(const std::vector<Item *> &top)
{
    collect_refs(top);
    find_rows_by_address();
    for (size_t i = 0; i < order.size(); i++)
        shape_object(order[i]);
    split_loaded_parts();
    read_tables();
}

/* Is it a place of constant address that is no element of an array: a variable, p->n, *p? */
bool Shapes::is_scalar(const Ref *ref)
{
    const Place &p = places[ref];
    return p.reason.empty() && p.array && p.subs.empty();
}

} // namespace pluss
