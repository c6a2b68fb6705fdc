/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The laws of thread progress, by number and by name.
 */
#include "team/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "team/law.h"

static const plussi_law *const laws[] = {
#define PLUSSI_X(number, name) &plussi_law_##name,
    PLUSSI_PROGRESS_LAWS(PLUSSI_X)
#undef PLUSSI_X
};
enum {
    LAWS = sizeof laws / sizeof *laws,
    NUMBERS = sizeof laws[0]->number / sizeof *laws[0]->number
};

const plussi_law *plussi_law_of(const plussi_progress *progress)
{
    return laws[progress->law];
}

const plussi_law *plussi_law_at(size_t i)
{
    return i < LAWS ? laws[i] : NULL;
}

static bool has_number(const plussi_law *law, const plussi_law_number *n)
{
    return n < law->number + NUMBERS && n->name;
}

/* ---- numbers -----------------------------------------------------------------------------------
 */

static double get_number(const plussi_progress *p, const plussi_law_number *n)
{
    const char *at = (const char *)p + n->at;
    return n->whole ? *(const uint32_t *)(const void *)at : *(const double *)(const void *)at;
}

static void set_number(plussi_progress *p, const plussi_law_number *n, double value)
{
    char *at = (char *)p + n->at;
    if (n->whole)
        *(uint32_t *)(void *)at = (uint32_t)value;
    else
        *(double *)(void *)at = value;
}

/* A whole number of 0 is left to the user. */
static bool is_in_range(const plussi_law_number *n, double value)
{
    return (value >= n->least && value <= n->most) || (n->whole && value == 0);
}

static pluss_status refuse_number(plussi_ctx *ctx, const plussi_law *law,
                                  const plussi_law_number *n)
{
    return plussi_fail(ctx, PLUSS_EINVAL, NULL, "progress '%s': %s is %sbetween %.0f and %.0f",
                       law->name, n->name, n->whole ? "a whole number " : "", n->least, n->most);
}

pluss_status plussi_progress_check(plussi_ctx *ctx, const plussi_progress *p)
{
    const plussi_law *law = plussi_law_at((size_t)p->law);
    if (!law)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "there is no such progress");
    for (const plussi_law_number *n = law->number; has_number(law, n); n++)
        if (!is_in_range(n, get_number(p, n)))
            return refuse_number(ctx, law, n);
    const char *wrong = law->check ? law->check(p) : NULL;
    return wrong ? plussi_fail(ctx, PLUSS_EINVAL, NULL, "progress '%s': %s", law->name, wrong)
                 : PLUSS_OK;
}

uint32_t plussi_progress_draws(const plussi_progress *p, uint32_t draws)
{
    if (p->law == PLUSSI_PROGRESS_RECORDED)
        return p->timelines->n < draws ? (uint32_t)p->timelines->n : draws;
    return plussi_law_of(p)->drawn ? draws : 1;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static const plussi_law *find_law(const char *name, size_t length, plussi_progress_law *number)
{
    for (size_t i = 0; i < LAWS; i++)
        if (strlen(laws[i]->name) == length && memcmp(laws[i]->name, name, length) == 0) {
            *number = (plussi_progress_law)i;
            return laws[i];
        }
    return NULL;
}

static pluss_status refuse_name(plussi_ctx *ctx)
{
    char list[256] = "";
    for (size_t i = 0, used = 0; i < LAWS && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 laws[i]->syntax);
    return plussi_fail(ctx, PLUSS_EINVAL, NULL, "it is one of %s", list);
}

/* Up to ':' or the end. */
static bool read_number(const char **text, double *out)
{
    return plussi_read_decimal(text, out) && (**text == ':' || !**text) && isfinite(*out);
}

pluss_status plussi_progress_parse(plussi_ctx *ctx, const char *text, plussi_progress *out,
                                   bool *by_default)
{
    plussi_progress p = {0};
    size_t length = strcspn(text, ":");
    const plussi_law *law = find_law(text, length, &p.law);
    if (!law)
        return refuse_name(ctx);
    text += length;
    bool left_out = law->number[0].name != NULL;
    for (const plussi_law_number *n = law->number; has_number(law, n); n++) {
        double value = n->by_default;
        bool given = *text == ':' && text[1] != ':';
        text += *text == ':';
        if (given) {
            if (!read_number(&text, &value))
                return plussi_fail(ctx, PLUSS_EINVAL, NULL, "a number is expected");
            if (value < n->least || value > n->most || (n->whole && value != floor(value)))
                return refuse_number(ctx, law, n);
            left_out = left_out && n != law->number && !n->of_machine;
        } else if (n->needed) {
            return plussi_fail(ctx, PLUSS_EINVAL, NULL, "progress '%s' needs %s", law->name,
                               n->name);
        }
        set_number(&p, n, value);
    }
    if (*text)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "progress '%s' has %s", law->name,
                           law->number[0].name ? "no more numbers" : "no number");
    *by_default = left_out;
    *out = p;
    return PLUSS_OK;
}

/* ---- writing -----------------------------------------------------------------------------------
 */

const char *plussi_progress_name(plussi_progress_law law)
{
    return (unsigned)law < LAWS ? laws[law]->name : NULL;
}

/* At most six decimals, without trailing zeros, in any locale. */
static int write_number(char *out, size_t room, double value)
{
    unsigned long long units = value < 1e12 ? (unsigned long long)llround(value * 1e6) : 0;
    unsigned long long rest = units % 1000000;
    int digits = 6;
    if (value >= 1e12)
        return snprintf(out, room, ":%.0f", value);
    if (rest == 0)
        return snprintf(out, room, ":%llu", units / 1000000);
    for (; rest % 10 == 0; rest /= 10)
        digits--;
    return snprintf(out, room, ":%llu.%0*llu", units / 1000000, digits, rest);
}

bool plussi_progress_number(const plussi_progress *p, size_t i, const char **name, double *value)
{
    const plussi_law *law = plussi_law_of(p);
    size_t n = 0;
    while (has_number(law, &law->number[n]))
        n++;
    if (i < n) {
        *name = law->number[i].name;
        *value = get_number(p, &law->number[i]);
        return true;
    }
    *name = i == n ? "STALL_RATE" : "STALL_ACCESSES";
    *value = i == n ? p->stall_rate : p->stall;
    return i < n + 2 && plussi_progress_has_stalls(p);
}

void plussi_progress_write(const plussi_progress *p, char *out, size_t room)
{
    const plussi_law *law = plussi_law_of(p);
    int used = snprintf(out, room, "%s", law->name);
    for (const plussi_law_number *n = law->number; has_number(law, n); n++) {
        double value = get_number(p, n);
        used += write_number(out + used, room - (size_t)used, value);
        if (n->ends && !(value > 0))
            break;
    }
    if (law->write_more)
        used += law->write_more(p, out + used, room - (size_t)used);
    if (law->number[0].name && p->origin)
        snprintf(out + used, room - (size_t)used, " of %s", p->origin);
}
