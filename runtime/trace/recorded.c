/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/recorded.h"

#include <stdio.h>
#include <string.h>

#include "trace/record_try.h"
#include "trace/recorded_words.h"

/* Growing lists; what is read is moved to the record's arena. */
typedef struct list {
    char *at;
    size_t n, cap, size;
} list;

typedef struct reader {
    plussi_ctx *ctx;
    plussi_record *record;
    plussi_words words;
    list object, block; /* of the record */
    list symbol, array, address, thread, pri, chunk, time, iteration, entry;
    plussi_record_block *open; /* NULL: outside of a block */
    list node[PLUSSI_RECORD_NESTED + 2];
    bool has_line, has_lost;
} reader;

static pluss_status add_item(reader *r, list *l, const void *item)
{
    pluss_status status = plussi_grow(&r->ctx->mem, &l->at, &l->cap, l->n, l->size);
    if (status == PLUSS_OK)
        memcpy(l->at + l->n++ * l->size, item, l->size);
    return status;
}

static void clear_list(reader *r, list *l)
{
    plussi_free(&r->ctx->mem, l->at);
    *l = (list){.size = l->size};
}

/* Moves the list to *out, a T **; it is then empty. */
static pluss_status move_list(reader *r, list *l, void *out, size_t *n)
{
    void *copy = plussi_arena_alloc(&r->record->arena, l->n, l->size);
    if (!copy)
        return PLUSS_ENOMEM;
    if (l->n)
        memcpy(copy, l->at, l->n * l->size);
    memcpy(out, &copy, sizeof copy);
    *n = l->n;
    clear_list(r, l);
    return PLUSS_OK;
}

static pluss_status read_field(reader *r, const char *word, uint64_t most, uint64_t *out)
{
    TRY(plussi_words_keyword(&r->words, word));
    return plussi_words_u64(&r->words, most, out);
}

/* ---- the head ----------------------------------------------------------------------------------
 */

static pluss_status read_line_bytes(reader *r)
{
    plussi_words before = r->words;
    uint64_t bytes;
    TRY(plussi_words_u64(&r->words, PLUSSI_RECORD_LINE_BYTES, &bytes));
    if (r->has_line || bytes == 0 || (bytes & (bytes - 1)))
        return plussi_words_expected(&before,
                                     r->has_line ? "one line size" : "a power of two of bytes");
    r->has_line = true;
    r->record->line_bytes = (uint32_t)bytes;
    return PLUSS_OK;
}

static pluss_status read_lost_runs(reader *r)
{
    if (r->has_lost)
        return plussi_words_expected(&r->words, "'lost-runs' once");
    r->has_lost = true;
    return plussi_words_u64(&r->words, UINT64_MAX, &r->record->lost_runs);
}

static pluss_status read_serial(reader *r)
{
    if (r->record->counted)
        return plussi_words_expected(&r->words, "'serial' once");
    r->record->counted = true;
    return plussi_words_u64(&r->words, UINT64_MAX, &r->record->serial);
}

static pluss_status read_program_time(reader *r)
{
    plussi_words before = r->words;
    if (r->record->took)
        return plussi_words_expected(&r->words, "'took' once");
    TRY(plussi_words_u64(&r->words, UINT64_MAX, &r->record->took));
    TRY(read_field(r, "serial", UINT64_MAX, &r->record->took_serial));
    return r->record->took_serial <= r->record->took
               ? PLUSS_OK
               : plussi_words_expected(&before, "no more serial time than time");
}

static pluss_status read_ordered(reader *r)
{
    plussi_words before = r->words;
    if (r->record->ordered_runs)
        return plussi_words_expected(&r->words, "'ordered' once");
    TRY(read_field(r, "runs", UINT64_MAX, &r->record->ordered_runs));
    TRY(read_field(r, "lines", UINT64_MAX, &r->record->ordered_lines));
    TRY(read_field(r, "lost", UINT64_MAX, &r->record->ordered_lost));
    TRY(read_field(r, "pieces", UINT64_MAX, &r->record->ordered_pieces));
    return r->record->ordered_runs ? PLUSS_OK : plussi_words_expected(&before, "at least one run");
}

