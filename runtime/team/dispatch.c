/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "team/share.h"

bool plussi_dispatch_next(plussi_dispatch *d, plussi_segment *out)
{
    if (d->next >= d->n)
        return false;
    uint64_t remaining = d->n - d->next, take = d->chunk;
    if (d->kind == PLUSSI_SCHED_GUIDED) {
        uint64_t counted = remaining - d->ragged;
        uint64_t fair = counted / d->team + (counted % d->team != 0);
        take = fair > take ? fair : take;
    }
    take = take < remaining ? take : remaining;
    *out = (plussi_segment){d->next, d->next + take};
    d->next += take;
    return true;
}
