/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bound/binder.h"

static pluss_status bind_offset(plussi_binder *b, const plussi_scope *scope,
                                const plussi_node *decl, plussi_bound_ref *ref)
{
    plussi_fold fold = {&b->bound->arena, scope->dead ? NULL : scope};
    const plussi_cexpr *sum, *term;
    pluss_status status = plussi_fold_const(&fold, decl->u.ref.offset, &sum);
    for (uint32_t d = 0; d < ref->array->rank && !status; d++) {
        status = plussi_fold_scale(&fold, ref->array->stride[d], ref->sub[d], &term);
        if (!status)
            status = plussi_fold_add(&fold, sum, term, &sum);
    }
    if (status == PLUSS_ERANGE ||
        (!status && plussi_scope_knows(scope, sum) && !plussi_cexpr_safe(sum, scope->box)))
        return plussi_bind_fail(b, NULL, decl, PLUSS_ERANGE,
                                "the byte offset can overflow 64 bits");
    ref->offset = sum;
    return status;
}

/* Extends the range that references can touch in the array, and in arrays of which it is a view. */
static pluss_status note_range(plussi_binder *b, const plussi_scope *scope, const plussi_node *decl,
                               const plussi_bound_ref *ref)
{
    if (!plussi_scope_knows(scope, ref->offset))
        return PLUSS_OK;
    plussi_interval r = plussi_scope_range(scope, ref->offset);
    if (plussi_interval_empty(r)) /* contradictory guards */
        return PLUSS_OK;
    if (plussi_add_over(r.hi, (int64_t)ref->width, &r.hi))
        return plussi_bind_fail(b, NULL, decl, PLUSS_ERANGE,
                                "the byte offset can overflow 64 bits");
    plussi_bound_array *array = &b->bound->array[ref->array->id];
    bool first = array->lo_byte >= array->hi_byte;
    array->lo_byte = first ? r.lo : plussi_min64(array->lo_byte, r.lo);
    array->hi_byte = first ? r.hi : plussi_max64(array->hi_byte, r.hi);
    return PLUSS_OK;
}

static void warn_outside(plussi_binder *b, const plussi_scope *scope, const plussi_node *decl,
                         const plussi_bound_ref *ref)
{
    for (uint32_t d = 0; d < ref->array->rank; d++) {
        int64_t extent = ref->array->extent[d];
        if (extent < 0 || !plussi_scope_knows(scope, ref->sub[d]))
            continue;
        plussi_interval r = plussi_scope_range(scope, ref->sub[d]);
        if (plussi_interval_empty(r) || (r.lo >= 0 && r.hi < extent))
            continue;
        plussi_outside found = plussi_find_outside(scope, ref->sub[d], extent);
        if (found == PLUSSI_OUTSIDE_NEVER)
            continue;
        plussi_loc loc = plussi_bind_place(b, NULL, decl);
        plussi_report(b->ctx, PLUSSI_WARNING, PLUSS_OK, &loc,
                      "subscript %u of '%s' %s be %lld to %lld, its extent is %lld", d + 1,
                      ref->array->decl->name, found == PLUSSI_OUTSIDE_FOUND ? "can" : "may",
                      (long long)r.lo, (long long)r.hi, (long long)extent);
        return;
    }
}

pluss_status plussi_bind_ref(plussi_binder *b, const plussi_scope *scope, plussi_bound_node *node)
{
    const plussi_node *decl = node->decl;
    plussi_bound_ref *ref = &node->u.ref;
    ref->array = &b->bound->array[decl->u.ref.array->id];
    ref->write = decl->u.ref.write;
    ref->atomic = decl->u.ref.atomic;
    ref->width = decl->u.ref.width;
    b->bound->ref[decl->id] = node;
    int64_t offset = decl->u.ref.offset;
    if (ref->width == 0 && offset >= 0 && (uint64_t)offset < ref->array->elem_bytes)
        ref->width = ref->array->elem_bytes - (uint64_t)offset;
    if (offset < 0 || ref->width == 0 || ref->width > INT32_MAX || offset > INT32_MAX)
        return plussi_bind_fail(b, NULL, decl, PLUSS_ERANGE, "the bytes accessed are out of range");
    ref->sub = plussi_arena_alloc(&b->bound->arena, ref->array->rank + 1, sizeof *ref->sub);
    if (!ref->sub)
        return PLUSS_ENOMEM;
    for (uint32_t d = 0; d < ref->array->rank; d++) {
        pluss_status status = plussi_bind_expr(b, scope, decl->u.ref.subs[d], decl, &ref->sub[d]);
        if (status)
            return status;
    }
    pluss_status status = bind_offset(b, scope, decl, ref);
    if (!status)
        status = note_range(b, scope, decl, ref);
    if (!status)
        warn_outside(b, scope, decl, ref);
    return status;
}
