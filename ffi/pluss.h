/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * pluss: how a parallel loop will use the caches, for any number of threads, before it is run.
 *
 * The C interface of libpluss. This header is self-contained, fit for C++ and MIT OR Apache-2.0;
 * the library itself is GPL-3.0-or-later.
 *
 *     pluss_context *ctx;
 *     pluss_nests *nests;
 *     pluss_result *result;
 *     pluss_options *options;
 *     pluss_context_new(NULL, &ctx);
 *     pluss_nests_read(ctx, "a.out", &nests);
 *     pluss_options_new(ctx, &options);
 *     pluss_options_set(ctx, options, "threads", "4,64");
 *     pluss_options_set(ctx, options, "define", "n=1000");
 *     pluss_predict(ctx, pluss_nests_get(nests, 0), options, &result);
 *     printf("%f\n", pluss_curve_at(pluss_result_get(result, 0), 1 << 20));
 *
 * Conventions
 *   Status   What can fail returns a pluss_status and must not be ignored. Results come through the
 *            last out-parameter, which is untouched on failure. Why it failed, and where, is in the
 *            context's list of diagnostics. NULL for a required pointer is PLUSS_EINVAL.
 *   Owner    What a function with `_new`, `_parse`, `_read`, or an out-parameter of an opaque type
 *            gives is the caller's, who passes it to the type's `_free` (which takes NULL). What a
 *            `_get` gives is borrowed: it and the strings in it live as long as the object asked.
 *            Objects use their context's allocator, so they must be freed before the context.
 *   Structs  Those that the caller fills or offers begin with their size, so that later versions
 *            can add fields at the end: set .size = sizeof it, and the rest to 0. In 0 and NULL
 *            every field has its default. Small ones that stand in arrays (bindings, contents,
 *            chunks, caches ...) have no size, and stay as they are.
 *   Change   Under one SONAME functions, fields at the end of sized structs and values of
 *            enumerations are added, nothing is changed or taken away (tests/install/abi.golden).
 *   Threads  One thread at a time a context, with all that was made from it. Contexts are
 *            independent of each other. A finished nest, curve, result or histogram is only read
 *            by the calls that take it as const: several threads may make such calls at once, each
 *            with a context of its own.
 *   Calls    Callbacks must return: no longjmp, no exception or panic may pass through the library.
 *            They must not call the library with the same context.
 *   Quiet    The library never prints, never ends the process, reads no environment variable,
 *            starts no process.
 *   Numbers  Sizes of caches in bytes, where they are called so, else in lines; miss ratio = misses
 *            / all accesses, in [0, 1].
 */
#ifndef PLUSS_H
#define PLUSS_H

#include <stddef.h>
#include <stdint.h>

#define PLUSS_VERSION_MAJOR 0
#define PLUSS_VERSION_MINOR 1
#define PLUSS_VERSION_PATCH 0
#define PLUSS_VERSION "0.1.0"

#if defined(__GNUC__)
#define PLUSS_NODISCARD __attribute__((warn_unused_result))
#define PLUSS_API __attribute__((visibility("default")))
#else
#define PLUSS_NODISCARD
#define PLUSS_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- status, version ------------------------------------------------------------------------- */

typedef enum pluss_status {
    PLUSS_OK = 0,
    PLUSS_ENOMEM = 1,
    PLUSS_EINVAL = 2,       /* an argument of the call */
    PLUSS_ERANGE = 3,       /* a number is out of range */
    PLUSS_EPARSE = 4,       /* the text is not a nest description */
    PLUSS_EINVALID = 5,     /* the nest is not well formed */
    PLUSS_EUNBOUND = 6,     /* a symbol has no value */
    PLUSS_EUNSUPPORTED = 7, /* the engine cannot take this construct */
    PLUSS_ELIMIT = 8,       /* a limit of the library is exceeded */
    PLUSS_EIO = 9,          /* a file cannot be read or written */
    PLUSS_EFORMAT = 10,     /* the file is not in the expected format */
    PLUSS_ENOTFOUND = 11,
    PLUSS_ECANCELLED = 12, /* by the callback `ask` */
    PLUSS_EINTERNAL = 13,
    PLUSS_EEMPTY = 14 /* with these values the nest makes no access: it has no curve */
} pluss_status;

PLUSS_API const char *pluss_status_text(pluss_status status); /* "out of memory"; never NULL */
PLUSS_API const char *pluss_status_name(pluss_status status); /* "ENOMEM"; never NULL */

/* Of the library that runs, as against PLUSS_VERSION, of the header compiled against. */
PLUSS_API const char *pluss_version(void);
/* What this library can do: 1 or 0. "model.NAME", "progress.NAME", "read.elf",
 * "read.archive", "read.text", "read.json" (reports), "report.FORMAT", "build", "record". */
PLUSS_API int pluss_has_feature(const char *name);

/* ---- context --------------------------------------------------------------------------------- */

typedef struct pluss_context pluss_context;

typedef enum pluss_severity { PLUSS_NOTE = 0, PLUSS_WARNING = 1, PLUSS_ERROR = 2 } pluss_severity;

typedef struct pluss_diagnostic {
    size_t size;
    pluss_severity severity;
    pluss_status status;
    const char *file;   /* NULL: no place */
    uint32_t line, col; /* from 1; 0: not known */
    const char *text;   /* one line */
} pluss_diagnostic;

typedef struct pluss_context_options {
    size_t size;
    /* Allocator: resize(user, NULL, n) allocates, resize(user, p, 0) frees p and returns NULL, else
     * as realloc; NULL when out of memory; results aligned as malloc's. May be called from several
     * threads at once. NULL: malloc. (libelf and jansson use malloc in any case.) */
    void *(*resize)(void *user, void *ptr, size_t bytes);
    void *resize_user;
    /* Called once for each diagnostic, before the function that met it returns. NULL: none. */
    void (*log)(void *user, const pluss_diagnostic *diagnostic);
    void *log_user;
    /* Called now and then by long computations: what they are at, `stage`; the share of all that
     * the call does that is done, in [0, 1], or negative where the end is not known, as that of a
     * trace that comes through a pipe; steps done (accesses). Not 0: stop, with PLUSS_ECANCELLED.
     * NULL: none. */
    int (*ask)(void *user, const char *stage, double done, uint64_t steps);
    void *ask_user;
    /* Bytes that the context may keep from one prediction to the next: samples and exact counts, of
     * the models clock alone, by the nest, its values and the options that they follow from. What
     * is asked for again, or differs in caches, errors or what is told alone, then takes a part of
     * the time; a team takes 2 to 5 MB. Results stay the same to the last bit. 0: 256 KB, which
     * hold the counts that all teams and schedules of a call share. */
    size_t kept_bytes;
} pluss_context_options;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_context_new(const pluss_context_options *options,
                                                         pluss_context **out);
PLUSS_API void pluss_context_free(pluss_context *ctx);

/* Diagnostics in the order met, over all calls since the last clear; at most 100 are kept. */
PLUSS_API size_t pluss_context_diagnostic_count(const pluss_context *ctx);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_context_diagnostic(const pluss_context *ctx, size_t i,
                                                                pluss_diagnostic *out);
PLUSS_API size_t pluss_context_dropped_count(const pluss_context *ctx);
PLUSS_API void pluss_context_clear(pluss_context *ctx);

/* ---- other processes -------------------------------------------------------------------------
 *
 * Exact simulations (pluss_simulate, pluss_nests_simulate, simulated records) cut what they walk
 * into slices. Besides threads, processes of this machine or of others may take some: ranks, which
 * are sent the slices (8 to 16 bytes an access), and need neither files nor options. Results are
 * the same to the last bit, for any number of them. */

/* How others are reached: with MPI or any other way that keeps the order of the messages between
 * two processes. The process that simulates is rank 0, the others are 1 to n. All are called by the
 * thread that calls the library alone. Not 0: it failed, and that rank is not used again; what it
 * was doing is done by others. */
typedef struct pluss_ranks {
    size_t size;
    uint32_t n; /* the others; where they serve: not used */
    int (*send)(void *user, uint32_t rank, const void *data, size_t bytes);
    /* Does not wait. 1: the next message is one of that many bytes from *rank; 0: there is none;
     * negative, once for each: *rank is gone. */
    int (*probe)(void *user, uint32_t *rank, size_t *bytes);
    int (*receive)(void *user, uint32_t rank, void *data, size_t bytes); /* all of that message */
    void *user;
} pluss_ranks;

/* From now on simulations with this context use them; ranks: copied; NULL: none. Those that there
 * were before are told to end, as they are by pluss_context_free. PLUSS_EINVAL: no function or no
 * others; PLUSS_ENOMEM. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_context_set_ranks(pluss_context *ctx,
                                                               const pluss_ranks *ranks);
/* In each of the others: takes slices until rank 0 says that it ends. The context's callback is
 * asked while there is nothing to do (stage "wait"). PLUSS_EINVAL; PLUSS_ECANCELLED; PLUSS_ENOMEM;
 * PLUSS_EIO: rank 0 is gone; PLUSS_EFORMAT: it is of another version. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_ranks_serve(pluss_context *ctx,
                                                         const pluss_ranks *ranks);

/* ---- nests -----------------------------------------------------------------------------------
 *
 * A nest is the description of a program: a sequence of regions that share symbols and arrays. */
typedef struct pluss_nest pluss_nest;
typedef struct pluss_nests pluss_nests; /* the nests of a file */

typedef struct pluss_report pluss_report; /* see "reports" */

/* Receives output; not 0: stop, with PLUSS_EIO. */
typedef int (*pluss_write_fn)(void *user, const char *data, size_t length);

/* `file` names the text in messages; may be NULL. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_parse(pluss_context *ctx, const char *text,
                                                        size_t length, const char *file,
                                                        pluss_nest **out);
PLUSS_API void pluss_nest_free(pluss_nest *nest);
/* The canonical text. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_write(pluss_context *ctx, const pluss_nest *nest,
                                                        pluss_write_fn write, void *user);
/* The loop-annotated trace: the references of each region in the order of execution, with loops in
 * brackets ("retval, k, [102, k, A~0~k, k], k"); docs/nest-format.md has the form. PLUSS_EIO: write
 * failed. O(size of the nest). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_write_annotated(pluss_context *ctx,
                                                                  const pluss_nest *nest,
                                                                  pluss_write_fn write, void *user);

/* All nests in an ELF executable, object or shared library, in an ar archive of such, or in a text
 * file. Equal ones count once. Their number may be 0. A trace (docs/trace-format.md), which only
 * pluss_nests_simulate takes, has none; it is read when it is asked for. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_read(pluss_context *ctx, const char *path,
                                                        pluss_nests **out);
/* Moves the nests of src to the end of dst; src is empty afterwards. PLUSS_EINVAL: one of them is a
 * trace or a profile. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_append(pluss_context *ctx, pluss_nests *dst,
                                                          pluss_nests *src);
PLUSS_API void pluss_nests_free(pluss_nests *nests);
PLUSS_API size_t pluss_nests_count(const pluss_nests *nests);
PLUSS_API int pluss_nests_is_trace(const pluss_nests *nests); /* 0 or 1 */
PLUSS_API const pluss_nest *pluss_nests_get(const pluss_nests *nests,
                                            size_t i); /* NULL: past end */

/* One region, with what it uses, as a nest of its own. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_extract(pluss_context *ctx,
                                                          const pluss_nest *nest, uint32_t region,
                                                          pluss_nest **out);
/* The regions of all, one after another, as one program. Nest-wide declarations of the same name
 * must agree and are then the same thing. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_join(pluss_context *ctx,
                                                       const pluss_nest *const *nests, size_t n,
                                                       pluss_nest **out);

/* What an array of integers holds. */
typedef struct pluss_contents {
    const char *array; /* its name, or REGION.NAME */
    const int64_t *values;
    size_t n; /* row by row, from the first */
} pluss_contents;

