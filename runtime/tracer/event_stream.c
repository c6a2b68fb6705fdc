/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * No memory of malloc's is taken: an access may be inside of malloc.
 */
#include "tracer/event_stream.h"

#include <sys/mman.h>

#include "trace/packed_format.h"
#include "tracer/tracer.h"

enum { MOST_BYTES = 65535, CHUNK = 512 /* sites */, LEAST_SLOTS = 512 };

static plussi_tracer_stream nobody;
__thread plussi_tracer_stream *plussi_tracer_self PLUSSI_TRACER_EXACT_TLS = &nobody;

static void *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* ---- sites --------------------------------------------------------------------------------------
 */

static plussi_tracer_site **find_slot(plussi_tracer_site **slot, uint32_t n, uintptr_t pc,
                                      uint32_t shape)
{
    uint32_t at = (uint32_t)((pc << 8 ^ shape) * 0x9e3779b97f4a7c15u >> 32) & (n - 1);
    while (slot[at] && (slot[at]->pc != pc || slot[at]->shape != shape))
        at = (at + 1) & (n - 1);
    return &slot[at];
}

/* Room for one more, at most half of the slots being used. false: there is no memory. */
static bool reserve_slot(plussi_tracer_stream *s)
{
    if (2 * s->n_sites < s->n_slots)
        return true;
    const uint32_t n = s->n_slots ? 4 * s->n_slots : LEAST_SLOTS;
    plussi_tracer_site **larger = reserve(n * sizeof(plussi_tracer_site *));
    if (!larger)
        return false;
    for (uint32_t i = 0; i < s->n_slots; i++)
        if (s->slot[i])
            *find_slot(larger, n, s->slot[i]->pc, s->slot[i]->shape) = s->slot[i];
    if (s->slot)
        munmap(s->slot, s->n_slots * sizeof *s->slot);
    s->slot = larger;
    s->n_slots = n;
    return true;
}

static void put_number(plussi_tracer_stream *s, uint64_t value)
{
    s->used = (size_t)(plussi_packed_put_number(s->token + s->used, value) - s->token);
}

static void put_token(plussi_tracer_stream *s, plussi_packed_kind kind, uint64_t number)
{
    s->used = (size_t)(plussi_packed_put_token(s->token + s->used, kind, number) - s->token);
}

void plussi_tracer_put_run(plussi_tracer_stream *s)
{
    if (s->run_budget != s->budget)
        put_token(s, PLUSSI_PACKED_RUN, s->run_budget - s->budget - 1);
    s->run_budget = s->budget;
}

/* The site, defined with its first access; NULL: there is no memory, or too many are known. */
static plussi_tracer_site *find_site(plussi_tracer_stream *s, uintptr_t pc, uint32_t shape)
{
    plussi_tracer_site *site = s->n_slots ? *find_slot(s->slot, s->n_slots, pc, shape) : NULL;
    if (site)
        return site;
    if (!reserve_slot(s) || !plussi_tracer_count_site())
        return NULL;
    if (s->n_sites % CHUNK == 0 && !(s->chunk = reserve(CHUNK * sizeof *s->chunk)))
        return NULL;
    site = s->chunk++;
    *site = (plussi_tracer_site){.pc = pc, .shape = shape, .next = site, .number = s->n_sites++};
    *find_slot(s->slot, s->n_slots, pc, shape) = site;
    plussi_tracer_put_run(s);
    put_token(s, PLUSSI_PACKED_OTHER, PLUSSI_PACKED_DEFINE);
    put_number(s, plussi_tracer_place(pc));
    put_number(s, shape);
    return site;
}

/* ---- events -------------------------------------------------------------------------------------
 */

static void use_budget(plussi_tracer_stream *s)
{
    __atomic_store_n(&s->budget, s->budget - 1, __ATOMIC_RELAXED);
}

static bool put_packed(plussi_tracer_stream *s, uintptr_t address, uintptr_t pc, uint32_t shape)
{
    plussi_tracer_site *expected = s->at->next;
    plussi_tracer_site *site =
        expected->pc == pc && expected->shape == shape ? expected : find_site(s, pc, shape);
    if (!site)
        return false;
    const uint64_t delta = address - (site->expected - site->stride);
    if (site == expected && delta == site->stride) {
        use_budget(s);
    } else {
        plussi_tracer_put_run(s);
        if (site == expected) {
            put_token(s, PLUSSI_PACKED_DELTA, plussi_packed_zigzag(delta));
        } else {
            put_token(s, PLUSSI_PACKED_SITE, site->number);
            put_number(s, plussi_packed_zigzag(delta));
        }
        use_budget(s);
        s->run_budget = s->budget;
    }
    site->stride = delta;
    site->expected = address + delta;
    s->at->next = site;
    s->at = site;
    s->near[plussi_tracer_near(pc, shape)] = site;
    return true;
}

