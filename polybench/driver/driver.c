/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The main program of every kernel: runs it, times it, or checks it against its reference.
 *
 *   gemm [--size SMALL] [ni=60 ...] [--threads T] [--schedule static|dynamic|guided[,C]]
 *        [--time RUNS [--each-thread] | --check | --counts | --trace | --symbols | --contents
 * ARRAY]
 *
 * --schedule needs a program built with -DSCHEDULE=runtime. --check prints TAP, for every size,
 * team and schedule of the lists below that the options do not fix. Exit: 0 good, 1 a check failed,
 * 2 usage. --counts and --trace need a program whose references are counted; see refcount.h.
 */
#include <ctype.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver.h"
#include "refcount.h"
#ifdef COUNTED_BY_CALLGRIND
#include "counted_run.h"
#else
#define allocate_lines(bytes) aligned_alloc(64, bytes)
#define release_lines free
#define begin_count() ((void)0)
#endif

#define STRING_(x) #x
#define STRING(x) STRING_(x)
#ifndef SIZE
#define SIZE SMALL
#endif

static const struct {
    const char *kernel, *size, *symbols;
} sizes[] = {
#include "sizes.inc" /* made from sizes.csv */
};

static const struct {
    const char *name;
    omp_sched_t kind;
} kinds[] = {
    {"static", omp_sched_static}, {"dynamic", omp_sched_dynamic}, {"guided", omp_sched_guided}};

typedef struct problem {
    int n[MAX_SYMBOLS];
    void *x[MAX_ARRAYS];
    size_t bytes[MAX_ARRAYS];
} problem;

static void help(FILE *to)
{
    fprintf(to,
            "usage: %s [--size MINI|SMALL|... (see sizes.csv)] [symbol=value ...]\n"
            "       [--threads T] [--schedule static|dynamic|guided[,C]]\n"
            "       [--time RUNS [--each-thread] | --check | --counts | --trace | --symbols | "
            "--contents ARRAY]\n",
            the_case.name);
}

_Noreturn static void usage(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s%s\n", the_case.name, what, which);
    help(stderr);
    exit(2);
}

static int number(const char *text, int least)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > INT32_MAX)
        usage("not a number that is allowed here: ", text);
    return (int)value;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

static int symbol_index(const char *name, size_t length)
{
    for (int s = 0; the_case.symbols[s]; s++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)name[i]) == the_case.symbols[s][i])
            i++;
        if (i == length && !the_case.symbols[s][i])
            return s;
    }
    return -1;
}

/* "ni=60" into n; upper case is fine too. */
static void bind(const char *text, size_t length, int *n)
{
    const char *equals = memchr(text, '=', length);
    int s = equals ? symbol_index(text, (size_t)(equals - text)) : -1;
    if (s < 0)
        usage("unknown symbol or option: ", text);
    char value[16];
    snprintf(value, sizeof value, "%.*s", (int)(text + length - equals - 1), equals + 1);
    n[s] = number(value, 1);
}

static void size_symbols(const char *size, int *n)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!strcmp(sizes[i].kernel, the_case.name) && !strcmp(sizes[i].size, size)) {
            for (const char *p = sizes[i].symbols; *p;) {
                size_t length = strcspn(p, " ");
                bind(p, length, n);
                p += length + (p[length] == ' ');
            }
            for (int s = 0; the_case.symbols[s]; s++)
                if (!n[s])
                    usage("sizes.csv leaves out ", the_case.symbols[s]);
            return;
        }
    usage("sizes.csv has no size ", size);
}

/* ---- arrays --------------------------------------------------------------------------------- */

/* One extent, *text moved behind it. A sum of symbols and numbers, or a quotient. */
static size_t extent(const char **text, const int *n)
{
    const char *p = *text;
    long value = 0;
    char op = '+';
    do {
        long term;
        if (isdigit((unsigned char)*p)) {
            char *end;
            term = strtol(p, &end, 10);
            p = end;
        } else {
            size_t length = strspn(p, "abcdefghijklmnopqrstuvwxyz");
            int s = symbol_index(p, length);
            if (s < 0)
                usage("bad extent: ", p);
            term = n[s];
            p += length;
        }
        value = op == '+' ? value + term : op == '-' ? value - term : value / term;
        op = *p;
        p += op == '+' || op == '-' || op == '/';
    } while (op == '+' || op == '-' || op == '/');
    *text = p + strspn(p, " ");
    return (size_t)value;
}

static const size_t element_bytes[] = {sizeof(double), sizeof(int), 1, sizeof(struct particle)};

double uniform_at(unsigned long long array, unsigned long long index)
{
    /* two rounds of an xor-multiply mix of the place */
    uint64_t h = array * 0x9e3779b97f4a7c15u + index + 1;
    for (int i = 0; i < 2; i++) {
        h ^= h >> 32;
        h *= 0xd6e8feb86659fd93u;
    }
    h ^= h >> 32;
    return (double)(h >> 11) * 0x1p-53;
}

