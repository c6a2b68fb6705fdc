/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Sites: the calls in the main program's functions that mark accesses, whether or not they were
 * executed. They are found in its code: direct calls, which is what the linker makes of calls of a
 * static library. Where calls look otherwise, none are known.
 */
#include "tracer/tracer.h"

#include <string.h>
#include <sys/mman.h>

enum { MOST_CALLED = 512, MOST_NAME = 200 };

static struct {
    uint8_t *bit; /* of addresses of the program: a call was executed, but its access left out */
    uintptr_t lo, hi;
} passed;

typedef struct callees {
    uintptr_t address[MOST_CALLED], least, most;
    int n;
    FILE *out;
} callees;

void plussi_tracer_pass_sites(uintptr_t lo, uintptr_t hi)
{
    void *bits =
        mmap(NULL, (hi - lo) / 8 + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    passed.lo = lo;
    passed.hi = hi;
    passed.bit = bits == MAP_FAILED ? NULL : bits;
}

void plussi_tracer_pass_site(uintptr_t pc)
{
    if (passed.bit && pc >= passed.lo && pc < passed.hi)
        __atomic_fetch_or(&passed.bit[(pc - passed.lo) / 8], (uint8_t)(1u << (pc - passed.lo) % 8),
                          __ATOMIC_RELAXED);
}

static bool was_passed(uintptr_t pc)
{
    return passed.bit && pc >= passed.lo && pc < passed.hi &&
           (passed.bit[(pc - passed.lo) / 8] >> (pc - passed.lo) % 8 & 1);
}

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void take_callee(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    callees *c = user;
    (void)bytes;
    if (!code || c->n == MOST_CALLED || !begins_with(name, "__tsan_") ||
        begins_with(name, "__tsan_func_") || begins_with(name, "__tsan_ignore_") ||
        begins_with(name, "__tsan_atomic_") || strcmp(name, "__tsan_init") == 0)
        return;
    c->least = address < c->least ? address : c->least;
    c->most = address > c->most ? address : c->most;
    c->address[c->n++] = address;
}

/* A call: 0xe8 and the distance from its end, of four bytes. */
static void take_calls(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    const callees *c = user;
    int32_t distance;
    int length = (int)strcspn(name, "."); /* '.': GCC's parts of it */
    if (!code || address < passed.lo || address + bytes > passed.hi)
        return;
    length = length < MOST_NAME ? length : MOST_NAME;
    for (uintptr_t pc = address + 5; pc <= address + bytes; pc++) {
        const uint8_t *call = (const uint8_t *)pc - 5;
        memcpy(&distance, call + 1, sizeof distance);
        uintptr_t to = pc + (uintptr_t)(intptr_t)distance;
        bool found = false;
        for (int i = 0; *call == 0xe8 && to >= c->least && to <= c->most && i < c->n; i++)
            found = found || c->address[i] == to;
        if (found && !was_passed(pc))
            fprintf(c->out, "site 0x%lx %.*s\n", (unsigned long)plussi_tracer_place(pc), length,
                    name);
    }
}

void plussi_tracer_write_sites(FILE *out)
{
    callees c = {.least = UINTPTR_MAX, .out = out};
#ifdef __x86_64__
    plussi_tracer_each_symbol(take_callee, &c);
#endif
    if (c.n > 0)
        plussi_tracer_each_symbol(take_calls, &c);
}
