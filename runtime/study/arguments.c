/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/arguments.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"

enum { MAX_LIST = 4096 };

bool plussi_refuse(plussi_argument *a, const char *why)
{
    a->why = why;
    return false;
}

bool plussi_skip(plussi_argument *a, const char *word)
{
    size_t length = strlen(word);
    bool next = strncmp(a->at, word, length) == 0;
    a->at += next ? length : 0;
    return next;
}

bool plussi_at_end(plussi_argument *a)
{
    return !*a->at || plussi_refuse(a, "there is something after the number");
}

bool plussi_read_count(plussi_argument *a, uint64_t *out)
{
    const char *p = a->at;
    uint64_t value = 0;
    if (*p < '0' || *p > '9')
        return plussi_refuse(a, "a number is expected");
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
            return plussi_refuse(a, "the number does not fit 64 bits");
    a->at = p;
    *out = value;
    return true;
}

static bool read_hexadecimal(plussi_argument *a, uint64_t *out)
{
    size_t n = strspn(a->at, "0123456789abcdefABCDEF");
    if (n == 0)
        return plussi_refuse(a, "hexadecimal digits are expected");
    errno = 0;
    *out = strtoull(a->at, NULL, 16);
    if (errno)
        return plussi_refuse(a, "the number does not fit 64 bits");
    a->at += n;
    return true;
}

bool plussi_read_integer(plussi_argument *a, int64_t *out)
{
    const char *start = a->at;
    bool negative = plussi_skip(a, "-");
    uint64_t magnitude = 0;
    if (plussi_skip(a, "0x") || plussi_skip(a, "0X")) {
        if (!read_hexadecimal(a, &magnitude))
            return false;
    } else if (!plussi_read_count(a, &magnitude)) {
        return false;
    }
    if (magnitude > (uint64_t)INT64_MAX + negative) {
        a->at = start;
        return plussi_refuse(a, "the number does not fit 64 bits with sign");
    }
    *out = (int64_t)(negative ? -magnitude : magnitude);
    return true;
}

bool plussi_read_real(plussi_argument *a, double *out)
{
    const char *start = a->at;
    bool negative = plussi_skip(a, "-");
    double value;
    if (!plussi_read_decimal(&a->at, &value)) {
        a->at = start;
        return plussi_refuse(a, "a number is expected");
    }
    if (negative || !isfinite(value)) {
        a->at = start;
        return plussi_refuse(a, "the number is out of range");
    }
    *out = value;
    return true;
}

bool plussi_read_share(plussi_argument *a, double *out)
{
    double value;
    if (!plussi_read_real(a, &value))
        return false;
    *out = plussi_skip(a, "%") ? value / 100 : value;
    return true;
}

bool plussi_read_interval(plussi_argument *a, double *out)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    double factor = 1;
    if (!plussi_read_real(a, out))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++, factor *= 1000)
        if (plussi_skip(a, units[i])) {
            *out *= factor;
            return true;
        }
    return plussi_refuse(a, "an interval is a number of ns, us, ms or s: 100us");
}

/* 32, 32K, 32KB, 32KiB: powers of 1024 all. */
bool plussi_read_size(plussi_argument *a, uint64_t *out)
{
    static const char unit[] = "KMGTPE";
    const char *start = a->at;
    uint64_t value;
    if (!plussi_read_count(a, &value))
        return false;
    const char *u = *a->at ? strchr(unit, *a->at) : NULL;
    unsigned shift = u ? 10 * (unsigned)(u - unit + 1) : 0;
    if (value == 0 || value > UINT64_MAX >> shift) {
        a->at = start;
        return plussi_refuse(a, value ? "the size does not fit 64 bits" : "a size is at least 1");
    }
    if (u) {
        a->at++;
        (void)plussi_skip(a, "i");
    }
    (void)plussi_skip(a, "B");
    *out = value << shift;
    return true;
}

/* ---- sweeps ------------------------------------------------------------------------------------
 */

static bool add_value(plussi_argument *a, plussi_sweep *sweep, uint64_t value, const char *why)
{
    for (size_t i = 0; i < sweep->n; i++)
        if (sweep->value[i] == value)
            return true;
    if (value > UINT32_MAX)
        return plussi_refuse(a, why);
    if (sweep->n == PLUSSI_SWEEP_MOST)
        return plussi_refuse(a, "the list is too long");
    sweep->value[sweep->n++] = (uint32_t)value;
    return true;
}

