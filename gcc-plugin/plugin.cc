/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pluss.so: describes the parallel loops of a program while GCC compiles it.
 *
 *   gcc -fplugin=.../pluss.so [-fplugin-arg-pluss-OPTION=VALUE ...] -fopenmp -c x.c
 *
 *   mode=describe      write a nest for every function with parallel constructs into the section
 *                      .pluss.nests of the object file (default)
 *   mode=bind          that, and the program tells libpluss-rt what the symbols' values and the
 *                      arrays' addresses are whenever a nest's region runs (instrument.h)
 *   mode=time          that, and when its threads begin their iterations (timing.cc)
 *   mode=sample        as bind, and a sampler for each region (sample.h)
 *   mode=profile       as bind, and every access
 *   mode=auto          each region in the cheapest way that is right: as bind where the closed form
 *                      takes its nest, else as sample, and as profile where there is no sampler
 *   notes=on|off       notes about loops that are not described, or vectorised in another order
 *                      (default on)
 *   assume=on|off      take variables and fields not to be elements of arrays that are stored to,
 *                      nor to be changed by functions of other units that cannot name them (default
 *                      on)
 *   scalars=on|off|all also describe accesses to scalars that live in memory (default off); all:
 *                      also to those that a register would hold, in mode=describe (registers.cc)
 *   branches=on|off    branches that cannot be described have the probability that GCC estimates,
 *                      in mode=describe (default off)
 *   ops=on|off         also count operations (default off)
 *   serial=on|off      describe the outermost affine loops of code without OpenMP as if they were
 *                      parallel (analysis/serial.h); marked loops always are (default off)
 *   accesses=on|off    in mode=auto every region as in mode=profile, so that a run tells its whole
 *                      order (default off)
 *   whole=on|off|all   under -flto, describe at the link again what calls functions of other units
 *                      (default on); all: every function; in mode=describe
 *   dump=on|off        the shadow bodies on stderr (default off)
 *   report             a remark on each loop, and what this is of: threads=LIST, D-NAME=VALUE,
 *                      cache=LIST, machine=FILE, report-warn=LIMITS, report-error=LIMITS,
 *                      report-seconds=N, command=FILE (loop_remarks.h)
 *
 * One pass runs before GCC's omplower, where OpenMP constructs are still whole. For a function
 * that holds any it builds the shadow (shadow.h), analyses it (analysis.h), shapes the arrays
 * (shape.h), prints the nest (to-nest.h) and keeps it for the end of the unit (emit.h). The
 * function itself is only looked at, and the machine code is the same with and without the plugin,
 * unless the mode asks for more.
 *
 * In lto1 the bodies come without OpenMP constructs. The units have left them there as they were
 * (whole/units.h), and functions that call others of other units are described again.
 */
#include "analysis/analysis.h"
#include "analysis/serial.h"
#include "analysis/tidy.h"
#include "common/source_marks.h"
#include "common/statements.h"
#include "emit/apart.h"
#include "emit/emit.h"
#include "emit/loop_remarks.h"
#include "emit/note.h"
#include "emit/vectorized.h"
#include "instrument/instrument.h"
#include "instrument/loop_calls.h"
#include "sampler/sample.h"
#include "shadow/callee.h"
#include "shadow/dangling.h"
#include "shadow/effects.h"
#include "shadow/flatten.h"
#include "shape/shape.h"
#include "shape/to-nest.h"
#include "whole/units.h"

#include "plugin.h"

__attribute__((visibility("default"))) int plugin_is_GPL_compatible;

