/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The options by name: one table, which the command's help and every binding can list.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "study/arguments.h"
#include "study/request.h"

static pluss_status refuse(plussi_argument *a, const char *why)
{
    a->why = why;
    return PLUSS_EINVAL;
}

/* ---- texts -------------------------------------------------------------------------------------
 */

static pluss_status parse_threads(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    uint32_t *team;
    size_t n;
    pluss_status status = plussi_read_threads(&ctx->mem, a, &team, &n);
    if (status)
        return status;
    status = plussi_request_set_teams(ctx, request, team, n);
    plussi_free(&ctx->mem, team);
    return status;
}

enum { NAMES_MOST = 32, VALUES_MOST = 256 };

/* The comma after a name, or the end; the names that the plugin gives may have commas in
 * parentheses, as ubound(a,2). */
static const char *find_name_end(const char *name, const char *end)
{
    int open = 0;
    for (; name < end && (open > 0 || *name != ','); name++)
        open += (*name == '(') - (*name == ')');
    return name;
}

/* NAME,...=VALUE,... */
static pluss_status parse_binding(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    (void)ctx;
    const char *equals = strrchr(a->text, '='), *name[NAMES_MOST], *next = a->text;
    int64_t value[VALUES_MOST];
    size_t n_names = 0, n = 0;
    if (!equals || equals == a->text)
        return refuse(a, "it is NAME=VALUE");
    a->at = equals + 1;
    do {
        if (n == VALUES_MOST)
            return refuse(a, "there are at most 256 values");
        if (!plussi_read_integer(a, &value[n++]))
            return PLUSS_EINVAL;
    } while (plussi_skip(a, ","));
    if (!plussi_at_end(a))
        return PLUSS_EINVAL;
    for (const char *end; next <= equals; next = end + 1) {
        end = find_name_end(next, equals);
        a->at = next;
        if (end == next)
            return refuse(a, "it is NAME=VALUE");
        if (n_names == NAMES_MOST)
            return refuse(a, "there are at most 32 names");
        name[n_names] = plussi_arena_strndup(&request->arena, next, (size_t)(end - next));
        if (!name[n_names++])
            return PLUSS_ENOMEM;
    }
    return plussi_request_bind_list(request, name, n_names, value, n);
}

static pluss_status parse_model(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    const plussi_model *model = plussi_model_named(a->text);
    (void)ctx;
    if (!model)
        return refuse(a, "there is no such model");
    request->model = model->name;
    return PLUSS_OK;
}

static bool is_share(double value)
{
    return value > 0 && value < 1;
}

static bool is_share_or_none(double value)
{
    return value >= 0 && value < 1;
}

static bool is_above_none(double value)
{
    return value > 0 && isfinite(value);
}

static bool is_interval(double ns)
{
    return ns >= 1 && ns <= 1e10;
}

static pluss_status parse_stops(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    (void)ctx;
    bool by_timer = strcmp(a->text, "timer") == 0;
    if (!by_timer && strcmp(a->text, "afterwards") != 0)
        return refuse(a, "stops are made by the timer, or afterwards");
    request->gaps.by_timer = by_timer;
    return PLUSS_OK;
}

static pluss_status parse_progress(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    plussi_progress progress;
    bool by_default;
    pluss_status status = plussi_progress_parse(ctx, a->text, &progress, &by_default);
    return status ? status : plussi_request_set_progress(ctx, request, &progress, by_default);
}

static pluss_status parse_time_model(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    (void)ctx;
    for (plussi_time_model m = 0; m < PLUSSI_TIME_MODELS; m++)
        if (strcmp(a->text, plussi_time_model_name(m)) == 0) {
            request->time_model = m;
            return PLUSS_OK;
        }
    return refuse(a, "the models of time are overlap and sum");
}

