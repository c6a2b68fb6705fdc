/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "tracer/watched_code.h"

/* ---- what an instruction does -------------------------------------------------------------------
 */

typedef enum operation {
    OTHER, /* and leaves flags as they are unless `ends_flags` says otherwise */
    ADD,
    SUB,
    AND,
    OR,
    XOR,
    COMPARE,
    TEST,
    INCREMENT,
    DECREMENT,
    NEGATE,
    SHIFT_RIGHT,
    SHIFT_RIGHT_SIGNED,
    SHIFT_LEFT,
    DIVIDE,
    DIVIDE_SIGNED,
    MULTIPLY, /* to twice as many bits */
    MULTIPLY_SIGNED,
    NARROW, /* the source of a conversion */
    NARROW_SIGNED,
    NARROW_AX, /* ax to eax */
    BIT_TEST,
    BIT_COUNT,
    WITH_CARRY,
    PRODUCT, /* as many bits as the operands have */
    COMPARE_FLOAT,
    CONVERT_FLOAT, /* or what else floating-point numbers decide */
} operation;

/* An operation of the two operands `to` and `from`. */
typedef struct meaning {
    operation what;
    unsigned bytes;      /* of the operands */
    bool is_immediate;   /* from is one */
    bool from_memory;    /* `from` is the memory or register of modrm, `to` is reg */
    bool is_accumulator; /* `to` is al, ax, eax or rax */
    bool by_cl, by_one;  /* a shift's distance */
} meaning;

static const operation of_eight[8] = {ADD, OR, WITH_CARRY, WITH_CARRY, AND, SUB, XOR, COMPARE};

/* 00 to 3f: eight operations in six forms */
static meaning read_arithmetic(const plussi_x86 *x)
{
    meaning m = {.what = of_eight[x->opcode >> 3]};
    unsigned form = x->opcode & 7u;
    m.bytes = form & 1 ? x->bytes : 1;
    m.from_memory = form == 2 || form == 3;
    m.is_immediate = m.is_accumulator = form >= 4;
    return m;
}

static meaning read_group(const plussi_x86 *x)
{
    unsigned n = x->modrm >> 3 & 7u;
    meaning m = {.bytes = x->opcode & 1 ? x->bytes : 1};
    switch (x->opcode) {
    case 0x80:
    case 0x81:
    case 0x83:
        m.what = of_eight[n];
        m.is_immediate = true;
        break;
    case 0xc0:
    case 0xc1:
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        m.what = n == 4 ? SHIFT_LEFT : n == 5 ? SHIFT_RIGHT : n == 7 ? SHIFT_RIGHT_SIGNED : OTHER;
        m.by_one = x->opcode == 0xd0 || x->opcode == 0xd1;
        m.by_cl = x->opcode == 0xd2 || x->opcode == 0xd3;
        m.is_immediate = !m.by_cl;
        break;
    case 0xf6:
    case 0xf7:
        m.what = n < 2    ? TEST
                 : n == 3 ? NEGATE
                 : n == 4 ? MULTIPLY
                 : n == 5 ? MULTIPLY_SIGNED
                 : n == 6 ? DIVIDE
                 : n == 7 ? DIVIDE_SIGNED
                          : OTHER;
        m.is_immediate = n < 2;
        break;
    case 0xfe:
    case 0xff:
        m.what = n == 0 ? INCREMENT : n == 1 ? DECREMENT : OTHER;
        break;
    default:
        break;
    }
    return m;
}

/* Of the coprocessor: comparisons that set flags or the status word, stores of integers. */
static bool converts_on_stack(const plussi_x86 *x)
{
    const unsigned n = x->modrm >> 3 & 7u;
    if (x->has_memory)
        return (x->opcode == 0xdb && n >= 1 && n <= 3) ||
               (x->opcode == 0xdd && (n == 1 || n == 7)) ||
               (x->opcode == 0xdf && ((n >= 1 && n <= 3) || n == 7));
    return ((x->opcode == 0xdb || x->opcode == 0xdf) && (n == 5 || n == 6)) ||
           (x->opcode == 0xdf && x->modrm == 0xe0);
}

