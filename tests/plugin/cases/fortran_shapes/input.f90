! SPDX-License-Identifier: GPL-3.0-or-later
! Lower bounds, allocatables, array expressions, derived types, DO CONCURRENT's neighbours.
module store
  implicit none
  type point
     real(8) :: x, y
     integer :: tag
  end type point
  real(8), allocatable :: grid(:, :)
  type(point) :: points(100)
end module store

subroutine shapes(n, m, a, b)
  use store
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(inout) :: a(0:n, -1:m)
  complex(8), intent(in) :: b(n, m)
  integer :: i, j
  !$omp parallel do private(i) collapse(2)
  do j = 1, m
     do i = 1, n
        a(i, j) = real(b(i, j)) + grid(i, j)
     end do
  end do
  !$omp end parallel do
  !$omp parallel do schedule(static, 2)
  do i = 1, 100, 3
     points(i)%y = points(i)%x
  end do
  !$omp end parallel do
  !$omp parallel do
  do j = m, 1, -1
     a(:, j) = 0
  end do
  !$omp end parallel do
end subroutine shapes
