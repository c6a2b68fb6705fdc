/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Iteration sets of dynamic loops: one realisation a replication. An instance of a loop is
 * simulated when it is first needed, together with all others of its phase, and kept. A phase that
 * is one dynamic loop with the same number of accesses in every iteration gets a pattern
 * (team/pattern.h), a guided one of a few realisations with as many iterations. There are a few
 * patterns for each amount of work; threads are rotated from phase to phase. Other phases are
 * simulated event by event (team/simulate.c), or, of very many chunks, dealt by their limit law
 * (clock_many_chunks.c).
 */
#include <math.h>
#include <string.h>

#include "base/map.h"
#include "bound/cexpr.h"
#include "model/clock_state.h"
#include "team/pattern.h"
#include "team/recorded_iterset.h"
#include "team/stealing_pool.h"

enum { FIRST_TABLE = 64 };
enum {
    MAX_KEPT = 1 << 24, /* segments of all instances together */
    PATTERNS = 4,       /* of a work class */
    EXACT_WORK = 64,    /* larger work is rounded to its class, a ninth of an octave wide */
    CLASSES = 8,        /* per octave */
    RECENT = 1024       /* recently used patterns that are remembered */
};

/* The pattern of a phase. */
typedef struct guided_pattern guided_pattern;

typedef struct pattern_use {
    const plussi_pattern *pattern; /* of a dynamic loop; NULL: none */
    const guided_pattern *guided;  /* of a guided one; NULL: none */
    uint32_t team, rotation;       /* thread k is the pattern's thread (k + rotation) % team */
    uint64_t n, chunk;             /* of the loop */
    uint64_t each;                 /* accesses of an iteration */
    double scale;                  /* accesses of a chunk / accesses of the pattern's chunk */
} pattern_use;

typedef struct known_pattern {
    uint32_t team, number; /* < PATTERNS */
    uint64_t work;         /* accesses of a chunk */
    plussi_pattern *pattern;
} known_pattern;

/* One realisation of a guided loop: of a number of iterations with as many accesses each. */
struct guided_pattern {
    uint64_t hash, each;
    plussi_dispatch dispatch; /* its start */
    uint32_t number;          /* < PATTERNS */
    plussi_itersets sets;
    plussi_moments moments;
};

/* The pattern of an instance of a loop, or of a phase. */
typedef struct recent_use {
    bool known;
    uint64_t key; /* hash of the instance, or number of the phase */
    const plussi_bound_node *loop;
    pattern_use use;
} recent_use;

/* An instance of a loop, or a phase. */
typedef struct instance {
    uint64_t hash;
    const plussi_bound_node *loop; /* NULL: a phase */
    int64_t *iv; /* values of the loops around, and the repetition; of a phase: its number */
    plussi_itersets sets;
    plussi_moments moments; /* of a phase; team 0: its clocks run free */
    const struct instance
        *pieces; /* of a phase: its only loop, a Rayon one; NULL: it is not that */
} instance;

struct plussi_clock_itersets {
    plussi_ctx *ctx;
    uint64_t seed;
    bool has_pool;
    plussi_pool pool;
    const plussi_engine *engine;
    plussi_workspace *workspace; /* workspace for reading phases */
    plussi_replay *replay;       /* recorded loops; NULL: none */
    plussi_iterset_source source;
    pluss_status status;
    instance **table; /* base/map.h */
    size_t n, size, segments;
    instance *last, *last_phase;
    known_pattern *pattern;
    size_t n_patterns, cap_patterns;
    guided_pattern **guided; /* base/map.h */
    size_t n_guided, size_guided;
    recent_use *loop_use, *phase_use; /* RECENT of each */
};

/* ---- the table ------------------------------------------------------------------------------- */

static uint32_t key_length(const plussi_bound_node *loop)
{
    return loop ? loop->depth + 1 : 1;
}

static int64_t key_part(const plussi_bound_node *loop, const int64_t *iv, uint32_t i)
{
    return iv[loop && i < loop->depth ? i + 1 : PLUSSI_CURSOR_REPEAT];
}

static uint64_t hash_key(const plussi_bound_node *loop, const int64_t *iv)
{
    uint64_t h = loop ? loop->id : UINT64_MAX;
    for (uint32_t i = 0; i < key_length(loop); i++) {
        uint64_t state = h ^ (uint64_t)key_part(loop, iv, i);
        h = plussi_splitmix64(&state);
    }
    return h;
}

/* Key of an instance. */
typedef struct key {
    uint64_t hash;
    const plussi_bound_node *loop;
    const int64_t *iv; /* NULL: free slot */
} key;

static bool is_used(instance *const *slot)
{
    return *slot;
}

static uint64_t stored_hash(instance *const *slot)
{
    return (*slot)->hash;
}

static bool has_key(instance *const *slot, key k)
{
    const instance *x = *slot;
    if (!k.iv || x->hash != k.hash || x->loop != k.loop)
        return false;
    for (uint32_t i = 0; i < key_length(k.loop); i++)
        if (x->iv[i] != key_part(k.loop, k.iv, i))
            return false;
    return true;
}

