// SPDX-License-Identifier: GPL-3.0-or-later
#include "axpy.h"

static double x[64], y[64];
double left();

int main()
{
    Field{x, 64}.clear();
    fill(x, 64);
    axpy(64, 3.0, x, y);
    return left() + y[0] == 5 ? 0 : 1;
}
