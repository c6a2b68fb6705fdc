/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The words of the text form, shared by lexer, parser and printer.
 */
#ifndef PLUSSI_NEST_WORDS_H
#define PLUSSI_NEST_WORDS_H

#include "nest/nest.h"

/* Reserved words: such a name needs backquotes. In ASCII order. */
#define PLUSSI_KEYWORDS(X)                                                                         \
    X(ADDRESS, "address")                                                                          \
    X(ALIAS, "alias")                                                                              \
    X(ARRAY, "array")                                                                              \
    X(ATOMIC, "atomic")                                                                            \
    X(BARRIER, "barrier")                                                                          \
    X(BRANCH, "branch")                                                                            \
    X(BYTES, "bytes")                                                                              \
    X(COLLAPSE, "collapse")                                                                        \
    X(COLUMN, "column")                                                                            \
    X(CRITICAL, "critical")                                                                        \
    X(ELSE, "else")                                                                                \
    X(FOR, "for")                                                                                  \
    X(IF, "if")                                                                                    \
    X(IN, "in")                                                                                    \
    X(IS, "is")                                                                                    \
    X(MASTER, "master")                                                                            \
    X(MAX, "max")                                                                                  \
    X(MIN, "min")                                                                                  \
    X(NOWAIT, "nowait")                                                                            \
    X(NUM_THREADS, "num_threads")                                                                  \
    X(OF, "of")                                                                                    \
    X(OFFSET, "offset")                                                                            \
    X(OPS, "ops")                                                                                  \
    X(ORDERED, "ordered")                                                                          \
    X(OVER, "over")                                                                                \
    X(PARALLEL, "parallel")                                                                        \
    X(PRIVATE, "private")                                                                          \
    X(READ, "read")                                                                                \
    X(REGION, "region")                                                                            \
    X(REPEAT, "repeat")                                                                            \
    X(SCHEDULE, "schedule")                                                                        \
    X(SINGLE, "single")                                                                            \
    X(STEP, "step")                                                                                \
    X(STRIDE, "stride")                                                                            \
    X(SWAP, "swap")                                                                                \
    X(SYMBOL, "symbol")                                                                            \
    X(UNKNOWN, "unknown")                                                                          \
    X(VALUES, "values")                                                                            \
    X(WORKSHARE, "workshare")                                                                      \
    X(WRITE, "write")

typedef enum plussi_keyword {
    PLUSSI_KW_NONE,
#define PLUSSI_X(name, text) PLUSSI_KW_##name,
    PLUSSI_KEYWORDS(PLUSSI_X)
#undef PLUSSI_X
} plussi_keyword;

plussi_keyword plussi_keyword_of(const char *word, size_t length); /* NONE: an ordinary name */

/* Letter or _ followed by letters, digits, _, and not reserved: needs no backquotes. */
bool plussi_name_is_plain(const char *name);

/* Words that are known by their place and not reserved. NULL for numbers outside of the
 * enumeration; the _of forms return -1 for words that are none. */
const char *plussi_schedule_word(plussi_schedule_kind kind); /* NULL for NONE too */
const char *plussi_modifier_word(plussi_sched_modifier modifier);
const char *plussi_unknown_word(plussi_unknown_kind kind);
int plussi_schedule_of(const char *word, size_t length);
int plussi_modifier_of(const char *word, size_t length);
int plussi_unknown_of(const char *word, size_t length);
int plussi_elem_of(const char *word, size_t length); /* without b<N> */

#endif
