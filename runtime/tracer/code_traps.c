/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Watched instructions: each is a jump to a stub (code_stubs.h) where that has room; others begin
 * with a trap while they are watched. The trap's handler looks at the operands, and goes on at a
 * copy of the instruction, after which a jump leads back. An instruction that has acted both as if
 * it were linear and otherwise is watched no more.
 */
#include "tracer/tracer.h"

#ifndef __x86_64__
void plussi_tracer_watch_code(uintptr_t lo, uintptr_t hi)
{
    (void)lo;
    (void)hi;
}
void plussi_tracer_set_traps(bool set)
{
    (void)set;
}
void plussi_tracer_write_watches(FILE *out, uint32_t threads)
{
    (void)threads;
    (void)out;
}
#else
#define PUBLIC __attribute__((visibility("default")))

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tracer/callees.h"
#include "tracer/code_stubs.h"
#include "tracer/watched_code.h"

enum {
    MOST_WATCHES = 1 << 16,
    MOST_NAME = 200,
    LEAF = 1024, /* bytes of a function that calls none, at most */
    BEFORE = 3,  /* instructions before a watched one that may be moved with it */
    SLOT = 32,   /* bytes of a copy: 15 and those of a jump */
    JUMP = 14,
    JUMP_THERE = 5, /* bytes of the one to a stub */
    TRAP = 0xcc
};

typedef struct watch {
    plussi_watch_rule rule;
    plussi_watch_ranges seen;
    bool is_seen, acted, is_address;
    bool is_linear; /* it was executed and linear in any operand */
} watch;

typedef struct place {
    uintptr_t pc;
    plussi_x86 code;
    uint32_t first, n;      /* watches */
    uint32_t room;          /* bytes to the function's end */
    uint32_t stub;          /* number of its stub + 1; 0: it has a trap */
    uint8_t before[BEFORE]; /* bytes back to the instructions before it; 0: there is none */
    uint8_t moved;          /* bytes back to what its stub begins with, */
    uint32_t taken;         /* and bytes from there that the jump to it takes the place of */
    uint8_t byte;           /* that the trap is in place of */
    bool is_done;
    bool has_window;  /* of its stub */
    bool is_negative; /* of ZERO: the window is below 0, not above it */
} place;

static struct {
    place *place; /* by pc */
    watch *watch;
    uint8_t *copy; /* SLOT bytes of each place, PLUSSI_STUB of each stub, then the windows */
    uint8_t *stub;
    plussi_stub_window *window;
    uint8_t *target; /* a bit of an address: a jump may lead there */
    uint32_t n_places, n_watches, n_stubs;
    uint32_t n_traced, n_unread; /* functions; those of them whose code cannot be decoded */
    uintptr_t lo, hi;
    bool is_ready, is_full;
} traps;

static struct sigaction before; /* of SIGTRAP: what the program has asked for */

