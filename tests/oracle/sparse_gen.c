/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sparse_gen.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/rng.h"

enum { MOST_ARRAYS = 6, MOST_TEXT = 4000 };

typedef struct writer {
    plussi_rng rng;
    char declared[MOST_TEXT], body[MOST_TEXT];
    size_t n_declared, n_body;
    uint32_t n_arrays;
    double room; /* accesses left for the loop at hand */
    bool timed;  /* in a loop over t */
    int64_t times;
} writer;

static void add(char *to, size_t *n, const char *format, va_list args)
{
    int wrote = vsnprintf(to + *n, MOST_TEXT - *n, format, args);
    *n = wrote < 0 || *n + (size_t)wrote >= MOST_TEXT ? MOST_TEXT - 1 : *n + (size_t)wrote;
}

__attribute__((format(printf, 2, 3))) static void declare(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(w->declared, &w->n_declared, format, args);
    va_end(args);
}

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(w->body, &w->n_body, format, args);
    va_end(args);
}

static int64_t between(writer *w, int64_t lo, int64_t hi)
{
    return lo + (int64_t)plussi_rng_below(&w->rng, (uint64_t)(hi - lo + 1));
}

/* Evenly spread over the orders of magnitude. */
static int64_t spread(writer *w, double lo, double hi)
{
    return (int64_t)(lo * pow(hi / lo, plussi_rng_unit(&w->rng)));
}

static bool one_in(writer *w, int64_t n)
{
    return between(w, 1, n) == 1;
}

/* ---- loops --------------------------------------------------------------------------------------
 */

static void put_schedule(writer *w)
{
    static const char *const plain[] = {"", "", "", " schedule(dynamic)", " schedule(guided)"};
    if (one_in(w, 3))
        put(w, " schedule(%s, %d)", one_in(w, 2) ? "static" : "dynamic", (int)between(w, 1, 8));
    else
        put(w, "%s", plain[between(w, 0, 4)]);
}

/* parallel for i in 0..n */
static void put_parallel(writer *w, const char *iv, const char *lo, int64_t n)
{
    put(w, "parallel for %s in %s..%lld", iv, lo, (long long)n);
    put_schedule(w);
    put(w, " { ");
}

static char new_array(writer *w, const char *element)
{
    char name = (char)('A' + (int)w->n_arrays++);
    declare(w, "array %s %c", element, name);
    return name;
}

static const char *access_of(writer *w)
{
    return one_in(w, 2) ? "read" : "write";
}

/* A reference, or the same twice. */
__attribute__((format(printf, 2, 3))) static void touch(writer *w, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(w, "%s %s ", access_of(w), text);
    if (one_in(w, 3))
        put(w, "write %s ", text);
}

/* ---- shapes: one parallel loop over one new array
 * ----------------------------------------------------------------------- */

static int64_t side(writer *w, double power)
{
    double most = pow(w->room / 2, power);
    return spread(w, 20, most > 40 ? most : 40);
}

static void put_column(writer *w, const char *lo)
{
    int64_t n = side(w, 1), m = spread(w, 8, 1e6);
    char a = new_array(w, "f64");
    declare(w, "[%lld][%lld] ", (long long)n, (long long)m);
    put_parallel(w, "i", lo, n);
    touch(w, "%c[i][%lld]", a, (long long)between(w, 0, m - 1));
    put(w, "} ");
}

static void put_diagonal(writer *w, const char *lo)
{
    int64_t n = side(w, 1), off = one_in(w, 2) ? 0 : between(w, 0, n / 4);
    char a = new_array(w, one_in(w, 2) ? "f64" : "f32");
    declare(w, "[%lld][%lld] ", (long long)n, (long long)(2 * n));
    put_parallel(w, "i", lo, n);
    if (one_in(w, 3))
        touch(w, "%c[i][%lld-i]", a, (long long)(n - 1));
    else
        touch(w, "%c[i][i+%lld]", a, (long long)off);
    if (one_in(w, 2))
        touch(w, "%c[i][i+%lld]", a, (long long)(off + 1));
    put(w, "} ");
}

static void put_boundary(writer *w, const char *lo)
{
    int64_t n = side(w, 1) / 2 + 10;
    char a = new_array(w, "f64");
    declare(w, "[%lld][%lld] ", (long long)n, (long long)n);
    put_parallel(w, "i", lo, n);
    touch(w, "%c[i][0]", a);
    touch(w, "%c[i][%lld]", a, (long long)n - 1);
    if (one_in(w, 2)) {
        touch(w, "%c[0][i]", a);
        touch(w, "%c[%lld][i]", a, (long long)n - 1);
    }
    put(w, "} ");
}

