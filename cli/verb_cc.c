/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss cc: gcc, with the plugin that belongs to this executable.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"

typedef struct cc_options {
    const char *gcc, *mode, *plugin;
    bool serial;
    int first; /* of gcc's own arguments */
} cc_options;

static const char *value_of(const char *argument, const char *name)
{
    size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
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
static int parse(const cli_verb *verb, int argc, char **argv, cc_options *o)
{
    static const cli_options self = {.verb = "cc"};
    *o = (cc_options){.gcc = "gcc", .first = 1};
    for (; o->first < argc; o->first++) {
        const char *argument = argv[o->first], *value;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            cli_print_help(verb);
            return CLI_OK;
        }
        if ((value = value_of(argument, "--gcc")))
            o->gcc = value;
        else if ((value = value_of(argument, "--mode")))
            o->mode = value;
        else if ((value = value_of(argument, "--plugin")))
            o->plugin = value;
        else if (strcmp(argument, "--serial") == 0)
            o->serial = true;
        else
            break;
    }
    if (o->first < argc && strcmp(argv[o->first], "--") == 0)
        o->first++;
    if (o->first == argc)
        return cli_usage(&self, "gcc's arguments are expected");
    if (!*o->gcc)
        return cli_usage(&self, "--gcc needs a name");
    static const char *const modes[] = {"describe", "bind", "time", "sample", "profile", "auto"};
    for (size_t i = 0; o->mode && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(o->mode, modes[i]) == 0)
            return -1;
    return o->mode ? cli_usage(&self,
                               "--mode '%s': it is describe, bind, time, sample, profile or auto",
                               o->mode)
                   : -1;
}

static char *joined(const char *a, const char *b)
{
    char *text = cli_alloc(strlen(a) + strlen(b) + 1, 1);
    strcpy(stpcpy(text, a), b);
    return text;
}

/* gcc names a plugin by its file: -fplugin-arg-pluss-mode=bind. */
static char *plugin_argument(const char *plugin, const char *name, const char *value)
{
    const char *slash = strrchr(plugin, '/'), *file = slash ? slash + 1 : plugin;
    int length = (int)strcspn(file, ".");
    size_t room = strlen(plugin) + strlen(name) + strlen(value) + 32;
    char *text = cli_alloc(room, 1);
    snprintf(text, room, "-fplugin-arg-%.*s-%s=%s", length, file, name, value);
    return text;
}

/* Returns only where gcc could not be started. */
static void start(const cc_options *o, int argc, char **argv, const char *plugin,
                  const char *library)
{
    char **args = cli_alloc((size_t)argc + 7, sizeof *args);
    char *load = joined("-fplugin=", plugin),
         *mode = o->mode ? plugin_argument(plugin, "mode", o->mode) : NULL,
         *serial = o->serial ? plugin_argument(plugin, "serial", "on") : NULL;
    int n = 0;
    args[n++] = (char *)o->gcc;
    args[n++] = load;
    if (mode)
        args[n++] = mode;
    if (serial)
        args[n++] = serial;
    for (int i = o->first; i < argc; i++)
        args[n++] = argv[i];
    if (library) {
        args[n++] = (char *)library;
        args[n++] = (char *)"-pthread";
    }
    cli_restore_write_signals();
    execvp(o->gcc, args);
    int error = errno;
    free(load);
    free(mode);
    free(serial);
    free(args);
    errno = error;
}

/* ---- the plugin for the compiler's version ----------------------------------------------------
 */

