/* @stand-in
 *
 * The parts of a sampler in C that do not depend on the nest: what follows the lines "@text", which
 * embed.awk makes strings of. In between stands what a nest with one loop brings, so that this file
 * is a program, to be compiled and checked as it is.
 */
/* @text head */
/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A sampler made by `pluss codegen`: walks the nest as each of T threads would, all at once, and
 * prints the private reuse intervals of every reference as JSON.
 *
 *     cc -O2 -pthread this.c -o sampler
 *     ./sampler -T 4 -D name=value ... [--workers N] [--line BYTES]
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *room(void *old, size_t n, size_t size)
{
    void *p = n <= SIZE_MAX / 2 / size ? realloc(old, n ? n * size : 1) : NULL;
    if (!p) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    return p;
}

static void *zeroed(size_t n, size_t size)
{
    return memset(room(NULL, n, size), 0, n * size);
}

static inline int64_t floor_div(int64_t a, int64_t b)
{
    if (b < 1) {
        fputs("a divisor is below 1\n", stderr);
        exit(3);
    }
    return a / b - (a % b < 0);
}

static inline int64_t floor_mod(int64_t a, int64_t b)
{
    return a - b * floor_div(a, b);
}

static inline int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t team_of(int64_t threads)
{
    if (threads < 1 || threads > 4096) {
        fputs("a team is of 1 to 4096 threads\n", stderr);
        exit(3);
    }
    return threads;
}

/* Greatest common divisor of |a| and b > 0. */
static inline int64_t common(int64_t a, int64_t b)
{
    uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = (uint64_t)b;
    while (x) {
        uint64_t rest = y % x;
        y = x;
        x = rest;
    }
    return (int64_t)y;
}

/* Lines that an access can touch, at least: more than one where it can straddle. */
static inline uint64_t touches_of(int64_t line, int64_t gcd, int64_t offset, uint64_t width)
{
    if ((uint64_t)floor_mod(offset, gcd) + width <= (uint64_t)gcd)
        return 1;
    return 1 + (width - 1 + (uint64_t)line - 1) / (uint64_t)line;
}

struct range {
    int64_t at, step;
    uint64_t n;
};

static inline struct range range(int64_t lo, int64_t hi, int64_t step)
{
    struct range r = {lo, step, 0};
    if (step > 0 && lo < hi)
        r.n = ((uint64_t)hi - (uint64_t)lo - 1) / (uint64_t)step + 1;
    if (step < 0 && lo > hi)
        r.n = ((uint64_t)lo - (uint64_t)hi - 1) / (0 - (uint64_t)step) + 1;
    return r;
}

#define FAR (INT64_C(1) << 46)  /* from one array to the next, bytes */
#define NEAR (INT64_C(1) << 34) /* from one thread's copy to the next */

/* @stand-in */
enum { N_SYMBOLS = 1, N_ARRAYS = 1, N_REFS = 1 };

struct symbols {
    int64_t n;
    int64_t base[N_ARRAYS + 1];
    uint64_t touches[N_REFS + 1];
};

static const struct {
    const char *region, *name;
    bool bound;
} symbol_names[N_SYMBOLS + 1] = {{"", "n", false}, {0, 0, false}};

static const struct {
    const char *text;
    uint64_t width;
} refs[N_REFS + 1] = {{"A[i]", 8}, {0, 0}};

static const int64_t defaults[N_SYMBOLS + 1] = {0, 0};

static void set_up(struct symbols *s, const int64_t *value, const bool *given, int64_t line)
{
    s->n = given[0] ? value[0] : 0;
    s->base[0] = FAR;
    s->touches[0] = touches_of(line, common(8, line), s->base[0], 8);
}

static void own_bases(const struct symbols *s, int64_t *base, int64_t thread)
{
    memcpy(base, s->base, sizeof s->base);
    base[0] += (thread + 1) * NEAR;
}

/* @text middle */
/* ---- what a thread has seen ------------------------------------------------------------------ */

struct seen {
    uint64_t line, last; /* last: accesses up to the last touch, from 1; 0: free */
    uint32_t first_ref, sharers;
};

struct map {
    struct seen *slot; /* open addressing, a power of two of them, at least half of them free */
    size_t n, mask;
};

static struct map map_new(size_t cap)
{
    return (struct map){zeroed(cap, sizeof(struct seen)), 0, cap - 1};
}

