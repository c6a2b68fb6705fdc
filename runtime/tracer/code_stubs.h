/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Generated code in place of traps: a comparison whose operands are in a window of which all is
 * known costs a dozen instructions, another watched instruction a call, and none a signal.
 */
#ifndef PLUSSI_TRACER_CODE_STUBS_H
#define PLUSSI_TRACER_CODE_STUBS_H

#include "tracer/watched_code.h"

enum {
    PLUSSI_STUB = 256, /* bytes of a stub, at most */
    PLUSSI_STUB_ORIGINAL =
        32 /* bytes of the instructions that a jump takes the place of, at most */
};

/* Differences of the operands (of a test: bits that both have) that tell nothing new, where neither
 * operand is above 2^40 (of 4 bytes: 2^31). lo > hi: there are none. Of a stub without a window: lo
 * is the pair of operands that was looked at the last time. */
typedef struct plussi_stub_window {
    int64_t lo, hi;
} plussi_stub_window;

/* What a stub is made of. */
typedef struct plussi_stub {
    uintptr_t pc;    /* of the instruction */
    uintptr_t begin; /* of it, or of one before it that is moved as well */
    uint32_t bytes;  /* from there on, which have room for a jump and that no jump leads into */
    uint32_t number; /* handed on */
    const plussi_x86 *code;
    const plussi_stub_window *window; /* near the stub, as all addresses here are */
    bool has_window;                  /* only if plussi_stub_compares */
} plussi_stub;

/* What stubs call, the same for all, with the stub's number. They touch no registers of vectors. */
typedef struct plussi_stub_notices {
    /* registers, and the low halves of those of vectors: as before the instruction. pair: of the
     * operands, if this is what they all are; to be kept in the window; else NULL */
    void (*operands)(uint32_t number, const uint64_t *registers, const uint64_t *vectors,
                     const uint64_t *pair);
    /* that is outside of the window, of operands that are not too great */
    void (*difference)(uint32_t number, int64_t difference);
} plussi_stub_notices;

/* Whether it is a comparison or test that a window can be of: of operands of 4 or 8 bytes. */
bool plussi_stub_compares(const plussi_x86 *code);
/* How many bytes from begin on are those of the instructions that a jump takes the place of, with
 * the one at pc and `room` bytes from there on; 0: there is no room, or one of them cannot be
 * elsewhere. begin: of an instruction; is_closed: whether another instruction than that at pc has
 * to stay there. */
uint32_t plussi_stub_room(uintptr_t begin, uintptr_t pc, size_t room,
                          bool (*is_closed)(uintptr_t pc));
/* Writes the stub at `to`, an even address. The jump to it is the caller's. */
void plussi_stub_write(uint8_t *to, const plussi_stub *stub, const plussi_stub_notices *notices);
/* Whether it looks at operands from now on, or executes the instructions alone. */
void plussi_stub_set(uint8_t *stub, bool looks);

#endif