static pluss_status parse_rates(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    double rate[PLUSSI_PROGRAMS_MOST];
    size_t n = 0;
    (void)ctx;
    do {
        if (n == PLUSSI_PROGRAMS_MOST)
            return refuse(a, "there are at most 64 programs");
        if (!plussi_read_real(a, &rate[n]))
            return PLUSS_EINVAL;
        if (!(rate[n] >= 1e-6 && rate[n] <= 1e6))
            return refuse(a, "a rate is a number from 0.000001 to 1000000");
        n++;
    } while (plussi_skip(a, ","));
    if (!plussi_at_end(a))
        return PLUSS_EINVAL;
    memcpy(request->rate, rate, n * sizeof *rate);
    request->n_rates = n;
    return PLUSS_OK;
}

static pluss_status parse_sampling(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    plussi_sampling s = {.pruned = 0.99};
    (void)ctx;
    if (!plussi_read_count(a, &s.profiled) || !plussi_skip(a, "/") ||
        !plussi_read_count(a, &s.every))
        return refuse(a, "P/N or P/N:SHARE, accesses, as in 10000/100000:0.99");
    if (plussi_skip(a, ":") && !plussi_read_share(a, &s.pruned))
        return PLUSS_EINVAL;
    if (!plussi_at_end(a))
        return PLUSS_EINVAL;
    if (!(s.profiled > 0 && s.profiled < s.every && s.pruned > 0 && s.pruned <= 1))
        return refuse(a, "0 < P < N, and a share above 0 and at most 1");
    request->sampling = s;
    return PLUSS_OK;
}

static pluss_status parse_hit_rates(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    plussi_hit_rate of[PLUSSI_HIT_RATES_MOST];
    size_t n = 0;
    uint64_t ways;
    (void)ctx;
    do {
        if (n == PLUSSI_HIT_RATES_MOST)
            return refuse(a, "there are at most 16 caches");
        if (!plussi_read_size(a, &of[n].bytes))
            return PLUSS_EINVAL;
        if (!plussi_skip(a, ":") || !plussi_read_count(a, &ways))
            return refuse(a, "a cache is its size and its ways, as in 32K:8");
        if (ways < 1 || ways > UINT32_MAX || ways > of[n].bytes)
            return refuse(a, "a cache has at least one way, and no more than bytes");
        of[n++].ways = (uint32_t)ways;
    } while (plussi_skip(a, ","));
    if (!plussi_at_end(a))
        return PLUSS_EINVAL;
    memcpy(request->hit_rate, of, n * sizeof *of);
    request->n_hit_rates = n;
    return PLUSS_OK;
}

/* 5%@L2,1%: of any level. In place of the limits of that severity which there were. */
static pluss_status read_limits(plussi_request *request, plussi_argument *a,
                                plussi_severity severity)
{
    plussi_limit made[PLUSSI_LIMITS_MOST];
    size_t n = 0;
    for (size_t i = 0; i < request->n_limits; i++)
        if (request->limit[i].severity != severity)
            made[n++] = request->limit[i];
    do {
        double percent;
        if (n == PLUSSI_LIMITS_MOST)
            return refuse(a, "there are at most 16 limits");
        if (!plussi_read_real(a, &percent))
            return PLUSS_EINVAL;
        if (!plussi_skip(a, "%"))
            return refuse(a, "a limit is as in 5%@L2, or 5% of any level");
        made[n] = (plussi_limit){.ratio = percent / 100, .severity = severity};
        if (plussi_skip(a, "@")) {
            const size_t length = strcspn(a->at, ",");
            if (length == 0 || length >= PLUSSI_LEVEL_NAME)
                return refuse(a, "after @ comes the name of a level, as L2");
            memcpy(made[n].level, a->at, length);
            a->at += length;
        }
        n++;
    } while (plussi_skip(a, ","));
    if (!plussi_at_end(a))
        return PLUSS_EINVAL;
    memcpy(request->limit, made, n * sizeof *made);
    request->n_limits = n;
    return PLUSS_OK;
}