static inline size_t map_slot(const struct map *map, uint64_t line)
{
    size_t at = (size_t)((line * 0x9e3779b97f4a7c15u) >> 20) & map->mask;
    while (map->slot[at].last && map->slot[at].line != line)
        at = (at + 1) & map->mask;
    return at;
}

/* A slot has been filled. */
static void map_added(struct map *map)
{
    if (2 * (++map->n + 1) <= map->mask)
        return;
    struct map bigger = map_new(2 * (map->mask + 1));
    for (size_t i = 0; i <= map->mask; i++)
        if (map->slot[i].last)
            bigger.slot[map_slot(&bigger, map->slot[i].line)] = map->slot[i];
    bigger.n = map->n;
    free(map->slot);
    *map = bigger;
}

struct bin {
    uint64_t interval, count;
};

struct histogram {
    struct bin *bin; /* open addressing, as above; free where count is 0 */
    size_t n, mask;
    struct bin latest; /* not yet among the bins: the same interval comes many times in a row */
};

static struct histogram histogram_new(size_t cap)
{
    return (struct histogram){zeroed(cap, sizeof(struct bin)), 0, cap - 1, {0, 0}};
}

static void histogram_add(struct histogram *h, struct bin bin)
{
    size_t at = (size_t)((bin.interval * 0x9e3779b97f4a7c15u) >> 20) & h->mask;
    while (h->bin[at].count && h->bin[at].interval != bin.interval)
        at = (at + 1) & h->mask;
    bool is_new = h->bin[at].count == 0;
    h->bin[at].interval = bin.interval;
    h->bin[at].count += bin.count;
    if (!is_new || 2 * (++h->n + 1) <= h->mask)
        return;
    struct histogram bigger = histogram_new(2 * (h->mask + 1));
    for (size_t i = 0; i <= h->mask; i++)
        if (h->bin[i].count)
            histogram_add(&bigger, h->bin[i]);
    bigger.latest = h->latest;
    free(h->bin);
    *h = bigger;
}

static inline void histogram_count(struct histogram *h, uint64_t interval)
{
    if (interval != h->latest.interval) {
        if (h->latest.count)
            histogram_add(h, h->latest);
        h->latest = (struct bin){interval, 0};
    }
    h->latest.count++;
}

typedef struct walker {
    const struct symbols *s;
    int64_t me, default_team, thread, team, most_team;
    unsigned line_shift;
    bool counting; /* accesses are counted, not made */
    uint64_t count, clock;
    int64_t base[N_ARRAYS + 1];
    struct map seen;
    struct histogram histogram[N_REFS + 1];
    size_t slot[N_REFS + 1]; /* of the line that each reference touched last: often the next, too */
} walker;

static inline void touch_line(walker *w, uint32_t ref, uint64_t line)
{
    uint64_t now = ++w->clock;
    struct seen *seen = &w->seen.slot[w->slot[ref]];
    if (seen->line != line || !seen->last) {
        w->slot[ref] = map_slot(&w->seen, line);
        seen = &w->seen.slot[w->slot[ref]];
    }
    if (seen->last) {
        histogram_count(&w->histogram[ref], now - seen->last);
        seen->last = now;
    } else {
        *seen = (struct seen){line, now, ref, 0};
        map_added(&w->seen);
    }
}

static inline void touch(walker *w, uint32_t ref, int64_t address)
{
    uint64_t touches = w->s->touches[ref];
    if (w->counting) {
        w->count += touches;
        return;
    }
    uint64_t first = (uint64_t)address;
    for (uint64_t i = 0; i + 1 < touches; i++)
        touch_line(w, ref, (first >> w->line_shift) + i);
    touch_line(w, ref, (touches > 1 ? first + refs[ref].width - 1 : first) >> w->line_shift);
}

static inline void swap_bases(walker *w, uint32_t a, uint32_t b)
{
    int64_t base = w->base[a];
    w->base[a] = w->base[b];
    w->base[b] = base;
}

/* ---- how iterations are dispatched ----------------------------------------------------------- */

#include "team/dispatch.h"

struct counting {
    bool counting;
    uint64_t count;
};

static inline struct counting count_from(walker *w)
{
    struct counting before = {w->counting, w->count};
    w->counting = true;
    w->count = 0;
    return before;
}

static inline uint64_t count_to(walker *w, struct counting before)
{
    uint64_t cost = w->count;
    w->counting = before.counting;
    w->count = before.count;
    return cost;
}

struct costs {
    uint64_t *at;
    size_t n, cap;
};