/* Comparisons, conversions to integers and masks of signs, of the registers of vectors. */
static meaning read_float(const plussi_x86 *x)
{
    const bool is_double = x->bytes == 2; /* 66 */
    meaning m = {.what = OTHER};
    if (x->opcode == 0x2e || x->opcode == 0x2f)
        m = (meaning){.what = x->is_vector ? CONVERT_FLOAT : COMPARE_FLOAT,
                      .bytes = is_double ? 8 : 4};
    else if (x->opcode == 0x50 || (x->is_vector && (x->opcode == 0x78 || x->opcode == 0x79)) ||
             ((x->opcode == 0x2c || x->opcode == 0x2d) && (x->is_vector || x->is_repeated)) ||
             (x->opcode == 0x5b && !x->is_vector && (is_double || x->is_repeated)) ||
             (x->opcode == 0xe6 && !x->is_vector && is_double))
        m.what = CONVERT_FLOAT;
    return m;
}

static meaning read_meaning(const plussi_x86 *x)
{
    if (x->is_vector)
        return read_float(x);
    if (x->map == PLUSSI_X86_ONE) {
        if (x->opcode < 0x40)
            return read_arithmetic(x);
        if (x->opcode == 0x84 || x->opcode == 0x85)
            return (meaning){.what = TEST, .bytes = x->opcode & 1 ? x->bytes : 1};
        if (x->opcode == 0xa8 || x->opcode == 0xa9)
            return (meaning){.what = TEST,
                             .bytes = x->opcode & 1 ? x->bytes : 1,
                             .is_immediate = true,
                             .is_accumulator = true};
        if (x->opcode == 0x98 && x->bytes == 4)
            return (meaning){.what = NARROW_AX, .bytes = 2};
        if (x->opcode == 0x69 || x->opcode == 0x6b)
            return (meaning){.what = PRODUCT, .bytes = x->bytes, .is_immediate = true};
        if (x->opcode >= 0xd8 && x->opcode < 0xe0)
            return (meaning){.what = converts_on_stack(x) ? CONVERT_FLOAT : OTHER};
        return read_group(x);
    }
    if (x->map == PLUSSI_X86_0F)
        switch (x->opcode) {
        case 0xb6:
        case 0xb7:
            return (meaning){.what = NARROW, .bytes = x->opcode & 1 ? 2 : 1};
        case 0xbe:
        case 0xbf:
            return (meaning){.what = NARROW_SIGNED, .bytes = x->opcode & 1 ? 2 : 1};
        case 0xa3:
            return (meaning){.what = BIT_TEST, .bytes = x->bytes};
        case 0xbc:
        case 0xbd:
            return (meaning){.what = BIT_COUNT, .bytes = x->bytes};
        case 0xaf:
            return (meaning){.what = PRODUCT, .bytes = x->bytes, .from_memory = true};
        default:
            return read_float(x);
        }
    return (meaning){.what = OTHER};
}

/* ---- where flags are used -----------------------------------------------------------------------
 */

/* Whether it neither sets flags nor goes elsewhere. */
static bool keeps_flags(const plussi_x86 *x)
{
    const uint8_t op = x->opcode;
    if (x->map == PLUSSI_X86_OTHER)
        return !x->is_vector || (x->opcode != 0x2e && x->opcode != 0x2f);
    if (x->map == PLUSSI_X86_ONE)
        return (op >= 0x50 && op < 0x64) || (op >= 0x86 && op < 0x9b) ||
               (op >= 0xb0 && op < 0xc0) || op == 0xc6 || op == 0xc7 ||
               ((op == 0xf6 || op == 0xf7) && (x->modrm >> 3 & 7) == 2);
    return (op >= 0x10 && op < 0x2e) || (op >= 0x40 && op < 0x80) || (op >= 0x90 && op < 0xa0) ||
           op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf || op == 0xc2 ||
           (op >= 0xc4 && op < 0xc7) || (op >= 0xc8 && op < 0xd0) || op >= 0xd0;
}

/* The condition codes that are asked for from here on until flags are set anew: a bit for each pair
 * of a condition and its opposite. deep: jumps that are followed. */
