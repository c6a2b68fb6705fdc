/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "tracer/callees.h"

#include <string.h>

#include "tracer/tracer.h"

static void take_callee(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    static const char prefix[] = "__tsan_";
    plussi_tracer_callees *c = user;
    (void)bytes;
    if (!code || c->n == PLUSSI_TRACER_CALLEES || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return;
    for (size_t i = 0; i < c->n_without; i++)
        if (strncmp(name + sizeof prefix - 1, c->without[i], strlen(c->without[i])) == 0)
            return;
    c->least = address < c->least ? address : c->least;
    c->most = address > c->most ? address : c->most;
    c->address[c->n++] = address;
}

void plussi_tracer_find_callees(const char *const *without, size_t n, plussi_tracer_callees *out)
{
    *out = (plussi_tracer_callees){.without = without, .n_without = n, .least = UINTPTR_MAX};
    plussi_tracer_each_symbol(take_callee, out);
}

bool plussi_tracer_is_callee(const plussi_tracer_callees *c, uintptr_t address)
{
    for (int i = 0; address >= c->least && address <= c->most && i < c->n; i++)
        if (c->address[i] == address)
            return true;
    return false;
}