static void put_fields(writer *w, const char *lo)
{
    static const int bytes[] = {24, 40, 64, 72, 96, 128, 200, 256, 512, 1000, 4096};
    int64_t n = side(w, 1);
    int size = bytes[between(w, 0, 10)], at = (int)between(w, 0, size / 8 - 1) * 8;
    char element[8], a;
    snprintf(element, sizeof element, "b%d", size);
    a = new_array(w, element);
    declare(w, "[%lld] ", (long long)n);
    put_parallel(w, "i", lo, n);
    touch(w, "%c[i] bytes %d..%d", a, at, at + 8);
    if (one_in(w, 2)) {
        at = (int)between(w, 0, size / 8 - 1) * 8;
        touch(w, "%c[i] bytes %d..%d", a, at, at + 8);
    }
    put(w, "} ");
}

static void put_grid(writer *w, const char *lo)
{
    int64_t n = side(w, 0.5), s = spread(w, 1, 300), q = spread(w, 1, 3000);
    char a = new_array(w, "f64");
    declare(w, "[%lld][%lld] ", (long long)(n * s), (long long)(n * q));
    put_parallel(w, "i", lo, n);
    put(w, "for j in 0..%lld { ", (long long)n);
    touch(w, "%c[%lld*i][%lld*j]", a, (long long)s, (long long)q);
    put(w, "} } ");
}

static void put_triangle(writer *w, const char *lo)
{
    int64_t n = side(w, 0.5), s = spread(w, 1, 300), q = spread(w, 1, 100);
    bool lower = one_in(w, 2);
    char a = new_array(w, "f64");
    declare(w, "[%lld][%lld] ", (long long)(n * s), (long long)(n * q));
    put_parallel(w, "i", lo, n);
    if (lower)
        put(w, "for j in 0..i+1 { ");
    else
        put(w, "for j in i..%lld { ", (long long)n);
    touch(w, "%c[%lld*i][%lld*j]", a, (long long)s, (long long)q);
    put(w, "} } ");
}

static void put_stride(writer *w, const char *lo)
{
    int64_t n = side(w, 1), s = spread(w, 1, 8e6), off = between(w, 0, 40);
    char a = new_array(w, one_in(w, 2) ? "f64" : "i32");
    declare(w, "[] ");
    put_parallel(w, "i", lo, n);
    touch(w, "%c[%lld*i+%lld]", a, (long long)s, (long long)off);
    if (one_in(w, 2))
        touch(w, "%c[%lld*i+%lld]", a, (long long)s, (long long)(off + between(w, 1, 2 * s)));
    put(w, "} ");
}

static void put_guarded(writer *w, const char *lo)
{
    int64_t n = side(w, 1), s = spread(w, 1, 1e4);
    char a = new_array(w, "f64");
    declare(w, "[] ");
    put_parallel(w, "i", lo, n);
    switch (between(w, 0, 3)) {
    case 0: {
        int64_t g = spread(w, 2, 60);
        put(w, "if (i %% %lld == %lld) { ", (long long)g, (long long)between(w, 0, g - 1));
        break;
    }
    case 1:
        put(w, "if (i < %lld || i >= %lld) { ", (long long)(n / 7), (long long)(n - n / 9));
        break;
    case 2:
        put(w, "if (i / %lld %% 3 != 1) { ", (long long)spread(w, 2, 20));
        break;
    default:
        put(w, "if (i != %lld) { ", (long long)(n / 2));
        break;
    }
    touch(w, "%c[%lld*i]", a, (long long)s);
    put(w, "} } ");
}

static void put_band(writer *w, const char *lo)
{
    int64_t b = between(w, 1, 12), n = side(w, 1) / (2 * b + 1) + 20;
    char a = new_array(w, "f64");
    declare(w, "[%lld][%lld] ", (long long)n, (long long)n);
    put_parallel(w, "i", lo, n);
    if (one_in(w, 2))
        put(w, "for j in max(0, i-%lld)..min(%lld, i+%lld) { ", (long long)b, (long long)n,
            (long long)(b + 1));
    else
        put(w, "for j in i..min(i+%lld, %lld) { ", (long long)b, (long long)n);
    touch(w, "%c[i][j]", a);
    put(w, "} } ");
}

