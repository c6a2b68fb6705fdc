/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arrays over other objects: fields of structs, and the rows that a table of pointers points to.
 */
#include "shape/shape.h"

#include "emit/note.h"

namespace pluss
{

/* Shapes one field's array. together: it is a view of the array of structs, which is added if it is
 * not there yet. */
/* Adds the array of structs that fields are views of, with `outer' dimensions. NULL: the structs
 * have no constant size. */
Array *Shapes::add_struct_array(Object *o, const std::vector<Poly> &stride, size_t outer,
                                bool whole)
{
    Array m;
    m.object = o;
    m.name = o->name;
    m.stride.assign(stride.begin(), stride.begin() + outer);
    if (outer == 0 || !m.stride.back().is_const(&m.elem_bytes))
        m.elem_bytes = type_bytes(o->type);
    if (m.elem_bytes <= 0)
        return nullptr;
    set_extents(an, o, &m, whole);
    arrays.push_back(m);
    return &arrays.back();
}

/* Finds the extent of a field that is an array: from its type if constant, else from the
 * subscripts. False: not known. */
bool Shapes::find_field_extent(const std::vector<const Ref *> &refs, size_t level, Poly *out)
{
    *out = refs[0]->levels[level].extent;
    if (!out->zero())
        return true;
    for (size_t i = 0; i < refs.size(); i++) {
        Poly b;
        if (!upper_bound(an.ex, refs[i]->levels[level].sub, &b))
            return false;
        *out = i == 0 ? b + Poly(1) : an.ex.max(*out, b + Poly(1));
    }
    return true;
}

static bool has_regular_strides(const Array &a)
{
    Poly row = Poly(a.elem_bytes);
    for (size_t d = a.stride.size(); d-- > 0; row = a.stride[d] * a.extent[d])
        if (a.stride[d] != row)
            return false;
    return true;
}

void Shapes::shape_field(Object *o, const std::vector<const Ref *> &refs, Array **main,
                         bool together)
{
    const Ref *r = refs[0];
    int64_t elem = type_bytes(r->elem_type);
    bool drop = r->levels[0].from_pointer;
    for (const Ref *x : refs)
        drop &= x->levels[0].sub.zero();
    size_t outer = r->field_level - (drop && r->field_level > 0);
    std::vector<Poly> stride;
    for (size_t d = drop; d < r->levels.size(); d++)
        stride.push_back(r->levels[d].stride);
    Poly unused;
    bool aligned = elem > 0 && r->field_offset >= 0;
    for (const Poly &s : stride)
        aligned &= s.divide(Poly(elem), &unused);
    if (!aligned) { /* structs in structs, of sizes that do not divide the outer ones' */
        int64_t c = 0, all = 0;
        for (const Poly &s : stride)
            all = s.is_const(&c) && all >= 0 ? gcd(all, c) : -1;
        if (all <= 0 || elem <= 0 || r->field_offset < 0) {
            refuse_refs(refs, "the fields of `" + o->name + "' are not aligned to their size");
            return;
        }
        elem = all;
    }
    together |= outer > 0;
    if (together && !*main)
        *main = add_struct_array(o, stride, outer, o->kind == ObjectKind::Decl || drop);
    if (together && !*main) {
        refuse_refs(refs, "the struct `" + o->name + "' has no constant size");
        return;
    }
    arrays.push_back(Array());
    Array *a = &arrays.back();
    a->object = o;
    a->name = r->field.empty() || r->field[0] == '.' ? o->name + r->field : r->field;
    a->elem_bytes = elem;
    a->elem = element_kind(aligned ? r->elem_type : NULL_TREE, elem);
    a->stride = stride;
    a->over = together ? *main : nullptr;
    a->shift = r->field_offset;
    size_t n = stride.size();
    a->extent.assign(n, Poly());
    for (size_t d = 1; d < n; d++)
        if (d != outer)
            stride[d - 1].divide(stride[d], &a->extent[d]);
    if (outer > 0 && *main && !(*main)->extent.empty())
        a->extent[0] = (*main)->extent[0];
    Poly extent;
    if (outer < n && find_field_extent(refs, outer + drop, &extent)) {
        a->extent[outer] = extent;
    } else if (outer < n && outer > 0) {
        refuse_refs(refs, "the extent of `" + a->name + "' is not known");
        return;
    }
    a->explicit_strides = !has_regular_strides(*a);
    for (const Ref *x : refs) {
        Place p;
        p.array = a;
        p.width = x->width;
        p.offset = x->last_offset;
        for (size_t d = drop; d < x->levels.size(); d++)
            p.subs.push_back(x->levels[d].sub);
        set_place(x, p);
    }
}

/* A load in a nest is of a whole element. A load of a part of one (r[i].lo) becomes a load from an
 * array of such parts, a view of the elements. */
void Shapes::split_loaded_parts()
{
    std::map<std::tuple<Array *, int64_t, uint64_t>, Array *> parts;
    for (const Ref &r : load_refs) {
        const Atom *load = load_of[&r];
        Place &p = load_places[load];
        Array *whole = p.array;
        int64_t width = p.width;
        if (!whole || (p.offset == 0 && width == whole->elem_bytes))
            continue;
        Array *&part = parts[std::make_tuple(whole, p.offset, p.width)];
        Poly unused;
        bool aligned = width > 0;
        for (const Poly &s : whole->stride)
            aligned &= s.divide(Poly(width), &unused);
        if (!aligned) {
            p = Place();
            p.reason = "a field of `" + whole->name + "' whose size does not divide the struct's";
            continue;
        }
        if (!part) {
            arrays.push_back(*whole);
            part = &arrays.back();
            const std::string &s = part->name, &f = r.field;
            if (f.empty())
                part->name += "+" + std::to_string(p.offset);
            else if (s.size() < f.size() || s.compare(s.size() - f.size(), f.size(), f) != 0)
                part->name += f;
            part->elem_bytes = width;
            part->elem = element_kind(size_type_node, width);
            part->explicit_strides = true;
            part->over = whole->over ? whole->over : whole;
            part->shift += p.offset;
        }
        p.array = part;
        p.offset = 0;
    }
}

/* Do subscripts of rows depend on data, so that no length of the rows is known? */
bool Shapes::follows_data(const std::vector<const Ref *> &refs)
{
    constexpr unsigned data = kind_bit(AtomKind::Load) | kind_bit(AtomKind::Thread);
    for (const Ref *r : refs) {
        if (r->levels.empty() || !same_strides(r->levels, refs[0]->levels) ||
            type_bytes(r->elem_type) != type_bytes(refs[0]->elem_type))
            return true;
        Poly low, high;
        if (!lower_bound(an.ex, r->levels[0].sub, &low) ||
            !(is_size(low) || low.is_const(nullptr)) ||
            !upper_bound(an.ex, r->levels[0].sub, &high) || ((low.kinds() | high.kinds()) & data))
            return true;
    }
    return false;
}

/* Rows whose length depends on data (or that are rows of such rows) are not taken to lie one after
 * another: each is where its pointer says. */
void Shapes::find_rows_by_address()
{
    for (size_t i = 0; i < order.size(); i++) {
        Object *o = order[i];
        if (o->kind != ObjectKind::Rows || !follows_data(by_object[o]))
            continue;
        by_address.insert(o);
        std::vector<const Ref *> refs = by_object[o];
        for (const Ref *r : refs)
            collect_refs(an.row_pointer(*r));
    }
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < order.size(); i++) {
            Object *o = order[i];
            if (o->kind != ObjectKind::Rows || !by_address.count(o->table) ||
                !by_address.insert(o).second)
                continue;
            again = true;
            std::vector<const Ref *> refs = by_object[o];
            for (const Ref *r : refs)
                collect_refs(an.row_pointer(*r));
        }
    }
}

