/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/generate.h"

#include <math.h>
#include <string.h>

#include "base/decimal.h"
#include "base/rng.h"

enum { LINE_BYTES = 64 };

/* ---- text --------------------------------------------------------------------------------------
 */

static bool read_count(const char **text, uint64_t most, uint64_t *out)
{
    const char *at = *text;
    uint64_t n = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(n, 10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*at - '0'), &n))
            return false;
    if (at == *text || n > most)
        return false;
    *text = at;
    *out = n;
    return true;
}

static bool read_lines(const char **text, plussi_generation *g)
{
    uint64_t n;
    for (g->threads = 0; g->threads < PLUSSI_GENERATED_THREADS; ++*text) {
        if (!read_count(text, PLUSSI_GENERATED_LINES, &n) || n == 0)
            return false;
        g->lines[g->threads++] = (uint32_t)n;
        if (**text != ',')
            return true;
    }
    return false;
}

static bool read_shared(const char **text, plussi_generation *g)
{
    if (!plussi_read_decimal(text, &g->shared))
        return false;
    if (**text == '%') {
        g->shared /= 100;
        ++*text;
    }
    return g->shared <= 1;
}

static bool read_distances(const char **text, plussi_generation *g)
{
    const struct {
        const char *name;
        uint32_t *weight;
    } parts[] = {{"random", &g->uniform}, {"exponential", &g->exponential}, {"normal", &g->normal}};
    enum { N = sizeof parts / sizeof *parts };
    g->uniform = 0;
    for (;; ++*text) {
        uint64_t weight = 1;
        size_t i = 0;
        if (**text >= '0' && **text <= '9' &&
            (!read_count(text, UINT16_MAX, &weight) || weight == 0))
            return false;
        while (i < N && strncmp(*text, parts[i].name, strlen(parts[i].name)) != 0)
            i++;
        if (i == N || *parts[i].weight)
            return false;
        *parts[i].weight = (uint32_t)weight;
        *text += strlen(parts[i].name);
        if (**text != '+')
            return true;
    }
}

/* What is expected where it is not there; NULL: it is. */
static const char *read_word(const char **text, plussi_generation *g)
{
    static const char *const names[] = {"lines=", "shared=", "distances=", "accesses=", "seed="};
    size_t i = 0;
    while (i < sizeof names / sizeof *names && strncmp(*text, names[i], strlen(names[i])) != 0)
        i++;
    if (i < sizeof names / sizeof *names)
        *text += strlen(names[i]);
    switch (i) {
    case 0:
        return read_lines(text, g) ? NULL : "up to 64 numbers of lines, each 1 to 65536";
    case 1:
        return read_shared(text, g) ? NULL : "a share, such as 0.1 or 10%";
    case 2:
        return read_distances(text, g) ? NULL
                                       : "random, exponential and normal, each once, with + "
                                         "between them and a weight before them";
    case 3:
        return read_count(text, UINT64_MAX / PLUSSI_GENERATED_THREADS, &g->accesses) && g->accesses
                   ? NULL
                   : "a number of accesses, at least 1";
    case 4:
        return read_count(text, UINT64_MAX, &g->seed) ? NULL : "a number";
    default:
        return "lines=, shared=, distances=, accesses= or seed=";
    }
}

pluss_status plussi_generation_parse(plussi_ctx *ctx, const char *text, plussi_generation *out)
{
    plussi_generation g = {.uniform = 1, .accesses = 1000000};
    const char *word = text, *at = text, *wanted = NULL;
    do {
        word = at;
        wanted = read_word(&at, &g);
        if (!wanted && *at && *at != ':')
            wanted = "':' between words, and nothing after the last";
    } while (!wanted && *at++ == ':');
    if (!wanted && g.threads == 0) {
        word = text;
        wanted = "lines=N,N,... among the words";
    }
    if (wanted)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a generated trace: found '%.40s', expected %s",
                           word, wanted);
    *out = g;
    return PLUSS_OK;
}

/* ---- accesses ----------------------------------------------------------------------------------
 */

/* The lines of a thread, the top of the stack first. */
typedef struct stack {
    uint64_t *line;
    uint32_t n;
} stack;

static pluss_status begin(plussi_ctx *ctx, const plussi_generation *g, uint32_t thread,
                          plussi_rng *rng, stack *s)
{
    const uint64_t shared = (uint64_t)(g->shared * g->lines[0] + 0.5);
    s->n = g->lines[thread];
    s->line = plussi_alloc(&ctx->mem, s->n, sizeof *s->line);
    for (uint64_t i = 0; s->line && i < s->n; i++) {
        const uint64_t at = plussi_rng_below(rng, i + 1);
        s->line[i] = s->line[at];
        s->line[at] = i < shared ? i : (thread + UINT64_C(1)) * PLUSSI_GENERATED_LINES + i;
    }
    return s->line ? PLUSS_OK : PLUSS_ENOMEM;
}

static double draw_real(const plussi_generation *g, plussi_rng *rng, uint32_t n)
{
    const uint64_t part = plussi_rng_below(rng, (uint64_t)g->uniform + g->exponential + g->normal);
    if (part < g->uniform)
        return (double)plussi_rng_below(rng, n);
    const double u = 1 - plussi_rng_unit(rng);
    if (part < (uint64_t)g->uniform + g->exponential)
        return floor(log(u) / log(0.97));
    return round(100 + 33 * sqrt(-2 * log(u)) * cos(2 * M_PI * plussi_rng_unit(rng)));
}

static uint64_t next_line(const plussi_generation *g, plussi_rng *rng, stack *s)
{
    double distance;
    do
        distance = draw_real(g, rng, s->n);
    while (!(distance >= 0 && distance < s->n));
    const size_t at = (size_t)distance;
    const uint64_t line = s->line[at];
    memmove(s->line + 1, s->line, at * sizeof *s->line);
    s->line[0] = line;
    return line;
}

pluss_status plussi_generate_trace(plussi_ctx *ctx, const plussi_generation *g,
                                   const plussi_ask *ask, plussi_pack_fn write, void *user)
{
    enum { ASK_EVERY = 1 << 14 /* accesses of each thread */ };
    stack of[PLUSSI_GENERATED_THREADS] = {{NULL, 0}};
    plussi_rng rng;
    plussi_packer *packer = NULL;
    plussi_rng_seed(&rng, g->seed, 0);
    pluss_status status = plussi_packer_new(ctx, write, user, &packer);
    for (uint32_t t = 0; t < g->threads && !status; t++)
        status = begin(ctx, g, t, &rng, &of[t]);
    for (uint64_t k = 0; k < g->accesses && !status; k++) {
        if (k % ASK_EVERY == 0)
            status = plussi_ask_whether(ask, "generate", (double)k / (double)g->accesses,
                                        k * g->threads);
        for (uint32_t t = 0; t < g->threads && !status; t++) {
            const plussi_event event = {.address = LINE_BYTES * next_line(g, &rng, &of[t]),
                                        .site = 1,
                                        .thread = t,
                                        .bytes = 8,
                                        .kind = PLUSSI_EVENT_READ};
            status = plussi_packer_add(packer, &event, 1);
        }
    }
    if (!status)
        status = plussi_packer_finish(packer);
    if (!status)
        status = plussi_ask_whether(ask, "generate", 1, g->accesses * g->threads);
    plussi_packer_free(packer);
    for (uint32_t t = 0; t < g->threads; t++)
        plussi_free(&ctx->mem, of[t].line);
    return status;
}