static unsigned find_conditions(const uint8_t *code, size_t from, size_t end, int deep)
{
    unsigned asked = 0;
    plussi_x86 x;
    for (size_t at = from; at < end && plussi_x86_decode(code + at, end - at, &x); at += x.length) {
        bool jumps = plussi_x86_is_branch(&x);
        bool chooses = x.map == PLUSSI_X86_0F && (x.opcode >> 4 == 4 || x.opcode >> 4 == 9);
        if (jumps || chooses)
            asked |= 1u << (x.opcode >> 1 & 7);
        if (jumps && deep > 0) {
            int64_t to = (int64_t)(at + x.length) + x.immediate;
            if (to > 0 && to < (int64_t)end)
                asked |= find_conditions(code, (size_t)to, end, deep - 1);
        }
        if (!jumps && !chooses && read_meaning(&x).what == WITH_CARRY)
            return asked | 1u << 1;
        if (!jumps && !keeps_flags(&x))
            break;
    }
    return asked;
}

/* ---- rules --------------------------------------------------------------------------------------
 */

static int take(plussi_watch_rule *out, int n, plussi_watch_rule rule)
{
    if (n < PLUSSI_WATCH_RULES)
        out[n++] = rule;
    return n;
}

/* Of bits in [0, 64) that a mask keeps or sets: where it begins and ends. */
static int take_mask(plussi_watch_rule *out, int n, uint64_t mask, unsigned bits)
{
    mask &= UINT64_MAX >> (64 - bits);
    if (mask == 0)
        return n;
    unsigned first = (unsigned)__builtin_ctzll(mask), end = 64 - (unsigned)__builtin_clzll(mask);
    if (first > 0)
        n = take(out, n,
                 (plussi_watch_rule){.kind = PLUSSI_WATCH_FLOOR, .divisor = (int64_t)1 << first});
    if (end < bits && end < 63)
        n = take(out, n,
                 (plussi_watch_rule){.kind = PLUSSI_WATCH_FLOOR, .divisor = (int64_t)1 << end});
    return n;
}

static bool same_registers(const plussi_x86 *x)
{
    return !x->has_memory && plussi_x86_reg(x) == plussi_x86_rm(x);
}

/* Relative to the stack's pointers alone. */
static bool is_local(const plussi_x86 *x)
{
    unsigned rm = x->modrm & 7u;
    if (!x->has_memory || x->is_relative || (x->rex & 1))
        return false;
    return rm == 5 || (rm == 4 && ((x->sib & 7) == 4 || (x->sib & 7) == 5) &&
                       (x->sib >> 3 & 7) == 4 && !(x->rex & 2));
}

static int take_operation(const plussi_x86 *x, const meaning *m, plussi_watch_rule *out, int n)
{
    unsigned bits = 8 * m->bytes;
    int64_t distance = m->by_one ? 1 : x->immediate & (bits == 64 ? 63 : 31);
    switch (m->what) {
    case AND:
    case TEST:
    case OR:
    case XOR:
        if (m->is_immediate && (m->what == AND || m->what == TEST || x->immediate != -1))
            return take_mask(out, n, (uint64_t)x->immediate, bits);
        if (!m->is_immediate && !same_registers(x))
            return take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_BITS});
        return n;
    case SHIFT_RIGHT:
    case SHIFT_RIGHT_SIGNED:
        if (m->by_cl || distance == 0 || distance >= (int64_t)bits || distance == 63)
            return m->by_cl ? take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_DIVIDE}) : n;
        return take(out, n,
                    (plussi_watch_rule){.kind = PLUSSI_WATCH_FLOOR,
                                        .divisor = (int64_t)1 << distance,
                                        .is_signed = m->what == SHIFT_RIGHT_SIGNED});
    case DIVIDE:
    case DIVIDE_SIGNED:
        return m->bytes >= 4 ? take(out, n,
                                    (plussi_watch_rule){.kind = PLUSSI_WATCH_DIVIDE,
                                                        .is_signed = m->what == DIVIDE_SIGNED})
                             : n;
    case MULTIPLY:
    case MULTIPLY_SIGNED:
        return m->bytes == 8 ? take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_FLOOR}) : n;
    case NARROW:
    case NARROW_SIGNED: /* of memory: a local variable, which was cut when it was written */
        return x->has_memory && !is_local(x)
                   ? n
                   : take(out, n,
                          (plussi_watch_rule){.kind = PLUSSI_WATCH_RANGE,
                                              .of_source = true,
                                              .is_signed = m->what == NARROW_SIGNED});
    case NARROW_AX:
        return take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_RANGE, .is_signed = true});
    case BIT_TEST:
    case BIT_COUNT:
        return take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_BITS});
    case PRODUCT:
    case SHIFT_LEFT:
        return m->bytes <= 4 ? take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_PRODUCT}) : n;
    case CONVERT_FLOAT:
        return take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_CONVERT});
    case COMPARE: /* of few bits: what has more was cut */
        if (m->bytes > 2 || x->has_memory)
            return n;
        if (!m->is_immediate)
            n = take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_RANGE, .of_source = true});
        return take(out, n, (plussi_watch_rule){.kind = PLUSSI_WATCH_RANGE});
    default:
        return n;
    }
}

