/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Generated code in place of traps: a comparison whose operands are in a window of which all is
 * known costs a dozen instructions, not a signal.
 */
#ifndef PLUSSI_TRACER_CODE_STUBS_H
#define PLUSSI_TRACER_CODE_STUBS_H

#include "tracer/watched_code.h"

enum {
    PLUSSI_STUB = 192, /* bytes of a stub, at most */
    PLUSSI_STUB_ORIGINAL =
        32 /* bytes of the instructions that a jump takes the place of, at most */
};

/* Differences of the operands (of a test: bits that both have) that tell nothing new, where neither
 * operand is above 2^40 (of 4 bytes: 2^31). lo > hi: there are none. */
typedef struct plussi_stub_window {
    int64_t lo, hi;
} plussi_stub_window;

/* What a stub is made of. */
typedef struct plussi_stub {
    uintptr_t pc;    /* of the comparison; */
    uint32_t bytes;  /* of it and those after it, which have room for a jump and that no jump leads
                      * into */
    uint32_t number; /* handed on */
    const plussi_x86 *code;
    const plussi_stub_window *window; /* near the stub, as all addresses here are */
} plussi_stub;

/* Called where an operand is outside of the window. registers: as before the comparison. It touches
 * none of vectors. */
typedef void (*plussi_stub_fn)(uint32_t number, const uint64_t *registers);

/* How many bytes from the comparison on a jump needs; 0: this is none that a stub can be made for,
 * or the instructions after it cannot be elsewhere. is_target: whether a jump may lead there. */
uint32_t plussi_stub_room(uintptr_t pc, size_t room, const plussi_x86 *code,
                          bool (*is_target)(uintptr_t pc));
/* Writes the stub at `to`. The jump to it is the caller's. notice is one for all. */
void plussi_stub_write(uint8_t *to, const plussi_stub *stub, plussi_stub_fn notice);
/* From now on it executes the instructions alone. */
void plussi_stub_pass(uint8_t *stub);

#endif