/* The largest power of two that divides all of these, 8 at most, but 16 for what is as wide. */
static int64_t common_unit(const std::vector<const Ref *> &refs)
{
    int64_t all = 0, wide = 16, c = 0;
    for (const Ref *r : refs) {
        if (r->width % 16)
            wide = 8;
        for (const Term &t : r->offset.terms)
            if (!t.mono.empty())
                all = gcd(all, t.coef < 0 ? -t.coef : t.coef);
        for (const Level &l : r->levels)
            if (l.stride.is_const(&c))
                all = gcd(all, c);
        if (r->levels.empty() && type_bytes(r->elem_type) > 0)
            all = gcd(all, type_bytes(r->elem_type));
    }
    all = gcd(all, wide);
    return all ? all & -all : 1;
}

/* The array is all of memory; an element's subscript is its address, by the pointer as it is
 * stored. */
void Shapes::shape_rows_by_address(Object *o, const std::vector<const Ref *> &refs)
{
    arrays.push_back(Array());
    Array *a = &arrays.back();
    a->object = o;
    a->name = o->name;
    a->is_memory = true;
    a->elem_bytes = common_unit(refs);
    tree type = refs[0]->elem_type;
    for (const Ref *r : refs)
        if (type_bytes(r->elem_type) != a->elem_bytes)
            type = NULL_TREE;
    a->elem = element_kind(type, a->elem_bytes);
    a->stride.assign(1, Poly(a->elem_bytes));
    a->extent.assign(1, Poly());
    for (const Ref *r : refs) {
        Place p;
        std::vector<Poly> subs;
        if (!express_offset(r->offset, a->stride, false, &subs, &p.offset)) {
            p.reason = "the rows of `" + o->table->name + "' have no regular shape";
            set_place(r, p);
            continue;
        }
        p.array = a;
        p.width = r->width;
        p.subs.push_back(an.ex.div(an.row_pointer(*r), Poly(a->elem_bytes)) + subs[0]);
        set_place(r, p);
    }
}

