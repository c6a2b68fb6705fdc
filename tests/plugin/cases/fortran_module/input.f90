! SPDX-License-Identifier: GPL-3.0-or-later
module m
  implicit none
  real(8), allocatable :: x(:), y(:, :)
  real(8) :: table(10, 20)
  integer :: n
  type point
    real(8) :: p(3)
    integer :: k
  end type
  type(point) :: points(100)
contains
  subroutine gather(idx)
    integer, intent(in) :: idx(n)
    integer :: i, j
    !$omp parallel do private(j)
    do i = 1, n
      x(idx(i)) = x(idx(i)) + y(i, 2)
      points(i)%p(2) = points(i)%k
      do j = 1, 10
        table(j, i) = 0
      end do
    end do
  end subroutine

  subroutine whole()
    !$omp parallel workshare
    x = 2 * x
    !$omp end parallel workshare
  end subroutine
end module
