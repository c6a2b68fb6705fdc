! SPDX-License-Identifier: GPL-3.0-or-later
! Fortran: assumed and explicit shape, by reference.
subroutine add(a, b, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(:, :)
  real(8), intent(in) :: b(n, n)
  integer :: i, j
  !$omp parallel do schedule(static)
  do j = 1, n
    do i = 1, n
      a(i, j) = a(i, j) + b(i, j)
    end do
  end do
  !$omp end parallel do
end subroutine

program shapes
  implicit none
  interface
    subroutine add(a, b, n)
      integer, intent(in) :: n
      real(8), intent(inout) :: a(:, :)
      real(8), intent(in) :: b(n, n)
    end subroutine
  end interface
  real(8) :: a(20, 30), b(16, 16)
  a = 1
  b = 2
  call add(a(3:18, 5:20), b, 16)
  call add(a, b, 16)
  print *, sum(a)
end program
