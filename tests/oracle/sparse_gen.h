/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random nests that touch few lines of large arrays: columns, diagonals, boundaries, bands, fields
 * of structs, coarse grids, strides, guards, triangles, remainders, windows that move with time,
 * arrays that are swapped, private ones; one line touched in 1 to one in 10^6, by one phase or
 * several, once or up to a hundred times.
 */
#ifndef TESTS_ORACLE_SPARSE_GEN_H
#define TESTS_ORACLE_SPARSE_GEN_H

#include <stddef.h>
#include <stdint.h>

/* Nest number `seed` as text, of at most about so many accesses; a team for it. */
void sparse_nest(uint64_t seed, double accesses, char *text, size_t size, uint32_t *team);

#endif
