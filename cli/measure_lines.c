/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What lines cost that a level of caches gives, or memory: a buffer of the right size is read in
 * four ways.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "measure.h"

enum { LINE = 64, PAGE = CLI_PAGE };

typedef struct buffer {
    char *at;
    uint64_t lines;
    uint64_t rows, row_bytes, columns; /* strided: columns of lines */
    uint64_t place, column;            /* where reading goes on */
    uint64_t random[4];
    double addend;
    uint64_t burst; /* lines; they divide 64 */
    void *next;
} buffer;

static inline void read_word(const char *at)
{
    uint64_t x = *(const uint64_t *)(const void *)at;
    __asm__ volatile("" : : "r"(x));
}

/* ---- four ways to read ------------------------------------------------------------------------
 */

static void chase(void *work, uint64_t n)
{
    buffer *b = work;
    void *at = b->next;
    for (; n; n--)
        at = *(void **)at;
    __asm__ volatile("" : "+r"(at));
    b->next = at;
}

/* Four sequences of random numbers, so that the next line does not wait for them. */
static void scatter(void *work, uint64_t n)
{
    buffer *b = work;
    uint64_t x[4] = {b->random[0], b->random[1], b->random[2], b->random[3]};
    for (; n; n -= 4)
        for (int i = 0; i < 4; i++) {
            x[i] = x[i] * 6364136223846793005U + 1442695040888963407U; /* Knuth's MMIX */
            read_word(b->at + ((x[i] >> 32) * b->lines >> 32) * LINE);
        }
    for (int i = 0; i < 4; i++)
        b->random[i] = x[i];
}

/* Column by column of lines. */
static void stride(void *work, uint64_t n)
{
    buffer *b = work;
    while (n) {
        const uint64_t left = b->rows - b->place, now = left < n ? left : n;
        const char *at = b->at + b->place * b->row_bytes + b->column * LINE;
        const uint64_t row = b->row_bytes;
        for (uint64_t i = 0; i + 4 <= now; i += 4, at += 4 * row) {
            read_word(at);
            read_word(at + row);
            read_word(at + 2 * row);
            read_word(at + 3 * row);
        }
        n -= now;
        b->place += now;
        if (b->place == b->rows) {
            b->place = 0;
            b->column = (b->column + 1) % b->columns;
        }
    }
}

/* The same, but a burst of lines is read word by word before the next one. */
static void revisit(void *work, uint64_t n)
{
    buffer *b = work;
    const uint64_t row = b->row_bytes, burst = b->burst;
    for (; n; n -= burst) {
        const char *first = b->at + b->place * row + b->column * LINE;
        for (int word = 0; word < LINE / 8; word++) {
            const char *at = first + (size_t)8 * word;
            for (uint64_t i = 0; i < burst; i++, at += row)
                read_word(at);
        }
        b->place += burst;
        if (b->place + burst > b->rows) {
            b->place = 0;
            b->column = (b->column + 1) % b->columns;
        }
    }
}

static void stream(void *work, uint64_t n)
{
    buffer *b = work;
    while (n) {
        const uint64_t left = b->lines - b->place, now = left < n ? left : n;
        const char *at = b->at + b->place * LINE, *end = at + now / 4 * 4 * LINE;
        for (; at < end; at += (uint64_t)4 * LINE) {
            read_word(at);
            read_word(at + LINE);
            read_word(at + 2 * LINE);
            read_word(at + 3 * LINE);
        }
        n -= now;
        b->place = (b->place + now) % b->lines;
    }
}

/* The same, and writes each line. */
static void update(void *work, uint64_t n)
{
    buffer *b = work;
    while (n) {
        const uint64_t left = b->lines - b->place, now = left < n ? left : n;
        char *at = b->at + b->place * LINE, *end = at + now * LINE;
        for (; at < end; at += LINE)
            (*(volatile uint64_t *)(void *)at)++;
        n -= now;
        b->place = (b->place + now) % b->lines;
    }
}

/* Strides with four additions a line. */
static void stride_and_add(void *work, uint64_t n)
{
    buffer *b = work;
    const uint64_t row = b->row_bytes;
    double x0 = 1, x1 = 1, x2 = 1, x3 = 1;
    const double y = b->addend;
    while (n) {
        const uint64_t left = b->rows - b->place, now = left < n ? left : n;
        const char *at = b->at + b->place * row + b->column * LINE;
        for (uint64_t i = 0; i < now; i++, at += row) {
            read_word(at);
            x0 += y;
            x1 += y;
            x2 += y;
            x3 += y;
            __asm__ volatile("" : : "r"(at));
        }
        n -= now;
        b->place += now;
        if (b->place == b->rows) {
            b->place = 0;
            b->column = (b->column + 1) % b->columns;
        }
    }
    b->addend += (x0 + x1 + x2 + x3) * 1e-300;
}

