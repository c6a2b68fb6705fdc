/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss run: a program, its record, and the curves of what ran.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* ---- from a record to a report -----------------------------------------------------------------
 */

/* Nests of the files that were given with the record. */
typedef struct given_nests {
    pluss_nests **file;
    size_t n_files;
    const pluss_nest **nest;
    size_t n;
} given_nests;

static bool read_nests(pluss_context *ctx, const cli_options *options, given_nests *g)
{
    if (options->record && options->n_files)
        g->nest = cli_grow(NULL, 0, sizeof *g->nest);
    for (size_t i = 0; options->record && i < options->n_files; i++) {
        pluss_nests *nests = NULL;
        if (pluss_nests_read(ctx, options->file[i], &nests))
            return false;
        g->file = cli_grow(g->file, g->n_files, sizeof(pluss_nests *));
        g->file[g->n_files++] = nests;
        for (size_t k = 0; k < pluss_nests_count(nests); k++) {
            g->nest = cli_grow(g->nest, g->n, sizeof *g->nest);
            g->nest[g->n++] = pluss_nests_get(nests, k);
        }
    }
    return true;
}

static void free_nests(given_nests *g)
{
    for (size_t i = 0; i < g->n_files; i++)
        pluss_nests_free(g->file[i]);
    free(g->file);
    free(g->nest);
}

static int write_nests(pluss_context *ctx, const cli_options *options, const pluss_record *record,
                       const given_nests *g)
{
    pluss_nests *nests = NULL;
    pluss_status status = pluss_record_nests(ctx, record, g->nest, g->n, options->request, &nests);
    for (size_t i = 0; i < pluss_nests_count(nests) && !status; i++)
        status =
            pluss_nest_write(ctx, pluss_nests_get(nests, i), cli_output_write, options->report);
    int missing = cli_exit_status(status ? status : pluss_nests_get_missing(nests));
    pluss_nests_free(nests);
    int written = cli_output_close(options, options->report, cli_exit_status(status));
    return missing ? missing : written;
}

static int write_curves(pluss_context *ctx, const cli_options *options, const pluss_record *record,
                        const given_nests *g)
{
    pluss_result *result = NULL;
    pluss_status status = pluss_record_run(ctx, record, g->nest, g->n, options->request, &result);
    int missing = cli_exit_status(status ? status : pluss_result_get_missing(result));
    int reported = result ? cli_report(ctx, options, result) : CLI_OK;
    pluss_result_free(result);
    return missing ? missing : reported;
}

static int report_record(const cli_options *options, const char *path)
{
    pluss_context *ctx = cli_context();
    pluss_record *record = NULL;
    pluss_record_info info = {.size = sizeof info};
    given_nests g = {0};
    int status = CLI_INPUT;
    if (!pluss_record_read(ctx, path, &record) && !pluss_record_get_info(record, &info) &&
        read_nests(ctx, options, &g)) {
        if (info.n_blocks == 0) {
            cli_error(options, "no region ran: the record is empty");
            status = CLI_NO;
        } else {
            status = (options->nest_text ? write_nests : write_curves)(ctx, options, record, &g);
        }
    }
    free_nests(&g);
    pluss_record_free(record);
    pluss_context_free(ctx);
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
                  "pluss cc --mode=auto, bind, time, sample or profile",
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

/* Is there something to read from standard input? */
static bool has_input(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) > 0 && (input.revents & POLLIN);
}

/* Runs the program as it is without the plugin. What it reads from standard input is there for the
 * recorded run, too, if that is a file; else it has none: *without is set where there is some. */