/* A copy of the nest in which the arrays hold these values, so that indirect subscripts and bounds
 * can be followed; the values are copied. PLUSS_ENOTFOUND: no such array; PLUSS_EINVALID: an array
 * without integers, a number of values that its extents exclude, a value that does not fit. O(nest
 * + values). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_with_contents(pluss_context *ctx,
                                                                const pluss_nest *nest,
                                                                const pluss_contents *contents,
                                                                size_t n, pluss_nest **out);

/* The loop nest behind traces (docs/trace-format.md), found in them alone: files that can be read
 * more than once, with their objects beside them (docs/folding.md). Without symbols there is one
 * trace, and the nest is that run, at its addresses. With symbols there are 3 to 17 traces, of runs
 * of different sizes: values[i * n_symbols + k] is symbol k of trace i, at least 0. The last trace,
 * of six and more the last two, is not used to find the nest. Where three or more have several
 * threads, traces of one thread, at most 34 in all, are on top of those numbers and not used
 * either: one thread does not tell which loops a team shares. What is given has been executed and
 * compared with every trace, access by access, and each thread's. The caller owns it.
 * PLUSS_EUNSUPPORTED: there is no such nest; the message has the share of accesses that do not
 * fold, and their site. PLUSS_EINVAL, PLUSS_EIO, PLUSS_EFORMAT (with the line), PLUSS_ELIMIT.
 * O(accesses); memory O(sites + objects), and of several threads that of all accesses between two
 * barriers. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_fold(pluss_context *ctx,
                                                       const char *const *traces, size_t n_traces,
                                                       const char *const *symbols, size_t n_symbols,
                                                       const int64_t *values, pluss_nest **out);

/* The nest after these steps, each applied to what the one before left (docs/transform.md):
 * "interchange:i,k", "tile:i=32,k=64", "distribute:i", "fuse:i@12,i@15", "pad:A=8",
 * "spread:count=64", "schedule:i=static,4"; at most 64. Each reference touches the same elements,
 * as often as before, and conflicting accesses keep their order. Values in registers are not known.
 * PLUSS_EINVAL: a step cannot be read; PLUSS_ENOTFOUND: no such loop or array, or several;
 * PLUSS_EUNSUPPORTED: it would not be legal, or cannot be shown to be, with the place and the
 * reason. O(references^2) a step. The caller owns *out. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_transform(pluss_context *ctx,
                                                            const pluss_nest *nest,
                                                            const char *const *steps, size_t n,
                                                            pluss_nest **out);

typedef struct pluss_nest_info {
    size_t size;
    const char *origin; /* where the text came from: "lib.a(gemm.o)#2", "gemm.nest" */
    uint32_t regions, symbols, loops, refs, unknowns; /* how many */
    uint32_t arrays;
} pluss_nest_info;

typedef struct pluss_region_info {
    size_t size;
    const char *name;
    const char *file;   /* source; NULL: not known */
    uint32_t line, col; /* 0: not known */
    /* Out of an object file (pluss_nests_read) alone: */
    const char *symbol; /* the linker's name of the function; NULL: not known */
    int no_symbol;      /* 1: the file's symbol table has neither the function nor anything made of
                           it: it was dropped, or wholly inlined; 0: it has, or nothing is known */
} pluss_region_info;

typedef enum pluss_symbol_kind {
    PLUSS_SYMBOL_UNBOUND = 0, /* needs a value */
    PLUSS_SYMBOL_BOUND = 1,   /* the nest gives one, which a binding overrides */
    PLUSS_SYMBOL_DERIVED = 2  /* computed from others */
} pluss_symbol_kind;

typedef struct pluss_symbol_info {
    size_t size;
    pluss_symbol_kind kind;
    const char *name;
    const char *origin; /* the source expression, or NULL */
    const char *value;  /* text of the value or expression; NULL: unbound */
    int32_t region;     /* -1: of the whole nest */
} pluss_symbol_info;

typedef struct pluss_array_info {
    size_t size;
    const char *name;
    const char *element; /* "f64", "i32", "b48", ... */
    uint32_t rank;       /* subscripts; 0: a scalar */
    int32_t region;      /* -1: of the whole nest */
    int is_private;      /* 1: every thread has its own */
    int has_contents;    /* 1: what it holds is known */
} pluss_array_info;

typedef struct pluss_loop_info {
    size_t size;
    uint32_t region, depth; /* depth: loops around it in the region */
    const char *file;       /* source */
    uint32_t line, col;
    const char *iv, *lo, *hi; /* text; iv from lo while below (above, step < 0) hi */
    int64_t step;
    int parallel;         /* 1: its iterations are distributed over the threads */
    const char *schedule; /* "static, 4"; "" where there is no clause; NULL: not parallel */
    uint32_t collapse;    /* >= 1 */
    int nowait;
} pluss_loop_info;

typedef enum pluss_sharing {
    PLUSS_SHARING_NONE = 0,    /* threads touch lines of their own */
    PLUSS_SHARING_SPATIAL = 1, /* elements of their own in lines that they share */
    PLUSS_SHARING_FULL = 2,    /* all threads touch the same elements */
    PLUSS_SHARING_SPLIT = 3    /* the parallel IV decides which: values are needed to tell how */
} pluss_sharing;

typedef struct pluss_ref_info {
    size_t size;
    uint32_t region;
    int64_t loop; /* number of the innermost loop around it, -1: none */
    const char *file;
    uint32_t line, col;
    const char *text; /* "A[i][k]" */
    const char *array;
    int write, atomic;
    int parallel;          /* 1: inside of a parallel loop */
    pluss_sharing sharing; /* of what the subscripts alone tell */
} pluss_ref_info;

typedef struct pluss_unknown_info {
    size_t size;
    uint32_t region;
    const char *file;
    uint32_t line, col;
    const char *kind;  /* "loop", "reference", "call", "control", "construct" */
    const char *array; /* or NULL */
    const char *reason;
} pluss_unknown_info;

/* What is in a nest, in text order; i counts over the whole nest. PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_get_info(const pluss_nest *nest,
                                                           pluss_nest_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_get_region(const pluss_nest *nest, uint32_t i,
                                                             pluss_region_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_get_symbol(const pluss_nest *nest, uint32_t i,
                                                             pluss_symbol_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_get_array(const pluss_nest *nest, uint32_t i,
                                                            pluss_array_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_get_loop(const pluss_nest *nest, uint32_t i,
                                                           pluss_loop_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_get_ref(const pluss_nest *nest, uint32_t i,
                                                          pluss_ref_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_get_unknown(const pluss_nest *nest, uint32_t i,
                                                              pluss_unknown_info *out);

/* ---- building --------------------------------------------------------------------------------
 *
 * A nest call by call. Structure is made of calls, numbers are text: every `expression` is an expr,
 * every `condition` a condition of docs/nest-format.md, which names symbols, arrays and induction
 * variables in scope ("2*i + 1", "min(n, t + 8)", "col[j]"; names that are no plain words or are
 * keywords between backquotes). Names of things declared are given as they are, without quotes.
 *
 *     pluss_builder_region(b, "axpy", NULL);
 *     pluss_builder_symbol(b, "n", NULL, NULL);
 *     const char *n[] = {"n"}, *i[] = {"i"};
 *     pluss_builder_array(b, &(pluss_array_spec){sizeof(pluss_array_spec), "f64", "x", 1, n});
 *     pluss_builder_loop(b, &(pluss_loop_spec){.size = sizeof(pluss_loop_spec), .iv = "i", .lo =
 *                             "0", .hi = "n", .kind = PLUSS_LOOP_PARALLEL});
 *     pluss_builder_ref(b, &(pluss_ref_spec){sizeof(pluss_ref_spec), "x", 1, i});
 *     pluss_builder_end(b);
 *     pluss_builder_finish(b, &nest);
 *
 * The calls return nothing: what is wrong is kept, and finish reports it, each fault at the place
 * that pluss_builder_place named before the call (calls out of place and arguments that are none
 * first; where there are no such faults, all that the parser and the validator find). Strings are
 * copied. A builder belongs to its context. NULL for a builder is ignored by all calls but finish.
 */
typedef struct pluss_builder pluss_builder;

/* `origin` names the nest in messages and as pluss_nest_info.origin; may be NULL. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_builder_new(pluss_context *ctx, const char *origin,
                                                         pluss_builder **out);
PLUSS_API void pluss_builder_free(pluss_builder *builder);
/* Where the calls that follow stand in the source: messages say it, and regions and statements get
 * it as their location. file NULL: no place. */
PLUSS_API void pluss_builder_place(pluss_builder *builder, const char *file, uint32_t line,
                                   uint32_t col);

/* Declarations before the first region belong to all regions. repeat: expression; NULL: 1. */
PLUSS_API void pluss_builder_region(pluss_builder *builder, const char *name, const char *repeat);
/* origin: the expression in the source, or NULL. value: expression; NULL: unbound. */
PLUSS_API void pluss_builder_symbol(pluss_builder *builder, const char *name, const char *origin,
                                    const char *value);

typedef enum pluss_base {
    PLUSS_BASE_FREE = 0,    /* on lines of its own */
    PLUSS_BASE_OFFSET = 1,  /* base bytes into a line */
    PLUSS_BASE_ADDRESS = 2, /* at byte address base */
    PLUSS_BASE_OVER = 3     /* base bytes from the start of array `over` */
} pluss_base;

typedef struct pluss_array_spec {
    size_t size;
    const char *element; /* "f64", "i32", "b48", ... */
    const char *name;
    uint32_t rank;
    const char *const *extents; /* rank expressions; NULL for the slowest: not known */
    const char *const *strides; /* rank expressions, elements; NULL: from the extents */
    int column;                 /* 1: the first subscript varies fastest */
    int is_private;             /* 1: every thread has its own */
    pluss_base base_kind;
    const char *base; /* expression, bytes; NULL: 0 */
    const char *over;
    const char *alias; /* group of arrays that may be the same memory; NULL: none */
    const int64_t *values;
    size_t n_values; /* contents, row by row; 0: not given */
} pluss_array_spec;

PLUSS_API void pluss_builder_array(pluss_builder *builder, const pluss_array_spec *spec);

typedef enum pluss_loop_kind {
    PLUSS_LOOP_SEQUENTIAL = 0, /* every thread that meets it runs all of it */
    PLUSS_LOOP_WORKSHARE = 1,  /* distributed over the team of the parallel block around it */
    PLUSS_LOOP_PARALLEL = 2    /* a parallel block and a workshare loop in it */
} pluss_loop_kind;

typedef struct pluss_loop_spec {
    size_t size;
    const char *iv, *lo, *hi; /* expressions; lo, lo + step, ... below (step < 0: above) hi */
    int64_t step;             /* 0: 1 */
    pluss_loop_kind kind;
    const char *schedule;       /* "static", "nonmonotonic: dynamic", "rayon", ...; NULL: none */
    const char *chunk, *chunk2; /* expressions; chunk2: the most, of rayon; NULL: not given */
    uint32_t collapse;          /* 0: 1 */
    int nowait, ordered;
    const char *num_threads; /* PARALLEL: expression; NULL: the default team */
    const char *condition;   /* PARALLEL: else a team of one; NULL: none */
} pluss_loop_spec;

typedef enum pluss_block_kind {
    PLUSS_BLOCK_MASTER = 0,
    PLUSS_BLOCK_SINGLE = 1,
    PLUSS_BLOCK_SINGLE_NOWAIT = 2,
    PLUSS_BLOCK_CRITICAL = 3,
    PLUSS_BLOCK_ORDERED = 4
} pluss_block_kind;

/* These open a block, which pluss_builder_end closes. */
PLUSS_API void pluss_builder_loop(pluss_builder *builder, const pluss_loop_spec *spec);
PLUSS_API void pluss_builder_parallel(pluss_builder *builder, const char *num_threads,
                                      const char *condition);
PLUSS_API void pluss_builder_if(pluss_builder *builder, const char *condition);
PLUSS_API void pluss_builder_branch(pluss_builder *builder, double probability);
PLUSS_API void pluss_builder_block(pluss_builder *builder, pluss_block_kind kind);
/* From the first to the second block of an if or branch. */
PLUSS_API void pluss_builder_else(pluss_builder *builder);
PLUSS_API void pluss_builder_end(pluss_builder *builder);

