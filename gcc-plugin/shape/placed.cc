/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds items that the nest cannot express although every part of them is known; they become
 * unknown.
 */
#include "shape/shape.h"

#include "analysis/tidy.h"

namespace pluss
{

bool varies(const Atom *a)
{
    auto does = [](const Atom *x) {
        return x->kind == AtomKind::Iv || x->kind == AtomKind::Load || x->kind == AtomKind::Thread;
    };
    return any_atom(Poly(a), does);
}

/* Can the nest express it? At most one factor of a product may vary, and no divisor. */
static bool is_quasi_affine(const Poly &p)
{
    for (const Term &t : p.terms) {
        if (std::count_if(t.mono.begin(), t.mono.end(), varies) > 1)
            return false;
        for (const Atom *a : t.mono) {
            bool ratio = a->kind == AtomKind::Div || a->kind == AtomKind::Mod;
            for (size_t i = 0; i < a->args.size(); i++) {
                if (!is_quasi_affine(a->args[i]))
                    return false;
                if (ratio && i == 1 && any_atom(a->args[1], varies))
                    return false;
            }
        }
    }
    return true;
}

static bool is_quasi_affine(const Cond *c)
{
    return c->a ? is_quasi_affine(c->a) && is_quasi_affine(c->b)
                : is_quasi_affine(c->l) && is_quasi_affine(c->r);
}

/* Arrays are declared before all loops. */
static bool has_fixed_rows(const Array *a)
{
    for (const Poly &p : a->stride)
        if (any_atom(p, varies))
            return false;
    for (size_t d = 1; d < a->extent.size(); d++)
        if (any_atom(a->extent[d], varies))
            return false;
    return !a->over || has_fixed_rows(a->over);
}

/* Has every Load atom of p a place, and can the nest express p? */
static bool has_all_places(Shapes &shapes, const Poly &p, std::string *why)
{
    if (!is_quasi_affine(p)) {
        *why = "it multiplies two values that vary, or divides by one";
        return false;
    }
    return !any_atom(p, [&](const Atom *a) {
        if (a->kind == AtomKind::Base || a->kind == AtomKind::Phi) {
            *why = "it depends on the address of an array";
            return true;
        }
        if (a->kind != AtomKind::Load)
            return false;
        const Place &pl = shapes.place_of(a);
        if (!pl.array) {
            *why = pl.reason.empty() ? "an indirect value has no place" : pl.reason;
            return true;
        }
        if (!has_fixed_rows(pl.array)) {
            *why = "rows of `" + pl.array->name + "' differ in length";
            return true;
        }
        return false;
    });
}

/* Before anything is built, items without a place become unknown. */
void refuse_unplaced(Shapes &shapes, std::vector<Item *> *items)
{
    for (Item *it : *items) {
        std::string why;
        if (it->kind == PLUSSI_N_REF) {
            const Place &p = shapes.place_of(it->ref);
            if (!p.array)
                why = p.reason.empty() ? "it has no place" : p.reason;
            else if (!has_fixed_rows(p.array))
                why = "rows of `" + p.array->name + "' differ in length";
            for (const Poly &s : p.subs)
                has_all_places(shapes, s, &why);
            if (!why.empty()) {
                leave_out(it);
                it->kind = PLUSSI_N_UNKNOWN;
                it->unknown = PLUSSI_UNKNOWN_REFERENCE;
                it->reason = why;
                it->a = it->ref->object;
                it->ref = nullptr;
            }
            continue;
        }
        if (it->kind == PLUSSI_N_LOOP) {
            for (const Poly *p : {&it->lo, &it->hi, &it->chunk})
                has_all_places(shapes, *p, &why);
            if (!why.empty()) {
                it->unknown = PLUSSI_UNKNOWN_LOOP;
                it->reason = why;
            }
        } else if (it->cond) {
            any_atom(it->cond, [&](const Atom *a) {
                Poly p(a);
                return !has_all_places(shapes, p, &why);
            });
            if (why.empty() && !is_quasi_affine(it->cond))
                why = "its condition multiplies two values that vary";
            if (!why.empty()) {
                it->unknown = PLUSSI_UNKNOWN_CONTROL;
                it->reason = why;
            }
        }
        if (!why.empty()) {
            leave_out(it);
            it->kind = PLUSSI_N_UNKNOWN;
            it->body.clear();
            it->orelse.clear();
            it->cond = nullptr;
            it->lo = it->hi = it->chunk = Poly();
            continue;
        }
        refuse_unplaced(shapes, &it->body);
        refuse_unplaced(shapes, &it->orelse);
    }
}

} // namespace pluss
