/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A stub of a comparison, with three registers that it does not have:
 *
 *     (instructions before it that are moved as well)
 *     (two bytes, at once written and read: none, or a jump to `pass`)
 *     room below what a function without calls has under its stack pointer; saves the registers
 *     a = operand, b = the other
 *     to `slow` if (a | b) >> 40
 *     a = a - b (of a test: a & b); to `slow` if it is not in the window
 *     done: restores them
 *     pass: the instructions; to what follows them
 *     slow: calls enter_slow with the stub's number and which the registers are; to `done`
 *     beyond the window: calls enter_difference with the stub's number and a; to `done`
 *
 * One of an instruction of two operands at most (a division: rdx is 0), below 2^31, as most of them
 * are the same again and again:
 *
 *     (as above)
 *     a = operand, b = the other, or 0
 *     to `slow` if (a | b) >> 31
 *     a = a | b << 32; to `other` if it is not what was looked at the last time
 *     done: restores the registers
 *     pass: the instructions; to what follows them
 *     slow: calls enter_slow; to `done`
 *     other: the same, and hands on a
 *
 * One of another instruction, whose flags may be used after it:
 *
 *     (two bytes)
 *     room; saves three registers and the flags
 *     calls enter_slow
 *     restores them
 *     pass: the instructions; to what follows them
 */
#include "tracer/code_stubs.h"

#ifdef __x86_64__
#include <string.h>

enum { JUMP = 5, RED_ZONE = 128, SAVED = 3, ENTRY = 2 };
enum { RSP = 4, RAX = 0, RDX = 2 };
enum { SHIFT_LEFT = 4, SHIFT_RIGHT = 5 }; /* of c1 */
enum { HAS_PAIR = 1 << 12 /* beside the numbers of registers */ };
enum { PUSH_FLAGS = 0x9c, POP_FLAGS = 0x9d, ALONE = 0x90, NOTHING = 0x9066 /* one of two bytes */ };

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

bool plussi_stub_compares(const plussi_x86 *code)
{
    return find_form(code) != NONE;
}

typedef enum pair { NO_PAIR, ALONE_OPERAND, WITH_REGISTER, WITH_RAX, WITH_RAX_AND_RDX } pair;

/* What an instruction depends on beside what modrm says, of operands of 4 and 8 bytes. It sets all
 * flags that may be asked for. */