static void fill(problem *p)
{
    for (int a = 0; the_case.arrays[a].name; a++) {
        memset(p->x[a], 0, p->bytes[a]);
        if (the_case.arrays[a].type == F64)
            for (size_t i = 0; i < p->bytes[a] / sizeof(double); i++)
                ((double *)p->x[a])[i] = 0.5 + uniform_at((unsigned)a, i);
    }
    if (the_case.fill)
        the_case.fill(p->n, p->x);
}

static void allocate(problem *p, const int *n)
{
    memset(p, 0, sizeof *p);
    memcpy(p->n, n, sizeof p->n);
    for (int a = 0; the_case.arrays[a].name; a++) {
        const array_spec *spec = &the_case.arrays[a];
        p->bytes[a] = element_bytes[spec->type];
        for (const char *e = spec->extents; *e;)
            p->bytes[a] *= extent(&e, n);
        /* whole lines, so that every array starts a line of its own */
        p->x[a] = allocate_lines((p->bytes[a] + 63) / 64 * 64);
        if (!p->x[a]) {
            fprintf(stderr, "%s: no memory for %s: %zu bytes\n", the_case.name, spec->name,
                    p->bytes[a]);
            exit(2);
        }
    }
}

static void release(problem *p)
{
    for (int a = 0; the_case.arrays[a].name; a++)
        release_lines(p->x[a]);
}

/* ---- comparison ----------------------------------------------------------------------------- */

/* Says where, if anywhere, the results differ. */
static bool agree(const problem *got, const problem *expected, char *why, size_t size)
{
    double allowed = the_case.tolerance ? the_case.tolerance(got->n) : 0.0;
    for (int a = 0; the_case.arrays[a].name; a++) {
        const array_spec *spec = &the_case.arrays[a];
        if (!spec->result)
            continue;
        if (spec->type == I8 || spec->type == I32) {
            if (memcmp(got->x[a], expected->x[a], got->bytes[a])) {
                snprintf(why, size, "%s differs", spec->name);
                return false;
            }
            continue;
        }
        const double *g = got->x[a], *e = expected->x[a]; /* a particle is doubles too */
        size_t count = got->bytes[a] / sizeof(double);
        double most = 0.0;
        for (size_t i = 0; i < count; i++)
            most = fabs(e[i]) > most ? fabs(e[i]) : most;
        for (size_t i = 0; i < count; i++)
            if (!isfinite(e[i]) || !(fabs(g[i] - e[i]) <= allowed * most)) {
                snprintf(why, size, "%s, element %zu: got %.17g, expected %.17g, allowed %g",
                         spec->name, i, g[i], e[i], allowed * most);
                return false;
            }
    }
    return true;
}

/* Some result must differ from what it was filled with, or the check would prove nothing. */
static bool changed(const problem *p, const problem *before)
{
    for (int a = 0; the_case.arrays[a].name; a++)
        if (the_case.arrays[a].result && memcmp(p->x[a], before->x[a], p->bytes[a]))
            return true;
    return false;
}

/* ---- what can be asked for --------------------------------------------------------------------
 */

static void set_schedule(const char *text)
{
#ifndef SCHEDULE_AT_RUN_TIME
    usage("built without -DSCHEDULE=runtime, so there is no choice of schedule: ", text);
#endif
    size_t length = strcspn(text, ",");
    int chunk = text[length] ? number(text + length + 1, 1) : 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strlen(kinds[i].name) == length && !strncmp(kinds[i].name, text, length)) {
            omp_set_schedule(kinds[i].kind, chunk);
            return;
        }
    usage("unknown schedule: ", text);
}