static pluss_status parse_warnings(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    (void)ctx;
    return read_limits(request, a, PLUSSI_WARNING);
}

static pluss_status parse_errors(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    (void)ctx;
    return read_limits(request, a, PLUSSI_ERROR);
}

static pluss_status parse_schedule(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    static const struct {
        const char *name;
        plussi_schedule_kind kind;
    } known[] = {{"static", PLUSSI_SCHED_STATIC},
                 {"dynamic", PLUSSI_SCHED_DYNAMIC},
                 {"guided", PLUSSI_SCHED_GUIDED},
                 {"written", PLUSSI_SCHED_NONE},
                 {"recorded", PLUSSI_SCHED_NONE}};
    enum { N = sizeof known / sizeof *known };
    int64_t chunk = 0;
    size_t i = 0;
    while (i < N && !plussi_skip(a, known[i].name))
        i++;
    bool as_recorded = i == N - 1, chunked = i < N - 2;
    if (i == N || (*a->at && (*a->at != ',' || !chunked)))
        return refuse(a, "a schedule is static, dynamic or guided, with a chunk as in "
                         "static,4, or written or recorded");
    if (plussi_skip(a, ",")) {
        if (!plussi_read_integer(a, &chunk) || !plussi_at_end(a))
            return PLUSS_EINVAL;
        if (chunk <= 0) {
            (void)plussi_refuse(a, "a chunk has at least one iteration");
            return PLUSS_EINVAL;
        }
    }
    return plussi_request_add_schedule(ctx, request, known[i].kind, chunk, as_recorded);
}

static pluss_status parse_region(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    (void)ctx;
    return plussi_request_add_region(request, a->text);
}

static pluss_status parse_contents(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    const char *equals = strchr(a->text, '=');
    int64_t *values;
    size_t n;
    if (!equals || equals == a->text || !equals[1])
        return refuse(a, "it is ARRAY=FILE");
    pluss_status status = plussi_read_index_array(ctx, equals + 1, &values, &n);
    if (status)
        return status;
    status = plussi_request_add_contents(request, a->text, (size_t)(equals - a->text), values, n);
    plussi_free(&ctx->mem, values);
    return status;
}

static pluss_status parse_record(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    return plussi_request_read_record(ctx, request, a->text);
}

static pluss_status parse_machine(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    return plussi_request_read_machine(ctx, request, a->text);
}

/* ---- lines -------------------------------------------------------------------------------------
 */

static const char line_range[] = "a line has a power of two of bytes, up to 4096";

static bool is_line(uint64_t bytes)
{
    return bytes > 0 && bytes <= 4096 && (bytes & (bytes - 1)) == 0;
}

static pluss_status parse_lines(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    plussi_sweep lines;
    (void)ctx;
    if (!plussi_read_sweep(a, ",", NULL, line_range, &lines) || !plussi_at_end(a))
        return PLUSS_EINVAL;
    for (size_t i = 0; i < lines.n; i++)
        if (!is_line(lines.value[i])) {
            a->at = a->text;
            return refuse(a, line_range);
        }
    request->line_bytes = lines.value[0];
    request->lines = lines;
    request->lines.n = lines.n > 1 ? lines.n : 0;
    return PLUSS_OK;
}

/* ---- caches ------------------------------------------------------------------------------------
 */