int plussi_watch_rules(const uint8_t *code, size_t room, const plussi_x86 *x,
                       plussi_watch_rule *out)
{
    const meaning m = read_meaning(x);
    if (m.what == OTHER || m.what == WITH_CARRY || x->is_segmented)
        return 0;
    /* the stack pointer's alignment */
    if (m.what == AND && m.is_immediate && !x->has_memory && plussi_x86_rm(x) == 4 && m.bytes == 8)
        return 0;
    int n = take_operation(x, &m, out, 0);
    if ((m.what >= DIVIDE && m.what != COMPARE_FLOAT) || m.by_cl)
        return n;
    unsigned asked = find_conditions(code, x->length, room, 2);
    for (unsigned condition = PLUSSI_WATCH_CARRY; condition <= PLUSSI_WATCH_LESS_EQUAL;
         condition++) {
        bool is_zero = condition == PLUSSI_WATCH_EQUAL;
        if (!(asked >> condition & 1) || condition == PLUSSI_WATCH_PARITY)
            continue;
        if (m.what == COMPARE_FLOAT) {
            if (condition <= PLUSSI_WATCH_BELOW_EQUAL)
                n = take(out, n,
                         (plussi_watch_rule){.kind = PLUSSI_WATCH_FLOAT, .divisor = condition});
            continue;
        }
        if ((m.what == TEST || m.what == AND || m.what == OR || m.what == XOR) &&
            condition == PLUSSI_WATCH_CARRY)
            continue; /* it is never set */
        n = take(out, n,
                 (plussi_watch_rule){.kind = is_zero ? PLUSSI_WATCH_ZERO : PLUSSI_WATCH_SIGN,
                                     .condition = (uint8_t)condition});
    }
    return n;
}

/* ---- values -------------------------------------------------------------------------------------
 */

static uint64_t zero_extend(uint64_t value, unsigned bytes)
{
    return bytes == 8 ? value : value & (((uint64_t)1 << 8 * bytes) - 1);
}

static int64_t sign_extend(uint64_t value, unsigned bytes)
{
    unsigned free = 64 - 8 * bytes;
    return (int64_t)(value << free) >> free;
}

static uint64_t read_register(const plussi_x86 *x, const uint64_t *registers, unsigned number,
                              unsigned bytes)
{
    if (bytes == 1 && !x->rex && number >= 4 && number < 8) /* ah, ch, dh, bh */
        return registers[number - 4] >> 8 & 0xff;
    return zero_extend(registers[number], bytes);
}

