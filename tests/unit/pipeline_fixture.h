/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A context, a nest out of a text and a result, for the tests of whole predictions and walks.
 */
#ifndef TESTS_UNIT_PIPELINE_FIXTURE_H
#define TESTS_UNIT_PIPELINE_FIXTURE_H

#include "study/pipeline.h"

extern plussi_ctx ctx;
extern plussi_nest *nest; /* NULL at first */
extern plussi_result result;

void setup(void);
void teardown(void);
void parse(const char *text); /* in place of the nest; a failed check if it does not parse */

#endif
