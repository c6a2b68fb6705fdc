/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program outside of the tree: compiled as C and as C++ against what was installed alone.
 */
#include <pluss.h>

#include <stdio.h>
#include <string.h>

static int write_out(void *user, const char *data, size_t length)
{
    return fwrite(data, 1, length, (FILE *)user) != length;
}

static int run(pluss_context *ctx)
{
    static const char text[] = "pluss-nest 1 symbol n array b64 A[n] region twice "
                               "for t in 0..2 { for i in 0..n { read A[i] } }";
    pluss_options *options = NULL;
    pluss_nest *nest = NULL;
    pluss_result *result = NULL;
    pluss_report *report = NULL;
    double below, at;
    if (pluss_options_new(ctx, &options) != PLUSS_OK ||
        pluss_options_set(ctx, options, "threads", "1") != PLUSS_OK ||
        pluss_options_set_binding(ctx, options, "n", 10) != PLUSS_OK ||
        pluss_nest_parse(ctx, text, strlen(text), "inline", &nest) != PLUSS_OK ||
        pluss_predict(ctx, nest, options, &result) != PLUSS_OK ||
        pluss_result_report(ctx, result, NULL, &report) != PLUSS_OK ||
        pluss_report_write(ctx, report, "text", NULL, write_out, stdout) != PLUSS_OK)
        return 1;
    below = pluss_curve_at(pluss_result_get(result, 0), 9 * 64);
    at = pluss_curve_at(pluss_result_get(result, 0), 10 * 64);
    pluss_options_free(options);
    pluss_report_free(report);
    pluss_result_free(result);
    pluss_nest_free(nest);
    return below > 1 - 1e-9 && at > 0.5 - 1e-9 && at < 0.5 + 1e-9 &&
                   strcmp(pluss_version(), PLUSS_VERSION) == 0
               ? 0
               : 2;
}

int main(void)
{
    pluss_context *ctx = NULL;
    int status;
    if (pluss_context_new(NULL, &ctx) != PLUSS_OK)
        return 3;
    status = run(ctx);
    pluss_context_free(ctx);
    return status;
}
