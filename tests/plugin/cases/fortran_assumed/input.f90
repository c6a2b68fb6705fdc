! SPDX-License-Identifier: GPL-3.0-or-later
subroutine jacobi(n, u, v, steps)
  integer, intent(in) :: n, steps
  real(4), intent(inout) :: u(:, :), v(:, :)
  integer :: i, j, t
  do t = 1, steps
    !$omp parallel do collapse(2)
    do j = 2, n - 1
      do i = 2, n - 1
        v(i, j) = u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)
      end do
    end do
    !$omp parallel do
    do j = n - 1, 2, -1
      do i = 2, n - 1, 2
        u(i, j) = v(i, j)
      end do
    end do
  end do
end subroutine
