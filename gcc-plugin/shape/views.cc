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
    if (!aligned) {
        refuse_refs(refs, "the fields of `" + o->name + "' are not aligned to their size");
        return;
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
    a->name = o->name + r->field;
    a->elem_bytes = elem;
    a->elem = element_kind(r->elem_type, elem);
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
        if (!whole || load->pointer || (p.offset == 0 && width == whole->elem_bytes))
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
            part->name += r.field.empty() ? "+" + std::to_string(p.offset) : r.field;
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

/* name: of the array; "": the pointers are at one place of the table's elements at most. */
void Shapes::shape_rows(Object *o, const std::vector<const Ref *> &refs, const std::string &name)
{
    Object *table = o->table;
    if (by_object.count(table))
        shape_object(table);
    std::vector<Poly> stride{Poly((int64_t)POINTER_SIZE_UNITS)}, extent{Poly()};
    for (Array &t : arrays)
        if (t.object == table && !t.over && !t.stride.empty()) {
            stride = t.stride;
            extent = t.extent;
        }
    /* Pointers in different fields lead to different rows. */
    std::map<int64_t, std::vector<const Ref *>> by_field;
    for (const Ref *r : refs) {
        std::vector<Poly> unused;
        int64_t at = 0;
        bool known = express_offset(r->table_offset, stride, false, &unused, &at);
        by_field[known ? at : 0].push_back(r);
    }
    if (by_field.size() == 1) {
        shape_field_rows(o, refs, name, stride, extent);
        return;
    }
    for (auto &f : by_field) {
        Poly p = an.ex.load(table, f.second[0]->table_offset, POINTER_SIZE_UNITS, false, true);
        auto known = an.load_ref.find(p.is_atom());
        std::string field = known != an.load_ref.end() ? known->second.field : "";
        shape_rows(o, f.second, table->name + field + "[]");
    }
}

/* The rows that the pointers at one place of a table's elements point to. */
void Shapes::shape_field_rows(Object *o, const std::vector<const Ref *> &refs,
                              const std::string &name, const std::vector<Poly> &table_stride,
                              const std::vector<Poly> &table_extent)
{
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
               express_offset(r->table_offset, table_stride, false, &p.subs, &rest);
        if (!good)
            break;
        for (const Level &l : r->levels)
            p.subs.push_back(l.sub);
        p.array = a;
        p.offset = r->last_offset;
        p.width = r->width;
        Poly low, high;
        good = lower_bound(an.ex, r->levels[0].sub, &low) && is_size(low) &&
               upper_bound(an.ex, r->levels[0].sub, &high);
        if (good)
            longest = i == 0 ? high + Poly(1) : an.ex.max(longest, high + Poly(1));
    }
    if (!good) {
        refuse_refs(refs, "the length of the rows of `" + o->table->name + "' is not known");
        return;
    }
    a->elem_bytes = elem;
    a->elem = element_kind(refs[0]->elem_type, elem);
    a->extent = table_extent;
    a->extent.push_back(longest);
    for (size_t d = 1; d < model.size(); d++) {
        a->extent.push_back(Poly());
        if (!model[d - 1].stride.divide(model[d].stride, &a->extent.back())) {
            refuse_refs(refs, "the rows of `" + o->table->name + "' have no regular shape");
            return;
        }
    }
    a->stride.assign(a->extent.size(), Poly(elem)); /* not used: they follow from the extents */
    for (size_t i = 0; i < refs.size(); i++)
        set_place(refs[i], result[i]);
    note_loop(o->table->loc, "the rows that `" + o->table->name +
                                 "' points to are taken to lie one after another");
}

} // namespace pluss