static pluss_status read_around(reader *r)
{
    plussi_words before = r->words;
    if (r->record->around)
        return plussi_words_expected(&r->words, "'around' once");
    TRY(plussi_words_u64(&r->words, UINT64_MAX, &r->record->around));
    return r->record->around ? PLUSS_OK : plussi_words_expected(&before, "at least one run");
}

static pluss_status read_object(reader *r)
{
    const char *path;
    TRY(plussi_words_string(&r->words, &path));
    return add_item(r, &r->object, &path);
}

/* ---- a block -----------------------------------------------------------------------------------
 */

static pluss_status read_by(reader *r, plussi_recorded_by *by)
{
    if (!plussi_words_take(&r->words, "by"))
        return PLUSS_OK;
    if (plussi_words_take(&r->words, "bind"))
        *by = PLUSSI_RECORDED_BIND;
    else if (plussi_words_take(&r->words, "sample"))
        *by = PLUSSI_RECORDED_SAMPLE;
    else
        return plussi_words_take(&r->words, "profile")
                   ? PLUSS_OK
                   : plussi_words_expected(&r->words, "bind, sample or profile");
    return PLUSS_OK;
}

/* The first line of a block, or of left-out runs, which have no block. */
static pluss_status read_team(reader *r, plussi_record_block *block)
{
    uint64_t line, team;
    block->loc = (plussi_loc){r->words.file, r->words.line, 1};
    TRY(plussi_words_string(&r->words, &block->region));
    TRY(plussi_words_string(&r->words, &block->file));
    TRY(plussi_words_mark(&r->words, ':'));
    TRY(plussi_words_u64(&r->words, UINT32_MAX, &line));
    plussi_words before = r->words;
    TRY(read_field(r, "team", PLUSSI_MAX_TEAM, &team));
    if (team == 0)
        return plussi_words_expected(&before, "a team of at least one thread");
    block->line = (uint32_t)line;
    block->team = block->default_team = (uint32_t)team;
    return PLUSS_OK;
}

static pluss_status read_region(reader *r, plussi_record_block *block)
{
    TRY(read_team(r, block));
    TRY(read_field(r, "runs", UINT64_MAX, &block->runs));
    TRY(read_field(r, "lost", UINT64_MAX, &block->lost));
    TRY(read_by(r, &block->by));
    block->n_places = 1;
    return PLUSS_OK;
}

static pluss_status read_symbol(reader *r)
{
    plussi_binding symbol;
    TRY(plussi_words_string(&r->words, &symbol.name));
    TRY(plussi_words_i64(&r->words, &symbol.value));
    return add_item(r, &r->symbol, &symbol);
}

static pluss_status read_array(reader *r)
{
    const char *name;
    uint64_t address;
    if (r->open->n_places > 1)
        return plussi_words_expected(&r->words, "no array after a place");
    TRY(plussi_words_string(&r->words, &name));
    TRY(plussi_words_u64(&r->words, UINT64_MAX, &address));
    TRY(add_item(r, &r->array, &name));
    return add_item(r, &r->address, &address);
}

static pluss_status read_place(reader *r)
{
    for (size_t i = 0; i < r->array.n; i++) {
        uint64_t address;
        TRY(plussi_words_u64(&r->words, UINT64_MAX, &address));
        TRY(add_item(r, &r->address, &address));
    }
    r->open->n_places++;
    return PLUSS_OK;
}

static pluss_status read_thread(reader *r)
{
    plussi_words before = r->words;
    uint64_t number;
    plussi_record_thread thread;
    TRY(plussi_words_u64(&r->words, UINT64_MAX, &number));
    if (number != r->thread.n || number >= r->open->team)
        return plussi_words_expected(&before, "the next thread of the team");
    TRY(read_field(r, "accesses", UINT64_MAX, &thread.accesses));
    TRY(read_field(r, "lost", UINT64_MAX, &thread.lost));
    return add_item(r, &r->thread, &thread);
}