PLUSSI_MAP(table, instance *, key, is_used, stored_hash, has_key)

static void free_instance(plussi_clock_itersets *s, instance *x)
{
    plussi_itersets_free(&x->sets);
    plussi_moments_free(&x->moments);
    plussi_free(&s->ctx->mem, x->iv);
    plussi_free(&s->ctx->mem, x);
}

static pluss_status new_instance(plussi_clock_itersets *s, const plussi_bound_node *loop,
                                 const int64_t *iv, instance **out)
{
    instance *x = plussi_calloc(&s->ctx->mem, 1, sizeof *x);
    if (!x)
        return PLUSS_ENOMEM;
    x->sets.mem = x->moments.mem = s->ctx->mem;
    x->hash = hash_key(loop, iv);
    x->loop = loop;
    x->iv = plussi_alloc(&s->ctx->mem, key_length(loop), sizeof *x->iv);
    if (!x->iv) {
        free_instance(s, x);
        return PLUSS_ENOMEM;
    }
    for (uint32_t i = 0; i < key_length(loop); i++)
        x->iv[i] = key_part(loop, iv, i);
    *out = x;
    return PLUSS_OK;
}

/* Puts the instance into the table; frees it on failure. */
static pluss_status keep_instance(plussi_clock_itersets *s, instance *x)
{
    if (!table_reserve(&s->ctx->mem, &s->table, &s->size, FIRST_TABLE, s->n + 1)) {
        free_instance(s, x);
        return PLUSS_ENOMEM;
    }
    *table_find(s->table, s->size, x->hash, (key){x->hash, x->loop, NULL}) = x;
    s->n++;
    s->segments += x->sets.n_segments;
    return PLUSS_OK;
}

static instance *find_instance(const plussi_clock_itersets *s, const plussi_bound_node *loop,
                               const int64_t *iv)
{
    key k = {hash_key(loop, iv), loop, iv};
    instance **slot = table_find(s->table, s->size, k.hash, k);
    return slot ? *slot : NULL;
}

static const plussi_loc *loc_of(const plussi_bound_node *loop)
{
    return loop->decl->loc.line ? &loop->decl->loc : &loop->decl->text_loc;
}

/* Checks that so many more chunks fit. */
static pluss_status check_room(plussi_clock_itersets *s, const plussi_bound_node *loop,
                               uint64_t chunks)
{
    const plussi_loc *loc = loc_of(loop);
    if (chunks <= MAX_KEPT - s->segments)
        return PLUSS_OK;
    return plussi_fail(s->ctx, PLUSS_ELIMIT, loc,
                       "dynamic loops have more than %d chunks in all: this one has %llu more",
                       MAX_KEPT, (unsigned long long)chunks);
}

/* ---- making an instance ---------------------------------------------------------------------- */

typedef struct worker {
    const plussi_engine *engine;
    const plussi_bound_node *loop;
    const int64_t *iv;
} worker;

static double count_work(void *user, uint64_t lo, uint64_t hi)
{
    const worker *w = user;
    return (double)plussi_engine_work(w->engine, w->loop, w->iv, lo, hi);
}

/* Number of the loop's execution; known if the trip counts of the loops around do not vary. */
static bool execution_of(const plussi_bound_node *loop, const int64_t *iv, uint64_t *out)
{
    uint64_t scale = 1, time = 0, iterations;
    bool fault = false;
    for (const plussi_bound_node *node = loop->parent; node; node = node->parent) {
        const plussi_bound_loop *l = &node->u.loop;
        if (node->kind == PLUSSI_N_IF || node->kind == PLUSSI_N_BRANCH)
            return false;
        if (node->kind != PLUSSI_N_LOOP)
            continue;
        if (!plussi_cexpr_is_const(l->lo) || !plussi_cexpr_is_const(l->hi))
            return false;
        uint64_t iteration =
            (uint64_t)((iv[l->slot] - plussi_cexpr_eval(l->lo, iv, &fault)) / l->step);
        if (plussi_mul_over(iteration, scale, &iterations) ||
            plussi_add_over(time, iterations, &time) ||
            plussi_mul_over(scale, (uint64_t)plussi_bloop_trips(l, iv), &scale))
            return false;
    }
    return !plussi_mul_over((uint64_t)iv[PLUSSI_CURSOR_REPEAT], scale, &iterations) &&
           !plussi_add_over(time, iterations, out);
}

static pluss_status replay_loop(plussi_clock_itersets *s, const plussi_bound_node *loop,
                                const int64_t *iv, uint64_t n, uint32_t team, plussi_itersets *out)
{
    uint64_t time = 0;
    const plussi_loc *loc = loc_of(loop);
    if (!s->replay)
        return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, loc, "schedule(recorded) without a record");
    if (!execution_of(loop, iv, &time))
        return plussi_fail(
            s->ctx, PLUSS_EUNSUPPORTED, loc,
            "a recorded schedule in loops whose trip counts vary, or under a condition");
    pluss_status status = plussi_replay_itersets(s->replay, loop->id, time, n, team, out);
    if (status == PLUSS_EINVAL)
        return plussi_fail(s->ctx, status, loc,
                           "the record has this loop with other iterations or more threads");
    return status;
}

