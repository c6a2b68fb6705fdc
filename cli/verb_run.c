/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss run: a program, its record, and the curves of what ran.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibrated.h"
#include "recorded_bindings.h"

enum { MOST_BLOCKS = 1024 /* of a sequence that is reported unasked */ };

/* All that a report is made from. */
typedef struct run_job {
    pluss_context *ctx;
    const cli_options *options;
    pluss_record *record;
    const char *path;   /* the record's */
    bool timed;         /* progress is the run's, as time stamps tell */
    pluss_nests **file; /* the objects' nests */
    size_t n_files;
    const pluss_nest **nest; /* of all of them */
    size_t n_nests;
    pluss_result *all;
    size_t idle; /* teams of bindings that made no access */
    int failed;  /* exit status */
} run_job;

/* A binding with nothing to do is no fault, as long as there are others. */
static void fail(run_job *job, pluss_status status)
{
    if (status == PLUSS_EEMPTY)
        job->idle++;
    else if (status && job->failed != CLI_INPUT)
        job->failed = cli_exit_status(status);
}

/* ---- nests ------------------------------------------------------------------------------------
 */

/* false: it cannot be read, which the context has said. */
static bool take_object(run_job *job, const char *path)
{
    pluss_nests *nests = NULL;
    if (pluss_nests_read(job->ctx, path, &nests))
        return false;
    job->file = cli_grow(job->file, job->n_files, sizeof(pluss_nests *));
    job->file[job->n_files++] = nests;
    for (size_t i = 0; i < pluss_nests_count(nests); i++) {
        job->nest = cli_grow(job->nest, job->n_nests, sizeof *job->nest);
        job->nest[job->n_nests++] = pluss_nests_get(nests, i);
    }
    return true;
}

/* From the files given with --record, else from those that the record names. */
static bool take_objects(run_job *job)
{
    const cli_options *options = job->options;
    pluss_record_info info = {.size = sizeof info};
    if (pluss_record_get_info(job->record, &info))
        return false;
    bool given = options->record && options->n_files > 0;
    for (size_t i = 0; given && i < options->n_files; i++)
        if (!take_object(job, options->file[i]))
            return false;
    for (size_t i = 0; !given && i < info.n_objects; i++)
        if (!take_object(job, info.objects[i]))
            return false;
    return true;
}

/* ---- regions ----------------------------------------------------------------------------------
 */

static pluss_block_info block_at(const run_job *job, size_t i)
{
    pluss_block_info block = {.size = sizeof block};
    if (pluss_record_get_block(job->record, i, &block))
        block.region = NULL;
    return block;
}

static bool is_better(const pluss_block_info *a, const pluss_block_info *b, uint32_t team,
                      bool replay)
{
    bool has_a = replay ? a->n_chunks > 0 : a->has_intervals != 0;
    bool has_b = replay ? b->n_chunks > 0 : b->has_intervals != 0;
    bool team_a = a->team == team, team_b = b->team == team;
    if (replay && team_a != team_b)
        return team_a;
    if (has_a != has_b)
        return has_a;
    return team_a != team_b ? team_a : !team_b && a->team > b->team;
}

/* Of the blocks of one binding, the one to predict a team from: with intervals, from which it can
 * be told, of as many threads or else of the most; or with chunks of as many threads. */
static size_t choose(const run_job *job, const size_t *group, size_t n, uint32_t team)
{
    bool replay = job->options->schedule == PLUSS_SCHEDULE_RECORDED;
    size_t best = group[0];
    for (size_t i = 1; i < n; i++) {
        pluss_block_info block = block_at(job, group[i]), held = block_at(job, best);
        if (is_better(&block, &held, team, replay))
            best = group[i];
    }
    return best;
}

/* How the runs of the block progressed, where that is asked for; SIZE_MAX: of all. */
static pluss_status take_timelines(const run_job *job, size_t block, uint32_t team,
                                   pluss_timelines **out)
{
    if (!job->timed)
        return PLUSS_OK;
    if (block != SIZE_MAX && block_at(job, block).team != team) {
        cli_error(job->options, "%s did not run with %u thread%s: there is no recorded progress",
                  block_at(job, block).region, team, team == 1 ? "" : "s");
        return PLUSS_ENOTFOUND;
    }
    return cli_read_timelines(job->ctx, job->options, job->record, job->path, block, job->nest,
                              job->n_nests, out);
}