/* The levels are rows of tables, too. */
static pluss_status parse_caches(plussi_ctx *ctx, plussi_request *request, plussi_argument *a)
{
    plussi_cache_level level[PLUSSI_CACHES_MOST];
    plussi_report_cache row[PLUSSI_CACHES_MOST];
    plussi_machine_caches levels = {0};
    plussi_ways_sweep ways = {0};
    size_t n = 0;
    bool described = false, machine = strcmp(a->text, "machine") == 0;
    (void)ctx;
    if (!machine && !plussi_read_caches(a, level, &n, &described, &ways))
        return PLUSS_EINVAL;
    for (size_t i = 0; i < n; i++) {
        row[i] = (plussi_report_cache){.bytes = level[i].bytes,
                                       .label = level[i].name[0] ? level[i].name : NULL,
                                       .threads = level[i].threads_per_cache};
        if (described)
            levels.hierarchy.level[levels.hierarchy.n++] = level[i];
    }
    pluss_status status = plussi_request_set_caches(request, row, n);
    if (!status) {
        request->levels = levels;
        request->ways = ways;
        request->machine_levels = machine;
        request->levels_asked_for = true;
    }
    return status;
}

/* ---- the table ---------------------------------------------------------------------------------
 */

enum {
    PREDICTS = PLUSSI_FOR_PREDICT | PLUSSI_FOR_RUN,
    ALL = PREDICTS | PLUSSI_FOR_SIMULATE,
};
#define TEXT(name, letter, syntax, verbs, adds, parse, summary)                                    \
    {                                                                                              \
        name, syntax, summary, letter, adds, verbs, 0, 0, 0, 0, NULL, NULL, NULL, parse            \
    }
#define REAL(name, syntax, verbs, member, read, fits, range, summary)                              \
    {                                                                                              \
        name, syntax, summary, 0, false, verbs, 0, offsetof(plussi_request, member), 0, 0, range,  \
            read, fits, NULL                                                                       \
    }
#define INTEGER(name, syntax, verbs, member, least, most, range, summary)                          \
    {                                                                                              \
        name, syntax, summary, 0, false, verbs, sizeof((plussi_request *)0)->member,               \
            offsetof(plussi_request, member), least, most, range, NULL, NULL, NULL                 \
    }
#define FLAG(name, verbs, member, summary)                                                         \
    INTEGER(name, NULL, verbs, member, 0, 1, "a flag is 0 or 1", summary)

