/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Where the record goes.
 */
#ifndef PLUSSI_RT_RECORD_PATH_H
#define PLUSSI_RT_RECORD_PATH_H

/* What PLUSS_RECORD names, taken from the folder that the program was started in; in a child
 * process with a dot and its process id after it. The caller frees; NULL: nothing is to be written
 * (or no memory). */
char *plussi_record_path(void);
void plussi_record_path_forked(void); /* this is a child process */

#endif
