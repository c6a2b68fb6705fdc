/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bind_fixture.h"

#include <stdio.h>
#include <string.h>

#include "suite.h"

void bind_open_with(bind_fixture *f, const char *text, const plussi_bind_options *options,
                    const char *values)
{
    static char names[16][64];
    static plussi_binding binding[16];
    *f = (bind_fixture){.options = *options};
    plussi_ctx_init(&f->ctx, NULL);
    if (plussi_nest_parse(&f->ctx, text, strlen(text), "t", &f->nest))
        ck_abort_msg("%s\n%s", f->ctx.diags[0].text, text);
    size_t n = 0;
    for (const char *at = values; at && *at; n++) {
        int used;
        long long value;
        ck_assert_int_eq(sscanf(at, " %63[^=]=%lld%n", names[n], &value, &used), 2);
        binding[n] = (plussi_binding){names[n], value};
        at += used;
    }
    f->options.binding = binding;
    f->options.n_bindings = n;
    f->status = plussi_bind(&f->ctx, f->nest, &f->options, &f->bound);
}

void bind_open(bind_fixture *f, const char *text, const char *values)
{
    plussi_bind_options options = {.team = 4, .line_bytes = 64};
    bind_open_with(f, text, &options, values);
}

void bind_close(bind_fixture *f)
{
    if (f->status == PLUSS_OK)
        plussi_bound_free(f->bound);
    plussi_nest_free(f->nest);
    plussi_ctx_clear(&f->ctx);
}

void bind_ok(bind_fixture *f, const char *text, const char *values)
{
    bind_open(f, text, values);
    if (f->status)
        ck_abort_msg("%s\n%s", f->ctx.n_diags ? f->ctx.diags[0].text : "", text);
}

void bind_refused(const char *text, const char *values, pluss_status status, uint32_t line,
                  uint32_t col, const char *words)
{
    bind_fixture f;
    bind_open(&f, text, values);
    ck_assert_msg(f.status == status, "status %d: %s", f.status, text);
    ck_assert_uint_ge(f.ctx.n_diags, 1);
    const plussi_diag *d = &f.ctx.diags[f.ctx.n_diags - 1];
    ck_assert_msg(d->status == status && strstr(d->text, words), "%s: %s", text, d->text);
    ck_assert_msg(d->line == line && d->col == col, "%u:%u: %s\n%s", d->line, d->col, d->text,
                  text);
    ck_assert_ptr_null(f.bound);
    bind_close(&f);
}

const plussi_bound_ref *bind_ref_of(const bind_fixture *f, uint32_t id)
{
    return &f->bound->ref[id]->u.ref;
}