static inline void costs_add(struct costs *costs, uint64_t cost)
{
    if (costs->n == costs->cap)
        costs->at = room(costs->at, costs->cap = costs->cap ? 2 * costs->cap : 64, sizeof cost);
    costs->at[costs->n++] = cost;
}

enum kind { STATIC, DYNAMIC, GUIDED };

/* The iterations of a worksharing loop that the thread executes. */
struct iteration_set {
    bool is_cyclic; /* static with a chunk: of `loop` its iterations, chunk and team alone */
    uint32_t thread;
    plussi_dispatch loop;
    plussi_segment *chunk; /* else the thread's, ascending */
    size_t n_chunks, at;
};

static void add_chunk(struct iteration_set *set, plussi_segment chunk)
{
    size_t n = set->n_chunks++;
    if ((n & (n - 1)) == 0) /* room for the next power of two */
        set->chunk = room(set->chunk, n ? 2 * n : 1, sizeof chunk);
    set->chunk[n] = chunk;
}

/* The next chunk goes to the thread that has done the fewest accesses since the loop began. */
static void dispatch_chunks(struct iteration_set *set, const uint64_t *cost)
{
    uint64_t *clock = zeroed(set->loop.team, sizeof *clock);
    for (plussi_segment chunk; plussi_dispatch_next(&set->loop, &chunk);) {
        uint32_t thread = 0;
        for (uint32_t k = 1; k < set->loop.team; k++)
            if (clock[k] < clock[thread])
                thread = k;
        for (uint64_t i = chunk.lo; i < chunk.hi; i++)
            clock[thread] += cost[i];
        if (thread == set->thread)
            add_chunk(set, chunk);
    }
    free(clock);
}

/* chunk 0: none given. cost: accesses of each iteration, not for static. */
static inline struct iteration_set iteration_set_new(const walker *w, enum kind kind, uint64_t n,
                                                     int64_t chunk, const uint64_t *cost,
                                                     bool ragged)
{
    if (chunk < 0 || (kind != STATIC && chunk < 1)) {
        fputs("a chunk is below 1\n", stderr);
        exit(3);
    }
    struct iteration_set set = {.is_cyclic = kind == STATIC && chunk > 0,
                                .thread = (uint32_t)w->thread};
    set.loop = (plussi_dispatch){.n = n,
                                 .chunk = (uint64_t)chunk,
                                 .team = (uint32_t)w->team,
                                 .guided = kind == GUIDED,
                                 .ragged = ragged};
    if (kind != STATIC)
        dispatch_chunks(&set, cost);
    else if (chunk == 0)
        add_chunk(&set, plussi_static_block(n, set.loop.team, set.thread));
    return set;
}

/* Asked in ascending order of i. */
static inline bool iteration_set_holds(struct iteration_set *set, uint64_t i)
{
    const plussi_dispatch *loop = &set->loop;
    if (set->is_cyclic)
        return plussi_static_owner(loop->n, loop->chunk, loop->team, i) == set->thread;
    while (set->at < set->n_chunks && i >= set->chunk[set->at].hi)
        set->at++;
    return set->at < set->n_chunks && i >= set->chunk[set->at].lo;
}

static inline void iteration_set_free(struct iteration_set *set)
{
    free(set->chunk);
}

/* ---- the nest -------------------------------------------------------------------------------- */

/* @stand-in */
static void loop(walker *w)
{
    struct costs cost = {0, 0, 0};
    for (struct range r = range(0, w->s->n, 1); r.n > 0; r.n--, r.at += r.step) {
        const struct counting before = count_from(w);
        touch(w, 0, w->base[0] + r.at * 8);
        costs_add(&cost, count_to(w, before));
    }
    struct iteration_set set = iteration_set_new(w, GUIDED, cost.n, 1, cost.at, false);
    free(cost.at);
    for (struct range r = range(0, w->s->n, 1); r.n > 0; r.n--, r.at += r.step)
        if (iteration_set_holds(&set, (uint64_t)r.at))
            touch(w, 0, w->base[0] + r.at * 8);
    iteration_set_free(&set);
}

static void walk(walker *w)
{
    w->thread = w->me;
    w->team = team_of(w->default_team);
    if (w->me < w->team)
        loop(w);
}

static void find_teams(walker *w)
{
    w->most_team = most(w->most_team, w->default_team);
}

/* @text end */
/* ---- all threads, and what they saw together ------------------------------------------------- */

