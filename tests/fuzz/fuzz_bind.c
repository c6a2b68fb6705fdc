/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Any nest with any numbers put in: binding refuses with a message, or gives a program in which
 * everything is in its place. The first bytes choose team, line size and the symbols' values, the
 * rest is the nest's text.
 */
#include "nest_target.h"

enum { CHOICES = 8 };

/* Small numbers, and now and then the ends of the range. */
static int64_t number(const uint8_t *choices, uint32_t i)
{
    static const int64_t odd[] = {0, -1, INT64_MAX, INT64_MIN, INT64_MAX / 2, 1 << 20};
    uint8_t choice = choices[3 + i % 5];
    return choice < 200 ? 1 + (choice + i) % 24 : odd[(choice + i) % 6];
}

static void check_array(const plussi_bound *bound, const plussi_bound_array *array, uint32_t i)
{
    int64_t end;
    require(array->id == i && array->decl->id == i, "arrays stand at their numbers");
    require(array->lo_byte <= array->hi_byte, "room is not negative");
    require(!__builtin_add_overflow(array->base, array->hi_byte, &end), "room has addresses");
    require(!array->is_private || array->copy_bytes % bound->line_bytes == 0,
            "private copies are whole lines apart");
}

static void check_bound(const plussi_bound *bound, const plussi_nest *nest)
{
    require(bound->n_refs == nest->n_refs && bound->n_loops == nest->n_loops &&
                bound->n_arrays == nest->n_arrays && bound->n_regions == nest->n_regions,
            "nothing is lost");
    for (uint32_t i = 0; i < bound->n_arrays; i++)
        check_array(bound, &bound->array[i], i);
    for (uint32_t i = 0; i < bound->n_refs; i++) {
        require(bound->ref[i]->kind == PLUSSI_N_REF && bound->ref[i]->id == i,
                "references stand at their numbers");
        require(bound->ref[i]->u.ref.touches >= 1 && bound->ref[i]->u.ref.width >= 1,
                "a reference touches something");
    }
    for (uint32_t i = 0; i < bound->n_loops; i++)
        require(bound->loop[i]->kind == PLUSSI_N_LOOP && bound->loop[i]->id == i &&
                    bound->loop[i]->u.loop.slot == 1 + bound->loop[i]->depth,
                "loops stand at their numbers");
}

static void bind(fuzz_nest *f)
{
    const uint8_t *choice = f->choice;
    plussi_bind_options options = {.team = 1 + choice[0] % 16,
                                   .line_bytes = 1u << choice[1] % 13,
                                   .binding = f->binding,
                                   .n_bindings = f->n_bindings,
                                   .schedule = (plussi_schedule_kind)(choice[2] % 4),
                                   .chunk = choice[2] / 16,
                                   .force_schedule = (choice[2] & 8) != 0};
    plussi_bound *bound = NULL;
    if (plussi_bind(&f->ctx, f->nest, &options, &bound) == PLUSS_OK) {
        check_bound(bound, f->nest);
        plussi_bound_free(bound);
    } else {
        require(f->ctx.n_diags > 0 && !bound, "no fault without a message");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    with_nest(data, size, CHOICES, number, bind);
    return 0;
}
