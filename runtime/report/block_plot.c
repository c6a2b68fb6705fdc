/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves as plots of block characters, for terminals: a plot for each team, miss ratio up, size of
 * the cache to the right, an eighth of a character's height apart.
 */
#include <math.h>
#include <string.h>

#include "report/point.h"
#include "report/report.h"
#include "report/sink.h"

enum {
    COLUMNS = 72,
    ROWS = 8,
    EIGHTHS = 8,
    ASIDE = 8,
    CELL = 4 /* bytes of a character, at most */
};

/* What fills a cell by eighths: none, an eighth, ..., all. */
static const char *const blocks[EIGHTHS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const letters[EIGHTHS + 1] = {" ", ".", ".", ":", ":", "+", "+", "#", "#"};

typedef struct plot {
    const plussi_curve *curve;
    const plussi_report_caches *caches;
    double octaves; /* from one line to the right end */
    double top;     /* miss ratio at the upper end */
    bool ascii;
} plot;

/* Lines of the cache in the middle of a column. */
static double lines_at(const plot *p, unsigned column)
{
    return floor(exp2(p->octaves * (column + 0.5) / COLUMNS));
}

static void add_row(const plot *p, unsigned row, plussi_section *section)
{
    char text[COLUMNS * CELL + 1] = "", label[PLUSSI_NUMBER] = "";
    size_t n = 0, end = 0;
    for (unsigned c = 0; c < COLUMNS; c++) {
        const double height = plussi_mrc_at(&p->curve->mrc, lines_at(p, c)) / p->top * ROWS;
        const double eighths = (height - (ROWS - 1 - row)) * EIGHTHS;
        const int filled = eighths <= 0 ? 0 : eighths >= EIGHTHS ? EIGHTHS : (int)ceil(eighths);
        const char *cell = (p->ascii ? letters : blocks)[filled];
        memcpy(text + n, cell, strlen(cell) + 1);
        n += strlen(cell);
        end = filled ? n : end;
    }
    text[end] = '\0';
    if (row == 0 || row == ROWS / 2)
        plussi_text_general(label, 100 * p->top * (ROWS - row) / ROWS, 3);
    plussi_add_line(section, "%*s%s %s %s", ASIDE - 4 - (int)strlen(label), "", label,
                    *label ? "%" : " ", text);
}

/* The column of a size; COLUMNS: beyond the end. */
static unsigned column_of(const plot *p, double bytes)
{
    const double at = log2(fmax(1, bytes / p->curve->id.line_bytes)) / p->octaves * COLUMNS;
    return at >= COLUMNS ? COLUMNS : (unsigned)at;
}

/* Puts a text where it has room. */
static bool put_at(char *line, unsigned column, const char *text)
{
    const size_t n = strlen(text), last = COLUMNS + ASIDE;
    for (size_t i = column > 0 ? column - 1 : 0; i <= column + n; i++)
        if (i < last && line[i] != ' ')
            return false;
    if (column + n > last)
        return false;
    memcpy(line + column, text, n);
    return true;
}

static void add_line(const char *line, plussi_section *section)
{
    size_t n = COLUMNS + ASIDE;
    while (n > 0 && line[n - 1] == ' ')
        n--;
    plussi_add_line(section, "%*s%.*s", ASIDE - 1, "", (int)n, line);
}

/* Sizes below the plot, each at its place, and the caches below these. */
static void add_axis(const plot *p, plussi_section *section)
{
    char line[COLUMNS + ASIDE], text[PLUSSI_NUMBER + 32];
    const unsigned every = (unsigned)p->octaves / 9 + 1;
    memset(line, ' ', sizeof line);
    for (unsigned o = 0; o <= (unsigned)p->octaves && o < 58; o += every) {
        plussi_text_bytes(text, (uint64_t)p->curve->id.line_bytes << o);
        (void)put_at(line, column_of(p, (double)((uint64_t)p->curve->id.line_bytes << o)), text);
    }
    add_line(line, section);
    memset(line, ' ', sizeof line);
    for (size_t i = 0; i < p->caches->n; i++) {
        const plussi_report_cache *c = &p->caches->cache[i];
        const unsigned column = column_of(p, (double)c->bytes);
        if (column == COLUMNS)
            continue;
        text[0] = '^';
        strncpy(text + 1, c->label ? c->label : "", 20);
        text[21] = '\0';
        (void)put_at(line, column, text);
    }
    if (p->caches->n)
        add_line(line, section);
}

static void add_plot(const plussi_curve *curve, const plussi_report_caches *caches, bool ascii,
                     plussi_section *in)
{
    plussi_document *document = in->document;
    const plussi_identity *id = &curve->id;
    plot p = {.curve = curve, .caches = caches, .ascii = ascii, .top = 1};
    double last = 2 * fmax(1, (double)curve->footprint_lines);
    for (size_t i = 0; i < caches->n; i++)
        if ((double)caches->cache[i].bytes < 64 * last * id->line_bytes)
            last = fmax(last, 2 * (double)caches->cache[i].bytes / id->line_bytes);
    p.octaves = fmax(4, log2(last));
    while (p.top > 1e-4 && plussi_mrc_at(&curve->mrc, 1) <= p.top / 2)
        p.top /= 2;
    const char *values = plussi_report_values(document, id);
    plussi_section *section = plussi_add_section(
        in, NULL,
        plussi_document_text(document, "%s, T = %u%s%s%s%s%s: miss ratio by size of the cache",
                             id->region, id->team,
                             plussi_cache_text(document, id->threads_per_cache),
                             *values ? ", " : "", values, *id->schedule ? ", " : "", id->schedule));
    for (unsigned row = 0; row < ROWS; row++)
        add_row(&p, row, section);
    add_axis(&p, section);
}

void plussi_report_plots(const plussi_result *result, const plussi_report_caches *caches,
                         bool ascii, plussi_document *document)
{
    for (size_t i = 0; i < result->n; i++)
        add_plot(&result->curve[i], caches, ascii, document->root);
}