static pair find_pair(const plussi_x86 *x)
{
    const unsigned n = x->modrm >> 3 & 7u;
    if (x->map != PLUSSI_X86_ONE || x->is_segmented || x->bytes < 4)
        return NO_PAIR;
    if (x->opcode < 0x40) /* arithmetic: two forms with a register, one of rax */
        return (x->opcode & 5) == 1   ? WITH_REGISTER
               : (x->opcode & 7) == 5 ? ALONE_OPERAND
                                      : NO_PAIR;
    switch (x->opcode) {
    case 0x85:
        return WITH_REGISTER;
    case 0x81:
    case 0x83:
    case 0xa9:
    case 0xc1:
    case 0xd1:
        return ALONE_OPERAND;
    case 0xf7:
        return n < 4 ? ALONE_OPERAND : n < 6 ? WITH_RAX : WITH_RAX_AND_RDX;
    default:
        return NO_PAIR;
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
    const pair p = find_pair(x);
    if ((number == RAX && p >= WITH_RAX) || (number == RDX && p == WITH_RAX_AND_RDX))
        return true;
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

/* What follows one that does not is reached from elsewhere: an exception may lead there. */
static bool goes_on(const plussi_x86 *x)
{
    const bool returns = x->map == PLUSSI_X86_ONE && (x->opcode & 0xf6) == 0xc2;
    return !plussi_x86_is_jump(x) && !plussi_x86_is_indirect_jump(x) && !returns;
}

uint32_t plussi_stub_room(uintptr_t begin, uintptr_t pc, size_t room,
                          bool (*is_closed)(uintptr_t pc))
{
    const size_t end = pc - begin + room;
    size_t bytes = 0;
    bool follows = true;
    plussi_x86 x;
    for (; bytes < JUMP || bytes <= pc - begin; bytes += x.length, follows = goes_on(&x))
        if (!follows || !plussi_x86_decode((const uint8_t *)begin + bytes, end - bytes, &x) ||
            !can_move(&x))
            return 0;
    for (size_t i = 1; i < bytes; i++)
        if (begin + i != pc && is_closed(begin + i))
            return 0;
    return bytes <= PLUSSI_STUB_ORIGINAL ? (uint32_t)bytes : 0;
}

/* ---- stubs ------------------------------------------------------------------------------------
 */

/* On the stack: the return address, the stub's number, the numbers of the registers that were
 * saved, 4 bits each, and whether the first of them has a pair now, the flags, and these. Saves all
 * registers, and hands them on in their order, with the low halves of the vector registers, if
 * anything is traced now. */
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
        "    sub $128, %rsp\n"
        "    mov %rsp, %rsi\n"
        "    movq %xmm0, 0(%rsp)\n    movq %xmm1, 8(%rsp)\n"
        "    movq %xmm2, 16(%rsp)\n    movq %xmm3, 24(%rsp)\n"
        "    movq %xmm4, 32(%rsp)\n    movq %xmm5, 40(%rsp)\n"
        "    movq %xmm6, 48(%rsp)\n    movq %xmm7, 56(%rsp)\n"
        "    movq %xmm8, 64(%rsp)\n    movq %xmm9, 72(%rsp)\n"
        "    movq %xmm10, 80(%rsp)\n    movq %xmm11, 88(%rsp)\n"
        "    movq %xmm12, 96(%rsp)\n    movq %xmm13, 104(%rsp)\n"
        "    movq %xmm14, 112(%rsp)\n    movq %xmm15, 120(%rsp)\n"
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

/* On the stack: the return address, the stub's number, the difference. Saves what a call may
 * change, but for vectors, and hands them on, if anything is traced now. */
__asm__(".text\n"
        ".type plussi_stub_enter_difference, @function\n"
        "plussi_stub_enter_difference:\n"
        "    cmpl $0, plussi_tracer_gate(%rip)\n"
        "    jg 1f\n"
        "    ret\n"
        "1:\n"
        "    push %rax\n    push %rcx\n    push %rdx\n    push %rbx\n"
        "    push %rsi\n    push %rdi\n"
        "    push %r8\n    push %r9\n    push %r10\n    push %r11\n"
        "    mov 88(%rsp), %edi\n"
        "    mov 96(%rsp), %rsi\n"
        "    mov %rsp, %rbx\n"
        "    and $-16, %rsp\n"
        "    cld\n"
        "    call plussi_stub_take_difference\n"
        "    mov %rbx, %rsp\n"
        "    pop %r11\n    pop %r10\n    pop %r9\n    pop %r8\n"
        "    pop %rdi\n    pop %rsi\n"
        "    pop %rbx\n    pop %rdx\n    pop %rcx\n    pop %rax\n"
        "    ret\n"
        ".size plussi_stub_enter_difference, . - plussi_stub_enter_difference\n");
void plussi_stub_enter_difference(void);

static plussi_stub_notices notices;

/* registers: all 16, then the return address, number, `which`, flags, those saved. What the saved
 * ones have here does not count any more: they are restored from where they were saved. */
__attribute__((used, visibility("hidden"))) void plussi_stub_take_slow(uint64_t *registers,
                                                                       const uint64_t *vectors);
void plussi_stub_take_slow(uint64_t *registers, const uint64_t *vectors)
{
    const uint64_t *above = registers + 17, number = above[0], which = above[1];
    const uint64_t operands = registers[which & 15];
    for (int i = 0; i < SAVED; i++) /* the last that was saved is the next */
        registers[which >> 4 * (SAVED - 1 - i) & 15] = above[3 + i];
    registers[RSP] = (uint64_t)(uintptr_t)(above + 3 + SAVED) + RED_ZONE;
    notices.operands((uint32_t)number, registers, vectors, which & HAS_PAIR ? &operands : NULL);
}

__attribute__((used, visibility("hidden"))) void plussi_stub_take_difference(uint32_t number,
                                                                             int64_t difference);
void plussi_stub_take_difference(uint32_t number, int64_t difference)
{
    notices.difference(number, difference);
}

static void choose_scratch(writer *w, const plussi_x86 *x)
{
    static const unsigned from[] = {0, 1, 2, 6, 7, 8, 9, 10, 11};
    int n = 0;
    for (int i = 0; n < SAVED; i++)
        if (!has_register(x, from[i]))
            w->scratch[n++] = from[i];
}

/* With the first register. */
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

/* As of two words on the stack. */
static void call_with_two(writer *w, void (*enter)(void))
{
    put(w, 0xe8);
    put_distance(w, (uintptr_t)enter, 0);
    put(w, 0x48); /* lea 16(%rsp), %rsp */
    put(w, 0x8d);
    put(w, 0x64);
    put(w, 0x24);
    put(w, 16);
}

static void put_jump(writer *w, uintptr_t to)
{
    put(w, 0xe9);
    put_distance(w, to, 0);
}

static void save_scratch(writer *w)
{
    move_stack(w, -RED_ZONE);
    for (int i = 0; i < SAVED; i++)
        put_push(w, 0x50, w->scratch[i]);
}

static void restore_scratch(writer *w)
{
    for (int i = SAVED; i-- > 0;)
        put_push(w, 0x58, w->scratch[i]);
    move_stack(w, RED_ZONE);
}

/* which: HAS_PAIR or 0. */
static void call_slow(writer *w, uint32_t number, uint64_t which)
{
    for (int i = 0; i < SAVED; i++)
        which |= (uint64_t)w->scratch[i] << 4 * i;
    put(w, PUSH_FLAGS);
    put(w, 0x68); /* push */
    put_32(w, (int64_t)which);
    put(w, 0x68);
    put_32(w, number);
    call_with_two(w, plussi_stub_enter_slow);
    put(w, POP_FLAGS);
}

static void move_instructions(writer *w, uintptr_t from, uintptr_t to)
{
    plussi_x86 moved;
    for (uintptr_t at = from; at < to; at += moved.length) {
        plussi_x86_decode((const uint8_t *)at, 15, &moved);
        move_instruction(w, at, &moved);
    }
}

/* entry: the two bytes of the stub, which begins at `begin`. */
static void put_original(writer *w, uint8_t *begin, const uint8_t *entry, const plussi_stub *stub)
{
    const uintptr_t end = stub->begin + stub->bytes;
    begin[PLUSSI_STUB - 2] = (uint8_t)(entry - begin); /* for plussi_stub_set */
    begin[PLUSSI_STUB - 1] = (uint8_t)(w->to - entry - ENTRY);
    move_instructions(w, stub->pc, end);
    put_jump(w, end);
}

static void put_shift(writer *w, unsigned operation, unsigned number, unsigned bits)
{
    put_rex(w, true, 0, 0, number);
    put(w, 0xc1);
    put(w, 0xc0 | operation << 3 | (number & 7));
    put(w, bits);
}

/* Takes the operands, and what is between them, a - b or a & b, into the first register. Where it
 * is known that this tells nothing new falls through, else jumps to what `unknown` is set to. */
static void compare_operands(writer *w, const plussi_stub *stub, uint8_t *unknown[3])
{
    const plussi_x86 *x = stub->code;
    const bool wide = x->bytes == 8, from_memory = x->opcode == 0x3b;
    const unsigned a = w->scratch[0], b = w->scratch[1], both = w->scratch[2];
    take_rm(w, x, stub->pc + x->length, from_memory ? b : a, RED_ZONE + 8 * SAVED);
    if (find_form(x) == IMMEDIATE) {
        put_rex(w, wide, 0, 0,
                b); /* mov $immediate, b: its sign extended, as the comparison has it */
        put(w, 0xc7);
        put(w, 0xc0 | (b & 7));
        put_32(w, x->immediate);
    } else {
        put_two(w, 0x89, wide, from_memory ? a : b, plussi_x86_reg(x));
    }
    put_two(w, 0x89, true, both, a);
    put_two(w, 0x09, true, both, b);
    put_shift(w, SHIFT_RIGHT, both, wide ? 40 : 31);
    unknown[0] = put_branch(w, 5); /* not zero */
    put_two(w, is_test(x) ? 0x21 : 0x29, true, a, b);
    compare_window(w, &stub->window->lo);
    unknown[1] = put_branch(w, 12); /* less */
    compare_window(w, &stub->window->hi);
    unknown[2] = put_branch(w, 15); /* greater */
}

/* The same with a pair of operands, in place of their difference. */
static void compare_pair(writer *w, const plussi_stub *stub, uint8_t *unknown[3])
{
    const plussi_x86 *x = stub->code;
    const bool wide = x->bytes == 8;
    const pair p = find_pair(x);
    const unsigned a = w->scratch[0], b = w->scratch[1], both = w->scratch[2];
    take_rm(w, x, stub->pc + x->length, a, RED_ZONE + 8 * SAVED);
    if (p == ALONE_OPERAND)
        put_two(w, 0x31, false, b, b);
    else
        put_two(w, 0x89, wide, b, p == WITH_REGISTER ? plussi_x86_reg(x) : RAX);
    put_two(w, 0x89, true, both, a);
    put_two(w, 0x09, true, both, b);
    put_shift(w, SHIFT_RIGHT, both, 31);
    if (p == WITH_RAX_AND_RDX)
        put_two(w, 0x09, true, both, RDX);
    unknown[0] = put_branch(w, 5); /* not zero */
    put_shift(w, SHIFT_LEFT, b, 32);
    put_two(w, 0x09, true, a, b);
    compare_window(w, &stub->window->lo);
    unknown[1] = put_branch(w, 5);
}

void plussi_stub_write(uint8_t *to, const plussi_stub *stub, const plussi_stub_notices *notice)
{
    writer w = {.to = to};
    uint8_t *unknown[3] = {NULL};
    notices = *notice;
    choose_scratch(&w, stub->code);
    move_instructions(&w, stub->begin, stub->pc);
    if ((uintptr_t)w.to % ENTRY != 0)
        put(&w, ALONE);
    const uint8_t *entry = w.to;
    put(&w, NOTHING & 0xff);
    put(&w, NOTHING >> 8);
    save_scratch(&w);
    const bool has_pair = !stub->has_window && find_pair(stub->code) != NO_PAIR;
    if (stub->has_window)
        compare_operands(&w, stub, unknown);
    else if (has_pair)
        compare_pair(&w, stub, unknown);
    else
        call_slow(&w, stub->number, 0);
    const uintptr_t done = (uintptr_t)w.to;
    restore_scratch(&w);
    put_original(&w, to, entry, stub);
    if (!stub->has_window && !has_pair)
        return;
    set_branch(unknown[0], w.to);
    call_slow(&w, stub->number, 0);
    put_jump(&w, done);
    set_branch(unknown[1], w.to);
    if (has_pair) {
        call_slow(&w, stub->number, HAS_PAIR);
    } else {
        set_branch(unknown[2], w.to);
        put_push(&w, 0x50, w.scratch[0]);
        put(&w, 0x68);
        put_32(&w, stub->number);
        call_with_two(&w, plussi_stub_enter_difference);
    }
    put_jump(&w, done);
}

void plussi_stub_set(uint8_t *stub, bool looks)
{
    const uint16_t jump = (uint16_t)(0xeb | stub[PLUSSI_STUB - 1] << 8);
    __atomic_store_n((uint16_t *)(void *)(stub + stub[PLUSSI_STUB - 2]), looks ? NOTHING : jump,
                     __ATOMIC_SEQ_CST);
}
#endif