/* Sums the accesses of a recorded loop. */
static pluss_status sum_accesses(plussi_clock_itersets *s, instance *x, const int64_t *iv)
{
    plussi_itersets *sh = &x->sets;
    sh->accesses = plussi_alloc(&s->ctx->mem, sh->n_segments + sh->team, sizeof *sh->accesses);
    if (!sh->accesses)
        return PLUSS_ENOMEM;
    for (uint32_t t = 0; t < sh->team; t++) {
        const plussi_iterset *set = &sh->set[t];
        uint64_t *a = sh->accesses + (set->before - sh->before), sum = 0;
        for (size_t k = 0; k < set->n_segments; k++) {
            a[k] = sum;
            sum +=
                plussi_engine_work(s->engine, x->loop, iv, set->segment[k].lo, set->segment[k].hi);
        }
        a[set->n_segments] = sum;
    }
    return PLUSS_OK;
}

/* Makes the instance of a loop whose iteration sets do not depend on the rest of its phase:
 * recorded, or Rayon's. */
static pluss_status make_alone(plussi_clock_itersets *s, const plussi_bound_node *loop,
                               const int64_t *iv, uint64_t n, uint64_t chunk, uint32_t team,
                               instance **out)
{
    worker w = {s->engine, loop, iv};
    const plussi_bound_loop *l = &loop->u.loop;
    bool fault = false;
    instance *x;
    pluss_status status = new_instance(s, loop, iv, &x);
    if (status)
        return status;
    if (l->schedule.kind == PLUSSI_SCHED_RECORDED) {
        status = replay_loop(s, loop, iv, n, team, &x->sets);
        if (!status)
            status = sum_accesses(s, x, iv);
    } else {
        int64_t most = l->schedule.chunk2 ? plussi_cexpr_eval(l->schedule.chunk2, iv, &fault) : 0;
        const plussi_pool_loop pieces = {n, chunk, most > 0 ? (uint64_t)most : 0};
        const uint64_t seed = s->seed ^ x->hash;
        status = s->has_pool ? plussi_simulate_pool(s->ctx, &pieces, team, &s->pool, count_work, &w,
                                                    seed, &x->sets)
                             : plussi_simulate_rayon(s->ctx, n, chunk, pieces.most, team,
                                                     count_work, &w, seed, &x->sets);
    }
    if (!status)
        status = check_room(s, loop, x->sets.n_segments);
    if (status) {
        free_instance(s, x);
        return status;
    }
    *out = x;
    return keep_instance(s, x);
}

/* ---- making a phase -------------------------------------------------------------------------- */

/* A dynamic or guided loop of the phase. */
typedef struct member {
    worker worker;
    uint64_t *ahead;
    int64_t iv[PLUSSI_CURSOR_SLOTS];
    plussi_dispatch loop;
} member;

typedef struct members {
    plussi_clock_itersets *s;
    member *member;
    size_t n, cap;
    uint64_t *ahead; /* by thread: accesses after the last member */
    uint64_t others; /* accesses of all threads outside the members */
    instance *rayon; /* the last Rayon loop, and their number */
    size_t n_rayon;
    pluss_status status;
} members;

static void add_work(void *user, uint32_t thread, uint64_t accesses)
{
    members *m = user;
    m->ahead[thread] += accesses;
    m->others += accesses;
}

static pluss_status add_rayon(members *m, const plussi_bound_node *loop, const int64_t *iv,
                              uint64_t n, uint64_t chunk, uint32_t team)
{
    instance *x = find_instance(m->s, loop, iv);
    if (!x) {
        pluss_status status = make_alone(m->s, loop, iv, n, chunk, team, &x);
        if (status)
            return status;
    }
    for (uint32_t t = 0; t < team; t++) {
        const plussi_iterset *set = &x->sets.set[t];
        m->ahead[t] += x->sets.accesses[(size_t)(set->before - x->sets.before) + set->n_segments];
    }
    m->rayon = x;
    m->n_rayon++;
    return PLUSS_OK;
}

static pluss_status add_member(members *m, const plussi_bound_node *loop, const int64_t *iv,
                               uint64_t n, uint64_t chunk, uint32_t team)
{
    const plussi_mem *mem = &m->s->ctx->mem;
    const plussi_bound_loop *l = &loop->u.loop;
    if (l->schedule.kind == PLUSSI_SCHED_RAYON)
        return add_rayon(m, loop, iv, n, chunk, team);
    uint64_t *next = plussi_calloc(mem, plussi_engine_team(m->s->engine), sizeof *next);
    if (!next)
        return PLUSS_ENOMEM;
    pluss_status status = plussi_grow(mem, &m->member, &m->cap, m->n, sizeof *m->member);
    if (status) {
        plussi_free(mem, next);
        return status;
    }
    member *x = &m->member[m->n++];
    *x = (member){.ahead = m->ahead, .loop = plussi_dispatch_of_loop(l, iv, n, chunk, team)};
    x->worker.loop = loop;
    memcpy(x->iv, iv, sizeof x->iv);
    m->ahead = next;
    return PLUSS_OK;
}

