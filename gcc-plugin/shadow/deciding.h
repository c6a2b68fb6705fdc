/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Fortran's .and. and .or. at -O0. See deciding.cc.
 */
#ifndef PLUSSI_PLUGIN_DECIDING_H
#define PLUSSI_PLUGIN_DECIDING_H

#include "common/gcc-compat.h"

namespace pluss
{

/* Makes branches of the logical operators in the body of a shadow, where that describes (not where
 * the program records) and the language is Fortran: what the second operand loads is loaded only if
 * the first does not decide. O(statements * operands of one expression). */
void stop_where_decided(gimple_seq *body);

} // namespace pluss
#endif
