/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The functions of this library that a program's marks call, by their addresses.
 */
#ifndef PLUSSI_TRACER_CALLEES_H
#define PLUSSI_TRACER_CALLEES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PLUSSI_TRACER_CALLEES = 512 /* at most; others are not known */ };

typedef struct plussi_tracer_callees {
    const char *const *without;
    size_t n_without;
    uintptr_t address[PLUSSI_TRACER_CALLEES], least, most;
    int n;
} plussi_tracer_callees;

/* Those of the program whose names are __tsan_ and none of n words after it, or what begins with
 * one. O(symbols). */
void plussi_tracer_find_callees(const char *const *without, size_t n, plussi_tracer_callees *out);
bool plussi_tracer_is_callee(const plussi_tracer_callees *callees, uintptr_t address);
/* Whether any of a function's bytes could be a call of one of them, or a jump there: by this few
 * functions have to be decoded. O(bytes). */
bool plussi_tracer_may_call(const plussi_tracer_callees *callees, uintptr_t address, size_t bytes);
/* The address that the four bytes before pc are the distance to. */
uintptr_t plussi_tracer_read_target(uintptr_t pc);

#endif