/* The array that a table of pointers is; NULL: nothing refers to it. */
const Array *Shapes::table_array(Object *table)
{
    for (const Array &t : arrays)
        if (t.object == table && !t.over && !t.stride.empty())
            return &t;
    return nullptr;
}

/* Finds which row the pointer at path[k] of a table leads to: the subscripts of the table. *at:
 * bytes into the table's element. */
bool Shapes::find_row(Object *table, const std::vector<Poly> &path, size_t k,
                      std::vector<Poly> *subs, int64_t *at)
{
    std::vector<Poly> stride{Poly((int64_t)POINTER_SIZE_UNITS)}, own;
    const Array *t = table_array(table);
    if (t)
        stride.assign(t->stride.begin() + t->outer, t->stride.end());
    if (table->kind == ObjectKind::Rows &&
        (!t || k + 1 >= path.size() || !find_row(table->table, path, k + 1, subs, at)))
        return false;
    if (!express_offset(path[k], stride, false, &own, at))
        return false;
    subs->insert(subs->end(), own.begin(), own.end());
    return true;
}

/* name: of the array; "": the pointers are at one place of the table's elements at most. */
void Shapes::shape_rows(Object *o, const std::vector<const Ref *> &refs, const std::string &name)
{
    Object *table = o->table;
    if (by_object.count(table))
        shape_object(table);
    if (by_address.count(o)) {
        shape_rows_by_address(o, refs);
        return;
    }
    /* Pointers in different fields lead to different rows. */
    std::map<int64_t, std::vector<const Ref *>> by_field;
    for (const Ref *r : refs) {
        std::vector<Poly> unused;
        int64_t at = 0;
        bool known = find_row(table, r->path, 0, &unused, &at);
        by_field[known ? at : 0].push_back(r);
    }
    if (by_field.size() == 1) {
        shape_field_rows(o, refs, name);
        return;
    }
    for (auto &f : by_field) {
        auto known = an.load_ref.find(an.row_pointer(*f.second[0]).is_atom());
        std::string field = known != an.load_ref.end() ? known->second.field : "";
        shape_rows(o, f.second, table->name + field + "[]");
    }
}

/* The rows that the pointers at one place of a table's elements point to. */
void Shapes::shape_field_rows(Object *o, const std::vector<const Ref *> &refs,
                              const std::string &name)
{
    const Array *table = table_array(o->table);
    std::vector<Poly> outer{Poly()};
    if (table)
        outer = table->extent;
    arrays.push_back(Array());
    Array *a = &arrays.back();
    a->object = o;
    a->name = name.empty() ? o->name : name;
    int64_t elem = type_bytes(refs[0]->elem_type);
    const std::vector<Level> &model = refs[0]->levels;
    bool good = elem > 0 && !model.empty();
    Poly longest;
    std::vector<Place> result(refs.size());
    for (size_t i = 0; good && i < refs.size(); i++) {
        const Ref *r = refs[i];
        Place &p = result[i];
        int64_t rest;
        good = same_strides(r->levels, model) && type_bytes(r->elem_type) == elem &&
               find_row(o->table, r->path, 0, &p.subs, &rest) && p.subs.size() == outer.size();
        if (!good)
            break;
        for (const Level &l : r->levels)
            p.subs.push_back(l.sub);
        p.array = a;
        p.offset = r->last_offset;
        p.width = r->width;
        Poly high;
        good = upper_bound(an.ex, r->levels[0].sub, &high);
        if (good)
            longest = i == 0 ? high + Poly(1) : an.ex.max(longest, high + Poly(1));
    }
    if (!good) {
        refuse_refs(refs, "the length of the rows of `" + o->table->name + "' is not known");
        return;
    }
    a->elem_bytes = elem;
    a->elem = element_kind(refs[0]->elem_type, elem);
    a->outer = outer.size();
    a->extent = outer;
    a->extent.push_back(longest);
    a->stride.assign(a->outer, Poly(elem));
    a->stride.push_back(model[0].stride);
    for (size_t d = 1; d < model.size(); d++) {
        a->stride.push_back(model[d].stride);
        a->extent.push_back(Poly());
        if (!model[d - 1].stride.divide(model[d].stride, &a->extent.back())) {
            refuse_refs(refs, "the rows of `" + o->table->name + "' have no regular shape");
            return;
        }
    }
    for (size_t i = 0; i < refs.size(); i++)
        set_place(refs[i], result[i]);
    note_loop(o->table->loc, "the rows that `" + o->table->name +
                                 "' points to are taken to lie one after another");
}

} // namespace pluss
