/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The knees of a curve in words.
 */
#include "report/reasons.h"

enum { MOST = 6, INDENT = 4, SHARE_WIDTH = 6 };

/* Rows are left out where the rest is less than this part of the knee. */
static const double least = 0.05;

static void points(plussi_sink *sink, double ratio, unsigned decimals)
{
    char text[PLUSSI_NUMBER];
    size_t length = plussi_text_fixed(text, 100 * ratio, decimals);
    if (decimals == 2)
        plussi_sink_repeat(sink, ' ', length < SHARE_WIDTH ? SHARE_WIDTH - length : 0);
    plussi_sink_text(sink, text);
}

static void size(plussi_sink *sink, uint64_t lines, uint32_t line_bytes)
{
    char text[PLUSSI_NUMBER];
    plussi_text_bytes(text, lines > UINT64_MAX / line_bytes ? UINT64_MAX : lines * line_bytes);
    plussi_sink_text(sink, text);
}

static void place(plussi_sink *sink, const char *file, uint32_t line)
{
    if (!file && !line)
        return;
    plussi_sink_text(sink, " (");
    plussi_sink_text(sink, file ? file : "line ");
    if (line) {
        plussi_sink_text(sink, file ? ":" : "");
        plussi_sink_u64(sink, line);
    }
    plussi_sink_text(sink, ")");
}

static void site(plussi_sink *sink, const plussi_site *s, const char *of)
{
    plussi_sink_text(sink, s->atomic ? "atomic " : "");
    plussi_sink_text(sink, s->write ? "write" : "read");
    plussi_sink_text(sink, of);
    plussi_sink_text(sink, s->text);
    place(sink, s->file, s->line);
}

static void reason(plussi_sink *sink, const plussi_reuse *r)
{
    points(sink, r->share, 2);
    plussi_sink_text(sink, "  ");
    site(sink, &r->access, "s of ");
    switch (r->by) {
    case PLUSSI_BY_NOTHING:
        plussi_sink_text(sink, ", first touches\n");
        return;
    case PLUSSI_BY_LOOP:
        plussi_sink_text(sink, " carried by loop ");
        plussi_sink_text(sink, r->loop);
        place(sink, r->loop_file, r->loop_line);
        break;
    case PLUSSI_BY_REPEAT:
        plussi_sink_text(sink, " carried by the region's repetition");
        break;
    case PLUSSI_BY_NEST:
        plussi_sink_text(sink, " after the ");
        site(sink, &r->source, " of ");
        plussi_sink_text(sink, " in another loop");
        break;
    case PLUSSI_BY_TURN:
        plussi_sink_text(sink, " after the ");
        site(sink, &r->source, " of ");
        plussi_sink_text(sink, " in the same turn");
        break;
    }
    plussi_sink_text(sink, r->other_thread ? ", across threads\n" : ", own thread\n");
}

static void knee(plussi_sink *sink, const plussi_curve *curve, const plussi_knee *k)
{
    double all = 0, shown = 0;
    for (size_t i = 0; i < k->n; i++)
        all += k->reuse[i].share;
    plussi_sink_repeat(sink, ' ', INDENT);
    plussi_sink_text(sink, k->size ? "at " : "at no size, ");
    if (k->size) {
        size(sink, k->size, curve->line_bytes);
        plussi_sink_text(sink, ", ");
    }
    points(sink, k->size ? k->before - k->after : k->after, 1);
    plussi_sink_text(sink, " points");
    if (k->size) {
        plussi_sink_text(sink, " (");
        points(sink, k->before, 1);
        plussi_sink_text(sink, " % -> ");
        points(sink, k->after, 1);
        plussi_sink_text(sink, " %, between ");
        size(sink, k->from, curve->line_bytes);
        plussi_sink_text(sink, " and ");
        size(sink, k->to, curve->line_bytes);
        plussi_sink_text(sink, ")");
    }
    plussi_sink_text(sink, ":\n");
    size_t i = 0;
    for (; i < k->n && i < MOST && (i == 0 || all - shown > least * all); i++) {
        plussi_sink_repeat(sink, ' ', INDENT);
        reason(sink, &k->reuse[i]);
        shown += k->reuse[i].share;
    }
    if (i < k->n) {
        plussi_sink_repeat(sink, ' ', INDENT);
        points(sink, all - shown, 2);
        plussi_sink_text(sink, "  others (");
        plussi_sink_u64(sink, k->n - i);
        plussi_sink_text(sink, ")\n");
    }
}

void plussi_report_reasons(const plussi_curve *curve, plussi_sink *sink)
{
    if (!curve->n_knees)
        return;
    plussi_sink_text(sink, "\n  why, T = ");
    plussi_sink_u64(sink, curve->team);
    if (curve->sharers) {
        plussi_sink_text(sink, curve->sharers == 1 ? ", each thread's cache" : ", caches of ");
        if (curve->sharers > 1) {
            plussi_sink_u64(sink, curve->sharers);
            plussi_sink_text(sink, " threads each");
        }
    }
    plussi_sink_text(sink, ": what a cache begins to hold, in points of the miss ratio\n");
    for (size_t i = 0; i < curve->n_knees; i++)
        knee(sink, curve, &curve->knee[i]);
}
