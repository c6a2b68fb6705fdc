/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A stub, with three registers that the comparison does not have:
 *
 *     (two bytes: none, or a jump to `pass`)
 *     room below what a function without calls has under its stack pointer; saves the registers
 *     a = operand, b = the other
 *     to `slow` if (a | b) >> 40
 *     a = a - b (of a test: a & b); to `slow` if it is not in the window
 *     done: restores them
 *     pass: the instructions; to what follows them
 *     slow: calls enter_slow with the stub's number and which the registers are; to `done`
 */
#include "tracer/code_stubs.h"

#ifdef __x86_64__
#include <string.h>

enum { JUMP = 5, RED_ZONE = 128, SAVED = 3, ENTRY = 2 };
enum { RSP = 4, RAX = 0 };

typedef struct writer {
    uint8_t *to;
    unsigned scratch[SAVED];
} writer;

static void put(writer *w, unsigned byte)
{
    *w->to++ = (uint8_t)byte;
}

static void put_32(writer *w, int64_t value)
{
    const int32_t bits = (int32_t)value;
    memcpy(w->to, &bits, sizeof bits);
    w->to += sizeof bits;
}

/* The distance from after the four bytes, and what follows them of the instruction. */
static void put_distance(writer *w, uintptr_t target, unsigned following)
{
    put_32(w, (int64_t)(target - ((uintptr_t)w->to + 4 + following)));
}

static void put_rex(writer *w, bool wide, unsigned reg, unsigned index, unsigned base)
{
    unsigned rex = 0x40u | (unsigned)wide << 3 | (reg >> 3) << 2 | (index >> 3) << 1 | base >> 3;
    if (rex != 0x40)
        put(w, rex);
}

/* `op to, from` of two registers, as 01 (add), 09, 21, 29, 89 (mov) have them. */
static void put_two(writer *w, unsigned opcode, bool wide, unsigned to, unsigned from)
{
    put_rex(w, wide, from, 0, to);
    put(w, opcode);
    put(w, 0xc0 | (from & 7) << 3 | (to & 7));
}

static void put_push(writer *w, unsigned opcode, unsigned number)
{
    put_rex(w, false, 0, 0, number);
    put(w, opcode | (number & 7));
}

/* ---- operands ---------------------------------------------------------------------------------
 */

typedef enum form { NONE, TWO, IMMEDIATE } form;

/* Comparisons and tests of operands of 4 and 8 bytes. */
static form find_form(const plussi_x86 *x)
{
    const unsigned n = x->modrm >> 3 & 7u;
    if (x->map != PLUSSI_X86_ONE || x->is_segmented || x->bytes < 4)
        return NONE;
    switch (x->opcode) {
    case 0x39:
    case 0x3b:
    case 0x85:
        return TWO;
    case 0x81:
    case 0x83:
        return n == 7 ? IMMEDIATE : NONE;
    case 0xf7:
        return n < 2 ? IMMEDIATE : NONE;
    case 0x3d:
    case 0xa9:
        return IMMEDIATE;
    default:
        return NONE;
    }
}

static bool is_test(const plussi_x86 *x)
{
    return x->opcode == 0x85 || x->opcode == 0xf7 || x->opcode == 0xa9;
}

static unsigned find_base(const plussi_x86 *x)
{
    return ((x->modrm & 7u) == 4 ? x->sib & 7u : x->modrm & 7u) | (x->rex & 1u) << 3;
}

static unsigned find_index(const plussi_x86 *x)
{
    return (x->sib >> 3 & 7u) | (x->rex & 2u) << 2;
}

static bool has_register(const plussi_x86 *x, unsigned number)
{
    if (!x->has_modrm)
        return number == RAX;
    bool in_memory = x->has_memory &&
                     (find_base(x) == number || ((x->modrm & 7u) == 4 && find_index(x) == number));
    return in_memory || plussi_x86_reg(x) == number ||
           (!x->has_memory && plussi_x86_rm(x) == number);
}

/* Takes what modrm says into a register. moved: bytes that the stack pointer is below what it was.
 */
static void take_rm(writer *w, const plussi_x86 *x, uintptr_t after, unsigned to, int moved)
{
    const bool wide = x->bytes == 8, has_sib = (x->modrm & 7u) == 4;
    if (!x->has_modrm || !x->has_memory) {
        put_two(w, 0x89, wide, to, x->has_modrm ? plussi_x86_rm(x) : RAX);
        return;
    }
    if (x->is_relative) {
        put_rex(w, wide, to, 0, 0);
        put(w, 0x8b);
        put(w, (to & 7) << 3 | 5);
        put_distance(w, after + (uintptr_t)(intptr_t)x->displacement, 0);
        return;
    }
    const bool has_base = !(plussi_x86_mod(x) == 0 && has_sib && (x->sib & 7u) == 5);
    put_rex(w, wide, to, has_sib ? find_index(x) : 0, has_base ? find_base(x) : 0);
    put(w, 0x8b);
    put(w, (has_base ? 0x80u : 0) | (to & 7) << 3 | (x->modrm & 7u));
    if (has_sib)
        put(w, x->sib);
    put_32(w, x->displacement + (has_base && find_base(x) == RSP ? moved : 0));
}

