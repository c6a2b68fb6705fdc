/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Remarks on the loops of the unit, through the compiler's own diagnostics. See loop_remarks.cc.
 */
#ifndef PLUSSI_PLUGIN_LOOP_REMARKS_H
#define PLUSSI_PLUGIN_LOOP_REMARKS_H

#include "common/gcc-compat.h"

#include "plugin.h"

namespace pluss
{

/* An option of remarks: report, report-warn, report-error, report-seconds, command, threads, cache,
 * machine, D-NAME. *known: it is one. False: its value is wrong, which is said. */
bool take_report_option(const plugin_argument &a, bool *known);
/* The plugin's file, beside which the command is looked for. */
void report_beside(const char *plugin);
/* A place that a remark may be about. */
void keep_place(location_t loc);
/* At the end of the unit: a remark on each loop of the nests; one note where there can be none. */
void report_nests(const std::vector<std::string> &nests);

} // namespace pluss
#endif