typedef struct pluss_ref_spec {
    size_t size;
    const char *array;
    uint32_t n_subscripts;
    const char *const *subscripts; /* expressions */
    int write, atomic;
    int64_t first_byte; /* of the element */
    uint64_t bytes;     /* 0: from first_byte, which must be 0, to the element's end */
} pluss_ref_spec;

PLUSS_API void pluss_builder_ref(pluss_builder *builder, const pluss_ref_spec *spec);
PLUSS_API void pluss_builder_barrier(pluss_builder *builder);
PLUSS_API void pluss_builder_swap(pluss_builder *builder, const char *a, const char *b);
/* Operation counts of the code at this place, by free group names. */
PLUSS_API void pluss_builder_ops(pluss_builder *builder, const char *const *groups,
                                 const uint64_t *counts, size_t n);
/* kind as pluss_unknown_info has it; array may be NULL. */
PLUSS_API void pluss_builder_unknown(pluss_builder *builder, const char *kind, const char *array,
                                     const char *reason);

/* The nest; the builder is then empty, and can begin another, also after a failure: PLUSS_EINVAL
 * for a call out of place or an argument that is none, else as pluss_nest_parse. NULL builder:
 * PLUSS_EINVAL. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_builder_finish(pluss_builder *builder,
                                                            pluss_nest **out);

/* ---- engines --------------------------------------------------------------------------------- */

typedef struct pluss_binding {
    const char *name; /* of a symbol, or "region.symbol" */
    int64_t value;
} pluss_binding;

typedef enum pluss_schedule {
    PLUSS_SCHEDULE_AS_WRITTEN = 0,
    PLUSS_SCHEDULE_STATIC = 1,
    PLUSS_SCHEDULE_DYNAMIC = 2,
    PLUSS_SCHEDULE_GUIDED = 3,
    PLUSS_SCHEDULE_RECORDED = 4 /* as a run had it: pluss_options_set_chunks */
} pluss_schedule;

/* Who executed iterations [lo, hi) of a parallel loop, numbered from 0 in the order of the
 * sequential loop (collapsed loops: the product, row by row). */
typedef struct pluss_chunk {
    uint32_t loop;   /* as pluss_nest_get_loop numbers them */
    uint32_t thread; /* of the team, from 0 */
    uint64_t time;   /* which execution of the loop, from 0, over the whole program */
    uint64_t lo, hi;
} pluss_chunk;

/* ---- thread progress ---------------------------------------------------------------------------
 *
 * How far the threads of a team have come when. */

/* How far each thread had come when, in runs of a program (pluss_timelines_read). */
typedef struct pluss_timelines pluss_timelines;

#define PLUSS_RATES_PIECES 8

/* What is alike in all runs of one worksharing loop. */
typedef struct pluss_loop_rates {
    uint32_t loop;       /* its number in the region */
    const double *rates; /* as those of pluss_progress, which they take the place of */
    const double *costs; /* of each thread's accesses in a phase, parted in RATES_PIECES alike:
                            ln(time an access), about the thread's mean; thread after thread */
} pluss_loop_rates;

/* A law with its numbers; those of other laws are not looked at. Times are counted in accesses of a
 * thread of rate 1. */
typedef struct pluss_progress {
    size_t size;
    const char *law; /* its name, as pluss_progress_get has it; NULL: "uniform" */
    double accesses; /* burst: their mean length; slices: a thread's turn; in [1, 1e9] */
    uint32_t cores;  /* slices: thread k runs on core k mod cores; 0: one core */
    /* rates. Thread k's rate is rates[k] exp(sigma z), z normal, drawn for each run of a region. */
    double sigma; /* in [0, 10] */
    /* From every barrier one thread, any, starts at once, and each of the others later by a
     * log-normal time: */
    double skew;         /* its median, in [0, 1e15] */
    double skew_spread;  /* the standard deviation of its logarithm, in [0, 10] */
    const double *rates; /* in [1e-6, 1e6] */
    size_t n_rates;      /* of threads from here on: 1 */
    double stall_rate;   /* stalls that begin while a thread makes one access, in [0, 1] */
    double stall;        /* their mean length (exponential), in [0, 1e15] */
    /* For a nest of one region and a team of n_rates threads: timelines are then drawn ahead. */
    const pluss_loop_rates *loops;
    size_t n_loops;
    /* recorded: of the same region, and a team as large; their phases begin again where the nest
     * has more. Of several runs: simulate averages their curves, predict samples all of them. */
    const pluss_timelines *timelines;
    const char *origin; /* where numbers are from, for the curve's engine; NULL: not told */
    int by_default;     /* pluss_progress_parse sets it: 1: the text leaves out the first number of
                           the law, which has a default */
    /* pool. Loops with schedule(rayon) alone, one between two barriers: simulate draws one run,
     * predict samples the mean. Cores as of slices, 0: one for each thread. */
    double wake;   /* nanoseconds from waking a thread to its first piece, median; in [0, 1e12] */
    double access; /* of an access; in [1e-6, 1e12] */
} pluss_progress;

typedef struct pluss_progress_info {
    size_t size;
    const char *name;         /* "burst" */
    const char *syntax;       /* as pluss_progress_parse takes it: "burst:MEAN" */
    const char *summary;      /* one line */
    int predicted, simulated; /* 1: the model clock, pluss_simulate can follow it */
} pluss_progress_info;

/* The laws there are, "uniform" first; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_progress_get(size_t i, pluss_progress_info *out);
/* A law with its numbers from text: "burst:8", "rates:0.03:500:1". Numbers that are left out are
 * the defaults (cores: 0). PLUSS_EINVAL. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_progress_parse(pluss_context *ctx, const char *text,
                                                            pluss_progress *out);

/* ---- options -----------------------------------------------------------------------------------
 */

/* All that can be asked of a prediction or simulation. It owns what it is given: arrays, names and
 * texts are copied. Calls that take it as const only read it, so that it can be used again, changed
 * between calls, and copied; a list of copies is a sweep, and each of them alone gives the curves
 * that it gives among the others. A setter that fails leaves it as it was. */
typedef struct pluss_options pluss_options;
typedef struct pluss_record pluss_record; /* see "records of runs" */

PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_new(pluss_context *ctx, pluss_options **out);
PLUSS_API void pluss_options_free(pluss_options *options);
/* With the allocator of the context that `options` comes from. O(arrays). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_copy(pluss_context *ctx,
                                                          const pluss_options *options,
                                                          pluss_options **out);

typedef struct pluss_option_info {
    size_t size;
    const char *name;                            /* "threads" */
    const char *syntax;                          /* of its text: "LIST"; NULL: a flag, "0" or "1" */
    const char *summary;                         /* one line */
    char letter;                                 /* of the command's short option; 0: none */
    int adds;                                    /* 1: texts add up, else the last one counts */
    int predict, simulate, run, gaps, calibrate; /* 1: the command's verb has it */
} pluss_option_info;

/* The options there are; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_option_get(size_t i, pluss_option_info *out);

/* Any option, in the syntax of the command: pluss_options_set(ctx, options, "threads", "1,2,4").
 * text NULL: a flag is set. PLUSS_ENOTFOUND: there is no such option; PLUSS_EINVAL: the text is
 * wrong; the message names the option and the place. O(length of the text). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set(pluss_context *ctx, pluss_options *options,
                                                         const char *name, const char *text);
/* An option that is an integer (collect, effort, workers, line, seed; loop, bins) or a flag
 * (explain, spread, sharing, profiles, formulas: 0 or 1), and one that is a real number (error;
 * interval, lap, drop). PLUSS_ENOTFOUND; PLUSS_EINVAL: it is of another kind; PLUSS_ERANGE: it
 * cannot be this number. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_integer(pluss_context *ctx,
                                                                 pluss_options *options,
                                                                 const char *name, int64_t value);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_real(pluss_context *ctx,
                                                              pluss_options *options,
                                                              const char *name, double value);
/* Numbers of threads, each >= 1 (PLUSS_ERANGE): one curve each, in this order. n 0: not told, which
 * stands for one thread. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_threads(pluss_context *ctx,
                                                                 pluss_options *options,
                                                                 const uint32_t *teams, size_t n);
/* The value of a symbol, or of "region.symbol", in place of the one that it has. O(bindings). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_binding(pluss_context *ctx,
                                                                 pluss_options *options,
                                                                 const char *name, int64_t value);
/* Of every parallel loop, in place of what is written; chunk 0: none is given. PLUSS_ERANGE: a
 * chunk below 0, or one of no schedule. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_schedule(pluss_context *ctx,
                                                                  pluss_options *options,
                                                                  pluss_schedule schedule,
                                                                  int64_t chunk);
/* PLUSS_SCHEDULE_RECORDED, and who executed what: of each thread and execution in the order of
 * their execution; every iteration of an execution once, by a thread that the team has
 * (PLUSS_EINVAL of the engine else). A loop that is executed more often than recorded begins again
 * with the first; loops of which nothing is said are as written. n 0: as written. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_chunks(pluss_context *ctx,
                                                                pluss_options *options,
                                                                const pluss_chunk *chunks,
                                                                size_t n);

typedef struct pluss_cache {
    uint64_t bytes;
    const char *label; /* "L2"; may be NULL */
    uint32_t threads;  /* that share one such cache, 0 ... n-1, n ... 2n-1, and so on; 0, or as many
                          as the team or more: all */
} pluss_cache;

/* Caches that the answer is for: for every team there is a curve of each number of threads that
 * share one; n 0: of all threads alone. Whole curves are given in any case. What n < T threads
 * share is told of n = 1 by all models, of others by the model clock alone (PLUSS_EINVAL of the
 * engine else). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_caches(pluss_context *ctx,
                                                                pluss_options *options,
                                                                const pluss_cache *caches,
                                                                size_t n);
/* How threads progress; NULL: uniformly. Other than uniformly models but clock do not predict
 * (PLUSS_EINVAL of the engine), and nothing stands in for it then. Timelines are borrowed: they
 * must live as long as the options and their copies. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_progress(pluss_context *ctx,
                                                                  pluss_options *options,
                                                                  const pluss_progress *progress);
/* A record that recorded schedules and recorded progress are taken from: of each team the chunks,
 * or the time stamps, of the runs of the nest's region with that many threads and these values.
 * Borrowed: it must live as long as the options and their copies; NULL: none. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_record(pluss_context *ctx,
                                                                pluss_options *options,
                                                                const pluss_record *record);
/* What an index array holds, in place of what it held; the values are copied. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_contents(pluss_context *ctx,
                                                                  pluss_options *options,
                                                                  const pluss_contents *contents);
/* What was set, borrowed until it is set again; *n: how many, n may be NULL. */
PLUSS_API const uint32_t *pluss_options_get_threads(const pluss_options *options, size_t *n);
PLUSS_API const pluss_cache *pluss_options_get_caches(const pluss_options *options, size_t *n);

