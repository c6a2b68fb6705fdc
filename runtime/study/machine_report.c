/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The levels of a machine in a report.
 */
#include "study/machine_file.h"

#include <stdio.h>

/* "inclusive, hashed, 4 KiB pages"; "": as caches usually are. */
static const char *policy_text(plussi_document *document, const plussi_cache_level *l)
{
    char pages[48] = "";
    if (l->page_bytes)
        snprintf(pages, sizeof pages, ", pages of %llu B", (unsigned long long)l->page_bytes);
    const char *text = plussi_document_text(document, "%s%s%s%s%s%s", l->inclusion ? ", " : "",
                                            l->inclusion ? plussi_inclusion_name(l->inclusion) : "",
                                            l->hashed ? ", hashed" : "", pages,
                                            l->write_through ? ", write-through" : "",
                                            l->no_write_allocate ? ", no-write-allocate" : "");
    return *text ? text + 2 : text;
}

void plussi_report_machine_levels(const plussi_machine_caches *caches, plussi_document *document)
{
    static const plussi_heading columns[] = {
        {.key = "name", .label = "level"},
        {.key = "bytes", .label = "size", .show = PLUSSI_AS_BYTES},
        {.key = "ways"},
        {.label = "ways", .show = PLUSSI_AS_NUMBER},
        {.label = "sets", .show = PLUSSI_AS_NUMBER},
        {.key = "shared_by", .label = "shared by", .show = PLUSSI_AS_NUMBER},
        {.key = "count", .label = "count", .show = PLUSSI_AS_NUMBER},
        {.key = "inclusion"},
        {.key = "hashed"},
        {.key = "page_bytes"},
        {.key = "write_through"},
        {.key = "write_allocate"},
        {.label = "policy"}};
    const plussi_hierarchy *h = &caches->hierarchy;
    if (!h->n)
        return;
    plussi_add_member(document->root, "line_bytes", plussi_d_count(h->line_bytes));
    plussi_table *table =
        plussi_add_table(document->root, "levels", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < h->n; i++) {
        const plussi_cache_level *l = &h->level[i];
        bool known = l->ways_from != PLUSSI_WAYS_UNKNOWN;
        plussi_datum ways = !known    ? plussi_d_null()
                            : l->ways ? plussi_d_count(l->ways)
                                      : plussi_d_text("full");
        plussi_datum count = plussi_d_if(caches->count[i], plussi_d_count(caches->count[i]));
        plussi_add_row(
            table, (plussi_datum[]){plussi_d_text(l->name), plussi_d_count(l->bytes), ways, ways,
                                    plussi_d_if(known, plussi_d_count(plussi_level_sets(h, i))),
                                    plussi_d_count(l->threads_per_cache), count,
                                    plussi_d_text(plussi_inclusion_name(l->inclusion)),
                                    plussi_d_boolean(l->hashed),
                                    plussi_d_if(l->page_bytes, plussi_d_count(l->page_bytes)),
                                    plussi_d_boolean(l->write_through),
                                    plussi_d_boolean(!l->no_write_allocate),
                                    plussi_d_text(policy_text(document, l))});
    }
}
