/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kernels' signatures, and how their parallel loops are scheduled.
 *
 * A parallel loop is written `#pragma omp parallel for SCHEDULED`. OpenMP expands macros in its
 * pragmas, so that file and line stay those of the source. By default SCHEDULED is empty and the
 * loop has no schedule clause (static, a block a thread); -DSCHEDULE=static,4 makes it
 * schedule(static,4), and -DSCHEDULE=runtime leaves the choice to OMP_SCHEDULE. SCHEDULED_AS(kind)
 * is for the kernels whose point is a schedule other than the default.
 */
#ifndef POLYBENCH_KERNELS_H
#define POLYBENCH_KERNELS_H

#ifdef SCHEDULE
#define SCHEDULED schedule(SCHEDULE)
#define SCHEDULED_AS(...) schedule(SCHEDULE)
#else
#define SCHEDULED
#define SCHEDULED_AS(...) schedule(__VA_ARGS__)
#endif

void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj],
                 double A[ni][nk], double B[nk][nj]);
void kernel_atax(int m, int n, double A[m][n], double x[n], double y[n], double t[m]);
void kernel_mvt(int n, double x1[n], double x2[n], double y1[n], double y2[n], double A[n][n]);
void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[ni][nj],
                double A[ni][nk], double B[nk][nj], double C[nj][nl], double D[ni][nl]);
void kernel_syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m]);
void kernel_jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n]);
void kernel_covariance(int m, int n, double data[n][m], double cov[m][m], double mean[m]);

#endif