/* The options that are numbers or names alone:
 *
 * model     its name; default: the first of pluss_model_get
 * collect   team at which private reuse intervals are collected, by models that extrapolate;
 *           default: each team its own
 * error     mean standard error (a miss ratio, below 1) at which models that sample stop sampling;
 *           default: they sample once
 * explain   curves tell why they fall where they do, pluss_curve_get_knee; by the model clock alone
 *           (PLUSS_EINVAL); what stands in for it leaves curves without knees, with a warning
 * effort    elementary steps, of about ten nanoseconds, that one curve may take; default
 *           600,000,000. They are counted, so that the answer is the same on every machine. What
 *           needs more (guards and subscripts whose closed forms are many) is walked, with a
 *           warning (PLUSS_ELIMIT) that names the loop or the array and its place, if the walk
 *           takes no more steps than these; else the answer is PLUSS_ELIMIT. Simulations, and
 *           models that walk: default 10^12, some hours; PLUSS_ELIMIT at once where the accesses
 *           can be counted.
 * workers   threads that the library works with, at most, the caller's among them; default: as many
 *           as processors may be used. Results do not depend on it
 * formulas  reuse distances and accesses as formulas of loop bounds, in reports; by the model
 *           extrapolate, another one warns
 * hit-rate  LIST: hit rates, in reports, of single caches, from the curve alone by the stack
 *           distance cache model; "32K:8,16M:20"
 * spread    how far single runs are from their mean, pluss_curve_info.spread, under uniform
 *           progress too, by the model clock, in some ten times the time; a warning says where it
 *           is not told. (Rates and several recorded runs tell it in any case.)
 * skip-bad-lines  of traces: lines that are none of the format are counted and left out, and a
 *           warning says how many; default: the first one is PLUSS_EFORMAT
 * each-thread  of traces: also a curve for each thread on its own, "trace, thread N"
 * each-object  of traces with objects (TRACE.objects; PLUSS_ENOTFOUND: there are none): also a
 *           curve of the accesses to each of the 16 that have most, "trace, object NAME", to
 *           others, and to none, in the cache of all threads and all objects
 * sharing   simulated: the result also has locality profiles, exact, by phase and for lines of one
 *           thread and of several apart: of all threads together, of coherent private caches, of
 *           each thread alone, and of all threads as if they shared no line; some twelve times the
 *           steps, memory O(lines of each thread + different distances of lines in a phase)
 * sampling  P/N[:SHARE]: of sharing: of every N accesses the first P are profiled, and those after
 *           them until SHARE (default: 0.99) of the lines that these touch is touched again, what
 * is not by then counts as cold; the counts stand for all accesses profiles  the profiles that
 * curves are made from are kept in the result (pluss_profile_report); memory O(bins), simulate:
 * O(references * footprint) record    file of a record: as pluss_options_set_record, and read at
 * once (PLUSS_EIO, PLUSS_EFORMAT) time-model  of running time, pluss_nests_time: "overlap"
 * (default): what works at once overlaps; "sum": operations and misses one after another, as in
 * Cascaval's thesis machine   machine file, from which rates and slices whose text leaves out the
 * first number take the numbers of the region and team, or of the machine, and the option cache,
 * set to "machine", the levels; read at once (PLUSS_ENOTFOUND: there is none; PLUSS_EIO,
 *           PLUSS_EFORMAT)
 * region    of a file or a record with several, those that are named; default: all
 * together  regions as one program, in order; of a record: the sequence of all runs alone
 * contents  ARRAY=FILE: as pluss_options_set_contents, the integers of a file
 * simulate  pluss_record_run walks every access in place of predicting
 * loop      of gaps: the loop, by its number in its region; default: that with the most gaps
 * lap       iterations of the loop that a lap has, above 0; default 1
 * drop      share of a run's stops that is dropped at its start, in [0, 1); default 0.1
 * bins      of the test, 2 ... 1024; default 20
 * interval  nanoseconds between stops, 1 ... 1e10; default 100,000
 * stops     "afterwards" (default), read off the time stamps; "timer": those of the program's timer
 *           (PLUSS_STOPS), whose interval is then for the report alone
 * line      bytes of a cache line, a power of two; default 64
 * seed      of everything random, below 2^63; default 0
 */

typedef struct pluss_model_info {
    size_t size;
    const char *name;
    const char *summary; /* one line */
    int scales;          /* 1: pluss_result_scale takes it; 2: and by default */
} pluss_model_info;

/* The models there are, the default first; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_model_get(size_t i, pluss_model_info *out);

typedef struct pluss_curve pluss_curve;
typedef struct pluss_result pluss_result; /* curves, each with all that says how it came about */

/* Miss ratio curves of a fully associative LRU cache that the team shares. The nest is taken as one
 * program, its regions one after another. What the model clock has no closed form for is walked:
 * the curve's engine is then "ri-random", and a warning (PLUSS_EUNSUPPORTED) names the construct
 * and its place. Other models refuse what they cannot take. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_predict(pluss_context *ctx, const pluss_nest *nest,
                                                     const pluss_options *options,
                                                     pluss_result **out);
/* The exact curves of one interleaving, as the options' progress has it, by walking every access.
 */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_simulate(pluss_context *ctx, const pluss_nest *nest,
                                                      const pluss_options *options,
                                                      pluss_result **out);
/* The same of all nests of a file: each region on its own, or all together as one program, as the
 * options region and together say; each with those bindings and contents that it has symbols and
 * arrays for. PLUSS_ENOTFOUND: there is no such region, symbol or array. A region that fails does
 * not keep the others from having curves: pluss_result_get_missing; where there are no curves at
 * all, that is the status. Traces are simulated alone, in their own order and with their own
 * threads, which are numbered in it; options that are of nests say nothing of them. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_predict(pluss_context *ctx,
                                                           const pluss_nests *nests,
                                                           const pluss_options *options,
                                                           pluss_result **out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_simulate(pluss_context *ctx,
                                                            const pluss_nests *nests,
                                                            const pluss_options *options,
                                                            pluss_result **out);
/* A program of co-runs from a profile, by its number: of a cache that all of its threads share. It
 * has no nests. The profile is copied. PLUSS_ENOTFOUND. O(bins). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_of_profile(pluss_context *ctx,
                                                              const pluss_result *result, size_t i,
                                                              pluss_nests **out);
/* Curves by the option model, one of those that scale (by default scale-overlap), for the options'
 * threads and caches, from the locality profiles of a result (the option sharing of simulations)
 * with 2 and 4 threads, and of those threads that it has: of each region, with the values of its
 * profiles, or with those of the option define, for which there must be profiles, or profiles of
 * two other problem sizes (docs/models.md, scale). Curves of one thread are left out where there is
 * no profile of one. PLUSS_EEMPTY: there are no such profiles; PLUSS_ENOTFOUND: no profile has such
 * a symbol; PLUSS_EINVAL: two sizes do not tell the third, threads share a cache that are not all,
 * or the model does not scale. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_scale(pluss_context *ctx,
                                                          const pluss_result *profiles,
                                                          const pluss_options *options,
                                                          pluss_result **out);
/* Programs that share a cache and no lines, each all nests of a file, a trace, or a profile (which
 * has no order of accesses, and cannot be simulated): in a time each
 * makes as many accesses as the option rates says (1 each by default), and begins again until all
 * have ended once. A curve of each program alone ("1: gemm"), of its accesses in the shared cache
 * ("1: gemm, co-run"), and of all accesses there ("co-run"); for each number of threads, which each
 * nest has. Bindings, contents and regions are those of the programs that have them; levels of
 * caches that are not asked for are left out. PLUSS_EINVAL: not 2 to 64 programs, or not as many
 * rates; PLUSS_EUNSUPPORTED: recorded orders, caches of sets and ways or of some of the threads,
 * lines of several sizes. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_corun_predict(pluss_context *ctx,
                                                           const pluss_nests *const *programs,
                                                           size_t n, const pluss_options *options,
                                                           pluss_result **out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_corun_simulate(pluss_context *ctx,
                                                            const pluss_nests *const *programs,
                                                            size_t n, const pluss_options *options,
                                                            pluss_result **out);
/* Writes a trace in the packed format. options: skip-bad-lines; NULL: none. PLUSS_EIO: it cannot be
 * read, or write says so; PLUSS_EFORMAT with the line: no trace, or a bad or damaged one. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_trace_pack(pluss_context *ctx, const char *path,
                                                        const pluss_options *options,
                                                        pluss_write_fn write, void *user);
/* Writes a generated trace in the packed format: threads whose stack distances are drawn from given
 * distributions, as in section 4.1 of Jiang, Zhang, Tian and Shen (CC 2010; docs/trace-format.md).
 * what: lines=N,N,...:shared=S:distances=PART+PART+...:accesses=N:seed=N, of which lines, one for
 * each thread, must be there; a PART is random, exponential or normal, with its weight before it.
 * Default: nothing is shared, random, 1000000 accesses of each thread, seed 0. PLUSS_EINVAL: what
 * is wrong with it is said; PLUSS_EIO: write says so. An access takes O(its distance). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_trace_generate(pluss_context *ctx, const char *what,
                                                            pluss_write_fn write, void *user);
/* One more than the largest number of a thread in a trace, at most 1024; 1 where that is empty.
 * PLUSS_EIO, PLUSS_EFORMAT, PLUSS_ELIMIT. O(accesses). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_trace_count_threads(pluss_context *ctx,
                                                                 const char *path, uint32_t *out);
/* PLUSS_OK: all that was asked for is in it; else why something is not. */
PLUSS_API pluss_status pluss_result_get_missing(const pluss_result *result);
PLUSS_API void pluss_result_free(pluss_result *result);
PLUSS_API size_t pluss_result_count(const pluss_result *result);
PLUSS_API const pluss_curve *pluss_result_get(const pluss_result *result, size_t i);
/* Moves the curves of src to the end of dst; src is empty afterwards. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_append(pluss_context *ctx, pluss_result *dst,
                                                           pluss_result *src);

/* Where shared caches begin to pay (docs/models.md, scale): bytes of all caches of a team together,
 * 0: at no size. */
typedef struct pluss_capacities {
    size_t size;
    uint64_t max_bytes;   /* C_max: from there on no access with a distance misses */
    uint64_t core_bytes;  /* C_core: from there on a shared cache misses hardly more often than with
                             one thread; 0, too: there is no curve of one thread */
    uint64_t share_bytes; /* C_share: from there on it misses less often than private caches do */
} pluss_capacities;

/* Of curve number i. PLUSS_ENOTFOUND: there is no such curve, it is not of a cache that all of
 * several threads share, or the result has none of their private caches from the same engine.
 * O(curves + points log points). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_get_capacities(const pluss_result *result,
                                                                   size_t i, pluss_capacities *out);

typedef struct pluss_number {
    const char *name;
    double value;
} pluss_number;

typedef struct pluss_curve_info {
    size_t size;
    const char *region; /* name; "a+b" for a program of several */
    const char *file;   /* source; NULL: not known */
    uint32_t line;
    uint32_t team;
    int simulated;      /* 1: exact; 0: predicted */
    const char *engine; /* the model's name, "clock" or "clock, burst:8"; progress alone */
    uint32_t line_bytes;
    uint64_t seed;
    const char *schedule; /* what was set in the options, "static, 4"; "": as written */
    size_t n_bindings;
    const pluss_binding *bindings; /* value of every symbol that is not derived */
    uint64_t footprint_lines;      /* distinct lines */
    double accesses;
    uint32_t unknowns; /* constructs that are missing from the curve */
    /* Points: the miss ratio is miss[i] for sizes in [size_lines[i], size_lines[i + 1]). */
    size_t n_points;
    const double *size_lines; /* ascending from 0 */
    const double *miss;       /* not rising from 1 */
    /* Standard errors, as miss ratios: mean_error what sampling leaves, on average over the sizes;
     * `error`, at sizes ascending from 1 line to the footprint, also what the model itself is off
     * by as a rule: 1.96 of it to either side hold the truth in 9 of 10 cases or more.
     * n_error_points 0: the engine tells none. */
    double mean_error;
    size_t n_error_points;
    const double *error_size_lines;
    const double *error;
    uint32_t threads_per_cache; /* threads that share a cache; 0: all. Misses of all these caches /
                                   accesses */
    /* From one run to another, where progress is drawn or recorded in several runs, or
     * the option spread asks for it: the standard deviation of the miss ratio at
     * error_size_lines, n_error_points of them, without what sampling leaves. `error` is that of
     * the mean over runs. NULL: not told. */
    const double *spread;
    /* The law of thread progress: its name; who chose it: "default", "option", "record" or "machine
     * file"; where its numbers are from, "machine.json, 4 threads" (NULL: not told); the numbers by
     * name, as docs/json.md has them. progress NULL: not told, by reports of before. */
    const char *progress, *progress_from, *progress_source;
    size_t n_progress_numbers;
    const pluss_number *progress_numbers;
} pluss_curve_info;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_curve_get_info(const pluss_curve *curve,
                                                            pluss_curve_info *out);
PLUSS_API double pluss_curve_at(const pluss_curve *curve, uint64_t bytes); /* of whole lines */

