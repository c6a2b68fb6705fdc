/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Conditions that are joined by && and || have one form, however the source or the compiler groups
 * and orders them.
 *
 * GCC's front ends put a variable after other operands, join comparisons of one value and take out
 * what two operands have in common, some of this only when they optimise. Here the operands are in
 * one list, in a fixed order; what several say about one value is one range; and what is common to
 * operands of || stands once. Operands that load, or divide, stay behind those that may keep them
 * from it.
 */
#include "common/items.h"

namespace pluss
{

namespace
{

/* The operands of && (||) in a condition, which are grouped from the left. */
void split(Cond::Op op, const Cond *c, std::vector<const Cond *> *parts)
{
    const size_t before = parts->size();
    for (; c->op == op; c = c->a)
        parts->push_back(c->b);
    parts->push_back(c);
    std::reverse(parts->begin() + before, parts->end());
}

std::vector<const Cond *>::iterator find_same(std::vector<const Cond *> &parts, const Cond *c)
{
    return std::find_if(parts.begin(), parts.end(), [&](const Cond *p) { return p->same(*c); });
}

/* Can it be evaluated wherever it stands, as no other condition keeps it from an element that is
 * not there, or from a division by 0? */
bool stands_anywhere(const Cond *c)
{
    const unsigned some =
        kind_bit(AtomKind::Load) | kind_bit(AtomKind::Div) | kind_bit(AtomKind::Mod);
    return c->op != Cond::Unknown && (!(c->kinds() & some) || !any_atom(c, [](const Atom *a) {
               return a->kind == AtomKind::Load ||
                      ((a->kind == AtomKind::Div || a->kind == AtomKind::Mod) &&
                       !a->args[1].is_const(nullptr));
           }));
}

/* The order of variables: loops' from the outermost, threads', symbols as the source declares
 * them. */
bool is_before(const Atom *x, const Atom *y)
{
    auto depth = [](const Atom *a) -> unsigned {
        const class loop *l = a->kind == AtomKind::Iv ? a->loop->cfg : NULL;
        if (a->kind == AtomKind::Phi && gimple_bb(SSA_NAME_DEF_STMT(a->ssa)))
            l = gimple_bb(SSA_NAME_DEF_STMT(a->ssa))->loop_father;
        return l ? loop_depth(l) : a->kind == AtomKind::Symbol ? UINT_MAX : UINT_MAX - 1;
    };
    const unsigned dx = depth(x), dy = depth(y);
    return dx != dy           ? dx < dy
           : dx < UINT_MAX    ? x->kind < y->kind
           : x->loc != y->loc ? x->loc < y->loc
                              : x->text < y->text;
}

/* The order of the operands of && (||) in a condition, whichever the compiler has: by the
 * variables in them, then by the comparison, in which lower bounds come before upper ones (upper
 * ones first, where a value is outside of a range). Others that are equal in that stay as they
 * are. */
bool is_before(Cond::Op op, const Cond *c, const Cond *d)
{
    auto variables = [](const Cond *e) {
        std::vector<const Atom *> all;
        any_atom(e, [&](const Atom *a) {
            if (a->args.empty() && !a->cond)
                all.push_back(a);
            return false;
        });
        std::stable_sort(all.begin(), all.end(),
                         [](const Atom *x, const Atom *y) { return is_before(x, y); });
        return all;
    };
    const std::vector<const Atom *> x = variables(c), y = variables(d);
    auto before = [](const Atom *s, const Atom *t) { return is_before(s, t); };
    if (std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), before))
        return true;
    if (std::lexicographical_compare(y.begin(), y.end(), x.begin(), x.end(), before))
        return false;
    auto rank = [&](const Cond *e) {
        const bool above = e->op == Cond::Gt || e->op == Cond::Ge;
        const bool below = e->op == Cond::Lt || e->op == Cond::Le;
        return above ? op == Cond::Or : below ? op == Cond::And : 2 + (int)e->op;
    };
    if (rank(c) != rank(d) || c->a)
        return rank(c) < rank(d);
    int64_t k = 0, m = 0;
    return c->r.is_const(&k) && d->r.is_const(&m) && c->l == d->l && k < m;
}

} // namespace

/* Returns r if c is r || some (r && some); else NULL. */
const Cond *Exprs::without(Cond::Op op, const Cond *c, const Cond *some)
{
    std::vector<const Cond *> parts, others;
    split(op, c, &parts);
    split(op, some, &others);
    for (const Cond *other : others) {
        auto it = find_same(parts, other);
        if (it == parts.end())
            return nullptr;
        parts.erase(it);
    }
    const Cond *rest = nullptr;
    for (const Cond *part : parts)
        rest = rest ? make_pair(op, rest, part) : part;
    return rest;
}

