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

bool cli_read_count(const char *text, uint64_t most, uint64_t *out)
{
    size_t digits = strspn(text, "0123456789");
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (digits == 0 || text[digits] || errno || value > most)
        return false;
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

bool cli_read_reals(const char *text, size_t n, double *out, const char **why)
{
    char *copy = cli_text("%s", text), *at = copy;
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        char *comma = strchr(at, ',');
        good = (comma != NULL) == (i + 1 < n) || fail(why, "too few or too many numbers");
        if (comma)
            *comma = 0;
        good = good && cli_read_real(at, &out[i], why);
        at = comma ? comma + 1 : at;
    }
    free(copy);
    return good;
}

bool cli_read_rate(const char *text, double *out, const char **why)
{
    size_t length = strlen(text);
    bool percent = length > 0 && text[length - 1] == '%';
    char *number = cli_text("%.*s", (int)(length - percent), text);
    double value;
    bool good = cli_read_real(number, &value, why);
    free(number);
    value = good && percent ? value / 100 : value;
    *why = "a rate is above 0 and up to 1, as in 0.01 or 1%";
    if (!good || !(value > 0 && value <= 1))
        return false;
    *out = value;
    return true;
}
