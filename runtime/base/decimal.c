/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/decimal.h"

#include <math.h>

bool plussi_read_decimal(const char **text, double *out)
{
    const char *s = *text;
    double digits = 0;
    int exponent = 0, sign = 1, n = 0, given = 0;
    for (bool point = false; (*s >= '0' && *s <= '9') || (*s == '.' && !point); s++) {
        point = point || *s == '.';
        if (*s == '.')
            continue;
        digits = 10 * digits + (*s - '0');
        n++;
        exponent -= point;
    }
    if ((*s == 'e' || *s == 'E') && n > 0) {
        s++;
        sign = *s == '-' ? -1 : 1;
        s += *s == '-' || *s == '+';
        if (*s < '0' || *s > '9')
            return false;
        for (; *s >= '0' && *s <= '9' && given < 100; s++)
            given = 10 * given + (*s - '0');
    }
    exponent += sign * given;
    *out = exponent < 0 ? digits / pow(10, -exponent) : digits * pow(10, exponent);
    *text = s;
    return n > 0;
}
