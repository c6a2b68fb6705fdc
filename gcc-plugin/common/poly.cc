/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Polynomials over interned atoms. The constructors fold what can be told from the terms alone, so
 * that one value has one form as far as possible: floor((4 i + 6) / 4) is i + 1, min(n, n + 1) is
 * n.
 */
#include "common/poly.h"

#include "base/arith.h"

namespace pluss
{

static bool mono_less(const Mono &a, const Mono &b)
{
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](const Atom *x, const Atom *y) { return x->id < y->id; });
}

unsigned Poly::kinds() const
{
    unsigned all = 0;
    for (const Term &t : terms)
        for (const Atom *a : t.mono)
            all |= a->kinds;
    return all;
}

unsigned Poly::size() const
{
    unsigned n = 0;
    for (const Term &t : terms) {
        n++;
        for (const Atom *a : t.mono)
            n += a->size;
    }
    return n;
}

unsigned Cond::kinds() const
{
    return a ? a->kinds() | b->kinds() : l.kinds() | r.kinds();
}

bool Cond::same(const Cond &o) const
{
    if (this == &o)
        return true;
    if (op != o.op || !a != !o.a || reason != o.reason || test != o.test || flipped != o.flipped)
        return false;
    return a ? a->same(*o.a) && b->same(*o.b) : l == o.l && r == o.r;
}

Poly Poly::times(int64_t factor) const
{
    if (factor == 0)
        return Poly();
    Poly r = *this;
    for (Term &t : r.terms)
        if (plussi_mul_over(t.coef, factor, &t.coef))
            return overflow();
    return r;
}

Poly Poly::sum(const Poly &o, int64_t factor) const
{
    if (bad || o.bad)
        return overflow();
    if (o.terms.empty())
        return *this;
    if (terms.empty())
        return o.times(factor);
    Poly r;
    size_t i = 0, j = 0;
    while (i < terms.size() || j < o.terms.size()) {
        bool left =
            j == o.terms.size() || (i < terms.size() && mono_less(terms[i].mono, o.terms[j].mono));
        bool right = !left && (i == terms.size() || mono_less(o.terms[j].mono, terms[i].mono));
        if (left) {
            r.terms.push_back(terms[i++]);
            continue;
        }
        int64_t c;
        if (plussi_mul_over(o.terms[j].coef, factor, &c))
            return overflow();
        if (!right && plussi_add_over(c, terms[i].coef, &c))
            return overflow();
        if (c)
            r.terms.push_back({o.terms[j].mono, c});
        j++;
        if (!right)
            i++;
    }
    if (r.terms.size() > MAX_SIZE)
        return overflow();
    return r;
}

Poly Poly::operator*(const Poly &o) const
{
    if (bad || o.bad)
        return overflow();
    int64_t c;
    if (is_const(&c))
        return o.times(c);
    if (o.is_const(&c))
        return times(c);
    if (terms.size() * o.terms.size() > MAX_SIZE)
        return overflow();
    Poly r;
    for (const Term &x : terms) {
        Poly row;
        for (const Term &y : o.terms) {
            Term t;
            if (plussi_mul_over(x.coef, y.coef, &t.coef))
                return overflow();
            std::merge(x.mono.begin(), x.mono.end(), y.mono.begin(), y.mono.end(),
                       std::back_inserter(t.mono),
                       [](const Atom *a, const Atom *b) { return a->id < b->id; });
            row = row + Poly(t);
        }
        r = r + row;
    }
    if (r.size() > MAX_SIZE)
        return overflow();
    return r;
}

bool Poly::is_const(int64_t *value) const
{
    if (bad || terms.size() > 1 || (terms.size() == 1 && !terms[0].mono.empty()))
        return false;
    if (value)
        *value = terms.empty() ? 0 : terms[0].coef;
    return true;
}

int64_t Poly::constant() const
{
    return !terms.empty() && terms[0].mono.empty() ? terms[0].coef : 0;
}

const Atom *Poly::is_atom() const
{
    return !bad && terms.size() == 1 && terms[0].coef == 1 && terms[0].mono.size() == 1
               ? terms[0].mono[0]
               : nullptr;
}

