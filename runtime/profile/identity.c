/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/identity.h"

#include <string.h>

void plussi_identity_free(const plussi_mem *mem, plussi_identity *id)
{
    for (size_t i = 0; i < id->n_values; i++)
        plussi_free(mem, id->values[i].name);
    plussi_free(mem, id->values);
    plussi_free(mem, id->region);
    plussi_free(mem, id->file);
    plussi_free(mem, id->engine);
    plussi_free(mem, id->schedule);
    for (size_t i = 0; i < id->progress.n; i++)
        plussi_free(mem, id->progress.number[i].name);
    plussi_free(mem, id->progress.number);
    plussi_free(mem, id->progress.law);
    plussi_free(mem, id->progress.from);
    plussi_free(mem, id->progress.source);
    *id = (plussi_identity){0};
}

pluss_status plussi_law_told_add(const plussi_mem *mem, plussi_law_told *told, const char *name,
                                 double value)
{
    plussi_number *list = plussi_realloc(mem, told->number, told->n + 1, sizeof *list);
    if (!list)
        return PLUSS_ENOMEM;
    told->number = list;
    list[told->n].value = value;
    pluss_status status = plussi_copy_text(mem, name, &list[told->n].name);
    told->n += !status;
    return status;
}

pluss_status plussi_identity_copy(const plussi_mem *mem, const plussi_identity *id,
                                  plussi_identity *out)
{
    *out = *id;
    const plussi_law_told *law = &id->progress;
    out->n_values = 0;
    out->progress = (plussi_law_told){0};
    out->values = plussi_calloc(mem, id->n_values, sizeof *out->values);
    pluss_status texts[] = {plussi_copy_text(mem, id->region, &out->region),
                            plussi_copy_text(mem, id->file, &out->file),
                            plussi_copy_text(mem, id->engine, &out->engine),
                            plussi_copy_text(mem, id->schedule, &out->schedule),
                            plussi_copy_text(mem, law->law, &out->progress.law),
                            plussi_copy_text(mem, law->from, &out->progress.from),
                            plussi_copy_text(mem, law->source, &out->progress.source)};
    pluss_status status = out->values ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
        status = texts[i];
    for (size_t i = 0; i < id->n_values && !status; i++) {
        plussi_value *value = &out->values[out->n_values++];
        value->value = id->values[i].value;
        status = plussi_copy_text(mem, id->values[i].name, &value->name);
    }
    for (size_t i = 0; i < law->n && !status; i++)
        status =
            plussi_law_told_add(mem, &out->progress, law->number[i].name, law->number[i].value);
    if (status)
        plussi_identity_free(mem, out);
    return status;
}

bool plussi_identity_same_values(const plussi_identity *a, const plussi_identity *b)
{
    if (a->n_values != b->n_values)
        return false;
    for (size_t i = 0; i < a->n_values; i++)
        if (strcmp(a->values[i].name, b->values[i].name) != 0 ||
            a->values[i].value != b->values[i].value)
            return false;
    return true;
}