static uint64_t read_memory(const plussi_x86 *x, const uint64_t *registers, uintptr_t after,
                            unsigned bytes)
{
    uint64_t address = (uint64_t)(int64_t)x->displacement;
    unsigned mod = plussi_x86_mod(x), rm = x->modrm & 7u;
    if (x->is_relative) {
        address += after;
    } else if (rm != 4) {
        address += registers[plussi_x86_rm(x)];
    } else {
        unsigned index = (x->sib >> 3 & 7u) | (x->rex & 2u) << 2;
        unsigned base = (x->sib & 7u) | (x->rex & 1u) << 3;
        if (!(mod == 0 && (base & 7) == 5))
            address += registers[base];
        if (index != 4)
            address += registers[index] << (x->sib >> 6);
    }
    const uint8_t *from = (const uint8_t *)(uintptr_t)address;
    uint64_t value = 0; /* no call: code_stubs.c saves no vectors, which the C library uses */
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

typedef struct operands {
    uint64_t to, from; /* zero extended */
} operands;

static operands read_operands(const plussi_x86 *x, const meaning *m, const uint64_t *registers,
                              uintptr_t after)
{
    operands o = {0, 0};
    uint64_t rm = 0, reg = 0;
    if (x->has_modrm) {
        rm = x->has_memory ? read_memory(x, registers, after, m->bytes)
                           : read_register(x, registers, plussi_x86_rm(x), m->bytes);
        reg = read_register(x, registers, plussi_x86_reg(x), m->bytes);
    }
    if (m->is_accumulator)
        rm = zero_extend(registers[0], m->bytes);
    o.to = m->from_memory ? reg : rm;
    o.from = m->from_memory ? rm : reg;
    bool is_group = x->map == PLUSSI_X86_ONE && x->opcode >= 0x80 &&
                    (x->opcode < 0x84 || x->opcode >= 0xc0); /* reg is a part of the opcode */
    if (is_group)
        o.from = 0;
    if (m->is_immediate)
        o.from = zero_extend(m->by_one ? 1 : (uint64_t)x->immediate, m->bytes);
    return o;
}

static int64_t saturate(__int128 value)
{
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

/* The number whose sign, or whether it is 0, is the condition. */
static int64_t evaluate_condition(const meaning *m, const operands *o, unsigned condition,
                                  unsigned distance)
{
    int64_t a = sign_extend(o->to, m->bytes), b = sign_extend(o->from, m->bytes);
    __int128 result = 0;
    switch (m->what) {
    case COMPARE:
    case SUB:
        result = condition == PLUSSI_WATCH_CARRY || condition == PLUSSI_WATCH_BELOW_EQUAL
                     ? (__int128)o->to - o->from
                     : (__int128)a - b;
        break;
    case ADD:
        result = condition == PLUSSI_WATCH_CARRY
                     ? (((__int128)1 << 8 * m->bytes) - 1) - ((__int128)o->to + o->from)
                     : (__int128)sign_extend(o->to + o->from, m->bytes);
        break;
    case INCREMENT:
        result = (__int128)a + 1;
        break;
    case DECREMENT:
        result = (__int128)a - 1;
        break;
    case NEGATE:
        result = condition == PLUSSI_WATCH_CARRY ? (o->to ? -1 : 0) : -(__int128)a;
        break;
    case OR:
        result = a | b;
        break;
    case XOR:
        result = a ^ b;
        break;
    case SHIFT_RIGHT:
        result = sign_extend(o->to >> distance, m->bytes);
        break;
    case SHIFT_RIGHT_SIGNED:
        result = a >> distance;
        break;
    case SHIFT_LEFT:
        result = sign_extend(o->to << distance, m->bytes);
        break;
    default: /* TEST, AND */
        result = a & b;
        break;
    }
    /* <= 0 is < 0 of one less */
    return saturate(condition == PLUSSI_WATCH_LESS_EQUAL || condition == PLUSSI_WATCH_BELOW_EQUAL
                        ? result - 1
                        : result);
}

static plussi_watch_value evaluate_floor(const plussi_watch_rule *rule, const meaning *m,
                                         const operands *o, const uint64_t *registers)
{
    plussi_watch_value v = {.is_nothing = false};
    int64_t divisor = rule->divisor;
    if (divisor == 0) { /* the upper half of a product: of the smaller operand, divided */
        uint64_t a = registers[0], b = o->to, by = a > b ? a : b;
        v.x = m->what == MULTIPLY && (a > b ? b : a) > INT64_MAX ? INT64_MAX
                                                                 : (int64_t)(a > b ? b : a);
        if (by >> 32 == 0 || by > UINT64_MAX - ((uint64_t)1 << 32)) {
            v.is_nothing = true;
            return v;
        }
        divisor = (int64_t)(UINT64_MAX / by) + 1;
        v.hi = INT64_MAX;
    } else {
        const bool is_unsigned = m->what == SHIFT_RIGHT && m->bytes < 8;
        v.x = is_unsigned ? (int64_t)o->to : sign_extend(o->to, m->bytes);
        v.hi = m->bytes != 4 ? INT64_MAX : is_unsigned ? UINT32_MAX : INT32_MAX;
    }
    v.lo = divisor;
    v.y = v.x % divisor;
    v.y += v.y < 0 ? divisor : 0;
    return v;
}

static plussi_watch_value evaluate_division(const plussi_watch_rule *rule, const meaning *m,
                                            const operands *o, const uint64_t *registers)
{
    plussi_watch_value v = {.is_nothing = true};
    __int128 divisor, dividend;
    if (m->by_cl) {
        divisor = (__int128)1 << (registers[1] & (m->bytes == 8 ? 63 : 31));
        dividend = m->what == SHIFT_RIGHT ? (__int128)o->to : sign_extend(o->to, m->bytes);
    } else if (rule->is_signed) {
        divisor = sign_extend(o->to, m->bytes);
        dividend = m->bytes == 8 ? (__int128)((unsigned __int128)registers[2] << 64 | registers[0])
                                 : (int64_t)(registers[2] << 32 | (registers[0] & 0xffffffff));
    } else {
        divisor = o->to;
        dividend = m->bytes == 8 ? (__int128)registers[0]
                                 : (__int128)(registers[2] << 32 | (registers[0] & 0xffffffff));
        if (m->bytes == 8 && registers[2])
            return v;
    }
    v.is_linear = divisor == 1;
    if (divisor == 0 || divisor == 1)
        return v;
    v.is_nothing = false;
    v.lo = m->bytes == 4 ? saturate(dividend) : 0;
    v.x = saturate(dividend / divisor);
    v.y = saturate(dividend % divisor);
    v.hi = saturate((divisor < 0 ? -divisor : divisor) - 1 - (v.y < 0 ? -v.y : v.y));
    return v;
}

static plussi_watch_value evaluate_bits(const meaning *m, const operands *o)
{
    plussi_watch_value v = {.x = (int64_t)(o->to & o->from), .y = (int64_t)(o->to | o->from)};
    if (m->what == BIT_TEST) {
        v.x = (int64_t)(o->to >> (o->from & (8 * m->bytes - 1)) & 1);
        v.y = (int64_t)o->from;
    } else if (m->what == BIT_COUNT) {
        v.x = o->to ? 64 - __builtin_clzll(o->to) + 64 * __builtin_ctzll(o->to) : -1;
        v.y = (int64_t)o->to;
    }
    /* what is true or false was compared before */
    v.is_nothing = o->to <= 1 && o->from <= 1 && m->bytes == 1;
    return v;
}

static plussi_watch_value evaluate_product(const meaning *m, const operands *o,
                                           const uint64_t *registers, unsigned distance)
{
    const unsigned bits = 8 * m->bytes;
    const int64_t a = sign_extend(o->to, m->bytes);
    const int64_t by = m->what != SHIFT_LEFT ? sign_extend(o->from, m->bytes)
                       : m->by_cl            ? (int64_t)1 << (registers[1] & 31)
                                             : (int64_t)1 << distance;
    plussi_watch_value v = {.x = a * by, .lo = -((int64_t)1 << (bits - 1))};
    v.y = v.x;
    v.hi = -v.lo - 1;
    return v;
}

/* A floating-point number, read without registers of vectors, which are the program's here. */
typedef struct number {
    bool is_none, is_integer; /* no number; whole, below 2^52 */
    int64_t order;            /* as numbers of the same format are ordered */
    int64_t whole;
} number;

static number read_number(uint64_t bits, unsigned bytes)
{
    const int digits = bytes == 4 ? 23 : 52, powers = bytes == 4 ? 8 : 11;
    bits &= bytes == 4 ? UINT32_MAX : UINT64_MAX;
    const bool is_negative = bits >> (digits + powers) & 1;
    const int64_t size = (int64_t)(bits & (((uint64_t)1 << (digits + powers)) - 1));
    const int power = (int)(size >> digits), bias = (1 << (powers - 1)) - 1;
    const int exponent = power - bias;
    int64_t digit = size & (((int64_t)1 << digits) - 1);
    number n = {.is_none = power == 2 * bias + 1 && digit != 0,
                .is_integer = size == 0,
                .order = is_negative ? -size : size};
    if (exponent < 0 || exponent >= 52)
        return n;
    digit |= (int64_t)1 << digits;
    const int fraction = digits - exponent; /* digits after the point */
    n.is_integer = fraction <= 0 || (digit & (((int64_t)1 << fraction) - 1)) == 0;
    n.whole = fraction <= 0 ? digit << -fraction : digit >> fraction;
    n.whole = is_negative ? -n.whole : n.whole;
    return n;
}

static plussi_watch_value evaluate_float(const plussi_watch_rule *rule, const plussi_x86 *x,
                                         const meaning *m, const uint64_t *registers,
                                         const uint64_t *vectors, uintptr_t after)
{
    plussi_watch_value v = {.is_nothing = false};
    const number a = read_number(vectors[plussi_x86_reg(x)], m->bytes);
    const number b = read_number(x->has_memory ? read_memory(x, registers, after, m->bytes)
                                               : vectors[plussi_x86_rm(x)],
                                 m->bytes);
    const bool is_none = a.is_none || b.is_none; /* then it is both */
    const bool below = is_none || a.order < b.order, equal = is_none || a.order == b.order;
    v.x = rule->divisor == PLUSSI_WATCH_CARRY   ? below
          : rule->divisor == PLUSSI_WATCH_EQUAL ? equal
                                                : below || equal;
    v.hi = a.is_integer && b.is_integer;
    v.y = v.hi ? a.whole - b.whole : 0;
    return v;
}

plussi_watch_value plussi_watch_evaluate(const plussi_watch_rule *rule, const plussi_x86 *x,
                                         const uint64_t *registers, const uint64_t *vectors,
                                         uintptr_t after, bool (*is_address)(uint64_t value))
{
    const meaning m = read_meaning(x);
    if (m.what == CONVERT_FLOAT)
        return (plussi_watch_value){.is_nothing = false};
    if (m.what == COMPARE_FLOAT)
        return evaluate_float(rule, x, &m, registers, vectors, after);
    const operands o = read_operands(x, &m, registers, after);
    plussi_watch_value v = {.is_nothing = false};
    unsigned distance = m.by_one ? 1 : (unsigned)(x->immediate & (m.bytes == 8 ? 63 : 31));
    switch (rule->kind) {
    case PLUSSI_WATCH_FLOOR:
        v = evaluate_floor(rule, &m, &o, registers);
        break;
    case PLUSSI_WATCH_DIVIDE:
        v = evaluate_division(rule, &m, &o, registers);
        break;
    case PLUSSI_WATCH_BITS:
        v = evaluate_bits(&m, &o);
        break;
    case PLUSSI_WATCH_PRODUCT:
        v = evaluate_product(&m, &o, registers, distance);
        break;
    case PLUSSI_WATCH_RANGE: {
        uint64_t value = m.what == NARROW_AX                    ? registers[0] & 0xffff
                         : m.what == COMPARE && rule->of_source ? o.from
                                                                : o.to;
        unsigned bits = 8 * m.bytes;
        v.x = rule->is_signed ? sign_extend(value, m.bytes) : (int64_t)value;
        v.lo = rule->is_signed ? -((int64_t)1 << (bits - 1)) : 0;
        v.hi = v.lo + ((int64_t)1 << bits) - 1;
        break;
    }
    default:
        v.x = evaluate_condition(&m, &o, rule->condition, distance);
        v.y = v.x;
        break;
    }
    bool a = m.bytes == 8 && is_address(o.to), b = m.bytes == 8 && is_address(o.from);
    bool two = rule->kind <= PLUSSI_WATCH_ZERO && (m.what == COMPARE || m.what == SUB);
    v.is_address = rule->kind == PLUSSI_WATCH_RANGE ? m.what == COMPARE || x->has_memory : a && b;
    v.is_nothing = v.is_nothing || (two ? a != b : a || b);
    return v;
}
