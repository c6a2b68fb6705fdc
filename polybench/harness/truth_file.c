/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "truth_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "pluss.h"

static int bad(const truth_table *table, const char *what)
{
    fprintf(stderr, "%s:%d: error: %s\n", table->path, table->line, what);
    return -1;
}

/* "key rest of the line" -> rest, or NULL. */
static const char *value_of(const char *line, const char *key)
{
    size_t n = strlen(key);
    return strncmp(line, key, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

static int copy(char *dst, size_t room, const char *src)
{
    if (strlen(src) >= room)
        return -1;
    strcpy(dst, src);
    return 0;
}

/* A line of what all kernels of a table share. */
static int read_shared(truth_table *table, const char *line)
{
    truth *t = &table->shared;
    const char *v;
    if ((v = value_of(line, "size")))
        return copy(t->size, sizeof t->size, v);
    if ((v = value_of(line, "schedule")))
        return copy(t->schedule, sizeof t->schedule, v);
    if ((v = value_of(line, "team")))
        return sscanf(v, "%" SCNu32, &t->team) == 1 && t->team ? 0 : -1;
    if ((v = value_of(line, "seeds")))
        return sscanf(v, "%" SCNu64 "..%" SCNu64, &t->first_seed, &t->last_seed) == 2 ? 0 : -1;
    if ((v = value_of(line, "kernels")))
        return sscanf(v, "%d", &table->kernels) == 1 && table->kernels > 0 ? 0 : -1;
    return strcmp(line, "line 64") == 0 || value_of(line, "made-by") ? 0 : -1;
}

static int read_own(truth *t, const char *line)
{
    const char *v;
    if ((v = value_of(line, "symbols")))
        return copy(t->symbols, sizeof t->symbols, v);
    if ((v = value_of(line, "contents")))
        return copy(t->contents, sizeof t->contents, v);
    if ((v = value_of(line, "accesses")))
        return sscanf(v, "%" SCNu64, &t->accesses) == 1 ? 0 : -1;
    if ((v = value_of(line, "footprint")))
        return sscanf(v, "%" SCNu64, &t->footprint) == 1 ? 0 : -1;
    return -1;
}

static bool next_line(truth_table *table, char *line, size_t room)
{
    if (!fgets(line, (int)room, table->in))
        return false;
    table->line++;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

enum { LINE = 1024 };

int truth_open(const char *name, truth_table *table)
{
    memset(table, 0, sizeof *table);
    snprintf(table->path, sizeof table->path, "%s", name);
    char *colon = strrchr(table->path, ':');
    if (colon) {
        *colon = '\0';
        snprintf(table->wanted, sizeof table->wanted, "%s", colon + 1);
    }
    table->in = fopen(table->path, "re");
    if (!table->in)
        return bad(table, "cannot be opened");
    char line[LINE] = "";
    int failed = 0;
    if (!next_line(table, line, sizeof line) || strcmp(line, "pluss-truth 2") != 0)
        failed = bad(table, "not a table of exact curves");
    while (!failed && next_line(table, line, sizeof line) && line[0])
        if (read_shared(table, line))
            failed = bad(table, "expected a line that all kernels share, or an empty one");
    if (!failed && (!table->kernels || !table->shared.team))
        failed = bad(table, "the number of kernels or of threads is missing");
    if (failed)
        fclose(table->in);
    return failed;
}

/* The lines behind `kernel NAME`, to `end`. */
static int read_curve(truth_table *table, truth *out)
{
    char line[LINE];
    while (next_line(table, line, sizeof line)) {
        truth_point p;
        if (strcmp(line, "end") == 0)
            return out->n ? 0 : bad(table, "a curve without points");
        if (sscanf(line, "%" SCNu64 " %lf %lf", &p.lines, &p.miss, &p.sd) == 3) {
            if (out->n == TRUTH_MAX_POINTS || (out->n && out->point[out->n - 1].lines >= p.lines))
                return bad(table, "points must ascend, at most 1024 of them");
            out->point[out->n++] = p;
        } else if (read_own(out, line)) {
            return bad(table, "expected a line of this kernel, a point, or end");
        }
    }
    return bad(table, "the curve does not end");
}

int truth_next(truth_table *table, truth *out)
{
    char line[LINE];
    while (next_line(table, line, sizeof line)) {
        const char *kernel = value_of(line, "kernel");
        if (!line[0])
            continue;
        *out = table->shared;
        if (!kernel || copy(out->kernel, sizeof out->kernel, kernel))
            return bad(table, "expected a line kernel NAME");
        if (read_curve(table, out))
            return -1;
        table->found++;
        if (!table->wanted[0])
            return 1;
        if (strcmp(kernel, table->wanted) == 0) { /* the rest is not read */
            table->wanted[0] = '\0';
            table->kernels = table->found;
            return fseek(table->in, 0, SEEK_END) ? bad(table, "cannot be read") : 1;
        }
    }
    if (table->found != table->kernels)
        return bad(table, "another number of kernels than its head says");
    return table->wanted[0] ? bad(table, "there is no curve of the kernel that is asked for") : 0;
}

void truth_close(truth_table *table)
{
    fclose(table->in);
}

void truth_write(const truth *t, FILE *out)
{
    fprintf(out,
            "pluss-truth 2\nsize %s\nteam %" PRIu32 "\nschedule %s\nseeds %" PRIu64 "..%" PRIu64
            "\nline 64\nmade-by pluss %s: make truth\nkernels 1\n\nkernel %s\nsymbols %s\n%s%s%s"
            "accesses %" PRIu64 "\nfootprint %" PRIu64 "\n",
            t->size, t->team, t->schedule, t->first_seed, t->last_seed, pluss_version(), t->kernel,
            t->symbols, t->contents[0] ? "contents " : "", t->contents, t->contents[0] ? "\n" : "",
            t->accesses, t->footprint);
    for (size_t i = 0; i < t->n; i++)
        fprintf(out, "%" PRIu64 " %.12f %.2e\n", t->point[i].lines, t->point[i].miss,
                t->point[i].sd);
    fputs("end\n", out);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

size_t truth_grid(uint64_t footprint, int strict, int paper, uint64_t *lines)
{
    size_t n = 0;
    uint64_t paper_end = (UINT64_C(32) << 20) / 64;
    for (int k = 0; strict && n < TRUTH_MAX_POINTS / 2; k++) {
        uint64_t size = (uint64_t)llround(exp2(k / 8.0));
        if (size >= footprint)
            break;
        lines[n++] = size;
    }
    if (strict)
        lines[n++] = footprint;
    for (int k = 0; paper && n < TRUTH_MAX_POINTS; k++) {
        uint64_t size = (uint64_t)llround(exp2(k / 4.0));
        if (size > paper_end)
            break;
        lines[n++] = size < footprint ? size : footprint;
    }
    qsort(lines, n, sizeof *lines, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || lines[kept - 1] != lines[i])
            lines[kept++] = lines[i];
    return kept;
}

double truth_at(const truth *t, uint64_t lines)
{
    size_t i = 0;
    while (i + 1 < t->n && t->point[i + 1].lines <= lines)
        i++;
    return t->point[i].miss;
}
