/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ELF files and archives made in memory, well formed or not, for the tests of the object reader.
 */
#ifndef TESTS_UNIT_ELF_IMAGE_H
#define TESTS_UNIT_ELF_IMAGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct image {
    char *bytes; /* malloc */
    size_t size;
} image;

typedef struct elf_spec {
    int bits; /* 32 or 64 */
    int big_endian;
    uint16_t file_type;  /* ET_REL, ET_EXEC, ET_DYN */
    const char *section; /* name of the one section beside the names; NULL: none */
    uint32_t type;       /* SHT_ */
    uint64_t flags;      /* SHF_ */
    const char *data;
    size_t size;
} elf_spec;

image elf_make(const elf_spec *spec);

/* "!<arch>\n" and members appended one by one; a name past 15 bytes must stand in the table of
 * long names, which ar_long_names adds first ("name/\n..."). */
image ar_start(void);
void ar_long_names(image *archive, const char *table);
void ar_add(image *archive, const char *header_name, const char *bytes, size_t size);

void image_free(image *it);

#endif
