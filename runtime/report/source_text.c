/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lines of source files around the references of a result.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/overview.h"

enum { AROUND = 8, MOST_LINES = 20000, LINE_MOST = 400, MOST_FILES = 256 };

typedef struct source_file {
    const char *name;
    uint32_t first, last; /* lines with references */
} source_file;

static void add_line(source_file *file, size_t *n, const char *name, uint32_t line)
{
    size_t i = 0;
    if (!name || !line)
        return;
    while (i < *n && strcmp(file[i].name, name) != 0)
        i++;
    if (i == MOST_FILES)
        return;
    if (i == *n)
        file[(*n)++] = (source_file){name, line, line};
    file[i].first = line < file[i].first ? line : file[i].first;
    file[i].last = line > file[i].last ? line : file[i].last;
}

static size_t find_files(const plussi_result *result, source_file *file)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n; i++)
        add_line(file, &n, result->curve[i].id.file, result->curve[i].id.line);
    for (size_t i = 0; i < result->n_levels; i++)
        for (size_t k = 0; k < result->level[i].n_parts; k++) {
            const plussi_level_part *p = &result->level[i].part[k];
            add_line(file, &n, p->site.file, p->site.line);
            add_line(file, &n, p->site.file, p->loop_line);
        }
    return n;
}

static FILE *open_regular(const char *path)
{
    struct stat there;
    FILE *stream = fopen(path, "re");
    if (stream && (fstat(fileno(stream), &there) != 0 || !S_ISREG(there.st_mode))) {
        fclose(stream);
        errno = EINVAL;
        return NULL;
    }
    return stream;
}

/* Where it is called, in one of the folders, or there without the folders of its own name. */
static FILE *open_source(plussi_document *document, const char *name, const char *const *folder,
                         size_t n_folders)
{
    const char *slash = strrchr(name, '/');
    FILE *stream = open_regular(name);
    for (size_t i = 0; i < n_folders && !stream; i++) {
        stream = open_regular(plussi_document_text(document, "%s/%s", folder[i], name));
        if (!stream && slash)
            stream = open_regular(plussi_document_text(document, "%s/%s", folder[i], slash + 1));
    }
    return stream;
}

/* Without its end; what is longer than LINE_MOST is cut. False: there is none. */
static bool read_line(FILE *stream, char *line)
{
    size_t n = 0;
    int c;
    while ((c = getc(stream)) != EOF && c != '\n')
        if (n < LINE_MOST - 1 && c != '\0')
            line[n++] = (char)c;
    if (n > 0 && line[n - 1] == '\r')
        n--;
    line[n] = '\0';
    return c != EOF || n > 0;
}

static void put_text(FILE *stream, const source_file *file, plussi_section *section)
{
    static const plussi_heading column = {.key = "text"};
    const uint32_t first = file->first > AROUND ? file->first - AROUND : 1;
    const uint32_t span = file->last > UINT32_MAX - AROUND ? file->last : file->last + AROUND;
    const uint32_t last = span - first < MOST_LINES ? span : first + MOST_LINES;
    char line[LINE_MOST];
    plussi_add_member(section, "first_line", plussi_d_count(first));
    plussi_table *lines = plussi_add_table(section, "lines", &column, 1);
    for (uint32_t i = 1; i <= last && read_line(stream, line); i++)
        if (i >= first)
            plussi_add_row(lines, (plussi_datum[]){plussi_d_text(line)});
    if (last < span)
        plussi_add_note(section, PLUSSI_NOTE, NULL, "cut after %d lines", MOST_LINES);
}

void plussi_report_sources(plussi_ctx *ctx, const plussi_result *result, const char *const *folder,
                           size_t n_folders, plussi_document *document)
{
    source_file *file = plussi_alloc(&ctx->mem, MOST_FILES, sizeof *file);
    const size_t n = file ? find_files(result, file) : 0;
    plussi_section *list = plussi_add_list(document->root, "sources", false);
    if (!file && !document->status)
        document->status = PLUSS_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        plussi_section *section = plussi_add_section(list, "", NULL);
        plussi_add_member(section, "file", plussi_d_text(file[i].name));
        FILE *stream = open_source(document, file[i].name, folder, n_folders);
        if (!stream) {
            plussi_add_note(section, PLUSSI_NOTE, NULL, "its text is not here: %s",
                            errno == EINVAL ? "not a file" : strerror(errno));
            continue;
        }
        put_text(stream, &file[i], section);
        fclose(stream);
    }
    plussi_free(&ctx->mem, file);
}

const char *plussi_source_line(plussi_document *document, const char *file, uint32_t line)
{
    char text[LINE_MOST] = "";
    FILE *stream = file && line ? open_regular(file) : NULL;
    bool there = stream != NULL;
    for (uint32_t i = 0; i < line && there; i++)
        there = read_line(stream, text);
    if (stream)
        fclose(stream);
    return there ? plussi_document_text(document, "%s", text + strspn(text, " \t")) : NULL;
}
