/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Internals of the closed-form engine: affine forms over induction variables, and what is known
 * about these while a count is examined.
 */
#ifndef PLUSSI_SAMPLER_FORM_H
#define PLUSSI_SAMPLER_FORM_H

#include "sampler/plan.h"

enum { PLUSSI_FORM_TERMS = 10 };

/* c + sum of k[i] * iv[slot[i]], slots ascending, k not 0. */
typedef struct plussi_form {
    int64_t c;
    uint32_t n;
    uint8_t slot[PLUSSI_FORM_TERMS];
    int64_t k[PLUSSI_FORM_TERMS];
} plussi_form;

/* Constraints on the induction variables: an interval each and, where low and high are set, low <=
 * iv < high, forms in variables of lower slots. */
typedef struct plussi_known {
    plussi_interval *box;
    const plussi_form *low[PLUSSI_CURSOR_SLOTS], *high[PLUSSI_CURSOR_SLOTS];
} plussi_known;

static inline void plussi_form_set(plussi_form *f, int64_t c)
{
    f->c = c;
    f->n = 0;
}

/* a + scale * b; false: overflow or too many terms (a is then invalid). */
bool plussi_form_add(plussi_form *a, const plussi_form *b, int64_t scale);
bool plussi_form_from(const plussi_cexpr *affine, plussi_form *out);
/* x as it is while its variables are in the box; false: not affine there. */
bool plussi_form_within(const plussi_cexpr *x, plussi_interval *box, plussi_form *out);
int64_t plussi_form_coef(const plussi_form *f, uint32_t slot);
void plussi_form_drop(plussi_form *f, uint32_t slot); /* its coefficient becomes 0 */
bool plussi_form_reads(const plussi_form *f, plussi_slots of);
/* Bounds, saturating; exact where every variable's are affine. */
plussi_interval plussi_form_range(const plussi_form *f, const plussi_known *known);
/* The range of a - b; all of int64_t if unknown. */
plussi_interval plussi_form_gap(const plussi_form *a, const plussi_form *b,
                                const plussi_known *known);

#endif
