/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "adversarial.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/rng.h"
#include "harness.h"

enum { CLAUSES = 4 /* of one call to put, at most */ };

typedef struct draw {
    plussi_rng rng;
    char *text;
    size_t n, room;
    char clause[CLAUSES][48];
    size_t n_clauses;
} draw;

static void put(draw *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(draw *d, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(d->text + d->n, d->room - d->n, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= d->room - d->n)
        harness_die("a nest's text is too long");
    d->n += (size_t)n;
}

/* Uniform, both ends included; the same of the logarithm. */
static int any(draw *d, int least, int most)
{
    return least + (int)plussi_rng_below(&d->rng, (uint64_t)(most - least) + 1);
}

static int scale(draw *d, int least, int most)
{
    double u = plussi_rng_unit(&d->rng);
    return (int)lround(least * pow((double)most / least, u));
}

static const char *clause(draw *d, const char *kind, int chunk)
{
    char *out = d->clause[d->n_clauses++ % CLAUSES];
    snprintf(out, sizeof d->clause[0], "schedule(%s, %d)", kind, chunk);
    return out;
}

static const char *dynamic(draw *d, int most)
{
    return clause(d, "dynamic", any(d, 1, most));
}

/* Any schedule. */
static const char *schedule(draw *d)
{
    switch (any(d, 0, 5)) {
    case 0:
    case 1:
        return "";
    case 2:
        return clause(d, "static", 1);
    case 3:
        return clause(d, "static", any(d, 2, 9));
    case 4:
        return dynamic(d, 8);
    default:
        return "schedule(guided)";
    }
}

/* ---- the families ------------------------------------------------------------------------------
 */

static void imbalanced(draw *d)
{
    int n = scale(d, 40, 300), m = scale(d, 60, 500), p = any(d, 3, 20), few = any(d, 2, 12);
    put(d, "array f64 A[%d][%d], x[%d]\nfor t in 0..%d { parallel for i in 0..%d %s { for j in 0..",
        n, m, m, any(d, 1, 3), n, dynamic(d, 4));
    switch (any(d, 0, 2)) {
    case 0:
        put(d, "(i %% %d == 0 ? %d : %d)", p, m, few);
        break;
    case 1:
        put(d, "(i < %d ? %d : %d)", n / p, m, few);
        break;
    default:
        put(d, "min(%d, 1 + i * %d / %d)", m, 2 * m, n);
    }
    put(d, " { read A[i][j] read x[j]%s } } }", any(d, 0, 1) ? " write A[i][j]" : "");
}

static void single(draw *d)
{
    int r = any(d, 4, 14), n = scale(d, 100, 2000), m = scale(d, 100, 3000);
    put(d, "array f64 A[%d], B[%d]\nparallel { for t in 0..%d { single %s { for j in 0..%d {", m,
        n > m ? n : m, r, any(d, 0, 2) ? "nowait" : "", n);
    put(d, " write B[j] } } workshare for i in 0..%d %s { read B[i] write A[i] } } }", m,
        any(d, 0, 1) ? schedule(d) : "");
}

static void phases(draw *d)
{
    int r = any(d, 4, 16), a = scale(d, 30, 3000), b = scale(d, 30, 3000), k = any(d, 1, 12);
    put(d, "array f64 A[%d], B[%d], C[%d]\nfor t in 0..%d {", 2 * a, 2 * b, a, r);
    if (any(d, 0, 1)) {
        put(d, " parallel for i in 0..%d %s { read A[i] read C[i] write A[i] }", a, schedule(d));
        put(d, " parallel for i in 0..%d %s { for k in 0..%d { read B[2*i] write B[i] } } }", b,
            schedule(d), k);
    } else {
        put(d, " parallel for i in 0..%d %s {", a > b ? a : b, schedule(d));
        put(d, " if (t %% %d == 0 && i < %d) { read A[2*i] write C[i] } else {", any(d, 2, 4), a);
        put(d, " if (i < %d) { for k in 0..%d { read B[i] write B[%d - i] } } } } }", b, k, b - 1);
    }
}

static void triangle(draw *d)
{
    int n = scale(d, 30, 130), m = scale(d, 10, 60);
    const char *how = schedule(d);
    switch (any(d, 0, 3)) {
    case 0: /* syrk */
        put(d, "array f64 C[%d][%d], A[%d][%d]\nparallel for i in 0..%d %s {", n, n, n, m, n, how);
        put(d, " for k in 0..%d { for j in 0..i+1 { read A[i][k] read A[j][k] read C[i][j]", m);
        put(d, " write C[i][j] } } }");
        break;
    case 1: /* lu */
        n = n * 2 / 3;
        put(d, "array f64 A[%d][%d]\nfor k in 0..%d { parallel for i in k+1..%d %s {", n, n, n, n,
            how);
        put(d, " read A[k][k] write A[i][k] for j in k+1..%d {", n);
        put(d, " read A[i][k] read A[k][j] write A[i][j] } } }");
        break;
    case 2: /* trmm */
        put(d, "array f64 A[%d][%d], B[%d][%d]\nparallel for j in 0..%d %s {", n, n, n, m, m, how);
        put(d, " for i in 0..%d { for k in i+1..%d { read A[k][i] read B[k][j] write B[i][j] }", n,
            n);
        put(d, " } }");
        break;
    default: /* upper, by columns */
        put(d, "array f64 A[%d][%d], x[%d]\nfor t in 0..%d { parallel for i in 0..%d %s {", n, n, n,
            any(d, 2, 8), n, how);
        put(d, " for j in i..%d { read A[j][i] read x[j] write x[i] } } }", n);
    }
}

static void strides(draw *d)
{
    int n = scale(d, 40, 300), m = scale(d, 20, 150), s = any(d, 2, 24), r = any(d, 2, 6);
    switch (any(d, 0, 2)) {
    case 0:
        put(d, "array f64 A[%d]\nfor t in 0..%d { parallel for i in 0..%d %s {", n * s + m, r, n,
            schedule(d));
        put(d, " for j in 0..%d { read A[%d*i + j] write A[%d*i] } } }", m, s, s);
        break;
    case 1:
        put(d, "array b%d S[%d]\narray f32 y[%d]\nfor t in 0..%d { parallel for i in 0..%d %s {",
            8 * any(d, 2, 20), n * m, n, r, n, schedule(d));
        put(d, " for j in 0..%d { read S[i + %d*j] bytes 0..8 read y[i] } } }", m, n);
        break;
    default:
        put(d, "array f32 A[%d][%d]\nfor t in 0..%d { parallel for i in 0..%d step %d %s {", m, n,
            r, n, any(d, 2, 5), schedule(d));
        put(d, " for j in 0..%d { read A[j][i] } for j in 0..%d step %d { write A[j][i] } } }", m,
            m, any(d, 2, 7));
    }
}

static void vectors(draw *d)
{
    int n = scale(d, 40, 300), m = scale(d, 60, 600);
    put(d, "array f64 A[%d][%d], x[%d], y[%d], z[%d]\n", n, m, m, n, m);
    put(d, "parallel for i in 0..%d %s { for j in 0..%d { read A[i][j] read x[j] write y[i] } }\n",
        n, schedule(d), m);
    if (any(d, 0, 1))
        put(d, "parallel for i in 0..%d %s { for j in 0..%d { read A[j][i] read y[j] write z[i] }",
            m, schedule(d), n);
    else
        put(d, "parallel for i in 0..%d %s { for j in 0..%d { read x[j] read z[%d - j] }", n,
            schedule(d), m, m - 1);
    put(d, " }");
}

static void sparse(draw *d)
{
    int n = scale(d, 500, 6000), k = scale(d, 9, 2000), r = any(d, 1, 8);
    switch (any(d, 0, 2)) {
    case 0:
        put(d, "array f64 A[%d], x[%d]\nfor t in 0..%d { parallel for i in 0..%d %s {", n * k, n, r,
            n, schedule(d));
        put(d, " read A[%d*i] read x[i] } }", k);
        break;
    case 1:
        put(d, "array f64 A[%d][%d], x[%d]\nfor t in 0..%d { parallel for i in 1..%d %s {", n, n, n,
            r, n - 1, schedule(d));
        put(d, " read A[i][i-1] read A[i][i] read x[i] read A[i][i+1] write x[i] } }");
        break;
    default:
        n = scale(d, 40, 200);
        put(d, "array f64 G[%d][%d]\nfor t in 0..%d { parallel for i in 0..%d %s {", 16 * n, 16 * n,
            r, n, schedule(d));
        put(d, " for j in 0..%d { read G[16*i][16*j] } read G[16*i][0] } }", n);
    }
}

static void guards(draw *d)
{
    int n = scale(d, 60, 300), m = scale(d, 40, 200), p = any(d, 2, 7);
    put(d, "array f64 A[%d][%d], B[%d][%d], v[%d]\nfor t in 0..%d { parallel for i in 0..%d %s {",
        n, m, m, n, m, any(d, 1, 4), n, schedule(d));
    put(d, " for j in 0..%d {", m);
    switch (any(d, 0, 2)) {
    case 0:
        put(d, " if ((i + j) %% %d == 0) { read B[j][i] } else { read A[i][j] read v[j] }", p);
        break;
    case 1:
        put(d, " read v[j] if (%d*j < i) { read A[i][j] write A[i][j] } else { write B[j][i] }", p);
        break;
    default:
        put(d, " if (j %% %d == 0 && i > %d) { read A[i][j] read v[j] write A[i][j] }", p, n / 3);
        put(d, " read v[j]");
    }
    put(d, " } } }");
}

static void transpose(draw *d)
{
    int n = scale(d, 40, 260), m = scale(d, 40, 260), b = any(d, 4, 16);
    put(d, "array f64 A[%d][%d], B[%d][%d]\nfor t in 0..%d { parallel for i in 0..%d", n + b, m + b,
        m + b, n + b, any(d, 1, 4), n);
    if (any(d, 0, 1)) {
        put(d, " %s { for j in 0..%d { read A[i][j] write B[j][i] } } }", schedule(d), m);
    } else {
        put(d, " step %d %s { for j in 0..%d step %d { for k in 0..%d { for l in 0..%d {", b,
            schedule(d), m, b, b, b);
        put(d, " read A[i + k][j + l] write B[j + l][i + k] } } } } }");
    }
}

static void stencil(draw *d)
{
    int r = any(d, 2, 8), n = scale(d, 24, 130), m = scale(d, 24, 200);
    switch (any(d, 0, 2)) {
    case 0:
        n = scale(d, 300, 8000);
        put(d, "array f64 A[%d], B[%d]\nfor t in 0..%d { parallel for i in 1..%d %s {", n, n, r,
            n - 1, schedule(d));
        put(d, " read A[i-1] read A[i] read A[i+1] write B[i] } parallel for i in 1..%d %s {",
            n - 1, schedule(d));
        put(d, " read B[i] write A[i] } }");
        break;
    case 1:
        put(d, "array f64 A[%d][%d], B[%d][%d]\nfor t in 0..%d { parallel for i in 1..%d %s {", n,
            m, n, m, r, n - 1, schedule(d));
        put(d, " for j in 1..%d { read A[i][j] read A[i][j-1] read A[i][j+1] read A[i-1][j]",
            m - 1);
        put(d, " read A[i+1][j] write B[i][j] } } swap A, B }");
        break;
    default:
        n = scale(d, 8, 22);
        put(d, "array f64 A[%d][%d][%d]\nfor t in 0..%d { parallel for i in 1..%d %s {", n, n, n, r,
            n - 1, schedule(d));
        put(d, " for j in 1..%d { for k in 1..%d { read A[i-1][j][k] read A[i+1][j][k]", n - 1,
            n - 1);
        put(d, " read A[i][j-1][k] read A[i][j+1][k] write A[i][j][k] } } } }");
    }
}

static void reduction(draw *d)
{
    int n = scale(d, 60, 400), m = scale(d, 40, 300), p = scale(d, 2, 64);
    put(d, "array f64 A[%d][%d], s[%d], g\narray f64 own[%d] private\n", n, m, 8 * p, p);
    put(d, "parallel { workshare for i in 0..%d %s { for j in 0..%d { read A[i][j]", n, schedule(d),
        m);
    if (any(d, 0, 1))
        put(d, " read own[j %% %d] write own[j %% %d] } atomic write s[8*(i %% %d)] }", p, p, p);
    else
        put(d, " atomic read s[%d*(j %% %d)] atomic write s[i %% %d] } }", any(d, 1, 8), p, p);
    put(d, " critical { for k in 0..%d { read own[k] write s[k] } write g } }", p);
}

static void gather(draw *d)
{
    int n = scale(d, 60, 400), m = scale(d, 30, 200), z = scale(d, 300, 20000);
    put(d, "array f64 T[%d], y[%d]\nfor t in 0..%d { parallel for i in 0..%d %s {", z, n,
        any(d, 1, 4), n, schedule(d));
    put(d, " for j in 0..%d { read T[(%d*i + %d*j) %% %d] } write y[i] } }", m, any(d, 1, 97),
        any(d, 1, 197), z);
}

static void lengths(draw *d)
{
    int n = scale(d, 4, 40), m = scale(d, 2000, 20000), r = any(d, 3, 30), q = scale(d, 30, 300);
    const char *wait = any(d, 0, 1) ? "nowait" : "";
    put(d, "array f64 S[%d][%d], L[%d], M[%d]\nparallel { for t in 0..%d {", n, q, m, m / 4, 2);
    put(d, " workshare for i in 0..%d %s %s { for r in 0..%d { for j in 0..%d { read S[i][j] } } }",
        n, any(d, 0, 1) ? schedule(d) : "", wait, r, q);
    put(d, " workshare for i in 0..%d %s { read L[i] write M[i/4] } } }", m,
        any(d, 0, 1) ? schedule(d) : "");
}

static void heavy(draw *d)
{
    int n = scale(d, 400, 4000), k = scale(d, 8, 40), h = scale(d, 64, 700), p = any(d, 1, 40);
    int big = n * any(d, 1, 8);
    put(d, "array f64 H[%d], BIG[%d], Z[%d]\nfor t in 0..%d { parallel for i in 0..%d %s {", h + k,
        8 * big + 8, n, any(d, 2, 6), n, schedule(d));
    put(d, " for k in 0..%d { read H[(i * %d) %% %d + k] }", k, any(d, 1, 9), h);
    put(d, " if (i %% %d == 0) { read BIG[%d*i] } write Z[i] } }", p, 8 * (big / n));
}

static void chunks(draw *d)
{
    int n = scale(d, 500, 8000), r = any(d, 1, 5), b = any(d, 1, 12);
    put(d, "array f64 x[%d], y[%d], W[%d][%d]\nparallel { for t in 0..%d {", n + b, n + b, 64, 80,
        r);
    if (any(d, 0, 1))
        put(d,
            " workshare for i in 0..64 nowait { for r in 0..1+i/%d { for j in 0..80 {"
            " read W[i][j] } } }",
            any(d, 8, 32));
    put(d, " workshare for i in 0..%d %s { for j in 0..%d { read x[i + j] write y[i] } } } }", n,
        dynamic(d, 4), b);
}

static const struct {
    const char *name;
    void (*make)(draw *);
} families[] = {
    {"imbalanced", imbalanced}, {"single", single},       {"phases", phases},
    {"triangle", triangle},     {"strides", strides},     {"vectors", vectors},
    {"sparse", sparse},         {"guards", guards},       {"transpose", transpose},
    {"stencil", stencil},       {"reduction", reduction}, {"gather", gather},
    {"lengths", lengths},       {"heavy", heavy},         {"chunks", chunks},
};

const char *adversarial_family(size_t i)
{
    return i < sizeof families / sizeof *families ? families[i].name : NULL;
}

void adversarial_nest(size_t family, uint64_t member, char *text, size_t room, uint32_t *team)
{
    static const uint32_t teams[] = {1, 2, 2, 3, 4, 4, 4, 7, 8, 8, 16, 16, 23, 32, 64};
    draw d = {.text = text, .room = room};
    plussi_rng_seed(&d.rng, family, member);
    *team = teams[plussi_rng_below(&d.rng, sizeof teams / sizeof *teams)];
    put(&d, "pluss-nest 1\nregion r\n");
    families[family].make(&d);
    put(&d, "\n");
}
