/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "study/phase_times.h"

static int ascending(const void *a, const void *b)
{
    const plussi_weighed *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

double plussi_weighed_median(plussi_weighed *list, size_t n)
{
    double all = 0, below = 0;
    qsort(list, n, sizeof *list, ascending);
    for (size_t i = 0; i < n; i++)
        all += list[i].weight;
    for (size_t i = 0; i < n; i++) {
        below += list[i].weight;
        if (below >= all / 2)
            return list[i].value;
    }
    return list[n - 1].value;
}
