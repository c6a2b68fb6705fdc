/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/fold_nest.h"

plussi_expr *plussi_fold_operate(plussi_nest *nest, plussi_expr_kind kind, plussi_expr *x,
                                 plussi_expr *y)
{
    return plussi_expr_op(nest, kind, x, y, NULL);
}

static plussi_expr *quantity(plussi_nest *nest, const plussi_fold_fitter *fitter,
                             plussi_symbol *const *symbol, uint8_t at)
{
    const plussi_fold_quantity *q = &fitter->quantity[at];
    plussi_expr *size = plussi_expr_symbol(nest, symbol[q->size]);
    if (q->divisor == 1)
        return size;
    if (q->up)
        size = plussi_fold_operate(nest, PLUSSI_E_ADD, size, plussi_expr_int(nest, q->divisor - 1));
    return plussi_fold_operate(nest, PLUSSI_E_DIV, size, plussi_expr_int(nest, q->divisor));
}

plussi_expr *plussi_fold_add_product(plussi_nest *nest, plussi_expr *sum, int64_t factor,
                                     plussi_expr *product)
{
    plussi_expr_kind kind = sum && factor < 0 ? PLUSSI_E_SUB : PLUSSI_E_ADD;
    int64_t by = sum && factor < 0 ? -factor : factor;
    if (product && by != 1)
        product = plussi_fold_operate(nest, PLUSSI_E_MUL, plussi_expr_int(nest, by), product);
    else if (!product)
        product = plussi_expr_int(nest, by);
    return sum ? plussi_fold_operate(nest, kind, sum, product) : product;
}

plussi_expr *plussi_fold_express(plussi_nest *nest, const plussi_fold_fitter *fitter,
                                 plussi_symbol *const *symbol, const plussi_fold_poly *p,
                                 int64_t width)
{
    plussi_expr *sum = NULL;
    for (int turn = 0; turn < 2; turn++) /* what is added, then what is subtracted */
        for (uint32_t i = 0; i < p->n; i++) {
            const plussi_fold_summand *s = &p->summand[i];
            plussi_expr *product = NULL;
            if ((s->factor < 0) != turn)
                continue;
            for (uint32_t k = 0; k < s->degree; k++) {
                plussi_expr *factor = quantity(nest, fitter, symbol, s->quantity[k]);
                product =
                    product ? plussi_fold_operate(nest, PLUSSI_E_MUL, product, factor) : factor;
            }
            sum = plussi_fold_add_product(nest, sum, s->factor / width, product);
        }
    return sum && p->divisor > 1
               ? plussi_fold_operate(nest, PLUSSI_E_DIV, sum, plussi_expr_int(nest, p->divisor))
               : sum;
}
