/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MAX_LIST = 4096 };

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
        return fail(why, "there is something behind the number");
    if (value > most)
        return fail(why, "the number is too large");
    *out = value;
    return true;
}

bool cli_read_i64(const char *text, int64_t *out, const char **why)
{
    bool negative = *text == '-';
    const char *s = text + negative;
    uint64_t magnitude = 0;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
        size_t n = strspn(s + 2, "0123456789abcdefABCDEF");
        if (n == 0)
            return fail(why, "hexadecimal digits are expected");
        if (s[2 + n])
            return fail(why, "there is something behind the number");
        errno = 0;
        magnitude = strtoull(s + 2, NULL, 16);
        if (errno)
            return fail(why, "the number does not fit 64 bits");
    } else {
        if (!digits(&s, &magnitude, why))
            return false;
        if (*s)
            return fail(why, "there is something behind the number");
    }
    if (magnitude > (uint64_t)INT64_MAX + negative)
        return fail(why, "the number does not fit 64 bits with sign");
    *out = (int64_t)(negative ? -magnitude : magnitude);
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

/* 32, 32K, 32KB, 32KiB: powers of 1024 all. */
static bool size_at(const char **s, uint64_t *out, const char **why)
{
    static const char unit[] = "KMGTPE";
    uint64_t value;
    if (!digits(s, &value, why))
        return false;
    const char *u = **s ? strchr(unit, **s) : NULL;
    if (u) {
        unsigned shift = 10 * (unsigned)(u - unit + 1);
        if (value > UINT64_MAX >> shift)
            return fail(why, "the size does not fit 64 bits");
        value <<= shift;
        ++*s;
        if (**s == 'i')
            ++*s;
    }
    if (**s == 'B')
        ++*s;
    if (value == 0)
        return fail(why, "a size is at least 1");
    *out = value;
    return true;
}

bool cli_read_size(const char *text, uint64_t *out, const char **why)
{
    if (!size_at(&text, out, why))
        return false;
    return !*text || fail(why, "a size is a number of bytes with K, M, G or T behind it");
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

/* Appends value unless it is there. */
static bool add_team(uint32_t **list, size_t *n, uint64_t value, const char **why)
{
    if (value == 0)
        return fail(why, "a team has at least one thread");
    if (value > UINT32_MAX)
        return fail(why, "so many threads are not possible");
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i] == value)
            return true;
    if (*n == MAX_LIST)
        return fail(why, "the list is too long");
    *list = cli_grow(*list, *n, sizeof **list);
    (*list)[(*n)++] = (uint32_t)value;
    return true;
}

/* N, A-B, A..B, and either with xK: each K times the one before. */
static bool team_item(const char **s, uint32_t **list, size_t *n, const char **why)
{
    uint64_t first, last, factor = 0;
    if (!digits(s, &first, why))
        return false;
    bool range = **s == '-' || strncmp(*s, "..", 2) == 0;
    if (!range)
        return add_team(list, n, first, why);
    *s += **s == '-' ? 1 : 2;
    if (!digits(s, &last, why))
        return false;
    if (**s == 'x') {
        ++*s;
        if (!digits(s, &factor, why))
            return false;
        if (factor < 2)
            return fail(why, "the factor of a range is at least 2");
    }
    if (last < first)
        return fail(why, "the range runs backwards");
    for (uint64_t value = first;;) {
        if (!add_team(list, n, value, why))
            return false;
        if (factor == 0 ? value == last : value > last / factor)
            return true;
        value = factor == 0 ? value + 1 : value * factor;
    }
}

bool cli_read_threads(const char *text, uint32_t **list, size_t *n, const char **why)
{
    uint32_t *teams = NULL;
    *n = 0;
    for (;; text++) {
        if (!team_item(&text, &teams, n, why)) {
            free(teams);
            return false;
        }
        if (*text != ',')
            break;
    }
    if (*text) {
        free(teams);
        return fail(why, "a list is numbers and ranges such as 1,4,16-64 or 1..64x2");
    }
    *list = teams;
    return true;
}

bool cli_read_schedule(const char *text, pluss_schedule *kind, int64_t *chunk,
                       const char **recorded, const char **why)
{
    static const struct {
        const char *name;
        pluss_schedule kind;
    } known[] = {{"static", PLUSS_SCHEDULE_STATIC},
                 {"dynamic", PLUSS_SCHEDULE_DYNAMIC},
                 {"guided", PLUSS_SCHEDULE_GUIDED}};
    size_t length = strlen("recorded");
    *recorded = NULL;
    if (strncmp(text, "recorded", length) == 0 && (!text[length] || text[length] == '=')) {
        *kind = PLUSS_SCHEDULE_RECORDED;
        *chunk = 0;
        if (text[length])
            *recorded = text + length + 1;
        return true;
    }
    length = strcspn(text, ",");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) != length || memcmp(text, known[i].name, length) != 0)
            continue;
        *kind = known[i].kind;
        *chunk = 0;
        if (!text[length])
            return true;
        if (!cli_read_i64(text + length + 1, chunk, why))
            return false;
        return *chunk > 0 || fail(why, "a chunk has at least one iteration");
    }
    return fail(why, "a schedule is static, dynamic or guided, with a chunk as in static,4");
}