static const plussi_option table[] = {
    TEXT("threads", 'T', "LIST", ALL, false, parse_threads,
         "numbers of threads: 1,4,16-64 or 1..64x2 (doubling)"),
    TEXT("define", 'D', "NAME=VALUE", ALL, true, parse_binding,
         "value of a symbol, or of REGION.NAME; decimal or 0x hexadecimal. ts=8,16,32: one after "
         "another; n,m=64,128: of several symbols, step by step"),
    TEXT("model", 0, "NAME", PREDICTS, false, parse_model, "the model to predict with"),
    INTEGER("collect", "T", PLUSSI_FOR_PREDICT, collect_team, 1, UINT32_MAX,
            "a team has at least one thread",
            "collect private reuse intervals with T threads and extrapolate; default: with each "
            "number of threads"),
    REAL("error", "E", PREDICTS, error_target, plussi_read_share, is_share,
         "an error is a miss ratio above 0 and below 1, as in 0.2% or 0.002",
         "sample until the mean standard error is below E, as in 0.2% or 0.002; default: "
         "sample once"),
    INTEGER("effort", "N", ALL, effort, 1, INT64_MAX, "an effort is at least one step",
            "steps that a curve may take, of about ten nanoseconds; default 600000000. What "
            "takes more is walked if that takes fewer, with a warning, else refused. "
            "Simulations and models that walk: default 1000000000000, some hours"),
    INTEGER("workers", "N", ALL, workers, 1, 1024, "there are 1 to 1024 workers",
            "threads that pluss works with, at most; default: as many as processors may be used. "
            "The results are the same"),
    TEXT("progress", 0, "LAW", ALL, false, parse_progress,
         "how the threads progress, a law of those below, and so the order in which they "
         "make their accesses; predicted other than uniformly by the model clock alone"),
    FLAG("explain", PREDICTS, explain,
         "why the curve falls where it does: the references and loops of each knee"),
    FLAG("spread", PREDICTS, spread,
         "how far single runs are from their mean, with uniform progress too; takes some "
         "ten times as long"),
    TEXT("schedule", 0, "KIND", ALL, true, parse_schedule,
         "of all parallel loops, in place of what is written: static, dynamic or guided, "
         "chunk as in static,4; or written; or recorded: chunks as in a recorded run. May be given "
         "again: one after another"),
    TEXT("cache", 0, "LIST", ALL, false, parse_caches,
         "caches to show: sizes, 32K,1M, or levels, L1=32K,L2=1M,L3=32M:shared (else each "
         "thread's own; :shared=N: of N threads), L1=32K:ways=8,... as they work, ways=1..16 or "
         "4/8/full one after another; or "
         "machine: "
         "those of the machine file"),
    TEXT("warn", 0, "LIMITS", 0, false, parse_warnings,
         "a loop that misses in more of its accesses is a warning: 5%@L2, or 5% of any level; "
         "several between commas"),
    TEXT("fail", 0, "LIMITS", 0, false, parse_errors,
         "a loop that misses in more of its accesses is an error, likewise"),
    TEXT("hit-rate", 0, "LIST", ALL, false, parse_hit_rates,
         "hit rates of single caches, from distances alone (stack distance cache model): sizes and "
         "ways, as in 32K:8,16M:20"),
    FLAG("formulas", PLUSSI_FOR_PREDICT, formulas,
         "reuse distances and their accesses as formulas of the loop bounds, of the model "
         "extrapolate"),
    {"line", "BYTES",
     "size of a cache line, a power of two; default 64. 32..256 or 32,128: several, one after "
     "another",
     0, false, ALL, sizeof(uint32_t), offsetof(plussi_request, line_bytes), 1, 4096, line_range,
     NULL, NULL, parse_lines},
    INTEGER("seed", "N", ALL, seed, 0, INT64_MAX, "a seed is below 2^63",
            "of everything random; default 0"),
    TEXT("region", 0, "NAME", ALL | PLUSSI_FOR_GAPS | PLUSSI_FOR_CALIBRATE, true, parse_region,
         "take this region alone; may be given again"),
    FLAG("together", ALL, together,
         "all regions as one program, in order, each with the cache as the one before left it; "
         "of a recorded run, the sequence of all runs"),
    TEXT("contents", 0, "ARRAY=FILE", PLUSSI_FOR_PREDICT | PLUSSI_FOR_SIMULATE, true,
         parse_contents,
         "what an index array holds: integers, white space between, in order; may be given "
         "again"),
    TEXT("record", 0, "FILE", PLUSSI_FOR_PREDICT | PLUSSI_FOR_SIMULATE, false, parse_record,
         "of recorded schedules and recorded progress: the record that has the chunks, or "
         "the time stamps, of runs with as many threads (pluss run --save)"),
    TEXT("machine", 0, "FILE", ALL, false, parse_machine,
         "the machine file: levels of caches, and the numbers that progress rates and slices "
         "leave out"),
    FLAG("simulate", PLUSSI_FOR_RUN, simulate,
         "walk every access in the order that the progress tells, in place of predicting"),
    REAL("interval", "TIME", PLUSSI_FOR_GAPS, gaps.interval, plussi_read_interval, is_interval,
         "an interval is a number of ns, us, ms or s, up to 10s: 100us",
         "between stops: a number of ns, us, ms or s; default 100us"),
    TEXT("stops", 0, "HOW", PLUSSI_FOR_GAPS, false, parse_stops,
         "afterwards (default): the threads' places at these times are computed from their time "
         "stamps, and nothing disturbs them; timer: a signal notes them, as in the PACT'24 paper"),
    INTEGER("loop", "N", PLUSSI_FOR_GAPS, gaps.loop, 0, UINT32_MAX, "a loop's number fits 32 bits",
            "this loop, by its number in its region; default: the one with the most gaps"),
    REAL("lap", "N", PLUSSI_FOR_GAPS, gaps.lap, plussi_read_real, is_above_none,
         "a lap is more than nothing",
         "iterations of the loop that a lap has; default 1: each walks the same shared data"),
    INTEGER("bins", "N", PLUSSI_FOR_GAPS, gaps.bins, 2, PLUSSI_UNIFORMITY_BINS,
            "there are 2 to 1024 bins", "of the histogram and the test; default 20"),
    REAL(
        "drop", "SHARE", PLUSSI_FOR_GAPS, gaps.drop, plussi_read_share, is_share_or_none,
        "a share is 0, or as 10% or 0.1, below 1",
        "leave out this part of the stops, at a run's beginning, as in 10% or 0.1 (default), or 0"),
    FLAG("skip-bad-lines", PLUSSI_FOR_PREDICT | PLUSSI_FOR_SIMULATE, skip_bad_lines,
         "of a trace: lines that are none of its format are counted and left out; default: the "
         "first one is an error"),
    FLAG("each-thread", PLUSSI_FOR_SIMULATE, each_thread,
         "of a trace: also a curve for each thread on its own"),
    FLAG("each-object", PLUSSI_FOR_SIMULATE, each_object,
         "of a trace with objects (TRACE.objects): also a curve of each one's accesses"),
    TEXT("rates", 0, "LIST", PLUSSI_FOR_PREDICT | PLUSSI_FOR_SIMULATE, false, parse_rates,
         "of a co-run: accesses that each program makes in a time, as in 1,0.7; default: 1 each"),
    FLAG("sharing", PLUSSI_FOR_SIMULATE | PLUSSI_FOR_RUN, sharing,
         "with the profiles: also those of coherent private caches, of each thread alone, and of "
         "all threads as if they shared no line, by phase, private and shared lines apart"),
    TEXT("sampling", 0, "P/N[:SHARE]", PLUSSI_FOR_SIMULATE | PLUSSI_FOR_RUN, false, parse_sampling,
         "of sharing: profile the first P of every N accesses, and go on until that share of the "
         "lines that these touch (default: 0.99) is touched again; default: profile all"),
    TEXT("time-model", 0, "NAME", 0, false, parse_time_model,
         "of running time: overlap (default), what works at once overlaps; sum, operations and "
         "misses one after another, as in Cascaval's thesis"),
    FLAG("any-line", 0, any_line,
         "formulas in L, the number of elements in a line, which is a power of two from 4 on, in "
         "place of lines of one size"),
    FLAG("profiles", 0, profiles, "keep the profiles that curves are made from"),
};
enum { N_OPTIONS = sizeof table / sizeof *table };

