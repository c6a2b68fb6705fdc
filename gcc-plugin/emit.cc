/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Nests go into a section that is not loaded, NUL-terminated strings that the linker merges: equal
 * ones from several objects (templates, inline functions) become one. The text is written to the
 * assembler file at the end of the unit, past everything that the compiler puts there itself, so
 * that nothing of the program's code, data or numbering can depend on it. Under -flto the object of
 * this compilation does not survive the link: there a top-level asm, which travels with the IR,
 * carries the same text.
 */
#include "emit.h"

namespace pluss
{

static std::vector<std::string> kept;

/* A string as .ascii lines of moderate length. */
static std::string assembler(const std::vector<std::string> &texts)
{
    std::string s = "\t.section .pluss.nests,\"MS\",@progbits,1\n";
    for (const std::string &t : texts) {
        size_t column = 0;
        for (unsigned char c : t) {
            if (column == 0)
                s += "\t.ascii \"";
            char buf[8];
            if (c == '"' || c == '\\')
                snprintf(buf, sizeof buf, "\\%c", c);
            else if (c >= 32 && c < 127)
                snprintf(buf, sizeof buf, "%c", c);
            else
                snprintf(buf, sizeof buf, "\\%03o", c);
            s += buf;
            if (c == '\n' || ++column >= 200) {
                s += "\"\n";
                column = 0;
            }
        }
        if (column)
            s += "\"\n";
        s += "\t.byte 0\n";
    }
    return s;
}

void emit_nest(const std::string &text)
{
    kept.push_back(text);
    if (flag_lto && flag_generate_lto) {
        std::string s = assembler({text}) + "\t.text\n";
        symtab->finalize_toplevel_asm(build_string(s.size(), s.c_str()));
    }
}

void emit_section()
{
    if (kept.empty() || !asm_out_file || flag_syntax_only || seen_error())
        return;
    fputs(assembler(kept).c_str(), asm_out_file);
    kept.clear();
}

} // namespace pluss
