/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a curve falls where it does.
 */
#include "ffi.h"

_Static_assert((int)PLUSS_CARRIED_BY_LOOP == (int)PLUSSI_BY_LOOP &&
                   (int)PLUSS_CARRIED_BY_REPETITION == (int)PLUSSI_BY_REPEAT &&
                   (int)PLUSS_CARRIED_BY_OTHER_LOOP == (int)PLUSSI_BY_NEST &&
                   (int)PLUSS_CARRIED_BY_SAME_ITERATION == (int)PLUSSI_BY_ITERATION,
               "pluss.h: carried");

static const plussi_knee *find(const pluss_curve *curve, size_t i)
{
    const plussi_curve *c = (const plussi_curve *)curve;
    return i < c->n_knees ? &c->knee[i] : NULL;
}

pluss_status pluss_curve_get_knee(const pluss_curve *curve, size_t i, pluss_knee_info *out)
{
    if (!curve || !out)
        return PLUSS_EINVAL;
    const plussi_knee *knee = find(curve, i);
    if (!knee)
        return PLUSS_ENOTFOUND;
    pluss_knee_info info = {.size = sizeof info,
                            .at_lines = knee->size,
                            .from_lines = knee->from,
                            .to_lines = knee->to,
                            .before = knee->before,
                            .after = knee->after,
                            .n_reuses = knee->n};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_curve_get_reuse(const pluss_curve *curve, size_t knee, size_t i,
                                   pluss_reuse_info *out)
{
    if (!curve || !out)
        return PLUSS_EINVAL;
    const plussi_knee *of = find(curve, knee);
    if (!of || i >= of->n)
        return PLUSS_ENOTFOUND;
    const plussi_reuse *r = &of->reuse[i];
    pluss_reuse_info info = {.size = sizeof info,
                             .share = r->share,
                             .array = r->array,
                             .reference = r->access.text,
                             .write = r->access.write,
                             .atomic = r->access.atomic,
                             .file = r->access.file,
                             .line = r->access.line,
                             .carried = (pluss_carried)r->by,
                             .loop = r->loop,
                             .loop_file = r->loop_file,
                             .loop_line = r->loop_line,
                             .other_thread = r->other_thread,
                             .source = r->source.text,
                             .source_write = r->source.write,
                             .source_atomic = r->source.atomic,
                             .source_file = r->source.file,
                             .source_line = r->source.line};
    return plussi_ffi_give(out, &info, sizeof info);
}
