/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pictures of curves: a script for gnuplot, which draws it as SVG. The library starts no programs,
 * so this is the command's.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

enum { WIDTH = 960, HEIGHT = 540, MAX_PANELS = 12, PER_OCTAVE = 64 };
static const double least_miss = 1e-6; /* %, at the bottom of the axis at most */

/* "1.25 MiB". */
static void bytes_text(uint64_t bytes, char out[32])
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int u = 0;
    while (u < 6 && bytes >> (10 * (u + 1)) != 0)
        u++;
    double value = ldexp((double)bytes, -10 * u);
    snprintf(out, 32,
             value == floor(value) ? "%.0f %s"
             : value < 10          ? "%.2f %s"
                                   : "%.1f %s",
             value, unit[u]);
}

/* ", each thread's cache", ", caches of 4 threads each"; "" where all threads share it. */
static void shared_text(uint32_t threads_per_cache, char out[48])
{
    *out = '\0';
    if (threads_per_cache == 1)
        strcpy(out, ", each thread's cache");
    else if (threads_per_cache)
        snprintf(out, 48, ", caches of %u threads each", threads_per_cache);
}

/* One panel: the curves that differ in their team alone. */
typedef struct panel {
    pluss_curve_info head;
    const pluss_curve **curve;
    size_t n;
} panel;

static bool same_panel(const pluss_curve_info *a, const pluss_curve_info *b)
{
    bool same = a->n_bindings == b->n_bindings;
    for (size_t i = 0; i < a->n_bindings && same; i++)
        same = strcmp(a->bindings[i].name, b->bindings[i].name) == 0 &&
               a->bindings[i].value == b->bindings[i].value;
    return same && strcmp(a->region, b->region) == 0 && strcmp(a->engine, b->engine) == 0 &&
           a->line_bytes == b->line_bytes && a->line == b->line && a->simulated == b->simulated;
}

static size_t make_panels(const pluss_result *result, panel *panels)
{
    size_t n = 0;
    for (size_t i = 0; i < pluss_result_count(result); i++) {
        const pluss_curve *curve = pluss_result_get(result, i);
        pluss_curve_info info = {.size = sizeof info};
        if (pluss_curve_get_info(curve, &info))
            continue;
        size_t p = 0;
        while (p < n && !same_panel(&panels[p].head, &info))
            p++;
        if (p == MAX_PANELS)
            continue;
        if (p == n)
            panels[n++] = (panel){.head = info};
        panels[p].curve = cli_grow(panels[p].curve, panels[p].n, sizeof *panels[p].curve);
        panels[p].curve[panels[p].n++] = curve;
    }
    return n;
}

/* Text between double quotes, as gnuplot's enhanced mode shows it unchanged. */
static void put_text(FILE *script, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < 0x20)
            continue;
        if (strchr("_^{}@&~", c))
            fputs("\\\\", script);
        else if (c == '"' || c == '\\')
            fputs(c == '"' ? "\\" : "\\\\\\", script);
        fputc(c, script);
    }
}

static uint64_t footprint_bytes(const panel *p)
{
    uint64_t most = p->head.line_bytes;
    for (size_t i = 0; i < p->n; i++) {
        pluss_curve_info info = {.size = sizeof info};
        if (!pluss_curve_get_info(p->curve[i], &info) &&
            info.footprint_lines < UINT64_MAX / 4 / info.line_bytes &&
            info.footprint_lines * info.line_bytes > most)
            most = info.footprint_lines * info.line_bytes;
    }
    return most;
}

/* End of the x axis: beyond the footprint and the largest marked cache. */
static uint64_t last_size(const panel *p, const pluss_cache *cache, size_t n_caches)
{
    uint64_t last = footprint_bytes(p) * 2;
    for (size_t i = 0; i < n_caches; i++)
        if (cache[i].bytes < UINT64_MAX / 4 && cache[i].bytes / 2 * 3 > last)
            last = cache[i].bytes / 2 * 3;
    return last;
}