static bool add_loop(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                     uint64_t chunk, uint32_t team)
{
    members *m = user;
    m->status = add_member(m, loop, iv, n, chunk, team);
    return m->status == PLUSS_OK;
}

/* Keeps the members' instances. */
static pluss_status keep_members(members *m, plussi_itersets *sets)
{
    pluss_status status = PLUSS_OK;
    for (size_t i = 0; i < m->n && !status; i++) {
        const plussi_bound_node *loop = m->member[i].worker.loop;
        instance *x;
        status = new_instance(m->s, loop, m->member[i].iv, &x);
        if (status)
            return status;
        x->sets = sets[i];
        sets[i] = (plussi_itersets){.mem = x->sets.mem};
        status = check_room(m->s, loop, x->sets.n_segments);
        if (status)
            free_instance(m->s, x);
        else
            status = keep_instance(m->s, x);
    }
    return status;
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* Finds or makes pattern number `number` for about that much work. */
static pluss_status get_pattern(plussi_clock_itersets *s, uint32_t team, uint64_t work,
                                uint32_t number, known_pattern **out)
{
    for (size_t i = s->n_patterns; i-- > 0;) {
        known_pattern *x = &s->pattern[i];
        if (x->work == work && x->team == team && x->number == number) {
            *out = x;
            return PLUSS_OK;
        }
    }
    pluss_status status =
        plussi_grow(&s->ctx->mem, &s->pattern, &s->cap_patterns, s->n_patterns, sizeof *s->pattern);
    if (status)
        return status;
    known_pattern *x = &s->pattern[s->n_patterns];
    *x = (known_pattern){team, number, work, NULL};
    uint64_t state = s->seed ^ work, seed = plussi_splitmix64(&state) ^ number;
    status = plussi_pattern_new(s->ctx, team, work, seed ^ (uint64_t)team << 32, &x->pattern);
    s->n_patterns += !status;
    *out = x;
    return status;
}

static bool is_guided_used(guided_pattern *const *slot)
{
    return *slot;
}

static uint64_t guided_hash(guided_pattern *const *slot)
{
    return (*slot)->hash;
}

static bool is_guided_of(guided_pattern *const *slot, const guided_pattern *wanted)
{
    const guided_pattern *x = *slot;
    if (!wanted || x->hash != wanted->hash || x->each != wanted->each ||
        x->number != wanted->number)
        return false;
    const plussi_dispatch *a = &x->dispatch, *b = &wanted->dispatch;
    return a->n == b->n && a->chunk == b->chunk && a->team == b->team && a->ragged == b->ragged;
}

PLUSSI_MAP(guided, guided_pattern *, const guided_pattern *, is_guided_used, guided_hash,
           is_guided_of)

static void free_guided(plussi_clock_itersets *s, guided_pattern *x)
{
    plussi_itersets_free(&x->sets);
    plussi_moments_free(&x->moments);
    plussi_free(&s->ctx->mem, x);
}

static double count_even_work(void *user, uint64_t lo, uint64_t hi)
{
    return (double)(*(const uint64_t *)user * (hi - lo));
}

/* Simulates a guided loop that is alone in its phase. */
static pluss_status make_guided(plussi_clock_itersets *s, const plussi_bound_node *loop,
                                const guided_pattern *wanted, guided_pattern **out)
{
    guided_pattern *x = plussi_calloc(&s->ctx->mem, 1, sizeof *x);
    if (!x)
        return PLUSS_ENOMEM;
    *x = *wanted;
    x->sets.mem = x->moments.mem = s->ctx->mem;
    plussi_stage stage = {x->dispatch, count_even_work, &x->each, NULL};
    pluss_status status =
        plussi_simulate_dispatch(s->ctx, &stage, 1, NULL, s->seed ^ x->hash, &x->sets, &x->moments);
    if (!status)
        status = check_room(s, loop, x->sets.n_segments);
    if (!status &&
        !guided_reserve(&s->ctx->mem, &s->guided, &s->size_guided, FIRST_TABLE, s->n_guided + 1))
        status = PLUSS_ENOMEM;
    if (status) {
        free_guided(s, x);
        return status;
    }
    *guided_find(s->guided, s->size_guided, x->hash, NULL) = x;
    s->n_guided++;
    s->segments += x->sets.n_segments;
    *out = x;
    return PLUSS_OK;
}

/* Finds or makes one of the few realisations of a guided loop of n iterations. */
static pluss_status get_guided(plussi_clock_itersets *s, const plussi_bound_node *loop,
                               const int64_t *iv, uint64_t n, uint64_t chunk, uint64_t each,
                               uint32_t team, uint32_t number, guided_pattern **out)
{
    guided_pattern wanted = {.dispatch = plussi_dispatch_of_loop(&loop->u.loop, iv, n, chunk, team),
                             .each = each,
                             .number = number};
    wanted.hash = plussi_mix(plussi_mix(plussi_mix(n, chunk), plussi_mix(each, team)),
                             number + ((uint64_t)wanted.dispatch.ragged << 32));
    guided_pattern **slot = guided_find(s->guided, s->size_guided, wanted.hash, &wanted);
    if (slot && *slot) {
        *out = *slot;
        return PLUSS_OK;
    }
    return make_guided(s, loop, &wanted, out);
}

/* The work that represents the class of this work. */
static uint64_t class_of(uint64_t work)
{
    if (work < EXACT_WORK)
        return work;
    return (uint64_t)llround(exp2(round(log2((double)work) * CLASSES) / CLASSES));
}

/* Whether every phase with this loop is this loop alone, dynamic or guided and with even work. Its
 * instances need not be kept. */
static bool is_alone(const plussi_clock_itersets *s, const plussi_bound_node *loop)
{
    const plussi_schedule_kind kind = loop->u.loop.schedule.kind;
    return (kind == PLUSSI_SCHED_DYNAMIC || kind == PLUSSI_SCHED_GUIDED) && loop->parent &&
           loop->parent->kind == PLUSSI_N_PARALLEL && loop->parent->n_body == 1 &&
           plussi_engine_is_even(s->engine, loop);
}

/* Chooses the pattern of an instance of a loop that is alone; none if it makes no access. */
static pluss_status use_pattern(plussi_clock_itersets *s, const plussi_bound_node *loop,
                                const int64_t *iv, uint64_t n, uint64_t chunk, uint32_t team,
                                pattern_use *out)
{
    uint64_t each = plussi_engine_work(s->engine, loop, iv, 0, n > 0), work;
    uint64_t choice = plussi_mix(s->seed, hash_key(loop, iv)); /* another one in each replication */
    chunk = chunk < 1 ? 1 : chunk < n ? chunk : n;
    *out = (pattern_use){0};
    if (each == 0 || plussi_mul_over(each, chunk, &work))
        return PLUSS_OK;
    if (loop->u.loop.schedule.kind == PLUSSI_SCHED_GUIDED) {
        guided_pattern *g;
        pluss_status status =
            get_guided(s, loop, iv, n, chunk, each, team, (uint32_t)(choice % PATTERNS), &g);
        if (!status)
            *out = (pattern_use){
                .guided = g, .team = team, .rotation = (uint32_t)(choice / PATTERNS % team)};
        return status;
    }
    uint64_t class = class_of(work);
    known_pattern *p;
    pluss_status status = get_pattern(s, team, class, (uint32_t)(choice % PATTERNS), &p);
    if (!status)
        status = plussi_pattern_extend(p->pattern, (n - 1) / chunk + 1);
    if (status)
        return status;
    *out = (pattern_use){.pattern = p->pattern,
                         .team = team,
                         .rotation = (uint32_t)(choice / PATTERNS % team),
                         .n = n,
                         .chunk = chunk,
                         .each = each,
                         .scale = (double)work / (double)class};
    return PLUSS_OK;
}

/* NULL: no pattern. */
static const pattern_use *use_of_loop(plussi_clock_itersets *s, const plussi_bound_node *loop,
                                      const int64_t *iv, uint64_t n, uint64_t chunk, uint32_t team)
{
    uint64_t hash = hash_key(loop, iv);
    recent_use *x = &s->loop_use[hash % RECENT];
    if (!x->known || x->key != hash || x->loop != loop) {
        x->known = false;
        s->status = use_pattern(s, loop, iv, n, chunk, team, &x->use);
        if (s->status)
            return NULL;
        x->known = true;
        x->key = hash;
        x->loop = loop;
    }
    return x->use.pattern || x->use.guided ? &x->use : NULL;
}

typedef struct alone {
    plussi_clock_itersets *s;
    const pattern_use *use;
} alone;

static void pass_work(void *user, uint32_t thread, uint64_t accesses)
{
    (void)user, (void)thread, (void)accesses;
}

static bool find_alone(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                       uint64_t chunk, uint32_t team)
{
    alone *a = user;
    if (is_alone(a->s, loop))
        a->use = use_of_loop(a->s, loop, iv, n, chunk, team);
    return false; /* then no other loop of the phase is */
}

/* NULL: no pattern. */
static const pattern_use *use_of_phase(plussi_clock_itersets *s, uint64_t phase)
{
    recent_use *x = &s->phase_use[phase % RECENT];
    if (!x->known || x->key != phase) {
        alone a = {s, NULL};
        plussi_visitor visitor = {pass_work, find_alone, &a};
        plussi_engine_visit(s->workspace, phase, &visitor);
        if (s->status)
            return NULL;
        *x = (recent_use){true, phase, NULL, a.use ? *a.use : (pattern_use){0}};
    }
    return x->use.pattern || x->use.guided ? &x->use : NULL;
}

/* The pattern's thread that takes the place of this one: both numbers are below the team. */
static inline uint32_t row_of(const pattern_use *use, uint32_t thread)
{
    const uint32_t row = thread + use->rotation;
    return row < use->team ? row : row - use->team;
}

static plussi_thread_set share_of_guided(const pattern_use *use, uint32_t thread)
{
    const plussi_itersets *sets = &use->guided->sets;
    const plussi_iterset *set = &sets->set[row_of(use, thread)];
    plussi_thread_set out = {.set = *set,
                             .accesses = sets->accesses + (set->before - sets->before)};
    out.set.thread = thread;
    return out;
}

/* Moments of the pattern's thread; false: it has none. */
static bool list_moments(const plussi_moments *from, uint32_t thread, plussi_clock_moments *out)
{
    size_t first = from->first[thread];
    out->pattern = NULL;
    out->n = from->first[thread + 1] - first;
    out->access = from->access + first;
    out->time = from->time + first;
    return out->n > 0;
}

/* Field by field: a set made elsewhere and copied waits for the stores of its fields. */
static void share_of(const pattern_use *use, uint32_t thread, plussi_iterset *out)
{
    *out = (plussi_iterset){.kind = PLUSSI_ITERSET_PATTERN, .ascending = true};
    out->team = use->team;
    out->thread = thread;
    out->n = use->n;
    out->chunk = use->chunk;
    out->pattern = use->pattern;
    out->row = row_of(use, thread);
}

/* The first access of each chunk, and the time of the request that ends the loop. The loop's last
 * chunk may be shorter. */
static void moments_of(const pattern_use *use, uint32_t thread, plussi_clock_moments *out)
{
    plussi_iterset set;
    share_of(use, thread, &set);
    uint64_t own = plussi_iterset_own_chunks(&set), count = plussi_iterset_count(&set);
    double end = plussi_pattern_time(use->pattern, set.row, own);
    if (count < own * use->chunk) {
        double last = plussi_pattern_time(use->pattern, set.row, own - 1);
        end -= (end - last) * (double)(own * use->chunk - count) / (double)use->chunk;
    }
    *out = (plussi_clock_moments){.n = own + 1,
                                  .pattern = use->pattern,
                                  .row = set.row,
                                  .scale = use->scale,
                                  .each = use->each * use->chunk,
                                  .all = use->each * count,
                                  .end = use->scale * end};
}

/* ---- simulated phases ------------------------------------------------------------------------ */

static bool has_many_chunks(const members *m)
{
    const plussi_dispatch *d = &m->member[0].loop;
    if (m->n > 1 || m->n_rayon > 0 || d->guided || d->n == 0)
        return false;
    const uint64_t chunks = (d->n - 1) / d->chunk + 1;
    return chunks >= PLUSSI_MANY_CHUNKS && chunks / d->team >= PLUSSI_MANY_ROUNDS &&
           plussi_engine_is_smooth(m->s->engine, m->member[0].worker.loop);
}

static pluss_status deal_many_chunks(members *m, uint64_t seed, plussi_moments *out)
{
    plussi_itersets sets;
    member *x = &m->member[0];
    const plussi_many_chunks law = {m->s->engine, x->worker.loop, x->iv, x->loop, x->ahead, seed};
    pluss_status status = plussi_clock_many_chunks(m->s->ctx, &law, m->ahead, &sets, out);
    if (status)
        return status;
    status = keep_members(m, &sets);
    plussi_itersets_free(&sets);
    if (status)
        plussi_moments_free(out);
    return status;
}

static pluss_status simulate_members(members *m, uint64_t seed, plussi_moments *out)
{
    const plussi_mem *mem = &m->s->ctx->mem;
    plussi_stage *stage = plussi_calloc(mem, m->n, sizeof *stage);
    plussi_itersets *sets = plussi_calloc(mem, m->n, sizeof *sets);
    pluss_status status = stage && sets ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < m->n && !status; i++) {
        member *x = &m->member[i];
        if (!x->loop.guided && x->loop.n)
            status = check_room(m->s, x->worker.loop, (x->loop.n - 1) / x->loop.chunk + 1);
        x->worker.engine = m->s->engine;
        x->worker.iv = x->iv;
        stage[i] = (plussi_stage){x->loop, count_work, &x->worker, x->ahead};
    }
    if (!status)
        status = plussi_simulate_dispatch(m->s->ctx, stage, m->n, m->ahead, seed, sets, out);
    if (!status) {
        status = keep_members(m, sets);
        for (size_t i = 0; i < m->n; i++)
            plussi_itersets_free(&sets[i]);
        if (status)
            plussi_moments_free(out);
    }
    plussi_free(mem, stage);
    plussi_free(mem, sets);
    return status;
}

