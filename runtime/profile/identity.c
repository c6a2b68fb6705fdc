/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/identity.h"

void plussi_identity_free(const plussi_mem *mem, plussi_identity *id)
{
    for (size_t i = 0; i < id->n_values; i++)
        plussi_free(mem, id->values[i].name);
    plussi_free(mem, id->values);
    plussi_free(mem, id->region);
    plussi_free(mem, id->file);
    plussi_free(mem, id->engine);
    plussi_free(mem, id->schedule);
    *id = (plussi_identity){0};
}

pluss_status plussi_identity_copy(const plussi_mem *mem, const plussi_identity *id,
                                  plussi_identity *out)
{
    *out = *id;
    out->n_values = 0;
    out->values = plussi_calloc(mem, id->n_values, sizeof *out->values);
    pluss_status texts[] = {plussi_copy_text(mem, id->region, &out->region),
                            plussi_copy_text(mem, id->file, &out->file),
                            plussi_copy_text(mem, id->engine, &out->engine),
                            plussi_copy_text(mem, id->schedule, &out->schedule)};
    pluss_status status = out->values ? PLUSS_OK : PLUSS_ENOMEM;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; i++)
        status = texts[i];
    for (size_t i = 0; i < id->n_values && !status; i++) {
        plussi_value *value = &out->values[out->n_values++];
        value->value = id->values[i].value;
        status = plussi_copy_text(mem, id->values[i].name, &value->name);
    }
    if (status)
        plussi_identity_free(mem, out);
    return status;
}
