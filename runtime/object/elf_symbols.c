/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSS_WITHOUT_ELF
#include "object/elf_symbols.h"

static Elf_Scn *symbol_table(Elf *elf, GElf_Shdr *header)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        if (gelf_getshdr(section, header) && header->sh_type == SHT_SYMTAB)
            return section;
    return NULL;
}

static bool defined_function(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

void plussi_elf_symbols(Elf *elf, plussi_texts *texts, size_t first)
{
    GElf_Shdr header;
    if (texts->n_linked == first)
        return;
    Elf_Scn *table = symbol_table(elf, &header);
    Elf_Data *data = table && header.sh_entsize > 0 ? elf_getdata(table, NULL) : NULL;
    if (!data)
        return;
    plussi_linked_sort(texts, first);
    bool locals = false;
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
        if (!defined_function(&symbol))
            continue;
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (!name)
            continue;
        locals = locals || GELF_ST_BIND(symbol.st_info) == STB_LOCAL;
        plussi_linked_found(texts, first, name);
    }
    if (locals)
        plussi_linked_rest_absent(texts, first);
}

#else
typedef int plussi_elf_symbols_unused;
#endif