/* If a phase is one Rayon loop: the last access of a piece is at the end of the piece. */
static pluss_status ends_of_pieces(const plussi_mem *mem, const instance *x, plussi_moments *out)
{
    const plussi_itersets *sh = &x->sets;
    plussi_moments m = {.mem = *mem, .team = sh->team};
    m.first = plussi_calloc(mem, (size_t)sh->team + 1, sizeof *m.first);
    m.access = plussi_alloc(mem, sh->n_segments, sizeof *m.access);
    m.time = plussi_alloc(mem, sh->n_segments, sizeof *m.time);
    if (!m.first || !m.access || !m.time) {
        plussi_moments_free(&m);
        return PLUSS_ENOMEM;
    }
    size_t n = 0;
    for (uint32_t t = 0; t < sh->team; t++) {
        const plussi_iterset *set = &sh->set[t];
        const uint64_t *before = x->sets.accesses + (set->before - sh->before);
        const double *end = sh->chunk_end + (set->segment - sh->segment);
        for (size_t i = 0; i < set->n_segments; i++) {
            if (before[i + 1] == before[i])
                continue;
            m.access[n] = before[i + 1] - 1;
            m.time[n++] = end[i];
        }
        m.first[t + 1] = n;
    }
    *out = m;
    return PLUSS_OK;
}