static walker *walker_new(const struct symbols *s, int64_t me, int64_t team, int64_t line)
{
    walker *w = zeroed(1, sizeof *w);
    w->s = s;
    w->me = me;
    w->default_team = w->most_team = team;
    w->team = 1; /* the serial code around parallel regions */
    while (line >> (w->line_shift + 1))
        w->line_shift++;
    own_bases(s, w->base, me);
    w->seen = map_new(1024);
    for (uint32_t ref = 0; ref < N_REFS; ref++)
        w->histogram[ref] = histogram_new(16);
    return w;
}

static void walker_free(walker *w)
{
    for (uint32_t ref = 0; ref < N_REFS; ref++)
        free(w->histogram[ref].bin);
    free(w->seen.slot);
    free(w);
}

struct job {
    walker **walker;
    int64_t n;
    atomic_int_fast64_t next;
};

static void *work(void *argument)
{
    struct job *job = argument;
    for (int64_t k; (k = atomic_fetch_add(&job->next, 1)) < job->n;)
        walk(job->walker[k]);
    return NULL;
}

static int by_interval(const void *a, const void *b)
{
    uint64_t x = ((const struct bin *)a)->interval, y = ((const struct bin *)b)->interval;
    return x < y ? -1 : x > y;
}

static void print_string(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            putchar('\\');
        putchar(*s);
    }
    putchar('"');
}

/* The reference's accesses; of the k threads that touch a line, each one's first touch is 1/k cold
 * and 1 - 1/k thread-first. */
static void print_ref(walker *const *walkers, int64_t n, uint32_t ref, const uint64_t *first_by)
{
    struct histogram all = histogram_new(16);
    for (int64_t k = 0; k < n; k++) {
        const struct histogram *h = &walkers[k]->histogram[ref];
        for (size_t i = 0; i <= h->mask; i++)
            if (h->bin[i].count)
                histogram_add(&all, h->bin[i]);
        if (h->latest.count)
            histogram_add(&all, h->latest);
    }
    struct bin *sorted = room(NULL, all.n, sizeof *sorted);
    size_t m = 0;
    for (size_t i = 0; i <= all.mask; i++)
        if (all.bin[i].count)
            sorted[m++] = all.bin[i];
    qsort(sorted, m, sizeof *sorted, by_interval);
    double cold = 0, thread_first = 0;
    for (int64_t k = 1; k <= n; k++) {
        cold += (double)first_by[k] / (double)k;
        thread_first += (double)first_by[k] * (double)(k - 1) / (double)k;
    }
    printf("    {\"ref\": %" PRIu32 ", \"text\": ", ref);
    print_string(refs[ref].text);
    printf(", \"cold\": %.17g, \"thread_first\": %.17g, \"bins\": [", cold, thread_first);
    for (size_t i = 0; i < m; i++)
        printf("%s[%" PRIu64 ", %" PRIu64 "]", i ? ", " : "", sorted[i].interval, sorted[i].count);
    printf("]}");
    free(sorted);
    free(all.bin);
}

static void print_all(walker *const *walkers, int64_t n, int64_t team)
{
    struct map lines = map_new(1024); /* by how many threads each line is touched */
    uint64_t accesses = 0;
    for (int64_t k = 0; k < n; k++) {
        accesses += walkers[k]->clock;
        for (size_t i = 0; i <= walkers[k]->seen.mask; i++) {
            const struct seen *seen = &walkers[k]->seen.slot[i];
            if (!seen->last)
                continue;
            struct seen *line = &lines.slot[map_slot(&lines, seen->line)];
            bool is_new = line->last == 0;
            *line = (struct seen){seen->line, 1, 0, line->sharers + 1};
            if (is_new)
                map_added(&lines);
        }
    }
    size_t row = (size_t)n + 1;
    uint64_t *first_by = zeroed((N_REFS + 1) * row, sizeof *first_by);
    for (int64_t k = 0; k < n; k++)
        for (size_t i = 0; i <= walkers[k]->seen.mask; i++) {
            const struct seen *seen = &walkers[k]->seen.slot[i];
            if (seen->last)
                first_by[seen->first_ref * row +
                         lines.slot[map_slot(&lines, seen->line)].sharers]++;
        }
    printf("{\"version\": 1, \"generator\": \"pluss codegen\", \"threads\": %" PRId64
           ", \"accesses\": %" PRIu64 ", \"lines\": %zu, \"refs\": [\n",
           team, accesses, lines.n);
    for (uint32_t ref = 0; ref < N_REFS; ref++) {
        print_ref(walkers, n, ref, &first_by[ref * row]);
        puts(ref + 1 < N_REFS ? "," : "");
    }
    puts("]}");
    free(first_by);
    free(lines.slot);
}