/* ---- the instructions that are moved ----------------------------------------------------------
 */

/* Whether it may be elsewhere: no call, whose return address would be there, and no loop of a
 * byte's distance. */
static bool can_move(const plussi_x86 *x)
{
    if (x->map == PLUSSI_X86_0F)
        return x->opcode != 0x05 &&
               x->opcode != 0x0b; /* system calls, and what is never executed */
    if (x->map != PLUSSI_X86_ONE)
        return !x->is_relative; /* its displacement is not at hand */
    bool calls = x->opcode == 0xe8 ||
                 (x->opcode == 0xff && (x->modrm >> 3 & 7) > 1 && (x->modrm >> 3 & 7) < 6);
    return !calls && !plussi_x86_is_loop(x) && x->opcode != 0xcc && x->opcode != 0xcd;
}

static void move_instruction(writer *w, uintptr_t pc, const plussi_x86 *x)
{
    const uintptr_t after = pc + x->length;
    if (plussi_x86_is_jump(x) || plussi_x86_is_branch(x)) {
        if (plussi_x86_is_jump(x)) {
            put(w, 0xe9);
        } else {
            put(w, 0x0f);
            put(w, 0x80 | (x->opcode & 15));
        }
        put_distance(w, after + (uintptr_t)x->immediate, 0);
        return;
    }
    memcpy(w->to, (const void *)pc, x->length);
    if (x->is_relative) {
        const int32_t distance = (int32_t)(x->displacement + (int64_t)(pc - (uintptr_t)w->to));
        memcpy(w->to + x->displaced, &distance, sizeof distance);
    }
    w->to += x->length;
}

uint32_t plussi_stub_room(uintptr_t pc, size_t room, const plussi_x86 *code,
                          bool (*is_target)(uintptr_t pc))
{
    uint32_t bytes = code->length;
    if (find_form(code) == NONE)
        return 0;
    for (plussi_x86 x; bytes < JUMP; bytes += x.length)
        if (is_target(pc + bytes) ||
            !plussi_x86_decode((const uint8_t *)pc + bytes, room - bytes, &x) || !can_move(&x))
            return 0;
    for (uint32_t i = code->length; i < bytes; i++)
        if (is_target(pc + i))
            return 0;
    return bytes <= PLUSSI_STUB_ORIGINAL ? bytes : 0;
}

/* ---- stubs ------------------------------------------------------------------------------------
 */

/* On the stack: the return address, the stub's number, the numbers of the registers that were
 * saved, 4 bits each, and these. Saves all registers, and hands them on in their order, if anything
 * is traced now. */
__asm__(".text\n"
        ".type plussi_stub_enter_slow, @function\n"
        "plussi_stub_enter_slow:\n"
        "    cmpl $0, plussi_tracer_gate(%rip)\n"
        "    jg 1f\n"
        "    ret\n"
        "1:\n"
        "    push %r15\n    push %r14\n    push %r13\n    push %r12\n"
        "    push %r11\n    push %r10\n    push %r9\n    push %r8\n"
        "    push %rdi\n    push %rsi\n    push %rbp\n    push %rsp\n"
        "    push %rbx\n    push %rdx\n    push %rcx\n    push %rax\n"
        "    mov %rsp, %rdi\n"
        "    mov %rsp, %rbx\n"
        "    and $-16, %rsp\n"
        "    cld\n"
        "    call plussi_stub_take_slow\n"
        "    mov %rbx, %rsp\n"
        "    pop %rax\n    pop %rcx\n    pop %rdx\n    pop %rbx\n"
        "    lea 8(%rsp), %rsp\n" /* its own */
        "    pop %rbp\n    pop %rsi\n    pop %rdi\n"
        "    pop %r8\n    pop %r9\n    pop %r10\n    pop %r11\n"
        "    pop %r12\n    pop %r13\n    pop %r14\n    pop %r15\n"
        "    ret\n"
        ".size plussi_stub_enter_slow, . - plussi_stub_enter_slow\n");
void plussi_stub_enter_slow(void);

static plussi_stub_fn notice_one;

/* registers: all 16, then the return address, number, `which`, those saved. What the saved ones
 * have here does not count any more: they are restored from where they were saved. */
__attribute__((used, visibility("hidden"))) void plussi_stub_take_slow(uint64_t *registers);
void plussi_stub_take_slow(uint64_t *registers)
{
    const uint64_t *above = registers + 17, number = above[0], which = above[1];
    for (int i = 0; i < SAVED; i++) /* the last that was saved is the next */
        registers[which >> 4 * (SAVED - 1 - i) & 15] = above[2 + i];
    registers[RSP] = (uint64_t)(uintptr_t)(above + 2 + SAVED) + RED_ZONE;
    notice_one((uint32_t)number, registers);
}