/* key:count ... with ascending keys from `least` on. */
static pluss_status read_bins(reader *r, uint64_t least, plussi_record_bin **out, size_t *n)
{
    list bins = {.size = sizeof(plussi_record_bin)};
    pluss_status status = PLUSS_OK;
    while (status == PLUSS_OK && plussi_words_more(&r->words)) {
        plussi_words before = r->words;
        plussi_record_bin bin = {0};
        status = plussi_words_u64(&r->words, UINT64_MAX - 1, &bin.key);
        if (status == PLUSS_OK && bin.key < least)
            status = plussi_words_expected(&before, "a larger key, keys ascend");
        if (status == PLUSS_OK)
            status = plussi_words_mark(&r->words, ':');
        if (status == PLUSS_OK)
            status = plussi_words_u64(&r->words, UINT64_MAX, &bin.count);
        least = bin.key + 1;
        if (status == PLUSS_OK)
            status = add_item(r, &bins, &bin);
    }
    if (status == PLUSS_OK)
        status = move_list(r, &bins, out, n);
    clear_list(r, &bins);
    return status;
}

static pluss_status read_whose(reader *r, uint32_t *thread, uint32_t *ref)
{
    uint64_t t, x;
    TRY(read_field(r, "thread", r->open->team - 1, &t));
    TRY(read_field(r, "ref", PLUSSI_RECORD_REFS - 1, &x));
    *thread = (uint32_t)t;
    *ref = (uint32_t)x;
    return PLUSS_OK;
}

static plussi_record_pri *last_pri(const reader *r)
{
    return r->pri.n ? (plussi_record_pri *)(void *)r->pri.at + (r->pri.n - 1) : NULL;
}

static pluss_status read_pri(reader *r)
{
    plussi_words before = r->words;
    const plussi_record_pri *last = last_pri(r);
    plussi_record_pri pri = {0};
    TRY(read_whose(r, &pri.thread, &pri.ref));
    if (last && (pri.thread < last->thread || (pri.thread == last->thread && pri.ref <= last->ref)))
        return plussi_words_expected(&before, "threads, and in them references, to ascend");
    TRY(read_field(r, "first", UINT64_MAX, &pri.first));
    TRY(read_bins(r, 1, &pri.interval, &pri.n_intervals));
    return add_item(r, &r->pri, &pri);
}

static pluss_status read_shared(reader *r)
{
    plussi_words before = r->words;
    plussi_record_pri *pri = last_pri(r);
    uint32_t thread, ref;
    TRY(read_whose(r, &thread, &ref));
    if (!pri || pri->thread != thread || pri->ref != ref || pri->shared)
        return plussi_words_expected(&before, "the thread and the reference of the line before");
    TRY(read_bins(r, 2, &pri->shared, &pri->n_shared));
    uint64_t sum = 0;
    for (size_t i = 0; i < pri->n_shared; i++)
        if (__builtin_add_overflow(sum, pri->shared[i].count, &sum) || sum > pri->first ||
            pri->shared[i].key > r->open->team)
            return plussi_words_expected(&before,
                                         "touches of lines by threads of the team, no more than "
                                         "first ones");
    return PLUSS_OK;
}

static pluss_status read_carried(reader *r)
{
    plussi_words before = r->words;
    if (r->open->carries)
        return plussi_words_expected(&before, "one such line in a block");
    r->open->carries = true;
    TRY(read_field(r, "lines", UINT64_MAX, &r->open->touched));
    TRY(read_bins(r, 0, &r->open->carried, &r->open->n_carried));
    uint64_t sum = 0;
    for (size_t i = 0; i < r->open->n_carried; i++)
        if (__builtin_add_overflow(sum, r->open->carried[i].count, &sum) || sum > r->open->touched)
            return plussi_words_expected(&before, "no more lines than were touched");
    return PLUSS_OK;
}

static pluss_status read_estimated(reader *r)
{
    plussi_words before = r->words;
    if (r->open->carried_one_in)
        return plussi_words_expected(&before, "one such line in a block");
    TRY(read_field(r, "one-in", UINT64_MAX, &r->open->carried_one_in));
    TRY(read_field(r, "error", UINT64_MAX, &r->open->carried_error));
    return r->open->carried_one_in ? PLUSS_OK
                                   : plussi_words_expected(&before, "one line in 1 or more");
}

static pluss_status read_lines(reader *r)
{
    return plussi_words_u64(&r->words, UINT64_MAX, &r->open->lines);
}

