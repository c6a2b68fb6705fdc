/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nest descriptions out of files: the section .pluss.nests of ELF executables, relocatable objects
 * and shared libraries, alone or in ar archives, which holds one NUL-terminated text each; or a
 * file that is such a text. Equal texts count once (`ld -r` does not merge, headers repeat).
 */
#ifndef PLUSSI_OBJECT_OBJECT_H
#define PLUSSI_OBJECT_OBJECT_H

#include <stdbool.h>

#include "base/ctx.h"

#define PLUSSI_NESTS_SECTION ".pluss.nests"

typedef struct plussi_text {
    char *text;    /* NUL-terminated */
    size_t length; /* without the NUL */
    char *origin;  /* "lib.a(gemm.o)#2": the second text of its section; a text file's own path */
} plussi_text;

typedef struct plussi_texts {
    plussi_mem mem;
    plussi_text *text; /* in order of appearance, no two equal */
    size_t n, cap;
} plussi_texts;

/* From a file. PLUSS_EIO where it cannot be read, PLUSS_EFORMAT where it is damaged or of no kind
 * that is known, PLUSS_ELIMIT past PLUSSI_MAX_TEXT. A file without descriptions is PLUSS_OK with n
 * = 0. O(size of the section) memory for ELF. */
PLUSS_NODISCARD pluss_status plussi_object_read(plussi_ctx *ctx, const char *path,
                                                plussi_texts *out);
/* The same of an image of a file in memory; `name` stands for its path in messages and origins. */
PLUSS_NODISCARD pluss_status plussi_object_read_image(plussi_ctx *ctx, const void *image,
                                                      size_t bytes, const char *name,
                                                      plussi_texts *out);
void plussi_texts_free(plussi_texts *texts);

/* ---- between the files of this module: texts.c, elf.c -----------------------------------------
 */

void plussi_texts_init(plussi_texts *texts, const plussi_mem *mem);
/* Appends a copy; origin is `name`, and "#number" behind it unless number is 0. */
PLUSS_NODISCARD pluss_status plussi_texts_add(plussi_texts *texts, const char *text, size_t length,
                                              const char *name, size_t number);
/* Drops all but the first of equal texts. O(n log n) comparisons. */
PLUSS_NODISCARD pluss_status plussi_texts_unique(plussi_texts *texts);

/* Append the texts of an ELF object or an archive of such: an open file of so many bytes, or an
 * image of it. In a library built with PLUSS_WITHOUT_ELF they refuse (PLUSS_EUNSUPPORTED). */
PLUSS_NODISCARD pluss_status plussi_elf_read_file(plussi_ctx *ctx, int fd, uint64_t size,
                                                  const char *name, plussi_texts *texts);
PLUSS_NODISCARD pluss_status plussi_elf_read_image(plussi_ctx *ctx, const void *image, size_t bytes,
                                                   const char *name, plussi_texts *texts);

#endif