static int usage(const char *what)
{
    fprintf(
        stderr,
        "%s\nusage: [-T THREADS] [-D NAME=VALUE]... [--workers N] [--line BYTES]\nsymbols:", what);
    for (size_t i = 0; i < N_SYMBOLS; i++)
        fprintf(stderr, " %s%s", symbol_names[i].name, symbol_names[i].bound ? "" : "=?");
    fputs("\n", stderr);
    return 2;
}

static bool read_number(const char *text, int64_t *out)
{
    char *end;
    long long value = strtoll(text, &end, 0);
    *out = value;
    return end != text && *end == '\0';
}

/* NAME=VALUE or REGION.NAME=VALUE; the second is the stronger. */
static const char *define(const char *text, int64_t *value, bool *given, bool *strong)
{
    const char *equals = strchr(text, '=');
    int64_t number;
    if (!equals || !read_number(equals + 1, &number))
        return "-D wants NAME=VALUE";
    size_t length = (size_t)(equals - text);
    bool found = false;
    for (size_t i = 0; i < N_SYMBOLS; i++) {
        const char *region = symbol_names[i].region, *name = symbol_names[i].name;
        size_t prefix = strlen(region) + 1;
        bool plain = strlen(name) == length && memcmp(name, text, length) == 0;
        bool full = *region && length == prefix + strlen(name) &&
                    memcmp(region, text, prefix - 1) == 0 && text[prefix - 1] == '.' &&
                    memcmp(name, text + prefix, length - prefix) == 0;
        found = found || plain || full;
        if (full || (plain && !strong[i])) {
            value[i] = number;
            given[i] = true;
            strong[i] = full;
        }
    }
    return found ? NULL : "-D names no symbol";
}

int main(int argc, char **argv)
{
    enum { MOST_WORKERS = 256 };
    int64_t team = 1, line = 64, workers = sysconf(_SC_NPROCESSORS_ONLN), value[N_SYMBOLS + 1];
    bool given[N_SYMBOLS + 1] = {false}, strong[N_SYMBOLS + 1] = {false};
    memcpy(value, defaults, sizeof value);
    for (int i = 1; i < argc; i += 2) {
        const char *argument = argv[i + 1]; /* NULL past the end */
        if (!argument)
            return usage("an option without its argument");
        if (strcmp(argv[i], "-T") == 0) {
            if (!read_number(argument, &team) || team < 1 || team > 4096)
                return usage("-T wants 1 to 4096");
        } else if (strcmp(argv[i], "--workers") == 0) {
            if (!read_number(argument, &workers) || workers < 1 || workers > MOST_WORKERS)
                return usage("--workers wants 1 to 256");
        } else if (strcmp(argv[i], "--line") == 0) {
            if (!read_number(argument, &line) || line < 1 || line > 4096 || (line & (line - 1)))
                return usage("--line wants a power of two up to 4096");
        } else if (strcmp(argv[i], "-D") == 0) {
            const char *fault = define(argument, value, given, strong);
            if (fault)
                return usage(fault);
        } else {
            return usage(argv[i]);
        }
    }
    for (size_t i = 0; i < N_SYMBOLS; i++)
        if (!symbol_names[i].bound && !given[i]) {
            fprintf(stderr, "%s: ", symbol_names[i].name);
            return usage("has no value");
        }
    struct symbols s;
    memset(&s, 0, sizeof s);
    set_up(&s, value, given, line);

    walker *first = walker_new(&s, 0, team, line);
    find_teams(first);
    int64_t n = first->most_team;
    walker_free(first);
    walker **walkers = zeroed((size_t)n, sizeof *walkers);
    for (int64_t k = 0; k < n; k++)
        walkers[k] = walker_new(&s, k, team, line);
    struct job job = {walkers, n, 0};
    pthread_t worker[MOST_WORKERS];
    int started = 0; /* this thread works, too */
    while (started < least(least(workers, n), MOST_WORKERS) - 1 &&
           pthread_create(&worker[started], NULL, work, &job) == 0)
        started++;
    work(&job);
    for (int i = 0; i < started; i++)
        pthread_join(worker[i], NULL);
    print_all(walkers, n, team);
    for (int64_t k = 0; k < n; k++)
        walker_free(walkers[k]);
    free(walkers);
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
}
