/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "truth_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pluss.h"

static int bad(const char *path, int line, const char *what)
{
    fprintf(stderr, "%s:%d: error: %s\n", path, line, what);
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

static int header_line(truth *t, const char *line)
{
    const char *v;
    if ((v = value_of(line, "kernel")))
        return copy(t->kernel, sizeof t->kernel, v);
    if ((v = value_of(line, "size")))
        return copy(t->size, sizeof t->size, v);
    if ((v = value_of(line, "schedule")))
        return copy(t->schedule, sizeof t->schedule, v);
    if ((v = value_of(line, "symbols")))
        return copy(t->symbols, sizeof t->symbols, v);
    if ((v = value_of(line, "contents")))
        return copy(t->contents, sizeof t->contents, v);
    if ((v = value_of(line, "team")))
        return sscanf(v, "%" SCNu32, &t->team) == 1 && t->team ? 0 : -1;
    if ((v = value_of(line, "seeds")))
        return sscanf(v, "%" SCNu64 "..%" SCNu64, &t->first_seed, &t->last_seed) == 2 ? 0 : -1;
    if ((v = value_of(line, "accesses")))
        return sscanf(v, "%" SCNu64, &t->accesses) == 1 ? 0 : -1;
    if ((v = value_of(line, "footprint")))
        return sscanf(v, "%" SCNu64, &t->footprint) == 1 ? 0 : -1;
    return value_of(line, "line") || value_of(line, "made-by") ? 0 : -1;
}

int truth_read(const char *path, truth *out)
{
    FILE *in = fopen(path, "r");
    if (!in)
        return bad(path, 0, "cannot be opened");
    char line[1024];
    int number = 0, ended = 0, failed = 0;
    memset(out, 0, sizeof *out);
    while (!failed && !ended && fgets(line, sizeof line, in)) {
        number++;
        line[strcspn(line, "\n")] = '\0';
        truth_point p;
        if (number == 1)
            failed = strcmp(line, "pluss-truth 1") ? bad(path, number, "not a truth file") : 0;
        else if (strcmp(line, "end") == 0)
            ended = 1;
        else if (sscanf(line, "%" SCNu64 " %lf %lf", &p.lines, &p.miss, &p.sd) == 3) {
            if (out->n == TRUTH_MAX_POINTS || (out->n && out->point[out->n - 1].lines >= p.lines))
                failed = bad(path, number, "points must ascend, at most 1024 of them");
            else
                out->point[out->n++] = p;
        } else if (header_line(out, line))
            failed = bad(path, number, "expected a header line or a point");
    }
    if (!failed && (!ended || !out->n || !out->team))
        failed = bad(path, number, "the file is not complete");
    fclose(in);
    return failed;
}

void truth_write(const truth *t, FILE *out)
{
    fprintf(out,
            "pluss-truth 1\nkernel %s\nsize %s\nteam %" PRIu32 "\nschedule %s\nsymbols %s\n"
            "%s%s%sseeds %" PRIu64 "..%" PRIu64 "\nline 64\naccesses %" PRIu64
            "\nfootprint %" PRIu64 "\nmade-by pluss %s: make truth\n",
            t->kernel, t->size, t->team, t->schedule, t->symbols, t->contents[0] ? "contents " : "",
            t->contents, t->contents[0] ? "\n" : "", t->first_seed, t->last_seed, t->accesses,
            t->footprint, pluss_version());
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
