/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * C: how a sampler says things, and the parts of it that do not depend on the nest (prelude/),
 * whose text, as emitted, is MIT OR Apache-2.0.
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
