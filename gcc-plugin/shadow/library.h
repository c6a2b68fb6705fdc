/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What calls of the C library, of C++'s, of libgomp, of libgfortran and of GCC's built-in functions
 * may change. Those that only compute, print, wait, allocate or tell the time change nothing that a
 * nest depends on; others change what their arguments lead to.
 */
#ifndef PLUSSI_PLUGIN_LIBRARY_H
#define PLUSSI_PLUGIN_LIBRARY_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Does a call write no memory that the program's loops read? (What gives_by_pointer names it does
 * write.) */
bool is_harmless(gcall *g);
/* Does it only print what its arguments lead to? (Fortran's output.) */
bool prints_arguments(gcall *g);
/* Does it only store its result where an argument points to? */
bool gives_by_pointer(gcall *g);
/* Is it taken to read a clock, by its name alone? */
bool is_taken_for_clock(gcall *g);
/* Does a function change memory only through its arguments? */
bool changes_by_arguments(tree fn);

} // namespace pluss
#endif
