/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fields that can be written in two ways, in one form: for printer and comparison.
 */
#ifndef PLUSSI_NEST_EFFECTIVE_H
#define PLUSSI_NEST_EFFECTIVE_H

#include <string.h>

#include "nest/nest.h"

/* NULL for a literal 0. */
static inline const plussi_expr *plussi_effective_base(const plussi_array *array)
{
    const plussi_expr *base = array->base;
    return base && base->kind == PLUSSI_E_INT && base->value == 0 ? NULL : base;
}

/* Bytes of an access: width or, if that is 0, up to the end of the element. */
static inline uint64_t plussi_effective_width(const plussi_node *ref)
{
    if (ref->u.ref.width || !ref->u.ref.array)
        return ref->u.ref.width;
    return ref->u.ref.array->elem_bytes - (uint64_t)ref->u.ref.offset;
}

static inline bool plussi_is_whole_element(const plussi_node *ref)
{
    return ref->u.ref.offset == 0 && ref->u.ref.array &&
           plussi_effective_width(ref) == ref->u.ref.array->elem_bytes;
}

/* Whether the node's file differs from its region's. */
static inline bool plussi_own_file(const plussi_node *node, const plussi_region *region)
{
    return node->loc.file && !(region && plussi_same_text(node->loc.file, region->loc.file));
}

static inline bool plussi_same_location(const plussi_node *a, const plussi_region *region_a,
                                        const plussi_node *b, const plussi_region *region_b)
{
    if (!a->loc.line || !b->loc.line)
        return !a->loc.line && !b->loc.line;
    bool own = plussi_own_file(a, region_a);
    return a->loc.line == b->loc.line && a->loc.col == b->loc.col &&
           own == plussi_own_file(b, region_b) && (!own || strcmp(a->loc.file, b->loc.file) == 0);
}

#endif