/* ---- records of runs ---------------------------------------------------------------------------
 *
 * What an instrumented program left (docs/record-format.md): which regions ran, with which values
 * and addresses, in which order, and, where accesses were recorded, their private reuse intervals
 * and who executed which chunk. A block is all runs of a region that were alike. */
typedef enum pluss_recorded_by {
    PLUSS_RECORDED_PROFILE = 0, /* every access of the real run */
    PLUSS_RECORDED_BIND = 1,    /* values and addresses alone */
    PLUSS_RECORDED_SAMPLE = 2   /* by a sampler, for simulated threads */
} pluss_recorded_by;

/* `file` names the text in messages; may be NULL. PLUSS_EFORMAT: it is no record. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_parse(pluss_context *ctx, const char *text,
                                                          size_t length, const char *file,
                                                          pluss_record **out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_read(pluss_context *ctx, const char *path,
                                                         pluss_record **out);
PLUSS_API void pluss_record_free(pluss_record *record);

typedef struct pluss_record_info {
    size_t size;
    uint32_t line_bytes;
    size_t n_blocks;
    uint64_t lost_runs; /* that no memory was left for */
    size_t n_objects;
    const char *const *objects; /* files that the regions come from */
    uint64_t runs;              /* in the sequence; saturates */
    uint64_t runs_lost;         /* from its end */
} pluss_record_info;

typedef struct pluss_block_info {
    size_t size;
    const char *region;
    const char *file; /* source */
    uint32_t line, team;
    pluss_recorded_by by;
    uint64_t runs, accesses, lost; /* lost: accesses that could not be recorded */
    size_t n_symbols;
    const pluss_binding *symbols;
    size_t n_arrays, n_places;
    const char *const *arrays;
    const uint64_t *addresses; /* of arrays, placement after placement; 0: not known */
    int has_intervals;         /* 1: private reuse intervals */
    size_t n_chunks;
    const pluss_chunk *chunks; /* of the first run; loops as in the block's nest */
} pluss_block_info;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_get_info(const pluss_record *record,
                                                             pluss_record_info *out);
/* PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_get_block(const pluss_record *record, size_t i,
                                                              pluss_block_info *out);

/* The block's region, looked up in these nests by name and place, as a nest of its own with the
 * recorded values and the addresses of a placement (-1: their places in the line alone).
 * PLUSS_ENOTFOUND: no such block or placement, or no nest has the region. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_nest(pluss_context *ctx,
                                                         const pluss_record *record, size_t block,
                                                         int64_t place,
                                                         const pluss_nest *const *nests, size_t n,
                                                         pluss_nest **out);
/* The whole sequence as one program: the cache is as the region before left it, arrays at the same
 * addresses are the same memory. Warnings name regions that no nest has, which are left out, and
 * arrays whose addresses are not known, which are memory of their own in each region.
 * PLUSS_ENOTFOUND: nothing is left; PLUSS_ELIMIT: too long for a nest. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_program(pluss_context *ctx,
                                                            const pluss_record *record,
                                                            const pluss_nest *const *nests,
                                                            size_t n, pluss_nest **out);
/* As pluss_predict of the block's nest, but that models which start from private reuse intervals
 * (cri, cri-line) take those of the block, averaged over its runs, whatever the teams asked for;
 * and cri-line stands in, with a warning, for a default model that cannot take the nest. A recorded
 * schedule and recorded progress are those of the block. PLUSS_ENOTFOUND: there is no such block,
 * or it ran with another team than is asked for, or a schedule is recorded, the nest has loops that
 * are not static, and the block has no chunks. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_predict(pluss_context *ctx,
                                                            const pluss_record *record,
                                                            size_t block, const pluss_nest *nest,
                                                            const pluss_options *options,
                                                            pluss_result **out);

/* All that a record holds: curves of each region that ran with each set of values, at the teams of
 * the options, or else those that it ran with, and, where there was more than one run, of the
 * sequence of all as one program. Where nests is NULL they come from the files that the record
 * names. A recorded schedule and recorded progress are those of the runs (static loops, which need
 * no record, are as written); with `simulate` recorded progress is the order of the touches, where
 * there are no time stamps. As pluss_nests_predict of
 * regions that fail. PLUSS_EEMPTY: no region made an access. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_run(pluss_context *ctx,
                                                        const pluss_record *record,
                                                        const pluss_nest *const *nests, size_t n,
                                                        const pluss_options *options,
                                                        pluss_result **out);
/* The nests of these curves, with the recorded values and addresses. A region that fails does not
 * keep the others from being given: pluss_nests_get_missing. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_nests(pluss_context *ctx,
                                                          const pluss_record *record,
                                                          const pluss_nest *const *nests, size_t n,
                                                          const pluss_options *options,
                                                          pluss_nests **out);
/* PLUSS_OK: all that was asked for is in it; else why something is not. */
PLUSS_API pluss_status pluss_nests_get_missing(const pluss_nests *nests);

/* ---- why a curve falls -------------------------------------------------------------------------
 *
 * The knees of a curve that was predicted with the option explain: stretches of sizes over which
 * the miss ratio falls by a point or more; docs/models.md has the rule. */

typedef struct pluss_knee_info {
    size_t size;
    uint64_t at_lines;             /* the least size that holds half of it; 0: what no size holds */
    uint64_t from_lines, to_lines; /* less than 5 %, at least 95 % of it is held */
    double before, after;          /* miss ratio */
    size_t n_reuses;
} pluss_knee_info;

typedef enum pluss_carried {
    PLUSS_CARRIED_BY_NOTHING = 0,    /* the access is the first touch of its line */
    PLUSS_CARRIED_BY_LOOP = 1,       /* iterations of a loop around it and the touch before */
    PLUSS_CARRIED_BY_REPETITION = 2, /* the region's */
    PLUSS_CARRIED_BY_OTHER_LOOP = 3, /* the touch before is in another loop, the loops around both
                                        being in the same iteration */
    PLUSS_CARRIED_BY_SAME_ITERATION = 4 /* the two are in the same iteration of the same loops */
} pluss_carried;

/* Accesses of a reference that find their lines again for one reason. */
typedef struct pluss_reuse_info {
    size_t size;
    double share;                  /* of all accesses */
    const char *array, *reference; /* "B", "B[k][j]" */
    int write, atomic;
    const char *file; /* NULL: not known */
    uint32_t line;    /* 0: not known */
    pluss_carried carried;
    const char *loop; /* BY_LOOP: its induction variable; else NULL */
    const char *loop_file;
    uint32_t loop_line;
    int other_thread;   /* the touch before is another thread's */
    const char *source; /* the reference that touches before, most often; NULL: BY_NOTHING */
    int source_write, source_atomic;
    const char *source_file;
    uint32_t source_line;
} pluss_reuse_info;

/* Ascending by size, then one for what no size holds; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_curve_get_knee(const pluss_curve *curve, size_t i,
                                                            pluss_knee_info *out);
/* Of a knee, the greatest share first; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_curve_get_reuse(const pluss_curve *curve, size_t knee,
                                                             size_t i, pluss_reuse_info *out);

/* ---- levels of a memory hierarchy --------------------------------------------------------------
 *
 * Where the option "cache" says how the caches work, "L1=32K:ways=8,L2=1M:ways=16,L3=32M:ways=16:
 * shared", a result has their levels beside its curves: for each team those of the hierarchy in its
 * order, simulated exactly by pluss_simulate, predicted by models that can (the model clock).
 * Caches that threads do not share are coherent: writes take lines away from the others. */

/* Accesses, of one run or the mean of several. NAN: not known. */
typedef struct pluss_misses {
    double requests; /* that come to the level: all, or what the level before misses */
    double misses;
    double error; /* standard error of misses; negative: none, they are exact */
    /* misses by kind */
    double cold;          /* the cache never held the line */
    double capacity;      /* a fully associative cache of the same size would miss, too */
    double conflict;      /* it would not */
    double true_sharing;  /* another thread has written to what is accessed */
    double false_sharing; /* another thread has written to other bytes of the line */
    double bytes_fetched, bytes_written_back; /* from and to the next level or memory */
    double bytes_written_back_error;          /* standard error; negative: none, they are exact */
    double after_other_thread; /* misses: another thread has made the latest touch of the line; NAN:
                                  not known */
} pluss_misses;

typedef enum pluss_ways_from {
    PLUSS_WAYS_GIVEN = 0,
    PLUSS_WAYS_MACHINE = 1, /* the description leaves them out: as of a machine's level */
    PLUSS_WAYS_UNKNOWN = 2  /* taken as fully associative */
} pluss_ways_from;

/* Strings live as long as the result. */
typedef struct pluss_level_info {
    size_t size;
    const char *name;   /* "L1" */
    const char *region; /* as pluss_curve_info has it */
    uint32_t threads, threads_per_cache;
    int simulated; /* 0: predicted */
    uint32_t line_bytes;
    uint64_t bytes, sets, ways;
    double accesses; /* of the program */
    pluss_misses misses;
    size_t n_references;
    pluss_ways_from ways_from;
    uint32_t point;   /* where ways or lines change: number of the hierarchy, from 0 */
    size_t n_threads; /* whose parts are known: all of a simulated level; 0: of a predicted one */
} pluss_level_info;

/* What the accesses of one thread do at a level; those of a level's threads add up to it. */
typedef struct pluss_level_thread {
    size_t size;
    uint32_t thread; /* from 0 */
    pluss_misses misses;
} pluss_level_thread;

/* A reference that comes to a level; those of a level add up to it. */
typedef struct pluss_level_reference {
    size_t size;
    const char *reference; /* "B[k][j]" */
    int write, atomic;
    const char *file; /* NULL: not known */
    uint32_t line;    /* 0: not known */
    const char *loop; /* induction variable of the innermost loop around it; NULL: none */
    pluss_misses misses;
    /* Of predictions: the array whose lines most often take the place of those that it misses by
     * conflict (NULL: no such misses), and how many of these are with it. pad_bytes not 0: it is
     * its own array, rows are row_bytes apart, which brings columns into column_sets of the sets,
     * and rows longer by pad_bytes use all; of Fortran's arrays columns are, and bring rows. */
    const char *conflicts_with;
    double conflicts;
    uint64_t row_bytes, column_sets, pad_bytes;
} pluss_level_reference;

typedef enum pluss_level_grouping { PLUSS_BY_ARRAY = 0, PLUSS_BY_LOOP = 1 } pluss_level_grouping;

/* References of a level with the same array, or the same innermost loop; those of a level add up to
 * it. */
typedef struct pluss_level_group {
    size_t size;
    const char *array; /* BY_ARRAY: "B", else NULL */
    const char *loop;  /* BY_LOOP: its induction variable; NULL: the references are in none */
    const char *file;  /* of the loop; NULL: not known */
    uint32_t line;     /* likewise; 0: not known */
    size_t n_references;
    pluss_misses misses; /* error: the sum of the references' errors, which it is at most */
} pluss_level_group;

/* PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_get_level(const pluss_result *result, size_t i,
                                                              pluss_level_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_get_level_reference(const pluss_result *result,
                                                                        size_t level, size_t i,
                                                                        pluss_level_reference *out);
/* Thread i, from 0; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_get_level_thread(const pluss_result *result,
                                                                     size_t level, size_t i,
                                                                     pluss_level_thread *out);
/* In the order of their first references; PLUSS_ENOTFOUND past the end. O(references^2). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_get_level_group(const pluss_result *result,
                                                                    size_t level,
                                                                    pluss_level_grouping by,
                                                                    size_t i,
                                                                    pluss_level_group *out);

/* ---- the sidecar file of a record --------------------------------------------------------------
 *
 * FILE.trace beside a record that was read from FILE: which lines the threads of a program built
 * with mode=profile touched when (PLUSS_INTERLEAVE=tsc), time stamps of one built with mode=time
 * (PLUSS_STAMPS=tsc), sampled traces of one built with mode=sample. PLUSS_EIO: it cannot be read;
 * PLUSS_EFORMAT: it is wrong, or of another version; PLUSS_ENOTFOUND: the record is of no file. */

