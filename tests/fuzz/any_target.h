/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What all fuzz targets share: what must hold, and files with their bytes.
 */
#ifndef TESTS_FUZZ_ANY_TARGET_H
#define TESTS_FUZZ_ANY_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with a message where ok is false. */
void require(bool ok, const char *what);

enum { PATH_ROOM = 256 };
/* Writes a file of that name into a folder of this process, in place of the one before. */
void put_file(const char *name, const uint8_t *data, size_t size, char path[PATH_ROOM]);

#endif
