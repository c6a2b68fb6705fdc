/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pictures of curves, as SVG: a panel for each region and model, miss ratios up, sizes of the cache
 * to the right, both logarithmic, with bands of errors and the caches that are reported on. Where
 * there are curves of shared and of private caches, C_core and C_share are marked.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* In pixels, but for the number of sizes an octave that a curve is looked at, which is more than a
 * picture can show, and the number of curves that a panel can still tell apart. */
enum {
    HEIGHT = 540,
    LEFT = 88,
    RIGHT = 828,
    TOP = 64,
    BOTTOM = 468,
    LETTER = 7, /* about as wide as one of 13 pixels is */
    PER_OCTAVE = 64,
    MAX_CURVES = 16
};
static const double least_miss = 1e-6; /* %, at the bottom of the axis at most */

/* "1.25 MiB". */
static void bytes_text(uint64_t bytes, char out[32])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = 0;
    while (u < 6 && bytes >> (10 * (u + 1)) != 0)
        u++;
    double value = ldexp((double)bytes, -10 * u);
    snprintf(out, 32,
             value == floor(value) ? "%.0f %s"
             : value < 10          ? "%.2f %s"
                                   : "%.1f %s",
             value, unit[u]);
}

/* ---- panels -----------------------------------------------------------------------------------
 */

/* The curves of a panel, and where it draws: bytes and % at the ends of its axes. */
typedef struct panel {
    pluss_curve_info head;
    const pluss_result *result;
    const pluss_curve **curve;
    size_t *number; /* of each, in the result */
    size_t n;
    uint64_t last;
    double least;
} panel;

static pluss_curve_info info_of(const pluss_curve *curve)
{
    pluss_curve_info info = {.size = sizeof info};
    cli_must(pluss_curve_get_info(curve, &info));
    return info;
}

/* each: curves that differ in values or schedules have panels of their own. */
static bool same_panel(const pluss_curve_info *a, const pluss_curve_info *b, bool each)
{
    bool same = a->n_bindings == b->n_bindings && (!each || strcmp(a->schedule, b->schedule) == 0);
    for (size_t i = 0; i < a->n_bindings && same; i++)
        same = strcmp(a->bindings[i].name, b->bindings[i].name) == 0 &&
               (!each || a->bindings[i].value == b->bindings[i].value);
    return same && strcmp(a->region, b->region) == 0 && strcmp(a->engine, b->engine) == 0 &&
           a->line_bytes == b->line_bytes && a->line == b->line && a->simulated == b->simulated;
}

static void free_panels(panel *panels, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(panels[i].curve);
        free(panels[i].number);
    }
    free(panels);
}

/* Most curves of a panel. */
static size_t make_panels(const pluss_result *result, bool each, panel **panels, size_t *n)
{
    size_t most = 0;
    *panels = NULL;
    *n = 0;
    for (size_t i = 0; i < pluss_result_count(result); i++) {
        const pluss_curve *curve = pluss_result_get(result, i);
        const pluss_curve_info info = info_of(curve);
        size_t p = 0;
        while (p < *n && !same_panel(&(*panels)[p].head, &info, each))
            p++;
        if (p == *n) {
            *panels = cli_grow(*panels, *n, sizeof **panels);
            (*panels)[(*n)++] = (panel){.head = info, .result = result};
        }
        panel *to = &(*panels)[p];
        to->curve = cli_grow(to->curve, to->n, sizeof(pluss_curve *));
        to->number = cli_grow(to->number, to->n, sizeof *to->number);
        to->number[to->n] = i;
        to->curve[to->n++] = curve;
        most = to->n > most ? to->n : most;
    }
    return most;
}

static bool value_varies(const panel *p, size_t binding)
{
    for (size_t i = 0; i < p->n; i++)
        if (info_of(p->curve[i]).bindings[binding].value != p->head.bindings[binding].value)
            return true;
    return false;
}

static bool schedule_varies(const panel *p)
{
    for (size_t i = 0; i < p->n; i++)
        if (strcmp(info_of(p->curve[i]).schedule, p->head.schedule) != 0)
            return true;
    return false;
}

/* "T = 4, caches of 2 threads each, ts = 8, static, 1": what tells it from the others. The
 * caller's. */