typedef struct pluss_trace_info {
    size_t size;
    uint64_t touched_runs, timed_runs; /* runs of regions with touches, with time stamps */
} pluss_trace_info;

/* O(size of the file). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_get_trace(pluss_context *ctx,
                                                              const pluss_record *record,
                                                              pluss_trace_info *out);
/* The exact curve of the order in which a run's threads really touched their lines: of a block's
 * runs, each on an empty cache, averaged; block SIZE_MAX: of all runs, as they came.
 * PLUSS_ENOTFOUND: there are no touches of such a run. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_record_simulate(pluss_context *ctx,
                                                             const pluss_record *record,
                                                             size_t block, pluss_result **out);

/* The timelines of the block's runs, for its nest (pluss_record_nest); block SIZE_MAX: that of the
 * whole sequence, for any nest of pluss_record_program of the same nests. PLUSS_ENOTFOUND: there
 * are no time stamps of such a run; PLUSS_EINVALID: they are not of these nests. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_timelines_read(pluss_context *ctx,
                                                            const pluss_record *record,
                                                            size_t block,
                                                            const pluss_nest *const *nests,
                                                            size_t n, pluss_timelines **out);
PLUSS_API void pluss_timelines_free(pluss_timelines *timelines);

typedef struct pluss_timelines_info {
    size_t size;
    size_t runs;
    uint32_t team;             /* the largest */
    uint64_t phases, accesses; /* of the first run */
} pluss_timelines_info;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_timelines_get_info(const pluss_timelines *timelines,
                                                                pluss_timelines_info *out);

/* ---- calibration ------------------------------------------------------------------------------
 *
 * What several runs of a region have in common, and by how much they differ (docs/models.md, "Real
 * threads"). The programs were built with mode=time, and ran with PLUSS_RECORD and
 * PLUSS_STAMPS=tsc (docs/plugin.md). */
typedef struct pluss_calibration pluss_calibration;
/* The machine file (docs/machine-file.md), which the option machine reads. */
typedef struct pluss_machine_file pluss_machine_file;

/* Of the options `region` alone is looked at; NULL: all regions. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_calibration_new(pluss_context *ctx,
                                                             const pluss_options *options,
                                                             pluss_calibration **out);
PLUSS_API void pluss_calibration_free(pluss_calibration *calibration);
/* One more process: its record, which has time stamps, of runs with two threads or more. What is
 * alike in one process may be different in the next. Nests as of pluss_record_run. Runs that cannot
 * be used are told, and left out. PLUSS_EIO, PLUSS_EFORMAT: a file that the record names. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_calibration_add(pluss_calibration *calibration,
                                                             const pluss_record *record,
                                                             const pluss_nest *const *nests,
                                                             size_t n);
/* Regions, each with a team, that there are runs of; once it is finished: that were fitted. */
PLUSS_API size_t pluss_calibration_count(const pluss_calibration *calibration);
/* Before that: the least number of runs that would not be discarded, over the regions. O(a fit). */
PLUSS_NODISCARD PLUSS_API pluss_status
pluss_calibration_count_runs(const pluss_calibration *calibration, uint64_t *out);
/* Fits all that was added; once. A region is left out, which is told, where in more than half of
 * its runs a thread was kept from running for more than half of the time, or in no phase two
 * threads make accesses. PLUSS_ENOTFOUND: none is left. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_calibration_finish(pluss_calibration *calibration);

typedef struct pluss_calibration_info {
    size_t size;
    const char *region, *file;
    uint32_t line, team;
    size_t runs, discarded;  /* discarded: a thread was kept from running for more than half */
    double sigma_error;      /* standard errors: of progress->sigma, */
    double skew_error;       /* of the logarithm of its skew, */
    double stall_rate_error; /* of its stall_rate */
    const pluss_progress *progress; /* of the law rates */
    /* That a thread takes for one access of the region, stalls aside: the time slice of the
     * operating system divided by this is pluss_progress.accesses of slices. */
    double access_ns;    /* > 0 */
    double access_error; /* standard error of its logarithm; infinite: there was one run */
} pluss_calibration_info;

/* After that. In the order in which they were met; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_calibration_get(const pluss_calibration *calibration,
                                                             size_t i, pluss_calibration_info *out);
/* After that: what was fitted and, where a machine file is given, what it has of all regions
 * together. name: of the file; NULL where there is none. */
PLUSS_NODISCARD PLUSS_API pluss_status
pluss_calibration_report(const pluss_calibration *calibration, const pluss_machine_file *file,
                         const char *name, pluss_report **out);

/* path NULL: an empty one. PLUSS_ENOTFOUND: there is no such file; PLUSS_EIO; PLUSS_EFORMAT, with
 * the place in it. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_read(pluss_context *ctx, const char *path,
                                                               pluss_machine_file **out);
PLUSS_API void pluss_machine_file_free(pluss_machine_file *file);

typedef struct pluss_calibrated_by {
    size_t size;
    const char *command, *date, *processor; /* date: "2026-11-20T16:30:00Z"; NULL: not known */
    double slice_ns; /* that threads which share a core run before the next one does, 1000 ... 1e12;
                        0: not known */
} pluss_calibrated_by;

/* What was fitted, in place of what there is of the same regions, source files and teams.
 * Everything is copied; by may be NULL. PLUSS_ERANGE: such a slice is none. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_put(pluss_context *ctx,
                                                              pluss_machine_file *file,
                                                              const pluss_calibration *calibration,
                                                              const pluss_calibrated_by *by);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_write(pluss_context *ctx,
                                                                const pluss_machine_file *file,
                                                                pluss_write_fn write, void *user);

typedef struct pluss_machine_file_info {
    size_t size;
    size_t n_regions;
    double sigma, skew;         /* of all regions together */
    double slice_ns;            /* 0: not known */
    size_t n_levels;            /* of caches; 0: it has none */
    uint32_t line_bytes;        /* of these */
    uint32_t cores, processors; /* processors: hardware threads; 0: not known */
} pluss_machine_file_info;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_get_info(const pluss_machine_file *file,
                                                                   pluss_machine_file_info *out);

/* ---- private reuse intervals ----------------------------------------------------------------- */

typedef struct pluss_pri pluss_pri;

/* Histograms, one a reference, of all threads' private reuse intervals, at the first team of the
 * options
 * (>= 1 thread). Of the k threads that touch a line, each one's first touch counts 1/k as cold and
 * 1 - 1/k as thread-first. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_pri_collect(pluss_context *ctx, const pluss_nest *nest,
                                                         const pluss_options *options,
                                                         pluss_pri **out);
PLUSS_API void pluss_pri_free(pluss_pri *pri);

typedef struct pluss_pri_info {
    size_t size;
    pluss_sharing sharing;
    uint32_t sharers; /* threads that share a line */
    double cold, thread_first;
    size_t n_bins;
    const uint64_t *interval; /* accesses, ascending */
    const double *weight;     /* accesses */
} pluss_pri_info;

/* Of reference i, as pluss_nest_get_ref numbers them; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_pri_get(const pluss_pri *pri, uint32_t i,
                                                     pluss_pri_info *out);

/* ---- generated samplers -----------------------------------------------------------------------
 */

typedef enum pluss_language { PLUSS_LANGUAGE_C = 0, PLUSS_LANGUAGE_RUST = 1 } pluss_language;

/* A program of its own that walks the nest and prints the private reuse intervals of every
 * reference as JSON: the sums of what pluss_pri_collect gives. Symbols are its arguments (-D
 * NAME=VALUE), and the team (-T). C needs POSIX threads; Rust the crate rayon. The emitted text is
 * MIT OR Apache-2.0. Chunks of dynamic and guided loops go to the thread that has made the fewest
 * accesses, while pluss_pri_collect draws at random. PLUSS_EUNSUPPORTED for what such a program
 * cannot follow. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_codegen(pluss_context *ctx,
                                                          const pluss_nest *nest,
                                                          pluss_language language,
                                                          pluss_write_fn write, void *user);

/* ---- formulas ---------------------------------------------------------------------------------
 */

/* Stack histograms of all regions of a file (options: region) as formulas in their symbols:
 * classes of accesses with their number and their stack distance, counted from 1, in lines of the
 * option line; exact for one thread and a cache that is empty at first (docs/symbolic.md). Where
 * the options bind all symbols of a region, also its misses in fully associative LRU caches of the
 * option cache. A region that has no formulas, since it is not quasi-affine, or takes more steps
 * than the option effort, or the library was built without isl, is estimated instead: its section
 * has "inexact" with the reason, which is warned of too; values, caches and contents give counts,
 * misses and, by a walk, their error. It does not keep the others from being reported.
 * PLUSS_EUNSUPPORTED, by name and place: code that is not described, an index array without
 * contents, or several values or schedules; PLUSS_EUNBOUND: some of the symbols are bound;
 * PLUSS_ERANGE: the formulas or the nest do not hold for these values; PLUSS_ELIMIT: an estimate's
 * counts take too long. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_symbolic(pluss_context *ctx,
                                                            const pluss_nests *nests,
                                                            const pluss_options *options,
                                                            pluss_report **out);
/* The same as functions in C, two for each region: NAME_histogram(SYMBOLS, take, user), which
 * passes every distance and number of accesses to a function, and NAME_misses(SYMBOLS, lines). A
 * translation unit for one region, C11 with __int128. The emitted text is MIT OR Apache-2.0.
 * Regions without formulas have none, and are told of as errors. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_symbolic_code(pluss_context *ctx,
                                                                 const pluss_nests *nests,
                                                                 const pluss_options *options,
                                                                 pluss_write_fn write, void *user);

/* ---- reports ---------------------------------------------------------------------------------
 *
 * A report is what the library has to say of something, before it has a form: sections of fields,
 * tables and series. Each format writes any report. A report is independent: what it was made
 * from may be freed. */
PLUSS_API void pluss_report_free(pluss_report *report);

typedef struct pluss_format_info {
    size_t size;
    const char
        *name; /* "text" (for people), "json" (docs/json.md), "csv" (one table), "html" ... */
    const char *summary; /* one line */
} pluss_format_info;

/* The formats there are, "text" first; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_report_format_get(size_t i, pluss_format_info *out);

typedef struct pluss_write_options {
    size_t size;
    const char *table; /* csv: the table's name, as docs/json.md has it; NULL: the first there is */
} pluss_write_options;

/* PLUSS_ENOTFOUND: no such format or table; PLUSS_EIO: `write` has refused bytes. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_report_write(pluss_context *ctx,
                                                          const pluss_report *report,
                                                          const char *format,
                                                          const pluss_write_options *options,
                                                          pluss_write_fn write, void *user);
/* Into memory, as snprintf does: at most room bytes, the last of them 0. *length: bytes of the
 * whole without that. text may be NULL where room is 0. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_report_print(pluss_context *ctx,
                                                          const pluss_report *report,
                                                          const char *format,
                                                          const pluss_write_options *options,
                                                          char *text, size_t room, size_t *length);

/* Regions with their symbols, loops, references, and what could not be described; regions: names of
 * those that are wanted, n_regions 0: all. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nest_report(pluss_context *ctx,
                                                         const pluss_nest *const *nests, size_t n,
                                                         const char *const *regions,
                                                         size_t n_regions, pluss_report **out);

typedef enum pluss_cache_type {
    PLUSS_CACHE_UNIFIED = 0,
    PLUSS_CACHE_DATA = 1,
    PLUSS_CACHE_INSTRUCTION = 2
} pluss_cache_type;

typedef struct pluss_machine_cache {
    const char *name; /* "L1d" */
    pluss_cache_type type;
    uint32_t level;
    uint64_t bytes;
    uint32_t line_bytes; /* 0: not known */
    int32_t ways;        /* 0: not known, -1: fully associative */
    uint32_t shared_by;  /* hardware threads a cache */
    uint32_t count;
} pluss_machine_cache;

