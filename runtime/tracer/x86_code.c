/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The format is that of Intel's manual, volume 2, chapter 2 and appendix A.
 */
#include "tracer/x86_code.h"

#include <string.h>

typedef struct reader {
    const uint8_t *code;
    size_t room, at;
    bool fails;
    plussi_x86 *x;
    bool wide;    /* rex.w */
    bool narrow;  /* 66 */
    bool address; /* 67 */
} reader;

static uint8_t next(reader *r)
{
    r->fails = r->fails || r->at >= r->room || r->at >= 15;
    return r->fails ? 0 : r->code[r->at++];
}

static void take_immediate(reader *r, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)next(r) << 8 * i;
    unsigned free = 64 - 8 * bytes;
    r->x->immediate = bytes == 0 || bytes == 8 ? (int64_t)value : (int64_t)(value << free) >> free;
}

static void take_displacement(reader *r, unsigned bytes)
{
    r->x->displaced = (uint8_t)r->at;
    if (bytes == 1) {
        r->x->displacement = (int8_t)next(r);
        return;
    }
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)next(r) << 8 * i;
    r->x->displacement = (int32_t)value;
}

static void take_modrm(reader *r)
{
    plussi_x86 *x = r->x;
    x->has_modrm = true;
    x->modrm = next(r);
    unsigned mod = plussi_x86_mod(x), rm = x->modrm & 7u;
    if (mod == 3)
        return;
    x->has_memory = true;
    if (rm == 4)
        x->sib = next(r);
    if (mod == 0 && rm == 5) {
        x->is_relative = true;
        take_displacement(r, 4);
    } else if (mod == 2 || (mod == 0 && rm == 4 && (x->sib & 7) == 5)) {
        take_displacement(r, 4);
    } else if (mod == 1) {
        take_displacement(r, 1);
    }
}

/* Bytes of an immediate that is as wide as the operands, but at most 4. */
static unsigned operand_immediate(const reader *r)
{
    return r->narrow && !r->wide ? 2 : 4;
}

/* ---- opcodes of one byte ------------------------------------------------------------------------
 */

/* 'm': modrm; 'b', 'z': an immediate of a byte, as wide as the operands; 'M', 'Z': modrm and such
 * an immediate; 'g', 'G': the same where it is a test; '-': no more; 'x': none in 64 bits, or a
 * prefix; 'w': two bytes; 'v': as wide as the register; 'a': an address; 'e': three bytes; 'd':
 * four bytes. */
static const char one[256 + 1] = "mmmmbzxxmmmmbzxx" /* 00 */
                                 "mmmmbzxxmmmmbzxx" /* 10 */
                                 "mmmmbzxxmmmmbzxx" /* 20 */
                                 "mmmmbzxxmmmmbzxx" /* 30 */
                                 "xxxxxxxxxxxxxxxx" /* 40 */
                                 "----------------" /* 50 */
                                 "xxxmxxxxzZbM----" /* 60 */
                                 "bbbbbbbbbbbbbbbb" /* 70 */
                                 "MZxMmmmmmmmmmmmm" /* 80 */
                                 "----------x-----" /* 90 */
                                 "aaaa----bz------" /* a0 */
                                 "bbbbbbbbvvvvvvvv" /* b0 */
                                 "MMw-xxMZe-w--bx-" /* c0 */
                                 "mmmmxxx-mmmmmmmm" /* d0 */
                                 "bbbbbbbbddxb----" /* e0 */
                                 "x-xx--gG------mm" /* f0 */;

