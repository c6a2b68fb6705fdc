/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Standalone samplers: a program, in C or Rust, that walks one nest as each thread of a team would
 * and prints the private reuse intervals of every reference, as plussi_pri_walk counts them.
 * Symbols are arguments of the program (-D name=value), and so is the team's size (-T). The output
 * is a function of these alone.
 *
 * Every function that depends on the nest is emitted once for both languages (program.c); c.c and
 * rust.c have the differences between the languages, and prelude/ the parts that do not depend on
 * the nest, which are inserted as text. The emitted text is MIT OR Apache-2.0, so that the program
 * may have any licence.
 *
 * Static schedules have libgomp's closed forms. Chunks of dynamic loops (dynamic, guided, runtime)
 * are dispatched to the thread with the fewest accesses since the loop began, the lowest number
 * among equals: no random numbers are drawn.
 */
#ifndef PLUSSI_CODEGEN_CODEGEN_H
#define PLUSSI_CODEGEN_CODEGEN_H

#include "nest/nest.h"

typedef enum plussi_language { PLUSSI_LANGUAGE_C, PLUSSI_LANGUAGE_RUST } plussi_language;

/* The text of the program: the caller owns *out (plussi_free), NUL-terminated. The nest is valid.
 * PLUSS_EUNSUPPORTED, with the place, for constructs without a closed order of accesses (branch,
 * the schedules rayon and recorded) or that need the contents of an array, and for swaps of arrays
 * with a base. O(nodes * depth). */
PLUSS_NODISCARD pluss_status plussi_codegen(plussi_ctx *ctx, const plussi_nest *nest,
                                            plussi_language language, char **out, size_t *length);

#endif