static pluss_status read_chunks(reader *r)
{
    uint64_t loop, time, thread;
    TRY(read_field(r, "loop", UINT32_MAX, &loop));
    TRY(read_field(r, "time", UINT64_MAX - 1, &time));
    TRY(read_field(r, "thread", r->open->team - 1, &thread));
    while (plussi_words_more(&r->words)) {
        plussi_words before = r->words;
        plussi_chunk chunk = {.loop = (uint32_t)loop, .thread = (uint32_t)thread, .time = time};
        TRY(plussi_words_u64(&r->words, UINT64_MAX, &chunk.lo));
        TRY(plussi_words_mark(&r->words, '-'));
        TRY(plussi_words_u64(&r->words, UINT64_MAX, &chunk.hi));
        if (chunk.lo >= chunk.hi)
            return plussi_words_expected(&before, "lo-hi with lo below hi");
        TRY(add_item(r, &r->chunk, &chunk));
    }
    return PLUSS_OK;
}

/* Of the line of chunks before. */
static pluss_status read_times(reader *r)
{
    uint64_t loop, time, thread, since = 0;
    plussi_words before = r->words;
    TRY(read_field(r, "loop", UINT32_MAX, &loop));
    TRY(read_field(r, "time", UINT64_MAX - 1, &time));
    TRY(read_field(r, "thread", r->open->team - 1, &thread));
    for (size_t i = r->time.n; i < r->chunk.n; i++) {
        const plussi_chunk *chunk = (plussi_chunk *)(void *)r->chunk.at + i;
        plussi_chunk_time read;
        if (chunk->loop != loop || chunk->time != time || chunk->thread != thread)
            return plussi_words_expected(&before, "the loop, time and thread of the line before");
        before = r->words;
        TRY(plussi_words_u64(&r->words, INT64_MAX, &read.from));
        TRY(plussi_words_mark(&r->words, '-'));
        TRY(plussi_words_u64(&r->words, INT64_MAX, &read.to));
        if (read.from < since || read.to < read.from)
            return plussi_words_expected(&before, "from-to, times that do not descend");
        since = read.to;
        TRY(add_item(r, &r->time, &read));
    }
    return PLUSS_OK;
}

static pluss_status read_outside(reader *r)
{
    r->open->counted = true;
    return plussi_words_u64(&r->words, UINT64_MAX, &r->open->outside);
}

static pluss_status read_filled(reader *r)
{
    return plussi_words_u64(&r->words, UINT64_MAX, &r->open->filled);
}

static pluss_status read_followed(reader *r)
{
    plussi_words before = r->words;
    if (r->open->one_in)
        return plussi_words_expected(&before, "one such line in a block");
    TRY(read_field(r, "one-in", UINT64_MAX, &r->open->one_in));
    TRY(read_field(r, "accesses", UINT64_MAX, &r->open->passed));
    TRY(read_field(r, "error", UINT64_MAX, &r->open->passed_error));
    if (!r->open->one_in || r->open->passed_error > r->open->passed)
        return plussi_words_expected(&before, "one line in 1 or more, and an error that is no more "
                                              "than the accesses");
    return PLUSS_OK;
}

static pluss_status read_entry(reader *r)
{
    static const char *const kind[] = {"done", "read", "write"};
    plussi_fill_entry e = {0};
    uint64_t of;
    while (e.kind <= PLUSSI_FILL_WRITE && !plussi_words_take(&r->words, kind[e.kind]))
        e.kind++;
    if (e.kind > PLUSSI_FILL_WRITE)
        return plussi_words_expected(&r->words, "done, read or write");
    TRY(plussi_words_u64(&r->words, UINT32_MAX, &of));
    TRY(plussi_words_mark(&r->words, ':'));
    plussi_words before = r->words;
    TRY(plussi_words_u64(&r->words, INT64_MAX, &e.value));
    if (e.kind == PLUSSI_FILL_DONE && (e.value == 0 || e.value > UINT32_MAX))
        return plussi_words_expected(&before, "at least one time, at most 2^32 - 1");
    e.of = (uint32_t)of;
    return add_item(r, &r->entry, &e);
}

static pluss_status read_iteration(reader *r)
{
    plussi_fill_iteration i = {.first = r->entry.n};
    uint64_t loop;
    TRY(read_field(r, "loop", UINT32_MAX, &loop));
    TRY(read_field(r, "time", UINT32_MAX, &i.time));
    TRY(read_field(r, "number", INT64_MAX, &i.number));
    while (plussi_words_more(&r->words))
        TRY(read_entry(r));
    i.loop = (uint32_t)loop;
    i.n = r->entry.n - i.first;
    return add_item(r, &r->iteration, &i);
}

