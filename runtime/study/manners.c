/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How threads progress, by name.
 */
#include "study/stage.h"

#include <stdio.h>
#include <string.h>

#include "report/sink.h"

const char *plussi_interleave_name(plussi_interleave kind)
{
    static const char *const name[] = {
        [PLUSSI_INTERLEAVE_UNIFORM] = "uniform",       [PLUSSI_INTERLEAVE_ROUND_ROBIN] = "rr",
        [PLUSSI_INTERLEAVE_BURST] = "burst",           [PLUSSI_INTERLEAVE_SPEEDS] = "speeds",
        [PLUSSI_INTERLEAVE_SEQUENTIAL] = "sequential", [PLUSSI_INTERLEAVE_SLICES] = "slices",
        [PLUSSI_INTERLEAVE_RECORDED] = "recorded",
    };
    return (unsigned)kind < sizeof name / sizeof *name ? name[kind] : NULL;
}

const char *plussi_progress_name(plussi_clock_progress law)
{
    static const char *const name[] = {
        [PLUSSI_CLOCK_UNIFORM] = "uniform",   [PLUSSI_CLOCK_SPEEDS] = "speeds",
        [PLUSSI_CLOCK_BURST] = "burst",       [PLUSSI_CLOCK_LOCKSTEP] = "lockstep",
        [PLUSSI_CLOCK_MIXED] = "mixed",       [PLUSSI_CLOCK_SLICES] = "slices",
        [PLUSSI_CLOCK_RECORDED] = "recorded",
    };
    return (unsigned)law < sizeof name / sizeof *name ? name[law] : NULL;
}

/* Without zeros at its end. */
static void shortest(double value, char *out)
{
    for (size_t n = plussi_text_fixed(out, value, 6); out[n - 1] == '0' || out[n - 1] == '.';) {
        bool point = out[--n] == '.';
        out[n] = '\0';
        if (point)
            break;
    }
}

void plussi_pipeline_parametric(const plussi_request *request, const char *name, double value,
                                char *out, size_t room)
{
    char param[PLUSSI_NUMBER], skew[PLUSSI_NUMBER], spread[PLUSSI_NUMBER];
    const plussi_speeds *s = &request->speeds;
    shortest(value, param);
    if (strcmp(name, "slices") == 0) {
        snprintf(out, room, "%s:%s:%u%s%s", name, param, request->cores,
                 request->speeds_name ? " of " : "",
                 request->speeds_name ? request->speeds_name : "");
    } else if (strcmp(name, "burst") == 0) {
        snprintf(out, room, "%s:%s", name, param);
    } else if (strcmp(name, "speeds") == 0) {
        bool skewed = s->skew > 0;
        shortest(s->skew, skew);
        shortest(s->skew_spread, spread);
        snprintf(out, room, "%s:%s%s%s%s%s%s%s%s%s%s", name, param, skewed ? ":" : "",
                 skewed ? skew : "", skewed ? ":" : "", skewed ? spread : "",
                 s->n_rates ? "+rates" : "", s->stall_rate > 0 && s->stall > 0 ? "+stalls" : "",
                 request->n_loops ? "+loops" : "", request->speeds_name ? " of " : "",
                 request->speeds_name ? request->speeds_name : "");
    } else {
        snprintf(out, room, "%s", name);
    }
}
