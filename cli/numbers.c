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

/* Decimal digits at *s, which moves behind them. */
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

bool cli_is_calibrated(const char *text)
{
    return strcmp(text, "speeds") == 0 || strcmp(text, "slices") == 0 ||
           strncmp(text, "slices::", 8) == 0;
}

/* [:[ACCESSES][:CORES]]; on the machine's processors. */
static bool read_slices(const char *text, double *param, uint32_t *cores, const char **why)
{
    char length[32];
    uint64_t number = 0;
    *param = CLI_USUAL_SLICE;
    *cores = 0;
    if (!*text) {
        cli_machine machine = {0};
        (void)cli_machine_read(&machine);
        *cores = machine.processors ? machine.processors : 1;
        cli_machine_free(&machine);
        return true;
    }
    size_t n = strcspn(text + 1, ":");
    if (n >= sizeof length)
        return fail(why, "a slice is so many accesses: slices:ACCESSES:CORES");
    memcpy(length, text + 1, n);
    length[n] = '\0';
    if ((n > 0 || !text[1]) && !cli_read_real(length, param, why))
        return false;
    if (!(*param >= 1 && *param <= CLI_MOST_SLICE))
        return fail(why, "a slice has 1 to 1e9 accesses");
    if (!text[1 + n]) {
        double given = *param;
        bool good = read_slices("", param, cores, why);
        *param = given;
        return good;
    }
    *cores = 1;
    if (!cli_read_u64(text + n + 2, UINT32_MAX, &number, why))
        return false;
    if (number == 0)
        return fail(why, "there is at least one core");
    *cores = (uint32_t)number;
    return true;
}

/* [:SIGMA[:SKEW[:SPREAD]]]; what is not given is as measured on machines that nobody calibrated. */
static bool read_speeds(const char *text, double *sigma, pluss_speeds *speeds, const char **why)
{
    static const struct {
        double uncalibrated, most;
        const char *why;
    } part[] = {{.03, 10, "the spread of the speeds is in 0 ... 10"},
                {500, 1e9, "threads start up to 1e9 accesses late"},
                {1, 10, "the spread of late starts is in 0 ... 10"}};
    double *value[] = {sigma, &speeds->skew, &speeds->skew_spread};
    *speeds = (pluss_speeds){.size = sizeof *speeds};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        char number[32];
        *value[i] = part[i].uncalibrated;
        if (!*text)
            continue;
        size_t n = strcspn(++text, ":");
        if (n >= sizeof number)
            return fail(why, "speeds are speeds:SIGMA:SKEW:SPREAD");
        memcpy(number, text, n);
        number[n] = '\0';
        if (!cli_read_real(number, value[i], why))
            return false;
        if (*value[i] > part[i].most)
            return fail(why, part[i].why);
        text += n;
    }
    return !*text || fail(why, "speeds are speeds:SIGMA:SKEW:SPREAD");
}

bool cli_read_interleave(const char *text, pluss_interleave *kind, double *param, uint32_t *cores,
                         pluss_speeds *speeds, const char **why)
{
    static const struct {
        const char *name;
        pluss_interleave kind;
    } known[] = {{"uniform", PLUSS_INTERLEAVE_UNIFORM},       {"rr", PLUSS_INTERLEAVE_ROUND_ROBIN},
                 {"burst", PLUSS_INTERLEAVE_BURST},           {"speeds", PLUSS_INTERLEAVE_SPEEDS},
                 {"sequential", PLUSS_INTERLEAVE_SEQUENTIAL}, {"slices", PLUSS_INTERLEAVE_SLICES},
                 {"recorded", PLUSS_INTERLEAVE_RECORDED}};
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) != length || memcmp(text, known[i].name, length) != 0)
            continue;
        *kind = known[i].kind;
        *param = 0;
        if (*kind == PLUSS_INTERLEAVE_SLICES)
            return read_slices(text + length, param, cores, why);
        if (*kind == PLUSS_INTERLEAVE_SPEEDS)
            return read_speeds(text + length, param, speeds, why);
        if (*kind != PLUSS_INTERLEAVE_BURST)
            return !text[length] || fail(why, "this interleaving has no parameter");
        if (!text[length])
            return fail(why, "this interleaving needs a parameter: burst:MEAN");
        if (!cli_read_real(text + length + 1, param, why))
            return false;
        return *param >= 1 || fail(why, "the mean of a burst is at least 1");
    }
    return fail(why, "it is one of uniform, rr, burst:MEAN, speeds, sequential, slices, recorded");
}

bool cli_read_progress(const char *text, pluss_progress *kind, double *param, uint32_t *cores,
                       pluss_speeds *speeds, const char **why)
{
    static const struct {
        const char *name;
        pluss_progress kind;
    } known[] = {{"uniform", PLUSS_PROGRESS_UNIFORM},  {"speeds", PLUSS_PROGRESS_SPEEDS},
                 {"burst", PLUSS_PROGRESS_BURST},      {"lockstep", PLUSS_PROGRESS_LOCKSTEP},
                 {"mixed", PLUSS_PROGRESS_MIXED},      {"slices", PLUSS_PROGRESS_SLICES},
                 {"recorded", PLUSS_PROGRESS_RECORDED}};
    size_t length = strcspn(text, ":");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strlen(known[i].name) != length || memcmp(text, known[i].name, length) != 0)
            continue;
        *kind = known[i].kind;
        *param = 0;
        if (*kind == PLUSS_PROGRESS_SLICES)
            return read_slices(text + length, param, cores, why);
        if (*kind == PLUSS_PROGRESS_SPEEDS)
            return read_speeds(text + length, param, speeds, why);
        if (*kind != PLUSS_PROGRESS_BURST)
            return !text[length] || fail(why, "this progress has no parameter");
        if (!text[length])
            return fail(why, "this progress needs a parameter: burst:MEAN");
        if (!cli_read_real(text + length + 1, param, why))
            return false;
        return (*param >= 1 && *param <= 1e9) || fail(why, "the mean of a burst is in 1 ... 1e9");
    }
    return fail(why, "it is one of uniform, speeds, burst:MEAN, lockstep, mixed, slices, recorded");
}