static int check(const char *size, const int *n, int threads, const char *schedule)
{
    static const int teams[] = {1, 2, 4};
#ifdef SCHEDULE_AT_RUN_TIME
    static const char *const schedules[] = {"static", "static,1", "dynamic,1"};
#else
    static const char *const schedules[] = {"as it stands"};
#endif
    int failed = 0;
    problem expected, got;
    allocate(&expected, n);
    allocate(&got, n);
    fill(&got);
    fill(&expected);
    the_case.expect(expected.n, expected.x);
    bool sound = changed(&expected, &got);
    if (!sound)
        printf("not ok - %s %s: the reference changes nothing\n", the_case.name, size);
    failed += !sound;
    for (size_t t = 0; t < sizeof teams / sizeof *teams; t++)
        for (size_t s = 0; s < sizeof schedules / sizeof *schedules; s++) {
            if ((threads && t) || (schedule && s))
                continue;
            int team = threads ? threads : teams[t];
            const char *shared_out = schedule ? schedule : schedules[s];
            char why[256] = "";
            omp_set_num_threads(team);
#ifdef SCHEDULE_AT_RUN_TIME
            set_schedule(shared_out);
#endif
            fill(&got);
            the_case.run(got.n, got.x);
            bool good = agree(&got, &expected, why, sizeof why);
            printf("%s - %s %s T=%d %s\n", good ? "ok" : "not ok", the_case.name, size, team,
                   shared_out);
            if (!good)
                printf("  %s\n", why);
            failed += !good;
        }
    release(&got);
    release(&expected);
    return failed;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The processor time of each thread of the team up to now; waiting counts where threads spin
 * (OMP_WAIT_POLICY=passive: they do not). */
static void read_threads(double *busy)
{
#pragma omp parallel
    busy[omp_get_thread_num()] = seconds(CLOCK_THREAD_CPUTIME_ID);
}

static void time_runs(const char *size, const int *n, int runs, bool each_thread)
{
    problem p;
    const int team = omp_get_max_threads();
    double *before = calloc((size_t)team, sizeof *before);
    double *after = calloc((size_t)team, sizeof *after);
    if (!before || !after)
        usage("no memory for threads: ", the_case.name);
    allocate(&p, n);
    for (int r = 0; r < runs; r++) {
        fill(&p);
        if (each_thread)
            read_threads(before);
        begin_count();
        double elapsed = -seconds(CLOCK_MONOTONIC), busy = -seconds(CLOCK_PROCESS_CPUTIME_ID);
        the_case.run(p.n, p.x);
        elapsed += seconds(CLOCK_MONOTONIC);
        busy += seconds(CLOCK_PROCESS_CPUTIME_ID);
        printf("%s %s T=%d %.6f s, %.6f s of processor time\n", the_case.name, size, team, elapsed,
               busy);
        if (each_thread)
            read_threads(after);
        for (int t = 0; t < team && each_thread; t++)
            printf("%s %s thread %d: %.6f s of processor time\n", the_case.name, size, t,
                   after[t] - before[t]);
    }
    release(&p);
    free(before);
    free(after);
}

/* Counts the references of one run; only in programs that are linked with refcount.c. */
static void count_references(const int *n, FILE *trace)
{
    problem p;
    allocate(&p, n);
    fill(&p);
    for (int a = 0; the_case.arrays[a].name; a++)
        refcount_array(the_case.arrays[a].name, p.x[a], p.bytes[a]);
    refcount_start(trace);
    the_case.run(p.n, p.x);
    if (!trace)
        refcount_print(stdout);
    release(&p);
}

/* The integers that an index array is filled with, one a line. */
static void print_contents(const int *n, const char *name)
{
    problem p;
    allocate(&p, n);
    fill(&p);
    for (int a = 0; the_case.arrays[a].name; a++)
        if (!strcmp(the_case.arrays[a].name, name) && the_case.arrays[a].type == I32) {
            for (size_t i = 0; i < p.bytes[a] / sizeof(int); i++)
                printf("%d\n", ((const int *)p.x[a])[i]);
            release(&p);
            return;
        }
    usage("no array of integers is called ", name);
}

int main(int argc, char **argv)
{
    const char *size = NULL, *schedule = NULL, *contents = NULL;
    int n[MAX_SYMBOLS] = {0}, threads = 0, runs = 1;
    bool each_thread = false;
    enum { TIME, CHECK, COUNTS, TRACE, SYMBOLS, CONTENTS } what = TIME;
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        bool valued = !strcmp(option, "--size") || !strcmp(option, "--threads") ||
                      !strcmp(option, "--schedule") || !strcmp(option, "--time") ||
                      !strcmp(option, "--contents");
        const char *value = valued && ++i < argc ? argv[i] : NULL;
        if (valued && !value)
            usage("no value after ", option);
        if (!strcmp(option, "--size"))
            size = value;
        else if (!strcmp(option, "--threads"))
            omp_set_num_threads(threads = number(value, 1));
        else if (!strcmp(option, "--schedule"))
            set_schedule(schedule = value);
        else if (!strcmp(option, "--time"))
            runs = number(value, 1);
        else if (!strcmp(option, "--contents")) {
            contents = value;
            what = CONTENTS;
        } else if (!strcmp(option, "--each-thread"))
            each_thread = true;
        else if (!strcmp(option, "--check"))
            what = CHECK;
        else if (!strcmp(option, "--counts"))
            what = COUNTS;
        else if (!strcmp(option, "--trace"))
            what = TRACE;
        else if (!strcmp(option, "--symbols"))
            what = SYMBOLS;
        else if (!strcmp(option, "--help")) {
            help(stdout);
            return 0;
        } else if (*option == '-' || !strchr(option, '='))
            usage("unknown option: ", option);
    }
    static const char *const checked[] = {"MINI", "SMALL"};
    int failed = 0;
    for (size_t s = 0; s < sizeof checked / sizeof *checked; s++) {
        const char *now = size ? size : what == CHECK ? checked[s] : STRING(SIZE);
        if (s && (size || what != CHECK))
            break;
        size_symbols(now, n);
        for (int i = 1; i < argc; i++)
            if (argv[i][0] != '-' && strchr(argv[i], '='))
                bind(argv[i], strlen(argv[i]), n);
        if (what == CHECK)
            failed += check(now, n, threads, schedule);
        else if (what == TIME)
            time_runs(now, n, runs, each_thread);
        else if (what == COUNTS || what == TRACE)
            count_references(n, what == TRACE ? stdout : NULL);
        else if (what == CONTENTS)
            print_contents(n, contents);
        else
            for (int k = 0; the_case.symbols[k]; k++)
                printf("%s=%d\n", the_case.symbols[k], n[k]);
    }
    return failed ? 1 : 0;
}
