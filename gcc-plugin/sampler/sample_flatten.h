/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Flattening for a sampler: a worksharing loop becomes a loop over the chunks that the runtime
 * dispatches to the simulated thread. See sample_flatten.cc.
 */
#ifndef PLUSSI_PLUGIN_SAMPLE_FLATTEN_H
#define PLUSSI_PLUGIN_SAMPLE_FLATTEN_H

#include "sampler/sample_calls.h"
#include "shadow/flatten.h"

namespace pluss
{

/* PLUSS_RT_WALK_... of runtime/rt/sampler.h. */
enum { WALK_STATIC, WALK_DYNAMIC, WALK_GUIDED, WALK_RUNTIME, WALK_SECTIONS, WALK_COLLAPSED = 8 };
unsigned walk_schedule(const Construct *c);

/* A value as a 64-bit number: signed ones keep their sign. */
tree emit_number(gimple_seq *seq, tree value);

class SampleFlatten : public Flatten
{
  public:
    SampleFlatten(Flat &f, tree w) : Flatten(f, Purpose::Sample), walk(w) {}
    std::vector<tree> variables; /* that were made, to be declared around the body */
    tree make_temporary(tree type) final override;

  protected:
    void emit_loops(gimple_seq *out, gomp_for *f, Construct *c) final override;
    tree begin_section(gimple_seq *out, tree index) final override;
    void forget_assigned(gimple_seq *, const std::vector<tree> &) final override {}

  private:
    struct Range {
        Counter counter;
        tree step, trips; /* 64-bit numbers */
    };
    tree walk;
    Range emit_range(gimple_seq *out, gomp_for *f, unsigned d);
    void emit_worksharing(gimple_seq *out, const Construct *c, unsigned shared, tree trips);
    void emit_around(gimple_seq *out, gomp_for *f, unsigned shared,
                     const std::function<void(unsigned, const Range &)> &emit_inner,
                     unsigned d = 0);
    void emit_start(gimple_seq *out, const Range &r, tree base);
    void emit_chunks(gimple_seq *out, gomp_for *f, unsigned d, const Range &r, tree base);
};

} // namespace pluss
#endif
