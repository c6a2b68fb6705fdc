/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * For tests of one bound nest at a time: where it is kept, and what frees it.
 */
#ifndef TESTS_UNIT_ONE_NEST_H
#define TESTS_UNIT_ONE_NEST_H

#include "bound/bound.h"

static plussi_ctx ctx;
static plussi_nest *nest;
static plussi_bound *bound;

static void setup(void)
{
    plussi_ctx_init(&ctx, NULL);
    nest = NULL;
    bound = NULL;
}

static void teardown(void)
{
    if (bound)
        plussi_bound_free(bound);
    plussi_nest_free(nest);
    plussi_ctx_clear(&ctx);
}

#endif
