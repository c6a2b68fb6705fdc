/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "symbolic/line_forms.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"

/* Of numbers: so that 128 bits hold what the fit multiplies them by. */
static const int64_t LARGEST = INT64_C(1) << 39;

/* sum of numerator[k] * L^k, over the denominator */
typedef struct polynomial {
    __int128 numerator[PLUSSI_LINE_FORM_DEGREE + 1], denominator;
    int degree;
} polynomial;

static __int128 value_at(const polynomial *p, int64_t at)
{
    __int128 sum = 0;
    for (int k = p->degree; k >= 0; k--)
        sum = sum * at + p->numerator[k];
    return sum;
}

/* Through the first degree + 1 sizes, by Lagrange's formula. */
static void interpolate(polynomial *p, int degree, const int64_t *number)
{
    *p = (polynomial){.denominator = 1, .degree = degree};
    for (int i = 0; i <= degree; i++)
        for (int j = 0; j < i; j++)
            p->denominator *= plussi_line_form((uint32_t)i) - plussi_line_form((uint32_t)j);
    for (int i = 0; i <= degree; i++) {
        __int128 part[PLUSSI_LINE_FORM_DEGREE + 2] = {1}, over = 1;
        int n = 0;
        for (int j = 0; j <= degree; j++) {
            if (j == i)
                continue;
            const int64_t root = plussi_line_form((uint32_t)j);
            over *= plussi_line_form((uint32_t)i) - root;
            for (int k = ++n; k >= 0; k--)
                part[k] = (k ? part[k - 1] : 0) - root * part[k];
        }
        for (int k = 0; k <= degree; k++)
            p->numerator[k] += p->denominator / over * number[i] * part[k];
    }
}

static void reduce(polynomial *p)
{
    unsigned __int128 common = (unsigned __int128)p->denominator;
    for (int k = 0; k <= p->degree; k++)
        for (unsigned __int128 n =
                 (unsigned __int128)(p->numerator[k] < 0 ? -p->numerator[k] : p->numerator[k]);
             n;) {
            const unsigned __int128 rest = common % n;
            common = n;
            n = rest;
        }
    for (int k = 0; k <= p->degree; k++)
        p->numerator[k] /= (__int128)common;
    p->denominator /= (__int128)common;
}

static bool fit(polynomial *p, const int64_t *number)
{
    for (uint32_t i = 0; i < PLUSSI_LINE_FORMS; i++)
        if (number[i] > LARGEST)
            return false;
    for (int degree = 0; degree <= PLUSSI_LINE_FORM_DEGREE; degree++) {
        bool good = true;
        interpolate(p, degree, number);
        for (uint32_t i = 0; i < PLUSSI_LINE_FORMS && good; i++)
            good = value_at(p, plussi_line_form(i)) == p->denominator * number[i];
        if (good) {
            reduce(p);
            for (int k = 0; k <= degree; k++)
                good &= p->numerator[k] >= -LARGEST && p->numerator[k] <= LARGEST;
            return good;
        }
    }
    return false;
}

static void put_power(plussi_text *out, __int128 factor, int power)
{
    if (factor != 1 || power == 0)
        plussi_text_format(out, "%lld%s", (long long)factor, power ? "*" : "");
    if (power)
        plussi_text_puts(out, "L");
    if (power > 1)
        plussi_text_format(out, "^%d", power);
}

/* In parentheses unless it is one product. */
static void put_polynomial(plussi_text *out, const polynomial *p)
{
    int n = 0;
    for (int k = 0; k <= p->degree; k++)
        n += p->numerator[k] != 0;
    const bool bare = n <= 1 && p->denominator == 1;
    bool first = true;
    plussi_text_puts(out, bare ? "" : "(");
    plussi_text_puts(out, n > 1 && p->denominator != 1 ? "(" : "");
    for (int k = p->degree; k >= 0; k--) {
        const __int128 c = p->numerator[k];
        if (c == 0)
            continue;
        plussi_text_puts(out, first ? (c < 0 ? "-" : "") : c < 0 ? " - " : " + ");
        put_power(out, c < 0 ? -c : c, k);
        first = false;
    }
    plussi_text_puts(out, first ? "0" : "");
    plussi_text_puts(out, n > 1 && p->denominator != 1 ? ")" : "");
    if (p->denominator != 1)
        plussi_text_format(out, "/%lld", (long long)p->denominator);
    plussi_text_puts(out, bare ? "" : ")");
}

/* The numbers that the texts are at, which move past them. False: not all are at one. */
static bool read_numbers(const char **at, int64_t *number)
{
    for (uint32_t i = 0; i < PLUSSI_LINE_FORMS; i++) {
        char *end;
        if (!isdigit((unsigned char)*at[i]))
            return false;
        errno = 0;
        number[i] = strtoll(at[i], &end, 10);
        if (errno)
            return false;
        at[i] = end;
    }
    return true;
}

bool plussi_merge_line_forms(plussi_text *out, const char *const text[PLUSSI_LINE_FORMS])
{
    plussi_text merged;
    const char *at[PLUSSI_LINE_FORMS];
    bool word = false, quoted = false, good = true, more = true;
    plussi_text_init(&merged, out->ctx);
    for (uint32_t i = 0; i < PLUSSI_LINE_FORMS; i++)
        at[i] = text[i];
    while (good && more) {
        int64_t number[PLUSSI_LINE_FORMS];
        polynomial p;
        if (!word && !quoted && isdigit((unsigned char)*at[0])) {
            good = read_numbers(at, number) && fit(&p, number);
            if (good)
                put_polynomial(&merged, &p);
            continue;
        }
        const char c = *at[0];
        for (uint32_t i = 0; i < PLUSSI_LINE_FORMS && good; i++)
            good = *at[i] == c;
        more = c != 0;
        if (good && more) {
            plussi_text_put(&merged, &c, 1);
            quoted ^= c == '`';
            word = isalnum((unsigned char)c) || c == '_' || c == '#';
            for (uint32_t i = 0; i < PLUSSI_LINE_FORMS; i++)
                at[i]++;
        }
    }
    char *bytes = NULL;
    size_t length = 0;
    const pluss_status status = plussi_text_finish(&merged, &bytes, &length);
    if (status)
        out->status = status;
    else if (good)
        plussi_text_put(out, bytes, length);
    plussi_free(&out->ctx->mem, bytes);
    return good && !status;
}
