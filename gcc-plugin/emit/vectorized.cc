/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * See vectorized.h. GCC tells plugins which pass comes next, not what a pass has done. So loops are
 * looked at before the vectoriser and before the pass after it: of a loop that it vectorises it
 * replaces the condition at the end, and of loops around it does not.
 */
#include "emit/vectorized.h"

#include "emit/note.h"

#include "tree-scalar-evolution.h"
#include "tree-vectorizer.h"

namespace pluss
{

struct OuterLoop {
    int number;
    location_t loc;
    const gcond *end;
};

static const function *in_vectorizer;      /* the function that the vectoriser works on */
static std::vector<OuterLoop> outer_loops; /* its loops with loops inside, as they were before */

static bool is_outlined(const function *fn)
{
    return strstr(IDENTIFIER_POINTER(DECL_NAME(fn->decl)), "._omp_fn.") != NULL;
}

static void enter_vectorizer(function *fn)
{
    in_vectorizer = fn;
    outer_loops.clear();
    for (unsigned number = 1; number < number_of_loops(fn); number++) { /* 0: the whole function */
        const class loop *loop = get_loop(fn, number);
        if (loop && loop->inner)
            outer_loops.push_back({loop->num,
                                   find_loop_location(get_loop(fn, number)).get_location_t(),
                                   get_loop_exit_condition(loop)});
    }
}

static void leave_vectorizer(function *fn)
{
    in_vectorizer = nullptr;
    for (const OuterLoop &was : outer_loops) {
        const class loop *loop = get_loop(fn, was.number);
        if (loop && loop->inner && get_loop_exit_condition(loop) != was.end)
            note_loop(was.loc, "GCC vectorises this loop with those inside: it touches lines in "
                               "another order than the nest");
    }
}

static void look_at_pass(void *pass, void *)
{
    bool looked_at = cfun && loops_for_fn(cfun) && is_outlined(cfun);
    if (looked_at && in_vectorizer == cfun)
        leave_vectorizer(cfun);
    if (looked_at && !strcmp(static_cast<opt_pass *>(pass)->name, "vect"))
        enter_vectorizer(cfun);
}

void watch_vectorizer(const char *plugin_name)
{
    register_callback(plugin_name, PLUGIN_PASS_EXECUTION, look_at_pass, NULL);
}

} // namespace pluss
