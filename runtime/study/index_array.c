/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "study/request.h"

/* The next word is read, and *line counted on. 1: an integer; 0: the end; -1: refused. */
static int read_integer(plussi_ctx *ctx, const char *path, FILE *file, uint32_t *line, int64_t *out)
{
    char word[32];
    size_t n = 0;
    int byte;
    while ((byte = getc(file)) != EOF && isspace(byte))
        *line += byte == '\n';
    for (; byte != EOF && !isspace(byte) && n + 1 < sizeof word; byte = getc(file))
        word[n++] = (char)byte;
    word[n] = '\0';
    if (byte != EOF)
        (void)ungetc(byte, file);
    plussi_argument a = {.text = word, .at = word};
    bool whole = (byte == EOF || isspace(byte)) && strlen(word) == n;
    if (!whole)
        a.why = "a number of at most 31 characters is expected";
    if (n == 0 || (whole && plussi_read_integer(&a, out) && plussi_at_end(&a)))
        return n > 0;
    (void)plussi_fail(ctx, PLUSS_EFORMAT, &(plussi_loc){.file = path, .line = *line}, "'%s': %s",
                      word, a.why);
    return -1;
}

pluss_status plussi_read_index_array(plussi_ctx *ctx, const char *path, int64_t **values, size_t *n)
{
    const plussi_loc loc = {.file = path};
    FILE *file = fopen(path, "re");
    if (!file)
        return plussi_fail(ctx, PLUSS_EIO, &loc, "%s", strerror(errno));
    int64_t *list = NULL, value;
    size_t used = 0, cap = 0;
    uint32_t line = 1;
    int more;
    pluss_status status = PLUSS_OK;
    while (!status && (more = read_integer(ctx, path, file, &line, &value)) != 0) {
        status = more < 0 ? PLUSS_EFORMAT : plussi_grow(&ctx->mem, &list, &cap, used, sizeof *list);
        if (!status)
            list[used++] = value;
    }
    if (!status && ferror(file))
        status = plussi_fail(ctx, PLUSS_EIO, &loc, "%s", strerror(errno));
    fclose(file);
    if (status) {
        plussi_free(&ctx->mem, list);
        return status;
    }
    *values = list;
    *n = used;
    return PLUSS_OK;
}