static char *curve_label(const panel *p, size_t curve)
{
    const pluss_curve_info info = info_of(p->curve[curve]);
    char *label = info.threads_per_cache == 1 ? cli_text("T = %u, each thread's cache", info.team)
                  : info.threads_per_cache    ? cli_text("T = %u, caches of %u threads each",
                                                         info.team, info.threads_per_cache)
                                              : cli_text("T = %u", info.team);
    for (size_t i = 0; i < info.n_bindings; i++) {
        char *before = label;
        if (!value_varies(p, i))
            continue;
        label = cli_text("%s, %s = %lld", before, info.bindings[i].name,
                         (long long)info.bindings[i].value);
        free(before);
    }
    if (schedule_varies(p)) {
        char *before = label;
        label = cli_text("%s, %s", before, *info.schedule ? info.schedule : "as written");
        free(before);
    }
    return label;
}

/* End of the axis of sizes: beyond the footprints and the largest marked cache. */
static uint64_t last_size(const panel *p, const pluss_cache *cache, size_t n_caches)
{
    uint64_t last = 2 * (uint64_t)p->head.line_bytes;
    for (size_t i = 0; i < p->n; i++) {
        const pluss_curve_info info = info_of(p->curve[i]);
        if (info.footprint_lines < UINT64_MAX / 4 / info.line_bytes &&
            info.footprint_lines * info.line_bytes * 2 > last)
            last = info.footprint_lines * info.line_bytes * 2;
    }
    for (size_t i = 0; i < n_caches; i++)
        if (cache[i].bytes < UINT64_MAX / 4 && cache[i].bytes / 2 * 3 > last)
            last = cache[i].bytes / 2 * 3;
    return last;
}

/* ---- the axes ---------------------------------------------------------------------------------
 */

static double x_of(const panel *p, uint64_t bytes)
{
    return LEFT + (RIGHT - LEFT) * log2((double)bytes / p->head.line_bytes) /
                      log2((double)p->last / p->head.line_bytes);
}

static double y_of(const panel *p, double percent)
{
    return TOP + (BOTTOM - TOP) * log10(100 / percent) / log10(100 / p->least);
}

/* Text of XML; what XML has no place for is left out. */
static void put_text(FILE *svg, const char *text)
{
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '<' || c == '>' || c == '&' || c == '"')
            fprintf(svg, "&#%d;", c);
        else if (c >= 0x20 && c != 0x7f)
            fputc(c, svg);
    }
}

static void put_line(FILE *svg, double x, double y, double x2, double y2, const char *more)
{
    fprintf(svg, "<path d=\"M%.1f,%.1fL%.1f,%.1f\"%s/>\n", x, y, x2, y2, more);
}

/* Sizes that are powers of two times a line, at most 14 of them named. */
static void put_sizes(FILE *svg, const panel *p)
{
    const unsigned octaves = (unsigned)ceil(log2((double)p->last / p->head.line_bytes));
    for (unsigned i = 0; i <= octaves; i += octaves / 13 + 1) {
        const uint64_t bytes = (uint64_t)p->head.line_bytes << i;
        char text[32];
        if (bytes > p->last)
            break;
        bytes_text(bytes, text);
        put_line(svg, x_of(p, bytes), TOP, x_of(p, bytes), BOTTOM, " stroke=\"#e4e4e4\"");
        fprintf(svg,
                "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" font-size=\"12\">%s</text>\n",
                x_of(p, bytes), BOTTOM + 18, text);
    }
}

/* Powers of ten, named, and marks of their multiples. */
static void put_ratios(FILE *svg, const panel *p)
{
    for (double decade = 100; decade > p->least * 0.99; decade /= 10) {
        const double y = y_of(p, decade);
        put_line(svg, LEFT, y, RIGHT, y, " stroke=\"#e4e4e4\"");
        fprintf(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n", LEFT - 8, y + 4.5,
                decade);
        for (int i = 2; i < 10 && decade / 10 > p->least * 0.99; i++)
            put_line(svg, LEFT - 4, y_of(p, decade / 10 * i), LEFT, y_of(p, decade / 10 * i),
                     " stroke=\"#404040\"");
    }
}