static void put_remainder(writer *w, const char *lo)
{
    int64_t n = side(w, 1), m = spread(w, 2, 2000), s = spread(w, 1, 1e5);
    char a = new_array(w, "f64");
    declare(w, "[] ");
    put_parallel(w, "i", lo, n);
    if (one_in(w, 2))
        touch(w, "%c[%lld*(i %% %lld)]", a, (long long)s, (long long)m);
    else
        touch(w, "%c[%lld*(i / %lld)]", a, (long long)s, (long long)spread(w, 2, 50));
    put(w, "} ");
}

static void put_sum(writer *w, const char *lo)
{
    int64_t n = side(w, 0.7), k = side(w, 0.3) / 4 + 2, s = spread(w, 1, 1e5);
    char a = new_array(w, "f64");
    declare(w, "[] ");
    put_parallel(w, "i", lo, n);
    put(w, "for k in 0..%lld { ", (long long)k);
    if (one_in(w, 2))
        touch(w, "%c[%lld*(i+k)]", a, (long long)s);
    else
        touch(w, "%c[%lld*i+%lld*k]", a, (long long)s, (long long)spread(w, 1, 1000));
    put(w, "} } ");
}

static void put_moving(writer *w, const char *lo)
{
    int64_t n = side(w, 1), s = spread(w, 8, 1e4);
    char a = new_array(w, "f64");
    declare(w, "[] ");
    put_parallel(w, "i", lo, n);
    if (w->timed)
        touch(w, "%c[%lld*i+%lld*t]", a, (long long)s, (long long)spread(w, 1, 100));
    else
        touch(w, "%c[%lld*min(i, %lld)]", a, (long long)s, (long long)(n / 3));
    put(w, "} ");
}

static void put_private(writer *w, const char *lo)
{
    int64_t n = side(w, 1), m = spread(w, 1, 200);
    char a = new_array(w, "f64"), b;
    declare(w, "[%lld] private ", (long long)m);
    b = new_array(w, "f64");
    declare(w, "[] ");
    put_parallel(w, "i", lo, n);
    touch(w, "%c[i %% %lld]", a, (long long)m);
    touch(w, "%c[%lld*i]", b, (long long)spread(w, 1, 1e4));
    put(w, "} ");
}

static void put_swapped(writer *w, const char *lo)
{
    int64_t n = side(w, 1), s = spread(w, 1, 1e4);
    char a = new_array(w, "f64"), b;
    declare(w, "[%lld] ", (long long)(n * s));
    b = new_array(w, "f64");
    declare(w, "[%lld] ", (long long)(n * s));
    put_parallel(w, "i", lo, n);
    touch(w, "%c[%lld*i]", a, (long long)s);
    put(w, "} ");
    if (w->timed)
        put(w, "swap %c, %c ", a, b);
}

static void put_shape(writer *w)
{
    static void (*const shape[])(writer *, const char *) = {
        put_column,    put_diagonal, put_boundary, put_fields, put_grid,
        put_triangle,  put_stride,   put_guarded,  put_band,   put_sum,
        put_remainder, put_moving,   put_private,  put_swapped};
    const char *lo = w->timed && w->times < 20 && one_in(w, 4) ? "t" : "0";
    int64_t most = w->n_arrays + 1 < MOST_ARRAYS ? 13 : 11; /* the last two take two arrays */
    shape[between(w, 0, most)](w, lo);
}

void sparse_nest(uint64_t seed, double accesses, char *text, size_t size, uint32_t *team)
{
    static const uint32_t teams[] = {1, 2, 3, 4, 4, 7, 8, 16, 32, 64};
    writer w = {.times = 1};
    plussi_rng_seed(&w.rng, seed, 77);
    int64_t shapes = between(&w, 1, MOST_ARRAYS);
    w.timed = !one_in(&w, 4);
    if (w.timed)
        w.times = spread(&w, 2, 100);
    w.room = accesses * plussi_rng_unit(&w.rng) / (double)(shapes * w.times);
    for (int64_t i = 0; i < shapes && w.n_arrays < MOST_ARRAYS; i++)
        put_shape(&w);
    if (w.timed)
        snprintf(text, size, "pluss-nest 1 region r %sfor t in 0..%lld { %s}", w.declared,
                 (long long)w.times, w.body);
    else
        snprintf(text, size, "pluss-nest 1 region r %s%s", w.declared, w.body);
    *team = teams[between(&w, 0, 9)];
}
