/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_coverage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/fold_objects.h"

enum { LINE = 512 };

typedef struct numbers {
    uint64_t *number; /* ascending, once each, when they are sorted */
    size_t n, cap;
} numbers;

typedef struct coverage {
    plussi_ctx *ctx;
    numbers executed;       /* sites */
    numbers functions;      /* that have one of them, by a hash of their names */
    numbers known, missing; /* sites of those */
    char first[LINE];       /* of what is missing, as its line has it */
    bool again;             /* the lines are read a second time: the functions are known */
} coverage;

static int compare(const void *x, const void *y)
{
    const uint64_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

static pluss_status add(coverage *c, numbers *to, uint64_t number)
{
    pluss_status status =
        plussi_grow(&c->ctx->mem, &to->number, &to->cap, to->n, sizeof *to->number);
    if (!status)
        to->number[to->n++] = number;
    return status;
}

static void sort(numbers *list)
{
    size_t n = 0;
    if (list->n > 1)
        qsort(list->number, list->n, sizeof *list->number, compare);
    for (size_t i = 0; i < list->n; i++)
        if (i == 0 || list->number[i] != list->number[n - 1])
            list->number[n++] = list->number[i];
    list->n = n;
}

static bool has(const numbers *list, uint64_t number)
{
    return list->n > 0 && bsearch(&number, list->number, list->n, sizeof number, compare) != NULL;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 14695981039346656037u;
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static pluss_status take_site(coverage *c, uint64_t pc, const char *name)
{
    bool executed = has(&c->executed, pc);
    if (!c->again)
        return executed ? add(c, &c->functions, hash_name(name)) : PLUSS_OK;
    if (!has(&c->functions, hash_name(name)))
        return PLUSS_OK;
    if (!executed && c->missing.n == 0)
        snprintf(c->first, sizeof c->first, "site 0x%" PRIx64 " in %s", pc, name);
    pluss_status status = add(c, &c->known, pc);
    return status || executed ? status : add(c, &c->missing, pc);
}

static pluss_status take_line(void *user, const char *line, const plussi_loc *loc)
{
    coverage *c = user;
    if (strncmp(line, "site ", 5) != 0)
        return PLUSS_OK;
    char *end;
    uint64_t pc = strtoull(line + 5, &end, 0);
    return end > line + 5 && *end == ' ' && end[1]
               ? take_site(c, pc, end + 1)
               : plussi_fail(c->ctx, PLUSS_EFORMAT, loc, "found '%.40s', expected site PC FUNCTION",
                             line);
}

pluss_status plussi_fold_warn_of_gaps(plussi_ctx *ctx, const plussi_fold_run *run, size_t n_runs,
                                      const char *path)
{
    coverage c = {.ctx = ctx};
    pluss_status status = PLUSS_OK;
    for (size_t r = 0; r < n_runs; r++)
        for (size_t i = 0; i < run[r].n_tags && !status; i++)
            if (run[r].tag[i].bytes)
                status = add(&c, &c.executed, run[r].tag[i].site);
    sort(&c.executed);
    for (int i = 0; i < 2 && !status; i++) {
        c.again = i > 0;
        status = plussi_fold_each_line(ctx, path, take_line, &c);
        sort(&c.functions);
    }
    sort(&c.known);
    sort(&c.missing);
    if (!status && c.missing.n > 0)
        plussi_report(ctx, PLUSSI_WARNING, PLUSS_EUNSUPPORTED, NULL,
                      "no run executes %zu of the %zu accesses in the code of functions that are "
                      "traced, the first at %s: the nest does not have them, and is not the "
                      "program's where sizes reach them",
                      c.missing.n, c.known.n, c.first);
    plussi_free(&ctx->mem, c.executed.number);
    plussi_free(&ctx->mem, c.functions.number);
    plussi_free(&ctx->mem, c.known.number);
    plussi_free(&ctx->mem, c.missing.number);
    return status;
}
