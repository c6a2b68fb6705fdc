/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static bool fail(const char **why, const char *text)
{
    *why = text;
    return false;
}

/* Decimal digits at *s, which moves past them. */
static bool digits(const char **s, uint64_t *out, const char **why)
{
    const char *p = *s;
    uint64_t value = 0;
    if (*p < '0' || *p > '9')
        return fail(why, "a number is expected");
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return fail(why, "the number does not fit 64 bits");
    *s = p;
    *out = value;
    return true;
}

bool cli_read_u64(const char *text, uint64_t most, uint64_t *out, const char **why)
{
    uint64_t value;
    if (!digits(&text, &value, why))
        return false;
    if (*text)
        return fail(why, "there is something after the number");
    if (value > most)
        return fail(why, "the number is too large");
    *out = value;
    return true;
}

bool cli_read_real(const char *text, double *out, const char **why)
{
    char *end;
    if (strspn(text, "0123456789.eE+-") != strlen(text) || !*text)
        return fail(why, "a number is expected");
    errno = 0;
    double value = strtod(text, &end);
    if (*end || end == text)
        return fail(why, "a number is expected");
    if (!isfinite(value) || value < 0)
        return fail(why, "the number is out of range");
    *out = value;
    return true;
}

bool cli_read_share(const char *text, double *out, const char **why)
{
    char number[64];
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    double value;
    if (length - percent >= sizeof number)
        return fail(why, "a number is expected");
    memcpy(number, text, length - percent);
    number[length - percent] = '\0';
    if (!cli_read_real(number, &value, why))
        return false;
    value = percent ? value / 100 : value;
    if (!(value > 0 && value < 1))
        return fail(why, "an error is a miss ratio above 0 and below 1, as in 0.2% or 0.002");
    *out = value;
    return true;
}

bool cli_read_interval(const char *text, double *ns, const char **why)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    char *end;
    double value = strtod(text, &end);
    *why = "an interval is a number of ns, us, ms or s, from 1us to 10s: 100us";
    if (strspn(text, "0123456789.") == 0)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        *ns = value * pow(1000, (double)i);
        if (strcmp(end, units[i]) == 0)
            return *ns >= 1e3 && *ns <= 1e10;
    }
    return false;
}
