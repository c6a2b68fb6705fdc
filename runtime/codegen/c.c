/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The C dialect of samplers, and the parts that do not depend on the nest (prelude/); their text,
 * as emitted, is MIT OR Apache-2.0.
 */
#include "codegen/source.h"

#include "prelude_c.inc"

const plussi_dialect plussi_dialect_c = {.is_rust = false,
                                         .symbols = "w->s->",
                                         .walker = "w->",
                                         .select = {"(", " ? ", " : ", ")"},
                                         .head = head_text,
                                         .middle = middle_text,
                                         .end = end_text};