/* A machine as the caller knows it; the library looks at none. */
typedef struct pluss_machine_info {
    size_t size;
    const char *cpu; /* name; NULL: not known */
    uint32_t cores, processors;
    const pluss_machine_cache *caches;
    size_t n_caches;
} pluss_machine_info;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_report(pluss_context *ctx,
                                                            const pluss_machine_info *machine,
                                                            pluss_report **out);
/* Puts the caches that hold data, as the levels of a memory hierarchy, in place of the levels that
 * the file has. Of several kinds of caches of one level it takes the one that most processors have.
 * PLUSS_EINVAL: no cache holds data. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_put_caches(
    pluss_context *ctx, pluss_machine_file *file, const pluss_machine_info *machine);
/* What a machine takes for operations and lines, in cycles (docs/machine-file.md). */
typedef struct pluss_measured {
    double value, spread; /* spread: half of the range of two thirds of the measurements; or 0 */
} pluss_measured;

typedef struct pluss_operation_cost {
    const char *group;      /* "dbl_add" */
    pluss_measured cycles;  /* one of many that do not depend on each other */
    pluss_measured latency; /* one that needs the result of the one before */
} pluss_operation_cost;

typedef struct pluss_line_cost {
    const char *name; /* of the level; "memory", the last one */
    pluss_measured latency, stream, strided, scattered;
    pluss_measured shared;  /* value 0: threads do not slow each other down */
    pluss_measured written; /* a line that is written back to it, beside those that it gives */
    double held;            /* part of the level that programs get, in [0.001, 1]; 0: 1 */
} pluss_line_cost;

/* What a line costs where strided accesses miss so many one after the other, and then come back to
 * them. */
typedef struct pluss_burst_cost {
    size_t level;   /* its place among the levels */
    uint32_t lines; /* >= 1; of one level they grow */
    pluss_measured cycles;
} pluss_burst_cost;

/* What a line costs that another thread has written, and has in a cache of its own. */
typedef struct pluss_transfer_cost {
    pluss_measured latency; /* value 0: as a line of the next level */
    pluss_measured stream, strided, scattered;
    pluss_measured upgrade; /* what the next write takes more, which makes the copy invalid */
} pluss_transfer_cost;

/* What an access takes more, where at least `reach` other pages were accessed since its page was.
 */
typedef struct pluss_page_cost {
    uint32_t reach; /* >= 1 */
    pluss_measured cycles;
} pluss_page_cost;

/* What a thread takes for a parallel construct of so many, and for a barrier in it. */
typedef struct pluss_team_cost {
    uint32_t threads; /* >= 1 */
    pluss_measured start, barrier;
} pluss_team_cost;

typedef struct pluss_machine_costs {
    size_t size;
    double cycle_ns;
    pluss_measured issue;                   /* any operation, at least */
    const pluss_operation_cost *operations; /* each group once */
    size_t n_operations;
    const pluss_line_cost *levels; /* of the file's levels, in order, and of memory */
    size_t n_levels;
    double window; /* operations that are executed out of order at once; 0: not known */
    double serial; /* in [0, 1]: of the shorter of operations and lines, what does not overlap */
    uint32_t page_bytes;            /* a power of two up to 4096, where there are pages */
    const pluss_page_cost *pages;   /* reach and cycles grow */
    size_t n_pages;                 /* at most 8; 0: translations of addresses cost nothing */
    const pluss_team_cost *teams;   /* their threads grow */
    size_t n_teams;                 /* at most 16; 0: starting teams and barriers cost nothing */
    const pluss_burst_cost *bursts; /* of each level their lines grow */
    size_t n_bursts;                /* at most 8 of a level; 0: as strided */
    pluss_transfer_cost transfer;
} pluss_machine_costs;

/* Puts costs in place of those that the file has; they are copied. PLUSS_EINVAL: a group is missing
 * or unknown, a level has another name than the file's, pages or teams do not grow; PLUSS_ERANGE: a
 * number is no cost. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_put_costs(
    pluss_context *ctx, pluss_machine_file *file, const pluss_machine_costs *costs);
/* Its name, size, and the processors that share one; the name lives as long as the file.
 * PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_get_level(const pluss_machine_file *file,
                                                                    size_t i, pluss_cache *out);
/* The levels of a machine file, and its costs. PLUSS_EEMPTY: it has neither. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_machine_file_report(pluss_context *ctx,
                                                                 const pluss_machine_file *file,
                                                                 pluss_report **out);
/* The levels of the file, copied, beside the curves that the options ask for otherwise: as cache
 * set to machine, but the curves are as without, predicted levels come of a quarter of the samples,
 * and where a model cannot predict them, they are left out. NULL: none.
 * PLUSS_EEMPTY: the file has none. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_set_levels(pluss_context *ctx,
                                                                pluss_options *options,
                                                                const pluss_machine_file *file);
/* Levels that the options ask for and whose ways are left out take those of a level of the same
 * name (L1 is L1d, too): of the machine file that `machine` names, else of the files given here,
 * the first that has it, where the size is a multiple of ways times lines. What remains is taken as
 * fully associative. Copies them; a file without levels adds nothing. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_options_add_ways(pluss_context *ctx,
                                                              pluss_options *options,
                                                              const pluss_machine_file *file);
/* Whether there is such a level that none of them has. */
PLUSS_API int pluss_options_lack_ways(const pluss_options *options);

typedef struct pluss_report_options {
    size_t size;
    const pluss_cache *caches; /* text: rows to show, marked with their labels, from the curve of
                                  as many threads that share a cache */
    size_t n_caches;
    int only_caches;  /* text: no other rows; else also the powers of two up to the footprint */
    const char *note; /* about the whole; NULL: none */
    int scaling; /* also the capacities C_core, C_share and C_cost (docs/models.md, scale), where
                    there are curves of one thread, of a shared cache, and of private ones */
    int plot;    /* text: also a plot of each curve; 1: of block characters, 2: of letters */
    /* scaling: cycles of an access that a private cache gives, a shared one, and those that memory
       takes more; all 0: 4, 10 and 200 */
    double private_latency, shared_latency, memory_latency;
    int brief; /* text, of a recorded run of more than three regions: their table and what the worst
                  ones miss, no region's own curve and caches */
} pluss_report_options;

/* Whole curves, for programs; for people, tables of miss ratios, and why they fall. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_report(pluss_context *ctx,
                                                           const pluss_result *result,
                                                           const pluss_report_options *options,
                                                           pluss_report **out);
typedef struct pluss_overview_options {
    size_t size;
    const char *title;
    const pluss_cache *caches; /* marked on the curves of points without levels */
    size_t n_caches;
    const pluss_nests *const *nests; /* what of these could not be described is told */
    size_t n_nests;
    int sources;                /* with the lines of source files around the references, */
    const char *const *folders; /* which are looked for there, too */
    size_t n_folders;
    const char *note; /* about the whole; NULL: none */
    int plot;         /* as of pluss_report_options */
    /* For so many of the regions, those that cost most, changes are looked for among the nests
     * (pluss_nests_advise), with the values of their point with the most threads, and these options
     * (NULL: the default ones), in place of rules of thumb. O(50 predictions) a region. */
    uint32_t advised;
    const pluss_options *options;
} pluss_overview_options;

/* A report on a whole file or run, docs/report.md: regions, worst first, each with a point for each
 * team, schedule and set of values of the result. As text: misses by level, worst references, why,
 * and what to try; as html: a page that shows all of it. A source file that cannot be read is told
 * in the report. Five digits: pluss_result_report has all. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_overview_report(pluss_context *ctx,
                                                             const pluss_result *result,
                                                             const pluss_overview_options *options,
                                                             pluss_report **out);
/* All that a result has about a line of a source: at each point the misses of its references at
 * each level, the reuses that they lose, and why. file: the path, or its end. PLUSS_ENOTFOUND: no
 * reference of a level is there. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_line_report(pluss_context *ctx,
                                                         const pluss_result *result,
                                                         const char *file, uint32_t line,
                                                         pluss_report **out);
/* Takes all levels but those of that name ("L2") out of the result. PLUSS_ENOTFOUND: it has none,
 * and stays as it is. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_keep_level(pluss_context *ctx,
                                                               pluss_result *result,
                                                               const char *name);
/* Puts levels in place of those that the result has, out of its curves and profiles alone: the
 * options' caches (cache, machine) that as many threads share as in a curve, fully associative,
 * with the curve's misses at their sizes; by reference where its profile is there, too. Without
 * such options nothing changes. PLUSS_ENOTFOUND: no curve is of caches that as many threads share.
 * On failure the result is as before. O(curves * levels * bins log bins). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_derive_levels(pluss_context *ctx,
                                                                  pluss_result *result,
                                                                  const pluss_options *options);
/* The profiles of a result, for programs: histograms of reuse intervals or distances, of all
 * accesses and by reference, with what they are of (docs/json.md). The formats json and json.gz can
 * be read back. Empty where none were kept: the option profiles. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_profile_report(pluss_context *ctx,
                                                            const pluss_result *result,
                                                            pluss_report **out);
/* Adds the profiles of src to those of dst that are of the same program, values, team, threads per
 * cache, line size, metric and scope, as of that many more runs; the others are moved, and src is
 * empty afterwards. The curves of dst are then those of its profiles. On failure both hold some of
 * them. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_profile_merge(pluss_context *ctx, pluss_result *dst,
                                                           pluss_result *src);
/* Reads such reports in JSON, compressed or not, of this version or the one before; profiles alone
 * become curves, too. `file` names the text in messages; may be NULL. Why curves fall is not read
 * back. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_read(pluss_context *ctx, const char *text,
                                                         size_t length, const char *file,
                                                         pluss_result **out);

/* ---- advice ----------------------------------------------------------------------------------
 *
 * What is predicted to cost less on the levels that the options ask for: other orders of loops,
 * tiles, schedules, layouts of arrays, teams (docs/advise.md). An access costs 1, a miss of a level
 * 10 (of the first of several), 25, or 150 (of the last); what gains 3 % of the cost, and more than
 * 1.96 standard errors of the gain, is advice. */
typedef struct pluss_advice pluss_advice;

/* Of each region, at the first team of the options. PLUSS_OK: as far as pluss_advice_get_missing
 * says. O(40 predictions) a region. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_advise(pluss_context *ctx,
                                                          const pluss_nests *nests,
                                                          const pluss_options *options,
                                                          pluss_advice **out);
PLUSS_API void pluss_advice_free(pluss_advice *advice);
/* PLUSS_OK: all regions were looked at; else why one was not. */
PLUSS_API pluss_status pluss_advice_get_missing(const pluss_advice *advice);

typedef enum pluss_advice_kind {
    PLUSS_ADVICE_INTERCHANGE = 0,
    PLUSS_ADVICE_TILE = 1,
    PLUSS_ADVICE_FUSE = 2,
    PLUSS_ADVICE_SCHEDULE = 3,
    PLUSS_ADVICE_PAD = 4,    /* conflicts of sets */
    PLUSS_ADVICE_SPREAD = 5, /* false sharing */
    PLUSS_ADVICE_THREADS = 6
} pluss_advice_kind;

/* Strings live as long as the advice. */
typedef struct pluss_advice_info {
    size_t size;
    pluss_advice_kind kind;
    const char *region;
    const char *file;   /* NULL: not known */
    uint32_t line;      /* 0: not known */
    const char *text;   /* "interchange loops j and k" */
    const char *steps;  /* of pluss_nest_transform, between spaces; "": another team, or values */
    const char *source; /* what to write there, values of symbols as "ti=48 tj=48"; "": the nest
                           after the steps shows it */
    const char *worst;  /* the reference whose misses cost most now; NULL: none */
    uint32_t threads, threads_then;
    double gain, error; /* share of the cost, and its standard error */
} pluss_advice_info;