static pluss_status evaluate(const run_job *job, size_t block, const pluss_nest *nest,
                             uint32_t team, pluss_result **out)
{
    const cli_options *options = job->options;
    pluss_options *o = cli_engine_options(job->ctx, options, nest);
    cli_must(pluss_options_set_threads(job->ctx, o, &team, 1));
    pluss_status status = PLUSS_OK;
    if (options->schedule == PLUSS_SCHEDULE_RECORDED) {
        pluss_block_info info = block_at(job, block);
        if (info.team != team || info.n_chunks == 0) {
            cli_error(options, "--schedule recorded: %s has no recorded chunks with %u thread%s",
                      info.region, team, team == 1 ? "" : "s");
            status = PLUSS_ENOTFOUND;
        }
        cli_must(pluss_options_set_chunks(job->ctx, o, info.chunks, info.n_chunks));
    }
    pluss_timelines *timeline = NULL;
    cli_progress progress;
    cli_use_machine(job->ctx, options, nest, team, &progress, o);
    if (!status)
        status = take_timelines(job, block, team, &timeline);
    if (timeline) {
        progress.progress.timelines = timeline;
        cli_must(pluss_options_set_progress(job->ctx, o, &progress.progress));
    }
    if (!status)
        status = options->simulate
                     ? pluss_simulate(job->ctx, nest, o, out)
                     : pluss_record_predict(job->ctx, job->record, block, nest, o, out);
    pluss_timelines_free(timeline);
    cli_free_progress(&progress);
    pluss_options_free(o);
    return status;
}

static void run_team(run_job *job, const size_t *group, size_t n, uint32_t team)
{
    size_t block = choose(job, group, n, team);
    pluss_nest *nest = NULL;
    pluss_result *result = NULL;
    pluss_status status;
    if (cli_is_replayed(job->options) && !job->timed) {
        status = pluss_record_simulate(job->ctx, job->record, block, &result);
    } else {
        status = pluss_record_nest(job->ctx, job->record, block, 0, job->nest, job->n_nests, &nest);
        if (!status && job->options->nest_text)
            status = pluss_nest_write(job->ctx, nest, cli_output_write, job->options->report);
        else if (!status)
            status = evaluate(job, block, nest, team, &result);
    }
    if (!status && result)
        status = cli_append(job->ctx, &job->all, result);
    pluss_nest_free(nest);
    fail(job, status);
    pluss_context_clear(job->ctx);
}

static void tell_idle(const pluss_block_info *block)
{
    cli_clear_status();
    fprintf(stderr, "pluss run: note: %s (%s:%u) made no access", block->region, block->file,
            block->line);
    for (size_t i = 0; i < block->n_symbols; i++)
        fprintf(stderr, "%s%s=%lld", i ? ", " : " with ", block->symbols[i].name,
                (long long)block->symbols[i].value);
    fputc('\n', stderr);
}

/* All teams of a binding. */
static void run_binding(run_job *job, const cli_recorded_binding *binding)
{
    const cli_options *options = job->options;
    const size_t *group = binding->block, n = binding->n, idle = job->idle;
    pluss_block_info head = block_at(job, group[0]);
    bool once = options->nest_text; /* the nest is the same for all teams */
    for (size_t i = 0; i < options->n_teams && !once && !cli_interrupted(); i++)
        run_team(job, group, n, options->team[i]);
    if (once)
        run_team(job, group, n, head.team);
    /* else those that ran, ascending */
    for (uint32_t team = 0, next; options->n_teams == 0 && !once && !cli_interrupted();
         team = next) {
        next = UINT32_MAX;
        for (size_t i = 0; i < n; i++) {
            uint32_t ran = block_at(job, group[i]).team;
            next = ran > team && ran < next ? ran : next;
        }
        if (next == UINT32_MAX)
            break;
        run_team(job, group, n, next);
    }
    if (job->idle > idle)
        tell_idle(&head);
}

/* ---- the sequence -----------------------------------------------------------------------------
 */

