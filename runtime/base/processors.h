/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSSI_BASE_PROCESSORS_H
#define PLUSSI_BASE_PROCESSORS_H

#include <sched.h>
#include <stdint.h>

/* Processors that this process may use; 1 where that is not known. */
static inline uint32_t plussi_count_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    return (uint32_t)CPU_COUNT(&set);
}

#endif