/* Each marked cache: "L2 1 MiB, 2 threads each". */
static void put_caches(FILE *svg, const panel *p, const pluss_cache *cache, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[32];
        if (cache[i].bytes < p->head.line_bytes || cache[i].bytes > p->last)
            continue;
        const double x = x_of(p, cache[i].bytes);
        bytes_text(cache[i].bytes, text);
        put_line(svg, x, TOP, x, BOTTOM, " stroke=\"#808080\" stroke-dasharray=\"6 4\"");
        fprintf(svg,
                "<text transform=\"translate(%.1f,%d) rotate(-90)\" text-anchor=\"end\" "
                "fill=\"#606060\" font-size=\"11\">",
                x - 5, TOP + 6);
        put_text(svg, cache[i].label ? cache[i].label : "");
        fprintf(svg, "%s%s", cache[i].label ? " " : "", text);
        if (cache[i].threads == 1)
            fputs(", per thread", svg);
        else if (cache[i].threads)
            fprintf(svg, ", %u threads each", cache[i].threads);
        fputs("</text>\n", svg);
    }
}

static void put_axes(FILE *svg, const panel *p)
{
    bool shared = true, errors = false;
    for (size_t i = 0; i < p->n; i++) {
        shared = shared && !info_of(p->curve[i]).threads_per_cache;
        errors = errors || info_of(p->curve[i]).n_error_points;
    }
    put_sizes(svg, p);
    put_ratios(svg, p);
    fprintf(svg, "<path d=\"M%d,%dV%dH%d\" stroke=\"#404040\" fill=\"none\"/>\n", LEFT, TOP, BOTTOM,
            RIGHT);
    fprintf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">size of the %scache</text>\n",
            (LEFT + RIGHT) / 2, BOTTOM + 44, shared ? "shared " : "");
    fprintf(svg,
            "<text transform=\"translate(24,%d) rotate(-90)\" text-anchor=\"middle\">miss ratio, "
            "%%%s</text>\n",
            (TOP + BOTTOM) / 2, errors ? "; bands: +-2 standard errors" : "");
}

/* ---- curves -----------------------------------------------------------------------------------
 */

/* From one size to the next: %, and the ends of the error band. */
typedef struct step {
    uint64_t bytes;
    double miss, low, high;
} step;

/* Two standard errors at a size, %; 0: none is told. */
static double error_at(const pluss_curve_info *info, uint64_t lines)
{
    size_t i = 0;
    while (i + 1 < info->n_error_points && info->error_size_lines[i + 1] <= (double)lines)
        i++;
    return info->n_error_points && (double)lines <= (double)info->footprint_lines
               ? 200 * info->error[i]
               : 0;
}

/* The caller's, *n of them: where something changes, and the end of the axis. */
static step *find_steps(const panel *p, size_t curve, size_t *n)
{
    const pluss_curve_info info = info_of(p->curve[curve]);
    step *steps = NULL;
    *n = 0;
    for (unsigned i = 0;; i++) {
        const double at = (double)info.line_bytes * exp2((double)i / PER_OCTAVE);
        const bool end = at >= (double)p->last;
        const uint64_t bytes = end ? p->last : (uint64_t)at / info.line_bytes * info.line_bytes;
        const double miss = 100 * pluss_curve_at(p->curve[curve], bytes);
        const double error = error_at(&info, bytes / info.line_bytes);
        const step now = {bytes, fmax(miss, least_miss), fmax(miss - error, least_miss),
                          fmin(fmax(miss + error, least_miss), 100)};
        const step *before = *n ? &steps[*n - 1] : NULL;
        if (end || !before || before->miss != now.miss || before->low != now.low ||
            before->high != now.high) {
            steps = cli_grow(steps, *n, sizeof *steps);
            steps[(*n)++] = now;
        }
        if (end)
            return steps;
    }
}

/* The power of ten below the least miss ratio that is not 0, %. */
static double least_of(const panel *p)
{
    double least = 99;
    for (size_t i = 0; i < p->n; i++) {
        size_t n;
        step *steps = find_steps(p, i, &n);
        for (size_t k = 0; k < n; k++)
            if (steps[k].miss > least_miss && steps[k].miss < least)
                least = steps[k].miss;
        free(steps);
    }
    return pow(10, floor(log10(least)));
}

static double y_within(const panel *p, double percent)
{
    return y_of(p, fmax(percent, p->least));
}