/* Of those that really ran. */
static uint32_t largest_team(const run_job *job)
{
    uint32_t team = 1;
    pluss_block_info block;
    for (size_t i = 0; (block = block_at(job, i)).region; i++)
        if (block.by != PLUSS_RECORDED_SAMPLE && block.team > team)
            team = block.team;
    return team;
}

/* All runs as one program. */
static pluss_status evaluate_whole(run_job *job, pluss_result **out)
{
    const cli_options *options = job->options;
    pluss_nest *nest = NULL;
    uint32_t team = largest_team(job);
    if (cli_is_replayed(options) && !job->timed)
        return pluss_record_simulate(job->ctx, job->record, SIZE_MAX, out);
    pluss_status status =
        pluss_record_program(job->ctx, job->record, job->nest, job->n_nests, &nest);
    if (status)
        return status;
    if (options->nest_text) {
        status = pluss_nest_write(job->ctx, nest, cli_output_write, options->report);
        pluss_nest_free(nest);
        return status;
    }
    pluss_options *o = cli_engine_options(job->ctx, options, nest);
    if (options->n_teams)
        team = options->team[0];
    else
        cli_must(pluss_options_set_threads(job->ctx, o, &team, 1));
    cli_progress progress;
    cli_use_machine(job->ctx, options, nest, team, &progress, o);
    pluss_timelines *timeline = NULL;
    status = take_timelines(job, SIZE_MAX, team, &timeline);
    if (timeline) {
        progress.progress.timelines = timeline;
        cli_must(pluss_options_set_progress(job->ctx, o, &progress.progress));
    }
    if (!status)
        status = options->simulate ? pluss_simulate(job->ctx, nest, o, out)
                                   : pluss_predict(job->ctx, nest, o, out);
    pluss_timelines_free(timeline);
    cli_free_progress(&progress);
    pluss_options_free(o);
    pluss_nest_free(nest);
    return status;
}

/* Where the whole cannot be predicted it is said, and the regions on their own
 * are still reported. */
static void run_whole(run_job *job)
{
    const cli_options *options = job->options;
    pluss_result *result = NULL;
    pluss_status status = evaluate_whole(job, &result);
    if (!status && result)
        status = cli_append(job->ctx, &job->all, result);
    else if (status && status != PLUSS_EEMPTY && !cli_interrupted())
        cli_error(options, "the sequence of all runs is left out");
    if (options->together)
        fail(job, status);
    pluss_context_clear(job->ctx);
}

/* ---- from a record to a report ----------------------------------------------------------------
 */

static void tell_losses(const run_job *job, const pluss_record_info *info)
{
    pluss_block_info block;
    if (info->lost_runs)
        fprintf(stderr, "pluss run: warning: %llu runs are not in the record: no memory was left\n",
                (unsigned long long)info->lost_runs);
    if (info->runs_lost)
        fprintf(
            stderr,
            "pluss run: warning: the sequence of runs is too long: %llu at its end are missing\n",
            (unsigned long long)info->runs_lost);
    /* of neighbouring blocks of a region together */
    pluss_block_info of = {0};
    uint64_t lost = 0;
    for (size_t i = 0;; i++) {
        block = block_at(job, i);
        if (lost && (!block.region || strcmp(block.region, of.region) != 0)) {
            fprintf(stderr, "pluss run: warning: %llu accesses of %s could not be recorded\n",
                    (unsigned long long)lost, of.region);
            lost = 0;
        }
        if (!block.region)
            break;
        lost += block.lost;
        of = block;
    }
}

static bool nothing_to_report(const run_job *job)
{
    return job->idle && !job->all && !job->failed;
}

static bool regions_exist(const run_job *job)
{
    for (size_t r = 0; r < job->options->n_regions; r++) {
        bool found = false;
        pluss_block_info block;
        for (size_t i = 0; !found && (block = block_at(job, i)).region; i++)
            found = strcmp(block.region, job->options->region[r]) == 0;
        if (!found) {
            cli_error(job->options, "no region '%s' is in the record", job->options->region[r]);
            return false;
        }
    }
    return true;
}

