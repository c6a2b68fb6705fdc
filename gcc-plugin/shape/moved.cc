/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Of a part of a function that loops around it execute again and again: where such a loop's
 * variable does no more than choose what part of an array is accessed (a[k][i][j] in a loop over
 * k), the nest has an array that begins there. The runs of all k then are runs of one nest with
 * the same values, at different addresses.
 */
#include "shape/shape.h"

namespace pluss
{

/* The terms that a loop around the part changes and that are the same in all of its iterations. */
static Poly find_moving(Analysis &an, const Poly &p)
{
    Poly moving;
    for (const Term &t : p.terms) {
        bool fixed = true, changes = false;
        for (const Atom *a : t.mono) {
            fixed = fixed && a->kind == AtomKind::Symbol;
            changes = changes || (fixed && an.changes_between_runs(an.symbols[a->name]));
        }
        if (fixed && changes)
            moving = moving + Poly(t);
    }
    return moving;
}

/* Takes dimension d out of the array, or only what moves in it. */
static void move_dimension(Array *a, const std::vector<Place *> &places, size_t d,
                           const Poly &moving)
{
    const Poly rest = places[0]->subs[d] - moving;
    bool alone = rest.is_const(NULL) && a->stride.size() > 1;
    for (const Place *p : places)
        alone = alone && p->subs[d] - moving == rest;
    a->moved = a->moved + a->stride[d] * (alone ? rest + moving : moving);
    for (Place *p : places)
        if (alone)
            p->subs.erase(p->subs.begin() + d);
        else
            p->subs[d] = p->subs[d] - moving;
    if (!alone)
        return;
    a->explicit_strides = a->explicit_strides || d > 0;
    a->stride.erase(a->stride.begin() + d);
    if (d < a->extent.size())
        a->extent.erase(a->extent.begin() + d);
    if (d == 0 && !a->extent.empty() && !a->explicit_strides)
        a->extent[0] = Poly(); /* what follows is of the same array */
}

void Shapes::move_arrays()
{
    std::map<Array *, std::vector<Place *>> of;
    std::set<const Array *> below;
    for (auto &p : places)
        of[p.second.array].push_back(&p.second);
    for (auto &p : load_places)
        of[p.second.array].push_back(&p.second);
    for (const Array &a : arrays)
        below.insert(a.over);
    for (Array &a : arrays) {
        const std::vector<Place *> &all = of[&a];
        if (all.empty() || a.over || below.count(&a) || a.is_memory || a.outer ||
            a.object->kind == ObjectKind::Rows || !a.values.empty())
            continue;
        for (size_t d = a.stride.size(); d-- > 0;) {
            const Poly moving = find_moving(an, all[0]->subs[d]);
            bool same = !moving.zero();
            for (const Place *p : all)
                same = same && find_moving(an, p->subs[d]) == moving;
            if (same)
                move_dimension(&a, all, d, moving);
        }
    }
}

} // namespace pluss