/* ---- one thread -------------------------------------------------------------------------------
 */

/* A cycle through all lines in random order (Sattolo). false: no memory. */
static bool link_lines(buffer *b)
{
    uint32_t *order = malloc(b->lines * sizeof *order);
    uint64_t x = 1;
    if (!order)
        return false;
    for (uint64_t i = 0; i < b->lines; i++)
        order[i] = (uint32_t)i;
    for (uint64_t i = b->lines - 1; i > 0; i--) {
        x = x * 6364136223846793005U + 1442695040888963407U;
        const uint64_t other = (x >> 32) * i >> 32;
        const uint32_t kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (uint64_t i = 0; i < b->lines; i++)
        *(void **)(void *)(b->at + i * LINE) = b->at + (uint64_t)order[i] * LINE;
    b->next = b->at;
    free(order);
    return true;
}

/* Rows are a page apart and more, as those of large matrices are, and a line, so that columns are
 * in all sets. */
static bool make_buffer(uint64_t bytes, buffer *b)
{
    enum { ROWS = 1024 };
    const uint64_t lines = bytes / LINE, rows = lines < ROWS ? lines / 4 * 4 : ROWS;
    const uint64_t apart = bytes / rows > PAGE ? bytes / rows / LINE * LINE : PAGE;
    *b = (buffer){.lines = lines,
                  .rows = rows,
                  .row_bytes = apart + LINE,
                  .columns = lines / rows,
                  .random = {1, 2, 3, 4},
                  .addend = 1e-3};
    const uint64_t room = (rows + 1) * b->row_bytes;
    b->at = aligned_alloc(PAGE, (room + PAGE - 1) / PAGE * PAGE);
    for (uint64_t i = 0; b->at && i < room; i += LINE)
        b->at[i] = 1;
    return b->at != NULL;
}

/* After the buffer was read once, in the same way. */
static pluss_measured measure(cli_work_fn run, buffer *b, double cycle_ns)
{
    b->place = b->column = 0;
    run(b, b->lines / 64 * 64);
    return cli_in_cycles(cli_measure_work(run, b), cycle_ns);
}

/* ---- several threads --------------------------------------------------------------------------
 */

enum { PIECES = 400, PIECE = 32768 /* lines */ };

typedef struct piece {
    double start, end, cpu; /* ns; cpu: a line */
} piece;

typedef struct streamer {
    buffer buffer;
    piece piece[PIECES];
    atomic_bool *go;
    pthread_t thread;
} streamer;

static void *stream_pieces(void *argument)
{
    streamer *s = argument;
    while (!atomic_load(s->go))
        ;
    stream(&s->buffer, s->buffer.lines / 64 * 64);
    for (int i = 0; i < PIECES; i++) {
        piece *p = &s->piece[i];
        const double cpu = cli_thread_ns();
        p->start = cli_clock_ns();
        stream(&s->buffer, PIECE);
        p->end = cli_clock_ns();
        p->cpu = (cli_thread_ns() - cpu) / PIECE;
    }
    return NULL;
}

static bool is_undisturbed(const piece *p)
{
    return p->end - p->start < 1.05 * p->cpu * PIECE;
}

/* How much of the time of a piece the other thread was running. */
static double measure_overlap(const piece *p, const streamer *other)
{
    double sum = 0;
    for (int i = 0; i < PIECES; i++) {
        const piece *o = &other->piece[i];
        const double from = o->start > p->start ? o->start : p->start;
        const double to = o->end < p->end ? o->end : p->end;
        if (to > from && is_undisturbed(o))
            sum += to - from;
    }
    return sum / (p->end - p->start);
}

/* Of pieces during which all other threads ran. value 0: there were too few. */
static pluss_measured summarize(const streamer *s, uint32_t threads, double cycle_ns)
{
    double ns[PIECES];
    size_t n = 0;
    for (int i = 0; i < PIECES; i++) {
        const piece *p = &s[0].piece[i];
        bool good = is_undisturbed(p);
        for (uint32_t k = 1; k < threads && good; k++)
            good = measure_overlap(p, &s[k]) > 0.9;
        if (good)
            ns[n++] = p->cpu / threads;
    }
    const pluss_measured none = {0, 0};
    return n < 8 ? none : cli_in_cycles(cli_summarize(ns, n), cycle_ns);
}

static bool start(streamer *s, uint64_t bytes, atomic_bool *go)
{
    s->go = go;
    if (!make_buffer(bytes, &s->buffer))
        return false;
    if (pthread_create(&s->thread, NULL, stream_pieces, s) == 0)
        return true;
    free(s->buffer.at);
    return false;
}

static bool measure_shared(uint64_t bytes, uint32_t threads, double cycle_ns, pluss_measured *out)
{
    atomic_bool go = false;
    streamer *s = calloc(threads, sizeof *s);
    uint32_t started = 0;
    if (!s)
        return false;
    while (started < threads && start(&s[started], bytes / threads, &go))
        started++;
    atomic_store(&go, true);
    for (uint32_t k = 0; k < started; k++) {
        pthread_join(s[k].thread, NULL);
        free(s[k].buffer.at);
    }
    if (started == threads)
        *out = summarize(s, threads, cycle_ns);
    free(s);
    return started == threads;
}

bool cli_measure_lines(double cycle_ns, uint64_t bytes, uint32_t threads, pluss_line_cost *out)
{
    buffer b;
    if (!make_buffer(bytes, &b))
        return false;
    bool good = link_lines(&b);
    if (good) {
        out->latency = measure(chase, &b, cycle_ns);
        out->scattered = measure(scatter, &b, cycle_ns);
        out->strided = measure(stride, &b, cycle_ns);
        out->stream = measure(stream, &b, cycle_ns);
        const pluss_measured both = measure(update, &b, cycle_ns);
        const double more = both.value - out->stream.value;
        out->written = (pluss_measured){more > 0 ? more : 0, both.spread};
    }
    free(b.at);
    if (good && threads > 1)
        good = measure_shared(bytes, threads, cycle_ns, &out->shared);
    return good;
}

size_t cli_measure_bursts(double cycle_ns, uint64_t bytes, const pluss_measured *strided,
                          pluss_burst_cost out[CLI_BURSTS])
{
    enum { LONGEST = 2 << (CLI_BURSTS - 1) }; /* the pages of more lines are in no first table */
    buffer far, near; /* near: lines and pages that are close at hand after the first time */
    if (!make_buffer(bytes, &far))
        return 0;
    const bool good = make_buffer((uint64_t)LONGEST * LINE, &near);
    double longest = 0;
    for (size_t i = CLI_BURSTS; good && i-- > 0;) {
        far.burst = near.burst = UINT64_C(2) << i;
        const pluss_measured m = measure(revisit, &far, cycle_ns);
        const double beyond = m.value - measure(revisit, &near, cycle_ns).value;
        longest = far.burst == LONGEST ? beyond : longest;
        out[i].lines = (uint32_t)far.burst;
        out[i].cycles = *strided;
        if (beyond > longest)
            out[i].cycles = (pluss_measured){strided->value + beyond - longest, m.spread};
    }
    free(far.at);
    free(near.at);
    return good ? CLI_BURSTS : 0;
}

double cli_measure_held(double cycle_ns, uint64_t bytes, double line, double next)
{
    enum { PARTS = 16 };
    double before = line;
    for (uint64_t part = 2; part <= PARTS; part += 2) {
        buffer b;
        if (!make_buffer(bytes / PARTS * part, &b))
            return 0;
        const double now = measure(stream, &b, cycle_ns).value, half = (line + next) / 2;
        free(b.at);
        if (now > half) { /* between this and the last one */
            const double back = 2 * (now - half) / (now > before ? now - before : 1);
            return ((double)part - back > 1 ? (double)part - back : 1) / PARTS;
        }
        before = now;
    }
    return 1;
}

/* One buffer, of whose rows only the first ones are read. Numbers of pages grow by an eleventh, as
 * the cost rises from nothing to all within a third of the tables' size. */
size_t cli_measure_pages(double cycle_ns, double strided, pluss_page_cost out[CLI_PAGE_STEPS])
{
    enum { FEWEST = 512, MOST = 8192 };
    const uint64_t row = PAGE + LINE;
    buffer b = {.columns = 1, .row_bytes = row};
    double most = 0;
    size_t n = 0;
    uint32_t before = FEWEST;
    b.at = aligned_alloc(PAGE, ((MOST + 1) * row + PAGE - 1) / PAGE * PAGE);
    for (uint64_t i = 0; b.at && i < (MOST + 1) * row; i += LINE)
        b.at[i] = 1;
    for (uint32_t pages = FEWEST; b.at && pages <= MOST && n < CLI_PAGE_STEPS;
         before = pages, pages += pages / 11) {
        b.lines = b.rows = pages;
        pluss_measured m = measure(stride, &b, cycle_ns);
        m.value -= strided;
        if (m.value < most + 1) /* a cycle: less is chance */
            continue;
        most = m.value;
        out[n++] = (pluss_page_cost){(before + pages) / 2, m};
    }
    free(b.at);
    return n;
}

double cli_measure_serial(double cycle_ns, uint64_t bytes, double strided, double addition)
{
    buffer b;
    if (!make_buffer(bytes, &b))
        return 0;
    const double both = measure(stride_and_add, &b, cycle_ns).value, core = 4 * addition;
    const double longer = core > strided ? core : strided,
                 shorter = core > strided ? strided : core;
    const double part = shorter > 0 ? (both - longer) / shorter : 0;
    free(b.at);
    return part < 0 ? 0 : part > 1 ? 1 : part;
}
