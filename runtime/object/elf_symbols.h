/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSSI_OBJECT_ELF_SYMBOLS_H
#define PLUSSI_OBJECT_ELF_SYMBOLS_H

#include <gelf.h>
#include <libelf.h>

#include "object/object.h"

/* Looks up the records from `first` on in the object's symbol table; a damaged table decides
 * nothing. O(symbols log records). */
void plussi_elf_symbols(Elf *elf, plussi_texts *texts, size_t first);

#endif
