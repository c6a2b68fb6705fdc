/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rt/fill.h"

#include <inttypes.h>

#include "rt/own_memory.h"
#include "rt/rt.h"

/* The upper two bits of an entry are its kind. Below: of BEGIN the loop's time, 30 bits, and
 * number; of DONE how often, 30 bits, and the loop's number; of an access the unknown, 14 bits, and
 * the address. */
enum { BEGIN, DONE, READ, WRITE };
enum { KIND = 62, ADDRESS = 48, TIMES = 32, MOST_TIMES = 1 << 30, FIRST = 1024 };

plussi_fill *plussi_fill_new(void)
{
    return plussi_calloc(&plussi_own, 1, sizeof(plussi_fill));
}

void plussi_fill_free(plussi_fill *f)
{
    if (f)
        plussi_free(&plussi_own, f->entry);
    plussi_free(&plussi_own, f);
}

static void add(plussi_fill *f, uint64_t entry)
{
    if (f->failed)
        return;
    if (f->n == f->cap) {
        const size_t cap = f->cap ? 2 * f->cap : FIRST;
        uint64_t *grown = cap <= PLUSSI_FILL_MOST
                              ? plussi_realloc(&plussi_own, f->entry, cap, sizeof *grown)
                              : NULL;
        if (!grown) {
            f->failed = true;
            return;
        }
        f->entry = grown;
        f->cap = cap;
    }
    f->entry[f->n++] = entry;
}

static uint64_t kind_of(uint64_t entry)
{
    return entry >> KIND;
}

static uint64_t make_entry(uint64_t kind, uint64_t above, unsigned shift, uint64_t below)
{
    return kind << KIND | above << shift | below;
}

void plussi_fill_begin(plussi_fill *f, uint32_t loop, uint32_t time, uint64_t iteration)
{
    f->failed = f->failed || time >= MOST_TIMES || iteration >> KIND;
    f->called = PLUSSI_FILL_UNKNOWNS; /* none, until one is told */
    add(f, make_entry(BEGIN, time, TIMES, loop));
    add(f, iteration);
}

void plussi_fill_done(plussi_fill *f, uint32_t loop)
{
    const uint64_t once = make_entry(DONE, 1, TIMES, loop), one = (uint64_t)1 << TIMES;
    uint64_t *last = f->n ? &f->entry[f->n - 1] : NULL;
    if (last && kind_of(*last) == DONE && (uint32_t)*last == loop &&
        *last < make_entry(DONE, MOST_TIMES - 1, TIMES, 0))
        *last += one;
    else
        add(f, once);
}

void plussi_fill_access(plussi_fill *f, uint32_t unknown, bool write, uint64_t address,
                        uint32_t bytes)
{
    const uint64_t last = address + bytes - 1;
    f->accesses++;
    f->failed = f->failed || unknown >= PLUSSI_FILL_UNKNOWNS || last >> ADDRESS;
    for (;;) {
        add(f, make_entry(write ? WRITE : READ, unknown, ADDRESS, address));
        if (address / PLUSS_RT_LINE_BYTES == last / PLUSS_RT_LINE_BYTES || f->failed)
            return;
        address = (address / PLUSS_RT_LINE_BYTES + 1) * PLUSS_RT_LINE_BYTES;
    }
}

void plussi_fill_write(FILE *out, const plussi_fill *f)
{
    const uint64_t below = ((uint64_t)1 << ADDRESS) - 1, number = UINT32_MAX;
    for (size_t i = 0; i < f->n; i++) {
        const uint64_t e = f->entry[i], above = e & (((uint64_t)1 << KIND) - 1);
        switch (kind_of(e)) {
        case BEGIN:
            fprintf(out, "%siteration loop %" PRIu64 " time %" PRIu64 " number %" PRIu64,
                    i ? "\n" : "", e & number, above >> TIMES, f->entry[i + 1]);
            i++;
            break;
        case DONE:
            fprintf(out, " done %" PRIu64 ":%" PRIu64, e & number, above >> TIMES);
            break;
        default:
            fprintf(out, " %s %" PRIu64 ":%" PRIu64, kind_of(e) == READ ? "read" : "write",
                    above >> ADDRESS, e & below);
        }
    }
    if (f->n)
        fputc('\n', out);
}
