/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Members of JSON objects, checked while they are read. The first fault is reported with its file
 * and place ("m.json: regions[2].team: missing") and is the file's status; after it all functions
 * give 0 or NULL. Not for libraries without JSON.
 */
#ifndef PLUSSI_REPORT_JSON_MEMBERS_H
#define PLUSSI_REPORT_JSON_MEMBERS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/ctx.h"

typedef struct plussi_json_file {
    plussi_ctx *ctx;
    plussi_loc loc; /* of messages: only the file, as jansson keeps no places */
    pluss_status status;
} plussi_json_file;

typedef struct plussi_json_object {
    plussi_json_file *file;
    const json_t *json; /* NULL: there is none, and all members are missing */
    char place[96];     /* prefix of keys: "regions[2].loops[0]." */
} plussi_json_object;

/* key: "" for the object itself. */
void plussi_json_wrong(const plussi_json_object *o, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Keeps the status of something else; the first fault stays. */
void plussi_json_keep(const plussi_json_object *o, pluss_status status);

/* 0 or NULL where a member that is not required is missing or null. A text lives as long as the
 * JSON does. */
const char *plussi_json_text(const plussi_json_object *o, const char *key, bool required);
uint64_t plussi_json_count(const plussi_json_object *o, const char *key, bool required,
                           uint64_t least, uint64_t most);
double plussi_json_number(const plussi_json_object *o, const char *key, bool required, double least,
                          double most);
/* `otherwise` where it is missing. */
bool plussi_json_flag(const plussi_json_object *o, const char *key, bool otherwise);
plussi_json_object plussi_json_member(const plussi_json_object *o, const char *key, bool required);
/* Elements of an array. */
size_t plussi_json_length(const plussi_json_object *o, const char *key, bool required);
/* An element of an array of objects. */
plussi_json_object plussi_json_element(const plussi_json_object *o, const char *key, size_t index);
/* An array of n numbers. */
void plussi_json_numbers(const plussi_json_object *o, const char *key, size_t n, double least,
                         double most, double *out);

#endif
