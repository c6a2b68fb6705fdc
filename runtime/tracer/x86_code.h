/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Instructions of amd64: how long they are, and what their operands are where these are integers.
 */
#ifndef PLUSSI_TRACER_X86_CODE_H
#define PLUSSI_TRACER_X86_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum plussi_x86_map {
    PLUSSI_X86_ONE,   /* opcodes of one byte */
    PLUSSI_X86_0F,    /* 0f and a byte */
    PLUSSI_X86_OTHER, /* 0f 38, 0f 3a, VEX, EVEX */
} plussi_x86_map;

typedef struct plussi_x86 {
    uint8_t length, opcode, modrm, sib;
    uint8_t rex; /* 0: none */
    plussi_x86_map map;
    uint8_t bytes; /* of integer operands, if the opcode does not say one byte: 2, 4 or 8 */
    bool has_modrm;
    bool has_memory;   /* an operand is in memory, */
    bool is_relative;  /* at a distance from the end of the instruction, */
    uint8_t displaced; /* which is there in it; 0: no displacement */
    bool is_segmented; /* relative to fs or gs */
    bool is_repeated;  /* f2 or f3 */
    bool is_vector;    /* VEX or EVEX, of the opcodes after 0f */
    int32_t displacement;
    int64_t immediate; /* sign extended; 0: none */
} plussi_x86;

/* Reads the instruction at code, of at most `room` bytes. false: it is none that is known. O(1). */
bool plussi_x86_decode(const uint8_t *code, size_t room, plussi_x86 *out);

/* Fields of modrm. */
static inline unsigned plussi_x86_mod(const plussi_x86 *x)
{
    return x->modrm >> 6;
}
static inline unsigned plussi_x86_reg(const plussi_x86 *x)
{
    return (x->modrm >> 3 & 7u) | (x->rex & 4u) << 1;
}
/* The register that is an operand where none is in memory. */
static inline unsigned plussi_x86_rm(const plussi_x86 *x)
{
    return (x->modrm & 7u) | (x->rex & 1u) << 3;
}

/* Where an instruction goes, if not to the next one alone: at the distance `immediate` from its
 * end, always; under a condition of the flags; under one of the counter too; to an address that it
 * reads. */
static inline bool plussi_x86_is_jump(const plussi_x86 *x)
{
    return x->map == PLUSSI_X86_ONE && (x->opcode == 0xe9 || x->opcode == 0xeb);
}
static inline bool plussi_x86_is_branch(const plussi_x86 *x)
{
    return (x->map == PLUSSI_X86_ONE && x->opcode >> 4 == 7) ||
           (x->map == PLUSSI_X86_0F && x->opcode >> 4 == 8);
}
static inline bool plussi_x86_is_loop(const plussi_x86 *x)
{
    return x->map == PLUSSI_X86_ONE && x->opcode >= 0xe0 && x->opcode < 0xe4;
}
static inline bool plussi_x86_is_indirect_jump(const plussi_x86 *x)
{
    const unsigned form = x->modrm >> 3 & 7u;
    return x->map == PLUSSI_X86_ONE && x->opcode == 0xff && (form == 4 || form == 5);
}

#endif
