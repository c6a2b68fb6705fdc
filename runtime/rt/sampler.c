/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The samples of a region's run: settings from the environment, and dispatch of the walks to
 * workers. Walks are dispatched under the sample's lock; in between a worker uses only the memory
 * of its walk.
 */
#include "rt/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rt/hold_signals.h"
#include "rt/keep_errno.h"
#include "rt/outfile.h"
#include "rt/own_memory.h"
#include "rt/runs.h"
#include "rt/ticks.h"
#include "rt/walks.h"

enum { MAX_TEAMS = 64, MAX_WORKERS = 256 };

/* ---- settings ----------------------------------------------------------------------- */

typedef struct settings {
    bool on;
    uint32_t team[MAX_TEAMS];
    uint32_t n_teams, workers;
    plussi_walk_schedule schedule;
    double rate;
    uint32_t lines; /* 0: for no region; PLUSS_RT_SAMPLE_DATA: for regions with it; UINT32_MAX: for
                       all */
} settings;

static settings setup;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Functions of the OpenMP runtime, if the program has one. */

static bool read_count(const char **text, uint64_t most, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long n = strtoull(*text, &end, 10);
    if (end == *text || **text < '0' || **text > '9' || errno || n < 1 || n > most)
        return false;
    *text = end;
    *out = n;
    return true;
}

static bool read_teams(const char *text, settings *s)
{
    for (s->n_teams = 0; s->n_teams < MAX_TEAMS; text++) {
        uint64_t n;
        if (!read_count(&text, PLUSSI_MAX_TEAM, &n))
            return false;
        bool again = false;
        for (uint32_t i = 0; i < s->n_teams; i++)
            again |= s->team[i] == n;
        if (!again)
            s->team[s->n_teams++] = (uint32_t)n;
        if (*text != ',')
            return *text == '\0';
    }
    return false;
}

/* By PLUSS_RT_WALK_...; the others cannot be set. */
static const char *const schedule_name[] = {"static", "dynamic", "guided"};

static bool read_schedule(const char *text, plussi_walk_schedule *schedule)
{
    size_t name = strcspn(text, ",");
    for (uint32_t kind = 0; kind < sizeof schedule_name / sizeof *schedule_name; kind++) {
        if (strlen(schedule_name[kind]) != name || strncmp(text, schedule_name[kind], name) != 0)
            continue;
        uint64_t chunk = 0;
        text += name;
        if (*text == ',') {
            text++;
            if (!read_count(&text, INT64_MAX, &chunk))
                return false;
        }
        *schedule = (plussi_walk_schedule){true, kind, (int64_t)chunk};
        return *text == '\0';
    }
    return false;
}

static bool read_rate(const char *text, double *rate)
{
    char *end;
    double r = strtod(text, &end);
    if (end == text || *end || !(r > 0 && r <= 1))
        return false;
    *rate = r;
    return true;
}

static bool read_lines(const char *text, uint32_t *lines)
{
    bool all = strcmp(text, "all") == 0, data = strcmp(text, "data") == 0;
    *lines = all ? UINT32_MAX : data ? PLUSS_RT_SAMPLE_DATA : 0;
    return all || data || strcmp(text, "none") == 0;
}