/* Two standard errors at a size; 0: none is told. */
static double error_at(const pluss_curve_info *info, uint64_t lines)
{
    size_t i = 0;
    while (i + 1 < info->n_error_points && info->error_size_lines[i + 1] <= (double)lines)
        i++;
    return info->n_error_points && (double)lines <= (double)info->footprint_lines
               ? 2 * info->error[i]
               : 0;
}

/* Steps drawn at PER_OCTAVE sizes an octave, more than a picture can show: size, %, and the ends of
 * the error band. The least of the % that is not 0, or the greatest. */
static double put_curve(FILE *script, const panel *p, size_t i, uint64_t last)
{
    pluss_curve_info info = {.size = sizeof info};
    double least = 100;
    char line[96] = "", before[96] = "", drawn[96] = ""; /* what follows the size */
    (void)!pluss_curve_get_info(p->curve[i], &info);
    for (unsigned step = 0;; step++) {
        uint64_t bytes = (uint64_t)((double)p->head.line_bytes * exp2((double)step / PER_OCTAVE));
        bytes = bytes > last ? last : bytes / p->head.line_bytes * p->head.line_bytes;
        double miss = 100 * pluss_curve_at(p->curve[i], bytes);
        double error = 100 * error_at(&info, bytes / p->head.line_bytes);
        snprintf(line, sizeof line, "%.6g %.6g %.6g", fmax(miss, least_miss),
                 fmax(miss - error, least_miss), fmin(fmax(miss + error, least_miss), 100));
        least = miss > 0 && miss < least ? miss : least;
        if (strcmp(line, drawn) != 0 || bytes == last) {
            if (*before)
                fputs(before, script); /* the end of what was the same */
            fprintf(script, "%llu %s\n", (unsigned long long)bytes, line);
            *before = '\0';
        } else {
            snprintf(before, sizeof before, "%llu %s\n", (unsigned long long)bytes, line);
        }
        strcpy(drawn, line);
        if (bytes == last)
            return least;
    }
}

/* The least miss ratio, %. */
static double put_data(FILE *script, const panel *p, size_t number, uint64_t last)
{
    double least = 100;
    for (size_t i = 0; i < p->n; i++) {
        fprintf(script, "$p%zu_%zu << EOD\n", number, i);
        least = fmin(least, put_curve(script, p, i, last));
        fputs("EOD\n", script);
    }
    return least;
}

static void put_axes(FILE *script, const panel *p, uint64_t last)
{
    char text[32];
    unsigned octaves = (unsigned)ceil(log2((double)last / p->head.line_bytes));
    unsigned every = octaves / 13 + 1;
    fprintf(script, "set xrange [%u:%llu]\nset xtics (", p->head.line_bytes,
            (unsigned long long)last);
    for (unsigned i = 0; i <= octaves; i += every) {
        uint64_t bytes = (uint64_t)p->head.line_bytes << i;
        if (bytes > last)
            break;
        bytes_text(bytes, text);
        fprintf(script, "%s\"%s\" %llu", i ? ", " : "", text, (unsigned long long)bytes);
    }
    fputs(")\n", script);
}

/* ", per thread"; ", 2 threads each"; "" where all share it. */
static void put_sharing(FILE *script, const pluss_cache *cache)
{
    if (cache->threads == 1)
        fputs(", per thread", script);
    else if (cache->threads)
        fprintf(script, ", %u threads each", cache->threads);
}

static void put_caches(FILE *script, const panel *p, const pluss_cache *cache, size_t n,
                       uint64_t last)
{
    char text[32];
    fputs("unset arrow\nunset label\n", script);
    for (size_t i = 0; i < n; i++) {
        if (cache[i].bytes < p->head.line_bytes || cache[i].bytes > last)
            continue;
        unsigned long long bytes = cache[i].bytes;
        bytes_text(cache[i].bytes, text);
        fprintf(script,
                "set arrow from %llu, graph 0 to %llu, graph 1 nohead back dt 2 lw 1.2 lc rgb "
                "'#808080'\n",
                bytes, bytes);
        fprintf(script, "set label \"%s%s%s", cache[i].label ? cache[i].label : "",
                cache[i].label ? " " : "", text);
        put_sharing(script, &cache[i]);
        fprintf(script,
                "\" at %llu, graph 0.97 rotate by 90 right offset -1.2,0 front "
                "textcolor rgb '#606060' font ',11'\n",
                bytes);
    }
}

