/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Loops of code without OpenMP that are described as if they were parallel: see serial.cc.
 */
#ifndef PLUSSI_PLUGIN_SERIAL_H
#define PLUSSI_PLUGIN_SERIAL_H

#include "analysis/analysis.h"

namespace pluss
{

/* Puts the loops that are asked about into parallel regions of their own. */
void make_parallel(Analysis &an, function *fn, std::vector<Item *> *top);

} // namespace pluss
#endif
