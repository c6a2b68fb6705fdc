/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Built with PLUSS_WITHOUT_ELF, this needs no libelf and refuses all files of its kinds.
 */
#ifndef PLUSS_WITHOUT_ELF
#include <gelf.h>
#include <libelf.h>

#include "object/elf_symbols.h"

#include <stdio.h>
#include <string.h>

#include "nest/nest.h"

enum { MAGIC = 8, HEADER = 60 }; /* bytes of an archive's */

static pluss_status fail_damaged(plussi_ctx *ctx, const char *name, const char *what)
{
    plussi_loc loc = {.file = name};
    int error = elf_errno();
    return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "damaged ELF file: %s%s%s", what,
                       error ? ": " : "", error ? elf_errmsg(error) : "");
}

/* Destination of the strings of a section. */
typedef enum strings { NESTS, SYMBOLS } strings;
static const char *const section_of[] = {PLUSSI_NESTS_SECTION, PLUSSI_SYMBOLS_SECTION};

/* Splits NUL-terminated strings. The linker pads a section of several inputs with NULs. */
static pluss_status split_strings(plussi_ctx *ctx, const char *bytes, size_t size, strings kind,
                                  const char *name, size_t *number, plussi_texts *texts)
{
    plussi_loc loc = {.file = name};
    for (size_t at = 0; at < size;) {
        const char *end = memchr(bytes + at, '\0', size - at);
        if (!end)
            return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "the last description in %s does not end",
                               section_of[kind]);
        size_t length = (size_t)(end - (bytes + at));
        if (length > PLUSSI_MAX_TEXT)
            return plussi_fail(ctx, PLUSS_ELIMIT, &loc,
                               "a nest description may have %d bytes at most (PLUSSI_MAX_TEXT)",
                               PLUSSI_MAX_TEXT);
        if (length > 0) {
            pluss_status status = kind == NESTS
                                      ? plussi_texts_add(texts, bytes + at, length, name, ++*number)
                                      : plussi_linked_add(ctx, texts, bytes + at, length, name);
            if (status)
                return status;
        }
        at += length + 1;
    }
    return PLUSS_OK;
}

static pluss_status read_section(plussi_ctx *ctx, Elf_Scn *section, const GElf_Shdr *header,
                                 strings kind, const char *name, size_t *number,
                                 plussi_texts *texts)
{
    plussi_loc loc = {.file = name};
    const char *own = section_of[kind];
    if (header->sh_type == SHT_NOBITS)
        return plussi_fail(ctx, PLUSS_EFORMAT, &loc,
                           "%s has no contents: a file of debug information?", own);
    if (header->sh_flags & SHF_COMPRESSED)
        return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "%s is compressed", own);
    Elf_Data *data = elf_rawdata(section, NULL);
    if (!data || (data->d_size > 0 && !data->d_buf))
        return fail_damaged(ctx, name, "contents of a section");
    return split_strings(ctx, data->d_buf, data->d_size, kind, name, number, texts);
}

static pluss_status read_object(plussi_ctx *ctx, Elf *elf, const char *name, plussi_texts *texts)
{
    GElf_Ehdr ehdr;
    size_t names, number = 0, first_linked = texts->n_linked;
    if (!gelf_getehdr(elf, &ehdr))
        return fail_damaged(ctx, name, "header");
    /* libelf treats a table of sections after the end of the file as absent */
    size_t sections;
    if (elf_getshdrnum(elf, &sections) != 0 || (sections == 0 && ehdr.e_shoff != 0))
        return fail_damaged(ctx, name, "the table of sections is cut off");
    if (elf_getshdrstrndx(elf, &names) != 0)
        return fail_damaged(ctx, name, "section names");
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return fail_damaged(ctx, name, "section header");
        const char *section_name = elf_strptr(elf, names, header.sh_name);
        if (!section_name)
            return fail_damaged(ctx, name, "a section's name");
        for (int kind = NESTS; kind <= SYMBOLS; kind++) {
            if (strcmp(section_name, section_of[kind]) != 0)
                continue;
            pluss_status status =
                read_section(ctx, section, &header, (strings)kind, name, &number, texts);
            if (status)
                return status;
        }
    }
    plussi_elf_symbols(elf, texts, first_linked);
    return PLUSS_OK;
}

static pluss_status read_member(plussi_ctx *ctx, Elf *member, const char *archive,
                                plussi_texts *texts)
{
    const Elf_Arhdr *header = elf_getarhdr(member);
    if (!header)
        return fail_damaged(ctx, archive, "header of an archive's member");
    /* the table of symbols and that of long names */
    if (header->ar_name && *header->ar_name == '/')
        return PLUSS_OK;
    if (elf_kind(member) != ELF_K_ELF)
        return PLUSS_OK; /* archives also contain other files */
    const char *inner = header->ar_name ? header->ar_name : "?";
    size_t room = strlen(archive) + strlen(inner) + 3;
    char *name = plussi_alloc(&ctx->mem, room, 1);
    if (!name)
        return PLUSS_ENOMEM;
    snprintf(name, room, "%s(%s)", archive, inner);
    pluss_status status = read_object(ctx, member, name, texts);
    plussi_free(&ctx->mem, name);
    return status;
}

