/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/bound.h"

static const plussi_region *region_of(const plussi_bound *bound, const plussi_bound_node *node)
{
    while (node->parent)
        node = node->parent;
    for (uint32_t r = 0; r < bound->n_regions; r++)
        for (uint32_t i = 0; i < bound->region[r].n_body; i++)
            if (bound->region[r].body[i] == node)
                return bound->region[r].decl;
    return NULL;
}

plussi_loc plussi_bound_node_loc(const plussi_bound *bound, const plussi_bound_node *node)
{
    plussi_loc loc = node->decl->loc;
    if (!loc.line)
        return node->decl->text_loc;
    const plussi_region *region = loc.file ? NULL : region_of(bound, node);
    if (region)
        loc.file = region->loc.file;
    return loc;
}