/* The more bands there are, the fainter they are. */
static void put_band(FILE *svg, const panel *p, const step *steps, size_t n, const char *colour)
{
    fprintf(svg, "<path fill=\"%s\" fill-opacity=\"%.2g\" d=\"M%.1f,%.1f", colour,
            fmin(0.2, 0.8 / (double)p->n), x_of(p, steps[0].bytes), y_within(p, steps[0].high));
    for (size_t i = 1; i < n; i++)
        fprintf(svg, "H%.1fV%.1f", x_of(p, steps[i].bytes), y_within(p, steps[i].high));
    for (size_t i = n; i-- > 0;)
        fprintf(svg, "V%.1fH%.1f", y_within(p, steps[i].low), x_of(p, steps[i].bytes));
    fputs("Z\"/>\n", svg);
}

static void put_curve(FILE *svg, const panel *p, size_t curve, const char *label)
{
    /* told apart also without colours: from dark to light, then by dashes */
    static const char *const colours[] = {"#1b3a6b", "#c0392b", "#1e8449", "#8e44ad",
                                          "#d68910", "#148f9c", "#7b5b3a", "#5f6a6a"};
    static const char *const dashes[] = {"", " stroke-dasharray=\"8 4\"",
                                         " stroke-dasharray=\"2 3\""};
    const char *colour = colours[curve % 8], *dash = dashes[curve / 8 % 3];
    const double y = TOP + 8 + 20 * (double)curve;
    size_t n;
    step *steps = find_steps(p, curve, &n);
    if (info_of(p->curve[curve]).n_error_points)
        put_band(svg, p, steps, n, colour);
    fprintf(svg, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2.2\"%s d=\"M%.1f,%.1f", colour,
            dash, x_of(p, steps[0].bytes), y_within(p, steps[0].miss));
    for (size_t i = 1; i < n; i++)
        fprintf(svg, "H%.1fV%.1f", x_of(p, steps[i].bytes), y_within(p, steps[i].miss));
    fputs("\"><title>", svg);
    put_text(svg, label);
    fprintf(svg,
            "</title></path>\n<path stroke=\"%s\" stroke-width=\"2.2\"%s d=\"M%d,%.1fh32\"/>\n"
            "<text x=\"%d\" y=\"%.1f\">",
            colour, dash, RIGHT + 16, y, RIGHT + 56, y + 4.5);
    put_text(svg, label);
    fputs("</text>\n", svg);
    free(steps);
}

/* ---- capacities -------------------------------------------------------------------------------
 */

typedef struct capacity_mark {
    const char *name, *shape; /* a path around the point */
} capacity_mark;

static const capacity_mark core_mark = {"C_core", "m-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0Z"},
                           share_mark = {"C_share", "m-5,-5h10v10h-10Z"};

static void put_mark(FILE *svg, const capacity_mark *mark, double x, double y, const char *title)
{
    fprintf(svg,
            "<path fill=\"#ffffff\" stroke=\"#202020\" stroke-width=\"1.6\" d=\"M%.1f,%.1f%s\">"
            "<title>",
            x, y, mark->shape);
    put_text(svg, title);
    fputs("</title></path>\n", svg);
}

/* false: there is no such capacity, or it is not in the picture. */
static bool put_capacity(FILE *svg, const panel *p, size_t curve, const capacity_mark *mark,
                         uint64_t bytes, const char *label)
{
    char text[32];
    if (bytes < p->head.line_bytes || bytes > p->last)
        return false;
    bytes_text(bytes, text);
    char *title = cli_text("%s %s, %s", mark->name, text, label);
    put_mark(svg, mark, x_of(p, bytes), y_within(p, 100 * pluss_curve_at(p->curve[curve], bytes)),
             title);
    free(title);
    return true;
}

/* C_core and C_share on the curves of shared caches, and what the marks are, below the curves'
 * names. */
static void put_capacities(FILE *svg, const panel *p, char *const *label)
{
    const capacity_mark *const mark[] = {&core_mark, &share_mark};
    bool put[] = {false, false};
    double y = TOP + 8 + 20 * (double)p->n + 12;
    for (size_t i = 0; i < p->n; i++) {
        pluss_capacities found = {.size = sizeof found};
        if (pluss_result_get_capacities(p->result, p->number[i], &found))
            continue;
        put[0] |= put_capacity(svg, p, i, mark[0], found.core_bytes, label[i]);
        put[1] |= put_capacity(svg, p, i, mark[1], found.share_bytes, label[i]);
    }
    for (int m = 0; m < 2; m++)
        if (put[m]) {
            put_mark(svg, mark[m], RIGHT + 32, y, mark[m]->name);
            fprintf(svg, "<text x=\"%d\" y=\"%.1f\">%s</text>\n", RIGHT + 56, y + 4.5,
                    mark[m]->name);
            y += 20;
        }
}