static void take_one(reader *r)
{
    plussi_x86 *x = r->x;
    char kind = one[x->opcode];
    if (kind == 'm' || kind == 'M' || kind == 'Z' || kind == 'g' || kind == 'G')
        take_modrm(r);
    bool tests = (x->modrm >> 3 & 7) < 2;
    switch (kind) {
    case 'b':
    case 'M':
        take_immediate(r, 1);
        break;
    case 'z':
    case 'Z':
        take_immediate(r, operand_immediate(r));
        break;
    case 'g':
        take_immediate(r, tests ? 1 : 0);
        break;
    case 'G':
        take_immediate(r, tests ? operand_immediate(r) : 0);
        break;
    case 'w':
        take_immediate(r, 2);
        break;
    case 'e':
        take_immediate(r, 3);
        break;
    case 'd':
        take_immediate(r, 4);
        break;
    case 'v':
        take_immediate(r, r->wide ? 8 : operand_immediate(r));
        break;
    case 'a':
        take_immediate(r, r->address ? 4 : 8);
        break;
    case 'x':
        r->fails = true;
        break;
    default:
        break;
    }
}

/* ---- others -------------------------------------------------------------------------------------
 */

/* Of those after 0f, VEX or EVEX; map: 1 to 3, as VEX numbers them. */
static void take_other(reader *r, unsigned map, bool is_vector)
{
    plussi_x86 *x = r->x;
    uint8_t op = x->opcode = next(r);
    bool plain = map == 1 && !is_vector;
    x->is_vector = map == 1 && is_vector;
    if (plain && op >= 0x80 && op < 0x90) {
        take_immediate(r, 4);
        return;
    }
    if ((map == 1 && op == 0x77) ||
        (plain && (op < 0x0c ? op > 3 : /* 00 to 03 have modrm */
                       (op >= 0x30 && op < 0x38) || (op >= 0xa0 && op < 0xa3) ||
                           (op >= 0xa8 && op < 0xab) || (op >= 0xc8 && op < 0xd0) || op == 0x0e)))
        return;
    take_modrm(r);
    if (map == 3 ||
        (map == 1 && ((op >= 0x70 && op < 0x74) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ||
                      (plain && (op == 0xa4 || op == 0xac || op == 0xba)))))
        take_immediate(r, 1);
}

static bool take_prefix(reader *r, uint8_t byte)
{
    switch (byte) {
    case 0x66:
        r->narrow = true;
        return true;
    case 0x67:
        r->address = true;
        return true;
    case 0xf2:
    case 0xf3:
        r->x->is_repeated = true;
        return true;
    case 0x64:
    case 0x65:
        r->x->is_segmented = true;
        return true;
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0xf0:
        return true;
    default:
        return false;
    }
}

bool plussi_x86_decode(const uint8_t *code, size_t room, plussi_x86 *out)
{
    reader r = {.code = code, .room = room, .x = out};
    memset(out, 0, sizeof *out);
    uint8_t byte = next(&r);
    while (take_prefix(&r, byte))
        byte = next(&r);
    if (byte >= 0x40 && byte < 0x50) {
        out->rex = byte;
        r.wide = byte & 8;
        byte = next(&r);
    }
    out->opcode = byte;
    out->map = PLUSSI_X86_OTHER;
    if (byte == 0xc5) {
        next(&r);
        take_other(&r, 1, true);
    } else if (byte == 0xc4) {
        unsigned map = next(&r) & 31u;
        next(&r);
        take_other(&r, map, true);
        r.fails = r.fails || map == 0 || map > 3;
    } else if (byte == 0x62) {
        unsigned map = next(&r) & 7u;
        next(&r);
        next(&r);
        take_other(&r, map, true);
        r.fails = r.fails || map == 0 || map == 4 || map == 7;
    } else if (byte == 0x0f) {
        uint8_t second = r.at < room ? code[r.at] : 0;
        if (second == 0x38 || second == 0x3a)
            next(&r);
        else
            out->map = PLUSSI_X86_0F;
        take_other(&r, second == 0x38 ? 2 : second == 0x3a ? 3 : 1, false);
    } else {
        out->map = PLUSSI_X86_ONE;
        take_one(&r);
    }
    /* f3 0f b8, 66 0f: the prefix is a part of the opcode, the operands' width the same */
    out->bytes = r.wide ? 8 : r.narrow ? 2 : 4;
    out->length = (uint8_t)r.at;
    return !r.fails;
}
