/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Notes about outlined loops that GCC vectorises with loops inside: several iterations at once then
 * touch lines that the nest has in turn. Looks only: no pass is added.
 */
#ifndef PLUSSI_PLUGIN_VECTORIZED_H
#define PLUSSI_PLUGIN_VECTORIZED_H

#include "common/gcc-compat.h"

namespace pluss
{

/* From now on the vectoriser's work is looked at, function by function. */
void watch_vectorizer(const char *plugin_name);

} // namespace pluss
#endif
