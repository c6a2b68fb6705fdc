/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The Rust dialect of samplers, and the parts that do not depend on the nest (prelude/); their
 * text, as emitted, is MIT OR Apache-2.0.
 */
#include "codegen/source.h"

#include "prelude_rs.inc"

const plussi_dialect plussi_dialect_rust = {.is_rust = true,
                                            .symbols = "w.s.",
                                            .walker = "w.",
                                            .select = {"(if ", " { ", " } else { ", " })"},
                                            .head = head_text,
                                            .middle = middle_text,
                                            .end = end_text};
