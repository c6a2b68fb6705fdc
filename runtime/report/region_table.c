/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The regions of a recorded run, a row each, the worst first.
 */
#include "report/report.h"

#include <stdlib.h>

#include "report/sink.h"

enum { CACHES = 3, COLUMNS = 8 + CACHES };

typedef struct row {
    const plussi_curve *first;
    uint64_t runs;
    double accesses; /* of all runs */
    double seconds;  /* likewise */
    bool counted;    /* those are of this many: */
    double made;
    double misses[CACHES]; /* likewise */
    double weight;         /* misses in the last cache; without caches accesses */
    double least, most;    /* miss ratio of a run, in the last cache */
} row;

typedef struct regions {
    const plussi_report_caches *caches;
    size_t n_caches, n;
    uint32_t team; /* the largest one */
    row *row;
} regions;

static bool is_same_region(const plussi_curve *a, const plussi_curve *b)
{
    return plussi_same_text(a->id.region, b->id.region) &&
           plussi_same_text(a->id.file, b->id.file) && a->id.line == b->id.line;
}

/* Whether the curve is that of the cache, shared as it is. */
static bool is_of_cache(const regions *r, const plussi_curve *curve, size_t cache)
{
    uint32_t threads = cache < r->n_caches ? r->caches->cache[cache].threads : 0;
    return curve->id.threads_per_cache == (threads < curve->id.team ? threads : 0);
}

/* The cache whose curves count a region's runs and accesses. */
static size_t last_cache(const regions *r)
{
    return r->n_caches ? r->n_caches - 1 : 0;
}

static row *find_row(regions *r, const plussi_curve *curve)
{
    for (size_t i = 0; i < r->n; i++)
        if (is_same_region(r->row[i].first, curve))
            return &r->row[i];
    r->row[r->n] = (row){.first = curve, .least = 1, .counted = true};
    return &r->row[r->n++];
}

static void add_curve(regions *r, const plussi_curve *curve)
{
    row *to = find_row(r, curve);
    double accesses = (double)curve->runs * curve->mrc.accesses;
    for (size_t c = 0; c < r->n_caches; c++) {
        if (!is_of_cache(r, curve, c))
            continue;
        double lines = (double)(r->caches->cache[c].bytes / curve->id.line_bytes);
        double ratio = plussi_mrc_at(&curve->mrc, lines);
        to->misses[c] += accesses * ratio;
        if (c != last_cache(r))
            continue;
        to->least = ratio < to->least ? ratio : to->least;
        to->most = ratio > to->most ? ratio : to->most;
    }
    if (!is_of_cache(r, curve, last_cache(r)))
        return;
    to->runs += curve->runs;
    to->accesses += accesses;
    to->seconds += curve->took_seconds;
    to->counted = to->counted && curve->counted;
    to->made += curve->coverage > 0 ? accesses / curve->coverage : 0;
}

static int by_weight(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return x->weight != y->weight ? (x->weight < y->weight) - (x->weight > y->weight)
                                  : (x->first > y->first) - (x->first < y->first);
}

static const char *ratio_text(plussi_document *document, const row *of)
{
    char least[PLUSSI_NUMBER], most[PLUSSI_NUMBER];
    plussi_text_fixed(least, 100 * of->least, 2);
    plussi_text_fixed(most, 100 * of->most, 2);
    return plussi_same_text(least, most)
               ? plussi_document_text(document, "%s %%", least)
               : plussi_document_text(document, "%s to %s %%", least, most);
}

static void add_rows(const regions *r, plussi_table *table, bool unknowns, double seconds)
{
    plussi_document *document = table->document;
    double accesses = 0, misses[CACHES] = {0};
    for (size_t i = 0; i < r->n; i++) {
        accesses += r->row[i].accesses;
        for (size_t c = 0; c < r->n_caches; c++)
            misses[c] += r->row[i].misses[c];
    }
    for (size_t i = 0; i < r->n; i++) {
        const row *of = &r->row[i];
        const plussi_identity *id = &of->first->id;
        plussi_datum cell[COLUMNS];
        size_t n = 0;
        cell[n++] = plussi_d_text(
            id->file && *id->file
                ? plussi_document_text(document, "%s (%s:%u)", id->region, id->file, id->line)
                : id->region);
        cell[n++] = plussi_d_text(plussi_recording_name((int)of->first->recorded));
        cell[n++] = plussi_d_count(of->runs);
        cell[n++] = plussi_d_if(accesses > 0, plussi_d_real(of->accesses / accesses));
        if (seconds > 0)
            cell[n++] = plussi_d_real(of->seconds / seconds);
        for (size_t c = 0; c < r->n_caches; c++)
            cell[n++] = plussi_d_if(misses[c] > 0, plussi_d_real(of->misses[c] / misses[c]));
        if (r->n_caches)
            cell[n++] = plussi_d_text(ratio_text(document, of));
        cell[n++] = plussi_d_if(of->counted, plussi_d_real(of->accesses / of->made));
        if (unknowns)
            cell[n++] = plussi_d_if(id->unknowns > 0, plussi_d_count(id->unknowns));
        plussi_add_row(table, cell);
    }
}

