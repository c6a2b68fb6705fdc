/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSSI_OBJECT_ELF_SYMBOLS_H
#define PLUSSI_OBJECT_ELF_SYMBOLS_H

#include <gelf.h>
#include <libelf.h>

#include "object/object.h"

/* Looks the records from `first` on up in the object's table of symbols; a damaged table tells
 * nothing. O(symbols log records). */
void plussi_elf_symbols(Elf *elf, plussi_texts *texts, size_t first);

#endif
