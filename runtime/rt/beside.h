/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A binary file that lies beside the record, with a suffix behind its name: whole, or not there. It
 * is written to a temporary file and gets its name in the end. Guarded by its owner.
 */
#ifndef PLUSSI_RT_BESIDE_H
#define PLUSSI_RT_BESIDE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct plussi_beside {
    FILE *out; /* NULL: not open */
    char *path, *temporary;
    int error;  /* the first, an errno */
    bool asked; /* plussi_beside_wanted */
} plussi_beside;

/* Whether it is open. The first call opens it if `variable` of the environment says "tsc" (there is
 * a record to lie beside) and has `start` write what it begins with. */
bool plussi_beside_wanted(plussi_beside *file, const char *record_path, const char *variable,
                          const char *suffix, void (*start)(void));

/* false: it cannot be written; error says why. */
bool plussi_beside_open(plussi_beside *file, const char *record_path, const char *suffix);
/* Does nothing when it is not open, or once there was an error. */
void plussi_beside_put(plussi_beside *file, const void *bytes, size_t n);
/* Gives the file its name, if it is open. 0 or the first error; then there is no file. */
int plussi_beside_finish(plussi_beside *file);
/* In a child process: the parent goes on writing it. */
void plussi_beside_forget(plussi_beside *file);

#endif
