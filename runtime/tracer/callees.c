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

uintptr_t plussi_tracer_read_target(uintptr_t pc)
{
    int32_t distance;
    memcpy(&distance, (const uint8_t *)pc - sizeof distance, sizeof distance);
    return pc + (uintptr_t)(intptr_t)distance;
}

bool plussi_tracer_may_call(const plussi_tracer_callees *c, uintptr_t address, size_t bytes)
{
    enum { CALL = 0xe8, LENGTH = 5 }; /* a jump: one more */
    for (uintptr_t pc = address + LENGTH; pc <= address + bytes; pc++)
        if ((*(const uint8_t *)(pc - LENGTH) & ~1u) == CALL &&
            plussi_tracer_is_callee(c, plussi_tracer_read_target(pc)))
            return true;
    return false;
}