/* Graded lexicographic order: products preserve it, so that division ends. */
static const Term *leading(const Poly &p)
{
    const Term *best = nullptr;
    for (const Term &t : p.terms)
        if (!best || t.mono.size() > best->mono.size() ||
            (t.mono.size() == best->mono.size() && mono_less(best->mono, t.mono)))
            best = &t;
    return best;
}

/* t / by for single terms. */
static bool divide_term(const Term &t, const Term &by, Term *out)
{
    if (by.coef == -1 ? t.coef == INT64_MIN : t.coef % by.coef != 0)
        return false;
    out->coef = t.coef / by.coef;
    out->mono.clear();
    size_t k = 0;
    for (const Atom *a : t.mono) {
        if (k < by.mono.size() && by.mono[k] == a)
            k++;
        else
            out->mono.push_back(a);
    }
    return k == by.mono.size();
}

void Poly::divide(const Poly &d, Poly *quotient, Poly *rest) const
{
    Poly p = *this, q, r;
    const Term *by = leading(d);
    if (bad || d.bad || !by) {
        *quotient = Poly();
        *rest = *this;
        return;
    }
    while (const Term *t = leading(p)) {
        Term s;
        if (divide_term(*t, *by, &s)) {
            q = q + Poly(s);
            p = p - Poly(s) * d;
        } else {
            r = r + Poly(*t);
            p = p - Poly(*t);
        }
        if (p.bad || q.bad || r.bad) {
            *quotient = Poly();
            *rest = *this;
            return;
        }
    }
    *quotient = q;
    *rest = r;
}

bool Poly::divide(const Poly &d, Poly *quotient) const
{
    Poly q, r;
    if (bad || d.bad || d.terms.empty())
        return false;
    divide(d, &q, &r);
    if (!r.terms.empty())
        return false;
    *quotient = q;
    return true;
}

std::string Poly::key() const
{
    if (bad)
        return "!";
    std::string s;
    for (const Term &t : terms) {
        s += std::to_string(t.coef);
        for (const Atom *a : t.mono)
            s += "*" + std::to_string(a->id);
        s += "+";
    }
    return s;
}

