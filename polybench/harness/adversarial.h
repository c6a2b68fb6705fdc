/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Families of nests that are hard to predict: of each as many members as wanted, of random sizes,
 * schedules and teams.
 */
#ifndef POLYBENCH_ADVERSARIAL_H
#define POLYBENCH_ADVERSARIAL_H

#include <stddef.h>
#include <stdint.h>

/* The name of family number i, 0, 1, ...; NULL behind the last. */
const char *adversarial_family(size_t i);
/* The text of a member, the same every time; its team. */
void adversarial_nest(size_t family, uint64_t member, char *text, size_t room, uint32_t *team);

#endif
