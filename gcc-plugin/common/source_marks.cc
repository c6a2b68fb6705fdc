/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/source_marks.h"

#include "common/items.h"

#include "c-family/c-pragma.h"
#include "plugin.h"

/* These are in the front ends of C and C++ alone. */
extern void c_register_pragma(const char *, const char *, pragma_handler_1arg)
    __attribute__((weak));
extern enum cpp_ttype pragma_lex(tree *, location_t *) __attribute__((weak));

namespace pluss
{

static std::vector<Mark> marks;

static bool read_schedule(const std::string &name, plussi_schedule_kind *out)
{
    static const std::map<std::string, plussi_schedule_kind> kinds = {
        {"static", PLUSSI_SCHED_STATIC},
        {"dynamic", PLUSSI_SCHED_DYNAMIC},
        {"guided", PLUSSI_SCHED_GUIDED}};
    auto it = kinds.find(name);
    if (it == kinds.end())
        return false;
    *out = it->second;
    return true;
}

/* What follows `parallel': nothing, or a schedule and perhaps a chunk, in parentheses. */
static bool parse_schedule(Mark *mark)
{
    tree x;
    enum cpp_ttype t = pragma_lex(&x, NULL);
    if (t == CPP_EOF)
        return true;
    if (t != CPP_OPEN_PAREN || pragma_lex(&x, NULL) != CPP_NAME ||
        !read_schedule(IDENTIFIER_POINTER(x), &mark->schedule))
        return false;
    t = pragma_lex(&x, NULL);
    if (t == CPP_COMMA) {
        if (pragma_lex(&x, NULL) != CPP_NUMBER || TREE_CODE(x) != INTEGER_CST ||
            !tree_fits_shwi_p(x) || tree_to_shwi(x) < 1)
            return false;
        mark->chunk = tree_to_shwi(x);
        t = pragma_lex(&x, NULL);
    }
    return t == CPP_CLOSE_PAREN && pragma_lex(&x, NULL) == CPP_EOF;
}

static void take_pragma(cpp_reader *)
{
    const location_t loc = input_location;
    const expanded_location at = expand_location(loc);
    Mark mark{at.file ? at.file : "", at.line, loc, PLUSSI_SCHED_NONE, 0};
    if (parse_schedule(&mark))
        marks.push_back(mark);
    else
        warning_at(loc, OPT_Wpragmas,
                   "%<#pragma pluss parallel%> takes a schedule, as in "
                   "%<parallel(static)%> or %<parallel(dynamic, 4)%>; ignored");
}

static void register_pragma(void *, void *)
{
    if (c_register_pragma && pragma_lex)
        c_register_pragma("pluss", "parallel", take_pragma);
}

void register_marks(const char *plugin)
{
    register_callback(plugin, PLUGIN_PRAGMAS, register_pragma, NULL);
}

/* The text after `!$pluss parallel'. */
static bool parse_fortran(const char *text, Mark *mark)
{
    char kind[16] = "", rest = 0;
    long chunk = 0;
    if (sscanf(text, " %c", &rest) < 1 || rest == '!')
        return true;
    int end = 0;
    if (sscanf(text, " ( %15[a-zA-Z] ) %n", kind, &end) < 1)
        return false;
    if (end == 0 && (sscanf(text, " ( %15[a-zA-Z] , %ld ) %n", kind, &chunk, &end) < 2 ||
                     end == 0 || chunk < 1))
        return false;
    std::string name = kind;
    for (char &c : name)
        c = TOLOWER(c);
    mark->chunk = chunk;
    return (text[end] == '\0' || text[end] == '!') && read_schedule(name, &mark->schedule);
}

void read_fortran_marks()
{
    static bool done;
    if (done || !lang_GNU_Fortran() || !main_input_filename)
        return;
    done = true;
    FILE *source = fopen(main_input_filename, "r");
    char *line = NULL;
    size_t room = 0;
    for (int number = 1; source && getline(&line, &room, source) >= 0; number++) {
        const char *at = line + strspn(line, " \t");
        const size_t word = sizeof "!$pluss parallel" - 1;
        if (strncasecmp(at, "!$pluss parallel", word) != 0)
            continue;
        Mark mark{main_input_filename, number, UNKNOWN_LOCATION, PLUSSI_SCHED_NONE, 0};
        if (parse_fortran(at + word, &mark))
            marks.push_back(mark);
        else
            warning(OPT_Wpragmas,
                    "%s:%d: %<!$pluss parallel%> takes a schedule, as in %<parallel(static)%> or "
                    "%<parallel(dynamic, 4)%>; ignored",
                    main_input_filename, number);
    }
    free(line);
    if (source)
        fclose(source);
}

bool has_marks()
{
    return !marks.empty();
}

const std::vector<Mark> &unit_marks()
{
    return marks;
}

void set_unit_marks(const std::vector<Mark> &of_unit)
{
    marks = of_unit;
}

std::vector<Mark> list_marks(function *fn)
{
    const expanded_location first = expand_location(DECL_SOURCE_LOCATION(fn->decl)),
                            last = expand_location(fn->function_end_locus);
    std::vector<Mark> found;
    for (const Mark &m : marks)
        if (first.file && m.file == first.file && m.line >= first.line && m.line <= last.line)
            found.push_back(m);
    return found;
}

/* Is there a jump backwards? */
static bool has_loop(const std::vector<gimple *> &all)
{
    std::set<tree> passed;
    for (gimple *g : all) {
        if (glabel *l = dyn_cast<glabel *>(g)) {
            passed.insert(gimple_label_label(l));
        } else if (gcond *c = dyn_cast<gcond *>(g)) {
            if (passed.count(gimple_cond_true_label(c)) || passed.count(gimple_cond_false_label(c)))
                return true;
        } else if (gimple_code(g) == GIMPLE_GOTO && passed.count(gimple_goto_dest(g))) {
            return true;
        }
    }
    return false;
}

bool asks_about_loops(function *fn, const std::vector<gimple *> &all)
{
    const bool asked = options.serial ? !fn || !DECL_IN_SYSTEM_HEADER(fn->decl)
                                      : has_marks() && fn && !list_marks(fn).empty();
    return asked && has_loop(all);
}

} // namespace pluss