static pluss_status read_time(reader *r)
{
    return plussi_words_u64(&r->words, UINT64_MAX, &r->open->took);
}

static pluss_status read_schedule(reader *r)
{
    static const struct {
        const char *word;
        plussi_schedule_kind kind;
    } known[] = {{"static", PLUSSI_SCHED_STATIC},
                 {"dynamic", PLUSSI_SCHED_DYNAMIC},
                 {"guided", PLUSSI_SCHED_GUIDED}};
    uint64_t chunk;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (plussi_words_take(&r->words, known[i].word)) {
            TRY(plussi_words_u64(&r->words, INT64_MAX, &chunk));
            r->open->schedule = known[i].kind;
            r->open->schedule_chunk = (int64_t)chunk;
            return PLUSS_OK;
        }
    return plussi_words_expected(&r->words, "static, dynamic or guided");
}

static pluss_status read_default_team(reader *r)
{
    uint64_t team;
    plussi_words before = r->words;
    TRY(plussi_words_u64(&r->words, r->open->team, &team));
    if (team == 0)
        return plussi_words_expected(&before, "a team of at least one thread");
    r->open->default_team = (uint32_t)team;
    return PLUSS_OK;
}

static pluss_status close_block(reader *r)
{
    plussi_record_block *b = r->open;
    size_t n;
    TRY(move_list(r, &r->symbol, &b->symbol, &b->n_symbols));
    TRY(move_list(r, &r->array, &b->array, &b->n_arrays));
    TRY(move_list(r, &r->address, &b->address, &n));
    TRY(move_list(r, &r->thread, &b->thread, &b->n_threads));
    TRY(move_list(r, &r->pri, &b->pri, &b->n_pri));
    if (r->time.n && r->time.n != r->chunk.n)
        return plussi_words_expected(&r->words, "times of all chunks, or of none");
    TRY(move_list(r, &r->iteration, &b->iteration, &b->n_iterations));
    TRY(move_list(r, &r->entry, &b->entry, &b->n_entries));
    bool timed = r->time.n > 0;
    TRY(move_list(r, &r->chunk, &b->chunk, &b->n_chunks));
    TRY(move_list(r, &r->time, &b->time, &n));
    b->time = timed ? b->time : NULL;
    return add_item(r, &r->block, b);
}

typedef struct fact {
    const char *word;
    pluss_status (*read)(reader *r);
} fact;

/* Reads the line as one of these facts; other lines are skipped. */
static pluss_status read_fact(reader *r, const fact *facts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (plussi_words_take(&r->words, facts[i].word)) {
            TRY(facts[i].read(r));
            return plussi_words_end(&r->words);
        }
    return PLUSS_OK;
}

static pluss_status read_block(reader *r)
{
    static const fact facts[] = {{"symbol", read_symbol},     {"array", read_array},
                                 {"place", read_place},       {"thread", read_thread},
                                 {"pri", read_pri},           {"shared", read_shared},
                                 {"chunks", read_chunks},     {"times", read_times},
                                 {"lines", read_lines},       {"schedule", read_schedule},
                                 {"outside", read_outside},   {"default-team", read_default_team},
                                 {"carried", read_carried},   {"took", read_time},
                                 {"filled", read_filled},     {"iteration", read_iteration},
                                 {"followed", read_followed}, {"estimated", read_estimated}};
    plussi_record_block block = {0};
    TRY(read_region(r, &block));
    TRY(plussi_words_end(&r->words));
    r->open = &block;
    pluss_status status = PLUSS_OK;
    for (;;) {
        if (!plussi_words_line(&r->words)) {
            r->words.at = r->words.end;
            status = plussi_words_expected(&r->words, "'end' of the region");
            break;
        }
        if (plussi_words_take(&r->words, "end")) {
            status = plussi_words_end(&r->words);
            if (!status)
                status = close_block(r);
            break;
        }
        if (plussi_words_is(&r->words, "region") || plussi_words_is(&r->words, "sequence"))
            status = plussi_words_expected(&r->words, "'end' of the region before");
        else
            status = read_fact(r, facts, sizeof facts / sizeof *facts);
        if (status)
            break;
    }
    r->open = NULL;
    return status;
}