const plussi_option *plussi_option_at(size_t i)
{
    return i < N_OPTIONS ? &table[i] : NULL;
}

static const plussi_option *find_option(const char *name)
{
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

/* ---- setting -----------------------------------------------------------------------------------
 */

static bool set_number(plussi_request *request, const plussi_option *option, int64_t value)
{
    char *at = (char *)request + option->at;
    bool line = option->parse == parse_lines;
    if (value < option->least || value > option->most || (line && !is_line((uint64_t)value)))
        return false;
    if (line)
        request->lines.n = 0;
    if (option->width == sizeof(bool))
        *(bool *)(void *)at = value != 0;
    else if (option->width == sizeof(uint32_t))
        *(uint32_t *)(void *)at = (uint32_t)value;
    else
        *(uint64_t *)(void *)at = (uint64_t)value;
    return true;
}

static bool set_real(plussi_request *request, const plussi_option *option, double value)
{
    if (option->fits(value))
        *(double *)(void *)((char *)request + option->at) = value;
    return option->fits(value);
}

static pluss_status parse_real(plussi_request *request, const plussi_option *option,
                               plussi_argument *a)
{
    double value;
    if (!option->read(a, &value) || !plussi_at_end(a))
        return PLUSS_EINVAL;
    if (set_real(request, option, value))
        return PLUSS_OK;
    a->at = a->text;
    return refuse(a, option->range);
}

static pluss_status parse_number(plussi_request *request, const plussi_option *option,
                                 plussi_argument *a)
{
    const char *start = a->at;
    uint64_t value;
    if (!plussi_read_count(a, &value) || !plussi_at_end(a))
        return PLUSS_EINVAL;
    if (value <= INT64_MAX && set_number(request, option, (int64_t)value))
        return PLUSS_OK;
    a->at = start;
    return refuse(a, option->range);
}

/* Passes on warnings and notes; gives the first error, NULL: there is none. */
static const plussi_diag *pass_on(plussi_ctx *ctx, const plussi_ctx *said)
{
    const plussi_diag *error = NULL;
    for (size_t i = 0; i < said->n_diags; i++) {
        const plussi_diag *d = &said->diags[i];
        if (d->severity != PLUSSI_ERROR)
            plussi_report(ctx, d->severity, d->status, &(plussi_loc){d->file, d->line, d->col},
                          "%s", d->text);
        else if (!error)
            error = d;
    }
    return error;
}

/* What the parser has said is wrong (NULL: nothing): of a file as it is, of the text with the
 * option and the place. */
static pluss_status tell(plussi_ctx *ctx, const plussi_option *option, const plussi_argument *a,
                         const plussi_diag *d)
{
    if (d && d->file)
        return plussi_fail(ctx, d->status, &(plussi_loc){d->file, d->line, d->col}, "%s", d->text);
    if (a->why && a->at > a->text)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%s '%s', character %zu: %s", option->name,
                           a->text, (size_t)(a->at - a->text) + 1, a->why);
    const char *why = a->why ? a->why : d ? d->text : plussi_status_text(PLUSS_EINVAL);
    return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%s '%s': %s", option->name, a->text, why);
}

