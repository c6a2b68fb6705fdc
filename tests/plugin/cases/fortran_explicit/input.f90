! SPDX-License-Identifier: GPL-3.0-or-later
subroutine gemm(ni, nj, nk, alpha, a, b, c)
  implicit none
  integer, intent(in) :: ni, nj, nk
  real(8), intent(in) :: alpha, a(ni, nk), b(nk, nj)
  real(8), intent(inout) :: c(ni, nj)
  integer :: i, j, k
  !$omp parallel do private(i, k) schedule(static, 2)
  do j = 1, nj
    do k = 1, nk
      do i = 1, ni
        c(i, j) = c(i, j) + alpha * a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine

subroutine lower(n, l, x)
  integer, intent(in) :: n
  complex(4), intent(inout) :: l(0:n, 0:n), x(-5:n)
  integer :: i, j
  !$omp parallel do private(j)
  do i = n, 1, -1
    do j = i, n, 3
      l(j, i) = x(j - 1)
    end do
  end do
end subroutine
