/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"

#include <math.h>
#include <string.h>

/* RFC 4180: quoted where it holds a separator, quotes doubled. */
static void field(plussi_sink *sink, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        plussi_sink_text(sink, text);
        return;
    }
    plussi_sink_text(sink, "\"");
    for (; *text; text++)
        plussi_sink_bytes(sink, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    plussi_sink_text(sink, "\"");
}

/* Whole numbers, but for models that place steps in between. */
static void size_lines(plussi_sink *sink, double size)
{
    if (size == floor(size) || size >= 1e12)
        plussi_sink_u64(sink, (uint64_t)size);
    else
        plussi_sink_fixed(sink, size, 6);
}

pluss_status plussi_report_csv(plussi_ctx *ctx, const plussi_result *result, plussi_sink *sink)
{
    plussi_sink_text(sink,
                     "region,threads,method,engine,line_bytes,size_lines,miss_ratio,sharers\n");
    for (size_t c = 0; c < result->n && !sink->failed; c++) {
        const plussi_curve *curve = &result->curve[c];
        for (size_t i = 0; i < curve->mrc.n; i++) {
            field(sink, curve->region);
            plussi_sink_text(sink, ",");
            plussi_sink_u64(sink, curve->team);
            plussi_sink_text(sink, curve->simulated ? ",simulation," : ",prediction,");
            field(sink, curve->engine);
            plussi_sink_text(sink, ",");
            plussi_sink_u64(sink, curve->line_bytes);
            plussi_sink_text(sink, ",");
            size_lines(sink, curve->mrc.size[i]);
            plussi_sink_text(sink, ",");
            plussi_sink_fixed(sink, curve->mrc.miss[i], 12);
            plussi_sink_text(sink, ",");
            plussi_sink_u64(sink, curve->sharers ? curve->sharers : curve->team);
            plussi_sink_text(sink, "\n");
        }
    }
    return plussi_sink_finish(ctx, sink);
}
