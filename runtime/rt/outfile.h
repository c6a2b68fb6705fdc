/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Files that a run leaves: the record and its sidecar file. Each is whole or not there: it has no
 * name while it is written, and takes that of an older one at once in the end. The program does not
 * notice: no signal (SIGXFSZ, SIGPIPE), no low descriptor, nothing that stays when it is killed; a
 * disk that is full has its room again at once. Guarded by its owner.
 */
#ifndef PLUSSI_RT_OUTFILE_H
#define PLUSSI_RT_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct plussi_outfile {
    FILE *out;                /* NULL: not open */
    struct plussi_sink *sink; /* where its bytes go */
    char *path;               /* its name; NULL: a pipe or a device, which gets it as it comes */
    int error;                /* the first, an errno */
} plussi_outfile;

/* suffix: after the record's name, "": the record itself. false: it cannot be written; error says
 * why. A record that is a pipe or a device has no sidecar file. */
bool plussi_outfile_open(plussi_outfile *file, const char *record_path, const char *suffix);
/* Does nothing when it is not open, or once there was an error. */
void plussi_outfile_put(plussi_outfile *file, const void *bytes, size_t n);
/* Writes what is buffered; 0 or the first error. It is open still. */
int plussi_outfile_flush(plussi_outfile *file);
/* Gives the file its name, if it is open. 0 or the first error; then there is no new file. */
int plussi_outfile_finish(plussi_outfile *file);
void plussi_outfile_drop(plussi_outfile *file); /* as if it had never been opened */
/* In a child process: the parent goes on writing it. */
void plussi_outfile_forget(plussi_outfile *file);

/* Removes the file with this suffix, if it begins with `magic`: an older record's. */
void plussi_outfile_stale(const char *record_path, const char *suffix, const char *magic);

/* A line to the program's standard error, if it had one when it began. */
void plussi_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