/* ---- the picture ------------------------------------------------------------------------------
 */

static void put_title(FILE *svg, const panel *p)
{
    const pluss_curve_info *head = &p->head;
    const char *next = "; ";
    fprintf(svg, "<text x=\"%d\" y=\"26\" font-size=\"15\">", LEFT);
    put_text(svg, head->region);
    if (head->file) {
        fputs(" (", svg);
        put_text(svg, head->file);
        if (head->line)
            fprintf(svg, ":%u", head->line);
        fputc(')', svg);
    }
    fprintf(svg, "</text>\n<text x=\"%d\" y=\"46\" fill=\"#404040\">%s", LEFT,
            head->simulated ? "simulated, progress " : "predicted by ");
    put_text(svg, head->engine);
    for (size_t i = 0; i < head->n_bindings; i++) {
        if (value_varies(p, i))
            continue;
        fputs(next, svg);
        put_text(svg, head->bindings[i].name);
        fprintf(svg, " = %lld", (long long)head->bindings[i].value);
        next = ", ";
    }
    if (*head->schedule && !schedule_varies(p)) {
        fputs("; schedule ", svg);
        put_text(svg, head->schedule);
    }
    fputs("</text>\n", svg);
}

static void put_panel(FILE *svg, const panel *p, size_t number, const pluss_cache *cache,
                      size_t n_caches, char *const *label)
{
    fprintf(svg, "<g transform=\"translate(0,%zu)\">\n", number * HEIGHT);
    put_title(svg, p);
    put_axes(svg, p);
    for (size_t i = 0; i < p->n; i++)
        put_curve(svg, p, i, label[i]);
    put_caches(svg, p, cache, n_caches);
    put_capacities(svg, p, label);
    fputs("</g>\n", svg);
}

static void put_picture(FILE *svg, panel *panels, size_t n, const pluss_cache *cache,
                        size_t n_caches)
{
    char ***label = cli_alloc(n + 1, sizeof *label);
    size_t longest = 0;
    for (size_t i = 0; i < n; i++) {
        label[i] = cli_alloc(panels[i].n + 1, sizeof *label[i]);
        for (size_t c = 0; c < panels[i].n; c++) {
            label[i][c] = curve_label(&panels[i], c);
            longest = strlen(label[i][c]) > longest ? strlen(label[i][c]) : longest;
        }
        panels[i].last = last_size(&panels[i], cache, n_caches);
        panels[i].least = least_of(&panels[i]);
    }
    const size_t width = RIGHT + 72 + LETTER * longest, height = HEIGHT * n;
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %zu %zu\" role=\"img\" "
            "font-family=\"Helvetica,Arial,sans-serif\" font-size=\"13\" fill=\"#202020\">\n"
            "<title>Miss ratio curves</title>\n<rect width=\"%zu\" height=\"%zu\" "
            "fill=\"#ffffff\"/>\n",
            width, height, width, height);
    for (size_t i = 0; i < n; i++) {
        put_panel(svg, &panels[i], i, cache, n_caches, label[i]);
        for (size_t c = 0; c < panels[i].n; c++)
            free(label[i][c]);
        free(label[i]);
    }
    free(label);
    fputs("</svg>\n", svg);
}

int cli_plot(const cli_options *options, const pluss_result *result, const pluss_cache *cache,
             size_t n_caches)
{
    panel *panels;
    size_t n, length = 0;
    char *text = NULL;
    if (make_panels(result, false, &panels, &n) > MAX_CURVES) {
        free_panels(panels, n);
        make_panels(result, true, &panels, &n);
    }
    FILE *svg = open_memstream(&text, &length);
    if (!svg)
        cli_no_memory();
    put_picture(svg, panels, n, cache, n_caches);
    if (fclose(svg) != 0)
        cli_no_memory();
    cli_output_write(options->picture, text, length); /* what fails is said where it is closed */
    free(text);
    free_panels(panels, n);
    return cli_output_close(options, options->picture, CLI_OK);
}