/* POOL: of what is simulated the times are known. */
static pluss_status check_pieces(const plussi_clock_itersets *s, const members *m)
{
    if (!s->has_pool || m->n_rayon == 0 || (m->n_rayon == 1 && m->others == 0))
        return PLUSS_OK;
    return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, &m->rayon->loop->decl->loc,
                       "progress 'pool' is of loops that are alone between two barriers");
}

static pluss_status make_phase(plussi_clock_itersets *s, const int64_t *iv, instance **out)
{
    const plussi_mem *mem = &s->ctx->mem;
    members m = {.s = s};
    instance *x = NULL;
    m.ahead = plussi_calloc(mem, plussi_engine_team(s->engine), sizeof *m.ahead);
    pluss_status status = m.ahead ? new_instance(s, NULL, iv, &x) : PLUSS_ENOMEM;
    if (!status) {
        plussi_visitor visitor = {add_work, add_loop, &m};
        plussi_engine_visit(s->workspace, (uint64_t)iv[PLUSSI_CURSOR_REPEAT], &visitor);
        status = m.status                                ? m.status
                 : plussi_workspace_failed(s->workspace) ? PLUSS_ENOMEM
                                                         : s->status;
    }
    if (!status)
        status = check_pieces(s, &m);
    if (!status && m.n > 0 && has_many_chunks(&m))
        status = deal_many_chunks(&m, s->seed ^ x->hash, &x->moments);
    else if (!status && m.n > 0)
        status = simulate_members(&m, s->seed ^ x->hash, &x->moments);
    else if (!status && m.n_rayon == 1 && m.others == 0) {
        x->pieces = m.rayon;
        status = s->has_pool ? PLUSS_OK : ends_of_pieces(mem, m.rayon, &x->moments);
    }
    if (!status) {
        status = keep_instance(s, x);
        *out = x;
    } else if (x) {
        free_instance(s, x);
    }
    for (size_t i = 0; i < m.n; i++)
        plussi_free(mem, m.member[i].ahead);
    plussi_free(mem, m.member);
    plussi_free(mem, m.ahead);
    return status;
}