/* What of the whole program is in the regions' figures. */
static void add_coverage(const plussi_coverage *coverage, plussi_section *section)
{
    char share[PLUSSI_NUMBER], outside[PLUSSI_NUMBER], serial[PLUSSI_NUMBER];
    double all = coverage->covered + coverage->outside + coverage->serial;
    if (!coverage->counted || !(all > 0))
        return;
    plussi_text_fixed(share, 100 * plussi_coverage_share(coverage), 1);
    plussi_text_fixed(outside, 100 * coverage->outside / all, 1);
    plussi_text_fixed(serial, 100 * coverage->serial / all, 1);
    plussi_add_line(section,
                    "of the program's loads and stores %s %% are in these figures, %s %% are the "
                    "regions' others, %s %% serial",
                    share, outside, serial);
}

/* How long the run took, and where. */
static void add_time(const regions *r, const plussi_coverage *coverage, plussi_section *section)
{
    const double all = coverage->took_seconds;
    char in_all[PLUSSI_NUMBER], here[PLUSSI_NUMBER], serial[PLUSSI_NUMBER];
    double seconds = 0;
    if (!(all > 0))
        return;
    for (size_t i = 0; i < r->n; i++)
        seconds += r->row[i].seconds;
    plussi_text_fixed(in_all, all, 3);
    plussi_text_fixed(here, 100 * seconds / all, 1);
    plussi_text_fixed(serial, 100 * coverage->serial_seconds / all, 1);
    plussi_add_line(section,
                    "the recorded run took %s s, %s %% in these regions and %s %% in serial parts",
                    in_all, here, serial);
}

static plussi_table *add_table(const regions *r, bool unknowns, const plussi_coverage *coverage,
                               plussi_document *document)
{
    plussi_heading column[COLUMNS];
    size_t n = 0;
    plussi_section *section = plussi_add_section(
        document->root, NULL,
        plussi_document_text(document, "regions of the run, T = %u, %s", r->team,
                             r->n_caches ? "by their share of all misses" : "by accesses"));
    add_coverage(coverage, section);
    add_time(r, coverage, section);
    column[n++] = (plussi_heading){.label = "region", .repeat = true};
    column[n++] = (plussi_heading){.label = "recorded"};
    column[n++] = (plussi_heading){.label = "runs", .show = PLUSSI_AS_COUNT};
    column[n++] =
        (plussi_heading){.label = "accesses", .show = PLUSSI_AS_POINTS, .digits = 1, .unit = "%"};
    if (coverage->took_seconds > 0)
        column[n++] =
            (plussi_heading){.label = "time", .show = PLUSSI_AS_POINTS, .digits = 1, .unit = "%"};
    for (size_t c = 0; c < r->n_caches; c++) {
        const plussi_report_cache *cache = &r->caches->cache[c];
        char bytes[PLUSSI_NUMBER];
        plussi_text_bytes(bytes, cache->bytes);
        column[n++] =
            (plussi_heading){.label = plussi_document_text(document, "misses %s",
                                                           cache->label ? cache->label : bytes),
                             .show = PLUSSI_AS_POINTS,
                             .digits = 1,
                             .unit = "%"};
    }
    if (r->n_caches)
        column[n++] = (plussi_heading){.label = "miss ratio there"};
    column[n++] =
        (plussi_heading){.label = "coverage", .show = PLUSSI_AS_POINTS, .digits = 1, .unit = "%"};
    if (unknowns)
        column[n++] = (plussi_heading){.label = "not described", .show = PLUSSI_AS_COUNT};
    return plussi_add_table(section, NULL, column, n);
}

size_t plussi_report_regions(plussi_ctx *ctx, const plussi_result *result,
                             const plussi_report_caches *caches, plussi_document *document)
{
    regions r = {.caches = caches,
                 .n_caches = caches->n < CACHES ? caches->n : CACHES,
                 .row = plussi_alloc(&ctx->mem, result->n + 1, sizeof *r.row)};
    bool unknowns = false;
    if (!r.row) {
        document->status = document->status ? document->status : PLUSS_ENOMEM;
        return 0;
    }
    for (size_t i = 0; i < result->n; i++)
        if (result->curve[i].runs && result->curve[i].id.team > r.team)
            r.team = result->curve[i].id.team;
    for (size_t i = 0; i < result->n; i++)
        if (result->curve[i].runs &&
            (result->curve[i].id.team == r.team || result->curve[i].serial)) {
            add_curve(&r, &result->curve[i]);
            unknowns = unknowns || result->curve[i].id.unknowns > 0;
        }
    for (size_t i = 0; i < r.n; i++)
        r.row[i].weight = r.n_caches ? r.row[i].misses[last_cache(&r)] : r.row[i].accesses;
    qsort(r.row, r.n, sizeof *r.row, by_weight);
    if (r.n > 1)
        add_rows(&r, add_table(&r, unknowns, &result->coverage, document), unknowns,
                 result->coverage.took_seconds);
    plussi_free(&ctx->mem, r.row);
    return r.n > 1 ? r.n : 0;
}
