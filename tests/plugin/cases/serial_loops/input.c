/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Code without OpenMP, its outermost affine loops as if they were parallel (serial=on). */
#define N 200
double A[N][N], B[N][N], C[N][N], x[N], y[N];
int row[N + 1], col[N * N];

void gemm(int n)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                C[i][j] += A[i][k] * B[k][j];
}

double steps(int t)
{
    double sum = 0;
    for (int s = 0; s < t; s++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                B[i][j] = A[i - 1][j] + A[i + 1][j];
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                A[i][j] = B[i][j];
    }
    for (int i = 0; i < N; i++)
        sum += x[i];
    return sum;
}

void windows(int n)
{
    for (int i = 0; i < n; i++) {
        double w[16];
        for (int j = 0; j < 16; j++)
            w[j] = x[i + j];
        for (int j = 0; j < 16; j++)
            y[i] += w[j] * w[15 - j];
    }
}

int converge(double eps)
{
    int rounds = 0;
    double e;
    do {
        e = 0;
        for (int i = 1; i < N - 1; i++) {
            y[i] = (x[i - 1] + x[i + 1]) / 2;
            e += y[i] - x[i];
        }
        for (int i = 1; i < N - 1; i++)
            x[i] = y[i];
        rounds++;
    } while (e > eps);
    return rounds;
}

int length(const char *s)
{
    int n = 0;
    while (s[n])
        n++;
    return n;
}

/* A sum in memory stands in no loop's way; a list does, in the loops around it alone. */
struct list {
    struct list *next;
    double v;
};
void totals(double *total, struct list *l, int n)
{
    for (int i = 0; i < n; i++)
        *total += x[i];
    for (; l; l = l->next)
        for (int i = 0; i < n; i++)
            y[i] += l->v;
}
