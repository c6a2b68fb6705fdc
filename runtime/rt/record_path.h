/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The path of the record.
 */
#ifndef PLUSSI_RT_RECORD_PATH_H
#define PLUSSI_RT_RECORD_PATH_H

/* The value of PLUSS_RECORD, relative to the folder in which the program was started; in a child
 * process followed by a dot and the process id. The caller frees (rt/own_memory.h); NULL: nothing
 * is to be written (or out of memory). */
char *plussi_record_path(void);
void plussi_record_path_forked(void); /* called in a child process */

#endif
