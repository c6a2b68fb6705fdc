/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Sites: the calls in the main program's functions that mark accesses, whether or not they were
 * executed. They are found in its code: direct calls, which is what the linker makes of calls of a
 * static library. Where calls look otherwise, none are known. Accesses after which the code runs
 * straight into a trap, as before a panic of Rust, are left out: it does not return from there.
 */
#include "tracer/tracer.h"

#include <string.h>
#include <sys/mman.h>

#include "tracer/callees.h"
#include "tracer/x86_code.h"

enum { MOST_NAME = 200, MOST_BEFORE_TRAP = 256 };

static struct {
    uint8_t *bit; /* of addresses of the program: a call was executed, but its access left out */
    uintptr_t lo, hi;
} passed;

typedef struct search {
    plussi_tracer_callees callees;
    FILE *out;
} search;

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

/* The instruction that follows x, which is at pc, in a function [from, end). 0: it is not known,
 * there are several, or it is not in the function. Calls are taken to return. */
static uintptr_t next_of(const plussi_x86 *x, uintptr_t pc, uintptr_t from, uintptr_t end)
{
    enum { RETURN_NEAR = 0xc3, RETURN_POP = 0xc2, RETURN_FAR = 0xcb, RETURN_FAR_POP = 0xca };
    enum { INT3 = 0xcc, IRET = 0xcf, HALT = 0xf4 };
    const uint8_t op = x->opcode;
    if (plussi_x86_is_branch(x) || plussi_x86_is_loop(x) || plussi_x86_is_indirect_jump(x))
        return 0;
    if (x->map == PLUSSI_X86_ONE &&
        (op == RETURN_NEAR || op == RETURN_POP || op == RETURN_FAR || op == RETURN_FAR_POP ||
         op == INT3 || op == IRET || op == HALT))
        return 0;
    const uintptr_t after = pc + x->length + (plussi_x86_is_jump(x) ? (uintptr_t)x->immediate : 0);
    return after >= from && after < end ? after : 0;
}

/* Whether the code at pc, of a function [from, end), runs straight into a trap: no conditional or
 * indirect jump and no return comes before. false after MOST_BEFORE_TRAP instructions. O(1). */
static bool leads_to_trap(uintptr_t pc, uintptr_t from, uintptr_t end)
{
    enum { UD2 = 0x0b };
    plussi_x86 x;
    for (int i = 0; i < MOST_BEFORE_TRAP && pc >= from && pc < end; i++) {
        if (!plussi_x86_decode((const uint8_t *)pc, end - pc, &x))
            return false;
        if (x.map == PLUSSI_X86_0F && x.opcode == UD2)
            return true;
        pc = next_of(&x, pc, from, end);
    }
    return false;
}

/* A call: 0xe8 and the distance from its end, of four bytes. */
static void take_calls(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    const search *s = user;
    int length = (int)strcspn(name, "."); /* '.': GCC's parts of it */
    if (!code || address < passed.lo || address + bytes > passed.hi)
        return;
    length = length < MOST_NAME ? length : MOST_NAME;
    for (uintptr_t pc = address + 5; pc <= address + bytes; pc++) {
        const bool found = *(const uint8_t *)(pc - 5) == 0xe8 &&
                           plussi_tracer_is_callee(&s->callees, plussi_tracer_read_target(pc));
        if (found && !was_passed(pc) && !leads_to_trap(pc, address, address + bytes))
            fprintf(s->out, "site 0x%lx %.*s\n", (unsigned long)plussi_tracer_place(pc), length,
                    name);
    }
}

void plussi_tracer_write_sites(FILE *out)
{
    search s = {.out = out};
#ifdef __x86_64__
    /* those of accesses alone */
    static const char *const without[] = {"func_", "ignore_", "atomic_", "init"};
    plussi_tracer_find_callees(without, sizeof without / sizeof *without, &s.callees);
#endif
    if (s.callees.n > 0)
        plussi_tracer_each_symbol(take_calls, &s);
}
