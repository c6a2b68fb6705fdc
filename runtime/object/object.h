/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nest descriptions from files: the section .pluss.nests of ELF executables, relocatable objects
 * and shared libraries, alone or in ar archives, with one NUL-terminated text each; or a file that
 * is such a text. Equal texts count once (`ld -r` does not merge, headers repeat).
 *
 * The section .pluss.symbols has a NUL-terminated record for each text: the linker symbol of the
 * function, a newline, and the text's line "region ...". The linker keeps these sections whole even
 * if it drops functions: so the symbol is looked up in the file's symbol table.
 */
#ifndef PLUSSI_OBJECT_OBJECT_H
#define PLUSSI_OBJECT_OBJECT_H

#include <stdbool.h>

#include "base/ctx.h"

#define PLUSSI_NESTS_SECTION ".pluss.nests"
#define PLUSSI_SYMBOLS_SECTION ".pluss.symbols"

/* Whether a file's symbol table has a function or a clone of it: `f`, `f._omp_fn.0`,
 * `f.constprop.0`. UNKNOWN if there is no table, or one without local functions, which may have
 * been stripped. */
typedef enum plussi_presence {
    PLUSSI_PRESENCE_UNKNOWN,
    PLUSSI_ABSENT,
    PLUSSI_PRESENT
} plussi_presence;

typedef struct plussi_text {
    char *text;    /* NUL-terminated */
    size_t length; /* without the NUL */
    char *origin;  /* "lib.a(gemm.o)#2": the second text of its section; a text file's own path */
    char *symbol;  /* of the first region's function, in plussi_texts.linked; NULL: unknown */
    plussi_presence presence; /* of the symbol; with several records or archive members, the best */
} plussi_text;

/* A record of .pluss.symbols. */
typedef struct plussi_linked {
    char *symbol;
    const char *heading; /* after the symbol in the same memory */
    plussi_presence presence;
} plussi_linked;

typedef struct plussi_texts {
    plussi_mem mem;
    plussi_text *text; /* in order of appearance, all different */
    size_t n, cap;
    plussi_linked *linked;
    size_t n_linked, cap_linked;
} plussi_texts;

/* From a file. PLUSS_EIO if it cannot be read, PLUSS_EFORMAT if it is damaged or of an unknown
 * kind, PLUSS_ELIMIT above PLUSSI_MAX_TEXT. A file without descriptions is PLUSS_OK with n = 0.
 * O(size of the section) memory for ELF. */
PLUSS_NODISCARD pluss_status plussi_object_read(plussi_ctx *ctx, const char *path,
                                                plussi_texts *out);
/* The same for the image of a file in memory; `name` replaces its path in messages and origins. */
PLUSS_NODISCARD pluss_status plussi_object_read_image(plussi_ctx *ctx, const void *image,
                                                      size_t bytes, const char *name,
                                                      plussi_texts *out);
void plussi_texts_free(plussi_texts *texts);

/* ---- between the files of this module: texts.c, linked.c, elf.c, elf_symbols.c ----------------
 */

void plussi_texts_init(plussi_texts *texts, const plussi_mem *mem);
/* Appends a copy; origin is `name`, followed by "#number" unless number is 0. */
PLUSS_NODISCARD pluss_status plussi_texts_add(plussi_texts *texts, const char *text, size_t length,
                                              const char *name, size_t number);
/* Drops all but the first of equal texts. O(n log n) comparisons. */
PLUSS_NODISCARD pluss_status plussi_texts_unique(plussi_texts *texts);

/* Appends a record of .pluss.symbols (not NUL-terminated); PLUSS_EFORMAT if it is invalid. */
PLUSS_NODISCARD pluss_status plussi_linked_add(plussi_ctx *ctx, plussi_texts *texts,
                                               const char *record, size_t length, const char *name);
/* The records from `first` on are those of one object. Sorts them; then marks those found in the
 * object's symbol table; the others are absent. O(n log n); O(log n) for each function and dot in
 * its name; O(n). */
void plussi_linked_sort(plussi_texts *texts, size_t first);
void plussi_linked_found(plussi_texts *texts, size_t first, const char *function);
void plussi_linked_rest_absent(plussi_texts *texts, size_t first);
/* Sets the symbols of the texts. O((texts + records) log records). */
void plussi_linked_resolve(plussi_texts *texts);

/* Append the texts of an ELF object or an archive of them: an open file of that many bytes, or an
 * image. If built with PLUSS_WITHOUT_ELF they refuse (PLUSS_EUNSUPPORTED). */
PLUSS_NODISCARD pluss_status plussi_elf_read_file(plussi_ctx *ctx, int fd, uint64_t size,
                                                  const char *name, plussi_texts *texts);
PLUSS_NODISCARD pluss_status plussi_elf_read_image(plussi_ctx *ctx, const void *image, size_t bytes,
                                                   const char *name, plussi_texts *texts);

#endif
