/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "profile/mrc.h"

/* Thresholds of knees; docs/models.md, "Knees", gives the reasons. */
static const double flat =
    0.0005; /* miss ratio fall of the miss ratio over an eighth of an octave */
static const double least = 0.01; /* total fall of a knee */
static const double valley = 0.5; /* between knees, relative to the lower of the two peaks */
static const double tail = 0.05;  /* part of a knee below `from`, and above `to` */

/* Two neighbouring sizes of the grid. */
typedef struct slope {
    uint64_t below, size;
    double before, after;
    double steepness; /* fall over an eighth of an octave */
} slope;

/* slope[first ... last]. */
typedef struct hill {
    size_t first, last;
    double peak;
    double gap; /* steepness between this hill and the next; negative: flat */
} hill;

static void measure_slope(const plussi_mrc *mrc, const uint64_t *size, size_t n, slope *out)
{
    for (size_t i = 0; i < n; i++) {
        slope *s = &out[i];
        s->below = i ? size[i - 1] : 0;
        s->size = size[i];
        s->before = i ? out[i - 1].after : 1;
        s->after = plussi_mrc_at(mrc, (double)size[i]);
        /* the first size is an octave above half a line */
        double eighths = 8 * (i ? log2((double)size[i] / (double)size[i - 1]) : 1);
        s->steepness = (s->before - s->after) / (eighths > 1 ? eighths : 1);
    }
}

/* One hill for each local maximum, cut where it is flat and at local minima. */
static size_t find_hills(const slope *s, size_t n, hill *out)
{
    size_t count = 0;
    bool falling = false;
    for (size_t i = 0; i < n; i++) {
        if (s[i].steepness < flat) {
            if (count)
                out[count - 1].gap = -1;
            continue;
        }
        bool joined = count && out[count - 1].last + 1 == i;
        bool rising = joined && s[i].steepness > s[i - 1].steepness;
        if (!joined || (falling && rising)) {
            if (joined)
                out[count - 1].gap = s[i - 1].steepness;
            out[count++] = (hill){i, i, s[i].steepness, -1};
            falling = false;
            continue;
        }
        falling = falling || s[i].steepness < s[i - 1].steepness;
        out[count - 1].last = i;
        if (out[count - 1].peak < s[i].steepness)
            out[count - 1].peak = s[i].steepness;
    }
    return count;
}

static double measure_fall(const slope *s, const hill *h)
{
    return s[h->first].before - s[h->last].after;
}

/* Steepness of the valley between two hills, relative to the lower hill: above `valley` they are
 * one knee; 0: they do not touch. */
static double measure_oneness(const slope *s, const hill *a, const hill *b)
{
    if (a->gap < 0)
        return 0;
    if (measure_fall(s, a) < least || measure_fall(s, b) < least)
        return 1 + a->gap;
    return a->gap / (a->peak < b->peak ? a->peak : b->peak);
}

static size_t join_hills(const slope *s, hill *h, size_t n)
{
    while (n > 1) {
        size_t best = 0;
        for (size_t i = 1; i + 1 < n; i++)
            if (measure_oneness(s, &h[i], &h[i + 1]) > measure_oneness(s, &h[best], &h[best + 1]))
                best = i;
        if (measure_oneness(s, &h[best], &h[best + 1]) <= valley)
            break;
        double peak = h[best].peak > h[best + 1].peak ? h[best].peak : h[best + 1].peak;
        h[best] = (hill){h[best].first, h[best + 1].last, peak, h[best + 1].gap};
        n--;
        for (size_t i = best + 1; i < n; i++)
            h[i] = h[i + 1];
    }
    return n;
}

static plussi_mrc_knee describe_knee(const slope *s, const hill *h)
{
    plussi_mrc_knee k = {.below = s[h->first].below,
                         .last = s[h->last].size,
                         .before = s[h->first].before,
                         .after = s[h->last].after};
    double all = k.before - k.after;
    k.from = k.below;
    for (size_t i = h->first; i <= h->last; i++) {
        double held = (k.before - s[i].after) / all;
        if (held < tail)
            k.from = s[i].size;
        if (!k.at && held >= 0.5)
            k.at = s[i].size;
        if (!k.to && held >= 1 - tail)
            k.to = s[i].size;
    }
    return k;
}

pluss_status plussi_mrc_knees(plussi_ctx *ctx, const plussi_mrc *mrc, uint64_t footprint_lines,
                              plussi_mrc_knee **out, size_t *n)
{
    uint64_t *size;
    size_t sizes, count = 0;
    pluss_status status =
        plussi_grid_sizes(ctx, PLUSSI_GRID_STRICT, footprint_lines, 64, &size, &sizes);
    if (status)
        return status;
    slope *s = plussi_alloc(&ctx->mem, sizes, sizeof *s);
    hill *h = plussi_alloc(&ctx->mem, sizes, sizeof *h);
    plussi_mrc_knee *knee = plussi_alloc(&ctx->mem, sizes, sizeof *knee);
    if (s && h && knee) {
        measure_slope(mrc, size, sizes, s);
        size_t hills = join_hills(s, h, find_hills(s, sizes, h));
        for (size_t i = 0; i < hills; i++)
            if (measure_fall(s, &h[i]) >= least)
                knee[count++] = describe_knee(s, &h[i]);
        *out = knee;
        *n = count;
    } else {
        plussi_free(&ctx->mem, knee);
        status = PLUSS_ENOMEM;
    }
    plussi_free(&ctx->mem, size);
    plussi_free(&ctx->mem, s);
    plussi_free(&ctx->mem, h);
    return status;
}
