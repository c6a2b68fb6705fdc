/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Integer expressions of the analysis: polynomials with 64-bit coefficients over atoms. An atom is
 * an operand that arithmetic does not look into: an induction variable, a symbol, a value loaded
 * from memory, the address of an object, a floor division, a minimum, ... Atoms are interned: equal
 * atoms are the same pointer, so two polynomials are equal iff their terms are.
 *
 * Arithmetic that overflows 64 bits gives a polynomial marked `bad'. Every result computed from it
 * is bad, too, and none is ever written into a nest. Nothing in here knows GIMPLE.
 *
 * An expression is a graph in memory, but walks over it visit it as a tree. A tree of more than
 * MAX_SIZE nodes may not become an operand: the result is opaque instead, a condition on it
 * unknown, and a sum of more terms or a larger product bad. This bounds walks and recursion,
 * whatever the program computes.
 */
#ifndef PLUSSI_PLUGIN_POLY_H
#define PLUSSI_PLUGIN_POLY_H

#include "common/gcc-compat.h"
#include "common/small.h"

namespace pluss
{

struct Atom;
struct Cond;
struct Loop;   /* items.h */
struct Object; /* items.h */

enum { MAX_SIZE = 4000 };

typedef Small<const Atom *, 3> Mono;

struct Term {
    Mono mono;    /* sorted by id, with repetition; empty: the constant */
    int64_t coef; /* not 0 */
    bool operator==(const Term &o) const { return coef == o.coef && mono == o.mono; }
};

class Poly
{
  public:
    Poly() = default; /* zero */
    Poly(int c) : Poly((int64_t)c) {}
    Poly(int64_t c)
    {
        if (c)
            terms.push_back({{}, c});
    }
    explicit Poly(const Atom *a) { terms.push_back({{a}, 1}); }
    explicit Poly(const Term &t) { terms.push_back(t); }

    Small<Term, 2> terms; /* in order of mono */
    bool bad = false;

    /* The kinds of all atoms, operands' included, as a sum of kind_bit(). */
    unsigned kinds() const;
    unsigned size() const; /* nodes of the tree */

    bool operator==(const Poly &o) const { return bad == o.bad && terms == o.terms; }
    bool operator!=(const Poly &o) const { return !(*this == o); }
    Poly operator+(const Poly &o) const { return sum(o, 1); }
    Poly operator-(const Poly &o) const { return sum(o, -1); }
    Poly operator-() const { return Poly().sum(*this, -1); }
    Poly operator*(const Poly &o) const;

    bool zero() const { return !bad && terms.empty(); }
    bool is_const(int64_t *value) const; /* value may be NULL */
    int64_t constant() const;            /* the constant term */
    const Atom *is_atom() const;         /* exactly one atom, coefficient 1; else NULL */
    /* Sets the quotient if d divides this without rest; else returns false. */
    bool divide(const Poly &d, Poly *quotient) const;
    /* this = quotient * d + rest, where no term of the rest is a multiple of d's leading term. */
    void divide(const Poly &d, Poly *quotient, Poly *rest) const;
    std::string key() const; /* equal for equal polynomials */
    uint64_t hash() const;

    static Poly overflow()
    {
        Poly p;
        p.bad = true;
        return p;
    }

  private:
    Poly sum(const Poly &o, int64_t factor) const;
    Poly times(int64_t factor) const;
};

enum class AtomKind {
    Phi,    /* ssa: a loop header's PHI, before it is resolved to induction variables */
    Iv,     /* loop: the induction variable of a described loop */
    Symbol, /* name: an integer that is the same wherever it is used */
    Base,   /* object: its address */
    Load,   /* the integer or pointer stored at object + args[0] bytes; args[1...]: Ref::path */
    Div,    /* floor(args[0] / args[1]) */
    Mod,
    Min, /* of args */
    Max,
    Select, /* cond ? args[0] : args[1] */
    Thread,
    Team,
    Opaque /* what cannot be described: reason, loc; ssa where it comes from one (or NULL) */
};

constexpr unsigned kind_bit(AtomKind k)
{
    return 1u << (unsigned)k;
}

struct Atom {
    AtomKind kind;
    unsigned kinds = 0; /* its own and its operands' */
    unsigned size = 1;  /* nodes, its operands' included */
    unsigned id = 0;
    tree ssa = NULL_TREE;
    Loop *loop = nullptr;
    Object *object = nullptr;
    std::vector<Poly> args;
    const Cond *cond = nullptr;
    unsigned width = 0;    /* Load, Symbol: bytes; 0: not known */
    bool pointer = false;  /* Load: of a pointer */
    bool is_signed = true; /* Load, Symbol */
    std::string name;      /* Symbol: unique key, ... */
    std::string text;      /* ... and what it is called */
    std::string reason;    /* Opaque */
    location_t loc = 0;    /* Opaque, Symbol: where it first occurs */

    explicit Atom(AtomKind k) : kind(k) {}
    bool is_pointer_load() const { return kind == AtomKind::Load && pointer; }
};

/* A condition. Unknown has the reason and, if one statement decides it, that statement. */
struct Cond {
    enum Op { True, False, Lt, Le, Gt, Ge, Eq, Ne, And, Or, Unknown } op;
    Poly l, r;
    const Cond *a = nullptr, *b = nullptr;
    std::string reason;
    gimple *test = nullptr; /* Unknown: it holds if this statement's condition does, ... */
    bool flipped = false;   /* ... or if it does not; ... */
    location_t loc = 0;     /* ... and where that stands */
    explicit Cond(Op o) : op(o) {}
    unsigned nodes = 1;     /* of the tree */
    unsigned kinds() const; /* of all atoms in it */
    bool same(const Cond &o) const;
};

/* The condition lo <= p <= hi, or (outside) its negation; INT64_MIN and INT64_MAX: no bound. */
struct Range {
    Poly p;
    int64_t lo = INT64_MIN, hi = INT64_MAX;
    bool outside = false;
};
void toward_zero(Cond *c); /* ranges.cc: brings a comparison with a constant into its normal form */

/* Makes and owns atoms and conditions. */
class Exprs
{
  public:
    const Atom *intern(Atom &&a); /* by kind and contents */
    Poly phi(tree ssa);
    Poly iv(Loop *loop);
    Poly base(Object *object);
    /* path: which row, where the object is rows of a table (Ref::path). */
    Poly load(Object *object, const Poly &offset, const std::vector<Poly> &path, unsigned width,
              bool is_signed, bool pointer);
    Poly div(const Poly &a, const Poly &b);
    Poly mod(const Poly &a, const Poly &b);
    /* An expression that equals p modulo m, without remainders of multiples of m in its sum. */
    Poly without_range(const Poly &p, int64_t m);
    Poly min(const Poly &a, const Poly &b) { return extreme(AtomKind::Min, a, b); }
    Poly max(const Poly &a, const Poly &b) { return extreme(AtomKind::Max, a, b); }
    Poly select(const Cond *c, const Poly &a, const Poly &b);
    /* text: what it is called; type: of its value; NULL: not known. */
    Poly symbol(const std::string &key, const std::string &text, location_t loc,
                tree type = NULL_TREE);
    Poly opaque(tree ssa, const std::string &reason, location_t loc);
    Poly simple(AtomKind kind); /* Thread, Team */

    const Cond *relation(Cond::Op op, const Poly &l, const Poly &r);
    const Cond *both(const Cond *a, const Cond *b);
    const Cond *either(const Cond *a, const Cond *b);
    const Cond *negate(const Cond *c);
    const Cond *within(const Range &r);
    /* Is a && b (a || b) one range of a value? */
    bool is_one_range(const Cond *a, const Cond *b, bool all)
    {
        return join_ranges(a, b, all) != nullptr;
    }
    const Cond *unknown(const std::string &reason, gimple *test = nullptr, location_t loc = 0);
    const Cond *constant(bool value);

    /* Replaces atoms of some kinds (a sum of kind_bit()): f returns true and the replacement, or
     * false to leave the atom (whose operands are then looked at). */
    typedef std::function<bool(const Atom *, Poly *)> Replace;
    Poly replace(const Poly &p, unsigned kinds, const Replace &f);
    const Cond *replace(const Cond *c, unsigned kinds, const Replace &f);

  private:
    Poly make_atom(Atom &&a); /* of operands */
    Poly make_operation(AtomKind kind, const std::vector<Poly> &args, const Cond *c = nullptr);
    Poly replace_operands(const Atom *a, unsigned kinds, const Replace &f);
    Poly extreme(AtomKind kind, const Poly &a, const Poly &b);
    Poly div_normal(const Poly &r, int64_t d);
    Poly select_known(const Cond *c, const Poly &a, const Poly &b);
    Poly assume(const Poly &p, const Cond *c, bool holds);
    const Cond *keep_condition(Cond c);
    const Cond *make_pair(Cond::Op op, const Cond *a, const Cond *b);
    const Cond *without(Cond::Op op, const Cond *c, const Cond *some);
    const Cond *join(Cond::Op op, const Cond *a, const Cond *b);
    bool add_operand(Cond::Op op, std::vector<const Cond *> *parts, const Cond *c);
    const Cond *join_common(Cond::Op inner, const Cond *a, const Cond *b);
    const Cond *join_ranges(const Cond *a, const Cond *b, bool all);
    std::unordered_multimap<uint64_t, const Atom *> table; /* by hash of the contents */
    std::deque<Atom> atoms;
    std::deque<Cond> conds;
};

/* Visits every atom of an expression, operands included; stops and returns true when f does. */
bool any_atom(const Poly &p, const std::function<bool(const Atom *)> &f);
bool any_atom(const Cond *c, const std::function<bool(const Atom *)> &f);
/* The first opaque atom of p, or NULL. */
const Atom *find_opaque(const Poly &p);
/* Why a condition cannot be described; "": it can. data: where it is to be one of symbols and
 * induction variables alone. */
std::string find_unknown(const Cond *c, bool data = false);

} // namespace pluss
#endif
