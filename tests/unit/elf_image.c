/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elf_image.h"

#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "elf_image: %s: %s\n", what, elf_errmsg(-1));
        abort();
    }
}

static Elf_Scn *add_section(Elf *elf, uint32_t name, uint32_t type, uint64_t flags,
                            const char *bytes, size_t size)
{
    Elf_Scn *section = elf_newscn(elf);
    must(section != NULL, "elf_newscn");
    Elf_Data *data = elf_newdata(section);
    must(data != NULL, "elf_newdata");
    data->d_buf = (void *)bytes;
    data->d_size = size;
    data->d_align = 1;
    data->d_type = ELF_T_BYTE;
    data->d_version = EV_CURRENT;
    GElf_Shdr header;
    must(gelf_getshdr(section, &header) != NULL, "gelf_getshdr");
    header.sh_name = name;
    header.sh_type = type;
    header.sh_flags = flags;
    must(gelf_update_shdr(section, &header), "gelf_update_shdr");
    return section;
}

static image read_back(int fd)
{
    struct stat info;
    must(fstat(fd, &info) == 0, "fstat");
    image result = {malloc((size_t)info.st_size), (size_t)info.st_size};
    must(result.bytes && pread(fd, result.bytes, result.size, 0) == (ssize_t)result.size, "pread");
    return result;
}

image elf_make(const elf_spec *spec)
{
    static const char head[] = "\0.shstrtab";
    char names[256];
    size_t n = sizeof head;
    memcpy(names, head, n);
    if (spec->section) {
        strcpy(names + n, spec->section);
        n += strlen(spec->section) + 1;
    }
    must(elf_version(EV_CURRENT) != EV_NONE, "elf_version");
    int fd = memfd_create("elf", MFD_CLOEXEC);
    must(fd >= 0, "memfd_create");
    Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
    must(elf != NULL, "elf_begin");
    must(gelf_newehdr(elf, spec->bits == 32 ? ELFCLASS32 : ELFCLASS64) != NULL, "gelf_newehdr");
    GElf_Ehdr header;
    must(gelf_getehdr(elf, &header) != NULL, "gelf_getehdr");
    header.e_ident[EI_DATA] = spec->big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    header.e_type = spec->file_type;
    header.e_version = EV_CURRENT;
    Elf_Scn *name_section = add_section(elf, 1, SHT_STRTAB, 0, names, n);
    header.e_shstrndx = (uint16_t)elf_ndxscn(name_section);
    must(gelf_update_ehdr(elf, &header), "gelf_update_ehdr");
    if (spec->section)
        add_section(elf, sizeof head, spec->type, spec->flags, spec->data, spec->size);
    must(elf_update(elf, ELF_C_WRITE) >= 0, "elf_update");
    elf_end(elf);
    image result = read_back(fd);
    close(fd);
    return result;
}

static void append(image *to, const char *bytes, size_t size)
{
    to->bytes = realloc(to->bytes, to->size + size);
    must(to->bytes != NULL, "realloc");
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

image ar_start(void)
{
    image archive = {0};
    append(&archive, "!<arch>\n", 8);
    return archive;
}

void ar_add(image *archive, const char *header_name, const char *bytes, size_t size)
{
    char header[80];
    snprintf(header, sizeof header, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", header_name, 0, 0, 0, 0644,
             size);
    append(archive, header, 60);
    append(archive, bytes, size);
    if (size % 2)
        append(archive, "\n", 1);
}

void ar_long_names(image *archive, const char *table)
{
    ar_add(archive, "//", table, strlen(table));
}

void image_free(image *it)
{
    free(it->bytes);
    it->bytes = NULL;
}
