/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/ask.h"

#include <stddef.h>

pluss_status plussi_ask_whether(const plussi_ask *ask, const char *stage, double done,
                                uint64_t steps)
{
    return ask->fn && ask->fn(ask->user, stage, done, steps) != 0 ? PLUSS_ECANCELLED : PLUSS_OK;
}

static int ask_of_whole(void *user, const char *stage, double done, uint64_t steps)
{
    const plussi_ask_part *p = user;
    return p->whole.fn(p->whole.user, p->stage ? p->stage : stage,
                       done < 0 && !p->stage ? done : p->from + p->part * (done > 0 ? done : 0),
                       steps);
}

plussi_ask plussi_ask_of_part(const plussi_ask *whole, const char *stage, double from, double part,
                              plussi_ask_part *of)
{
    *of = (plussi_ask_part){*whole, stage, from, part};
    return whole->fn ? (plussi_ask){ask_of_whole, of} : *whole;
}

static int ask_forward(void *user, const char *stage, double done, uint64_t steps)
{
    plussi_ask_forward *f = user;
    f->most = done > f->most ? done : f->most;
    return f->whole.fn(f->whole.user, stage, f->most, steps);
}

plussi_ask plussi_ask_going_forward(const plussi_ask *whole, plussi_ask_forward *of)
{
    *of = (plussi_ask_forward){*whole, 0};
    return whole->fn ? (plussi_ask){ask_forward, of} : *whole;
}
