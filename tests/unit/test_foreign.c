/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Foreign traces: the events of each format, packed and compressed ones as they were, bad lines and
 * damaged files with their place, and no memory.
 */
#include "suite.h"

#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

#include "base/rng.h"
#include "byte_sink.h"
#include "failing_mem.h"
#include "trace/foreign_state.h"
#include "trace/packed.h"

/* ---- bytes and events --------------------------------------------------------------------------
 */

static bytes of_text(const char *text)
{
    bytes b = {0};
    add_bytes(&b, text, strlen(text));
    return b;
}

typedef struct events {
    plussi_event *at;
    size_t n, cap;
    uint64_t skipped;
    const char *format;
} events;

static void add_event(events *e, plussi_event event)
{
    if (e->n == e->cap) {
        e->cap = e->cap ? 2 * e->cap : 64;
        e->at = realloc(e->at, e->cap * sizeof *e->at);
    }
    e->at[e->n++] = event;
}

/* All events of a file of these bytes, `room` at a time. */
static pluss_status read_events(plussi_ctx *ctx, const bytes *b, bool skip, size_t room,
                                events *out)
{
    plussi_foreign *trace = NULL;
    plussi_event buf[64];
    FILE *in = fmemopen(b->at, b->n, "rb");
    ck_assert_ptr_nonnull(in);
    pluss_status status = plussi_foreign_open_stream(ctx, in, "file", skip, &trace);
    *out = (events){0};
    for (size_t n = 1; !status && n;) {
        status = plussi_foreign_next(trace, buf, room, &n);
        for (size_t i = 0; i < n && !status; i++)
            add_event(out, buf[i]);
    }
    if (trace) {
        out->skipped = trace->skipped;
        out->format = trace->format ? trace->format->name : "packed";
    }
    plussi_foreign_close(trace);
    fclose(in);
    return status;
}

static void same_events(const events *a, const plussi_event *b, size_t n)
{
    ck_assert_uint_eq(a->n, n);
    for (size_t i = 0; i < n; i++) {
        const plussi_event *x = &a->at[i], *y = &b[i];
        ck_assert_msg(x->address == y->address && x->site == y->site && x->thread == y->thread &&
                          x->bytes == y->bytes && x->kind == y->kind,
                      "event %zu: %llx %llx %u %u %u, expected %llx %llx %u %u %u", i,
                      (unsigned long long)x->address, (unsigned long long)x->site, x->thread,
                      x->bytes, x->kind, (unsigned long long)y->address,
                      (unsigned long long)y->site, y->thread, y->bytes, y->kind);
    }
}

static void gives(const char *text, const char *format, const plussi_event *expected, size_t n)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    bytes b = of_text(text);
    events e;
    ck_assert_int_eq(read_events(&ctx, &b, false, 16, &e), PLUSS_OK);
    ck_assert_str_eq(e.format, format);
    same_events(&e, expected, n);
    free(e.at);
    free(b.at);
    plussi_ctx_clear(&ctx);
}

enum { R = PLUSSI_EVENT_READ, W = PLUSSI_EVENT_WRITE };

/* ---- formats -----------------------------------------------------------------------------------
 */

START_TEST(plain)
{
    static const plussi_event expected[] = {
        {4096, 7, 0, 8, R},
        {0x1fff, 0, 3, 4, W},
        {5, 0, 0, 0, PLUSSI_EVENT_REGION},
        {0, 0, 1, 0, PLUSSI_EVENT_BARRIER},
        {16, 32, 1, 0, PLUSSI_EVENT_CHUNK},
        {0, 0, 0, 0, PLUSSI_EVENT_LEAVE},
        {0x1ffffffffffffff7, 0xffffffffffffffff, 65535, 9, R},
        {0, 0, 2, 65535, W},
    };
    gives("# thread address bytes kind site\n\n"
          "0 4096 8 r 7\n"
          "3, 0x1FFF, 4, w\r\n"
          "0 region 5\n"
          "  1\tbarrier  \n"
          "1 chunk 16 32\n"
          "0 leave\n"
          "65535 0x1ffffffffffffff7 9 r 0xffffffffffffffff\n"
          "2 0 65535 w",
          "plain", expected, sizeof expected / sizeof *expected);
}
END_TEST

