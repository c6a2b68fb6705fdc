/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What libpluss-trace and the tool of valgrind (valgrind_tool/) share: names of functions, symbols
 * of a file, blocks of memory, numbers as text. No memory is allocated, and of the C library only
 * strlen, strncmp and strstr are called, which a tool of valgrind defines as its own.
 */
#ifndef PLUSSI_TRACER_TRACING_H
#define PLUSSI_TRACER_TRACING_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Blocks smaller than this are no objects; at most that many are. The stack has STACK bytes. */
enum {
    PLUSSI_TRACER_LEAST_BYTES = 64,
    PLUSSI_TRACER_BLOCKS = 1 << 14,
    PLUSSI_TRACER_STACK = 8 << 20
};

/* Writes value at to, without a zero after it; the end. base: 10 or 16. At most 20 characters. */
static inline char *plussi_tracer_put_number(char *to, uint64_t value, unsigned base)
{
    char digit[24];
    int n = 0;
    do
        digit[n++] = "0123456789abcdef"[value % base];
    while ((value /= base) > 0);
    while (n > 0)
        *to++ = digit[--n];
    return to;
}

/* Whether a symbol is the function of that name: of C, or the last of a path in C++ or Rust.
 * mangled: its length and name, as those have it; "": it is not looked for in them. */
static inline bool plussi_tracer_is_function(const char *symbol, const char *name,
                                             const char *mangled)
{
    size_t length = strlen(name);
    if (strncmp(symbol, name, length) == 0 && (symbol[length] == 0 || symbol[length] == '.'))
        return true; /* '.': GCC's copies */
    /* not one that has it as an argument or a crate */
    bool is_z = strncmp(symbol, "_Z", 2) == 0, is_r = strncmp(symbol, "_R", 2) == 0, it = false;
    for (const char *at = symbol; *mangled && !it && (at = strstr(at, mangled)); at++) {
        const char *after = at + strlen(mangled);
        it = (is_r && *after == 0 && at[-1] != '_') || /* Rust; before that as C++, with a hash */
             (is_z && (at == symbol + 2 || *after == 'E' || strncmp(after, "17h", 3) == 0));
    }
    return it;
}

/* Calls take with each function and variable that a file has an address for, `moved` added. image:
 * the file, whose headers are in order, as it has been executed. */
typedef void (*plussi_tracer_symbol_fn)(void *user, const char *name, uintptr_t address,
                                        size_t bytes, bool code);
static inline void plussi_tracer_read_symbols(const char *image, size_t length, uintptr_t moved,
                                              plussi_tracer_symbol_fn take, void *user)
{
    const ElfW(Ehdr) *head = (const void *)image;
    if (length < sizeof *head ||
        head->e_shoff + (size_t)head->e_shnum * sizeof(ElfW(Shdr)) > length)
        return;
    const ElfW(Shdr) *section = (const void *)(image + head->e_shoff);
    for (int s = 0; s < head->e_shnum; s++) {
        if (section[s].sh_type != SHT_SYMTAB || section[s].sh_link >= head->e_shnum)
            continue;
        const ElfW(Sym) *symbol = (const void *)(image + section[s].sh_offset);
        const ElfW(Shdr) *names = &section[section[s].sh_link];
        for (size_t i = 0; i < section[s].sh_size / sizeof *symbol; i++) {
            unsigned char type = ELF64_ST_TYPE(symbol[i].st_info);
            if ((type == STT_OBJECT || type == STT_FUNC) && symbol[i].st_shndx != SHN_UNDEF &&
                symbol[i].st_name < names->sh_size)
                take(user, image + names->sh_offset + symbol[i].st_name, moved + symbol[i].st_value,
                     symbol[i].st_size, type == STT_FUNC);
        }
    }
}

typedef struct plussi_tracer_block {
    uintptr_t address;
    size_t bytes;
    uint64_t before; /* accesses traced before it was allocated */
    uint32_t number; /* of blocks of any size that were allocated before it */
} plussi_tracer_block;

/* Whether no traced access can be in block number `at` of n, in the order of their allocation: none
 * of `accesses` followed its allocation, or none until a later block took its place. */
static inline bool plussi_tracer_is_unused(const plussi_tracer_block *block, uint32_t at,
                                           uint32_t n, uint64_t accesses)
{
    uintptr_t from = block[at].address, to = from + block[at].bytes;
    bool unused = block[at].before == accesses;
    for (uint32_t i = at + 1; i < n && !unused && block[i].before == block[at].before; i++)
        unused = block[i].address < to && block[i].address + block[i].bytes > from;
    return unused;
}

/* What a block is called: the word, and its number among blocks of any size, as sizes differ
 * between runs. What shared libraries took before the program's own code began, `n_at_start`
 * blocks, is counted apart: how many these are differs between their releases. */
static inline const char *plussi_tracer_block_name(const plussi_tracer_block *block,
                                                   uint32_t n_at_start, uint32_t *number)
{
    bool at_start = block->number < n_at_start;
    *number = at_start ? block->number + 1 : block->number - n_at_start + 1;
    return at_start ? "library_heap" : "heap";
}

#endif