/* Runs whose values the record had no room for. */
static pluss_status read_left_out(reader *r)
{
    plussi_record_block of = {0};
    uint64_t accesses;
    TRY(read_team(r, &of));
    TRY(read_field(r, "runs", UINT64_MAX, &of.runs));
    TRY(read_field(r, "accesses", UINT64_MAX, &accesses));
    TRY(read_by(r, &of.by));
    char told[48] = "";
    if (of.by != PLUSSI_RECORDED_BIND)
        snprintf(told, sizeof told, ", %llu accesses,", (unsigned long long)accesses);
    plussi_report(r->ctx, PLUSSI_WARNING, PLUSS_OK, &of.loc,
                  "%llu %sruns of '%s' (%s:%u) with %u thread%s%s are missing: they had other "
                  "values than those that the record has room for",
                  (unsigned long long)of.runs, of.by == PLUSSI_RECORDED_SAMPLE ? "sampled " : "",
                  of.region, of.file, of.line, of.team, of.team == 1 ? "" : "s", told);
    return PLUSS_OK;
}

/* ---- the sequence ------------------------------------------------------------------------------
 */

static pluss_status read_run(reader *r, plussi_record_node *node)
{
    plussi_words before = r->words;
    uint64_t block, place;
    TRY(plussi_words_u64(&r->words, UINT32_MAX, &block));
    if (block >= r->block.n)
        return plussi_words_expected(&before, "the number of a region of this record");
    TRY(plussi_words_keyword(&r->words, "at"));
    node->block = (uint32_t)block;
    node->place = PLUSSI_RECORD_UNKNOWN;
    if (!plussi_words_take(&r->words, "unknown")) {
        const plussi_record_block *b = (const plussi_record_block *)(void *)r->block.at + block;
        before = r->words;
        TRY(plussi_words_u64(&r->words, UINT32_MAX, &place));
        if (place >= b->n_places)
            return plussi_words_expected(&before, "a placement of the region, or 'unknown'");
        node->place = (int64_t)place;
    }
    before = r->words;
    TRY(read_field(r, "times", INT64_MAX, &node->times));
    return node->times ? PLUSS_OK : plussi_words_expected(&before, "at least one time");
}

/* Opens and closes bodies without recursion: times[d] is the open repeat at depth d. */
static pluss_status read_sequence(reader *r)
{
    uint64_t times[PLUSSI_RECORD_NESTED + 2];
    size_t depth = 0;
    if (r->record->sequence)
        return plussi_words_expected(&r->words, "one sequence");
    TRY(read_field(r, "lost", UINT64_MAX, &r->record->sequence_lost));
    TRY(plussi_words_end(&r->words));
    for (;;) {
        plussi_record_node node = {0};
        if (!plussi_words_line(&r->words)) {
            r->words.at = r->words.end;
            return plussi_words_expected(&r->words, "'end' of the sequence");
        }
        plussi_words before = r->words;
        if (plussi_words_take(&r->words, "run")) {
            TRY(read_run(r, &node));
        } else if (plussi_words_take(&r->words, "repeat")) {
            if (depth == PLUSSI_RECORD_NESTED)
                return plussi_words_expected(&before, "fewer repeats in repeats");
            TRY(plussi_words_u64(&r->words, INT64_MAX, &times[++depth]));
            TRY(plussi_words_end(&r->words));
            continue;
        } else if (plussi_words_take(&r->words, "end") && depth == 0) {
            TRY(plussi_words_end(&r->words));
            return move_list(r, &r->node[0], &r->record->sequence, &r->record->n_sequence);
        } else if (plussi_words_is(&before, "end")) {
            node.times = times[depth];
            if (r->node[depth].n == 0 || node.times == 0)
                return plussi_words_expected(&before, "something to repeat, at least one time");
            TRY(move_list(r, &r->node[depth], &node.body, &node.n));
            depth--;
        } else {
            return plussi_words_expected(&r->words, "run, repeat or end");
        }
        TRY(plussi_words_end(&r->words));
        TRY(add_item(r, &r->node[depth], &node));
    }
}

/* ---- the whole ---------------------------------------------------------------------------------
 */