static bool read_doubling(plussi_argument *a, const char *why, plussi_sweep *out)
{
    const char *start = a->at;
    uint64_t first, last;
    if (!plussi_read_count(a, &first))
        return false;
    last = first;
    if (plussi_skip(a, "..") && !plussi_read_count(a, &last))
        return false;
    uint64_t factor = first ? last / first : 0;
    bool good = true;
    if (factor == 0 || factor * first != last || (factor & (factor - 1)) != 0) {
        a->at = start;
        return plussi_refuse(a, first ? "a range doubles: 1..16 is 1, 2, 4, 8, 16" : why);
    }
    for (uint64_t k = 1; k <= factor && good; k *= 2)
        good = add_value(a, out, first * k, why);
    a->at = good ? a->at : start;
    return good;
}

bool plussi_read_sweep(plussi_argument *a, const char *separator, const char *zero, const char *why,
                       plussi_sweep *out)
{
    bool good;
    out->n = 0;
    do
        good =
            zero && plussi_skip(a, zero) ? add_value(a, out, 0, why) : read_doubling(a, why, out);
    while (good && plussi_skip(a, separator));
    return good;
}

/* ---- numbers of threads ------------------------------------------------------------------------
 */

typedef struct team_list {
    const plussi_mem *mem;
    uint32_t *team;
    size_t n, cap;
} team_list;

/* Appends value unless it is there. */
static pluss_status add_team(plussi_argument *a, team_list *list, uint64_t value)
{
    const char *why = value == 0           ? "a team has at least one thread"
                      : value > UINT32_MAX ? "that many threads are not possible"
                                           : NULL;
    for (size_t i = 0; i < list->n && !why; i++)
        if (list->team[i] == value)
            return PLUSS_OK;
    if (!why && list->n == MAX_LIST)
        why = "the list is too long";
    if (why) {
        (void)plussi_refuse(a, why);
        return PLUSS_EINVAL;
    }
    if (plussi_grow(list->mem, &list->team, &list->cap, list->n, sizeof *list->team))
        return PLUSS_ENOMEM;
    list->team[list->n++] = (uint32_t)value;
    return PLUSS_OK;
}

/* N, A-B, A..B, and either with xK: each K times the one before. */
static pluss_status read_range(plussi_argument *a, team_list *list)
{
    const char *start = a->at;
    uint64_t first, last, factor = 0;
    if (!plussi_read_count(a, &first))
        return PLUSS_EINVAL;
    if (!plussi_skip(a, "-") && !plussi_skip(a, "..")) {
        pluss_status status = add_team(a, list, first);
        a->at = status ? start : a->at;
        return status;
    }
    if (!plussi_read_count(a, &last))
        return PLUSS_EINVAL;
    if (plussi_skip(a, "x")) {
        if (!plussi_read_count(a, &factor))
            return PLUSS_EINVAL;
        if (factor < 2)
            (void)plussi_refuse(a, "the factor of a range is at least 2");
    }
    if (last < first)
        (void)plussi_refuse(a, "the range runs backwards");
    pluss_status status = a->why ? PLUSS_EINVAL : PLUSS_OK;
    for (uint64_t value = first; !status;) {
        status = add_team(a, list, value);
        if (factor == 0 ? value == last : value > last / factor)
            break;
        value = factor == 0 ? value + 1 : value * factor;
    }
    a->at = status ? start : a->at;
    return status;
}

pluss_status plussi_read_threads(const plussi_mem *mem, plussi_argument *a, uint32_t **list,
                                 size_t *n)
{
    team_list teams = {.mem = mem};
    pluss_status status;
    do
        status = read_range(a, &teams);
    while (!status && plussi_skip(a, ","));
    if (!status && *a->at) {
        (void)plussi_refuse(a, "a list is numbers and ranges such as 1,4,16-64 or 1..64x2");
        status = PLUSS_EINVAL;
    }
    if (status) {
        plussi_free(mem, teams.team);
        return status;
    }
    *list = teams.team;
    *n = teams.n;
    return PLUSS_OK;
}