namespace pluss
{

Options options;

/* A part of a function. */
struct Part {
    gimple *construct;
    Region region;
    std::string nest;
    std::string reason;      /* why its accesses are recorded; "": its values alone are */
    bool by_contents = true; /* Analysis::by_contents */
};

/* A nest that says only that the function is not described, and why. */
static std::string print_bare_nest(Analysis &an, location_t loc, const std::string &why)
{
    Item *it = an.make_item(PLUSSI_N_UNKNOWN, loc);
    it->unknown = PLUSSI_UNKNOWN_CONTROL;
    it->reason = why;
    Shapes shapes(an);
    std::string ignored;
    note_loop(loc, "function not described: " + why);
    NestIndex unused;
    return nest_text(an, shapes, {it}, &ignored, &unused);
}

/* Makes items unknown that alone, in the constructs around them, make the nest invalid, so that one
 * of them does not cost the function. `all` holds `items`. */
static void refuse_invalid(const std::function<std::string()> &find_fault,
                           std::vector<Item *> *items)
{
    std::vector<Item *> all = *items;
    for (Item *it : all) {
        *items = {it};
        std::string fault = find_fault();
        if (fault.empty())
            continue;
        std::vector<Item *> body, orelse;
        body.swap(it->body);
        orelse.swap(it->orelse);
        bool inner = it->kind != PLUSSI_N_UNKNOWN && find_fault().empty();
        body.swap(it->body);
        orelse.swap(it->orelse);
        if (inner) {
            refuse_invalid(find_fault, &it->body);
            refuse_invalid(find_fault, &it->orelse);
            continue;
        }
        it->unknown = it->kind == PLUSSI_N_REF        ? PLUSSI_UNKNOWN_REFERENCE
                      : it->kind == PLUSSI_N_LOOP     ? PLUSSI_UNKNOWN_LOOP
                      : it->kind == PLUSSI_N_PARALLEL ? PLUSSI_UNKNOWN_CONSTRUCT
                                                      : PLUSSI_UNKNOWN_CONTROL;
        leave_out(it);
        it->kind = PLUSSI_N_UNKNOWN;
        it->reason = "the nest cannot say it: " + fault;
        it->a = nullptr;
        it->ref = nullptr;
        it->body.clear();
        it->orelse.clear();
    }
    *items = all;
}

static bool holds_construct(const std::vector<Item *> &items)
{
    return std::any_of(items.begin(), items.end(), [](const Item *it) {
        return it->construct || it->holds_parallel || holds_construct(it->body) ||
               holds_construct(it->orelse);
    });
}

/* Writes the nest of a function. True: it has a region, and *region is the plan for code in the
 * program. part: the nest is that of this parallel construct alone, and is put there. */
static bool analyse_function(function *fn, Region *region, SamplePlan *sample = nullptr,
                             Part *part = nullptr)
{
    const bool serial = !holds_parallel_work(fn); /* the shadow may change the body */
    Shadow shadow(fn, "", true, part ? part->construct : nullptr);
    if (shadow.ok())
        make_exchanged_registers(shadow);
    Analysis an(shadow);
    an.serial = serial;
    an.by_contents = !part || part->by_contents;
    location_t loc = DECL_SOURCE_LOCATION(fn->decl);
    std::string text;
    bool planned = false, bare = false;
    if (!shadow.ok()) {
        bare = true;
        text = print_bare_nest(an, loc, shadow.reason);
    } else {
        std::vector<Item *> top = an.build_tree();
        const bool reached = holds_construct(top);
        if (an.serial)
            make_parallel(an, fn, &top);
        tidy_tree(an, &top);
        order_references(&top);
        Shapes shapes(an);
        shapes.infer_shapes(top);
        if (part)
            shapes.move_arrays();
        if (!options.scalars)
            prune_items(an.ex, &top, [&](Ref *r) { return r->unneeded = shapes.is_scalar(r); });
        settle_swaps(an, shapes, &top);
        refuse_unplaced(shapes, &top);
        note_unknowns(top);
        if (top.empty()) {
            const char *why = reached ? "its parallel constructs access no array"
                                      : "its conditions lead past its parallel constructs";
            if (!an.serial && !part)
                note_loop(loc, std::string("function not described: ") + why);
            return false;
        }
        std::string reason;
        NestIndex index;
        text = nest_text(an, shapes, top, &reason, &index);
        if (text.empty()) {
            refuse_invalid(
                [&]() {
                    std::string fault;
                    NestIndex unused;
                    bool valid = !nest_text(an, shapes, top, &fault, &unused).empty();
                    return valid ? std::string() : fault;
                },
                &top);
            index = NestIndex();
            text = nest_text(an, shapes, top, &reason, &index);
            if (!text.empty())
                note_unknowns(top);
        }
        for (const Item *loop : index.loops)
            keep_place(loop->loc);
        if (text.empty()) {
            bare = true;
            text = print_bare_nest(an, loc, "its nest is not valid: " + reason);
        } else if (options.mode != Mode::Describe) {
            *region = plan_region(an, shapes, top, index);
            if (sample && !an.serial && !region->elsewhere)
                *sample = plan_sample(an, fn, *region, index);
            planned = true;
        }
    }
    if (part) {
        part->nest = text;
    } else if (!text.empty() && !(bare && describes_again())) {
        emit_nest(text, fn->decl);
        keep_place(loc);
    }
    if (options.mode == Mode::Describe)
        end_child();
    return planned;
}

static void describe_function(function *fn)
{
    Region unused;
    analyse_function(fn, &unused);
}

static std::string failure; /* why the last child failed */

static void describe_failure(function *fn)
{
    Shadow shadow(fn, failure);
    Analysis an(shadow);
    emit_nest(print_bare_nest(an, DECL_SOURCE_LOCATION(fn->decl), failure), fn->decl);
}

/* Nothing of the analysis stays in the compiler (apart.h), except with dump=on. */
static void describe_in_child(function *fn)
{
    if (options.dump) {
        describe_function(fn);
        return;
    }
    failure = run_in_child(describe_function, fn);
    if (!failure.empty())
        run_in_child(describe_failure, fn);
}

/* mode=auto: the function at hand has regions that neither the closed form nor a sampler takes. */
static bool needs_accesses;

/* Of callees' statements put in line, where a region is recorded access by access in any case and
 * not all that it does has a place in its order: the others record their accesses themselves,
 * without the places in the region. Regions that are not sampled, but described, have all of their
 * order. */
enum { FEW_INLINED_STMTS = 1000 };
static const char MANY_IN_LINE[] = "many statements are put in line"; /* a child's answer */
static unsigned inline_limit;                                         /* of the function at hand */

static const char RECORDED[] = "its accesses are recorded", BY_PARTS[] = "by parts"; /* likewise */

/* What a region does that no description has; "": nothing. */
static std::string find_lack(function *fn, const Region &r, const std::vector<Outside> &outside)
{
    if (calls_others(fn, r))
        return "it calls functions whose accesses are not described";
    return list_sites(fn, r, outside).empty() ? "" : "some of its accesses are not described";
}

static std::string find_reason(function *fn, const Region &r, const std::vector<Outside> &outside)
{
    const std::string lack = find_lack(fn, r, outside);
    if (!lack.empty())
        return lack;
    if (!r.closed_form)
        return "its addresses or branches depend on data";
    return r.changing ? "its loops depend on one around it" : "";
}

/* Is there little in it that only the run can tell, and can that be recorded in its order? The
 * nest's own references are in deeper loops. */
static bool is_nearly_described(function *fn, const Region &r, const std::vector<Outside> &outside)
{
    return !r.by_contents && !r.changing && r.filling.depth < r.depth && !calls_others(fn, r) &&
           can_fill(fn, r, outside);
}

/* Decides how a part is recorded; where it needs little more than its values, what that is. */
static bool plan_part(function *fn, Part *part)
{
    gimple_seq body = gimple_body(fn->decl);
    if (!analyse_function(fn, &part->region, nullptr, part) || part->region.elsewhere)
        return false;
    part->reason = find_reason(fn, part->region, list_outside(body, part->region.described));
    if (part->reason.empty())
        return true;
    Part other = {};
    other.construct = part->construct;
    other.by_contents = false;
    const bool notes = options.notes;
    options.notes = false; /* what it lacks is recorded */
    const bool planned = analyse_function(fn, &other.region, nullptr, &other);
    options.notes = notes;
    if (planned &&
        is_nearly_described(fn, other.region, list_outside(body, other.region.described))) {
        other.region.filling.alone = true;
        *part = other;
        note_loop(gimple_location(part->construct),
                  "region recorded by its values, and access by access where it depends on data");
    }
    return true;
}

/* Those of a function all of whose parallel work they hold, if they can be regions of their own and
 * some need their values alone. None: otherwise. outside: what none of them describes. */
static std::vector<Part> plan_parts(function *fn, unsigned n_inlined, std::vector<Outside> *outside)
{
    std::vector<Part> parts;
    std::set<gimple *> work;
    std::set<int> lines;
    const expanded_location at = expand_location(DECL_SOURCE_LOCATION(fn->decl));
    for (gimple *p : find_parallels(fn)) {
        const expanded_location begin = expand_location(gimple_location(p));
        work.insert(p);
        for (gimple *g : list_statements(gimple_omp_body(p)))
            work.insert(g);
        /* regions are known by their lines */
        if (!begin.file || !at.file || strcmp(begin.file, at.file) != 0 ||
            !lines.insert(begin.line).second)
            return {};
    }
    for (gimple *g : list_statements(gimple_body(fn->decl)))
        if (!work.count(g) && (begins_parallel_work(g) || is_other_team(g)))
            return {};
    std::set<MadeBy> described;
    for (gimple *p : find_parallels(fn)) {
        Part part = {};
        part.construct = p;
        if (!plan_part(fn, &part))
            return {};
        described.insert(part.region.described.begin(), part.region.described.end());
        parts.push_back(part);
    }
    *outside = list_outside(gimple_body(fn->decl), described);
    bool any = false;
    for (Part &p : parts) {
        any = any || p.reason.empty();
        if (n_inlined > FEW_INLINED_STMTS && !p.reason.empty() && !can_fill(fn, p.region, *outside))
            return {};
    }
    return any ? parts : std::vector<Part>();
}

/* Makes each parallel construct of the function a region: those that are described tell their
 * values, others and what is between them their accesses. */
static void record_parts(function *fn)
{
    const unsigned n_inlined = inline_calls(fn, inline_limit);
    std::vector<Outside> serial;
    std::vector<Part> parts = plan_parts(fn, n_inlined, &serial);
    if (parts.empty())
        return;
    send_answer(BY_PARTS);
    for (Part &p : parts) {
        emit_nest(p.nest, fn->decl);
        keep_place(DECL_SOURCE_LOCATION(fn->decl));
        const std::vector<Outside> sites = list_sites(fn, p.region, serial);
        std::set<gimple *> inside;
        for (const Outside &o : sites)
            inside.insert(o.stmt);
        serial.erase(std::remove_if(serial.begin(), serial.end(),
                                    [&](const Outside &o) { return inside.count(o.stmt) != 0; }),
                     serial.end());
        if (!p.reason.empty())
            note_loop(gimple_location(p.region.part),
                      "region recorded access by access, as " + p.reason);
        instrument(fn, p.region, p.reason.empty() ? Told::Values : Told::Accesses, nullptr, &sites);
    }
    record_serial(fn, serial);
}

/* Puts the calls of the mode into the function. */
static void record_function(function *fn)
{
    Region region;
    SamplePlan plan;
    const bool choosing = options.mode == Mode::Auto && !needs_accesses;
    unsigned n_inlined = 0;
    if (holds_parallel_work(fn) && (options.mode == Mode::Profile || options.mode == Mode::Auto))
        n_inlined = inline_calls(fn, inline_limit);
    bool sampled = options.mode == Mode::Sample || choosing;
    if (!analyse_function(fn, &region, sampled ? &plan : nullptr)) {
        if (options.mode == Mode::Auto)
            count_function(fn);
        return;
    }
    std::vector<Outside> outside;
    if (options.mode == Mode::Auto)
        outside = list_outside(gimple_body(fn->decl), region.described);
    /* Where no team of the function's own constructs executes it, its values are all that can be
     * told. */
    if (region.elsewhere && options.mode != Mode::Bind)
        note_loop(
            DECL_SOURCE_LOCATION(fn->decl),
            "region recorded by its values, as it holds target regions, teams, taskloops or scans");
    if (region.serial || region.elsewhere) {
        instrument(fn, region, Told::Values, nullptr,
                   options.mode == Mode::Auto ? &outside : nullptr);
        return;
    }
    const std::string lack = choosing ? find_lack(fn, region, outside) : "";
    /* of a sampler's walks it is not known what they did before another region, nor do they see
     * what that one stores */
    const bool around = choosing && plan.by_contents && surrounds_others(fn, region);
    const bool lacks = !lack.empty() || around || (choosing && options.accesses);
    if (!lack.empty() || around)
        note_loop(
            DECL_SOURCE_LOCATION(fn->decl),
            "region recorded access by access, as " +
                (lack.empty() ? "functions that may have regions are called in its midst" : lack));
    if ((!lack.empty() || around) && !options.accesses)
        send_answer(RECORDED);
    if (lacks && n_inlined > FEW_INLINED_STMTS && !can_fill(fn, region, outside))
        send_answer(MANY_IN_LINE);
    if (choosing && (plan.closed_form || lacks))
        sampled = false;
    if (sampled)
        slice_sample(fn, &plan);
    if (choosing && sampled)
        plan.data = true; /* the order of accesses is kept */
    instrument(fn, region,
               options.mode == Mode::Profile || needs_accesses || lacks ? Told::Accesses
               : options.mode == Mode::Time                             ? Told::Times
                                                                        : Told::Values,
               sampled ? &plan : nullptr, options.mode == Mode::Auto ? &outside : nullptr);
    if (choosing && sampled && !plan.reason.empty())
        send_answer(plan.reason);
}

/* Tries it in a child first: a fault or an endless search must not stop the compilation. */
static void record_if_possible(function *fn)
{
    needs_accesses = false;
    inline_limit = MAX_INLINED_STMTS;
    failure = options.dump ? "" : run_in_child(record_function, fn, false);
    std::string reason = child_answer();
    if (failure.empty() && !reason.empty() && options.mode == Mode::Auto && !options.accesses &&
        run_in_child(record_parts, fn, false).empty() && child_answer() == BY_PARTS) {
        record_parts(fn);
        return;
    }
    if (reason == RECORDED)
        reason.clear();
    if (failure.empty() && reason == MANY_IN_LINE) {
        inline_limit = FEW_INLINED_STMTS;
        failure = run_in_child(record_function, fn, false);
        reason = child_answer();
    }
    if (failure.empty() && !reason.empty()) {
        needs_accesses = true;
        note_loop(DECL_SOURCE_LOCATION(fn->decl),
                  "region recorded access by access, as it is not sampled: " + reason);
        failure = run_in_child(record_function, fn, false);
    }
    if (failure.empty())
        record_function(fn);
    else {
        run_in_child(describe_failure, fn);
        if (options.mode == Mode::Auto)
            count_function(fn);
    }
}

static bool describes_links()
{
    return options.mode == Mode::Describe && options.whole != Whole::Off;
}

/* Is the unit compiled for a link that describes again? */
static bool is_for_link()
{
    return flag_generate_lto && !in_lto_p && describes_links();
}

const pass_data describe_pass_data = {
    GIMPLE_PASS, "pluss", OPTGROUP_OMP, TV_PLUGIN_RUN, PROP_gimple_any, 0, 0, 0, 0};

class DescribePass : public gimple_opt_pass
{
  public:
    DescribePass() : gimple_opt_pass(describe_pass_data, g) {}
    bool gate(function *) final override
    {
        read_fortran_marks();
        return (flag_openmp || options.serial || has_marks() || is_for_link()) && !seen_error();
    }
    unsigned int execute(function *fn) final override
    {
        const bool work = holds_parallel_work(fn),
                   found = work || asks_about_loops(fn, list_statements(gimple_body(fn->decl)));
        note_effects(fn);
        if (is_for_link())
            offer_function(fn, found);
        /* one with parallel work of its own, for calls in parallel regions */
        if (!work || (options.mode == Mode::Describe && !TREE_PUBLIC(fn->decl)))
            keep_body(fn);
        if (!found) {
            if (options.mode == Mode::Auto)
                count_function(fn);
        } else if (options.mode == Mode::Describe)
            describe_in_child(fn);
        else
            record_if_possible(fn);
        return 0;
    }
};

static void finish_unit(void *, void *)
{
    emit_sections();
    report_nests(emitted_nests());
}

static void finish_analysis(void *, void *)
{
    emit_for_link(is_for_link() ? emit_unit() : "");
}

/* In lto1, before the first pass over the program. */
static void look_at_link(void *pass, void *)
{
    static bool done;
    if (done || flag_ltrans || strcmp(static_cast<opt_pass *>(pass)->name, "whole-program"))
        return;
    done = true;
    if (describes_links())
        describe_whole_program(describe_function);
}

static void mark_memory(void *, void *)
{
    mark_kept_bodies();
    mark_rt_functions();
}

static bool parse_switch(const plugin_argument &a, bool *out)
{
    if (a.value && !strcmp(a.value, "on"))
        *out = true;
    else if (a.value && !strcmp(a.value, "off"))
        *out = false;
    else {
        error("pluss: option %qs must be %<on%> or %<off%>", a.key);
        return false;
    }
    return true;
}

static bool parse_mode(const char *name, Mode *out)
{
    static const struct {
        const char *name;
        Mode mode;
    } modes[] = {{"describe", Mode::Describe}, {"bind", Mode::Bind},       {"time", Mode::Time},
                 {"sample", Mode::Sample},     {"profile", Mode::Profile}, {"auto", Mode::Auto}};
    for (auto &m : modes)
        if (name && !strcmp(name, m.name)) {
            *out = m.mode;
            return true;
        }
    return false;
}

static bool is_about_plugin(const cl_decoded_option &o, const plugin_name_args *info)
{
    size_t length = strlen(info->base_name);
    if (o.opt_index == OPT_fplugin_)
        return !strcmp(o.arg, info->full_name);
    return o.opt_index == OPT_fplugin_arg_ && !strncmp(o.arg, info->base_name, length) &&
           o.arg[length] == '-';
}

/* GCC does not count the second '=' of an argument, and those after it, as characters of its value,
 * whose end it then cuts off: the values are taken from the options as they were given. */
static void mend_values(plugin_name_args *info)
{
    std::vector<const char *> given;
    for (unsigned i = 0; i < save_decoded_options_count; i++)
        if (save_decoded_options[i].opt_index == OPT_fplugin_arg_ &&
            is_about_plugin(save_decoded_options[i], info))
            given.push_back(save_decoded_options[i].arg + strlen(info->base_name) + 1);
    for (int i = 0; i < info->argc && given.size() == (size_t)info->argc; i++) {
        plugin_argument &a = info->argv[i];
        const size_t length = strlen(a.key);
        if (a.value && !strncmp(given[i], a.key, length) && given[i][length] == '=')
            a.value = xstrdup(given[i] + length + 1);
    }
}

static bool parse_whole(const char *name, Whole *out)
{
    const bool on = name && !strcmp(name, "on"), all = name && !strcmp(name, "all");
    *out = on ? Whole::On : all ? Whole::All : Whole::Off;
    if (!on && !all && !(name && !strcmp(name, "off"))) {
        error("pluss: option %<whole%> must be %<on%>, %<off%> or %<all%>");
        return false;
    }
    return true;
}

static bool parse_options(plugin_name_args *info)
{
    static const struct {
        const char *name;
        bool *value;
    } switches[] = {{"notes", &options.notes},     {"assume", &options.assume},
                    {"scalars", &options.scalars}, {"branches", &options.branches},
                    {"ops", &options.ops},         {"serial", &options.serial},
                    {"dump", &options.dump},       {"accesses", &options.accesses}};
    for (int i = 0; i < info->argc; i++) {
        const plugin_argument &a = info->argv[i];
        bool known = false;
        const bool all = !strcmp(a.key, "scalars") && a.value && !strcmp(a.value, "all");
        if (!strcmp(a.key, "scalars"))
            options.registers = all;
        if (all)
            options.scalars = known = true;
        for (auto &s : switches)
            if (!all && !strcmp(a.key, s.name)) {
                known = true;
                if (!parse_switch(a, s.value))
                    return false;
            }
        if (!strcmp(a.key, "mode")) {
            known = true;
            if (!parse_mode(a.value, &options.mode)) {
                error("pluss: unknown mode %qs (there are: describe, bind, time, sample, profile, "
                      "auto)",
                      a.value ? a.value : "");
                return false;
            }
        }
        if (!strcmp(a.key, "whole")) {
            known = true;
            if (!parse_whole(a.value, &options.whole))
                return false;
        }
        if (!known && !take_report_option(a, &known))
            return false;
        if (!known) {
            error("pluss: unknown option %qs (there are: mode, notes, assume, scalars, branches, "
                  "ops, serial, accesses, whole, dump, report, report-warn, report-error, "
                  "report-seconds, threads, D-NAME, cache, machine, command)",
                  a.key);
            return false;
        }
    }
    if (options.accesses && options.mode != Mode::Auto)
        warning(0, "pluss: %<accesses=on%> does nothing but with %<mode=auto%>");
    /* What only a run without them can record. */
    options.registers &= options.mode == Mode::Describe;
    options.branches &= options.mode == Mode::Describe;
    return true;
}

/* Removes the options that load this plugin from the list that debugging information and LTO
 * objects contain: they say nothing about the code, and the plugin's path on this machine does not
 * belong in an object file. */
static void forget_arguments(const plugin_name_args *info)
{
    unsigned n = 0, others = 0;
    for (unsigned i = 0; i < save_decoded_options_count; i++)
        others += save_decoded_options[i].opt_index == OPT_fplugin_ &&
                  !is_about_plugin(save_decoded_options[i], info);
    for (unsigned i = 0; i < save_decoded_options_count; i++) {
        const cl_decoded_option &o = save_decoded_options[i];
        /* the driver adds it if there is any plugin */
        bool folder = o.opt_index == OPT_iplugindir_ && others == 0;
        if (!folder && !is_about_plugin(o, info))
            save_decoded_options[n++] = o;
    }
    save_decoded_options_count = n;
}

} // namespace pluss

