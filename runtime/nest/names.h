/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A table of names in nested scopes: level 0 the nest, 1 a region, 2 and up its loops. Parser and
 * validator resolve names with it. Amortised O(length of the name) a call.
 */
#ifndef PLUSSI_NEST_NAMES_H
#define PLUSSI_NEST_NAMES_H

#include "nest/nest.h"

typedef enum plussi_meaning_kind {
    PLUSSI_MEANS_SYMBOL,
    PLUSSI_MEANS_ARRAY,
    PLUSSI_MEANS_IV
} plussi_meaning_kind;

/* The meaning of a name in a scope, and the one that it hides. */
typedef struct plussi_meaning {
    plussi_meaning_kind kind;
    uint32_t level;
    union {
        plussi_symbol *symbol;
        plussi_array *array;
        plussi_node *loop;
        void *any;
    } u;
    struct plussi_meaning *hidden;
} plussi_meaning;

typedef struct plussi_name {
    const char *text; /* NUL-terminated; owned by the first to intern it */
    size_t length;
    uint64_t hash;
    plussi_meaning *meaning; /* the innermost; NULL: none in scope */
    uint32_t mark;           /* for the user; initially 0 */
} plussi_name;

typedef struct plussi_names {
    plussi_arena arena;
    plussi_name **table; /* base/map.h */
    size_t n, size;
    plussi_name **stack; /* declared names, innermost last */
    size_t depth, stack_cap;
    plussi_meaning *free; /* linked by hidden */
} plussi_names;

/* Whether the text is REGION.NAME for a thing called name in that region; false without a region.
 */
bool plussi_name_qualified(const char *text, const plussi_region *region, const char *name);

void plussi_names_init(plussi_names *names, const plussi_mem *mem);
void plussi_names_free(plussi_names *names);

/* The entry of a name, made if new: its text is then a copy in `copies` or, if that is NULL, the
 * given NUL-terminated text itself. NULL: out of memory. */
plussi_name *plussi_names_intern(plussi_names *names, const char *text, size_t length,
                                 plussi_arena *copies);

/* Declares a name; hides its earlier meaning. false: out of memory. */
bool plussi_names_push(plussi_names *names, plussi_name *name, plussi_meaning_kind kind,
                       uint32_t level, void *object);
/* Removes declarations until `depth` (an earlier value of names->depth) are left. */
void plussi_names_pop(plussi_names *names, size_t depth);

#endif
