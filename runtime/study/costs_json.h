/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The section `costs` of a machine file (docs/machine-file.md). Not for libraries without JSON.
 */
#ifndef PLUSSI_STUDY_COSTS_JSON_H
#define PLUSSI_STUDY_COSTS_JSON_H

#include "cache/hierarchy.h"
#include "cost/machine_costs.h"
#include "report/json_members.h"

/* root: of the file, which has the section; faults go to its file. caches: of the file; n 0: any.
 * Members that are not known are faults. */
void plussi_read_costs(const plussi_json_object *root, const plussi_machine_caches *caches,
                       plussi_machine_costs *out);
/* A new object; NULL: no memory. */
json_t *plussi_costs_json(const plussi_machine_costs *costs);

#endif
