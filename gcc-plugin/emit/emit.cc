/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nests are written into a section that is not loaded, as NUL-terminated strings that the linker
 * merges: equal ones from several objects (templates, inline functions) become one. The text is
 * written to the assembler file at the end of the unit, after all output of the compiler, so that
 * the program's code, data and numbering cannot depend on it. With -flto the object of this
 * compilation does not survive the link: there a top-level asm, which travels with the IR, has the
 * same text. If the link can describe its function again, a comment says first which one that is.
 *
 * A second section of the same kind maps linker symbols to nests: the symbol, a line end, and the
 * nest's line "region ...". The nest itself does not depend on linkage.
 */
#include "emit/emit.h"

#include "emit/apart.h"

namespace pluss
{

static const char nests_section[] = ".pluss.nests", symbols_section[] = ".pluss.symbols";

/* Written at the end of the unit. */
static std::vector<std::string> kept_nests, kept_symbols;

/* Of kept_nests, for top-level asms. */
struct Origin {
    uint64_t function;  /* its number in the unit */
    std::string symbol; /* its record; "": none */
};
static std::vector<Origin> origins;

static std::string taken_place; /* begins what a child sends */

/* Strings as .ascii lines of moderate length. The section that GCC believes to be in is restored.
 */
static std::string format_section(const char *section, const std::vector<std::string> &texts)
{
    std::string s = std::string("\t.pushsection ") + section + ",\"MS\",@progbits,1\n";
    size_t length = s.size();
    for (const std::string &t : texts)
        length += t.size() + t.size() / 4 + 64;
    s.reserve(length);
    for (const std::string &t : texts) {
        size_t column = 0;
        for (unsigned char c : t) {
            if (column == 0)
                s += "\t.ascii \"";
            if (c >= 32 && c < 127) {
                if (c == '"' || c == '\\')
                    s += '\\';
                s += c;
            } else {
                const char octal[] = {'\\', char('0' + c / 64), char('0' + c / 8 % 8),
                                      char('0' + c % 8)};
                s.append(octal, sizeof octal);
            }
            if (c == '\n' || ++column >= 200) {
                s += "\"\n";
                column = 0;
            }
        }
        if (column)
            s += "\"\n";
        s += "\t.byte 0\n";
    }
    return s + "\t.popsection\n";
}

/* The line that begins the region; a nest has one. */
static std::string find_heading(const std::string &text)
{
    size_t at = text.find("\nregion ");
    if (at == std::string::npos)
        return std::string();
    return text.substr(at + 1, text.find('\n', at + 1) - (at + 1));
}

static std::string symbol_record(const std::string &text, tree function)
{
    if (!DECL_ASSEMBLER_NAME_SET_P(function))
        return std::string();
    const char *name = IDENTIFIER_POINTER(DECL_ASSEMBLER_NAME(function));
    name += *name == '*'; /* set by asm("name") in the source: not to be prefixed */
    return std::string(name) + "\n" + find_heading(text);
}

std::string nest_place(const std::string &unit, uint64_t function)
{
    return "#pluss.nest " + unit + " " + std::to_string(function) + "\n";
}

void take_place(const std::string &place)
{
    taken_place = place;
}

/* In a link with -flto: after the first line, which names it, the new text of a nest that a unit
 * has left in a top-level asm. Its region keeps its name and place, which the map of symbols has.
 */
static void replace_nest(const std::string &message)
{
    const size_t line = message.find('\n') + 1;
    const std::string place = message.substr(0, line), text = message.substr(line);
    const std::string heading = format_section(nests_section, {find_heading(text) + "\n"});
    const size_t begin = heading.find("\t.ascii");
    const std::string lines = heading.substr(begin, heading.find("\t.byte 0\n") - begin);
    static const std::string end_of_section = "\t.popsection\n";
    for (asm_node *node = symtab->first_asm_symbol(); node; node = node->next) {
        if (!plussi_startswith(TREE_STRING_POINTER(node->asm_str), place.c_str()))
            continue;
        const std::string old(TREE_STRING_POINTER(node->asm_str),
                              TREE_STRING_LENGTH(node->asm_str));
        const size_t end = old.find(end_of_section);
        if (end == std::string::npos || old.find(lines) >= end)
            continue;
        const std::string changed =
            place + format_section(nests_section, {text}) + old.substr(end + end_of_section.size());
        node->asm_str = build_string(changed.size(), changed.c_str());
    }
}

void emit_nest(const std::string &text, tree function)
{
    if (send_nest(taken_place + text))
        return;
    if (in_lto_p) {
        replace_nest(text);
        return;
    }
    std::string symbol = symbol_record(text, function);
    kept_nests.push_back(text);
    origins.push_back({DECL_UID(function), symbol});
    if (!symbol.empty())
        kept_symbols.push_back(symbol);
}

void emit_for_link(const std::string &unit)
{
    if (!flag_lto || !flag_generate_lto)
        return;
    for (size_t i = 0; i < kept_nests.size(); i++) {
        std::string s = unit.empty() ? "" : nest_place(unit, origins[i].function);
        s += format_section(nests_section, {kept_nests[i]});
        if (!origins[i].symbol.empty())
            s += format_section(symbols_section, {origins[i].symbol});
        symtab->finalize_toplevel_asm(build_string(s.size(), s.c_str()));
    }
}

void emit_sections()
{
    if (!kept_nests.empty() && asm_out_file && !flag_syntax_only && !seen_error()) {
        fputs(format_section(nests_section, kept_nests).c_str(), asm_out_file);
        if (!kept_symbols.empty())
            fputs(format_section(symbols_section, kept_symbols).c_str(), asm_out_file);
    }
}

const std::vector<std::string> &emitted_nests()
{
    return kept_nests;
}

} // namespace pluss
