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

#include <math.h>

#ifdef SCHEDULE
#define SCHEDULED schedule(SCHEDULE)
#define SCHEDULED_AS(...) schedule(SCHEDULE)
#else
#define SCHEDULED
#define SCHEDULED_AS(...) schedule(__VA_ARGS__)
#endif

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct particle {
    double x, y, z, vx, vy, vz, mass;
};

void kernel_2mm(int ni, int nj, int nk, int nl, double alpha, double beta, double tmp[ni][nj],
                double A[ni][nk], double B[nk][nj], double C[nj][nl], double D[ni][nl]);
void kernel_3mm(int ni, int nj, int nk, int nl, int nm, double E[ni][nj], double A[ni][nk],
                double B[nk][nj], double F[nj][nl], double C[nj][nm], double D[nm][nl],
                double G[ni][nl]);
void kernel_adi(int tsteps, int n, double rx, double ry, double u[n][n], double v[n][n],
                double p[n][n], double q[n][n]);
void kernel_atax(int m, int n, double A[m][n], double x[n], double y[n], double t[m]);
void kernel_bicg(int m, int n, double A[n][m], double s[m], double q[n], double p[m], double r[n]);
void kernel_correlation(int m, int n, double data[n][m], double corr[m][m], double mean[m],
                        double stddev[m]);
void kernel_covariance(int m, int n, double data[n][m], double cov[m][m], double mean[m]);
void kernel_deriche(int w, int h, double alpha, double in[w][h], double out[w][h], double y1[w][h],
                    double y2[w][h]);
void kernel_doitgen(int nq, int nr, int np, double A[nr][nq][np], double C[np][np],
                    double sum[nr][np]);
void kernel_fdtd_2d(int tmax, int nx, int ny, double ex[nx][ny], double ey[nx][ny],
                    double hz[nx][ny], double pulse[tmax]);
void kernel_gemm(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj],
                 double A[ni][nk], double B[nk][nj]);
void kernel_gemver(int n, double alpha, double beta, double A[n][n], double u1[n], double v1[n],
                   double u2[n], double v2[n], double w[n], double x[n], double y[n], double z[n]);
void kernel_gesummv(int n, double alpha, double beta, double A[n][n], double B[n][n], double t[n],
                    double x[n], double y[n]);
void kernel_gramschmidt(int m, int n, double A[m][n], double R[n][n], double Q[m][n]);
void kernel_heat_3d(int tsteps, int n, double A[n][n][n], double B[n][n][n]);
void kernel_jacobi_2d(int tsteps, int n, double A[n][n], double B[n][n]);
void kernel_lu(int n, double A[n][n]);
void kernel_mvt(int n, double x1[n], double x2[n], double y1[n], double y2[n], double A[n][n]);
void kernel_symm(int m, int n, double alpha, double beta, double C[m][n], double A[m][m],
                 double B[m][n]);
void kernel_syr2k(int n, int m, double alpha, double beta, double C[n][n], double A[n][m],
                  double B[n][m]);
void kernel_syrk(int n, int m, double alpha, double beta, double C[n][n], double A[n][m]);
void kernel_trmm(int m, int n, double alpha, double A[m][m], double B[m][n]);
void kernel_dct(int n, double C[n][n], double X[n][n], double tmp[n][n], double Y[n][n]);
void kernel_tce(int nv, int no, double A[no][no][no][no], double C1[nv][no], double C2[nv][no],
                double C3[nv][no], double C4[nv][no], double T1[nv][no][no][no],
                double T2[nv][nv][no][no], double T3[nv][nv][nv][no], double B[nv][nv][nv][nv]);
void kernel_anisotropic(int tsteps, int h, int w, double kappa, double rate, double u[h][w],
                        double east[h][w + 1], double south[h + 1][w]);
void kernel_harris(int h, int w, double k, double image[h][w], double dx[h][w], double dy[h][w],
                   double xx[h][w], double xy[h][w], double yy[h][w], double measure[h][w]);
void kernel_edgedetect(int h, int w, double image[h][w], double rows[h][w], double smooth[h][w],
                       double edge[h][w]);
void kernel_convolution(int nb, int no, int ni, int nh, int nw, int nk,
                        double in[nb][ni][nh + nk - 1][nw + nk - 1], double weight[no][ni][nk][nk],
                        double bias[no], double out[nb][no][nh][nw]);
void kernel_vgg(int nc, int nf, int h, int w, double in[nc][h + 2][w + 2],
                double weight1[nf][nc][3][3], double bias1[nf], double mid[nf][h + 2][w + 2],
                double weight2[nf][nf][3][3], double bias2[nf], double last[nf][h][w],
                double pool[nf][h / 2][w / 2]);
void kernel_cholesky(int n, double A[n][n]);
void kernel_durbin(int n, double r[n], double y[n], double z[n]);
void kernel_floyd_warshall(int n, double path[n][n]);
void kernel_jacobi_1d(int tsteps, int n, double A[n], double B[n]);
void kernel_ludcmp(int n, double A[n][n], double b[n], double x[n], double y[n]);
void kernel_nussinov(int n, char base[n], int most[n][n]);
void kernel_seidel_2d(int tsteps, int n, double A[n][n]);
void kernel_trisolv(int n, double L[n][n], double x[n], double b[n]);
void kernel_spmv(int n, int nnz, double y[n], double value[nnz], double x[n], int row[n + 1],
                 int col[nnz]);
void kernel_gemm_tiled(int ni, int nj, int nk, double alpha, double beta, double C[ni][nj],
                       double A[ni][nk], double B[nk][nj]);
void kernel_histogram(int n, int nbins, int key[n], int count[nbins]);
void kernel_lu_dynamic(int n, double A[n][n]);
void kernel_flattened(int n, int m, double T[m][n], double A[n][m], double x[n]);
void kernel_jacobi_swap(int tsteps, int n, double A[n][n], double B[n][n]);
void kernel_particles(int tsteps, int n, double dt, double soft, struct particle p[n]);
void kernel_kmeans(int steps, int n, int nc, int nf, double x[n][nf], double centre[nc][nf],
                   int nearest[n], double square[n]);
void kernel_option_prices(int steps, int n, double spot[n], double strike[n], double rate[n],
                          double volatility[n], double years[n], double price[n]);
void kernel_lu_blocked(int nb, double A[nb][nb][16][16]);

#endif
