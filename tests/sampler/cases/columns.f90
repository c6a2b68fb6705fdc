! SPDX-License-Identifier: GPL-3.0-or-later
! Explicit and assumed shape, a step, a triangle.
module columns
contains
  subroutine smooth(n, a, b)
    integer, intent(in) :: n
    double precision, intent(in) :: a(n, n)
    double precision, intent(out) :: b(n, n)
    integer :: i, j
    !$omp parallel do
    do j = 2, n - 1
      do i = 2, n - 1
        b(i, j) = a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)
      end do
    end do
  end subroutine

  subroutine triangle(x)
    double precision, intent(inout) :: x(:, :)
    integer :: i, j
    !$omp parallel do schedule(static, 2)
    do j = size(x, 2), 1, -3
      do i = 1, j
        x(i, j) = x(i, j) * 0.5d0 + x(j, i)
      end do
    end do
  end subroutine
end module

program main
  use columns
  double precision :: a(50, 50), b(50, 50)
  a = 1.25d0
  b = 0
  call smooth(50, a, b)
  call triangle(b)
  print '(es24.16)', sum(b)
end program
