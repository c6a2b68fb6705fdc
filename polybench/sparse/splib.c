/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Five sparse routines after Cascaval's thesis, section 6.2.1 (its loops are those of SpLib): the
 * product of a matrix in compressed rows and a vector, the scaling of its columns so that the
 * diagonal is one, the same undone for the matrix and for a vector, and the forward and the
 * backward solve of a triangular factorisation. Arrays have fixed sizes, as in Fortran 77.
 *
 * -DN=rows -DNNZ=non-zero elements; without them the thesis's small matrix. ../sparse.py makes the index arrays.
 */
#ifndef N
#define N 1128
#define NNZ 13360
#endif

double a[NNZ], x[N], y[N], w[N];
int ia[N + 1], ja[NNZ], diagonal[N];

void product(void);
void scaling(void);
void unscaling(void);
void unscaling_vector(void);
void forward(void);
void backward(void);

void product(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        y[i] = 0;
        for (int k = ia[i]; k < ia[i + 1]; k++)
            y[i] += a[k] * x[ja[k]];
    }
}

void scaling(void)
{
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++)
            w[i] = 1 / a[diagonal[i]];
#pragma omp for
        for (int i = 0; i < N; i++)
            for (int k = ia[i]; k < ia[i + 1]; k++)
                a[k] *= w[ja[k]];
    }
}

void unscaling(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        for (int k = ia[i]; k < ia[i + 1]; k++)
            a[k] /= w[ja[k]];
}

void unscaling_vector(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        x[i] *= w[i];
}

/* Of row i the elements before the diagonal are the lower factor's; its diagonal is one. */
void forward(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < N; i++) {
        x[i] = y[i];
        for (int k = ia[i]; k < diagonal[i]; k++)
            x[i] -= a[k] * x[ja[k]];
    }
}

/* Those from the diagonal on are the upper factor's, the diagonal inverted. */
void backward(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = N - 1; i >= 0; i--) {
        for (int k = diagonal[i] + 1; k < ia[i + 1]; k++)
            x[i] -= a[k] * x[ja[k]];
        x[i] *= a[diagonal[i]];
    }
}