/* What the compiler says its version is; "": it does not say. */
static void compiler_version(const char *gcc, char *version, int room)
{
    int ends[2];
    *version = '\0';
    if (pipe(ends) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(ends[1], STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        close(ends[0]);
        execlp(gcc, gcc, "-dumpfullversion", "-dumpversion", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *said = fdopen(ends[0], "r");
    if (child > 0 && said && fgets(version, room, said))
        version[strspn(version, "0123456789.")] = '\0';
    if (said)
        fclose(said);
    else
        close(ends[0]);
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || status != 0)
        *version = '\0';
}

/* What the plugin says it was built for (gcc-plugin/plugin.cc); "": it does not say. */
static void plugin_version(const char *plugin, char *version, size_t room)
{
    static const char tag[] = "pluss plugin for gcc ";
    *version = '\0';
    enum { BLOCK = 1 << 16, KEPT = 64 /* a tag and its version, across blocks */ };
    int fd = open(plugin, O_RDONLY | O_CLOEXEC);
    char *block = fd >= 0 ? cli_alloc(BLOCK + KEPT, 1) : NULL;
    size_t kept = 0;
    for (ssize_t got; block && !*version && (got = read(fd, block + kept, BLOCK)) > 0;) {
        const size_t size = kept + (size_t)got;
        const char *at = memmem(block, size, tag, sizeof tag - 1);
        if (at && at + KEPT <= block + size) {
            at += sizeof tag - 1;
            size_t n = strspn(at, "0123456789.");
            n = n < room ? n : room - 1;
            memcpy(version, at, n);
            version[n] = '\0';
        }
        kept = size < KEPT ? size : KEPT;
        memmove(block, block + size - kept, kept);
    }
    free(block);
    if (fd >= 0)
        close(fd);
}

/* Versions that are not said fit: gcc itself will complain. */
static bool fits(const char *plugin, const char *compiler)
{
    char built_for[32];
    plugin_version(plugin, built_for, sizeof built_for);
    return !*compiler || !*built_for || strcmp(built_for, compiler) == 0;
}

static void complain(const cli_options *self, const cc_options *o, const char *plugin,
                     const char *compiler)
{
    char built_for[32];
    plugin_version(plugin, built_for, sizeof built_for);
    cli_error(self,
              "%s is version %s, and %s was built for GCC %s: build one for it "
              "(make plugins), or name one with --plugin=FILE",
              o->gcc, compiler, plugin, built_for);
}

/* Of this executable, where plugins are. */
static const char *const plugin_folders[] = {"", "/../lib/pluss", "/../lib64/pluss"};
enum { N_PLUGIN_FOLDERS = sizeof plugin_folders / sizeof *plugin_folders };

void cli_print_plugins(void)
{
    static const char *const files[] = {"pluss.so",        "gcc-11/pluss.so", "gcc-12/pluss.so",
                                        "gcc-13/pluss.so", "gcc-14/pluss.so", "gcc-15/pluss.so",
                                        "gcc-16/pluss.so", "gcc-17/pluss.so"};
    int n = 0;
    for (size_t i = 0; i < N_PLUGIN_FOLDERS && !n; i++)
        for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
            char version[32], *plugin = cli_beside_executable(plugin_folders[i], files[k]);
            if (!plugin)
                continue;
            plugin_version(plugin, version, sizeof version);
            printf("%s%s", n++ ? ", " : "plugin for GCC ", *version ? version : "?");
            free(plugin);
        }
    puts(n ? "" : "no plugin beside this executable or in ../lib/pluss");
}

/* The plugin to load, the caller's; NULL after a message. */
static char *choose_plugin(const cli_options *self, const cc_options *o)
{
    char compiler[32], special[64];
    compiler_version(o->gcc, compiler, sizeof compiler);
    snprintf(special, sizeof special, "gcc-%.*s/pluss.so", (int)strcspn(compiler, "."), compiler);
    const char *const files[] = {special, "pluss.so"};
    char *other = NULL; /* one that was there and is not for this compiler */
    for (size_t i = 0; !o->plugin && i < N_PLUGIN_FOLDERS; i++)
        for (size_t k = 0; k < 2; k++) {
            char *plugin = cli_beside_executable(plugin_folders[i], files[k]);
            if (plugin && fits(plugin, compiler)) {
                free(other);
                return plugin;
            }
            free(other ? plugin : NULL);
            other = other ? other : plugin;
        }
    if (o->plugin && fits(o->plugin, compiler))
        return joined(o->plugin, "");
    if (o->plugin || other)
        complain(self, o, o->plugin ? o->plugin : other, compiler);
    else if (!*compiler)
        cli_error(self, "%s does not tell its version: is it a compiler that is installed?",
                  o->gcc);
    else
        cli_error(self,
                  "there is no pluss.so for %s %s beside this executable or in ../lib/pluss; "
                  "--plugin=FILE names one",
                  o->gcc, compiler);
    free(other);
    return NULL;
}

int cli_cc(const cli_verb *verb, int argc, char **argv)
{
    static const cli_options self = {.verb = "cc"};
    static const char *const rt_folders[] = {"", "/../lib/pluss", "/../lib", "/../lib64"};
    cc_options o;
    int status = parse(verb, argc, argv, &o);
    if (status >= 0)
        return status;
    bool rt = o.mode && strcmp(o.mode, "describe") != 0 && links(argc - o.first, argv + o.first);
    char *plugin = choose_plugin(&self, &o);
    char *library = rt ? cli_find_beside(rt_folders, 4, "libpluss-rt.a") : NULL;
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
