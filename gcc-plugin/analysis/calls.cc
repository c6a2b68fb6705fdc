/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What calls of functions whose bodies are not at hand may change.
 *
 * Functions of the C library, of libgomp and of libgfortran that only compute, print, wait,
 * allocate or tell the time change nothing that a nest depends on. Others of theirs, and GCC's
 * built-in functions, change what their arguments lead to. A procedure of Fortran changes a dummy
 * argument or a variable of its caller only if it gets it as an argument, not of intent(in), unless
 * a pointer may lead to it: then its address is stored somewhere in the function.
 */
#include "analysis/analysis.h"

#include "common/openmp.h"
#include "common/statements.h"
#include "shadow/effects.h"

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

bool gives_by_pointer(gcall *g)
{
    std::string name = function_name(gimple_call_fndecl(g));
    return is_one_of(name, results_by_pointer) || begins_with(name, fortran_results_by_pointer);
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

/* Does a call write no memory that the program's loops read? */
bool Analysis::is_harmless(gcall *g)
{
    if (gimple_call_internal_p(g))
        return true;
    if (gimple_call_flags(g) & (ECF_CONST | ECF_PURE | ECF_NORETURN))
        return true;
    tree fn = gimple_call_fndecl(g);
    std::string name = function_name(fn);
    if (name.empty())
        return false;
    if (begins_with(name, {"omp_", "GOMP_", "pluss"}) || DECL_IS_REPLACEABLE_OPERATOR(fn) ||
        is_one_of(name, harmless) || begins_with(name, fortran_harmless) ||
        is_fortran_output(name) || gives_by_pointer(g) || is_taken_for_clock(g))
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

/* Does a function change memory only through its arguments? */
static bool changes_by_arguments(tree fn)
{
    static const Names others = {"scanf",  "fscanf", "sscanf",  "fread",   "fgets",    "read",
                                 "strtol", "strtod", "strtoul", "getline", "vsnprintf"};
    return fn && (fndecl_built_in_p(fn, BUILT_IN_NORMAL) ||
                  begins_with(function_name(fn), {"_gfortran_"}) ||
                  (DECL_EXTERNAL(fn) && is_one_of(function_name(fn), others)));
}

/* Is it a variable of the function, or a dummy argument, that only a pointer could reach? */
static bool is_own_in_fortran(const Object *o, tree fn)
{
    if (!lang_GNU_Fortran() || !o->decl)
        return false;
    if (o->kind == ObjectKind::Pointer)
        return o->is_param && TYPE_RESTRICT(TREE_TYPE(o->decl)); /* no target */
    if (o->kind != ObjectKind::Decl || !VAR_P(o->decl))
        return false;
    if (!is_global_var(o->decl))
        return true;
    /* Procedures that the function contains can name its static variables. */
    const Effects *e = effects_of(fn);
    return TREE_STATIC(o->decl) && !TREE_PUBLIC(o->decl) && DECL_CONTEXT(o->decl) &&
           TREE_CODE(DECL_CONTEXT(o->decl)) == FUNCTION_DECL && e && !e->stored.count(o->decl) &&
           (!e->leaves_unit || options.assume);
}

/* Is the address of an object stored anywhere in the function? */
bool Analysis::is_captured(const Object *o)
{
    if (!captured_done) {
        captured_done = true;
        basic_block bb;
        FOR_EACH_BB_FN(bb, cfun)
        for (gimple_stmt_iterator i = gsi_start_bb(bb); !gsi_end_p(i); gsi_next(&i)) {
            gassign *g = dyn_cast<gassign *>(gsi_stmt(i));
            if (g && gimple_vdef(g) && gimple_assign_single_p(g) &&
                POINTER_TYPE_P(TREE_TYPE(gimple_assign_rhs1(g))))
                if (const Object *to = pointed_object(gimple_assign_rhs1(g)))
                    captured.insert(to);
        }
    }
    return captured.count(o) != 0;
}

/* Is it a null pointer, or the address of a string? */
static bool is_constant_address(tree p)
{
    return TREE_CODE(p) == INTEGER_CST ||
           (TREE_CODE(p) == ADDR_EXPR &&
            TREE_CODE(strip_components(TREE_OPERAND(p, 0))) == STRING_CST);
}

/* Can a call not change an object, as it does so through its arguments only, and none of them leads
 * there? */
bool Analysis::is_out_of_reach(gcall *g, const Object *o)
{
    tree fn = gimple_call_fndecl(g);
    if (!fn || gimple_call_chain(g) || (!changes_by_arguments(fn) && !is_own_in_fortran(o, fn)) ||
        is_captured(o))
        return false;
    attr_fnspec spec = gimple_call_fnspec(g);
    for (unsigned i = 0; i < gimple_call_num_args(g); i++) {
        tree p = gimple_call_arg(g, i);
        if (!POINTER_TYPE_P(TREE_TYPE(p)) || is_constant_address(p))
            continue;
        if (TREE_CODE(TREE_TYPE(TREE_TYPE(p))) == FUNCTION_TYPE)
            return false; /* which may be called */
        if (spec.known_p() && spec.arg_specified_p(i) && !spec.arg_maybe_written_p(i))
            continue;
        const Object *to = pointed_object(p);
        if (!to || objects_may_overlap(to, o))
            return false;
    }
    return true;
}

} // namespace pluss
