/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three dimensions in one. */
void blur(int nx, int ny, int nz, const float *a, float *b)
{
#pragma omp parallel for collapse(2) schedule(static)
    for (int i = 1; i < nx - 1; i++)
        for (int j = 1; j < ny - 1; j++)
            for (int k = 1; k < nz - 1; k++)
                b[(i * ny + j) * nz + k] =
                    a[((i - 1) * ny + j) * nz + k] + a[((i + 1) * ny + j) * nz + k] +
                    a[(i * ny + j - 1) * nz + k] + a[(i * ny + j + 1) * nz + k] +
                    a[(i * ny + j) * nz + k - 1] + a[(i * ny + j) * nz + k + 1];
}