/* Adds an operand to those of && (||). False: they decide alone, and it is false (true). */
bool Exprs::add_operand(Cond::Op op, std::vector<const Cond *> *parts, const Cond *c)
{
    const bool all = op == Cond::And;
    const Cond::Op inner = all ? Cond::Or : Cond::And;
    if (c->op == Cond::True || c->op == Cond::False)
        return (c->op == Cond::True) == all;
    if (find_same(*parts, c) != parts->end())
        return true;
    size_t last = parts->size(); /* where it is put if it does not stand anywhere */
    for (size_t i = 0; i < parts->size(); i++) {
        const Cond *one = join_ranges((*parts)[i], c, all);
        if (!one && ((*parts)[i]->op == inner || c->op == inner))
            one = join_common(inner, (*parts)[i], c);
        if (one && one->op == op) { /* two bounds */
            (*parts)[i] = one->a;
            c = one->b;
            last = i + 1;
        } else if (one) {
            parts->erase(parts->begin() + i);
            if (stands_anywhere(one))
                return add_operand(op, parts, one);
            parts->insert(parts->begin() + i, one);
            return true;
        }
    }
    auto at = parts->begin() + last;
    if (stands_anywhere(c))
        for (at = parts->end();
             at != parts->begin() && (!stands_anywhere(at[-1]) || is_before(op, c, at[-1])); at--)
            ;
    parts->insert(at, c);
    return true;
}

/* p && q || p && r is p && (q || r), as GCC has it when it optimises, and p || p && r is p;
 * likewise with && for ||. inner: && (||), of which a or b is made. NULL: there is no such p. */
const Cond *Exprs::join_common(Cond::Op inner, const Cond *a, const Cond *b)
{
    std::vector<const Cond *> x, y;
    split(inner, a, &x);
    split(inner, b, &y);
    auto join = [&](const Cond *c, const Cond *d, bool in) {
        return in == (inner == Cond::And) ? both(c, d) : either(c, d);
    };
    const Cond *common = nullptr;
    const bool first = x[0]->same(*y[0]);
    for (size_t i = 0; i < x.size();) {
        auto other = find_same(y, x[i]);
        if (other == y.end() || !(stands_anywhere(x[i]) || (first && i == 0 && !common))) {
            i++;
            continue;
        }
        common = common ? join(common, x[i], true) : x[i];
        x.erase(x.begin() + i);
        y.erase(other);
    }
    if (!common || x.empty() || y.empty())
        return common;
    auto together = [&](const std::vector<const Cond *> &parts) {
        const Cond *c = parts[0];
        for (size_t i = 1; i < parts.size(); i++)
            c = make_pair(inner, c, parts[i]);
        return c;
    };
    return join(common, join(together(x), together(y), false), true);
}

const Cond *Exprs::join(Cond::Op op, const Cond *a, const Cond *b)
{
    std::vector<const Cond *> parts, added;
    std::vector<const Cond *> groups; /* of a's operands, the first of them alone, ... */
    for (const Cond *c = a; c->op == op; c = c->a)
        groups.push_back(c);
    split(op, a, &parts);
    groups.push_back(parts[0]);
    std::reverse(groups.begin(), groups.end());
    const std::vector<const Cond *> before = parts;
    split(op, b, &added);
    for (const Cond *c : added)
        if (!add_operand(op, &parts, c))
            return constant(op == Cond::Or);
    const Cond *all = nullptr;
    bool same = true; /* so far */
    for (size_t i = 0; i < parts.size(); i++) {
        same = same && i < before.size() && before[i] == parts[i];
        all = same ? groups[i] : all ? make_pair(op, all, parts[i]) : parts[i];
    }
    return all ? all : constant(op == Cond::And);
}

const Cond *Exprs::both(const Cond *a, const Cond *b)
{
    if (a->op == Cond::False || b->op == Cond::True)
        return a;
    if (a->op == Cond::True || b->op == Cond::False)
        return b;
    return join(Cond::And, a, b);
}

const Cond *Exprs::either(const Cond *a, const Cond *b)
{
    if (a->op == Cond::True || b->op == Cond::False)
        return a;
    if (a->op == Cond::False || b->op == Cond::True)
        return b;
    return join(Cond::Or, a, b);
}

} // namespace pluss