static uint64_t mix_hash(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

uint64_t Poly::hash() const
{
    uint64_t h = bad;
    for (const Term &t : terms) {
        h = mix_hash(h, t.coef);
        for (const Atom *a : t.mono)
            h = mix_hash(h, a->id);
    }
    return h;
}

/* ---- atoms ----------------------------------------------------------------------------------- */

/* Opaque atoms without an SSA name are told apart by their reasons. A symbol is the same whatever
 * its type is known to be. */
static bool same_contents(const Atom &a, const Atom &b)
{
    bool typed = a.kind != AtomKind::Symbol;
    return a.kind == b.kind && a.ssa == b.ssa && a.loop == b.loop && a.object == b.object &&
           (!typed || (a.width == b.width && a.is_signed == b.is_signed)) &&
           a.pointer == b.pointer && a.name == b.name && (a.ssa || a.reason == b.reason) &&
           !a.cond == !b.cond && (!a.cond || a.cond->same(*b.cond)) && a.args == b.args;
}

const Atom *Exprs::intern(Atom &&a)
{
    uint64_t h = mix_hash((uint64_t)a.kind, (uintptr_t)a.ssa);
    h = mix_hash(mix_hash(h, (uintptr_t)a.loop), (uintptr_t)a.object);
    h = mix_hash(h, a.kind == AtomKind::Symbol ? 0 : a.width);
    if (!a.name.empty())
        h = mix_hash(h, std::hash<std::string>()(a.name));
    for (const Poly &p : a.args)
        h = mix_hash(h, p.hash());
    auto range = table.equal_range(h);
    for (auto i = range.first; i != range.second; ++i)
        if (same_contents(*i->second, a))
            return i->second;
    a.kinds = kind_bit(a.kind) | (a.cond ? a.cond->kinds() : 0);
    a.size = 1 + (a.cond ? a.cond->nodes : 0);
    for (const Poly &p : a.args) {
        a.kinds |= p.kinds();
        a.size += p.size();
    }
    a.id = atoms.size() + 1;
    atoms.push_back(std::move(a));
    table.insert({h, &atoms.back()});
    return &atoms.back();
}

Poly Exprs::make_atom(Atom &&a)
{
    unsigned size = a.cond ? a.cond->nodes : 0;
    for (const Poly &p : a.args)
        size += p.size();
    return size < MAX_SIZE ? Poly(intern(std::move(a)))
                           : opaque(NULL_TREE, "an expression that is too large", 0);
}

Poly Exprs::make_operation(AtomKind kind, const std::vector<Poly> &args, const Cond *c)
{
    Atom a{kind};
    a.args = args;
    a.cond = c;
    return make_atom(std::move(a));
}

Poly Exprs::phi(tree ssa)
{
    Atom a{AtomKind::Phi};
    a.ssa = ssa;
    return Poly(intern(std::move(a)));
}

Poly Exprs::iv(Loop *loop)
{
    Atom a{AtomKind::Iv};
    a.loop = loop;
    return Poly(intern(std::move(a)));
}

Poly Exprs::base(Object *object)
{
    Atom a{AtomKind::Base};
    a.object = object;
    return Poly(intern(std::move(a)));
}

Poly Exprs::load(Object *object, const Poly &offset, const std::vector<Poly> &path, unsigned width,
                 bool is_signed, bool pointer)
{
    Atom a{AtomKind::Load};
    a.object = object;
    a.args.push_back(offset);
    a.args.insert(a.args.end(), path.begin(), path.end());
    a.width = width;
    a.is_signed = is_signed;
    a.pointer = pointer;
    return make_atom(std::move(a));
}

Poly Exprs::simple(AtomKind kind)
{
    return Poly(intern(Atom(kind)));
}

Poly Exprs::symbol(const std::string &key, const std::string &text, location_t loc, tree type)
{
    Atom a{AtomKind::Symbol};
    a.name = key;
    a.text = text;
    a.loc = loc;
    if (type && INTEGRAL_TYPE_P(type) && TYPE_PRECISION(type) % 8 == 0) {
        a.width = TYPE_PRECISION(type) / 8;
        a.is_signed = !TYPE_UNSIGNED(type);
    }
    return Poly(intern(std::move(a)));
}

Poly Exprs::opaque(tree ssa, const std::string &reason, location_t loc)
{
    Atom a{AtomKind::Opaque};
    a.ssa = ssa;
    a.reason = reason;
    a.loc = loc;
    const Atom *known = intern(std::move(a));
    /* The reason that was given while the value was being found is replaced by its own. */
    auto passing = [](const std::string &why) {
        return why.find("depends on itself") != std::string::npos ||
               why.find("depends on the loop that it controls") != std::string::npos;
    };
    if (passing(known->reason) && !passing(reason))
        atoms[known->id - 1].reason = reason;
    return Poly(known);
}

/* Splits p = d * q + r, where r holds the terms whose coefficients d does not divide, and the
 * constant reduced to [0, d). */
static void split_by(const Poly &p, int64_t d, Poly *q, Poly *r)
{
    *q = *r = Poly();
    for (const Term &t : p.terms) {
        if (t.mono.empty()) {
            *q = *q + Poly(plussi_floordiv(t.coef, d));
            *r = *r + Poly(plussi_floormod(t.coef, d));
        } else if (t.coef % d == 0) {
            *q = *q + Poly(Term{t.mono, t.coef / d});
        } else {
            *r = *r + Poly(t);
        }
    }
}

/* floor(r / d) for an r whose first term is positive; its constant may be reduced once more. */
Poly Exprs::div_normal(const Poly &r, int64_t d)
{
    Poly q, rest;
    split_by(r, d, &q, &rest);
    return q + make_operation(AtomKind::Div, {rest, Poly(d)});
}

Poly Exprs::div(const Poly &a, const Poly &b)
{
    int64_t d = 0;
    if (a.bad || b.bad)
        return Poly::overflow();
    Poly exact;
    if (a.divide(b, &exact) && !b.zero())
        return exact;
    if (b.is_const(&d)) {
        if (d == 0)
            return opaque(NULL_TREE, "a division by zero", 0);
        if (d < 0)
            return d == INT64_MIN ? Poly::overflow() : div(-a, Poly(-d));
        Poly q, r;
        split_by(a, d, &q, &r);
        int64_t c;
        if (r.is_const(&c))
            return q; /* c in [0, d) */
        /* One form for floor(-x / d) and -ceil(x / d): the first term is positive. */
        bool negative = r.terms[r.terms[0].mono.empty() && r.terms.size() > 1].coef < 0;
        if (negative)
            r = Poly(d - 1) - r;
        return negative ? q - div_normal(r, d) : q + make_operation(AtomKind::Div, {r, b});
    }
    return make_operation(AtomKind::Div, {a, b});
}

Poly Exprs::without_range(const Poly &p, int64_t m)
{
    Poly sum;
    for (const Term &t : p.terms) {
        int64_t range = 0;
        bool wraps = t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Mod &&
                     t.mono[0]->args[1].is_const(&range) && range % m == 0;
        sum = sum + (wraps ? Poly(t.coef) * without_range(t.mono[0]->args[0], m) : Poly(t));
    }
    return sum;
}

Poly Exprs::mod(const Poly &a, const Poly &b)
{
    int64_t d = 0;
    if (a.bad || b.bad)
        return Poly::overflow();
    if (b.is_const(&d)) {
        if (d <= 0)
            return opaque(NULL_TREE, "a remainder of a number that is not positive", 0);
        Poly q, r;
        split_by(without_range(a, d), d, &q, &r);
        int64_t c;
        if (r.is_const(&c))
            return r;
        return make_operation(AtomKind::Mod, {r, b});
    }
    Poly exact;
    if (a.divide(b, &exact))
        return Poly();
    return make_operation(AtomKind::Mod, {a, b});
}

Poly Exprs::extreme(AtomKind kind, const Poly &a, const Poly &b)
{
    if (a.bad || b.bad)
        return Poly::overflow();
    bool least = kind == AtomKind::Min;
    std::vector<Poly> args;
    for (const Poly *p : {&a, &b}) {
        Poly shift(p->constant());
        const Atom *at = (*p - shift).is_atom();
        if (at && at->kind == kind)
            for (const Poly &arg : at->args)
                args.push_back(arg + shift);
        else
            args.push_back(*p);
    }
    /* If two differ by a constant, one of them is dropped. */
    for (size_t i = 0; i < args.size(); i++)
        for (size_t j = i + 1; j < args.size();) {
            int64_t d = 0;
            if ((args[i] - args[j]).is_const(&d)) {
                if (least ? d > 0 : d < 0)
                    args[i] = args[j];
                args.erase(args.begin() + j);
            } else {
                j++;
            }
        }
    if (args.size() == 1)
        return args[0];
    /* One order for one value: constants last, the rest by age of their atoms. */
    std::sort(args.begin(), args.end(), [](const Poly &x, const Poly &y) {
        bool cx = x.is_const(nullptr), cy = y.is_const(nullptr);
        if (cx != cy)
            return cy;
        return std::lexicographical_compare(x.terms.begin(), x.terms.end(), y.terms.begin(),
                                            y.terms.end(), [](const Term &s, const Term &t) {
                                                return s.mono != t.mono ? mono_less(s.mono, t.mono)
                                                                        : s.coef < t.coef;
                                            });
    });
    /* The first operand has no constant: min(n - 1, k) + 1 is min(n, k + 1). */
    Poly shift(args[0].constant());
    for (Poly &p : args)
        p = p - shift;
    return make_operation(kind, args) + shift;
}

/* A relation as something that is not negative; false for == and !=. */
static bool not_negative_form(const Cond *c, Poly *p)
{
    bool below = c->op == Cond::Lt || c->op == Cond::Le,
         above = c->op == Cond::Gt || c->op == Cond::Ge;
    if (below || above)
        *p = (below ? c->r - c->l : c->l - c->r) - Poly(c->op == Cond::Lt || c->op == Cond::Gt);
    return below || above;
}

/* p if c is known to hold (or not to): resolves the choices inside of p that c decides. */
Poly Exprs::assume(const Poly &p, const Cond *c, bool holds)
{
    Poly known;
    if (!not_negative_form(c, &known))
        return p;
    if (!holds)
        known = -known - Poly(1);
    return replace(p, kind_bit(AtomKind::Select), [&](const Atom *a, Poly *out) {
        Poly tested;
        int64_t d = 0;
        if (a->kind != AtomKind::Select || !not_negative_form(a->cond, &tested))
            return false;
        bool yes = (tested - known).is_const(&d) && d >= 0;
        bool no = !yes && (-tested - Poly(1) - known).is_const(&d) && d >= 0;
        if (!yes && !no)
            return false;
        *out = assume(a->args[yes ? 0 : 1], c, holds);
        return true;
    });
}

Poly Exprs::select(const Cond *c, const Poly &a, const Poly &b)
{
    if (a == b || c->op == Cond::True)
        return a;
    if (c->op == Cond::False)
        return b;
    if (a.bad || b.bad)
        return Poly::overflow();
    std::string why = find_unknown(c);
    if (!why.empty())
        return opaque(NULL_TREE, why, 0);
    return select_known(c, assume(a, c, true), assume(b, c, false));
}

/* The same if neither a nor b depends on c. */
Poly Exprs::select_known(const Cond *c, const Poly &a, const Poly &b)
{
    if (a == b)
        return a;
    if (a.bad || b.bad)
        return Poly::overflow();
    /* c says k >= 0. Where b - a = k + e with e 0 or 1, a is taken when it is the smaller one and b
     * when it is not: a minimum; likewise a maximum. */
    Poly k;
    int64_t e = 0;
    if (not_negative_form(c, &k)) {
        if ((b - a - k).is_const(&e) && (e == 0 || e == 1))
            return min(a, b);
        if ((a - b - k).is_const(&e) && (e == 0 || e == 1))
            return max(a, b);
    }
    /* Nested choices and joined conditions are one thing: the compiler joins some when it
     * optimises. */
    const Atom *x = a.is_atom(), *y = b.is_atom();
    if (x && x->kind == AtomKind::Select && x->args[1] == b)
        return select(both(c, x->cond), x->args[0], b);
    if (y && y->kind == AtomKind::Select && y->args[0] == a)
        return select(either(c, y->cond), a, y->args[1]);
    /* c ? (r || p ? i : j) : (p ? i : j) is (c && r) || p ? i : j, and so on. */
    if (x && y && x->kind == AtomKind::Select && y->kind == AtomKind::Select &&
        x->args == y->args) {
        const Cond *p = x->cond, *q = y->cond, *all = nullptr;
        if (const Cond *r = without(Cond::Or, p, q))
            all = either(both(c, r), q);
        else if (const Cond *r = without(Cond::Or, q, p))
            all = either(both(negate(c), r), p);
        else if (const Cond *r = without(Cond::And, p, q))
            all = both(either(negate(c), r), q);
        else if (const Cond *r = without(Cond::And, q, p))
            all = both(either(c, r), p);
        if (all)
            return select(all, x->args[0], x->args[1]);
    }
    /* c ? p + i : p + j, p an address. */
    for (const Term &t : a.terms)
        if (t.coef == 1 && t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Base &&
            std::find(b.terms.begin(), b.terms.end(), t) != b.terms.end()) {
            Poly common(t.mono[0]);
            return common + select(c, a - common, b - common);
        }
    /* c ? 0 : 8 p is 8 (c ? 0 : p): the size of an element is factored out of the choice. */
    uint64_t factor = 0;
    for (const Poly *p : {&a, &b})
        for (const Term &t : p->terms)
            factor = std::gcd(factor, t.coef < 0 ? -(uint64_t)t.coef : (uint64_t)t.coef);
    Poly i, j;
    if (factor > 1 && factor <= INT64_MAX && !(a.is_const(nullptr) && b.is_const(nullptr)) &&
        a.divide(Poly((int64_t)factor), &i) && b.divide(Poly((int64_t)factor), &j))
        return Poly((int64_t)factor) * select(c, i, j);
    return make_operation(AtomKind::Select, {a, b}, c);
}

/* ---- conditions ------------------------------------------------------------------------------ */

const Cond *Exprs::keep_condition(Cond c)
{
    c.nodes = 1 + (c.a ? c.a->nodes + c.b->nodes : c.l.size() + c.r.size());
    if (c.nodes > MAX_SIZE) {
        c = Cond(Cond::Unknown);
        c.reason = "an expression that is too large";
    }
    conds.push_back(std::move(c));
    return &conds.back();
}

const Cond *Exprs::constant(bool value)
{
    return keep_condition(Cond(value ? Cond::True : Cond::False));
}

const Cond *Exprs::unknown(const std::string &reason, gimple *test, location_t loc)
{
    Cond c{Cond::Unknown};
    c.reason = reason;
    c.test = test;
    c.loc = loc;
    return keep_condition(c);
}

/* Is p >= 0 in every thread of every team? Thread numbers begin at 0, team sizes at 1. */
static bool in_every_team(const Poly &p)
{
    int64_t least = 0;
    for (const Term &t : p.terms) {
        bool team = t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Team;
        bool thread = t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Thread;
        if (!t.mono.empty() && ((!team && !thread) || t.coef < 0))
            return false;
        if (!thread && plussi_add_over(least, t.coef, &least))
            return false;
    }
    return !p.bad && least >= 0;
}

const Cond *Exprs::relation(Cond::Op op, const Poly &l, const Poly &r)
{
    if (l.bad || r.bad)
        return unknown("its numbers do not fit 64 bits");
    int64_t d = 0;
    const Poly apart = l - r;
    if ((op == Cond::Ge || op == Cond::Lt) && in_every_team(apart))
        return constant(op == Cond::Ge);
    if ((op == Cond::Le || op == Cond::Gt) && in_every_team(-apart))
        return constant(op == Cond::Le);
    if (apart.is_const(&d)) {
        bool v = op == Cond::Lt   ? d < 0
                 : op == Cond::Le ? d <= 0
                 : op == Cond::Gt ? d > 0
                 : op == Cond::Ge ? d >= 0
                 : op == Cond::Eq ? d == 0
                                  : d != 0;
        return constant(v);
    }
    /* (c ? 1 : 0) != 0 is c. */
    const Atom *a = l.is_atom();
    int64_t k, x, y;
    if (a && a->kind == AtomKind::Select && r.is_const(&k) && (op == Cond::Eq || op == Cond::Ne) &&
        a->args[0].is_const(&x) && a->args[1].is_const(&y)) {
        bool t = (x == k) == (op == Cond::Eq), f = (y == k) == (op == Cond::Eq);
        if (t == f)
            return constant(t);
        return t ? a->cond : negate(a->cond);
    }
    Cond c{op};
    c.l = l;
    c.r = r;
    toward_zero(&c);
    return keep_condition(c);
}

const Cond *Exprs::make_pair(Cond::Op op, const Cond *a, const Cond *b)
{
    Cond c{op};
    c.a = a;
    c.b = b;
    return keep_condition(c);
}

const Cond *Exprs::negate(const Cond *c)
{
    switch (c->op) {
    case Cond::True:
    case Cond::False:
        return constant(c->op == Cond::False);
    case Cond::And:
        return either(negate(c->a), negate(c->b));
    case Cond::Or:
        return both(negate(c->a), negate(c->b));
    case Cond::Unknown:
        break;
    default: {
        static const std::map<Cond::Op, Cond::Op> opposite = {
            {Cond::Lt, Cond::Ge}, {Cond::Le, Cond::Gt}, {Cond::Gt, Cond::Le},
            {Cond::Ge, Cond::Lt}, {Cond::Eq, Cond::Ne}, {Cond::Ne, Cond::Eq}};
        return relation(opposite.at(c->op), c->l, c->r);
    }
    }
    if (!c->test)
        return c;
    Cond other = *c;
    other.flipped = !c->flipped;
    return keep_condition(other);
}

/* ---- replacement and search ------------------------------------------------------------------ */

/* Replaces in the operands of an atom; returns the same atom if nothing changes. */
Poly Exprs::replace_operands(const Atom *a, unsigned kinds, const Replace &f)
{
    const Cond *c = a->cond ? replace(a->cond, kinds, f) : nullptr;
    std::vector<Poly> args;
    for (const Poly &p : a->args)
        args.push_back(replace(p, kinds, f));
    if (c == a->cond && args == a->args)
        return Poly(a);
    switch (a->kind) {
    case AtomKind::Load:
        return load(a->object, args[0], {args.begin() + 1, args.end()}, a->width, a->is_signed,
                    a->pointer);
    case AtomKind::Div:
        return div(args[0], args[1]);
    case AtomKind::Mod:
        return mod(args[0], args[1]);
    case AtomKind::Min:
    case AtomKind::Max:
        for (size_t i = 1; i < args.size(); i++)
            args[0] = extreme(a->kind, args[0], args[i]);
        return args[0];
    case AtomKind::Select:
        return select(c, args[0], args[1]);
    default:
        return Poly(a);
    }
}

Poly Exprs::replace(const Poly &p, unsigned kinds, const Replace &f)
{
    if (p.bad || !(p.kinds() & kinds))
        return p;
    Poly sum;
    for (const Term &t : p.terms) {
        Poly product(t.coef);
        for (const Atom *a : t.mono) {
            Poly r;
            if (!(a->kinds & kinds))
                r = Poly(a);
            else if (!(kind_bit(a->kind) & kinds) || !f(a, &r))
                r = replace_operands(a, kinds, f);
            product = product * r;
        }
        sum = sum + product;
    }
    return sum;
}

const Cond *Exprs::replace(const Cond *c, unsigned kinds, const Replace &f)
{
    if (!(c->kinds() & kinds))
        return c;
    switch (c->op) {
    case Cond::True:
    case Cond::False:
    case Cond::Unknown:
        return c;
    case Cond::And:
    case Cond::Or: {
        const Cond *a = replace(c->a, kinds, f), *b = replace(c->b, kinds, f);
        return a == c->a && b == c->b ? c : c->op == Cond::And ? both(a, b) : either(a, b);
    }
    default: {
        Poly l = replace(c->l, kinds, f), r = replace(c->r, kinds, f);
        return l == c->l && r == c->r ? c : relation(c->op, l, r);
    }
    }
}

bool any_atom(const Poly &p, const std::function<bool(const Atom *)> &f)
{
    for (const Term &t : p.terms)
        for (const Atom *a : t.mono) {
            if (f(a))
                return true;
            for (const Poly &q : a->args)
                if (any_atom(q, f))
                    return true;
            if (a->cond && any_atom(a->cond, f))
                return true;
        }
    return false;
}

bool any_atom(const Cond *c, const std::function<bool(const Atom *)> &f)
{
    if (c->a)
        return any_atom(c->a, f) || any_atom(c->b, f);
    return any_atom(c->l, f) || any_atom(c->r, f);
}

const Atom *find_opaque(const Poly &p)
{
    const Atom *found = nullptr;
    if (!(p.kinds() & kind_bit(AtomKind::Opaque)))
        return found;
    any_atom(p, [&](const Atom *a) {
        if (a->kind != AtomKind::Opaque)
            return false;
        found = a;
        return true;
    });
    return found;
}

std::string find_unknown(const Cond *c, bool data)
{
    if (c->op == Cond::Unknown)
        return c->reason;
    if (c->a) { /* whichever comes first: the order of what is unknown is the compiler's */
        std::string s = find_unknown(c->a, data), t = find_unknown(c->b, data);
        return s.empty() || (!t.empty() && t < s) ? t : s;
    }
    for (const Poly *p : {&c->l, &c->r}) {
        if (p->bad)
            return "its numbers do not fit 64 bits";
        if (const Atom *a = find_opaque(*p))
            return a->reason;
        if (data && (p->kinds() & kind_bit(AtomKind::Load)))
            return "a condition on data in memory";
    }
    return "";
}

} // namespace pluss
