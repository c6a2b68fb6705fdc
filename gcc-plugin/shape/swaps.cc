/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Arrays that exchange their places, with all that they lead to: the rows of tables of pointers,
 * the arrays that structs point to. A nest can say it of arrays that are alike; elsewhere the
 * exchange is unknown, since references after it are to other places than they seem to be.
 */
#include "shape/shape.h"

namespace pluss
{

namespace
{

typedef std::pair<Object *, Object *> Pair;

class Swaps
{
  public:
    Swaps(Analysis &a, Shapes &s) : an(a), shapes(s) {}
    void settle(std::vector<Item *> *items);

  private:
    Analysis &an;
    Shapes &shapes;

    Array *array_of(const Object *o);
    bool find_pairs(Object *a, Object *b, std::vector<Pair> *out);
    bool make_alike(const Pair &p);
    void settle_swap(Item *it, std::vector<Item *> *out);
};

/* The array that an object is; NULL: nothing refers to it. */
Array *Swaps::array_of(const Object *o)
{
    for (Array &a : shapes.arrays)
        if (a.object == o && !a.over && a.elem_bytes > 0)
            return &a;
    return nullptr;
}

static bool is_led_to(const Object &x, const Object *from)
{
    return x.kind == ObjectKind::Rows ? x.table == from : x.inside == from;
}

/* Finds what two objects, and what they lead to, are in the nest. False: one leads to an array
 * where the other one does not. */
bool Swaps::find_pairs(Object *a, Object *b, std::vector<Pair> *out)
{
    Array *x = array_of(a), *y = array_of(b);
    if (!x != !y)
        return false;
    if (x)
        out->push_back({a, b});
    for (bool back : {false, true}) {
        Object *from = back ? b : a, *to = back ? a : b;
        for (Object &led : an.objects) {
            if (!is_led_to(led, from))
                continue;
            auto other = std::find_if(an.objects.begin(), an.objects.end(), [&](const Object &o) {
                return is_led_to(o, to) && o.kind == led.kind && o.at == led.at;
            });
            std::vector<Pair> pairs;
            if (other == an.objects.end() ? array_of(&led) != nullptr
                                          : !find_pairs(&led, &*other, back ? &pairs : out))
                return false;
        }
    }
    return true;
}

/* Gives two arrays one size. False: they are not of the same form. */
bool Swaps::make_alike(const Pair &p)
{
    Array *x = array_of(p.first), *y = array_of(p.second);
    size_t rank = x->extent.size();
    if (rank != y->extent.size() || x->outer != y->outer || x->elem_bytes != y->elem_bytes ||
        x->shift != y->shift || x->is_memory != y->is_memory)
        return false;
    for (size_t d = 1; d < rank; d++) {
        if (x->extent[d] == y->extent[d])
            continue;
        if (d > x->outer) /* the rows of a table are as long as the longest use of them */
            return false;
        x->extent[d] = y->extent[d] = an.ex.max(x->extent[d], y->extent[d]);
    }
    return true;
}

void Swaps::settle_swap(Item *it, std::vector<Item *> *out)
{
    std::vector<Pair> pairs;
    bool alike = find_pairs(it->a, it->b, &pairs);
    for (const Pair &p : pairs)
        alike &= make_alike(p);
    if (!alike) {
        it->kind = PLUSSI_N_UNKNOWN;
        it->unknown = PLUSSI_UNKNOWN_REFERENCE;
        it->reason = "`" + it->a->name + "' changes places with `" + it->b->name +
                     "', which leads to other arrays";
        it->a = nullptr;
        out->push_back(it);
        return;
    }
    for (const Pair &p : pairs) {
        Item *k = it;
        if (&p != &pairs[0]) {
            k = an.make_item(PLUSSI_N_SWAP, it->loc);
            k->parent = it->parent;
            k->bb = it->bb;
        }
        k->a = p.first;
        k->b = p.second;
        out->push_back(k);
    }
}

void Swaps::settle(std::vector<Item *> *items)
{
    std::vector<Item *> out;
    for (Item *it : *items) {
        settle(&it->body);
        settle(&it->orelse);
        if (it->kind == PLUSSI_N_SWAP)
            settle_swap(it, &out);
        else
            out.push_back(it);
    }
    *items = out;
}

} // namespace

void settle_swaps(Analysis &an, Shapes &shapes, std::vector<Item *> *top)
{
    Swaps(an, shapes).settle(top);
}

} // namespace pluss
