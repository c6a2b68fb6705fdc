/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cache/misses.h"

static const struct {
    const char *name, *key;
} kinds[PLUSSI_MISS_KINDS] = {
    [PLUSSI_MISS_COLD] = {"cold", "cold"},
    [PLUSSI_MISS_CAPACITY] = {"capacity", "capacity"},
    [PLUSSI_MISS_CONFLICT] = {"conflict", "conflict"},
    [PLUSSI_MISS_TRUE_SHARING] = {"true sharing", "true_sharing"},
    [PLUSSI_MISS_FALSE_SHARING] = {"false sharing", "false_sharing"},
};

const char *plussi_miss_kind_name(plussi_miss_kind kind)
{
    return kinds[kind].name;
}

const char *plussi_miss_kind_key(plussi_miss_kind kind)
{
    return kinds[kind].key;
}
