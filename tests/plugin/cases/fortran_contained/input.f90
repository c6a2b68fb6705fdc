! SPDX-License-Identifier: GPL-3.0-or-later
! Contained procedures: at -O0 all have a hidden argument, for debuggers, whether they use it or not.
subroutine relax(u, v, n)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: u(n), v(n)
  integer :: i
  !$omp parallel do
  do i = 2, n - 1
    call smooth(u, v, i)
  end do
  !$omp end parallel do
contains
  subroutine smooth(x, y, k)
    real(8), intent(in) :: x(*)
    real(8), intent(inout) :: y(*)
    integer, value :: k
    y(k) = x(k - 1) + x(k + 1)
    call halve(y, k)
  end subroutine
  subroutine halve(y, k)
    real(8), intent(inout) :: y(*)
    integer, value :: k
    y(k) = y(k) / 2
  end subroutine
end subroutine
