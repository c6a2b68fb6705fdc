! SPDX-License-Identifier: GPL-3.0-or-later
! An argument that is a constant is none of the program's memory; what it leads to is.
module constant_argument
real(8) :: g(0:2, 0:6)
contains
real(8) function element(i)
  integer(4), intent(in) :: i
  element = g(i * 2 / 3, 5 - i)
end function
subroutine f(n, s)
  integer(4), value :: n
  real(8) :: s
  integer(4) :: k
  !$omp parallel do reduction(+:s)
  do k = 1, n
    s = s + element(0) + element(3)
  end do
  !$omp end parallel do
end subroutine
end module
