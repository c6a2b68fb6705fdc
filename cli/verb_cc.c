/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss cc: gcc, with the plugin that belongs to this executable.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

typedef struct cc_options {
    const char *gcc, *mode, *plugin;
    int first; /* of gcc's own arguments */
} cc_options;

void cli_cc_help(void)
{
    printf("usage: pluss cc [--gcc=NAME] [--mode=MODE] [--plugin=FILE] GCC-ARGUMENT...\n\n"
           "Runs gcc with the plugin that finds parallel loops and writes their descriptions into\n"
           "the object files. The code that gcc makes is the same as without. Exit status: gcc's.\n"
           "\n"
           "  --gcc=NAME      the compiler to run; default gcc. The plugin must have been built\n"
           "                  for its version\n"
           "  --mode=MODE     describe (default), bind, sample or profile; the last three also\n"
           "                  link libpluss-rt\n"
           "  --plugin=FILE   the plugin; default pluss.so beside this executable, or in\n"
           "                  ../lib/pluss of its folder\n"
           "  -h, --help      print this\n\n"
           "These options stand before gcc's arguments; the first other one is gcc's.\n");
}

static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

/* The first of the places relative to the executable's folder where the file is; *path is the
 * caller's, NULL: nowhere. */
static char *beside(const char *file, const char *const *folders, size_t n)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return NULL;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < n; i++) {
        size_t room = strlen(self) + strlen(folders[i]) + strlen(file) + 3;
        char *path = cli_alloc(room, 1);
        snprintf(path, room, "%s%s/%s", self, folders[i], file);
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

static bool links(int argc, char **argv)
{
    static const char *const stop[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
    for (int i = 0; i < argc; i++)
        for (size_t k = 0; k < sizeof stop / sizeof *stop; k++)
            if (strcmp(argv[i], stop[k]) == 0)
                return false;
    return true;
}

/* -1: go on. */
static int parse(int argc, char **argv, cc_options *o)
{
    static const cli_options self = {.verb = "cc"};
    *o = (cc_options){.gcc = "gcc", .first = 1};
    for (; o->first < argc; o->first++) {
        const char *argument = argv[o->first], *value;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            cli_cc_help();
            return CLI_OK;
        }
        if ((value = value_of(argument, "--gcc")))
            o->gcc = value;
        else if ((value = value_of(argument, "--mode")))
            o->mode = value;
        else if ((value = value_of(argument, "--plugin")))
            o->plugin = value;
        else
            break;
    }
    if (o->first < argc && strcmp(argv[o->first], "--") == 0)
        o->first++;
    if (o->first == argc)
        return cli_usage(&self, "gcc's arguments are expected");
    if (!*o->gcc)
        return cli_usage(&self, "--gcc needs a name");
    static const char *const modes[] = {"describe", "bind", "sample", "profile"};
    for (size_t i = 0; o->mode && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(o->mode, modes[i]) == 0)
            return -1;
    return o->mode
               ? cli_usage(&self, "--mode '%s': it is describe, bind, sample or profile", o->mode)
               : -1;
}

static char *joined(const char *a, const char *b)
{
    char *text = cli_alloc(strlen(a) + strlen(b) + 1, 1);
    strcpy(stpcpy(text, a), b);
    return text;
}

/* gcc names a plugin by its file: -fplugin-arg-pluss-mode=bind. */
static char *mode_argument(const char *plugin, const char *mode)
{
    const char *slash = strrchr(plugin, '/'), *file = slash ? slash + 1 : plugin;
    int length = (int)strcspn(file, ".");
    size_t room = strlen(plugin) + strlen(mode) + 32;
    char *text = cli_alloc(room, 1);
    snprintf(text, room, "-fplugin-arg-%.*s-mode=%s", length, file, mode);
    return text;
}

/* Returns only where gcc could not be started. */
static void start(const cc_options *o, int argc, char **argv, const char *plugin,
                  const char *library)
{
    char **args = cli_alloc((size_t)argc + 6, sizeof *args);
    char *load = joined("-fplugin=", plugin),
         *mode = o->mode ? mode_argument(plugin, o->mode) : NULL;
    int n = 0;
    args[n++] = (char *)o->gcc;
    args[n++] = load;
    if (mode)
        args[n++] = mode;
    for (int i = o->first; i < argc; i++)
        args[n++] = argv[i];
    if (library) {
        args[n++] = (char *)library;
        args[n++] = (char *)"-pthread";
    }
    signal(SIGPIPE, SIG_DFL); /* main ignores it; gcc should not */
    execvp(o->gcc, args);
    int error = errno;
    free(load);
    free(mode);
    free(args);
    errno = error;
}

int cli_cc(int argc, char **argv)
{
    static const cli_options self = {.verb = "cc"};
    static const char *const plugin_folders[] = {"", "/../lib/pluss", "/../lib64/pluss"};
    static const char *const rt_folders[] = {"", "/../lib", "/../lib64"};
    cc_options o;
    int status = parse(argc, argv, &o);
    if (status >= 0)
        return status;
    bool rt = o.mode && strcmp(o.mode, "describe") != 0 && links(argc - o.first, argv + o.first);
    char *plugin = o.plugin ? joined(o.plugin, "") : beside("pluss.so", plugin_folders, 3);
    char *library = rt ? beside("libpluss-rt.a", rt_folders, 3) : NULL;
    if (!plugin)
        cli_error(&self, "pluss.so is not beside this executable; --plugin=FILE names it");
    if (rt && !library)
        cli_error(&self, "libpluss-rt.a is not beside this executable");
    if (plugin && (library || !rt)) {
        start(&o, argc, argv, plugin, library);
        cli_error(&self, "%s cannot be started: %s", o.gcc, strerror(errno));
    }
    free(plugin);
    free(library);
    return CLI_INPUT;
}
