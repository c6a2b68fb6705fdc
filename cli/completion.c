/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss completion SHELL: what a shell completes words with, out of the table of verbs and the one
 * of options.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* The first words, up to a full stop, semicolon or 60 characters; quotes and brackets, which shells
 * would read, are left out. */
static void print_summary(const char *text)
{
    enum { MOST = 60 };
    size_t n = 0;
    for (; text[n] && !strchr(";:", text[n]) && (n < MOST || text[n] != ' '); n++)
        if (!strchr("'\"[]`$\\", text[n]))
            putchar(text[n]);
}

static bool is_file(const char *argument)
{
    return strcmp(argument, "FILE") == 0 || strstr(argument, "=FILE");
}

/* ---- bash --------------------------------------------------------------------------------------
 */

static void print_bash_option(char letter, const char *name, const char *argument, const char *help)
{
    (void)help;
    if (letter)
        printf("-%c ", letter);
    printf("--%s%s ", name, argument ? "=" : "");
}

static void print_bash(const cli_verb *verbs, size_t n)
{
    printf("# bash completion of pluss\n"
           "_pluss() {\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} options=\n"
           "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        mapfile -t COMPREPLY < <(compgen -W 'completion help manual --help --version");
    for (size_t i = 0; i < n; i++)
        printf(" %s", verbs[i].name);
    printf("' -- \"$word\")\n"
           "        return\n"
           "    fi\n"
           "    case ${COMP_WORDS[1]} in\n"
           "    completion) options='bash zsh fish' ;;\n");
    for (size_t i = 0; i < n; i++) {
        printf("    %s) options='", verbs[i].name);
        cli_list_options(&verbs[i], print_bash_option);
        printf("' ;;\n");
    }
    printf("    esac\n"
           "    case $word in\n"
           "    -*) mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
           "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace ;;\n"
           "    *) [ \"${COMP_WORDS[1]}\" = completion ] && mapfile -t COMPREPLY < <(compgen -W "
           "\"$options\" -- \"$word\") ;;\n"
           "    esac\n"
           "}\n"
           "complete -o bashdefault -o default -F _pluss pluss\n");
}

/* ---- zsh ---------------------------------------------------------------------------------------
 */

static void print_zsh_option(char letter, const char *name, const char *argument, const char *help)
{
    const char *value = !argument ? "" : is_file(argument) ? ":file:_files" : ":value:";
    if (letter) {
        printf("            '*-%c[", letter);
        print_summary(help);
        printf("]%s' \\\n", value);
    }
    printf("            '*--%s%s[", name, argument ? "=" : "");
    print_summary(help);
    printf("]%s' \\\n", value);
}

static void print_zsh(const cli_verb *verbs, size_t n)
{
    printf("#compdef pluss\n"
           "_pluss() {\n"
           "    local -a verbs=(\n"
           "        'completion:what a shell completes words with'\n"
           "        'manual:the manual page of a verb'\n");
    for (size_t i = 0; i < n; i++) {
        printf("        '%s:", verbs[i].name);
        print_summary(verbs[i].summary);
        printf("'\n");
    }
    printf("    )\n"
           "    if (( CURRENT == 2 )); then\n"
           "        _describe verb verbs\n"
           "        return\n"
           "    fi\n"
           "    local verb=$words[2]\n"
           "    shift words\n"
           "    (( CURRENT-- ))\n"
           "    case $verb in\n"
           "    completion) _values shell bash zsh fish ;;\n");
    for (size_t i = 0; i < n; i++) {
        printf("    %s)\n        _arguments -s \\\n", verbs[i].name);
        cli_list_options(&verbs[i], print_zsh_option);
        printf("            '*:file:_files' ;;\n");
    }
    printf("    *) _files ;;\n"
           "    esac\n"
           "}\n"
           "_pluss \"$@\"\n");
}

/* ---- fish --------------------------------------------------------------------------------------
 */

static const char *of_verb;

static void print_fish_option(char letter, const char *name, const char *argument, const char *help)
{
    printf("complete -c pluss -n '__fish_seen_subcommand_from %s' -l %s", of_verb, name);
    if (letter)
        printf(" -s %c", letter);
    printf("%s -d '", argument ? is_file(argument) ? " -r" : " -x" : "");
    print_summary(help);
    printf("'\n");
}

static void print_fish_verb(const char *name, const char *summary)
{
    printf("complete -c pluss -n __fish_use_subcommand -f -a %s -d '", name);
    print_summary(summary);
    printf("'\n");
}

static void print_fish(const cli_verb *verbs, size_t n)
{
    printf("# fish completion of pluss\n");
    print_fish_verb("completion", "what a shell completes words with");
    print_fish_verb("manual", "the manual page of a verb");
    printf("complete -c pluss -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n");
    for (size_t i = 0; i < n; i++) {
        print_fish_verb(verbs[i].name, verbs[i].summary);
        of_verb = verbs[i].name;
        cli_list_options(&verbs[i], print_fish_option);
    }
}

int cli_print_completion(const cli_verb *verbs, size_t n, int argc, char **argv)
{
    static const cli_options self = {.verb = "completion"};
    static const struct {
        const char *shell;
        void (*print)(const cli_verb *verbs, size_t n);
    } scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts && argc == 2; i++)
        if (strcmp(argv[1], scripts[i].shell) == 0) {
            scripts[i].print(verbs, n);
            return CLI_OK;
        }
    return cli_usage(&self, "bash, zsh or fish is expected");
}
