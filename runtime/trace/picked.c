/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/picked.h"

void plussi_picked_free(plussi_picked *p)
{
    for (uint32_t k = 0; p->thread && k < p->team; k++) {
        plussi_free(&p->mem, p->thread[k].access);
        plussi_free(&p->mem, p->thread[k].phase);
        plussi_free(&p->mem, p->thread[k].mark);
    }
    plussi_free(&p->mem, p->thread);
    plussi_free(&p->mem, p->made);
    *p = (plussi_picked){.mem = p->mem};
}