START_TEST(lackey)
{
    static const plussi_event expected[] = {
        {0x1ffefffe60, 0x4001234, 0, 8, W}, {0x4222cac, 0x4001237, 0, 4, R},
        {0x4222cac, 0x4001237, 0, 4, W},    {0x10, 0x4001237, 0, 32, R},
        {0x1ffefffe58, 0x400123a, 0, 8, W},
    };
    gives("==41== Lackey, an example Valgrind tool\n"
          "==41== \n"
          "--41-- warning\n"
          "I  04001234,3\n"
          " S 1ffefffe60,8\n"
          "I  04001237,3\n"
          " M 04222cac,4\n"
          " L 00000010,32\n"
          "I  0400123a,5\n"
          " S 1ffefffe58,8\n"
          "==41== \n",
          "lackey", expected, sizeof expected / sizeof *expected);
}
END_TEST

START_TEST(view)
{
    static const plussi_event expected[] = {
        {0x7f8881e37c70, 0x402680, 0, 8, R},
        {0x7f8881e37a70, 0x402680, 0, 8, W},
        {0x7ffdf9d85088, 0x40361a, 1, 8, R},
    };
    gives(
        "Output format:\n"
        "<record#>: T<tid> <record details>\n"
        "------------------------------------------------------------\n"
        "        1: T1774669 <marker: version 4>\n"
        "   173369: T1774669 ifetch       3 byte(s) @ 0x0000000000402680 f3 48 a5   rep movsq\n"
        "   173370: T1774669 read         8 byte(s) @ 0x00007f8881e37c70 by PC 0x0000000000402680\n"
        "   173371: T1774669 write        8 byte(s) @ 0x00007f8881e37a70 by PC 0x0000000000402680\n"
        "------------------------------------------------------------\n"
        "   173372: T1774668 <marker: timestamp 13309323446399692>\n"
        "   173375: T1774668 read         8 byte(s) @ 0x00007ffdf9d85088 by PC "
        "0x000000000040361a\n",
        "view", expected, sizeof expected / sizeof *expected);
    static const plussi_event later[] = {{0x1000, 0x4008d8, 0, 4, W}, {0x1004, 0x4008dc, 1, 4, R}};
    gives("Output format:\n"
          "<--record#-> <--instr#->: <---tid---> <record details>\n"
          "------------------------------------------------------------\n"
          "           1           0:     2444839 <marker: version 5>\n"
          "       10665        8013:     2444839 ifetch       4 byte(s) @ 0x00000000004008d8 "
          "7100681f   subs\n"
          "       10666        8013:     2444839 write        4 byte(s) @ 0x0000000000001000 by PC "
          "0x00000000004008d8\n"
          "       10667        8013: W1.T2444840 read         4 byte(s) @ 0x0000000000001004 by PC "
          "0x00000000004008dc\n"
          "View tool results:\n"
          "              1 : total instructions\n",
          "view", later, 2);
}
END_TEST

/* ---- packed, compressed ------------------------------------------------------------------------
 */

/* Threads that run through arrays, stop, jump and pass marks. */
static void make_random(plussi_rng *rng, size_t n, events *out)
{
    const uint64_t threads = 1 + plussi_rng_below(rng, 5), sites = 1 + plussi_rng_below(rng, 9);
    uint64_t address[5][9] = {{0}};
    *out = (events){0};
    uint32_t thread = 0;
    for (uint64_t site = 0; out->n < n; site = (site + 1) % sites) {
        if (plussi_rng_below(rng, 4) == 0)
            thread = (uint32_t)plussi_rng_below(rng, threads);
        if (plussi_rng_below(rng, 20) == 0) {
            plussi_event mark = {.thread = thread, .kind = (uint8_t)(2 + plussi_rng_below(rng, 4))};
            mark.address = mark.kind == PLUSSI_EVENT_BARRIER ? 0 : plussi_rng_next(rng);
            mark.site = mark.kind == PLUSSI_EVENT_CHUNK ? plussi_rng_next(rng) : 0;
            add_event(out, mark);
        }
        uint64_t *at = &address[thread][site];
        *at = plussi_rng_below(rng, 30) ? *at + 8 : plussi_rng_next(rng) >> (3 + site);
        if (*at > ((uint64_t)1 << 61) - 65535)
            *at = 0;
        add_event(out,
                  (plussi_event){*at, site * site, thread, (uint16_t)(site == 3 ? 65535 : 1 + site),
                                 (uint8_t)(site % 2)});
    }
}

