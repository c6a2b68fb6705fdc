/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How threads progress, by name.
 */
#include "pipeline/stage.h"

#include <stdio.h>
#include <string.h>

#include "report/sink.h"

const char *plussi_interleave_name(plussi_interleave kind)
{
    static const char *const name[] = {
        [PLUSSI_INTERLEAVE_UNIFORM] = "uniform",       [PLUSSI_INTERLEAVE_ROUND_ROBIN] = "rr",
        [PLUSSI_INTERLEAVE_BURST] = "burst",           [PLUSSI_INTERLEAVE_SPEEDS] = "speeds",
        [PLUSSI_INTERLEAVE_SEQUENTIAL] = "sequential", [PLUSSI_INTERLEAVE_SLICES] = "slices",
    };
    return (unsigned)kind < sizeof name / sizeof *name ? name[kind] : NULL;
}

const char *plussi_pace_name(plussi_clock_progress pace)
{
    static const char *const name[] = {
        [PLUSSI_CLOCK_UNIFORM] = "uniform", [PLUSSI_CLOCK_SPEEDS] = "speeds",
        [PLUSSI_CLOCK_BURST] = "burst",     [PLUSSI_CLOCK_LOCKSTEP] = "lockstep",
        [PLUSSI_CLOCK_MIXED] = "mixed",     [PLUSSI_CLOCK_SLICES] = "slices",
    };
    return (unsigned)pace < sizeof name / sizeof *name ? name[pace] : NULL;
}

void plussi_pipeline_parametric(const char *name, double value, uint32_t cores, char *out,
                                size_t room)
{
    char param[PLUSSI_NUMBER];
    bool sliced = strcmp(name, "slices") == 0;
    bool parametric = sliced || strcmp(name, "burst") == 0 || strcmp(name, "speeds") == 0;
    for (size_t n = plussi_text_fixed(param, value, 6);
         param[n - 1] == '0' || param[n - 1] == '.';) {
        bool point = param[--n] == '.';
        param[n] = '\0';
        if (point)
            break;
    }
    if (sliced)
        snprintf(out, room, "%s:%s:%u", name, param, cores);
    else
        snprintf(out, room, parametric ? "%s:%s" : "%s", name, param);
}