static pluss_status read_all(reader *r)
{
    static const fact facts[] = {{"line", read_line_bytes},   {"lost-runs", read_lost_runs},
                                 {"serial", read_serial},     {"object", read_object},
                                 {"left-out", read_left_out}, {"region", read_block},
                                 {"sequence", read_sequence}, {"took", read_program_time},
                                 {"ordered", read_ordered},   {"around", read_around}};
    uint64_t version;
    if (!plussi_words_line(&r->words)) {
        r->words.line = 1;
        return plussi_words_expected(&r->words, "'pluss-record'");
    }
    TRY(plussi_words_keyword(&r->words, "pluss-record"));
    TRY(plussi_words_u64(&r->words, UINT64_MAX, &version));
    if (version != PLUSSI_RECORD_VERSION) {
        plussi_loc loc = {r->words.file, r->words.line, 1};
        return plussi_fail(r->ctx, PLUSS_EFORMAT, &loc, PLUSSI_RECORD_OF_ANOTHER_VERSION);
    }
    TRY(plussi_words_end(&r->words));
    while (plussi_words_line(&r->words)) {
        if (plussi_words_is(&r->words, "end"))
            return plussi_words_expected(&r->words, "a region or a sequence before its end");
        TRY(read_fact(r, facts, sizeof facts / sizeof *facts));
    }
    if (!r->has_line)
        return plussi_words_expected(&r->words, "the line size somewhere ('line 64')");
    TRY(move_list(r, &r->object, &r->record->object, &r->record->n_objects));
    TRY(move_list(r, &r->block, &r->record->block, &r->record->n_blocks));
    for (size_t i = 0; i < r->record->n_blocks; i++)
        r->record->block[i].line_bytes = r->record->line_bytes;
    return PLUSS_OK;
}

static void start_reader(reader *r)
{
    r->object.size = sizeof(const char *);
    r->block.size = sizeof(plussi_record_block);
    r->symbol.size = sizeof(plussi_binding);
    r->array.size = sizeof(const char *);
    r->address.size = sizeof(uint64_t);
    r->thread.size = sizeof(plussi_record_thread);
    r->pri.size = sizeof(plussi_record_pri);
    r->chunk.size = sizeof(plussi_chunk);
    r->time.size = sizeof(plussi_chunk_time);
    r->iteration.size = sizeof(plussi_fill_iteration);
    r->entry.size = sizeof(plussi_fill_entry);
    for (size_t d = 0; d < PLUSSI_RECORD_NESTED + 2; d++)
        r->node[d].size = sizeof(plussi_record_node);
}

static void finish_reader(reader *r)
{
    list *const lists[] = {&r->object,  &r->block,     &r->symbol, &r->array,
                           &r->address, &r->thread,    &r->pri,    &r->chunk,
                           &r->time,    &r->iteration, &r->entry};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        clear_list(r, lists[i]);
    for (size_t d = 0; d < PLUSSI_RECORD_NESTED + 2; d++)
        clear_list(r, &r->node[d]);
}

pluss_status plussi_record_parse(plussi_ctx *ctx, const char *text, size_t length, const char *file,
                                 plussi_record **out)
{
    plussi_record *record = plussi_calloc(&ctx->mem, 1, sizeof *record);
    reader *r = plussi_calloc(&ctx->mem, 1, sizeof *r);
    pluss_status status = PLUSS_ENOMEM;
    if (record)
        plussi_arena_init(&record->arena, &ctx->mem);
    if (record && r) {
        const char *name = file ? plussi_arena_strndup(&record->arena, file, strlen(file)) : NULL;
        *r = (reader){.ctx = ctx, .record = record};
        r->words = (plussi_words){.ctx = ctx,
                                  .file = name,
                                  .at = text,
                                  .end = text,
                                  .start = text,
                                  .limit = text + length,
                                  .arena = &record->arena};
        start_reader(r);
        if (name || !file)
            status = read_all(r);
        finish_reader(r);
    }
    plussi_free(&ctx->mem, r);
    if (status == PLUSS_OK)
        *out = record;
    else
        plussi_record_free(record);
    return status;
}

void plussi_record_free(plussi_record *record)
{
    if (!record)
        return;
    plussi_mem mem = record->arena.mem;
    plussi_arena_free(&record->arena);
    plussi_free(&mem, record);
}
