/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_objects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_objects(const void *x, const void *y)
{
    const plussi_fold_object *a = x, *b = y;
    return a->address != b->address ? (a->address < b->address ? -1 : 1)
                                    : (a->bytes > b->bytes ? -1 : a->bytes < b->bytes);
}

/* The object among those from, ..., to - 1 at this address; SIZE_MAX: none. */
static size_t find_among(const plussi_fold_run *run, size_t from, size_t to, uint64_t address)
{
    size_t lo = from, hi = to;
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (run->object[middle].address <= address)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > from && address - run->object[lo - 1].address < run->object[lo - 1].bytes
               ? lo - 1
               : SIZE_MAX;
}

size_t plussi_fold_find_named(const plussi_fold_run *run, uint64_t address)
{
    return find_among(run, 0, run->n_named, address);
}

/* The name, NULL where there is none, is the run's. */
static pluss_status add_object(plussi_fold_run *run, uint64_t address, uint64_t bytes, char *name)
{
    pluss_status status = run->n_objects < PLUSSI_FOLD_OBJECTS
                              ? plussi_grow(&run->mem, &run->object, &run->cap_objects,
                                            run->n_objects, sizeof *run->object)
                              : PLUSS_ELIMIT;
    if (status)
        plussi_free(&run->mem, name);
    else
        run->object[run->n_objects++] = (plussi_fold_object){name, address, bytes, 0};
    return status;
}

static void drop_object(plussi_fold_run *run, size_t at)
{
    plussi_free(&run->mem, run->object[at].name);
    run->n_objects--;
    memmove(&run->object[at], &run->object[at + 1], (run->n_objects - at) * sizeof *run->object);
}

/* Sorts them, and removes the smaller of two that overlap. */
static void sort_objects(plussi_fold_run *run)
{
    if (run->n_objects > 1)
        qsort(run->object, run->n_objects, sizeof *run->object, compare_objects);
    for (size_t i = 1; i < run->n_objects;) {
        const plussi_fold_object *a = &run->object[i - 1], *b = &run->object[i];
        if (b->address - a->address >= a->bytes)
            i++;
        else
            drop_object(run, a->bytes < b->bytes ? i - 1 : i);
        i += i == 0;
    }
}

/* ---- the file ----------------------------------------------------------------------------------
 */

/* ADDRESS BYTES NAME */
static pluss_status read_line(plussi_ctx *ctx, plussi_fold_run *run, const char *line,
                              const plussi_loc *loc)
{
    char *end;
    errno = 0;
    uint64_t address = strtoull(line, &end, 0), bytes = 0;
    bool fits = end > line && *end == ' ' && line[0] != '-';
    if (fits) {
        const char *text = end + 1;
        bytes = strtoull(text, &end, 0);
        fits = end > text && *end == ' ' && text[0] != '-' && end[1] != 0;
    }
    if (!fits || errno || bytes == 0 || address > UINT64_MAX - bytes || strchr(end, '`'))
        return plussi_fail(ctx, PLUSS_EFORMAT, loc, "found '%.40s', expected ADDRESS BYTES NAME",
                           line);
    char *name = plussi_strndup(&run->mem, end + 1, strnlen(end + 1, 200));
    return name ? add_object(run, address, bytes, name) : PLUSS_ENOMEM;
}

pluss_status plussi_fold_each_line(plussi_ctx *ctx, const char *path, plussi_fold_line_fn take,
                                   void *user)
{
    char line[512], *name = plussi_alloc(&ctx->mem, strlen(path) + sizeof ".objects", 1);
    if (!name)
        return PLUSS_ENOMEM;
    strcat(strcpy(name, path), ".objects");
    FILE *in = fopen(name, "r");
    plussi_loc loc = {.file = name};
    pluss_status status = PLUSS_OK;
    while (in && !status && fgets(line, sizeof line, in)) {
        loc.line++;
        line[strcspn(line, "\n")] = 0;
        status = take(user, line, &loc);
    }
    if (in && !status && ferror(in))
        status = plussi_fail(ctx, PLUSS_EIO, &loc, "cannot be read");
    if (in)
        fclose(in);
    plussi_free(&ctx->mem, name);
    return status;
}

typedef struct reader {
    plussi_ctx *ctx;
    plussi_fold_run *run;
} reader;

static pluss_status take_object(void *user, const char *line, const plussi_loc *loc)
{
    const reader *r = user;
    if (!line[0] || line[0] == '#' || strncmp(line, "site ", 5) == 0 ||
        strncmp(line, "code ", 5) == 0 || strncmp(line, "watch ", 6) == 0)
        return PLUSS_OK;
    pluss_status status = read_line(r->ctx, r->run, line, loc);
    if (status == PLUSS_ELIMIT)
        plussi_report(r->ctx, PLUSSI_ERROR, status, loc, "more than %d objects",
                      PLUSSI_FOLD_OBJECTS);
    return status;
}

pluss_status plussi_fold_read_objects(plussi_ctx *ctx, const char *path, plussi_fold_run *run)
{
    pluss_status status = plussi_fold_each_line(ctx, path, take_object, &(reader){ctx, run});
    sort_objects(run);
    run->n_named = run->n_objects;
    return status;
}

/* ---- objects of sites ---------------------------------------------------------------------------
 */

pluss_status plussi_fold_find_ranges(plussi_fold_run *run)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < run->n_tags && !status; i++)
        if (run->tag[i].bytes && run->tag[i].object == (uint32_t)PLUSSI_FOLD_NOWHERE)
            status = add_object(run, run->tag[i].lo, run->tag[i].hi - run->tag[i].lo, NULL);
    if (status || run->n_objects == run->n_named)
        return status;
    qsort(&run->object[run->n_named], run->n_objects - run->n_named, sizeof *run->object,
          compare_objects);
    for (size_t i = run->n_named + 1; i < run->n_objects;) {
        plussi_fold_object *a = &run->object[i - 1], *b = &run->object[i];
        uint64_t end = b->address + b->bytes;
        if (b->address - a->address >= a->bytes) {
            i++;
            continue;
        }
        if (end - a->address > a->bytes)
            a->bytes = end - a->address;
        drop_object(run, i);
    }
    for (size_t i = 0; i < run->n_tags; i++)
        if (run->tag[i].bytes && run->tag[i].object == (uint32_t)PLUSSI_FOLD_NOWHERE)
            run->tag[i].object =
                (uint32_t)find_among(run, run->n_named, run->n_objects, run->tag[i].lo);
    return PLUSS_OK;
}