static bytes pack(plussi_ctx *ctx, const events *e)
{
    bytes b = {0};
    plussi_packer *packer;
    ck_assert_int_eq(plussi_packer_new(ctx, add_bytes, &b, &packer), PLUSS_OK);
    ck_assert_int_eq(plussi_packer_add(packer, e->at, e->n / 2), PLUSS_OK);
    ck_assert_int_eq(plussi_packer_add(packer, e->at + e->n / 2, e->n - e->n / 2), PLUSS_OK);
    ck_assert_int_eq(plussi_packer_finish(packer), PLUSS_OK);
    plussi_packer_free(packer);
    return b;
}

/* Two gzip members or zstd frames after each other. */
static bytes compressed(const bytes *from, bool zstd)
{
    bytes out = {0};
    for (int part = 0; part < 2; part++) {
        const char *at = from->at + part * (from->n / 2);
        const size_t n = part ? from->n - from->n / 2 : from->n / 2;
        size_t room = zstd ? ZSTD_compressBound(n) : compressBound(n) + 64;
        char *to = malloc(room);
        if (zstd) {
            room = ZSTD_compress(to, room, at, n, 3);
            ck_assert(!ZSTD_isError(room));
        } else {
            z_stream z = {0};
            ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
            z.next_in = (Bytef *)at;
            z.avail_in = (uInt)n;
            z.next_out = (Bytef *)to;
            z.avail_out = (uInt)room;
            ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
            room -= z.avail_out;
            deflateEnd(&z);
        }
        add_bytes(&out, to, room);
        free(to);
    }
    return out;
}