static int report(run_job *job)
{
    const cli_options *options = job->options;
    pluss_record_info info = {.size = sizeof info};
    if (pluss_record_get_info(job->record, &info) ||
        ((!cli_is_replayed(options) || job->timed) && !take_objects(job)))
        return CLI_INPUT;
    if (info.n_blocks == 0) {
        cli_error(options, "no region ran: the record is empty");
        return CLI_NO;
    }
    if (!regions_exist(job))
        return CLI_USAGE;
    tell_losses(job, &info);
    cli_recorded_bindings bindings = {0};
    if (!options->together)
        bindings = cli_find_bindings(options, job->record, info.line_bytes);
    for (size_t i = 0; i < bindings.n && !cli_interrupted(); i++)
        run_binding(job, &bindings.binding[i]);
    cli_free_bindings(&bindings);
    bool whole =
        info.runs > 1 && options->n_regions == 0 && options->schedule != PLUSS_SCHEDULE_RECORDED;
    if (whole && !options->together && info.n_blocks > MOST_BLOCKS) {
        fprintf(stderr,
                "pluss run: warning: the sequence of all runs, of %zu kinds, is left out: "
                "--together asks for it\n",
                info.n_blocks);
        whole = false;
    }
    if (((whole && !nothing_to_report(job)) || options->together) && !cli_interrupted())
        run_whole(job);
    if (options->nest_text) {
        int written = cli_output_close(options, options->report, CLI_OK);
        return job->failed ? job->failed : written;
    }
    if (nothing_to_report(job) && !cli_interrupted()) {
        cli_error(options, "no region made an access");
        return CLI_INPUT;
    }
    cli_machine machine = {0};
    if (options->n_caches == 0)
        (void)cli_machine_read(&machine);
    int reported = job->all ? cli_report(job->ctx, options, job->all, &machine) : CLI_OK;
    cli_machine_free(&machine);
    return job->failed ? job->failed : reported;
}

static int report_record(cli_options *options, const char *path)
{
    run_job job = {.ctx = cli_context_of_run(), .options = options, .path = path};
    int status = CLI_INPUT;
    job.timed = cli_progress_is(&options->progress, "recorded");
    if (pluss_record_read(job.ctx, path, &job.record) == PLUSS_OK &&
        (!cli_is_replayed(options) ||
         cli_find_stamps(job.ctx, job.record, path, &job.timed) == PLUSS_OK))
        status = report(&job);
    pluss_result_free(job.all);
    for (size_t i = 0; i < job.n_files; i++)
        pluss_nests_free(job.file[i]);
    free(job.file);
    free(job.nest);
    pluss_record_free(job.record);
    pluss_context_free(job.ctx);
    return status;
}

/* ---- the program ------------------------------------------------------------------------------
 */

/* What a program leaves: the record and its sidecar file. */
static const char *const left[] = {"", ".trace"};
enum { N_LEFT = sizeof left / sizeof *left };

/* A folder in which nothing can be written is why there is no record. */
static void tell_no_record(const cli_options *options, const char *folder)
{
    static const char page[1 << 18];
    char *path = cli_text("%s/full", folder);
    FILE *probe = fopen(path, "we");
    bool full = !probe || fwrite(page, 1, sizeof page, probe) != sizeof page;
    full = (probe && fclose(probe) != 0) || full;
    if (full)
        cli_error(options, "%s: the record cannot be written: %s", folder, strerror(errno));
    else
        cli_error(options,
                  "%s left no record: it ended before it could write one, or it was not built with "
                  "pluss cc --mode=bind, time, sample or profile",
                  options->file[0]);
    unlink(path);
    free(path);
}

/* From the folder to where it is kept; what was there before goes only now. */
static bool keep(const cli_options *options, const char *folder, const char *place)
{
    bool good = true;
    for (int i = N_LEFT; good && i-- > 0;) { /* the record last */
        char *from = cli_text("%s/record%s", folder, left[i]);
        char *to = cli_text("%s%s", place, left[i]);
        if (rename(from, to) != 0) {
            good = errno == ENOENT && i > 0;
            if (!good)
                cli_error(options, "%s: cannot be written: %s", to, strerror(errno));
            else
                (void)unlink(to); /* of another run */
        }
        free(from);
        free(to);
    }
    return good;
}

