/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Functions of libraries, by name.
 */
#include "shadow/library.h"

#include "common/openmp.h"

namespace pluss
{

typedef std::initializer_list<const char *> Names;

static bool is_one_of(const std::string &name, const Names &list)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

static bool begins_with(const std::string &name, const Names &list)
{
    return std::any_of(list.begin(), list.end(),
                       [&](const char *prefix) { return plussi_startswith(name.c_str(), prefix); });
}

/* A function's name without __builtin_ in front; "": it has none. */
static std::string function_name(tree fn)
{
    std::string name = fn && DECL_NAME(fn) ? IDENTIFIER_POINTER(DECL_NAME(fn)) : "";
    return plussi_startswith(name.c_str(), "__builtin_") ? name.substr(strlen("__builtin_")) : name;
}

/* Those that store what they find through a pointer. */
static const Names results_by_pointer = {
    "posix_memalign", "time", "clock_gettime", "gettimeofday", "times",   "getrusage", "frexp",
    "frexpf",         "modf", "modff",         "sincos",       "sincosf", "rand_r",    "remquo"};
static const Names fortran_results_by_pointer = {
    "_gfortran_system_clock_", "_gfortran_cpu_time_",      "_gfortran_date_and_time",
    "_gfortran_second_sub",    "_gfortran_etime_sub",      "_gfortran_etime",
    "_gfortran_dtime",         "_gfortran_itime",          "_gfortran_idate",
    "_gfortran_get_command",   "_gfortran_get_environment"};

static const Names harmless = {"printf",       "puts",
                               "putchar",      "fprintf",
                               "fputs",        "fputc",
                               "fwrite",       "fflush",
                               "perror",       "malloc",
                               "calloc",       "aligned_alloc",
                               "free",         "alloca",
                               "exit",         "alloca_with_align",
                               "stack_save",   "stack_restore",
                               "abort",        "clock",
                               "rand",         "srand",
                               "random",       "drand48",
                               "expect",       "prefetch",
                               "unreachable",  "trap",
                               "vprintf",      "assume_aligned",
                               "vfprintf",     "sched_yield",
                               "usleep",       "nanosleep",
                               "sleep",        "sched_getcpu",
                               "MPI_Wtime",    "pthread_mutex_lock",
                               "pthread_self", "pthread_mutex_unlock"};
/* Output of Fortran, and what ends a program. */
static const Names fortran_harmless = {
    "_gfortran_st_write",     "_gfortran_st_open",        "_gfortran_st_close",
    "_gfortran_st_flush",     "_gfortran_stop_",          "_gfortran_error_stop_",
    "_gfortran_runtime_",     "_gfortran_os_error",       "_gfortran_set_args",
    "_gfortran_set_options",  "_gfortran_flush_",         "_gfortran_second",
    "_gfortran_time",         "_gfortran_compare_string", "_gfortran_string_len_trim",
    "_gfortran_string_index", "_gfortran_string_scan",    "_gfortran_string_verify"};

static bool is_fortran_output(const std::string &name)
{
    return plussi_startswith(name.c_str(), "_gfortran_transfer_") && name.size() > 6 &&
           name.compare(name.size() - 6, 6, "_write") == 0;
}

static const Names arguments_changed = {"scanf",   "fscanf",  "sscanf",   "fread",
                                        "fgets",   "read",    "strtol",   "strtod",
                                        "strtoul", "getline", "vsnprintf"};

/* What a function is by its name. */
struct Known {
    bool harmless, by_pointer, output, fortran, arguments;
};

/* The same, found once for each function. */
static const Known &look_up(tree fn)
{
    static std::unordered_map<unsigned, Known> found; /* by DECL_UID */
    auto at = found.find(fn ? DECL_UID(fn) : 0);
    if (at != found.end())
        return at->second;
    const std::string name = function_name(fn);
    const Known k = {begins_with(name, {"omp_", "GOMP_", "pluss"}) || is_one_of(name, harmless) ||
                         begins_with(name, fortran_harmless),
                     is_one_of(name, results_by_pointer) ||
                         begins_with(name, fortran_results_by_pointer),
                     is_fortran_output(name), begins_with(name, {"_gfortran_"}),
                     is_one_of(name, arguments_changed)};
    return found.emplace(fn ? DECL_UID(fn) : 0, k).first->second;
}

bool prints_arguments(gcall *g)
{
    return look_up(gimple_call_fndecl(g)).output;
}

bool gives_by_pointer(gcall *g)
{
    return look_up(gimple_call_fndecl(g)).by_pointer;
}

bool is_taken_for_clock(gcall *g)
{
    tree fn = gimple_call_fndecl(g);
    if (!options.assume || !fn || fndecl_built_in_p(fn) || gimple_call_num_args(g) ||
        !DECL_EXTERNAL(fn) || !SCALAR_FLOAT_TYPE_P(TREE_TYPE(TREE_TYPE(fn))) ||
        read_team_query(g) != TeamQuery::None)
        return false;
    std::string name = function_name(fn);
    for (char &c : name)
        c = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
    if (plussi_startswith(name.c_str(), "omp_") || name == "mpi_wtime")
        return false; /* known */
    return name.find("time") != std::string::npos || name.find("second") != std::string::npos ||
           name.find("clock") != std::string::npos;
}

/* Is it now() of one of C++'s clocks? */
static bool is_now_of_clock(tree fn)
{
    tree clock =
        DECL_CONTEXT(fn) && TYPE_P(DECL_CONTEXT(fn)) ? TYPE_NAME(DECL_CONTEXT(fn)) : NULL_TREE;
    if (function_name(fn) != "now" || !clock || TREE_CODE(clock) != TYPE_DECL ||
        !DECL_IN_SYSTEM_HEADER(fn))
        return false;
    return is_one_of(IDENTIFIER_POINTER(DECL_NAME(clock)),
                     {"steady_clock", "system_clock", "high_resolution_clock"});
}

bool is_harmless(gcall *g)
{
    if (gimple_call_internal_p(g))
        return true;
    if (gimple_call_flags(g) & (ECF_CONST | ECF_PURE | ECF_NORETURN))
        return true;
    tree fn = gimple_call_fndecl(g);
    if (!fn || !DECL_NAME(fn))
        return false;
    const Known &known = look_up(fn);
    if (known.harmless || known.output || known.by_pointer || DECL_IS_REPLACEABLE_OPERATOR(fn) ||
        is_taken_for_clock(g))
        return true;
    if (is_now_of_clock(fn))
        return true;
    if (fndecl_built_in_p(fn, BUILT_IN_NORMAL)) {
        /* Mathematical functions set errno at most. */
        for (unsigned i = 0; i < gimple_call_num_args(g); i++)
            if (POINTER_TYPE_P(TREE_TYPE(gimple_call_arg(g, i))))
                return false;
        return true;
    }
    return false;
}

bool changes_by_arguments(tree fn)
{
    return fn && (fndecl_built_in_p(fn, BUILT_IN_NORMAL) || look_up(fn).fortran ||
                  (DECL_EXTERNAL(fn) && look_up(fn).arguments));
}

} // namespace pluss
