/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A program that is not to be traced in this execution: the calls that tell of its accesses and its
 * functions are made instructions without an effect before it begins.
 */
#include "tracer/tracer.h"

#ifndef __x86_64__
void plussi_tracer_remove_calls(void) {}
#else
#include <string.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "tracer/callees.h"
#include "tracer/x86_code.h"

enum { CALL = 5 };

typedef struct calls {
    uintptr_t lo, hi; /* the program's code */
    plussi_tracer_callees callees;
} calls;

static void take_function(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    static const uint8_t nothing[CALL] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    const calls *c = user;
    plussi_x86 x;
    (void)name;
    if (!code || address < c->lo || address + bytes > c->hi ||
        !plussi_tracer_may_call(&c->callees, address, bytes))
        return;
    for (size_t at = 0; at < bytes; at += x.length) {
        uint8_t *here = (uint8_t *)address + at;
        if (!plussi_x86_decode(here, bytes - at, &x))
            return;
        if (*here == 0xe8 && x.length == CALL &&
            plussi_tracer_is_callee(&c->callees, (uintptr_t)here + CALL + (uintptr_t)x.immediate))
            memcpy(here, nothing, CALL);
    }
}

/* The part of the main program, which is the first, that is executed. */
static int take_code(struct dl_phdr_info *info, size_t size, void *user)
{
    calls *c = user;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & (PF_X | PF_W)) == PF_X) {
            c->lo = info->dlpi_addr + part->p_vaddr;
            c->hi = c->lo + part->p_memsz;
        }
    }
    return 1;
}

void plussi_tracer_remove_calls(void)
{
    /* Those that do nothing but tell: copies, fills and atomic operations stay. */
    static const char *const without[] = {"mem", "atomic", "init"};
    calls c = {.lo = 0};
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (!__libc_single_threaded) /* another thread may execute them */
        return;
    dl_iterate_phdr(take_code, &c);
    plussi_tracer_find_callees(without, sizeof without / sizeof *without, &c.callees);
    uintptr_t from = c.lo & ~(page - 1), bytes = ((c.hi + page - 1) & ~(page - 1)) - from;
    if (c.callees.n == 0 || c.hi <= c.lo ||
        mprotect((void *)from, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return;
    plussi_tracer_each_symbol(take_function, &c);
    mprotect((void *)from, bytes, PROT_READ | PROT_EXEC);
}
#endif
