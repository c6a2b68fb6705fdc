! SPDX-License-Identifier: GPL-3.0-or-later
! Marked loops of Fortran.
program p
  implicit none
  integer :: n
  real(8) :: s
  n = 40
  call relax(n)
  call dot(n, s)
  print *, s
contains
  subroutine relax(n)
    integer, intent(in) :: n
    real(8) :: a(n, n), b(n, n)
    integer :: i, j, t
    b = 1
    do t = 1, 10
      !$pluss parallel(static, 2)
      do j = 2, n - 1
        do i = 2, n - 1
          a(i, j) = b(i - 1, j) + b(i, j + 1)
        end do
      end do
    end do
    print *, a(3, 3)
  end subroutine
  subroutine dot(n, s)
    integer, intent(in) :: n
    real(8), intent(out) :: s
    real(8) :: x(n)
    integer :: i
    x = 2
    s = 0
    !$pluss parallel
    do i = 1, n
      s = s + x(i) * x(i)
    end do
  end subroutine
end program
