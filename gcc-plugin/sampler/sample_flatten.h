/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Flattening for a sampler: a worksharing loop becomes a loop over the chunks that the runtime
 * hands to the simulated thread. See sample_flatten.cc.
 */
#ifndef PLUSSI_PLUGIN_SAMPLE_FLATTEN_H
#define PLUSSI_PLUGIN_SAMPLE_FLATTEN_H

#include "shadow/flatten.h"
#include "sampler/sample_calls.h"

namespace pluss
{

/* PLUSS_RT_WALK_... of runtime/rt/sampler.h. */
enum {
    WALK_STATIC,
    WALK_DYNAMIC,
    WALK_GUIDED,
    WALK_RUNTIME,
    WALK_SECTIONS,
    WALK_COLLAPSED = 8
};
unsigned walk_schedule(const Construct *c);

/* A value as a 64-bit number: signed ones keep their sign. */
tree as_number(gimple_seq *seq, tree value);

class SampleFlatten : public Flatten
{
  public:
    SampleFlatten(Flat &f, tree w) : Flatten(f), walk(w) {}
    std::vector<tree> variables; /* that were made, to be declared around the body */
    tree temporary(tree type) final override;

  protected:
    void loops_of(gimple_seq *out, gomp_for *f, Construct *c) final override;
    tree section_head(gimple_seq *out, tree index) final override;
    void set_apart(gimple_seq *, const std::vector<tree> &) final override {}

  private:
    struct Dim {
        tree index, reg; /* the variable, and the register that counts */
        tree initial, final, trips;
        tree step; /* a 64-bit number */
    };
    tree walk;
    Dim dim(gimple_seq *out, gomp_for *f, unsigned d);
    void count(gimple_seq *out, gomp_for *f, unsigned d, unsigned shared, tree total);
    void around(gimple_seq *out, gomp_for *f, unsigned d, const std::function<void()> &inner);
    void pieces(gimple_seq *out, gomp_for *f, unsigned d, const Dim &m, tree base);
    void body(gimple_seq *out, gomp_for *f, unsigned d);
    void advance(gimple_seq *out, gomp_for *f, unsigned d, tree reg);
};

} // namespace pluss
#endif
