/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the measuring programs share: one case is a nest with its symbols bound, a team and a
 * schedule. All failures end the program with a message: these are tools for the bench, not a
 * library.
 */
#ifndef POLYBENCH_HARNESS_H
#define POLYBENCH_HARNESS_H

#include <stdbool.h>

#include "pluss.h"

typedef struct harness_case {
    const char *nest_path;
    uint32_t team;
    const char *schedule, *binding[32]; /* texts, until it is open */
    size_t n_bindings;
    pluss_options *options; /* once it is open */
    pluss_context *ctx;
    pluss_nests *nests;
    pluss_nest *joined, *filled;
    const pluss_nest *nest;
} harness_case;

void harness_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* Ends the program with the context's diagnostics unless status is PLUSS_OK. */
void harness_must(pluss_context *ctx, pluss_status status);

uint32_t harness_team(const char *text);
bool harness_is_named(const char *name, char **list, int n); /* n 0: all are */
void harness_schedule(const char *text, harness_case *c);    /* "static", "static,8", "dynamic,1" */
void harness_bind(const char *text, harness_case *c);        /* "ni=60"; text stays referenced */
void harness_set(harness_case *c, const char *name, const char *text);
void harness_seed(harness_case *c, uint64_t seed);
/* Reads the nests of c->nest_path; several are joined into one program, in file order. */
void harness_open(harness_case *c);
/* "col@FILE": what array col of the open case holds, one integer a line. Once. */
void harness_fill(char **words, size_t n, harness_case *c);
void harness_close(harness_case *c);

double harness_seconds(void);           /* monotonic clock */
double harness_processor_seconds(void); /* of all threads of the process */

#endif
