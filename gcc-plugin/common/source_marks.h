/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Marks in the source: loops of code without OpenMP that are described as if they were parallel.
 *
 *     #pragma pluss parallel                   in C and C++, before a loop
 *     #pragma pluss parallel(dynamic, 4)       the same, with a schedule
 *     !$pluss parallel(static)                 in Fortran
 *
 * A mark adds no code.
 */
#ifndef PLUSSI_PLUGIN_SOURCE_MARKS_H
#define PLUSSI_PLUGIN_SOURCE_MARKS_H

#include "common/gcc-compat.h"

namespace pluss
{

struct Mark {
    std::string file;
    int line;
    location_t loc;
    plussi_schedule_kind schedule;
    int64_t chunk; /* 0: none is given */
};

/* Makes the marks of C and C++ known to the front end. */
void register_marks(const char *plugin);
/* Reads those of a Fortran source, once. */
void read_fortran_marks();
/* The marks between a function's first and last line, in order. */
std::vector<Mark> list_marks(function *fn);
bool has_marks();
/* Those of the unit; in a link, of the unit whose functions are described now. */
const std::vector<Mark> &unit_marks();
void set_unit_marks(const std::vector<Mark> &of_unit);
/* Does a function without parallel work, which has these statements, hold loops that are asked
 * about? */
bool asks_about_loops(function *fn, const std::vector<gimple *> &all);

} // namespace pluss
#endif