/* place: of the record, NULL: it is not kept. */
static int run_in_folder(cli_options *options, const char *folder, const char *place, int *ended)
{
    char *path[N_LEFT];
    int status = CLI_INPUT;
    for (int i = 0; i < N_LEFT; i++) {
        path[i] = cli_text("%s/record%s", folder, left[i]);
        cli_remember(path[i]);
    }
    if (cli_spawn(options, (char *const *)options->file, path[0], ended)) {
        if (access(path[0], F_OK) != 0)
            tell_no_record(options, folder);
        else if (!place)
            status = report_record(options, path[0]);
        else if (keep(options, folder, place))
            status = report_record(options, options->save);
    }
    for (int i = 0; i < N_LEFT; i++) {
        unlink(path[i]);
        cli_forget(path[i]);
        free(path[i]);
    }
    return status;
}

/* Each is to be a file, or nothing yet. */
static bool can_keep(const cli_options *options, const char *place)
{
    bool good = place != NULL;
    for (int i = 0; good && i < N_LEFT; i++) {
        struct stat there;
        char *path = cli_text("%s%s", place, left[i]);
        good = lstat(path, &there) != 0 || S_ISREG(there.st_mode);
        free(path);
    }
    if (!good)
        cli_error(options, "%s: cannot be replaced: not a regular file", options->save);
    return good;
}

/* The program writes into a folder beside the place: it may end without a record, and it may go to
 * another folder before it writes. */
static char *make_folder_beside(const cli_options *options, const char *place)
{
    char *folder = cli_beside(place, ".pluss-run-XXXXXX");
    bool made = mkdtemp(folder) != NULL;
    char *whole = made ? realpath(folder, NULL) : NULL;
    int error = errno;
    if (made && !whole)
        (void)rmdir(folder);
    if (!whole)
        cli_error(options, "%s: cannot be written: %s", options->save, strerror(error));
    else
        cli_remember(whole);
    free(folder);
    return whole;
}

static int run_and_report(cli_options *options, int *ended)
{
    char *place = options->save ? cli_place_of(options->save) : NULL;
    if (options->save && !can_keep(options, place)) {
        free(place);
        return CLI_INPUT;
    }
    int status = CLI_INPUT;
    char *folder = place ? make_folder_beside(options, place) : cli_make_folder(options);
    if (folder) {
        status = run_in_folder(options, folder, place, ended);
        cli_remove_folder(folder);
    }
    free(place);
    return status;
}

int cli_run(cli_options *options)
{
    if (options->schedule == PLUSS_SCHEDULE_RECORDED && options->schedule_record)
        return cli_usage(options, "--schedule recorded takes no file here: the run's own chunks");
    if (options->schedule == PLUSS_SCHEDULE_RECORDED && options->together)
        return cli_usage(options, "--schedule recorded and --together do not go together");
    if (cli_is_replayed(options) && options->nest_text)
        return cli_usage(options, "--text and --simulate --progress recorded do not go together");
    if (options->nest_text && (options->svg || options->format))
        return cli_usage(options,
                         "--text does not go together with --svg, --json, --csv or --format");
    if (options->simulate &&
        (options->model || options->explain || options->spread || options->error_target > 0))
        return cli_usage(options, "--simulate walks: it does not go together with --model, "
                                  "--explain, --spread or --error");
    if (cli_is_replayed(options) && (options->n_teams || options->schedule))
        return cli_usage(options,
                         "--simulate --progress recorded: threads and schedules are the run's");
    if (options->record && (options->n_sample_teams || options->sample_rate > 0))
        return cli_usage(options, "--%s is for a program that is run; --record runs none",
                         options->n_sample_teams ? "sample-teams" : "rate");
    if (options->record && options->save)
        return cli_usage(options,
                         "--save keeps the record of a program that is run; --record runs none");
    if (!cli_take_machine(options))
        return CLI_INPUT;
    if (options->record)
        return report_record(options, options->record);
    if (options->n_files == 0)
        return cli_usage(options, "a program to run is missing, or --record FILE");
    int ended = 0, status = run_and_report(options, &ended);
    return ended ? cli_end_as(ended) : status;
}