/* libelf treats a damaged header after a member as the end of the archive: checks that the member
 * was the last. */
static pluss_status check_end(plussi_ctx *ctx, uint64_t member_end, uint64_t size, const char *name)
{
    plussi_loc loc = {.file = name};
    if (member_end > size)
        return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "damaged archive: its last member is cut off");
    if (member_end + member_end % 2 >= size)
        return PLUSS_OK;
    return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "damaged archive: no member at byte %llu",
                       (unsigned long long)(member_end + member_end % 2));
}

/* *member_end: start of the next member, before padding. */
static pluss_status read_members(plussi_ctx *ctx, Elf *archive, Elf_Cmd command, const char *name,
                                 uint64_t *member_end, plussi_texts *texts)
{
    for (bool more = true; more;) {
        Elf *member = elf_begin(-1, command, archive);
        if (!member)
            return PLUSS_OK;
        const Elf_Arhdr *header = elf_getarhdr(member);
        if (header)
            *member_end = (uint64_t)elf_getaroff(member) + HEADER + (uint64_t)header->ar_size;
        pluss_status status = read_member(ctx, member, name, texts);
        more = elf_next(member) != ELF_C_NULL;
        elf_end(member);
        if (status)
            return status;
    }
    return PLUSS_OK;
}

static pluss_status read_archive(plussi_ctx *ctx, Elf *archive, Elf_Cmd command, uint64_t size,
                                 const char *name, plussi_texts *texts)
{
    uint64_t member_end = MAGIC;
    pluss_status status = read_members(ctx, archive, command, name, &member_end, texts);
    return status ? status : check_end(ctx, member_end, size, name);
}

static pluss_status read_elf(plussi_ctx *ctx, Elf *elf, bool mapped, uint64_t size,
                             const char *name, plussi_texts *texts)
{
    plussi_loc loc = {.file = name};
    if (!elf)
        return plussi_fail(ctx, PLUSS_EFORMAT, &loc, "not a valid ELF file: %s", elf_errmsg(-1));
    (void)elf_errno(); /* clears earlier errors */
    pluss_status status;
    switch (elf_kind(elf)) {
    case ELF_K_ELF:
        status = read_object(ctx, elf, name, texts);
        break;
    case ELF_K_AR:
        /* members of an archive in memory have no file */
        status = read_archive(ctx, elf, mapped ? ELF_C_READ_MMAP : ELF_C_READ, size, name, texts);
        break;
    default:
        status = plussi_fail(ctx, PLUSS_EFORMAT, &loc, "damaged ELF file or archive");
    }
    elf_end(elf);
    return status;
}

static pluss_status start_libelf(plussi_ctx *ctx)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return plussi_fail(ctx, PLUSS_EINTERNAL, NULL, "libelf is of another ELF version");
    return PLUSS_OK;
}

pluss_status plussi_elf_read_file(plussi_ctx *ctx, int fd, uint64_t size, const char *name,
                                  plussi_texts *texts)
{
    pluss_status status = start_libelf(ctx);
    return status ? status
                  : read_elf(ctx, elf_begin(fd, ELF_C_READ, NULL), false, size, name, texts);
}

pluss_status plussi_elf_read_image(plussi_ctx *ctx, const void *image, size_t bytes,
                                   const char *name, plussi_texts *texts)
{
    pluss_status status = start_libelf(ctx);
    if (status)
        return status;
    char *copy = plussi_alloc(&ctx->mem, bytes, 1); /* aligned and writable, as libelf needs it */
    if (!copy)
        return PLUSS_ENOMEM;
    memcpy(copy, image, bytes);
    status = read_elf(ctx, elf_memory(copy, bytes), true, bytes, name, texts);
    plussi_free(&ctx->mem, copy);
    return status;
}

#else

#include "object/object.h"

static pluss_status refuse_file(plussi_ctx *ctx, const char *name)
{
    plussi_loc loc = {.file = name};
    return plussi_fail(ctx, PLUSS_EUNSUPPORTED, &loc,
                       "an ELF file or archive, which this library was built without reading");
}

pluss_status plussi_elf_read_file(plussi_ctx *ctx, int fd, uint64_t size, const char *name,
                                  plussi_texts *texts)
{
    (void)fd, (void)size, (void)texts;
    return refuse_file(ctx, name);
}

pluss_status plussi_elf_read_image(plussi_ctx *ctx, const void *image, size_t bytes,
                                   const char *name, plussi_texts *texts)
{
    (void)image, (void)bytes, (void)texts;
    return refuse_file(ctx, name);
}

#endif
