/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object/object.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nest/nest.h"

enum { MAGIC = 8, TEXT_STEP = 64 * 1024 };

typedef enum file_kind { KIND_ELF, KIND_ARCHIVE, KIND_THIN_ARCHIVE, KIND_TEXT } file_kind;

static file_kind kind_of(const unsigned char *head, size_t n)
{
    if (n >= 4 && memcmp(head, "\177ELF", 4) == 0)
        return KIND_ELF;
    if (n >= 8 && memcmp(head, "!<arch>\n", 8) == 0)
        return KIND_ARCHIVE;
    if (n >= 8 && memcmp(head, "!<thin>\n", 8) == 0)
        return KIND_THIN_ARCHIVE;
    return KIND_TEXT;
}

/* Texts with NULs after them, as in the section of an object file. */
static pluss_status from_section(plussi_ctx *ctx, const char *text, size_t length, const char *name,
                                 plussi_texts *texts)
{
    static const char begin[] = "pluss-nest ";
    plussi_loc loc = {.file = name};
    size_t number = 0;
    for (size_t at = 0, n; at < length; at += n + 1) {
        n = strnlen(text + at, length - at);
        if (n < sizeof begin - 1 || memcmp(text + at, begin, sizeof begin - 1) != 0)
            return plussi_fail(ctx, PLUSS_EFORMAT, &loc,
                               "neither an ELF file, an ar archive nor a nest description");
        pluss_status status = plussi_texts_add(texts, text + at, n, name, ++number);
        if (status)
            return status;
    }
    return PLUSS_OK;
}

static pluss_status from_text(plussi_ctx *ctx, const char *text, size_t length, const char *name,
                              plussi_texts *texts)
{
    plussi_loc loc = {.file = name};
    if (length > PLUSSI_MAX_TEXT)
        return plussi_fail(ctx, PLUSS_ELIMIT, &loc,
                           "a nest description may have %d bytes at most (PLUSSI_MAX_TEXT)",
                           PLUSSI_MAX_TEXT);
    if (!memchr(text, '\0', length))
        return plussi_texts_add(texts, text, length, name, 0);
    return from_section(ctx, text, length, name, texts);
}

static pluss_status refuse_thin(plussi_ctx *ctx, const char *name)
{
    plussi_loc loc = {.file = name};
    return plussi_fail(ctx, PLUSS_EFORMAT, &loc,
                       "a thin archive holds no objects: name its members instead");
}

/* Reads a text of unknown length: the file may be a pipe. */
static pluss_status read_whole(plussi_ctx *ctx, int fd, const char *path, const unsigned char *head,
                               size_t n_head, char **out, size_t *length)
{
    size_t room = TEXT_STEP, used = n_head;
    char *text = plussi_alloc(&ctx->mem, room, 1);
    if (!text)
        return PLUSS_ENOMEM;
    memcpy(text, head, n_head);
    for (;;) {
        ssize_t got = read(fd, text + used, room - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            plussi_loc loc = {.file = path};
            plussi_free(&ctx->mem, text);
            return plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
        }
        used += (size_t)got;
        if (got == 0 || used > PLUSSI_MAX_TEXT)
            break;
        if (used == room) {
            char *grown = plussi_realloc(&ctx->mem, text, 2 * room, 1);
            if (!grown) {
                plussi_free(&ctx->mem, text);
                return PLUSS_ENOMEM;
            }
            text = grown;
            room *= 2;
        }
    }
    *out = text;
    *length = used;
    return PLUSS_OK;
}

static pluss_status read_open(plussi_ctx *ctx, int fd, const char *path, plussi_texts *texts)
{
    plussi_loc loc = {.file = path};
    struct stat file;
    unsigned char head[MAGIC];
    size_t n = 0;
    while (n < MAGIC) {
        ssize_t got = read(fd, head + n, MAGIC - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
        if (got == 0)
            break;
        n += (size_t)got;
    }
    switch (kind_of(head, n)) {
    case KIND_ELF:
    case KIND_ARCHIVE:
        if (fstat(fd, &file) != 0)
            return plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be read: %s", strerror(errno));
        return plussi_elf_read_file(ctx, fd, (uint64_t)file.st_size, path, texts);
    case KIND_THIN_ARCHIVE:
        return refuse_thin(ctx, path);
    case KIND_TEXT:
        break;
    }
    char *text = NULL;
    size_t length = 0;
    pluss_status status = read_whole(ctx, fd, path, head, n, &text, &length);
    if (!status) {
        status = from_text(ctx, text, length, path, texts);
        plussi_free(&ctx->mem, text);
    }
    return status;
}

static pluss_status finish_texts(plussi_texts *texts, pluss_status status, plussi_texts *out)
{
    if (!status)
        status = plussi_texts_unique(texts);
    if (status) {
        plussi_texts_free(texts);
        return status;
    }
    plussi_linked_resolve(texts);
    *out = *texts;
    return PLUSS_OK;
}

pluss_status plussi_object_read(plussi_ctx *ctx, const char *path, plussi_texts *out)
{
    plussi_loc loc = {.file = path};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be opened: %s", strerror(errno));
    plussi_texts texts;
    plussi_texts_init(&texts, &ctx->mem);
    pluss_status status = read_open(ctx, fd, path, &texts);
    close(fd);
    return finish_texts(&texts, status, out);
}

pluss_status plussi_object_read_image(plussi_ctx *ctx, const void *image, size_t bytes,
                                      const char *name, plussi_texts *out)
{
    plussi_texts texts;
    plussi_texts_init(&texts, &ctx->mem);
    pluss_status status;
    file_kind kind = kind_of(image, bytes);
    if (kind == KIND_THIN_ARCHIVE) {
        status = refuse_thin(ctx, name);
    } else if (kind == KIND_TEXT) {
        status = from_text(ctx, image, bytes, name, &texts);
    } else {
        status = plussi_elf_read_image(ctx, image, bytes, name, &texts);
    }
    return finish_texts(&texts, status, out);
}