static void *reserve(size_t bytes, int prot, void *at, int flags)
{
    void *memory =
        mmap(at, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- which functions ----------------------------------------------------------------------------
 */

typedef struct chooser {
    plussi_tracer_callees callees; /* what calls one of these is traced */
    uint8_t *called;               /* a bit of an address: a traced function calls it */
    bool leaves; /* those that traced ones call, and that call none, are chosen now */
} chooser;

static bool begins_with(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

typedef struct summary {
    bool is_read, is_traced, calls;
} summary;

static bool is_call(const plussi_x86 *x)
{
    return x->map == PLUSSI_X86_ONE && (x->opcode == 0xe8 || x->opcode == 0xe9 ||
                                        (x->opcode == 0xff && (x->modrm >> 3 & 7) == 2));
}

static summary summarize(const chooser *c, uintptr_t address, size_t bytes, bool marks)
{
    summary s = {.is_read = true};
    plussi_x86 x;
    for (size_t at = 0; at < bytes && s.is_read; at += x.length) {
        s.is_read = plussi_x86_decode((const uint8_t *)address + at, bytes - at, &x);
        if (!s.is_read || !is_call(&x))
            continue;
        uintptr_t to = address + at + x.length + (uintptr_t)x.immediate;
        bool within = to >= address && to < address + bytes;
        s.calls = s.calls || x.opcode != 0xe9 || !within;
        s.is_traced = s.is_traced || (x.opcode != 0xff && plussi_tracer_is_callee(&c->callees, to));
        if (marks && x.opcode != 0xff && to >= traps.lo && to < traps.hi)
            c->called[(to - traps.lo) / 8] |= (uint8_t)(1u << (to - traps.lo) % 8);
    }
    return s;
}

static void watch_function(uintptr_t address, size_t bytes)
{
    plussi_x86 x;
    plussi_watch_rule rule[PLUSSI_WATCH_RULES];
    uint8_t length[BEFORE] = {0}; /* of the latest instructions */
    for (size_t at = 0; at < bytes; at += x.length) {
        const uint8_t *code = (const uint8_t *)address + at;
        if (!plussi_x86_decode(code, bytes - at, &x))
            return;
        int n = plussi_watch_rules(code, bytes - at, &x, rule);
        uint8_t back[BEFORE] = {length[0]};
        for (int i = 1; i < BEFORE && length[i]; i++)
            back[i] = (uint8_t)(back[i - 1] + length[i]);
        memmove(length + 1, length, BEFORE - 1);
        length[0] = x.length;
        if (n == 0)
            continue;
        if (traps.n_watches + (uint32_t)n > MOST_WATCHES) {
            traps.is_full = true;
            return;
        }
        place *p = &traps.place[traps.n_places++];
        *p = (place){.pc = address + at,
                     .code = x,
                     .first = traps.n_watches,
                     .n = (uint32_t)n,
                     .room = (uint32_t)(bytes - at),
                     .byte = *code};
        memcpy(p->before, back, sizeof back);
        for (int i = 0; i < n; i++)
            traps.watch[traps.n_watches++] = (watch){.rule = rule[i],
                                                     .seen = {.lo = rule[i].divisor,
                                                              .hi = INT64_MAX,
                                                              .x = {INT64_MAX, INT64_MIN},
                                                              .y = {INT64_MAX, INT64_MIN}}};
    }
}

static void take_function(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    chooser *c = user;
    if (!code || bytes == 0 || address < traps.lo || address + bytes > traps.hi ||
        begins_with(name, "__tsan_") || begins_with(name, "pluss") ||
        strcmp(name, "sigaction") == 0 || strcmp(name, "signal") == 0)
        return;
    uint8_t *byte = &c->called[(address - traps.lo) / 8],
            bit = (uint8_t)(1u << (address - traps.lo) % 8);
    if (c->leaves ? bytes > LEAF || !(*byte & bit)
                  : !plussi_tracer_may_call(&c->callees, address, bytes))
        return;
    summary s = summarize(c, address, bytes, false);
    if (!c->leaves) {
        traps.n_traced += s.is_traced;
        traps.n_unread += s.is_traced && !s.is_read;
        if (!s.is_traced || !s.is_read)
            return;
        summarize(c, address, bytes, true);
        watch_function(address, bytes);
    } else if (!s.is_traced && s.is_read && !s.calls) {
        watch_function(address, bytes);
        *byte &= (uint8_t)~bit;
    }
}

/* ---- places, by their pc
 * -------------------------------------------------------------------------
 */

/* The number of the first place that is not before pc. */
static uint32_t first_place(uintptr_t pc)
{
    uint32_t lo = 0, hi = traps.n_places;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (traps.place[middle].pc < pc)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The place at this pc; NULL: there is none. */
static place *find_place(uintptr_t pc)
{
    const uint32_t at = first_place(pc);
    return at < traps.n_places && traps.place[at].pc == pc ? &traps.place[at] : NULL;
}

static bool has_place(uintptr_t from, uintptr_t end)
{
    const uint32_t at = first_place(from);
    return at < traps.n_places && traps.place[at].pc < end;
}

/* Shell sort: no memory is allocated in the program's name. */
static void sort_places(void)
{
    for (uint32_t gap = traps.n_places / 2; gap > 0; gap /= 2)
        for (uint32_t i = gap; i < traps.n_places; i++) {
            place p = traps.place[i];
            uint32_t k = i;
            for (; k >= gap && traps.place[k - gap].pc > p.pc; k -= gap)
                traps.place[k] = traps.place[k - gap];
            traps.place[k] = p;
        }
    uint32_t n = 0; /* functions that are one have several names */
    for (uint32_t i = 0; i < traps.n_places; i++)
        if (n == 0 || traps.place[n - 1].pc != traps.place[i].pc)
            traps.place[n++] = traps.place[i];
    traps.n_places = n;
}

/* ---- where jumps lead ---------------------------------------------------------------------------
 */

static void mark_target(uintptr_t pc)
{
    if (pc >= traps.lo && pc < traps.hi)
        traps.target[(pc - traps.lo) / 8] |= (uint8_t)(1u << (pc - traps.lo) % 8);
}

static bool is_target(uintptr_t pc)
{
    return traps.target[(pc - traps.lo) / 8] >> (pc - traps.lo) % 8 & 1;
}

/* Those of a function with watched instructions; where it jumps by a table, or cannot be read, each
 * of its addresses. What the end of a call or an exception leads to is not within instructions that
 * follow each other. */
static void take_targets_within(uintptr_t address, size_t bytes)
{
    plussi_x86 x;
    bool is_known = true;
    mark_target(address);
    for (size_t at = 0; at < bytes && is_known; at += x.length) {
        is_known = plussi_x86_decode((const uint8_t *)address + at, bytes - at, &x) &&
                   !plussi_x86_is_indirect_jump(&x);
        if (is_known &&
            (plussi_x86_is_jump(&x) || plussi_x86_is_branch(&x) || plussi_x86_is_loop(&x)))
            mark_target(address + at + x.length + (uintptr_t)x.immediate);
    }
    for (size_t at = 0; at < bytes && !is_known; at++)
        mark_target(address + at);
}

/* Of another function: wherever its bytes could jump to outside of it, whether they are
 * instructions or not. */
static void take_targets_without(uintptr_t address, size_t bytes)
{
    const uintptr_t end = address + bytes;
    for (uintptr_t pc = address; pc < end; pc++) {
        const uint8_t op = *(const uint8_t *)pc;
        uintptr_t to = address;
        if (op >> 4 != 7 && op >> 4 != 0xe && op != 0x0f)
            continue; /* as nearly all */
        if ((op >> 4 == 7 || op == 0xeb || (op >= 0xe0 && op < 0xe4)) && pc + 2 <= end)
            to = pc + 2 + (uintptr_t)(intptr_t) * (const int8_t *)(pc + 1);
        else if (op == 0xe9 && pc + 5 <= end)
            to = plussi_tracer_read_target(pc + 5);
        else if (op == 0x0f && pc + 6 <= end && *(const uint8_t *)(pc + 1) >> 4 == 8)
            to = plussi_tracer_read_target(pc + 6);
        if (to < address || to >= end)
            mark_target(to);
    }
}

static void take_targets(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    (void)user;
    (void)name;
    if (!code || address < traps.lo || address + bytes > traps.hi)
        return;
    if (has_place(address, address + bytes))
        take_targets_within(address, bytes);
    else
        take_targets_without(address, bytes);
}

/* ---- traps --------------------------------------------------------------------------------------
 */

/* Near enough to the program that distances to its data fit 32 bits. */
static uint8_t *reserve_copies(void)
{
    uint8_t *memory = NULL;
    size_t code = (size_t)traps.n_places * SLOT + (size_t)traps.n_stubs * PLUSSI_STUB;
    code = (code + 4095) & ~(size_t)4095; /* windows are written to: not beside code */
    size_t bytes = code + (size_t)traps.n_stubs * sizeof *traps.window;
    const uintptr_t step = (uintptr_t)1 << 26;
    uintptr_t lo = traps.lo & ~(uintptr_t)4095, hi = (traps.hi + 4095) & ~(uintptr_t)4095;
    for (uintptr_t i = 1; i < 16 && !memory; i++) {
        uintptr_t at = lo > (i + 1) * step ? lo - i * step : hi + i * step;
        memory =
            reserve(bytes, PROT_READ | PROT_WRITE | PROT_EXEC, (void *)at, MAP_FIXED_NOREPLACE);
        if (memory && (uintptr_t)memory != at) { /* kernels before 4.17 */
            munmap(memory, bytes);
            memory = NULL;
        }
    }
    traps.stub = memory + (size_t)traps.n_places * SLOT;
    traps.window = (plussi_stub_window *)(void *)(memory + code);
    return memory;
}

static void copy_instruction(const place *p, uint8_t *to)
{
    uintptr_t back = p->pc + p->code.length;
    memcpy(to, (const void *)p->pc, p->code.length);
    if (p->code.is_relative) {
        int32_t distance = (int32_t)(p->code.displacement + (int64_t)(p->pc - (uintptr_t)to));
        memcpy(to + p->code.displaced, &distance, sizeof distance);
    }
    static const uint8_t jump[JUMP - sizeof back] = {0xff, 0x25};
    memcpy(to + p->code.length, jump, sizeof jump);
    memcpy(to + p->code.length + sizeof jump, &back, sizeof back);
}

static void put_byte(uintptr_t at, uint8_t byte)
{
    __atomic_store_n((uint8_t *)at, byte, __ATOMIC_SEQ_CST);
}

static void watch_place(const place *p, bool set)
{
    set = set && !__atomic_load_n(&p->is_done, __ATOMIC_RELAXED);
    if (p->stub)
        plussi_stub_set(traps.stub + (size_t)(p->stub - 1) * PLUSSI_STUB, set);
    else
        put_byte(p->pc, set ? TRAP : p->byte);
}

void plussi_tracer_set_traps(bool set)
{
    for (uint32_t i = 0; i < traps.n_places && traps.is_ready; i++)
        watch_place(&traps.place[i], set);
}

static bool is_address(uint64_t value)
{
    return value >= traps.lo &&
           (value >> 40 == traps.lo >> 40 || value >> 40 == 0x7f || value >> 40 == 0x7e) &&
           value >> 40 != 0;
}

static void lessen(int64_t *least, int64_t value)
{
    int64_t known = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (value < known && !__atomic_compare_exchange_n(least, &known, value, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void raise_most(int64_t *most, int64_t value)
{
    int64_t known = __atomic_load_n(most, __ATOMIC_RELAXED);
    while (value > known && !__atomic_compare_exchange_n(most, &known, value, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void note(watch *w, const plussi_watch_value *v)
{
    lessen(&w->seen.x[0], v->x);
    raise_most(&w->seen.x[1], v->x);
    lessen(&w->seen.y[0], v->y);
    raise_most(&w->seen.y[1], v->y);
    if (w->rule.kind == PLUSSI_WATCH_DIVIDE || w->rule.kind == PLUSSI_WATCH_FLOAT) {
        lessen(&w->seen.hi, v->hi);
        raise_most(&w->seen.lo, v->lo);
    } else if (v->lo || v->hi) {
        w->seen.lo = v->lo;
        w->seen.hi = v->hi;
    }
    __atomic_store_n(v->x == 0 ? &w->seen.zero : &w->seen.nonzero, true, __ATOMIC_RELAXED);
    w->is_address = w->is_address || v->is_address;
    __atomic_store_n(&w->is_seen, true, __ATOMIC_RELAXED);
    w->acted = plussi_watch_has_acted(w->rule.kind, &w->seen);
}

/* Registers in the order of their numbers, as the machine has them. */
static void take_registers(const ucontext_t *context, uint64_t *out)
{
    static const int order[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                  REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                  REG_R12, REG_R13, REG_R14, REG_R15};
    for (int i = 0; i < 16; i++)
        out[i] = (uint64_t)context->uc_mcontext.gregs[order[i]];
}

/* The low halves of the vector registers. */
static void take_vectors(const ucontext_t *context, uint64_t *out)
{
    const struct _libc_fpstate *state = context->uc_mcontext.fpregs;
    for (int i = 0; i < 16; i++)
        out[i] = state ? state->_xmm[i].element[0] | (uint64_t)state->_xmm[i].element[1] << 32 : 0;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The differences that tell nothing new to any of its watches: those between the least and the
 * greatest that were seen; whether they are 0 is seen for all or none of them. Whoever reads one
 * bound before and the other after they are written has bounds of seen ones, too. */
static void set_window(place *p)
{
    plussi_stub_window *window = &traps.window[p->stub - 1];
    int64_t lo = INT64_MIN, hi = INT64_MAX;
    for (uint32_t i = 0; i < p->n; i++) {
        const watch *w = &traps.watch[p->first + i];
        const int64_t off = plussi_watch_is_lessened(&w->rule);
        if (w->acted)
            continue;
        if (!w->is_seen)
            return;
        lo = larger(lo, w->seen.x[0] + off);
        hi = smaller(hi, w->seen.x[1] < INT64_MAX ? w->seen.x[1] + off : INT64_MAX);
        if (w->rule.kind == PLUSSI_WATCH_ZERO && !w->seen.zero) {
            p->is_negative = p->is_negative || (window->lo > window->hi && w->seen.x[1] < 0);
            lo = p->is_negative ? lo : larger(lo, 1);
            hi = p->is_negative ? smaller(hi, -1) : hi;
        }
    }
    if (lo > hi)
        return;
    __atomic_store_n(&window->lo, lo, __ATOMIC_RELAXED);
    __atomic_store_n(&window->hi, hi, __ATOMIC_RELAXED);
}

/* What is known of p has changed. acted: all of its watches have. */
static void set_stub(place *p, bool acted)
{
    if (acted) {
        __atomic_store_n(&p->is_done, true, __ATOMIC_RELAXED);
        watch_place(p, false);
    } else if (p->has_window) {
        set_window(p);
    }
}

static void look_at(place *p, const uint64_t *registers, const uint64_t *vectors)
{
    bool acted = true;
    for (uint32_t i = 0; i < p->n; i++) {
        watch *w = &traps.watch[p->first + i];
        plussi_watch_value v = plussi_watch_evaluate(&w->rule, &p->code, registers, vectors,
                                                     p->pc + p->code.length, is_address);
        if (!w->acted && !v.is_nothing)
            note(w, &v);
        w->is_linear = w->is_linear || v.is_linear;
        acted = acted && w->acted;
    }
    set_stub(p, acted);
}

static void notice_operands(uint32_t number, const uint64_t *registers, const uint64_t *vectors,
                            const uint64_t *pair)
{
    place *p = &traps.place[number];
    if (!plussi_tracer_is_wanted(plussi_tracer_self))
        return;
    look_at(p, registers, vectors);
    if (pair)
        __atomic_store_n(&traps.window[p->stub - 1].lo, (int64_t)*pair, __ATOMIC_RELAXED);
}

/* As look_at: with a window all that is looked at is the difference, and operands of a known size
 * are no addresses. */
static void notice_difference(uint32_t number, int64_t difference)
{
    place *p = &traps.place[number];
    bool acted = true;
    if (!plussi_tracer_is_wanted(plussi_tracer_self))
        return;
    for (uint32_t i = 0; i < p->n; i++) {
        watch *w = &traps.watch[p->first + i];
        const int64_t x = difference - plussi_watch_is_lessened(&w->rule);
        if (!w->acted)
            note(w, &(plussi_watch_value){.x = x, .y = x});
        acted = acted && w->acted;
    }
    set_stub(p, acted);
}

static void on_trap(int number, siginfo_t *info, void *user)
{
    ucontext_t *context = user;
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP] - 1;
    place *p = find_place(pc);
    if (!p) {
        if (before.sa_flags & SA_SIGINFO)
            before.sa_sigaction(number, info, user);
        else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
            before.sa_handler(number);
        else
            sigaction(SIGTRAP, &before, NULL); /* as if nothing were here */
        return;
    }
    if (plussi_tracer_is_wanted(plussi_tracer_self)) {
        uint64_t registers[16], vectors[16];
        take_registers(context, registers);
        take_vectors(context, vectors);
        look_at(p, registers, vectors);
    }
    context->uc_mcontext.gregs[REG_RIP] =
        (greg_t)(uintptr_t)(traps.copy + (size_t)(p - traps.place) * SLOT);
}

/* The program's handler of SIGTRAP is not set, but called for traps that are not ours. */
static bool is_kept(int number, const struct sigaction *action, struct sigaction *old)
{
    if (number != SIGTRAP || !traps.is_ready)
        return false;
    if (old)
        *old = before;
    if (action)
        before = *action;
    return true;
}

PUBLIC int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    static int (*real)(int, const struct sigaction *, struct sigaction *);
    if (!real && !(real = (__typeof__(real))dlsym(RTLD_NEXT, "sigaction")))
        abort();
    return is_kept(number, action, old) ? 0 : real(number, action, old);
}

PUBLIC sighandler_t signal(int number, sighandler_t handler)
{
    static sighandler_t (*real)(int, sighandler_t);
    struct sigaction action = {.sa_handler = handler}, old = {.sa_handler = SIG_DFL};
    if (!real && !(real = (__typeof__(real))dlsym(RTLD_NEXT, "signal")))
        abort();
    return is_kept(number, &action, &old) ? old.sa_handler : real(number, handler);
}

/* No room for another one's jump: a jump may lead there, or what is there is watched. */
static bool is_closed(uintptr_t pc)
{
    return is_target(pc) || find_place(pc);
}

/* Whether there is room for a jump from so many bytes before the instruction on. */
static bool try_room(place *p, uint8_t moved)
{
    p->moved = moved;
    p->taken = plussi_stub_room(p->pc - moved, p->pc, p->room, is_closed);
    return p->taken > 0;
}

/* Whether there is room for a jump from the instruction on, or from one before it that is not in
 * the room of another one, which ends at `end`. Of those before it the latest is the best: the room
 * after it is the next one's. */
static bool has_room(place *p, uintptr_t end)
{
    if (p->code.length >= JUMP_THERE && try_room(p, 0))
        return true;
    for (int i = 0; i < BEFORE && p->before[i] && !is_target(p->pc); i++) {
        const uintptr_t begin = p->pc - p->before[i];
        if (begin < end || find_place(begin))
            break;
        if (try_room(p, p->before[i]))
            return true;
    }
    return try_room(p, 0);
}

/* A window is of comparisons of which is asked alone whether a difference is 0 or negative. */
static void choose_stubs(void)
{
    uintptr_t end = 0;
    for (uint32_t i = 0; i < traps.n_places; i++) {
        place *p = &traps.place[i];
        if (!has_room(p, end))
            continue;
        end = p->pc - p->moved + p->taken;
        p->stub = ++traps.n_stubs;
        p->has_window = plussi_stub_compares(&p->code);
        for (uint32_t k = 0; k < p->n; k++)
            p->has_window =
                p->has_window && traps.watch[p->first + k].rule.kind <= PLUSSI_WATCH_ZERO;
    }
}

/* No other thread executes the code yet. */
static void make_stub(uint32_t number)
{
    static const plussi_stub_notices notices = {notice_operands, notice_difference};
    const place *p = &traps.place[number];
    uint8_t *stub = traps.stub + (size_t)(p->stub - 1) * PLUSSI_STUB;
    uint8_t *at = (uint8_t *)p->pc - p->moved;
    plussi_stub_window *window = &traps.window[p->stub - 1];
    *window = (plussi_stub_window){INT64_MAX, INT64_MIN};
    plussi_stub_write(stub,
                      &(plussi_stub){.pc = p->pc,
                                     .begin = (uintptr_t)at,
                                     .bytes = p->taken,
                                     .number = number,
                                     .code = &p->code,
                                     .window = window,
                                     .has_window = p->has_window},
                      &notices);
    watch_place(p, false); /* as yet */
    const int32_t distance = (int32_t)((intptr_t)stub - (intptr_t)(at + 5));
    at[0] = 0xe9;
    memcpy(at + 1, &distance, sizeof distance);
}

static bool make_traps(void)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = on_trap,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    choose_stubs();
    traps.copy = reserve_copies();
    if (!traps.copy || sigaction(SIGTRAP, &action, &before) != 0)
        return false;
    uintptr_t done = 0;
    for (uint32_t i = 0; i < traps.n_places; i++) {
        uintptr_t first = (traps.place[i].pc - traps.place[i].moved) & ~(page - 1);
        uintptr_t last = (traps.place[i].pc + PLUSSI_STUB_ORIGINAL) & ~(page - 1);
        copy_instruction(&traps.place[i], traps.copy + (size_t)i * SLOT);
        last = last < traps.hi ? last : first;
        if (last != done &&
            mprotect((void *)first, last - first + page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
            return false;
        done = last;
    }
    for (uint32_t i = 0; i < traps.n_places; i++)
        if (traps.place[i].stub)
            make_stub(i);
    return true;
}

void plussi_tracer_watch_code(uintptr_t lo, uintptr_t hi)
{
    static chooser c;
    traps.lo = lo;
    traps.hi = hi;
    traps.place = reserve(MOST_WATCHES * sizeof *traps.place, PROT_READ | PROT_WRITE, NULL, 0);
    traps.watch = reserve(MOST_WATCHES * sizeof *traps.watch, PROT_READ | PROT_WRITE, NULL, 0);
    c.called = reserve((hi - lo) / 8 + 1, PROT_READ | PROT_WRITE, NULL, 0);
    if (!traps.place || !traps.watch || !c.called)
        return;
    static const char *const without[] = {"init"};
    plussi_tracer_find_callees(without, sizeof without / sizeof *without, &c.callees);
    if (c.callees.n > 0)
        plussi_tracer_each_symbol(take_function, &c);
    c.leaves = true;
    if (traps.n_places > 0)
        plussi_tracer_each_symbol(take_function, &c);
    munmap(c.called, (hi - lo) / 8 + 1);
    sort_places();
    traps.target = reserve((hi - lo) / 8 + 1, PROT_READ | PROT_WRITE, NULL, 0);
    if (traps.n_places == 0 || traps.is_full || !traps.target)
        return;
    plussi_tracer_each_symbol(take_targets, NULL);
    traps.is_ready = make_traps();
    munmap(traps.target, (hi - lo) / 8 + 1);
}

/* ---- what was seen ------------------------------------------------------------------------------
 */

static void write_watches(void *user, const char *name, uintptr_t address, size_t bytes, bool code)
{
    FILE *out = user;
    int length = (int)strcspn(name, "."); /* '.': GCC's parts of it */
    length = length < MOST_NAME ? length : MOST_NAME;
    for (uint32_t i = code ? first_place(address) : traps.n_places;
         i < traps.n_places && traps.place[i].pc < address + bytes; i++) {
        const place *p = &traps.place[i];
        for (uint32_t k = 0; k < p->n; k++) {
            watch *w = &traps.watch[p->first + k];
            if (!w->is_seen && w->is_linear) { /* the empty range */
                w->seen.x[0] = w->seen.y[0] = 1;
                w->seen.x[1] = w->seen.y[1] = 0;
            }
            if (w->is_seen || w->is_linear)
                fprintf(out, "watch 0x%lx %u %s %d %d %ld %ld %ld %ld %ld %ld %.*s\n",
                        (unsigned long)plussi_tracer_place(p->pc), (unsigned)k,
                        plussi_watch_name(w->rule.kind), w->acted, w->is_address, (long)w->seen.lo,
                        (long)w->seen.hi, (long)w->seen.x[0], (long)w->seen.x[1],
                        (long)w->seen.y[0], (long)w->seen.y[1], length, name);
            w->is_seen = false; /* once, whatever names the function has */
            w->is_linear = false;
        }
    }
}

void plussi_tracer_write_watches(FILE *out, uint32_t threads)
{
    if (!traps.is_ready) { /* no memory may be written and executed: all functions are unread */
        if (traps.n_places > 0)
            fprintf(out, "code 0 %u %u\n", (unsigned)traps.n_traced, (unsigned)threads);
        return;
    }
    plussi_tracer_set_traps(false);
    fprintf(out, "code %u %u %u\n", (unsigned)traps.n_places, (unsigned)traps.n_unread,
            (unsigned)threads);
    plussi_tracer_each_symbol(write_watches, out);
}
#endif
