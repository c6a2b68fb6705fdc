/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/report.h"
#include "report/sink.h"

enum { MOST = 6 };

/* Rows whose sum is a smaller part of the knee than this are omitted. */
static const double least = 0.05;

/* ---- for programs ---------------------------------------------------------------------------- */

static void put_site(plussi_section *section, const plussi_site *s)
{
    plussi_add_member(section, "reference", plussi_d_text(s->text));
    plussi_add_member(section, "access", plussi_d_text(s->write ? "write" : "read"));
    plussi_add_member(section, "atomic", plussi_d_boolean(s->atomic));
    plussi_add_member(section, "place", plussi_d_place(s->file, s->line, 0));
}

void plussi_report_reuse(const plussi_reuse *r, plussi_section *section)
{
    static const char *const carried[] = {[PLUSSI_BY_NOTHING] = "first touch",
                                          [PLUSSI_BY_LOOP] = "loop",
                                          [PLUSSI_BY_REPEAT] = "repetition",
                                          [PLUSSI_BY_NEST] = "other loop",
                                          [PLUSSI_BY_ITERATION] = "same iteration"};
    put_site(section, &r->access);
    plussi_add_member(section, "share", plussi_d_real(r->share));
    plussi_add_member(section, "array", plussi_d_if(r->array != NULL, plussi_d_text(r->array)));
    plussi_add_member(section, "carried_by", plussi_d_text(carried[r->by]));
    if (r->loop) {
        plussi_section *loop = plussi_add_section(section, "loop", NULL);
        plussi_add_member(loop, "iv", plussi_d_text(r->loop));
        plussi_add_member(loop, "place", plussi_d_place(r->loop_file, r->loop_line, 0));
    }
    if (r->source.text) {
        plussi_add_member(section, "thread", plussi_d_text(r->other_thread ? "other" : "own"));
        put_site(plussi_add_section(section, "after", NULL), &r->source);
    }
}

void plussi_report_knees(const plussi_curve *curve, plussi_section *section)
{
    if (!curve->n_knees)
        return;
    plussi_section *knees = plussi_add_list(section, "knees", false);
    for (size_t i = 0; i < curve->n_knees; i++) {
        const plussi_knee *k = &curve->knee[i];
        plussi_section *knee = plussi_add_section(knees, "", NULL);
        plussi_add_member(knee, "size_lines", plussi_d_count(k->size));
        plussi_add_member(knee, "from_lines", plussi_d_count(k->from));
        plussi_add_member(knee, "to_lines", plussi_d_count(k->to));
        plussi_add_member(knee, "before", plussi_d_real(k->before));
        plussi_add_member(knee, "after", plussi_d_real(k->after));
        plussi_section *reuses = plussi_add_list(knee, "reuses", false);
        for (size_t r = 0; r < k->n; r++)
            plussi_report_reuse(&k->reuse[r], plussi_add_section(reuses, "", NULL));
    }
}

/* ---- for people ------------------------------------------------------------------------------ */

static const char *place_text(plussi_document *document, const char *file, uint32_t line)
{
    if (!line)
        return file ? plussi_document_text(document, " (%s)", file) : "";
    return file ? plussi_document_text(document, " (%s:%u)", file, line)
                : plussi_document_text(document, " (line %u)", line);
}

static const char *site_text(plussi_document *document, const plussi_site *s, const char *of)
{
    return plussi_document_text(document, "%s%s%s%s%s", s->atomic ? "atomic " : "",
                                s->write ? "write" : "read", of, s->text,
                                place_text(document, s->file, s->line));
}

static const char *reuse_text(plussi_document *document, const plussi_reuse *r)
{
    const char *access = site_text(document, &r->access, "s of ");
    const char *thread = r->other_thread ? ", across threads" : ", own thread";
    switch (r->by) {
    case PLUSSI_BY_NOTHING:
        break;
    case PLUSSI_BY_LOOP:
        return plussi_document_text(document, "%s carried by loop %s%s%s", access, r->loop,
                                    place_text(document, r->loop_file, r->loop_line), thread);
    case PLUSSI_BY_REPEAT:
        return plussi_document_text(document, "%s carried by the region's repetition%s", access,
                                    thread);
    case PLUSSI_BY_NEST:
    case PLUSSI_BY_ITERATION:
        return plussi_document_text(
            document, "%s after the %s in %s%s", access, site_text(document, &r->source, " of "),
            r->by == PLUSSI_BY_NEST ? "another loop" : "the same iteration", thread);
    }
    return plussi_document_text(document, "%s, first touches", access);
}

static const char *knee_text(plussi_document *document, const plussi_curve *curve,
                             const plussi_knee *k)
{
    const uint64_t lines[] = {k->size, k->from, k->to};
    char size[3][PLUSSI_NUMBER], before[PLUSSI_NUMBER], after[PLUSSI_NUMBER], fall[PLUSSI_NUMBER];
    for (int i = 0; i < 3; i++)
        plussi_text_bytes(size[i], lines[i] > UINT64_MAX / curve->id.line_bytes
                                       ? UINT64_MAX
                                       : lines[i] * curve->id.line_bytes);
    plussi_text_fixed(before, 100 * k->before, 1);
    plussi_text_fixed(after, 100 * k->after, 1);
    plussi_text_fixed(fall, 100 * (k->before - k->after), 1);
    if (!k->size)
        return plussi_document_text(document, "at no size, %s points:", after);
    return plussi_document_text(document,
                                "at %s, %s points (%s %% -> %s %%, between %s and %s):", size[0],
                                fall, before, after, size[1], size[2]);
}

static void explain_knee(plussi_section *in, const plussi_curve *curve, const plussi_knee *k)
{
    static const plussi_heading columns[] = {{.label = "", .show = PLUSSI_AS_POINTS, .digits = 2},
                                             {.label = ""}};
    plussi_document *document = in->document;
    plussi_section *section = plussi_add_section(in, NULL, knee_text(document, curve, k));
    plussi_table *table = plussi_add_table(section, NULL, columns, 2);
    double all = 0, shown = 0;
    size_t i = 0;
    for (size_t r = 0; r < k->n; r++)
        all += k->reuse[r].share;
    for (; i < k->n && i < MOST && (i == 0 || all - shown > least * all); i++) {
        plussi_add_row(table, (plussi_datum[]){plussi_d_real(k->reuse[i].share),
                                               plussi_d_text(reuse_text(document, &k->reuse[i]))});
        shown += k->reuse[i].share;
    }
    if (i < k->n)
        plussi_add_row(table, (plussi_datum[]){plussi_d_real(all - shown),
                                               plussi_d_text(plussi_document_text(
                                                   document, "others (%zu)", k->n - i))});
}

void plussi_explain_knees(const plussi_curve *curve, plussi_section *in)
{
    if (!curve->n_knees)
        return;
    plussi_section *why = plussi_add_section(
        in, NULL,
        plussi_document_text(in->document,
                             "why, T = %u%s: what a cache begins to hold, in points of the miss "
                             "ratio",
                             curve->id.team,
                             plussi_cache_text(in->document, curve->id.threads_per_cache)));
    for (size_t i = 0; i < curve->n_knees; i++)
        explain_knee(why, curve, &curve->knee[i]);
}
