/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reference/<kernel>_ref.c says about its kernel: the symbols, the arrays, how to fill them,
 * how to call the kernel, and a sequential program of its own for the same result. The driver
 * does the rest: sizes, options, memory, comparison, timing.
 */
#ifndef POLYBENCH_DRIVER_H
#define POLYBENCH_DRIVER_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "kernels.h"

enum { MAX_SYMBOLS = 8, MAX_ARRAYS = 12 };

typedef enum { F64, I32, I8, PARTICLE } element;

typedef struct array_spec {
    const char *name;
    const char *extents; /* one a dimension, between blanks: a symbol, with +n, -n or /n after it,
                            or a sum of two symbols minus one: "h+2 w/2 n nh+nk-1" */
    bool result;         /* compared after the run */
    element type;
} array_spec;

/* sz: the values of the symbols, mem: the arrays, both in the order of the case. */
typedef struct kernel_case {
    const char *name;
    const char *symbols[MAX_SYMBOLS + 1];    /* in the order of sizes.csv; NULL-terminated */
    array_spec arrays[MAX_ARRAYS + 1];       /* ends in one without a name */
    void (*fill)(const int *sz, void **mem); /* after the default: doubles in [0.5, 1.5), integers
                                             0; NULL: the default is good */
    void (*run)(const int *sz, void **mem);
    void (*expect)(const int *sz, void **mem);
    /* Largest |got - expected| allowed, as a multiple of the largest |expected| of the array. NULL:
     * both do the same operations in the same order for each element, so the bits are equal. */
    double (*tolerance)(const int *sz);
} kernel_case;

extern const kernel_case the_case; /* defined once in each program */

/* A reproducible number in [0, 1) for a place. */
double uniform_at(unsigned long long array, unsigned long long index);

#endif
