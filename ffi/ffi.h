/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the C interface share: the objects of its opaque types. pluss.h comes
 * first, so that its enumeration of the status codes is the one in use.
 */
#ifndef PLUSSI_FFI_H
#define PLUSSI_FFI_H

#include "pluss.h"

#include "report/document.h"
#include "study/advise.h"
#include "study/calibrator.h"
#include "study/evaluate.h"
#include "study/ranks.h"
#include "study/recorded_bindings.h"
#include "study/time_study.h"

struct pluss_context {
    plussi_ctx ctx;
    size_t logged; /* diagnostics that the log callback has seen */
    char *spare;   /* the text of a failure for which there is no memory; NULL: used */
    pluss_context_options options;
    plussi_ranks ranks; /* n 0: none */
    plussi_kept *kept;
};

void plussi_ffi_end_ranks(pluss_context *ctx); /* tells them to end, and has none */

/* Every entry that takes a context ends in this: hands new diagnostics to the log callback, and
 * adds one where a failure left none. */
pluss_status plussi_ffi_leave(pluss_context *ctx, pluss_status status);
/* The same after a part of a call that goes on: what the log callback has seen makes room for the
 * messages of the next part. */
pluss_status plussi_ffi_leave_part(pluss_context *ctx, pluss_status status);

/* Structs of the caller: copies as much as he knows of, and leaves his size. PLUSS_EINVAL where
 * that is not set. */
PLUSS_NODISCARD pluss_status plussi_ffi_give(void *out, const void *value, size_t bytes);
/* Options of the caller: the rest is 0; PLUSS_EINVAL where he knows more than this version, and
 * says something there. NULL gives all 0. */
PLUSS_NODISCARD pluss_status plussi_ffi_take(plussi_ctx *ctx, void *value, size_t bytes,
                                             const void *options);

struct pluss_options {
    plussi_request request;
};

struct pluss_nest {
    plussi_mem mem;
    plussi_arena arena; /* what the infos point to */
    plussi_nest *nest;
    pluss_nest_info info;
    pluss_region_info *region;
    pluss_symbol_info *symbol;
    pluss_array_info *array;
    pluss_loop_info *loop;
    pluss_ref_info *ref;
    pluss_unknown_info *unknown;
};

struct pluss_nests {
    plussi_mem mem;
    size_t n;
    pluss_nest **nest;
    char *trace;           /* the path of a trace, which has no nests; NULL: it is none */
    plussi_result profile; /* one, of a program of a co-run; else none */
    pluss_status missing;  /* why some of what was asked for is not in it */
};

struct pluss_result {
    plussi_result list;
    pluss_status missing; /* why some of what was asked for is not in it */
};

struct pluss_calibration {
    pluss_context *ctx;
    plussi_request request; /* its regions */
    plussi_calibrator all;
    pluss_progress *progress; /* of each region, once they are fitted */
};

struct pluss_machine_file {
    plussi_machine_file *file;
};

struct pluss_report {
    plussi_mem mem;
    plussi_document document;
};

struct pluss_advice {
    plussi_advice_list list;
    pluss_status missing; /* why some regions have none */
};

struct pluss_times {
    plussi_times list;
    pluss_status missing; /* why some regions have none */
};

struct pluss_record {
    plussi_mem mem;
    plussi_record *record;
};

struct pluss_timelines {
    plussi_mem mem;
    plussi_timelines *timelines;
};

/* engines.c: the caller's callback. */
plussi_ask plussi_ffi_ask(const pluss_context *ctx);
/* What the options (NULL: none) ask for, borrowed from them. */
void plussi_ffi_request(pluss_context *ctx, const pluss_options *options, plussi_request *request);

/* A copy of the nest with the request's contents in the arrays that it has; *out NULL: it has none
 * of them. */
PLUSS_NODISCARD pluss_status plussi_ffi_fill(pluss_context *ctx, const plussi_request *request,
                                             const pluss_nest *nest, pluss_nest **out);

/* nests_calls.c: adds the curves of a nest, with those bindings that it has symbols for. */
PLUSS_NODISCARD pluss_status plussi_ffi_run(pluss_context *ctx, const plussi_nest *nest,
                                            const plussi_request *request, plussi_study_fn engine,
                                            pluss_result *result);
/* Of one of several nests: what is wrong is told and noted in the result, but for what ends all. */
PLUSS_NODISCARD pluss_status plussi_ffi_note(pluss_context *ctx, pluss_status status,
                                             pluss_result *result);
/* The end of such a call: *out = result where it has curves. told: of the status there is a message
 * already. */
PLUSS_NODISCARD pluss_status plussi_ffi_give_result(pluss_context *ctx, pluss_status status,
                                                    bool told, pluss_result *result,
                                                    pluss_result **out);

/* progress_calls.c: borrowed from *given (NULL: uniform), its numbers not checked; as the caller
 * sees it, but for timelines and origin, borrowed from *progress. */
PLUSS_NODISCARD pluss_status plussi_ffi_take_progress(plussi_ctx *ctx, const pluss_progress *given,
                                                      plussi_progress *out, bool *by_default);
pluss_progress plussi_ffi_progress(const plussi_progress *progress);

/* machine_calls.c: a machine of the caller. PLUSS_EINVAL: a cache has no name or type. */
PLUSS_NODISCARD pluss_status plussi_ffi_take_machine(plussi_ctx *ctx,
                                                     const pluss_machine_info *given,
                                                     pluss_machine_info *out);
/* Its caches that hold data; of several kinds of a level the one that most processors have. */
void plussi_ffi_levels(const pluss_machine_info *machine, plussi_machine_caches *out);

/* record_calls.c: the nests of a record: those that are given (nests not NULL), else those of the
 * files that it names, which are held in `read`. told: of the status there is a message already.
 * The caller drops them, on failure too. */
typedef struct plussi_ffi_nests {
    const plussi_nest **nest;
    size_t n;
    pluss_nests *read;
} plussi_ffi_nests;
PLUSS_NODISCARD pluss_status plussi_ffi_take_nests(pluss_context *ctx, const plussi_record *record,
                                                   const pluss_nest *const *nests, size_t n,
                                                   plussi_ffi_nests *out, bool *told);
void plussi_ffi_drop_nests(pluss_context *ctx, plussi_ffi_nests *nests);

/* curves.c: an empty one. */
PLUSS_NODISCARD pluss_status plussi_ffi_result(pluss_context *ctx, pluss_result **out);

/* reports.c: a machine's processors, as members. */
void plussi_ffi_report_processors(plussi_section *root, const char *cpu, uint32_t cores,
                                  uint32_t processors);
/* An empty report, NULL: no memory; and the end of each call that makes one: *out = report unless
 * it is NULL or its document has failed. */
pluss_report *plussi_ffi_report(pluss_context *ctx);
PLUSS_NODISCARD pluss_status plussi_ffi_give_report(pluss_context *ctx, pluss_report *report,
                                                    pluss_report **out);

/* nest_view.c: takes the nest, also on failure. */
PLUSS_NODISCARD pluss_status plussi_ffi_view(plussi_ctx *ctx, plussi_nest *nest, const char *origin,
                                             pluss_nest **out);
/* The linker's symbol of the first region, copied; NULL: not known. */
PLUSS_NODISCARD pluss_status plussi_ffi_view_symbol(pluss_nest *view, const char *symbol,
                                                    bool absent);

#endif
