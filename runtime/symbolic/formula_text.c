/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbolic/formula_text.h"

#include <string.h>

#include "base/arith.h"

static void put_number(plussi_text *text, int64_t n)
{
    plussi_text_format(text, "%lld", (long long)n);
}

static void put_row(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                    const plussi_formula_row *row, int sign);

void plussi_text_iteration(plussi_text *text, const plussi_formula_class *c, uint32_t dim)
{
    if (c->by_number[dim])
        plussi_text_puts(text, "#");
    plussi_text_puts(text, c->loops[dim] ? c->loops[dim]->u.loop.iv : "run");
}

static void put_variable(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                         uint32_t v, bool atom)
{
    if (v < f->n_symbols) {
        const plussi_formula_symbol *s = &f->symbol[v];
        const bool quotient = s->unit > 1;
        plussi_text_puts(text, quotient && atom ? "(" : "");
        plussi_text_name(text, s->symbol->name);
        if (quotient)
            plussi_text_format(text, "/%lld%s", (long long)s->unit, atom ? ")" : "");
    } else if (v < f->n_symbols + c->n_dims) {
        plussi_text_iteration(text, c, v - f->n_symbols);
    } else {
        const plussi_formula_floor *of = &c->floors[v - f->n_symbols - c->n_dims];
        plussi_text_puts(text, "floor((");
        put_row(text, f, c, &of->row, 1);
        plussi_text_puts(text, ")/");
        put_number(text, of->over);
        plussi_text_puts(text, ")");
    }
}

static uint32_t count_variables(const plussi_formula *f, const plussi_formula_class *c)
{
    return f->n_symbols + c->n_dims + c->n_floors;
}

/* " + " or " - ", or the sign of the first part. */
static void put_sign(plussi_text *text, bool negative, bool first)
{
    plussi_text_puts(text, first ? (negative ? "-" : "") : negative ? " - " : " + ");
}

/* The parts of the row whose sign that is, and which are then positive; 0 where there are none. */
static void put_row(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                    const plussi_formula_row *row, int sign)
{
    bool first = true;
    for (uint32_t v = 0; v < count_variables(f, c); v++) {
        const int64_t a = row->coefficient[v];
        if (a == 0)
            continue;
        put_sign(text, (a < 0) == (sign > 0), first);
        if (a != 1 && a != -1) {
            put_number(text, a < 0 ? -a : a);
            plussi_text_puts(text, "*");
        }
        put_variable(text, f, c, v, a != 1 && a != -1);
        first = false;
    }
    if (row->constant || first) {
        const int64_t k = row->constant;
        put_sign(text, k != 0 && (k < 0) == (sign > 0), first);
        put_number(text, k < 0 ? -k : k);
    }
}

/* ---- polynomials
 * ----------------------------------------------------------------------------------
 */

static int degree_of(const plussi_formula_term *t, uint32_t n)
{
    int degree = 0;
    for (uint32_t v = 0; v < n; v++)
        degree += t->power[v];
    return degree;
}

/* Whether a comes before b: by degree, then by the powers of the first variables. */
static bool precedes(const plussi_formula_term *a, const plussi_formula_term *b, uint32_t n)
{
    const int da = degree_of(a, n), db = degree_of(b, n);
    return da != db ? da > db : memcmp(a->power, b->power, n) > 0;
}

/* The first term after that one in the order of writing; NULL: none. */
static const plussi_formula_term *next_term(const plussi_formula_poly *p,
                                            const plussi_formula_term *after, uint32_t n)
{
    const plussi_formula_term *next = NULL;
    for (uint32_t i = 0; i < p->n; i++) {
        const plussi_formula_term *t = &p->term[i];
        if ((!after || precedes(after, t, n)) && (!next || precedes(t, next, n)))
            next = t;
    }
    return next;
}

static void put_term(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                     const plussi_formula_term *t, int64_t denominator, bool first)
{
    const uint32_t n = count_variables(f, c);
    const int64_t size = t->factor < 0 ? -t->factor : t->factor;
    const int64_t common = (int64_t)plussi_gcd((uint64_t)size, (uint64_t)denominator);
    const int64_t over = denominator / common;
    bool product = false;
    put_sign(text, t->factor < 0, first);
    if (size / common != 1 || degree_of(t, n) == 0) {
        put_number(text, size / common);
        product = true;
    }
    for (uint32_t v = 0; v < n; v++) {
        if (t->power[v] == 0)
            continue;
        plussi_text_puts(text, product ? "*" : "");
        put_variable(text, f, c, v, true);
        if (t->power[v] > 1)
            plussi_text_format(text, "^%d", t->power[v]);
        product = true;
    }
    if (over != 1)
        plussi_text_format(text, "/%lld", (long long)over);
}

void plussi_text_poly(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                      const plussi_formula_poly *p)
{
    const plussi_formula_term *t = NULL;
    bool first = true;
    while ((t = next_term(p, t, count_variables(f, c)))) {
        put_term(text, f, c, t, p->denominator, first);
        first = false;
    }
    if (first)
        plussi_text_puts(text, "0");
}

/* ---- guards
 * ---------------------------------------------------------------------------------------
 */

/* One side of a guard: the variables with coefficients of that sign, and the constant if it is. */
static void put_side(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                     const plussi_formula_row *row, int sign)
{
    bool first = true;
    for (uint32_t v = 0; v < count_variables(f, c); v++) {
        const int64_t a = row->coefficient[v] * sign;
        if (a <= 0)
            continue;
        put_sign(text, false, first);
        if (a != 1) {
            put_number(text, a);
            plussi_text_puts(text, "*");
        }
        put_variable(text, f, c, v, a != 1);
        first = false;
    }
    const int64_t k = row->constant * sign;
    if (k > 0 || first) {
        put_sign(text, false, first);
        put_number(text, k > 0 ? k : 0);
    }
}

void plussi_text_guards(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c)
{
    bool first = true;
    for (uint32_t i = 0; i < c->n_guards; i++) {
        const plussi_formula_guard *g = &c->guards[i];
        if (g->implied)
            continue;
        plussi_text_puts(text, first ? "" : ", ");
        put_side(text, f, c, &g->row, -1);
        plussi_text_puts(text, g->equal ? " = " : " <= ");
        put_side(text, f, c, &g->row, 1);
        first = false;
    }
}