static bool run_plain(const cli_options *options, cli_cost *cost, int *ended, bool *without)
{
    const off_t at = lseek(STDIN_FILENO, 0, SEEK_CUR);
    int input = -1;
    if (at < 0) {
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
        if (nothing >= 0) {
            (void)dup2(nothing, STDIN_FILENO);
            close(nothing);
        }
    }
    char **argv = cli_alloc(options->n_files + 1, sizeof *argv);
    for (size_t i = 1; i < options->n_files; i++)
        argv[i] = (char *)(uintptr_t)options->file[i];
    argv[0] = (char *)(uintptr_t)options->plain;
    bool good = cli_spawn(options, argv, NULL, ended, cost);
    free(argv);
    if (at >= 0)
        (void)lseek(STDIN_FILENO, at, SEEK_SET);
    if (input >= 0) {
        (void)dup2(input, STDIN_FILENO);
        close(input);
        *without = has_input();
    }
    return good;
}

static void tell_overhead(const cli_cost *recorded, const cli_cost *plain)
{
    const double mib = 1 << 20, time = plain->seconds > 0 ? recorded->seconds / plain->seconds : 1;
    const double bytes = plain->bytes ? (double)recorded->bytes / (double)plain->bytes : 1;
    cli_clear_status();
    fprintf(stderr,
            "pluss run: note: recording took %.2f times the plain run's time (%.3f s for %.3f s) "
            "and %.2f times its memory (%.1f MiB for %.1f MiB)\n",
            time, recorded->seconds, plain->seconds, bytes, (double)recorded->bytes / mib,
            (double)plain->bytes / mib);
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
    cli_cost recorded, plain = {0};
    int other = 0;
    bool without = false; /* what the recorded run reads */
    if ((!options->plain || run_plain(options, &plain, &other, &without)) &&
        cli_spawn(options, (char *const *)options->file, path[0], ended, &recorded)) {
        if (without)
            cli_error(options,
                      "%s: ran without standard input, which is not a file: their times are not "
                      "compared",
                      options->plain);
        else if (options->plain && other == *ended)
            tell_overhead(&recorded, &plain);
        else if (options->plain)
            cli_error(options, "%s: ended otherwise than %s: their times are not compared",
                      options->plain, options->file[0]);
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

/* What does not go together; 0: nothing. */
static int check_options(const cli_options *o)
{
    bool walked = cli_given(o, "simulate") != NULL, replayed = cli_is_replayed(o);
    if (cli_is_given(o, "schedule", "recorded") && cli_given(o, "together"))
        return cli_usage(o, "--schedule recorded and --together do not go together");
    if (replayed && o->nest_text)
        return cli_usage(o, "--text and --simulate --progress recorded do not go together");
    if (o->nest_text && (o->svg || o->format))
        return cli_usage(o, "--text does not go together with --svg, --json, --csv or --format");
    if (walked && (cli_given(o, "model") || cli_given(o, "explain") || cli_given(o, "spread") ||
                   cli_given(o, "error")))
        return cli_usage(o, "--simulate walks: it does not go together with --model, "
                            "--explain, --spread or --error");
    if (replayed && (cli_given(o, "threads") || cli_given(o, "schedule")))
        return cli_usage(o, "--simulate --progress recorded: threads and schedules are the run's");
    if (o->record && (o->sample_teams || o->sample_rate > 0))
        return cli_usage(o, "--%s is for a program that is run; --record runs none",
                         o->sample_teams ? "sample-teams" : "rate");
    if (o->record && o->plain)
        return cli_usage(o, "--plain is for a program that is run; --record runs none");
    if (o->record && o->save)
        return cli_usage(o, "--save keeps the record of a program that is run; --record runs none");
    return 0;
}

int cli_run(cli_options *options)
{
    int ended = 0, status = check_options(options);
    if (status)
        return status;
    status = cli_use_machine(options);
    status = status < 0 ? cli_use_levels(options) : status;
    if (status >= 0)
        return status;
    if (options->record)
        return report_record(options, options->record);
    if (options->n_files == 0)
        return cli_usage(options, "a program to run is missing, or --record FILE");
    status = run_and_report(options, &ended);
    return ended ? cli_end_as(ended) : status;
}
