/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss manual VERB: the manual page of a verb, in man(7), out of the table of verbs and the one of
 * options: what --help says, too.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"

/* Text as troff shows it; the hyphens of options are such that they can be copied. */
static void print_text(const char *text, size_t n)
{
    if (n > 0 && strchr(".'", *text)) /* no request */
        fputs("\\&", stdout);
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-' && (i == 0 || strchr(" (-", text[i - 1])))
            fputs("\\-", stdout);
        else
            putchar(text[i]);
}

/* Whole lines; those that are indented stay as they are. */
static void print_description(const char *text)
{
    bool literal = false;
    while (*text) {
        size_t n = strcspn(text, "\n");
        if ((*text == ' ') != literal)
            puts(literal ? ".EE\n.RE" : ".RS\n.EX");
        literal = *text == ' ';
        if (strncmp(text, "Exit status", 11) == 0)
            puts(".PP");
        const size_t indent = literal ? strspn(text, " ") : 0;
        print_text(text + indent, n - indent);
        putchar('\n');
        text += n + (text[n] == '\n');
    }
}

static void print_option(char letter, const char *name, const char *argument, const char *help)
{
    puts(".TP");
    if (letter)
        printf("\\fB\\-%c\\fR, ", letter);
    fputs("\\fB\\-\\-", stdout);
    for (; *name; name++)
        printf(*name == '-' ? "\\-" : "%c", *name);
    fputs("\\fR", stdout);
    if (argument) {
        fputs("=\\fI", stdout);
        print_text(argument, strlen(argument));
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_text(help, strlen(help));
    putchar('\n');
}

static void print_page(const cli_verb *verb)
{
    fputs(".\\\" SPDX-License-Identifier: GPL-3.0-or-later\n.TH PLUSS\\-", stdout);
    for (const char *at = verb->name; *at; at++)
        putchar(*at - 'a' + 'A');
    printf(" 1 \"\" \"pluss %s\" pluss\n.SH NAME\npluss\\-%s \\- ", pluss_version(), verb->name);
    print_text(verb->summary, strlen(verb->summary));
    printf("\n.SH SYNOPSIS\n\\fBpluss %s\\fR [\\fIOPTION...\\fR]%s\\fI", verb->name,
           *verb->arguments ? " " : "");
    print_text(verb->arguments, strlen(verb->arguments));
    puts("\\fR\n.SH DESCRIPTION");
    print_description(verb->description);
    puts(".SH OPTIONS");
    cli_list_options(verb, print_option);
    printf(
        ".PP\n\\fBpluss help %s\\fR also lists models, laws of thread progress and formats, where "
        "there is a choice.\n"
        ".SH SEE ALSO\n.BR pluss (1)\n",
        verb->name);
}

int cli_print_manual(const cli_verb *verbs, size_t n, int argc, char **argv)
{
    static const cli_options self = {.verb = "manual"};
    if (argc > 2)
        return cli_usage(&self, "'%s' is one too many", argv[2]);
    for (size_t i = 0; i < n; i++)
        if (argc < 2) {
            puts(verbs[i].name);
        } else if (strcmp(verbs[i].name, argv[1]) == 0) {
            print_page(&verbs[i]);
            return CLI_OK;
        }
    return argc < 2 ? CLI_OK : cli_usage(&self, "there is no verb '%s'", argv[1]);
}