START_TEST(packed_is_the_same)
{
    static const size_t sizes[] = {0, 1, 2, 100, 5000, 200000};
    plussi_ctx ctx;
    plussi_rng rng;
    plussi_ctx_init(&ctx, NULL);
    plussi_rng_seed(&rng, (uint64_t)_i + 1, 0);
    events e, read;
    make_random(&rng, sizes[_i % 6], &e);
    bytes b = pack(&ctx, &e);
    ck_assert_int_eq(read_events(&ctx, &b, false, 16 + (size_t)_i, &read), PLUSS_OK);
    ck_assert_str_eq(read.format, "packed");
    same_events(&read, e.at, e.n);
    free(read.at);
    for (int zstd = 0; zstd < 2; zstd++) {
        bytes small = compressed(&b, zstd);
        ck_assert_int_eq(read_events(&ctx, &small, false, 64, &read), PLUSS_OK);
        same_events(&read, e.at, e.n);
        free(read.at);
        free(small.at);
    }
    free(b.at);
    free(e.at);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* What is regular takes next to nothing. */
START_TEST(packed_is_small)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    events e = {0};
    enum { N = 100 };
    for (uint64_t i = 0; i < N; i++)
        for (uint64_t j = 0; j < N; j++) {
            add_event(&e, (plussi_event){4096 + 8 * i, 1, 0, 8, R});
            add_event(&e, (plussi_event){8192 + 8 * j, 2, 0, 8, R});
            add_event(&e, (plussi_event){65536 + 8 * (i * N + j), 3, 0, 8, W});
        }
    bytes b = pack(&ctx, &e);
    ck_assert_uint_lt(b.n, 30 * N); /* of 3 N^2 accesses */
    free(b.at);
    free(e.at);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(packer_refuses)
{
    static const plussi_event bad[] = {{0, 0, 65536, 1, R},
                                       {0, 0, 0, 0, R},
                                       {0, 0, 0, 1, PLUSSI_EVENT_BARRIER},
                                       {0, 0, 0, 0, PLUSSI_EVENT_KINDS},
                                       {(uint64_t)1 << 61, 0, 0, 1, W}};
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    bytes b = {0};
    plussi_packer *packer;
    ck_assert_int_eq(plussi_packer_new(&ctx, add_bytes, &b, &packer), PLUSS_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(plussi_packer_add(packer, &bad[i], 1), PLUSS_EINVAL);
    plussi_packer_free(packer);
    free(b.at);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* ---- faults ------------------------------------------------------------------------------------
 */

static void fails(const bytes *b, pluss_status expected, uint32_t line, const char *words)
{
    plussi_ctx ctx;
    events e;
    plussi_ctx_init(&ctx, NULL);
    ck_assert_int_eq(read_events(&ctx, b, false, 16, &e), expected);
    ck_assert_uint_eq(ctx.n_diags, 1);
    ck_assert_str_eq(ctx.diags[0].file, "file");
    ck_assert_uint_eq(ctx.diags[0].line, line);
    ck_assert_msg(strstr(ctx.diags[0].text, words), "%s; expected %s", ctx.diags[0].text, words);
    free(e.at);
    plussi_ctx_clear(&ctx);
}

static void text_fails(const char *text, uint32_t line, const char *words)
{
    bytes b = of_text(text);
    fails(&b, PLUSS_EFORMAT, line, words);
    free(b.at);
}

START_TEST(bad_lines_have_their_number)
{
    text_fails("nothing here\n", 0, "no trace");
    text_fails("\n", 0, "no trace");
    text_fails("pluss-nest 1\nregion r\n", 0, "no trace");
    text_fails("\177ELF\1\2\3", 0, "no trace");
    text_fails("0 1 2 r\n0 1 2\n", 2, "found '0 1 2', expected THREAD");
    text_fails("\n# x\n0 1 2\n", 3, "found '0 1 2', expected THREAD");
    text_fails("==7== Lackey\n L 10\nnothing\n", 2, "ADDRESS,BYTES after");
    text_fails("nothing\n0 1 2\n", 0, "no trace");
    text_fails("0 1 2 r\n\n# x\n0 1 0 r\n", 4, "1 to 65535 bytes");
    text_fails("0 1 65536 w\n0 1 1 w", 1, "1 to 65535 bytes");
    text_fails("0 0x2000000000000000 1 w\n0 1 1 w", 1, "below address 2^61");
    text_fails("0 1 1 r\n0 18446744073709551616 1 r\n", 2, "expected THREAD");
    text_fails("0 1 1 r\n65536 1 1 r\n", 2, "a thread below 65536");
    text_fails("0 1 1 r\n0 1 1 r 3 4\n", 2, "the end of the line");
    text_fails("0 1 1 r\n0 chunk 3\n", 2, "expected THREAD");
    text_fails("I  04001234,3\n S 10,8\n S 10\n", 3, "ADDRESS,BYTES after");
    text_fails("I  04001234,3\nI  x\n", 2, "expected I  ADDRESS,BYTES");
    text_fails(" L 10,8\n X 10,8\n", 2, "an instruction 'I  '");
    text_fails(" L 10,8\n\001\n", 2, "found '?'");
    text_fails("1: T7 <marker: x>\n2: T7 read 8 byte(s) @ 1\n", 2, "read or write");
    text_fails("1: T7 <marker: x>\n2: T7 read 8 byte(s) @ 0x1 by PC 0x\n", 2, "by PC");
    text_fails("1: T7 <marker: x>\nT7 read\n", 2, "RECORD");
}
END_TEST

START_TEST(bad_lines_are_skipped)
{
    plussi_ctx ctx;
    plussi_ctx_init(&ctx, NULL);
    bytes b = of_text("0 1 2 r\nx\n"), line = {0};
    for (int i = 0; i < 300000; i++)
        add_bytes(&line, "7 7 7 r ", 8);
    add_bytes(&b, line.at, line.n); /* one line, 2.4 MB */
    add_bytes(&b, "\n0 3 4 w\n0", 10);
    events e;
    ck_assert_int_eq(read_events(&ctx, &b, true, 16, &e), PLUSS_OK);
    same_events(&e, (plussi_event[]){{1, 0, 0, 2, R}, {3, 0, 0, 4, W}}, 2);
    ck_assert_uint_eq(e.skipped, 3);
    free(e.at);
    fails(&b, PLUSS_EFORMAT, 2, "found 'x'");
    free(b.at);
    free(line.at);
    plussi_ctx_clear(&ctx);
}
END_TEST

START_TEST(too_many_threads)
{
    bytes b = {0};
    char line[64];
    for (int i = 0; i <= PLUSSI_EVENT_THREADS; i++)
        add_bytes(&b, line,
                  (size_t)snprintf(line, sizeof line, "%d: T%d read 1 byte(s) @ 0x1\n", i, 7 * i));
    fails(&b, PLUSS_ELIMIT, PLUSSI_EVENT_THREADS + 1, "at most 65536 threads");
    free(b.at);
}
END_TEST

/* Cut anywhere, or with any byte changed: refused with a message. */
START_TEST(damage_is_found)
{
    plussi_ctx ctx;
    plussi_rng rng;
    plussi_ctx_init(&ctx, NULL);
    plussi_rng_seed(&rng, 1, 0);
    events e, read;
    make_random(&rng, 300, &e);
    bytes packed = pack(&ctx, &e),
          kind[3] = {packed, compressed(&packed, false), compressed(&packed, true)};
    for (int k = 0; k < 3; k++) {
        const size_t whole = kind[k].n;
        for (kind[k].n = 1; kind[k].n < whole; kind[k].n++) {
            ck_assert_int_eq(read_events(&ctx, &kind[k], false, 16, &read), PLUSS_EFORMAT);
            ck_assert_uint_eq(ctx.n_diags, 1);
            free(read.at);
            plussi_ctx_clear(&ctx);
            plussi_ctx_init(&ctx, NULL);
        }
    }
    for (size_t i = 0; i < packed.n; i++)
        for (int bit = 0; bit < 8; bit++) {
            packed.at[i] ^= (char)(1 << bit);
            ck_assert_int_eq(read_events(&ctx, &packed, false, 16, &read), PLUSS_EFORMAT);
            packed.at[i] ^= (char)(1 << bit);
            free(read.at);
            plussi_ctx_clear(&ctx);
            plussi_ctx_init(&ctx, NULL);
        }
    for (int k = 0; k < 3; k++)
        free(kind[k].at);
    free(e.at);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Two streams that are one thread after the other: each keeps its sites, and a version 1 has none.
 */
START_TEST(streams_of_a_thread)
{
    const char tokens[] = {
        7,           5,          16, /* stream 0: a site, reads of 8 bytes */
        1 | 16 << 2, 1 | 8 << 2, 0,  /* at 8, then 12, 16 */
        15,          7,              /* it is thread 7 */
        0,                           /* at 20 */
        3,           1,          15, 7,
        7,           9,          3,      /* stream 1 is thread 7: a site, writes of a byte */
        1 | 4 << 2,  3,          0,  0}; /* at 2; stream 0 again: 24 */
    char file[PLUSSI_PACKED_HEAD + 2 * PLUSSI_PACKED_BLOCK_HEAD + sizeof tokens];
    char *block = file + PLUSSI_PACKED_HEAD;
    plussi_ctx ctx;
    events read;
    plussi_ctx_init(&ctx, NULL);
    plussi_packed_put_head(file);
    memcpy(block + PLUSSI_PACKED_BLOCK_HEAD, tokens, sizeof tokens);
    plussi_packed_put_block_head(block, tokens, sizeof tokens, 6);
    plussi_packed_put_block_head(block + PLUSSI_PACKED_BLOCK_HEAD + sizeof tokens, NULL, 0, 6);
    bytes packed = {file, sizeof file, 0};
    ck_assert_int_eq(read_events(&ctx, &packed, false, 16, &read), PLUSS_OK);
    const uint64_t address[] = {8, 12, 16, 20, 2, 24};
    ck_assert_uint_eq(read.n, 6);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_uint_eq(read.at[i].address, address[i]);
        ck_assert_uint_eq(read.at[i].thread, i < 3 ? 0 : 7);
        ck_assert_uint_eq(read.at[i].site, i == 4 ? 9 : 5);
        ck_assert_uint_eq(read.at[i].bytes, i == 4 ? 1 : 8);
        ck_assert_uint_eq(read.at[i].kind, i == 4 ? PLUSSI_EVENT_WRITE : PLUSSI_EVENT_READ);
    }
    free(read.at);
    plussi_ctx_clear(&ctx);
}
END_TEST

/* Blocks of any tokens, with the right checksum. */
START_TEST(hostile_blocks)
{
    plussi_rng rng;
    plussi_rng_seed(&rng, 1, 0);
    char file[PLUSSI_PACKED_HEAD + PLUSSI_PACKED_BLOCK_HEAD + 64] = PLUSSI_PACKED_MAGIC;
    char *head = file + PLUSSI_PACKED_HEAD, *block = head + PLUSSI_PACKED_BLOCK_HEAD;
    file[16] = PLUSSI_PACKED_VERSION;
    for (int turn = 0; turn < 5000; turn++) {
        head[0] = 64;
        head[4] = (char)(1 + plussi_rng_below(&rng, 40));
        block[0] = PLUSSI_PACKED_DEFINE << 2 | PLUSSI_PACKED_OTHER;
        block[1] = 5;
        block[2] = 9;
        for (int i = 3; i < 64; i++)
            block[i] = (char)plussi_rng_below(&rng, plussi_rng_below(&rng, 3) ? 16 : 256);
        const uint64_t sum = plussi_packed_checksum(block, 64);
        for (int i = 0; i < 8; i++)
            head[8 + i] = (char)(sum >> 8 * i);
        fails(&(bytes){file, sizeof file, 0}, PLUSS_EFORMAT, 0, "byte ");
    }
}
END_TEST

START_TEST(without_memory)
{
    plussi_ctx good;
    plussi_rng rng;
    plussi_ctx_init(&good, NULL);
    plussi_rng_seed(&rng, 5, 0);
    events e, read;
    make_random(&rng, 400, &e);
    bytes packed = pack(&good, &e),
          files[] = {packed, compressed(&packed, false),
                     of_text("1: T1 read 1 byte(s) @ 0x1\n2: T2 read 1 byte(s) @ 0x1\n")};
    for (int k = 0; k < 4; k++)
        for (long budget = 0;; budget++) {
            failing_mem m;
            plussi_ctx ctx;
            failing_mem_init(&m, budget);
            plussi_ctx_init(&ctx, &m.mem);
            bytes out = {0};
            plussi_packer *packer = NULL;
            pluss_status status = k < 3 ? read_events(&ctx, &files[k], false, 16, &read)
                                        : plussi_packer_new(&ctx, add_bytes, &out, &packer);
            if (k == 3 && !status)
                status = plussi_packer_add(packer, e.at, e.n);
            plussi_packer_free(packer);
            ck_assert_int_eq(status, m.failed ? PLUSS_ENOMEM : PLUSS_OK);
            plussi_ctx_clear(&ctx);
            ck_assert_int_eq(m.live, 0);
            if (k < 3)
                free(read.at);
            free(out.at);
            if (!m.failed)
                break;
        }
    for (int k = 0; k < 3; k++)
        free(files[k].at);
    free(e.at);
    plussi_ctx_clear(&good);
}
END_TEST

static Suite *foreign_suite(void)
{
    Suite *suite = suite_create("foreign");
    TCase *formats = tcase_create("formats"), *faults = tcase_create("faults");
    tcase_add_test(formats, plain);
    tcase_add_test(formats, lackey);
    tcase_add_test(formats, view);
    tcase_add_loop_test(formats, packed_is_the_same, 0, 24);
    tcase_add_test(formats, packed_is_small);
    tcase_add_test(formats, packer_refuses);
    tcase_add_test(faults, bad_lines_have_their_number);
    tcase_add_test(faults, bad_lines_are_skipped);
    tcase_add_test(faults, too_many_threads);
    tcase_add_test(faults, damage_is_found);
    tcase_add_test(faults, hostile_blocks);
    tcase_add_test(faults, streams_of_a_thread);
    tcase_add_test(faults, without_memory);
    suite_add_tcase(suite, formats);
    suite_add_tcase(suite, faults);
    return suite;
}

SUITE_MAIN(foreign_suite())
