/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * All of GCC's headers, in an order that works, and the differences between GCC's versions. STL
 * headers come first: GCC's system.h poisons names that they use, and its safe-ctype.h redefines
 * toupper and others.
 *
 * How to look at what this plugin sees:
 *
 *   gcc -fplugin=build/pluss.so -fopenmp -fdump-tree-gimple-lineno x.c    the input of the pass
 *   gcc -fplugin=build/pluss.so -fplugin-arg-pluss-dump=on -fopenmp x.c   the shadow body in SSA
 *   gcc -wrapper gdb,--args -fplugin=build/pluss.so -fopenmp x.c
 */
#ifndef PLUSSI_GCC_COMPAT_H
#define PLUSSI_GCC_COMPAT_H

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <initializer_list>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Before GCC's: options.h makes a macro of warn_unused_result. */
extern "C" {
#include "nest/nest.h"
}

/* In GCC's order, which is not the alphabet's. */
/* clang-format off */
#include "gcc-plugin.h"

#include "tree.h"
#include "function.h"
#include "basic-block.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimple-walk.h"
#include "gimplify.h"
#include "attr-fnspec.h"
#include "gimple-pretty-print.h"
#include "tree-pretty-print.h"
#include "tree-pass.h"
#include "tree-cfg.h"
#include "tree-cfgcleanup.h"
#include "tree-dfa.h"
#include "tree-eh.h"
#include "tree-inline.h"
#include "tree-ssa.h"
#include "ssa.h"
#include "gimple-ssa.h"
#include "tree-into-ssa.h"
#include "cfgloop.h"
#include "cfganal.h"
#include "cgraph.h"
#include "context.h"
#include "diagnostic-core.h"
#include "diagnostic.h"
#include "except.h"
#include "file-prefix-map.h"
#include "fold-const.h"
#include "gimple-expr.h"
#include "gimple-low.h"
#include "gomp-constants.h"
#include "langhooks.h"
#include "omp-general.h"
#include "options.h"
#include "opts.h"
#include "output.h"
#include "plugin-version.h"
#include "predict.h"
#include "print-tree.h"
#include "stor-layout.h"
#include "stringpool.h"
#include "attribs.h"
#include "toplev.h"
#include "tree-scalar-evolution.h"
#include "tree-iterator.h"
#include "ggc.h"
/* clang-format on */

/* A source file's path as it is recorded: as -fmacro-prefix-map maps it (like __FILE__), else as
 * -fdebug-prefix-map does; -ffile-prefix-map sets both. Returns `file` itself or memory of the
 * compiler. */
static inline const char *plussi_recorded_path(const char *file)
{
    const char *mapped = remap_macro_filename(file);
    return mapped == file || !strcmp(mapped, file) ? remap_debug_filename(file) : mapped;
}

/* The last statement of a block other than debug statements, or NULL. (last_stmt until GCC 13.) */
static inline gimple *plussi_last_stmt(basic_block bb)
{
    return gsi_stmt(gsi_last_nondebug_bb(bb));
}

/* Makes the compiler abort at the first error that it reports. */
static inline void plussi_abort_on_error(void)
{
#if GCCPLUGIN_VERSION >= 16000
    global_dc->set_abort_on_error(true);
#elif GCCPLUGIN_VERSION >= 14000
    global_dc->m_abort_on_error = true;
#else
    global_dc->abort_on_error = true;
#endif
}

/* Switches off warnings that a variable may have no value. */
static inline void plussi_expect_uninitialized(tree var)
{
#if GCCPLUGIN_VERSION >= 12000
    suppress_warning(var, OPT_Wuninitialized);
    suppress_warning(var, OPT_Wmaybe_uninitialized);
#else
    TREE_NO_WARNING(var) = 1;
#endif
}

/* Does GCC keep SSA names without a definition after it has moved a parallel construct's body? */
static const bool plussi_keeps_dangling_names = GCCPLUGIN_VERSION < 12000;

/* startswith of GCC 12. */
static inline bool plussi_startswith(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* GCC 12 has `masked` and `scope`; in 11 these codes do not exist and no statement matches. */
#if GCCPLUGIN_VERSION >= 12000
#define PLUSSI_IS_OMP_MASKED(g) (gimple_code(g) == GIMPLE_OMP_MASKED)
#define PLUSSI_IS_OMP_SCOPE(g) (gimple_code(g) == GIMPLE_OMP_SCOPE)
static inline bool plussi_masked_by_filter(gimple *g)
{
    tree c = omp_find_clause(gimple_omp_masked_clauses(g), OMP_CLAUSE_FILTER);
    return c && !integer_zerop(OMP_CLAUSE_FILTER_EXPR(c));
}
static inline tree *plussi_masked_or_scope_clauses(gimple *g)
{
    return PLUSSI_IS_OMP_MASKED(g)  ? gimple_omp_masked_clauses_ptr(g)
           : PLUSSI_IS_OMP_SCOPE(g) ? gimple_omp_scope_clauses_ptr(g)
                                    : NULL;
}
#else
#define PLUSSI_IS_OMP_MASKED(g) (false && (g))
#define PLUSSI_IS_OMP_SCOPE(g) (false && (g))
static inline bool plussi_masked_by_filter(gimple *)
{
    return false;
}
static inline tree *plussi_masked_or_scope_clauses(gimple *)
{
    return NULL;
}
#endif

/* The number of teams that libgomp makes for a teams construct on the host, as far as a clause says
 * it; NULL: it has none. In a target region GCC 11 makes one team alone. */
static inline tree plussi_num_teams(tree clause, bool in_target)
{
#if GCCPLUGIN_VERSION >= 12000
    (void)in_target;
    return clause ? OMP_CLAUSE_NUM_TEAMS_UPPER_EXPR(clause) : NULL_TREE;
#else
    return clause && !in_target ? OMP_CLAUSE_NUM_TEAMS_EXPR(clause) : NULL_TREE;
#endif
}

#if GCCPLUGIN_VERSION < 11000
#error "pluss needs GCC 11 or later"
#endif

#endif