static const char *read_setting(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* Reports a setting that cannot be read; nothing is sampled then. A program started by hand has no
 * other way to learn of it. */
static void refuse_setting(const char *name)
{
    plussi_tell("nothing is sampled: %s=%s is not understood", name, getenv(name));
    setup.on = false;
}

/* If a program has walked with several system threads, they do not exist in its child processes,
 * which OpenMP runtimes do not notice. */
static void in_child(void)
{
    setup.workers = 1;
    plussi_rt_walks_forget();
}

/* Not where the settings are read: it allocates. */
__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

static void read_settings(void)
{
    const char *text;
    uint64_t n;
    setup.on = read_setting("PLUSS_RECORD") != NULL;
    setup.rate = 1;
    setup.lines = PLUSS_RT_SAMPLE_DATA;
    setup.n_teams = 1;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    setup.workers = processors < 1 ? 1 : processors > MAX_WORKERS ? MAX_WORKERS : processors;
    int team = omp_get_max_threads ? omp_get_max_threads() : (int)setup.workers;
    setup.team[0] = team < 1 ? 1 : team > PLUSSI_MAX_TEAM ? PLUSSI_MAX_TEAM : (uint32_t)team;
    if (!setup.on)
        return;
    if ((text = read_setting("PLUSS_SAMPLE_TEAMS")) && !read_teams(text, &setup))
        refuse_setting("PLUSS_SAMPLE_TEAMS");
    if ((text = read_setting("PLUSS_SAMPLE_SCHEDULE")) && !read_schedule(text, &setup.schedule))
        refuse_setting("PLUSS_SAMPLE_SCHEDULE");
    if ((text = read_setting("PLUSS_SAMPLE_RATE")) && !read_rate(text, &setup.rate))
        refuse_setting("PLUSS_SAMPLE_RATE");
    if ((text = read_setting("PLUSS_SAMPLE_LINES")) && !read_lines(text, &setup.lines))
        refuse_setting("PLUSS_SAMPLE_LINES");
    if ((text = read_setting("PLUSS_SAMPLE_WORKERS"))) {
        if (read_count(&text, MAX_WORKERS, &n) && *text == '\0')
            setup.workers = (uint32_t)n;
        else
            refuse_setting("PLUSS_SAMPLE_WORKERS");
    }
}

/* ---- the walks of a run ---------------------------------------------------------------------- */

/* One team size. */
typedef struct entry {
    uint32_t team, seen; /* as set; the largest after num_threads clauses */
    uint32_t next;       /* next thread to walk */
    bool planned, planning;
    uint64_t lost;
    plussi_plan plan;
    plussi_collector **thread;     /* by thread */
    plussi_sampled_thread **trace; /* likewise */
} entry;

struct pluss_rt_sample {
    pluss_rt_run *run;
    plussi_known *known;
    uint64_t began;    /* nanoseconds */
    uint64_t accesses; /* of all walks except planning passes */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t running;
    uint32_t n_entries;
    entry *entry;
    bool with_trace; /* sampled traces are wanted */
};

static _Thread_local bool walking; /* the calling thread is in a sampler */

static void sample_free(pluss_rt_sample *s)
{
    for (uint32_t i = 0; s->entry && i < s->n_entries; i++) {
        entry *e = &s->entry[i];
        plussi_plan_free(&e->plan);
        for (uint32_t k = 0; k < e->seen; k++) {
            plussi_collector_give(e->thread ? e->thread[k] : NULL);
            plussi_sampled_thread_free(e->trace ? e->trace[k] : NULL);
        }
        plussi_free(&plussi_own, e->thread);
        plussi_free(&plussi_own, e->trace);
    }
    plussi_free(&plussi_own, s->entry);
    plussi_free(&plussi_own, s);
}

static bool needs_plan(uint32_t flags)
{
    if (flags & PLUSS_RT_SAMPLE_SECTIONS)
        return true;
    return setup.schedule.given ? setup.schedule.kind != PLUSS_RT_WALK_STATIC
                                : (flags & PLUSS_RT_SAMPLE_ON_DEMAND) != 0;
}

/* Makes room for more threads; false: out of memory, with the room unchanged. */
static bool make_room(entry *e, uint32_t n)
{
    plussi_collector **thread = plussi_realloc(&plussi_own, e->thread, n, sizeof *thread);
    if (thread)
        e->thread = thread;
    plussi_sampled_thread **trace =
        thread ? plussi_realloc(&plussi_own, e->trace, n, sizeof *trace) : NULL;
    if (!trace)
        return false;
    e->trace = trace;
    memset(thread + e->seen, 0, (n - e->seen) * sizeof *thread);
    memset(trace + e->seen, 0, (n - e->seen) * sizeof *trace);
    e->seen = n;
    return true;
}

static pluss_rt_sample *sample_new(pluss_rt_run *run, plussi_known *known, uint32_t flags)
{
    pluss_rt_sample *s = plussi_calloc(&plussi_own, 1, sizeof *s);
    if (!s)
        return NULL;
    s->run = run;
    s->began = plussi_nanoseconds();
    s->known = known;
    s->n_entries = setup.n_teams;
    s->entry = plussi_calloc(&plussi_own, s->n_entries, sizeof *s->entry);
    bool ok = s->entry != NULL;
    for (uint32_t i = 0; ok && i < s->n_entries; i++) {
        s->entry[i].team = setup.team[i];
        s->entry[i].planned = !needs_plan(flags) || setup.team[i] == 1;
        ok = make_room(&s->entry[i], setup.team[i]);
    }
    if (!ok) {
        sample_free(s);
        return NULL;
    }
    return s;
}

pluss_rt_sample *pluss_rt_sample_begin(pluss_rt_run *run, uint32_t flags)
{
    PLUSSI_KEEP_ERRNO;
    PLUSSI_HOLD_SIGNALS; /* locks, here and below */
    pthread_once(&once, read_settings);
    plussi_known *known = setup.on && !walking ? plussi_run_known(run) : NULL;
    if (!known)
        return NULL;
    pluss_rt_sample *s = sample_new(run, known, flags);
    if (!s) {
        pluss_rt_lost(run, 1);
        return NULL;
    }
    s->with_trace = setup.lines == UINT32_MAX || (setup.lines & flags) != 0;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    return s;
}

/* Threads cost more than a walk of few accesses, judged by the previous one. */
uint32_t pluss_rt_sample_workers(const pluss_rt_sample *s)
{
    enum { FEW_ACCESSES = 20000 };
    uint64_t walks = 0, before = atomic_load_explicit(&s->known->sampled, memory_order_relaxed);
    if (before && before < FEW_ACCESSES)
        return 1;
    for (uint32_t i = 0; i < s->n_entries; i++)
        walks += s->entry[i].team;
    return walks < setup.workers ? (uint32_t)walks : setup.workers;
}

static void end_walk(pluss_rt_sample *s, pluss_rt_walk *w)
{
    entry *e = w->entry;
    uint32_t thread = w->thread, seen = w->seen;
    bool plans = w->plans;
    plussi_sampled_thread *trace;
    plussi_collector *c = plussi_rt_walk_finish(w, &trace);
    pthread_mutex_lock(&s->lock);
    if (plans) {
        e->planned = true;
        e->lost += e->plan.failed;
        plussi_collector_give(c);
    } else {
        s->accesses += c->clock;
        e->thread[thread] = c;
        e->trace[thread] = trace;
    }
    if (seen > e->seen && !make_room(e, seen))
        e->lost++;
    s->running--;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

/* A walk that can start now; NULL: none. */
static entry *find_startable(pluss_rt_sample *s, bool *plans)
{
    for (uint32_t i = 0; i < s->n_entries; i++) {
        entry *e = &s->entry[i];
        *plans = !e->planned;
        if (*plans ? !e->planning : e->next < e->seen)
            return e;
    }
    return NULL;
}

pluss_rt_walk *pluss_rt_sample_next(pluss_rt_sample *s, pluss_rt_walk *done)
{
    PLUSSI_KEEP_ERRNO;
    PLUSSI_HOLD_SIGNALS;
    if (done)
        end_walk(s, done);
    walking = true;
    pluss_rt_walk *w = NULL;
    pthread_mutex_lock(&s->lock);
    while (!w) {
        bool plans;
        entry *e = find_startable(s, &plans);
        if (!e) {
            if (s->running == 0)
                break;
            pthread_cond_wait(&s->changed, &s->lock);
            continue;
        }
        uint32_t thread = plans ? 0 : e->next++;
        e->planning |= plans;
        w = plussi_rt_walk_new(&s->known->region, e->team, thread, plans, setup.rate,
                               s->with_trace ? PLUSSI_SAMPLED_TEAM / e->team : 0, &e->plan,
                               setup.schedule);
        if (w) {
            w->entry = e;
            s->running++;
        } else {
            e->lost++;
            e->planned |= plans;
        }
    }
    pthread_mutex_unlock(&s->lock);
    walking = w != NULL;
    return w;
}

/* Passes an entry's collectors on; false: out of memory. */
static bool hand_over(pluss_rt_run *run, entry *e)
{
    plussi_sampled *found = plussi_calloc(&plussi_own, 1, sizeof *found);
    if (!found)
        return false;
    plussi_collect_shared(e->thread, e->seen, 0);
    for (uint32_t k = 0; k < e->seen; k++)
        if (e->thread[k])
            plussi_rt_scale_shared(e->thread[k]);
    *found = (plussi_sampled){.team = e->seen,
                              .default_team = e->team < e->seen ? e->team : e->seen,
                              .lost = e->lost,
                              .all_lines = setup.rate >= 1,
                              .thread = e->thread,
                              .trace = e->trace};
    e->thread = NULL;
    e->trace = NULL;
    if (setup.schedule.given) {
        found->schedule = schedule_name[setup.schedule.kind];
        found->chunk = setup.schedule.chunk;
    }
    plussi_run_sampled(run, found);
    return true;
}

void pluss_rt_sample_end(pluss_rt_sample *s)
{
    PLUSSI_KEEP_ERRNO;
    if (!s)
        return;
    PLUSSI_HOLD_SIGNALS;
    atomic_store_explicit(&s->known->sampled, s->accesses + 1, memory_order_relaxed);
    for (uint32_t i = 0; i < s->n_entries; i++)
        if (!hand_over(s->run, &s->entry[i]))
            pluss_rt_lost(s->run, 1);
    plussi_run_was_sampled(s->run, s->began);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->changed);
    sample_free(s);
}
