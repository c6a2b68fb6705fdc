/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ffi.h"

#include "codegen/codegen.h"

_Static_assert((int)PLUSS_LANGUAGE_C == (int)PLUSSI_LANGUAGE_C &&
                   (int)PLUSS_LANGUAGE_RUST == (int)PLUSSI_LANGUAGE_RUST,
               "pluss.h: languages");

pluss_status pluss_nest_codegen(pluss_context *ctx, const pluss_nest *nest, pluss_language language,
                                pluss_write_fn write, void *user)
{
    if (!ctx)
        return PLUSS_EINVAL;
    if (!nest || !write || (unsigned)language > PLUSS_LANGUAGE_RUST)
        return plussi_ffi_leave(ctx, PLUSS_EINVAL);
    char *text = NULL;
    size_t length = 0;
    pluss_status status =
        plussi_codegen(&ctx->ctx, nest->nest, (plussi_language)language, &text, &length);
    if (!status) {
        if (write(user, text, length) != 0)
            status = plussi_fail(&ctx->ctx, PLUSS_EIO, NULL, "the program cannot be written");
        plussi_free(&ctx->ctx.mem, text);
    }
    return plussi_ffi_leave(ctx, status);
}