static instance *phase_of(plussi_clock_itersets *s, uint64_t phase)
{
    if (s->last_phase && (uint64_t)s->last_phase->iv[0] == phase)
        return s->last_phase;
    int64_t iv[PLUSSI_CURSOR_SLOTS];
    iv[PLUSSI_CURSOR_REPEAT] = (int64_t)phase;
    instance *x = find_instance(s, NULL, iv);
    if (!x && !s->status)
        s->status = make_phase(s, iv, &x);
    s->last_phase = s->status ? NULL : x;
    return s->last_phase;
}

/* ---- the engine's side ----------------------------------------------------------------------- */

static instance *instance_of(plussi_clock_itersets *s, const plussi_bound_node *loop,
                             const int64_t *iv, uint64_t n, uint64_t chunk, uint32_t team)
{
    plussi_schedule_kind kind = loop->u.loop.schedule.kind;
    if (s->last && has_key(&s->last, (key){hash_key(loop, iv), loop, iv}))
        return s->last;
    instance *x = find_instance(s, loop, iv);
    if (!x && (kind == PLUSSI_SCHED_RECORDED || kind == PLUSSI_SCHED_RAYON))
        s->status = make_alone(s, loop, iv, n, chunk, team, &x);
    else if (!x && phase_of(s, plussi_engine_loop_phase(s->engine, loop, iv)))
        x = find_instance(s, loop, iv);
    return s->last = s->status ? NULL : x;
}

/* Asked while the engine is planned: the accesses of a team, in this loop or around it, are a sum
 * over threads of what each makes, and there is no dispatch yet. */
static pluss_status refuse_early(const plussi_clock_itersets *s, const plussi_bound_node *loop)
{
    return plussi_fail(s->ctx, PLUSS_EUNSUPPORTED, loc_of(loop),
                       "a loop or single for whichever thread comes, where the number of accesses "
                       "in it or in what is around it depends on $thread");
}

