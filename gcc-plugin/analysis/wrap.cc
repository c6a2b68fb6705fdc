/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Differences of unsigned numbers wrap around below 0, but in a polynomial a difference is a
 * negative number. If a use depends on the number's size (a comparison, a division, a conversion to
 * a wider type) and the number is not certain to be 0 or more, one of 32 bits is taken modulo 2^32.
 * One of 64 bits, whose modulus a nest does not have,
 *
 *   - is larger than all others, if it is compared with one that does not wrap around;
 *   - is not described, if it can be seen to be negative (-m, t in -5..n);
 *   - is taken not to be negative elsewhere, which a note says.
 *
 * Nothing is done where such a number would be a fault of the program: n - 1 as a subscript is in
 * the array, and so is a counter that begins there and goes down.
 */
#include "analysis/analysis.h"

#include "base/arith.h"
#include "emit/note.h"

namespace pluss
{

/* An operand of a product that is not negative, as is_size() says. */
static bool is_size_atom(const Atom *a)
{
    switch (a->kind) {
    case AtomKind::Symbol:
    case AtomKind::Thread:
    case AtomKind::Team:
        return true;
    case AtomKind::Mod:
        return is_size(a->args[1]);
    case AtomKind::Select:
    case AtomKind::Max:
    case AtomKind::Min:
        return std::all_of(a->args.begin(), a->args.end(), is_size);
    default:
        return false;
    }
}

bool is_size(const Poly &p)
{
    if (p.bad)
        return false;
    int64_t least = 0; /* the sum of the constant and of teams of one thread */
    for (const Term &t : p.terms) {
        bool team = t.mono.size() == 1 && t.mono[0]->kind == AtomKind::Team;
        if (t.mono.empty() || team) {
            if (t.coef < 0 && team)
                return false;
            if (plussi_add_over(least, t.coef, &least))
                return false;
            continue;
        }
        if (t.coef < 0)
            return false;
        if (!std::all_of(t.mono.begin(), t.mono.end(), is_size_atom))
            return false;
    }
    return least >= 0;
}

/* Is p >= 0, if symbols are not negative and induction variables are in their loops' bounds? */
bool Analysis::not_negative(const Poly &p)
{
    Poly low;
    if (!lower_bound(ex, p, &low))
        return false;
    return is_size(low);
}

/* Can p be negative for some choice of its selects? Only if its least value is known. */
static bool may_be_negative(Exprs &ex, const Poly &p, int choices)
{
    Poly low;
    const Atom *choice = nullptr;
    if (!(p.kinds() & kind_bit(AtomKind::Select)))
        return lower_bound(ex, p, &low) && !is_size(low) && is_size(-low);
    any_atom(p, [&](const Atom *a) {
        choice = a->kind == AtomKind::Select ? a : nullptr;
        return choice != nullptr;
    });
    for (int way = 0; choice && choices > 0 && way < 2; way++)
        if (may_be_negative(ex,
                            ex.replace(p, kind_bit(AtomKind::Select),
                                       [&](const Atom *a, Poly *out) {
                                           if (a != choice)
                                               return false;
                                           *out = a->args[way];
                                           return true;
                                       }),
                            choices - 1))
            return true;
    return false;
}

static bool may_have_wrapped(tree type)
{
    /* Fortran has no unsigned numbers; the compiler's own count iterations, which exist. */
    return INTEGRAL_TYPE_P(type) && TYPE_UNSIGNED(type) && !lang_GNU_Fortran() &&
           (TYPE_PRECISION(type) == 32 || TYPE_PRECISION(type) == 64);
}

/* Can p be seen to be negative, though its type has no negative numbers? A loop's own counter is
 * taken not to be. */
bool Analysis::wraps(const Poly &p, tree type, gimple *at)
{
    constexpr unsigned hides =
        kind_bit(AtomKind::Load) | kind_bit(AtomKind::Opaque) | kind_bit(AtomKind::Base);
    if (!INTEGRAL_TYPE_P(type) || !TYPE_UNSIGNED(type) || TYPE_PRECISION(type) < 32 || p.bad ||
        (p.kinds() & hides) || is_size(p))
        return false;
    int64_t k;
    if (p.is_const(&k))
        return TYPE_PRECISION(type) == 32; /* loops.cc handles large ones of 64 bits */
    const class loop *l = gimple_bb(at) ? gimple_bb(at)->loop_father : outermost();
    return may_be_negative(ex, resolve(p, l), TYPE_PRECISION(type) == 32 ? 6 : 0) &&
           !is_guarded(p, at);
}

/* Is p >= 0 for every choice of its selects? Symbols are not negative, and neither are `facts'. */
static bool certainly_not_negative(Exprs &ex, const Poly &p, const std::vector<Poly> &facts,
                                   int choices)
{
    Poly low;
    const Atom *choice = nullptr;
    if (p.kinds() & kind_bit(AtomKind::Select))
        any_atom(p, [&](const Atom *a) {
            choice = a->kind == AtomKind::Select ? a : nullptr;
            return choice != nullptr;
        });
    if (!choice) {
        if (lower_bound(ex, p, &low) && is_size(low))
            return true;
        for (const Poly &f : facts)
            if (lower_bound(ex, p - f, &low) && is_size(low))
                return true;
        return false;
    }
    for (int way = 0; way < 2; way++)
        if (choices == 0 || !certainly_not_negative(ex,
                                                    ex.replace(p, kind_bit(AtomKind::Select),
                                                               [&](const Atom *a, Poly *out) {
                                                                   *out = a == choice ? a->args[way]
                                                                                      : Poly();
                                                                   return a == choice;
                                                               }),
                                                    facts, choices - 1))
            return false;
    return true;
}

/* Is p a difference that is not known to be 0 or more? */
bool Analysis::is_open_difference(const Poly &p, tree type, gimple *at)
{
    bool less = false;
    for (const Term &t : p.terms)
        less |= t.coef < 0;
    if (!less || !may_have_wrapped(type) || p.bad || p.is_const(nullptr) || !gimple_bb(at))
        return false;
    const class loop *inner = gimple_bb(at)->loop_father;
    /* A value in memory is taken for a size, like a symbol. */
    auto sizes = [&](const Poly &q) {
        return ex.replace(q, kind_bit(AtomKind::Load), [&](const Atom *a, Poly *out) {
            *out = ex.symbol("size:" + std::to_string(a->id), "", UNKNOWN_LOCATION);
            return true;
        });
    };
    Poly q = resolve(p, inner);
    if (q.bad || (q.kinds() & (kind_bit(AtomKind::Opaque) | kind_bit(AtomKind::Base) |
                               kind_bit(AtomKind::Phi))))
        return false;
    std::vector<Poly> facts; /* an iteration that is executed is in its loop's range */
    for (const class loop *l = inner; loop_depth(l) > 0; l = loop_outer(l)) {
        Loop *r = get_loop(l);
        if (!r->busy && r->reason.empty())
            facts.push_back(sizes(r->step > 0 ? r->hi - r->lo - Poly(1) : r->lo - r->hi - Poly(1)));
    }
    return !certainly_not_negative(ex, sizes(q), facts, 4) && !is_guarded(p, at);
}

/* Is it a difference of two values? n - 1 is not. */
static bool has_two_values(const Poly &p)
{
    return p.terms.size() > 2 || (p.terms.size() == 2 && p.constant() == 0);
}

Poly Analysis::unwrap(const Poly &p, tree type, gimple *at, Wrapped as)
{
    bool negative = wraps(p, type, at);
    if (!negative &&
        ((as == Wrapped::Place && !has_two_values(p)) || !is_open_difference(p, type, at)))
        return p;
    if (TYPE_PRECISION(type) == 32)
        return ex.mod(p, Poly((int64_t)1 << 32));
    if (negative)
        return ex.opaque(NULL_TREE, "unsigned arithmetic that wraps around", gimple_location(at));
    bool size = !has_two_values(p) && !(p.kinds() & kind_bit(AtomKind::Load)); /* n - 1 */
    if (as == Wrapped::Edge || (as == Wrapped::Size && !size))
        note_loop(gimple_location(at), "an unsigned difference is taken not to be negative");
    return p;
}

/* Is a value used in addresses only? */
bool is_subscript(tree name, int hops)
{
    imm_use_iterator i;
    use_operand_p use;
    if (TREE_CODE(name) != SSA_NAME || hops == 0)
        return false;
    FOR_EACH_IMM_USE_FAST(use, i, name)
    {
        gimple *g = USE_STMT(use);
        if (is_gimple_debug(g))
            continue;
        tree_code code = is_gimple_assign(g) ? gimple_assign_rhs_code(g) : ERROR_MARK;
        bool inside = gimple_vuse(g) && is_gimple_assign(g) && gimple_assign_rhs1(g) != name;
        bool sum = code == MULT_EXPR || code == PLUS_EXPR || CONVERT_EXPR_CODE_P(code);
        if (!inside && code != POINTER_PLUS_EXPR &&
            !(sum && is_subscript(gimple_assign_lhs(g), hops - 1)))
            return false;
    }
    return true;
}

} // namespace pluss
