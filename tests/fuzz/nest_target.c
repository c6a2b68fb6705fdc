/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nest_target.h"

void with_nest(const uint8_t *data, size_t size, size_t n_choices,
               int64_t (*value)(const uint8_t *choice, uint32_t symbol), void (*use)(fuzz_nest *f))
{
    if (size < n_choices)
        return;
    fuzz_nest f = {.choice = data};
    plussi_ctx_init(&f.ctx, NULL);
    if (plussi_nest_parse(&f.ctx, (const char *)data + n_choices, size - n_choices, "fuzz",
                          &f.nest) == PLUSS_OK) {
        for (const plussi_symbol *s = f.nest->first_symbol; s; s = s->next)
            if (!s->value && !s->region && f.n_bindings < MAX_BINDINGS)
                f.binding[f.n_bindings++] = (plussi_binding){s->name, value(data, s->id)};
        use(&f);
        plussi_nest_free(f.nest);
    }
    plussi_ctx_clear(&f.ctx);
}
