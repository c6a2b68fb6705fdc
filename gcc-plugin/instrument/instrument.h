/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Modes that record: calls of libpluss-rt in the program. See instrument.cc.
 */
#ifndef PLUSSI_PLUGIN_INSTRUMENT_H
#define PLUSSI_PLUGIN_INSTRUMENT_H

#include "region/region.h"

namespace pluss
{

struct SamplePlan;

/* What is recorded, as in rt/rt.h. */
enum class Told { Values, Accesses, Times };

/* count.cc: an access of the program's own that no nest has. */
struct Outside {
    gimple *stmt; /* of an atomic update its load */
    tree memory;
    bool write;
};
std::vector<Outside> list_outside(gimple_seq body, const std::set<MadeBy> &described);
/* The program counts them. */
void count_outside(const std::vector<Outside> &outside, Edits *edits);
/* And calls the library for each of them, which records it; ask: if it is to be recorded. */
void record_called(const std::vector<Outside> &outside, bool ask, Edits *edits);
/* All accesses of a function without parallel work are such; recorded where what is called is
 * recorded: in regions that do so, and outside of regions. */
void count_function(function *fn);

/* Inserts the calls into the body of fn (cfun), after the end of the shadow. sample: with a
 * sampler, or NULL. outside: counted, or NULL; those in parallel work are recorded too, where
 * accesses are told. */
void instrument(function *fn, Region &region, Told told, SamplePlan *sample = nullptr,
                const std::vector<Outside> *outside = nullptr);
/* The parallel constructs that are not inside of another one. */
std::vector<gimple *> find_parallels(function *fn);
/* Accesses between regions that are parts of the function. */
void record_serial(function *fn, const std::vector<Outside> &serial);
/* Those in parallel work. */
std::vector<Outside> list_sites(function *fn, const Region &region,
                                const std::vector<Outside> &outside);
/* Can all of them, and what the parallel work calls, take the places of the nest's unknowns? Then
 * instrument records them in their order, too, where it records accesses. */
bool can_fill(function *fn, const Region &region, const std::vector<Outside> &outside);
/* Does the parallel work call functions that may have accesses of their own that are counted? Of
 * functions whose bodies are elsewhere, those that a header of the system declares do not. */
bool calls_others(function *fn, const Region &region);
/* Do such functions, and with them perhaps other regions, run between its parallel constructs? */
bool surrounds_others(function *fn, const Region &region);

/* inline.cc: puts the callees that the shadow would put in line into the body of fn (cfun), of at
 * most that many statements in all. Returns their number. */
unsigned inline_calls(function *fn, unsigned limit);

/* timing.cc: to be called before the edits are made. handle: the variable that holds the region's
 * run; parallels: the constructs that make the region's teams. */
void stamp_region(function *fn, Region &region, Edits &edits, tree handle,
                  const std::vector<gimple *> &parallels);

} // namespace pluss
#endif