/* `pluss cc` looks for this text in the file before it starts a compiler of another version, whose
 * loader would only complain about missing symbols. */
#define PLUSSI_TEXT_(x) #x
#define PLUSSI_TEXT(x) PLUSSI_TEXT_(x)
extern "C" __attribute__((visibility("default"), used)) const char pluss_plugin_built_for[] =
    "pluss plugin for gcc " PLUSSI_TEXT(GCCPLUGIN_VERSION_MAJOR) "." PLUSSI_TEXT(
        GCCPLUGIN_VERSION_MINOR) "." PLUSSI_TEXT(GCCPLUGIN_VERSION_PATCHLEVEL);

__attribute__((visibility("default"))) int plugin_init(plugin_name_args *info,
                                                       plugin_gcc_version *version)
{
    using namespace pluss;
    if (!plugin_default_version_check(version, &gcc_version)) {
        error("pluss: this plugin was built for GCC %s (%s), this is GCC %s (%s)",
              gcc_version.basever, gcc_version.datestamp, version->basever, version->datestamp);
        return 1;
    }
    static plugin_info about = {PLUSSI_VERSION,
                                "pluss: describes parallel loops; options: "
                                "mode=describe|bind|time|sample|profile|auto, notes=on|off, "
                                "assume=on|off, scalars=on|off|all, branches=on|off, ops=on|off, "
                                "serial=on|off, accesses=on|off, whole=on|off|all, dump=on|off, "
                                "report, report-warn=LIMITS, report-error=LIMITS, "
                                "report-seconds=N, threads=LIST, D-NAME=VALUE, cache=LIST, "
                                "machine=FILE, command=FILE"};
    register_callback(info->base_name, PLUGIN_INFO, NULL, &about);
    report_beside(info->full_name);
    mend_values(info);
    if (!parse_options(info))
        return 1;
    forget_arguments(info);
    if (!strcmp(lang_hooks.name, "GNU GIMPLE")) {
        register_callback(info->base_name, PLUGIN_PASS_EXECUTION, look_at_link, NULL);
        return 0;
    }
    register_pass_info pass;
    pass.pass = new DescribePass;
    pass.reference_pass_name = "omplower";
    pass.ref_pass_instance_number = 1;
    pass.pos_op = PASS_POS_INSERT_BEFORE;
    register_callback(info->base_name, PLUGIN_PASS_MANAGER_SETUP, NULL, &pass);
    if (options.mode != Mode::Describe) {
        register_dangling_names(info->base_name);
        register_loop_calls(info->base_name);
    }
    register_marks(info->base_name);
    if (options.notes)
        watch_vectorizer(info->base_name);
    register_callback(info->base_name, PLUGIN_ALL_IPA_PASSES_START, finish_analysis, NULL);
    register_callback(info->base_name, PLUGIN_FINISH_UNIT, finish_unit, NULL);
    register_callback(info->base_name, PLUGIN_GGC_MARKING, mark_memory, NULL);
    return 0;
}