static bool give_share(void *user, const plussi_bound_node *loop, const int64_t *iv, uint64_t n,
                       uint64_t chunk, uint32_t team, uint32_t thread, plussi_thread_set *out)
{
    plussi_clock_itersets *s = user;
    const pattern_use *use = NULL;
    if (!s->status && !s->engine)
        s->status = refuse_early(s, loop);
    if (!s->status && is_alone(s, loop))
        use = use_of_loop(s, loop, iv, n, chunk, team);
    if (use && use->guided) {
        *out = share_of_guided(use, thread);
        return true;
    }
    if (use) {
        out->accesses = NULL;
        share_of(use, thread, &out->set);
        return true;
    }
    instance *x = s->status ? NULL : instance_of(s, loop, iv, n, chunk, team);
    if (!x)
        return false;
    out->set = x->sets.set[thread];
    out->accesses = x->sets.accesses ? x->sets.accesses + (out->set.before - x->sets.before) : NULL;
    return true;
}

pluss_status plussi_clock_itersets_new(plussi_ctx *ctx, const plussi_bound *bound,
                                       const plussi_progress *progress, uint64_t seed, bool singles,
                                       plussi_clock_itersets **out)
{
    const bool has_pool = progress && progress->law == PLUSSI_PROGRESS_POOL;
    pluss_status checked = has_pool ? plussi_pool_check(ctx, bound) : PLUSS_OK;
    if (checked)
        return checked;
    plussi_clock_itersets *s = plussi_calloc(&ctx->mem, 1, sizeof *s);
    if (!s)
        return PLUSS_ENOMEM;
    s->ctx = ctx;
    s->seed = seed;
    s->has_pool = has_pool;
    if (has_pool)
        s->pool = plussi_pool_of(progress);
    s->source = (plussi_iterset_source){give_share, s, true, singles};
    s->loop_use = plussi_calloc(&ctx->mem, 2 * RECENT, sizeof *s->loop_use);
    if (!s->loop_use) {
        plussi_free(&ctx->mem, s);
        return PLUSS_ENOMEM;
    }
    s->phase_use = s->loop_use + RECENT;
    if (bound->n_chunks) {
        pluss_status status = plussi_replay_new(ctx, bound->chunk, bound->n_chunks, &s->replay);
        if (status) {
            plussi_free(&ctx->mem, s->loop_use);
            plussi_free(&ctx->mem, s);
            return status;
        }
    }
    *out = s;
    return PLUSS_OK;
}

void plussi_clock_itersets_free(plussi_clock_itersets *sets)
{
    if (!sets)
        return;
    for (size_t i = 0; i < sets->size; i++)
        if (sets->table[i])
            free_instance(sets, sets->table[i]);
    plussi_free(&sets->ctx->mem, sets->table);
    for (size_t i = 0; i < sets->size_guided; i++)
        if (sets->guided[i])
            free_guided(sets, sets->guided[i]);
    plussi_free(&sets->ctx->mem, sets->guided);
    for (size_t i = 0; i < sets->n_patterns; i++)
        plussi_pattern_free(sets->pattern[i].pattern);
    plussi_free(&sets->ctx->mem, sets->pattern);
    plussi_free(&sets->ctx->mem, sets->loop_use);
    plussi_replay_free(sets->replay);
    plussi_workspace_free(sets->workspace);
    plussi_free(&sets->ctx->mem, sets);
}

const plussi_iterset_source *plussi_clock_itersets_source(plussi_clock_itersets *sets)
{
    return &sets->source;
}

pluss_status plussi_clock_itersets_engine(plussi_clock_itersets *sets, const plussi_engine *engine)
{
    if (sets->status)
        return sets->status;
    sets->engine = engine;
    return plussi_workspace_new(sets->ctx, engine, &sets->workspace);
}

pluss_status plussi_clock_itersets_status(const plussi_clock_itersets *sets)
{
    return sets->status;
}

bool plussi_clock_pinned(plussi_clock_run *run, uint64_t phase, uint32_t k,
                         plussi_clock_moments *out)
{
    if (!plussi_engine_on_demand(run->workspace, phase))
        return false;
    const pattern_use *use = run->sets->status ? NULL : use_of_phase(run->sets, phase);
    if (use && use->guided)
        return k < use->team && list_moments(&use->guided->moments, row_of(use, k), out);
    if (use) {
        if (k < use->team)
            moments_of(use, k, out);
        return k < use->team;
    }
    const instance *x = phase_of(run->sets, phase);
    if (!x || k >= x->moments.team)
        return false;
    return list_moments(&x->moments, k, out);
}

const plussi_itersets *plussi_clock_pieces(plussi_clock_run *run, uint64_t phase)
{
    if (!run->handed_out || !plussi_engine_on_demand(run->workspace, phase))
        return NULL;
    const instance *x = phase_of(run->sets, phase);
    return x && x->pieces ? &x->pieces->sets : NULL;
}
