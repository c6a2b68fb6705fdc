/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report as data: sections with fields, tables, series and notes. The code that computes
 * something makes a document; a writer (writer.h) turns any document into text, JSON or CSV.
 *
 * A section is an object of JSON. Items with a key are for programs, those with a label (sections:
 * a title) for people; most have both. Keys, labels and units are borrowed and outlive the document
 * (literals, or plussi_document_text); all other texts and numbers are copied.
 *
 * The document's arena holds everything. After an allocation has failed, status says so, calls that
 * add do nothing, and calls that return a section or a table return one to which nothing is added:
 * the caller checks the status at the end, or leaves it to the writer.
 */
#ifndef PLUSSI_REPORT_DOCUMENT_H
#define PLUSSI_REPORT_DOCUMENT_H

#include <stdbool.h>

#include "base/ctx.h"

/* ---- values ---------------------------------------------------------------------------------- */

typedef enum plussi_datum_kind {
    PLUSSI_D_ABSENT, /* no member in JSON */
    PLUSSI_D_NULL,   /* a member without a value; "-" in text */
    PLUSSI_D_TEXT,
    PLUSSI_D_INTEGER,
    PLUSSI_D_COUNT,
    PLUSSI_D_REAL, /* written as PLUSSI_D_NULL if not finite */
    PLUSSI_D_BOOLEAN,
    PLUSSI_D_PLACE /* in JSON and CSV: file, line and column, if known */
} plussi_datum_kind;

typedef struct plussi_datum {
    plussi_datum_kind kind;
    double error; /* REAL: standard error, +- in text, KEY_error in JSON; negative: none. The value
                     may be NAN with an error */
    union {
        const char *text;
        int64_t integer;
        uint64_t count;
        double real;
        bool boolean;
        plussi_loc place;
    } u;
} plussi_datum;

#define PLUSSI_D(kind, member, value) ((plussi_datum){PLUSSI_D_##kind, -1, {.member = (value)}})
#define plussi_d_absent() PLUSSI_D(ABSENT, text, NULL)
#define plussi_d_null() PLUSSI_D(NULL, text, NULL)
#define plussi_d_text(value) PLUSSI_D(TEXT, text, value) /* NULL: as plussi_d_null */
#define plussi_d_integer(value) PLUSSI_D(INTEGER, integer, value)
#define plussi_d_count(value) PLUSSI_D(COUNT, count, value)
#define plussi_d_real(value) PLUSSI_D(REAL, real, value)
#define plussi_d_boolean(value) PLUSSI_D(BOOLEAN, boolean, value)
#define plussi_d_measured(value, error) ((plussi_datum){PLUSSI_D_REAL, error, {.real = (value)}})
#define plussi_d_place(...) ((plussi_datum){PLUSSI_D_PLACE, -1, {.place = {__VA_ARGS__}}})
/* The value, or ABSENT if `holds` is false. */
#define plussi_d_if(holds, value) ((holds) ? (value) : plussi_d_absent())

/* The name of a column or a field, and how text shows its values. */
typedef enum plussi_show {
    PLUSSI_AS_TEXT,    /* left-aligned; numbers as they are */
    PLUSSI_AS_NUMBER,  /* right-aligned, like the rest; reals with `digits` decimals */
    PLUSSI_AS_COUNT,   /* 1,352,400 */
    PLUSSI_AS_BYTES,   /* 48 KiB */
    PLUSSI_AS_POINTS,  /* a hundred times the value, with `digits` decimals */
    PLUSSI_AS_GENERAL, /* `digits` significant digits, with an exponent where that is shorter */
    PLUSSI_AS_PLACE    /* gemm.c:42:5; values of kind PLACE have this */
} plussi_show;

typedef struct plussi_heading {
    const char *key;   /* member of JSON, column of CSV; NULL: text only */
    const char *label; /* NULL: not in text; "": shown without a label */
    plussi_show show;
    unsigned digits;  /* at most 12 */
    const char *unit; /* after each value in text; NULL: none */
    bool repeat;      /* column: repeated in each part of a table that is too wide for a page */
    bool identifies;  /* field: in every CSV row of this section */
} plussi_heading;

/* ---- building -------------------------------------------------------------------------------- */

typedef struct plussi_section plussi_section;
typedef struct plussi_table plussi_table;

typedef struct plussi_document {
    pluss_status status; /* the first failure */
    plussi_arena arena;
    plussi_section *root; /* has no title; its items are the members of JSON's outermost object */
} plussi_document;

void plussi_document_init(plussi_document *document, const plussi_mem *mem);
void plussi_document_free(plussi_document *document);
/* Allocated in the document's arena; "" if out of memory. */
const char *plussi_document_text(plussi_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds a section. title: "" shows its contents without a title, NULL hides it from text. The key is
 * ignored in a list. */
plussi_section *plussi_add_section(plussi_section *in, const char *key, const char *title);
/* A list of sections: an array of JSON. shown: also in text. */
plussi_section *plussi_add_list(plussi_section *in, const char *key, bool shown);
void plussi_add_field(plussi_section *in, plussi_heading heading, plussi_datum value);
/* A field for programs only; one with a label. */
void plussi_add_member(plussi_section *in, const char *key, plussi_datum value);
void plussi_add_figure(plussi_section *in, const char *key, const char *label, plussi_show show,
                       unsigned digits, const char *unit, plussi_datum value);
/* A line of text, for people only. */
void plussi_add_line(plussi_section *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A note about the section's content; place NULL: none. In JSON an element of the section's
 * "notes". */
void plussi_add_note(plussi_section *in, plussi_severity severity, const plussi_loc *place,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* An array of objects, one a row. n_columns >= 1; headings are copied. */
plussi_table *plussi_add_table(plussi_section *in, const char *key, const plussi_heading *columns,
                               size_t n_columns);
void plussi_add_row(plussi_table *table, const plussi_datum *row); /* n_columns of them */
/* Arrays of numbers of the same length, one a column, as members of the section itself; for
 * programs only. key: the name by which CSV selects it. */
void plussi_add_series(plussi_section *in, const char *key, const plussi_heading *columns,
                       size_t n_columns, const double *const *values, size_t n_points);

/* ---- for writers ----------------------------------------------------------------------------- */

typedef enum plussi_item_kind {
    PLUSSI_SECTION,
    PLUSSI_LIST,
    PLUSSI_FIELD,
    PLUSSI_LINE,
    PLUSSI_NOTED,
    PLUSSI_TABLE,
    PLUSSI_SERIES
} plussi_item_kind;

typedef struct plussi_row {
    struct plussi_row *next;
    plussi_datum datum[];
} plussi_row;

struct plussi_table {
    plussi_document *document;
    const char *key;
    plussi_heading *column;
    size_t n_columns, n_rows;
    plussi_row *row, *last;
    double **values; /* of a series: an array of n_rows values for each column */
};

typedef struct plussi_item {
    plussi_item_kind kind;
    struct plussi_item *next;
    union {
        plussi_section *section; /* SECTION, LIST */
        struct {
            plussi_heading heading;
            plussi_datum datum;
        } field;
        const char *line;
        struct {
            plussi_severity severity;
            plussi_loc place;
            const char *text;
        } note;
        plussi_table *table; /* TABLE, SERIES */
    } u;
} plussi_item;

struct plussi_section {
    plussi_document *document;
    const char *key, *title;
    plussi_item *item, *last;
};

#endif