static void put_text(plussi_tracer_stream *s, const char *text)
{
    while (*text)
        s->token[s->used++] = *text++;
}

static void put_digits(plussi_tracer_stream *s, uint64_t value, unsigned base)
{
    s->used = (size_t)(plussi_tracer_put_number(s->token + s->used, value, base) - s->token);
}

static void put_line(plussi_tracer_stream *s, uintptr_t address, uintptr_t pc, uint32_t shape)
{
    put_digits(s, s->thread - 1, 10);
    put_text(s, " 0x");
    put_digits(s, address, 16);
    put_text(s, " ");
    put_digits(s, shape / 2, 10);
    put_text(s, shape & 1 ? " w 0x" : " r 0x");
    put_digits(s, plussi_tracer_place(pc), 16);
    put_text(s, "\n");
    use_budget(s);
    s->run_budget = s->budget;
}

plussi_tracer_stream *plussi_tracer_get_stream(void)
{
    plussi_tracer_stream *s = plussi_tracer_self;
    if (s != &nobody)
        return s;
    s = plussi_tracer_reuse_stream();
    if (!s && (s = reserve(sizeof *s))) {
        s->none.next = &s->none;
        s->at = &s->none;
        for (int i = 0; i < PLUSSI_TRACER_NEAR; i++)
            s->near[i] = &s->none;
        plussi_tracer_add_stream(s);
    }
    if (s)
        plussi_tracer_self = s;
    return s;
}

void plussi_tracer_end_stream(plussi_tracer_stream *s)
{
    plussi_tracer_self = &nobody;
    s->iterates = s->in_team = false;
    s->bottom = 0;
    s->left_out[0] = s->left_out[1] = NULL;
    s->thread = 0;
}

/* At most MOST_BYTES. */
static void put_access(plussi_tracer_stream *s, uintptr_t address, size_t bytes, bool is_write,
                       uintptr_t pc)
{
    const uint32_t shape = (uint32_t)bytes * 2 + is_write;
    if ((!(s->budget & PLUSSI_TRACER_LEFT) ||
         s->used + PLUSSI_TRACER_EVENT > PLUSSI_TRACER_TOKENS) &&
        !plussi_tracer_begin_segment(s))
        return;
    if (plussi_tracer_writes_text())
        put_line(s, address, pc, shape);
    else if (!put_packed(s, address, pc, shape))
        plussi_tracer_cut("it is cut, as accesses are made at too many places of the program");
}

void plussi_tracer_take_access(uintptr_t address, size_t bytes, bool is_write, uintptr_t pc)
{
    plussi_tracer_stream *s = plussi_tracer_is_chosen() ? plussi_tracer_get_stream() : NULL;
    if (!s)
        return;
    if (s->is_busy) {
        plussi_tracer_drop();
        return;
    }
    s->is_busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!plussi_tracer_is_wanted(s) || plussi_tracer_is_left_out(s, address))
        plussi_tracer_pass_site(pc);
    else
        for (size_t done = 0; done < bytes; done += MOST_BYTES)
            put_access(s, address + done, bytes - done < MOST_BYTES ? bytes - done : MOST_BYTES,
                       is_write, pc);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->is_busy = false;
}

static void put_mark_line(plussi_tracer_stream *s, uint32_t thread, plussi_tracer_mark mark,
                          uint64_t a, uint64_t b)
{
    static const char *const name[] = {" region", " leave", " barrier", " chunk"};
    put_digits(s, thread, 10);
    put_text(s, name[mark - PLUSSI_TRACER_REGION]);
    for (int i = 0; i < (mark == PLUSSI_TRACER_REGION  ? 1
                         : mark == PLUSSI_TRACER_CHUNK ? 2
                                                       : 0);
         i++) {
        put_text(s, " ");
        put_digits(s, i ? b : a, 10);
    }
    put_text(s, "\n");
}

void plussi_tracer_put_mark(plussi_tracer_stream *s, uint32_t thread, plussi_tracer_mark mark,
                            uint64_t a, uint64_t b)
{
    if (plussi_tracer_writes_text()) {
        put_mark_line(s, thread, mark, a, b);
    } else {
        plussi_tracer_put_run(s);
        plussi_tracer_put_name(s, thread);
        put_token(s, PLUSSI_PACKED_OTHER, (uint64_t)mark + PLUSSI_PACKED_MARK);
        put_number(s, a);
        put_number(s, b);
    }
    s->marks++;
}

void plussi_tracer_put_name(plussi_tracer_stream *s, uint32_t thread)
{
    if (thread == s->named || plussi_tracer_writes_text())
        return;
    plussi_tracer_put_run(s);
    put_token(s, PLUSSI_PACKED_OTHER, PLUSSI_PACKED_NAME);
    put_number(s, thread);
    s->named = thread;
}
