/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The files that a run leaves: the record and its sidecar file. A file is complete or absent: it
 * has no name while it is written, and finally replaces an older one atomically. The program does
 * not notice: no signal (SIGXFSZ, SIGPIPE), no low descriptor, nothing left if it is killed; a full
 * disk gets its space back at once. The owner guards it.
 */
#ifndef PLUSSI_RT_OUTFILE_H
#define PLUSSI_RT_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct plussi_outfile {
    struct plussi_sink *sink; /* target of its bytes; NULL: not open */
    char *path;               /* its name; NULL: a pipe or a device, written directly */
    int error;                /* the first error, an errno */
} plussi_outfile;

/* suffix: appended to the record's name, "": the record itself. false: it cannot be written, see
 * error. A record that is a pipe or a device has no sidecar file. */
bool plussi_outfile_open(plussi_outfile *file, const char *record_path, const char *suffix);
/* Does nothing if it is not open, or after an error. */
void plussi_outfile_put(plussi_outfile *file, const void *bytes, size_t n);
/* A stream whose bytes are put into it, to be closed before it; NULL: no memory. It has the
 * program's memory. */
FILE *plussi_outfile_text(plussi_outfile *file);
/* Writes the buffered bytes; 0 or the first error. It stays open. */
int plussi_outfile_flush(plussi_outfile *file);
/* Gives the file its name, if it is open. 0 or the first error, without a new file. */
int plussi_outfile_finish(plussi_outfile *file);
/* As if it had never been opened; in a child process, the parent goes on writing it. */
void plussi_outfile_drop(plussi_outfile *file);

/* Removes the file with this suffix, if it begins with `magic`: an older record's. */
void plussi_outfile_stale(const char *record_path, const char *suffix, const char *magic);

/* A line to the program's standard error, if it had one when it began. */
void plussi_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
