// SPDX-License-Identifier: GPL-3.0-or-later
// Range-for, iterators, std::array, std::span, operator() and operator[].
#include <vector>
#include <array>
#include <span>
#include <algorithm>
#include <cstddef>
struct M { int r, c; std::vector<double> d; double &operator()(int i, int j) { return d[i * c + j]; } const double &operator()(int i, int j) const { return d[i * c + j]; } };
struct M3 { int n, m; double *p; double &operator()(int i, int j, int k) const { return p[(i * n + j) * m + k]; } };
struct Row { double *p; double &operator[](int j) const { return p[j]; } };
struct V2 { double *p; int ld; Row operator[](int i) const { return Row{p + (long)i * ld}; } };
void range_for(std::vector<double> &a) {
#pragma omp parallel for
  for (auto &x : a) x *= 2;
}
void inner_range(std::vector<double> &a, const std::vector<double> &b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) { double s = 0; for (double x : b) s += x; a[i] = s; }
}
void rows_range(std::vector<std::vector<double>> &a) {
#pragma omp parallel for
  for (std::size_t i = 0; i < a.size(); i++) for (auto &x : a[i]) x = 1;
}
void iter(std::vector<double> &a) {
#pragma omp parallel for
  for (auto it = a.begin(); it != a.end(); ++it) *it = 1;
}
void iter_lt(std::vector<double> &a) {
#pragma omp parallel for
  for (auto it = a.begin(); it < a.end(); it += 2) *it = 1;
}
void arr(std::array<double, 64> &a, std::array<std::array<double, 8>, 8> &b) {
#pragma omp parallel for
  for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) b[i][j] = a[i * 8 + j];
}
void arr_range(std::array<double, 64> &a, double *q, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) for (double x : a) q[i] += x;
}
void spans(std::span<double> a, std::span<const double> b) {
#pragma omp parallel for
  for (std::size_t i = 0; i < a.size(); i++) a[i] += b[i];
}
void call_op(M &a, const M &b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a(i, j) += b(j, i);
}
void call_op3(M3 a, M3 b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) a(i, j, k) += b(k, j, i);
}
void sub2(V2 a, V2 b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[i][j] += b[j][i];
}
void fills(std::vector<double> &a, int n, int m) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) { std::fill(a.begin() + i * m, a.begin() + (i + 1) * m, 0.0); }
}
void std_max_elem(const std::vector<int> &len, std::vector<double> &a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) for (int j = 0; j < std::min(len[i], 10); j++) a[i] += j;
}
void std_swap(std::vector<double> &a, int n) {
#pragma omp parallel for
  for (int i = 0; i < n / 2; i++) std::swap(a[i], a[n - 1 - i]);
}
