/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The size of lines as a symbol: formulas for several sizes that differ in their numbers alone
 * become one, whose numbers are polynomials of L, the elements of a line.
 */
#ifndef PLUSSI_SYMBOLIC_LINE_FORMS_H
#define PLUSSI_SYMBOLIC_LINE_FORMS_H

#include "nest/text.h"
#include "symbolic/formula.h"

enum {
    PLUSSI_LEAST_LINE_FORM = 4, /* below, iterations that move to the next line come close */
    PLUSSI_LINE_FORM_DEGREE = 3 /* at most: at least one size checks what the others give */
};

/* L of the i-th of these sizes. */
static inline int64_t plussi_line_form(uint32_t i)
{
    return (int64_t)PLUSSI_LEAST_LINE_FORM << i;
}

/* Writes the text that the texts for these sizes, in that order, are the cases of: each number of
 * them as the polynomial of least degree that gives it at all sizes. False, and nothing is written:
 * they differ in more than numbers, or a number is no such polynomial. O(length of the texts). */
bool plussi_merge_line_forms(plussi_text *out, const char *const text[PLUSSI_LINE_FORMS]);

#endif
