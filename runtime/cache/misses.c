/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache/misses.h"

const char *plussi_miss_kind_name(plussi_miss_kind kind)
{
    static const char *const name[PLUSSI_MISS_KINDS] = {
        [PLUSSI_MISS_COLD] = "cold",
        [PLUSSI_MISS_CAPACITY] = "capacity",
        [PLUSSI_MISS_CONFLICT] = "conflict",
        [PLUSSI_MISS_TRUE_SHARING] = "true sharing",
        [PLUSSI_MISS_FALSE_SHARING] = "false sharing",
    };
    return name[kind];
}
