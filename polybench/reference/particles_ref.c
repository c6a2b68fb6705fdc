/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * particles's reference: each pair once, its force applied to both with opposite signs.
 */
#include "driver.h"

#define DT 0.001
#define SOFT 0.1

static void fill(const int *sz, void **mem)
{
    int n = sz[1];
    struct particle *p = mem[0];
    for (int i = 0; i < n; i++) {
        double *field = &p[i].x;
        for (unsigned f = 0; f < sizeof *p / sizeof *field; f++)
            field[f] = uniform_at(f, (unsigned)i);
    }
}

static void expect(const int *sz, void **mem)
{
    int tsteps = sz[0], n = sz[1];
    struct particle *p = mem[0];
    for (int t = 0; t < tsteps; t++) {
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++) {
                double d[] = {p[j].x - p[i].x, p[j].y - p[i].y, p[j].z - p[i].z};
                double pull = DT * pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFT * SOFT, -1.5);
                p[i].vx += p[j].mass * pull * d[0];
                p[i].vy += p[j].mass * pull * d[1];
                p[i].vz += p[j].mass * pull * d[2];
                p[j].vx -= p[i].mass * pull * d[0];
                p[j].vy -= p[i].mass * pull * d[1];
                p[j].vz -= p[i].mass * pull * d[2];
            }
        for (int i = 0; i < n; i++) {
            p[i].x += p[i].vx * DT;
            p[i].y += p[i].vy * DT;
            p[i].z += p[i].vz * DT;
        }
    }
}

static void run(const int *sz, void **mem)
{
    kernel_particles(sz[0], sz[1], DT, SOFT, mem[0]);
}

/* A velocity gains n terms a step, each of at most dt 0.4/soft^2 and with some 12 roundings;
 * positions and masses are about 1. What an error of the positions does to the pull is less than
 * that over so few steps. */
static double tolerance(const int *sz)
{
    return 0.04 * 12.0 * sz[1] * sz[0] * DBL_EPSILON;
}

const kernel_case the_case = {.name = "particles",
                              .symbols = {"tsteps", "n"},
                              .arrays = {{"p", "n", .result = true, .type = PARTICLE}},
                              .fill = fill,
                              .run = run,
                              .expect = expect,
                              .tolerance = tolerance};