static void put_title(FILE *script, const pluss_curve_info *head)
{
    fputs("set title \"", script);
    put_text(script, head->region);
    if (head->file) {
        fputs("  (", script);
        put_text(script, head->file);
        if (head->line)
            fprintf(script, ":%u", head->line);
        fputs(")", script);
    }
    fputs(head->simulated ? "\\nsimulated, progress " : "\\npredicted by ", script);
    put_text(script, head->engine);
    for (size_t i = 0; i < head->n_bindings && i < 8; i++) {
        fputs(i ? ", " : ";  ", script);
        put_text(script, head->bindings[i].name);
        fprintf(script, " = %lld", (long long)head->bindings[i].value);
    }
    if (head->n_bindings > 8)
        fputs(", ...", script);
    fputs("\"\n", script);
}

static void put_panel(FILE *script, const panel *p, size_t number, const pluss_cache *cache,
                      size_t n_caches)
{
    /* told apart also without colours: from dark to light */
    static const char *const colour[] = {"#1b3a6b", "#c0392b", "#1e8449", "#8e44ad",
                                         "#d68910", "#148f9c", "#7b5b3a", "#5f6a6a"};
    uint64_t last = last_size(p, cache, n_caches);
    double least = fmax(put_data(script, p, number, last), least_miss);
    fprintf(script, "set yrange [%g:100]\n", pow(10, floor(log10(least))));
    put_title(script, &p->head);
    put_axes(script, p, last);
    put_caches(script, p, cache, n_caches, last);
    fputs("plot ", script);
    for (size_t i = 0; i < p->n; i++) {
        pluss_curve_info info = {.size = sizeof info};
        char shared[48];
        (void)!pluss_curve_get_info(p->curve[i], &info);
        shared_text(info.threads_per_cache, shared);
        if (info.n_error_points)
            fprintf(script,
                    "$p%zu_%zu using 1:3:4 with filledcurves fs transparent solid 0.2 noborder lc "
                    "rgb '%s' notitle, ",
                    number, i, colour[i % 8]);
        fprintf(script,
                "$p%zu_%zu using 1:2 with steps lw 2.2 lc rgb '%s' dt %zu title \"T = %u%s\"%s",
                number, i, colour[i % 8], i / 8 + 1, info.team, shared, i + 1 < p->n ? ", " : "");
    }
    fputc('\n', script);
}

static bool all_share(const panel *panels, size_t n)
{
    pluss_curve_info info = {.size = sizeof info};
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < panels[i].n; c++)
            if (!pluss_curve_get_info(panels[i].curve[c], &info) && info.threads_per_cache)
                return false;
    return true;
}

static bool has_errors(const panel *panels, size_t n)
{
    pluss_curve_info info = {.size = sizeof info};
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < panels[i].n; c++)
            if (!pluss_curve_get_info(panels[i].curve[c], &info) && info.n_error_points)
                return true;
    return false;
}

static void put_script(FILE *script, const panel *panels, size_t n, const pluss_cache *cache,
                       size_t n_caches)
{
    fprintf(script,
            "set terminal svg enhanced size %d,%d dynamic background rgb 'white' font "
            "'Helvetica,Arial,sans-serif,13'\n"
            "set encoding utf8\n"
            "set logscale x 2\n"
            "set logscale y 10\n"
            "set xlabel 'size of the %scache'\n"
            "set ylabel 'miss ratio, %%%s'\n"
            "set grid xtics ytics lc rgb '#e4e4e4' lw 1 lt 1\n"
            "set border 3 lc rgb '#404040'\n"
            "set xtics nomirror out\nset ytics nomirror out\nset format y '%%g'\n"
            "set key outside right top Left reverse samplen 2.5 spacing 1.3\n",
            WIDTH, HEIGHT * (int)n, all_share(panels, n) ? "shared " : "",
            has_errors(panels, n) ? "; bands: +-2 standard errors" : "");
    if (n > 1)
        fprintf(script, "set multiplot layout %zu,1\n", n);
    for (size_t i = 0; i < n; i++)
        put_panel(script, &panels[i], i, cache, n_caches);
    if (n > 1)
        fputs("unset multiplot\n", script);
}