static void choose_scratch(writer *w, const plussi_x86 *x)
{
    static const unsigned from[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
    int n = 0;
    for (int i = 0; n < SAVED; i++)
        if (!has_register(x, from[i]))
            w->scratch[n++] = from[i];
}

static void compare_window(writer *w, const int64_t *bound)
{
    put_rex(w, true, w->scratch[0], 0, 0);
    put(w, 0x3b);
    put(w, (w->scratch[0] & 7) << 3 | 5);
    put_distance(w, (uintptr_t)bound, 0);
}

/* A jump with a distance that is not known yet; where the distance is. */
static uint8_t *put_branch(writer *w, unsigned condition)
{
    put(w, 0x0f);
    put(w, 0x80 | condition);
    put_32(w, 0);
    return w->to;
}

static void set_branch(uint8_t *after, const uint8_t *target)
{
    const int32_t distance = (int32_t)(target - after);
    memcpy(after - 4, &distance, sizeof distance);
}

static void move_stack(writer *w, int by)
{
    put(w, 0x48); /* lea by(%rsp), %rsp */
    put(w, 0x8d);
    put(w, 0xa4);
    put(w, 0x24);
    put_32(w, by);
}

void plussi_stub_write(uint8_t *to, const plussi_stub *stub, plussi_stub_fn notice)
{
    const plussi_x86 *x = stub->code;
    const bool wide = x->bytes == 8, from_memory = x->opcode == 0x3b;
    writer w = {.to = to};
    uint8_t *branch[3];
    notice_one = notice;
    choose_scratch(&w, x);
    put(&w, 0x66); /* no operation */
    put(&w, 0x90);
    move_stack(&w, -RED_ZONE);
    for (int i = 0; i < SAVED; i++)
        put_push(&w, 0x50, w.scratch[i]);
    /* the operands: a - b */
    const unsigned a = w.scratch[0], b = w.scratch[1], both = w.scratch[2];
    take_rm(&w, x, stub->pc + x->length, from_memory ? b : a, RED_ZONE + 8 * SAVED);
    if (find_form(x) == IMMEDIATE) {
        put_rex(&w, wide, 0, 0,
                b); /* mov $immediate, b: its sign extended, as the comparison has it */
        put(&w, 0xc7);
        put(&w, 0xc0 | (b & 7));
        put_32(&w, x->immediate);
    } else {
        put_two(&w, 0x89, wide, from_memory ? a : b, plussi_x86_reg(x));
    }
    put_two(&w, 0x89, true, both, a);
    put_two(&w, 0x09, true, both, b);
    put_rex(&w, true, 0, 0, both); /* shr */
    put(&w, 0xc1);
    put(&w, 0xe8 | (both & 7));
    put(&w, wide ? 40 : 31);
    branch[0] = put_branch(&w, 5); /* not zero */
    put_two(&w, is_test(x) ? 0x21 : 0x29, true, a, b);
    compare_window(&w, &stub->window->lo);
    branch[1] = put_branch(&w, 12); /* less */
    compare_window(&w, &stub->window->hi);
    branch[2] = put_branch(&w, 15); /* greater */
    uint8_t *done = w.to;
    for (int i = SAVED; i-- > 0;)
        put_push(&w, 0x58, w.scratch[i]);
    move_stack(&w, RED_ZONE);
    plussi_x86 moved;
    to[PLUSSI_STUB - 1] = (uint8_t)(w.to - to - ENTRY); /* for plussi_stub_pass */
    for (uint32_t at = 0; at < stub->bytes; at += moved.length) {
        plussi_x86_decode((const uint8_t *)stub->pc + at, 15, &moved);
        move_instruction(&w, stub->pc + at, &moved);
    }
    put(&w, 0xe9);
    put_distance(&w, stub->pc + stub->bytes, 0);
    for (int i = 0; i < 3; i++)
        set_branch(branch[i], w.to);
    uint64_t which = 0;
    for (int i = 0; i < SAVED; i++)
        which |= (uint64_t)w.scratch[i] << 4 * i;
    put(&w, 0x68); /* push */
    put_32(&w, (int64_t)which);
    put(&w, 0x68);
    put_32(&w, stub->number);
    put(&w, 0xe8);
    put_distance(&w, (uintptr_t)plussi_stub_enter_slow, 0);
    put(&w, 0x48); /* lea 16(%rsp), %rsp */
    put(&w, 0x8d);
    put(&w, 0x64);
    put(&w, 0x24);
    put(&w, 16);
    put(&w, 0xe9);
    put_distance(&w, (uintptr_t)done, 0);
}

void plussi_stub_pass(uint8_t *stub)
{
    const uint16_t jump = (uint16_t)(0xeb | stub[PLUSSI_STUB - 1] << 8);
    __atomic_store_n((uint16_t *)(void *)stub, jump, __ATOMIC_SEQ_CST);
}
#endif
