/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formulas as text, for people ("n^2 + 3*n + 1") and as C.
 */
#ifndef PLUSSI_SYMBOLIC_FORMULA_TEXT_H
#define PLUSSI_SYMBOLIC_FORMULA_TEXT_H

#include "nest/text.h"
#include "symbolic/formula.h"

/* The text that is written is the caller's (plussi_free). */
void plussi_text_poly(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c,
                      const plussi_formula_poly *p);
/* "0 <= i, i <= n - 2", what the class's guards say; empty where they are none. */
void plussi_text_guards(plussi_text *text, const plussi_formula *f, const plussi_formula_class *c);
/* The name of an iteration: of its loop's variable, or "number of i". */
void plussi_text_iteration(plussi_text *text, const plussi_formula_class *c, uint32_t dim);

/* ---- emit_formula.c -----------------------------------------------------------------------------
 *
 * C functions of the symbols: NAME_histogram, which passes all stack distances and numbers of
 * accesses to a function, and NAME_misses, of a number of lines, both -1 where the formulas do not
 * hold. NAME is the region's, made a word of C. C11 with __int128.
 */
void plussi_emit_formula(plussi_text *text, const plussi_formula *f);
/* A word of C: letters and digits of the name, the rest underscores. */
void plussi_text_word(plussi_text *text, const char *name);

/* ---- emit_counters.c ----------------------------------------------------------------------------
 *
 * Of a region that has no formulas, the counters of Cascaval's thesis, section 3.4: NAME_counters,
 * a C function of the symbols and of the index arrays that bounds and conditions load from, which
 * tells how often each reference is executed. C11. NULL, or what it cannot say; what is written is
 * then of no use. */
const char *plussi_emit_counters(plussi_text *text, const plussi_nest *nest,
                                 const plussi_region *region);

#endif