/* Region by region, the greatest gain first; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_advice_get(const pluss_advice *advice, size_t i,
                                                        pluss_advice_info *out);
/* For the report: median processor times of so many runs of the program as it is and with the first
 * advice, in seconds. PLUSS_EINVAL: one is not above 0. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_advice_put_times(pluss_context *ctx,
                                                              pluss_advice *advice, double now,
                                                              double then, uint32_t runs);
/* file: of the nests, for the commands that it shows. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_advice_report(pluss_context *ctx,
                                                           const pluss_advice *advice,
                                                           const char *file, pluss_report **out);

/* ---- time ------------------------------------------------------------------------------------
 *
 * How long regions run, from counts of operations (the plugin's option ops), the misses predicted
 * of the levels that the options ask for, and the costs of the machine file that they name
 * (docs/time.md). The option time-model: "overlap" or "sum". */
typedef struct pluss_times pluss_times;

/* Of each region, at each team of the options. PLUSS_OK: as far as pluss_times_get_missing says.
 * PLUSS_EEMPTY: there is no machine file with costs. A prediction a team and region, and one of one
 * thread. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_time(pluss_context *ctx,
                                                        const pluss_nests *nests,
                                                        const pluss_options *options,
                                                        pluss_times **out);
PLUSS_API void pluss_times_free(pluss_times *times);
/* PLUSS_OK: all regions have times; else why one has not: PLUSS_ENOTFOUND: a level has no cost;
 * PLUSS_EUNSUPPORTED: levels cannot be predicted; else as pluss_predict. */
PLUSS_API pluss_status pluss_times_get_missing(const pluss_times *times);

typedef enum pluss_time_bound {
    PLUSS_TIME_CORE = 0,        /* operations */
    PLUSS_TIME_DEPENDENCES = 1, /* of an iteration on the one before */
    PLUSS_TIME_LATENCY = 2,     /* lines from a level or memory, as one thread gets them */
    PLUSS_TIME_BANDWIDTH = 3,   /* the same, as the threads together get them */
    PLUSS_TIME_TRANSLATION = 4, /* of the addresses of pages */
    PLUSS_TIME_BARRIERS = 5,    /* and starting teams */
    PLUSS_TIME_IMBALANCE = 6,   /* threads wait for the one that has most to do */
    PLUSS_TIME_TRANSFERS = 7    /* lines that another thread has written */
} pluss_time_bound;

/* A region with a team; strings live as long as the times. */
typedef struct pluss_time_info {
    size_t size;
    const char *region;
    const char *file; /* NULL: not known */
    uint32_t line;    /* 0: not known */
    uint32_t threads;
    double seconds, error;            /* error: standard error, of misses and of costs */
    double speedup;                   /* against one thread */
    double imbalance;                 /* accesses of the busiest thread by the mean, >= 1 */
    double core, dependences, memory; /* seconds that each takes alone; memory: translations and
                                         transfers, too */
    pluss_time_bound bound;           /* what most of the time is bound by */
    const char *level;                /* LATENCY, BANDWIDTH: which level, "L2" or "memory" */
    int counted;                      /* 0: the nest has no counts of operations */
    double barriers;                  /* seconds of starting teams and of barriers */
} pluss_time_info;

/* Region by region, in the order of the teams; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_times_get(const pluss_times *times, size_t i,
                                                       pluss_time_info *out);
/* With loops and lines of the source. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_times_report(pluss_context *ctx,
                                                          const pluss_times *times,
                                                          pluss_report **out);

/* ---- remarks ---------------------------------------------------------------------------------
 *
 * For each loop one line, as a compiler says it: what it misses at a level at the teams of the
 * options (1 to 8), the reference that costs most, and a legal change that is predicted to help
 * (docs/remarks.md). A loop is a worksharing loop, or an outermost one that is in none. Predicted
 * with an eighth of the samples of other predictions. */

/* In the order of the nests. The options warn and fail make warnings and errors of some: *worst is
 * the greatest severity. Values of symbols that no nest has are passed by, and a region that is not
 * predicted has a remark that says why. O(teams + loops) predictions a region. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_nests_remark(pluss_context *ctx,
                                                          const pluss_nests *nests,
                                                          const pluss_options *options,
                                                          pluss_severity *worst,
                                                          pluss_report **out);

/* ---- comparison ------------------------------------------------------------------------------ */

typedef enum pluss_grid {
    PLUSS_GRID_STRICT = 0, /* 8 sizes an octave from 1 line to the footprint of b */
    PLUSS_GRID_PAPER = 1   /* 4 an octave from 1 line to 32 MB */
} pluss_grid;

typedef struct pluss_difference {
    size_t size;
    double mean_abs, max_abs, mean_signed; /* a - b, miss ratios */
    uint64_t max_at_lines;                 /* size of the largest difference */
    uint64_t first_lines, last_lines;      /* ends of the grid */
    size_t n;                              /* sizes compared */
    size_t a, b;                           /* numbers of the curves in the results compared */
} pluss_difference;

/* PLUSS_EINVAL where the curves are of different line sizes. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_curve_compare(pluss_context *ctx, const pluss_curve *a,
                                                           const pluss_curve *b, pluss_grid grid,
                                                           pluss_difference *out);

/* Results, as two reports that were read: each curve of a against that of b with the same region,
 * values, team and threads that share a cache. */
typedef struct pluss_comparison pluss_comparison;

typedef struct pluss_compare_options {
    size_t size;
    pluss_grid grid;
    const char *a_name, *b_name; /* of the results, in messages; NULL: "the first", "the second" */
} pluss_compare_options;

/* Of curves that stand against none there are warnings. PLUSS_ENOTFOUND: all are such. The results
 * may be freed. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_result_compare(pluss_context *ctx,
                                                            const pluss_result *a,
                                                            const pluss_result *b,
                                                            const pluss_compare_options *options,
                                                            pluss_comparison **out);
PLUSS_API void pluss_comparison_free(pluss_comparison *comparison);

typedef struct pluss_comparison_info {
    size_t size;
    size_t n;                           /* pairs of curves, >= 1 */
    double mean_abs, greatest_mean_abs; /* of the pairs' mean_abs */
    size_t n_levels;                    /* pairs of levels of the same caches */
    double greatest_of_levels;          /* absolute difference of their miss ratios */
} pluss_comparison_info;

/* A level of both results; strings live as long as the comparison. */
typedef struct pluss_level_difference {
    size_t size;
    const char *region, *name; /* name: "L1" */
    uint32_t threads, threads_per_cache;
    double a_misses, b_misses;
    double difference; /* of misses / accesses, a - b */
    double error;      /* its standard error; negative: both are exact */
    uint64_t ways;
    uint32_t line_bytes;
    double a_accesses, b_accesses;
} pluss_level_difference;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_comparison_get_info(const pluss_comparison *comparison,
                                                                 pluss_comparison_info *out);
/* Pairs in the order of a; PLUSS_ENOTFOUND past the end. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_comparison_get(const pluss_comparison *comparison,
                                                            size_t i, pluss_difference *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_comparison_get_level(
    const pluss_comparison *comparison, size_t i, pluss_level_difference *out); /* likewise */
/* From a, the old result, to b, the new one: the misses of each level, and, where they changed by
 * more than 1.96 standard errors, the three references whose misses changed most. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_comparison_report_changes(
    pluss_context *ctx, const pluss_comparison *comparison, pluss_report **out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_comparison_report(pluss_context *ctx,
                                                               const pluss_comparison *comparison,
                                                               pluss_report **out);

/* ---- gaps between threads --------------------------------------------------------------------
 *
 * How far apart the threads of a loop were in real runs, and whether they were as far apart as the
 * racetrack model takes them to be: the experiment of the PACT'24 paper, section 3.4. The programs
 * were built with mode=time, and ran with PLUSS_RECORD and PLUSS_STAMPS=tsc (docs/plugin.md). A gap
 * is how far thread k is ahead of thread 0, modulo the lap, at a stop at which both are in the
 * loop. Of the options those that pluss_option_get marks with `gaps` are looked at. */
typedef struct pluss_gaps pluss_gaps;

typedef struct pluss_gaps_info {
    size_t size;
    const char *region, *file;
    uint32_t line, loop; /* loop: its number in the region */
    uint32_t team;       /* the largest */
    uint32_t bins;
    double lap;
    size_t runs; /* of programs */
} pluss_gaps_info;

/* Of one run of the program, or of all together. */
typedef struct pluss_gaps_test {
    size_t size;
    uint64_t samples;   /* gaps that were tested */
    uint64_t stops;     /* that were taken, */
    uint64_t outside;   /* of which that many found no two threads in the loop, */
    uint64_t wrong;     /* and places at which counter and time stamps did not agree */
    double chi2;        /* against even gaps; bins - 1 degrees of freedom */
    double p;           /* of even and independent samples */
    double lag1;        /* autocorrelation of successive samples */
    double correlation; /* integrated autocorrelation time, samples, >= 1 */
    double effective;   /* as many independent samples tell as much */
    double p_corrected; /* of even samples that are correlated as these are */
    const uint64_t *counts;
    size_t n_counts; /* bins; counts[i]: gaps in [i, i + 1) / bins laps */
} pluss_gaps_test;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_gaps_new(pluss_context *ctx,
                                                      const pluss_options *options,
                                                      pluss_gaps **out);
PLUSS_API void pluss_gaps_free(pluss_gaps *gaps);
/* One more run: its record, which has time stamps. PLUSS_EIO, PLUSS_EFORMAT. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_gaps_add(pluss_gaps *gaps, const pluss_record *record);
/* Tests all that was added; once. PLUSS_ENOTFOUND: no stop found two threads in such a loop. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_gaps_finish(pluss_gaps *gaps);
/* After that. run: in the order of pluss_gaps_add; SIZE_MAX: all together. A run may have no
 * samples; then only counts of stops are set. PLUSS_ENOTFOUND: there is no such run. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_gaps_get_info(const pluss_gaps *gaps,
                                                           pluss_gaps_info *out);
PLUSS_NODISCARD PLUSS_API pluss_status pluss_gaps_get_test(const pluss_gaps *gaps, size_t run,
                                                           pluss_gaps_test *out);
/* After that. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_gaps_report(const pluss_gaps *gaps,
                                                         pluss_report **out);

/* ---- parameter sweeps --------------------------------------------------------------------------
 *
 * Many evaluations that differ in files, sizes, schedules, threads, caches and models, from a text
 * (docs/sweep.md). Each combination is a cell; cells are numbered from 0 and independent of each
 * other. A sweep that was read is not changed any more: several threads or processes may evaluate
 * its cells at once, each with a context of its own, and a cell gives the same wherever it is
 * evaluated. */
typedef struct pluss_sweep pluss_sweep;

/* Reads the files that the text names, too. `file` names the text in messages; may be NULL.
 * PLUSS_EINVAL, with the place: a line that says nothing, a value that is none, a file without
 * nests (PLUSS_ENOTFOUND); PLUSS_ELIMIT: more than 2^40 cells. O(text + values + files). */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_sweep_parse(pluss_context *ctx, const char *text,
                                                         size_t length, const char *file,
                                                         pluss_sweep **out);
PLUSS_API void pluss_sweep_free(pluss_sweep *sweep);

typedef struct pluss_sweep_info {
    size_t size;
    uint64_t cells;
    uint64_t identity; /* a hash of all that was asked for and of what the files hold */
} pluss_sweep_info;

PLUSS_NODISCARD PLUSS_API pluss_status pluss_sweep_get_info(const pluss_sweep *sweep,
                                                            pluss_sweep_info *out);

#define PLUSS_SWEEP_NO_CELL UINT64_MAX

/* Evaluates a cell: a report of one table, "cells", with a row for each region, team and level, or,
 * where the caches have no ways, cache. What fails is a row, too, with its status, which is also
 * *missing (PLUSS_OK: nothing; may be NULL), and its message. PLUSS_SWEEP_NO_CELL: the table
 * without rows. All cells have the same columns (docs/sweep.md). PLUSS_ENOTFOUND: there is no such
 * cell; PLUSS_ENOMEM, PLUSS_ECANCELLED. */
PLUSS_NODISCARD PLUSS_API pluss_status pluss_sweep_report(pluss_context *ctx,
                                                          const pluss_sweep *sweep, uint64_t cell,
                                                          pluss_status *missing,
                                                          pluss_report **out);

#ifdef __cplusplus
}
#endif
#endif
