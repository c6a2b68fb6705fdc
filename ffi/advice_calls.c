/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include <math.h>

_Static_assert((int)PLUSS_ADVICE_THREADS == (int)PLUSSI_ADVICE_THREADS &&
                   (int)PLUSS_ADVICE_SPREAD == (int)PLUSSI_ADVICE_SPREAD,
               "pluss.h: kinds of advice");

void pluss_advice_free(pluss_advice *advice)
{
    if (!advice)
        return;
    plussi_mem mem = advice->list.mem;
    plussi_advice_list_free(&advice->list);
    plussi_free(&mem, advice);
}

pluss_status pluss_advice_get_missing(const pluss_advice *advice)
{
    return advice ? advice->missing : PLUSS_EINVAL;
}

pluss_status pluss_advice_get(const pluss_advice *advice, size_t i, pluss_advice_info *out)
{
    if (!advice || !out)
        return PLUSS_EINVAL;
    if (i >= advice->list.n)
        return PLUSS_ENOTFOUND;
    const plussi_advice *a = &advice->list.at[i];
    pluss_advice_info info = {.size = sizeof info,
                              .kind = (pluss_advice_kind)a->kind,
                              .region = a->region,
                              .file = a->place.file,
                              .line = a->place.line,
                              .text = a->text,
                              .steps = a->steps,
                              .source = a->show,
                              .worst = a->worst,
                              .threads = a->team[0],
                              .threads_then = a->team[1],
                              .gain = a->gain,
                              .error = a->gain_error};
    return plussi_ffi_give(out, &info, sizeof info);
}

pluss_status pluss_advice_put_times(pluss_context *ctx, pluss_advice *advice, double now,
                                    double then, uint32_t runs)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!advice || !runs)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    if (!(now > 0) || !(then > 0) || !isfinite(now) || !isfinite(then))
        return plussi_ffi_leave(
            ctx, plussi_fail(&ctx->ctx, PLUSS_EINVAL, NULL, "a time is not above 0 seconds"));
    advice->list.seconds[0] = now;
    advice->list.seconds[1] = then;
    advice->list.runs = runs;
    return PLUSS_OK;
}

pluss_status pluss_advice_report(pluss_context *ctx, const pluss_advice *advice, const char *file,
                                 pluss_report **out)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!advice || !file || !out)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    pluss_report *report = plussi_ffi_report(ctx);
    if (report)
        plussi_advice_report(&advice->list, file, &report->document);
    return plussi_ffi_give_report(ctx, report, out);
}