/* gnuplot reading from `in`, its output to `out`; 0, or what went wrong. */
static int start_gnuplot(int in, int out, pid_t *child)
{
    extern char **environ;
    char *argv[] = {(char *)"gnuplot", (char *)"-", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t ignored;
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGXFSZ);
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    if ((error = posix_spawnattr_init(&attributes)) == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigdefault(&attributes, &ignored);
        error = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (!error)
            error = posix_spawnp(child, "gnuplot", &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* gnuplot does not notice that it cannot write: the picture goes through our hands. false: it is
 * not whole. */
static bool pass_on(int from, cli_output *out)
{
    enum { KEPT = 16 }; /* from one part to the next */
    static const char end[] = "</svg>";
    char data[4096 + KEPT] = "";
    size_t kept = 0;
    for (ssize_t got; (got = read(from, data + kept, sizeof data - 1 - kept)) != 0;) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 || cli_output_write(out, data + kept, (size_t)got) != 0)
            break;
        size_t n = kept + (size_t)got;
        kept = n < KEPT ? n : KEPT;
        memmove(data, data + n - kept, kept);
        data[kept] = '\0';
    }
    return strstr(data, end) != NULL;
}

static bool run_gnuplot(const cli_options *options, FILE *script, cli_output *out)
{
    pid_t child;
    int status, ends[2];
    rewind(script);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        cli_error(options, "gnuplot cannot be started: %s", strerror(errno));
        return false;
    }
    int error = start_gnuplot(fileno(script), ends[1], &child);
    close(ends[1]);
    bool whole = !error && pass_on(ends[0], out);
    close(ends[0]);
    if (error) {
        cli_error(options,
                  error == ENOENT ? "--svg needs gnuplot, which is not installed"
                                  : "gnuplot cannot be started: %s",
                  strerror(error));
        return false;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    if ((WIFEXITED(status) && WEXITSTATUS(status) == 0 && whole) || out->error)
        return true; /* what cannot be written is said where it is closed */
    cli_error(options, "gnuplot failed");
    return false;
}

bool cli_plot_exists(const cli_options *options)
{
    const char *path = getenv("PATH");
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        char *file = cli_text("%.*s/gnuplot", (int)n, path);
        bool found = access(file, X_OK) == 0;
        free(file);
        if (found)
            return true;
    }
    cli_error(options, "--svg needs gnuplot, which is not installed");
    return false;
}

int cli_plot(const cli_options *options, const pluss_result *result, const pluss_cache *cache,
             size_t n_caches)
{
    panel panels[MAX_PANELS] = {0};
    size_t n = make_panels(result, panels);
    int fd = memfd_create("plot", MFD_CLOEXEC);
    FILE *script = fd >= 0 ? fdopen(fd, "w+") : NULL;
    bool good = script != NULL;
    if (good) {
        put_script(script, panels, n, cache, n_caches);
        good = fflush(script) == 0 && !ferror(script);
    }
    if (!good)
        cli_error(options, "gnuplot's script cannot be written: %s", strerror(errno));
    good = good && run_gnuplot(options, script, options->picture);
    if (script)
        fclose(script);
    else if (fd >= 0)
        close(fd);
    for (size_t i = 0; i < n; i++)
        free(panels[i].curve);
    return cli_output_close(options, options->picture, good ? CLI_OK : CLI_INPUT);
}
