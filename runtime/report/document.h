/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A report before it has a form: sections with fields, tables, series and notes. What computes
 * something makes a document of it; a writer (writer.h) makes text, JSON or CSV of any document.
 *
 * A section is an object of JSON. What has a key is for programs, what has a label (of sections: a
 * title) is for people; most things have both. Keys, labels and units are borrowed and outlive the
 * document (literals, or plussi_document_text); all other texts and numbers are copied.
 *
 * Everything lives in the document's arena. Once an allocation has failed, status says so, every
 * call that adds does nothing, and those that give a section or a table give one that nothing is
 * ever added to: who builds looks at the status at the end, or leaves it to the writer.
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
    PLUSSI_D_REAL, /* what is not finite is written as PLUSSI_D_NULL */
    PLUSSI_D_BOOLEAN,
    PLUSSI_D_PLACE /* in JSON and CSV: file, line and column, as far as they are known */
} plussi_datum_kind;

typedef struct plussi_datum {
    plussi_datum_kind kind;
    double error; /* REAL: standard error, +- in text, KEY_error in JSON; negative: none. The value
                     may be NAN, for this alone */
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
/* The value, or ABSENT where it does not hold. */
#define plussi_d_if(holds, value) ((holds) ? (value) : plussi_d_absent())

/* How a column of a table, or a field, is called, and how text shows its values. */
typedef enum plussi_show {
    PLUSSI_AS_TEXT,    /* to the left; numbers as they are */
    PLUSSI_AS_NUMBER,  /* to the right, as are all that follow; reals with `digits` decimals */
    PLUSSI_AS_COUNT,   /* 1,352,400 */
    PLUSSI_AS_BYTES,   /* 48 KiB */
    PLUSSI_AS_POINTS,  /* a hundred times the value, with `digits` decimals */
    PLUSSI_AS_GENERAL, /* `digits` significant digits, with an exponent where that is shorter */
    PLUSSI_AS_PLACE    /* gemm.c:42:5; what has a place has this */
} plussi_show;

typedef struct plussi_heading {
    const char *key;   /* member of JSON, column of CSV; NULL: in text alone */
    const char *label; /* NULL: not in text; "": shown without a label */
    plussi_show show;
    unsigned digits;  /* at most 12 */
    const char *unit; /* after each value in text; NULL: none */
    bool repeat;      /* column: in each part of a table that is too wide for a page */
    bool identifies;  /* field: each row of CSV that is from this section has it */
} plussi_heading;

/* ---- building -------------------------------------------------------------------------------- */

typedef struct plussi_section plussi_section;
typedef struct plussi_table plussi_table;

typedef struct plussi_document {
    pluss_status status; /* the first failure */
    plussi_arena arena;
    plussi_section *root; /* no title; its items are the members of JSON's outermost object */
} plussi_document;

void plussi_document_init(plussi_document *document, const plussi_mem *mem);
void plussi_document_free(plussi_document *document);
/* In the document's arena; "" where there is no memory. */
const char *plussi_document_text(plussi_document *document, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A section in a section. title: "" shows what is in it without one, NULL hides it from text. In a
 * list the key is not looked at. */
plussi_section *plussi_add_section(plussi_section *in, const char *key, const char *title);
/* A list of sections: an array of JSON. shown: in text too. */
plussi_section *plussi_add_list(plussi_section *in, const char *key, bool shown);
void plussi_add_field(plussi_section *in, plussi_heading heading, plussi_datum value);
/* A field for programs alone; one with a label. */
void plussi_add_member(plussi_section *in, const char *key, plussi_datum value);
void plussi_add_figure(plussi_section *in, const char *key, const char *label, plussi_show show,
                       unsigned digits, const char *unit, plussi_datum value);
/* A line of text, for people alone. */
void plussi_add_line(plussi_section *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* What is to be known about the section's content; place NULL: none. JSON: an element of the
 * section's "notes". */
void plussi_add_note(plussi_section *in, plussi_severity severity, const plussi_loc *place,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* An array of objects, one a row. n_columns >= 1; headings are copied. */
plussi_table *plussi_add_table(plussi_section *in, const char *key, const plussi_heading *columns,
                               size_t n_columns);
void plussi_add_row(plussi_table *table, const plussi_datum *row); /* n_columns of them */
/* Arrays of numbers of one length, one a column, which are members of the section itself; for
 * programs alone. key: its name where CSV is asked for one table. */
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
    double **values; /* of a series: a column each, n_rows of them */
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
