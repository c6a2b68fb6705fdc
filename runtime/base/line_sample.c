/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/line_sample.h"

/* Newton's method: libpluss-rt does without the mathematical library. */
static double square_root(double x)
{
    double root = x > 1 ? x : 1, next = (root + x / root) / 2;
    while (next < root && next > 0) {
        root = next;
        next = (root + x / root) / 2;
    }
    return root;
}

double plussi_line_groups_error(const plussi_line_groups *groups)
{
    double at[PLUSSI_COARSE_BINS];
    return plussi_line_groups_errors(groups, at);
}

double plussi_line_groups_errors(const plussi_line_groups *groups, double at[PLUSSI_COARSE_BINS])
{
    double part[PLUSSI_LINE_GROUPS] = {0}, above[PLUSSI_LINE_GROUPS] = {0}, all = 0, sum = 0;
    double largest = 0;
    unsigned occupied = 0;
    for (unsigned g = 0; g < PLUSSI_LINE_GROUPS; g++) {
        for (unsigned bin = 0; bin < PLUSSI_COARSE_BINS; bin++)
            part[g] += groups->count[g][bin];
        all += part[g];
        occupied += part[g] > 0;
    }
    for (unsigned bin = 0; bin < PLUSSI_COARSE_BINS; bin++)
        at[bin] = 1;
    if (occupied < PLUSSI_LEAST_GROUPS)
        return 1;
    for (unsigned bin = PLUSSI_COARSE_BINS; bin-- > 0;) {
        double squares = 0;
        for (unsigned g = 0; g < PLUSSI_LINE_GROUPS; g++) {
            above[g] += groups->count[g][bin];
            sum += groups->count[g][bin];
        }
        for (unsigned g = 0; g < PLUSSI_LINE_GROUPS; g++) {
            const double apart = above[g] - sum / all * part[g];
            squares += apart * apart;
        }
        const double error =
            square_root(squares / (all * all) * PLUSSI_LINE_GROUPS / (PLUSSI_LINE_GROUPS - 1));
        at[bin] = error < 1 ? error : 1;
        largest = at[bin] > largest ? at[bin] : largest;
    }
    return largest;
}

void plussi_line_groups_merge(plussi_line_groups *to, const plussi_line_groups *from)
{
    for (unsigned g = 0; g < PLUSSI_LINE_GROUPS; g++)
        for (unsigned bin = 0; bin < PLUSSI_COARSE_BINS; bin++)
            to->count[g][bin] += from->count[g][bin];
}