static pluss_status no_option(plussi_ctx *ctx, const char *name)
{
    return plussi_fail(ctx, PLUSS_ENOTFOUND, NULL, "there is no option '%s'", name);
}

pluss_status plussi_request_set(plussi_ctx *ctx, plussi_request *request, const char *name,
                                const char *text)
{
    const plussi_option *option = find_option(name);
    if (!option)
        return no_option(ctx, name);
    if (!text && option->syntax)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%s: %s is missing", name, option->syntax);
    text = text ? text : "1";
    plussi_argument a = {.text = text, .at = text};
    plussi_ctx said;
    plussi_ctx_init(&said, &request->arena.mem); /* what is read lives in it */
    pluss_status status = option->parse  ? option->parse(&said, request, &a)
                          : option->read ? parse_real(request, option, &a)
                                         : parse_number(request, option, &a);
    const plussi_diag *error = pass_on(ctx, &said);
    if (status && status != PLUSS_ENOMEM)
        status = tell(ctx, option, &a, error);
    plussi_ctx_clear(&said);
    return status;
}

pluss_status plussi_request_set_integer(plussi_ctx *ctx, plussi_request *request, const char *name,
                                        int64_t value)
{
    const plussi_option *option = find_option(name);
    if (!option)
        return no_option(ctx, name);
    if (!option->width)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%s is no integer", name);
    return set_number(request, option, value) ? PLUSS_OK
                                              : plussi_fail(ctx, PLUSS_ERANGE, NULL, "%s %lld: %s",
                                                            name, (long long)value, option->range);
}

pluss_status plussi_request_set_real(plussi_ctx *ctx, plussi_request *request, const char *name,
                                     double value)
{
    const plussi_option *option = find_option(name);
    if (!option)
        return no_option(ctx, name);
    if (!option->read)
        return plussi_fail(ctx, PLUSS_EINVAL, NULL, "%s is no real number", name);
    return set_real(request, option, value)
               ? PLUSS_OK
               : plussi_fail(ctx, PLUSS_ERANGE, NULL, "%s %g: %s", name, value, option->range);
}
