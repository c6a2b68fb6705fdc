/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * particles: tsteps steps of n particles that attract each other: every velocity gains dt times the
 * sum over the others of mass d/(|d|^2 + soft^2)^(3/2), d the vector to the other particle, then
 * every position dt times its velocity. An array of structs.
 *
 * Two loops a time step, each parallel over the particles i: velocities, which read all positions
 * and masses and write the thread's own velocities, then positions.
 *
 * References (innermost: in one iteration of the innermost loop; in all: in the whole run):
 *   loop 1: 4 innermost, tsteps*n*(9 + 4*n) in all
 *   loop 2: 9 innermost, tsteps*9*n in all
 */
#include "kernels.h"

void kernel_particles(int tsteps, int n, double dt, double soft, struct particle p[n])
{
    for (int t = 0; t < tsteps; t++) {
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < n; i++) {
            double x = p[i].x, y = p[i].y, z = p[i].z, ax = 0.0, ay = 0.0, az = 0.0;
            for (int j = 0; j < n; j++) {
                double dx = p[j].x - x, dy = p[j].y - y, dz = p[j].z - z;
                double square = dx * dx + dy * dy + dz * dz + soft * soft;
                double pull = p[j].mass / (square * sqrt(square));
                ax += pull * dx;
                ay += pull * dy;
                az += pull * dz;
            }
            p[i].vx += dt * ax;
            p[i].vy += dt * ay;
            p[i].vz += dt * az;
        }
#pragma omp parallel for SCHEDULED
        for (int i = 0; i < n; i++) {
            p[i].x += dt * p[i].vx;
            p[i].y += dt * p[i].vy;
            p[i].z += dt * p[i].vz;
        }
    }
}
