! SPDX-License-Identifier: GPL-3.0-or-later
subroutine user(n)
  use supplies
  implicit none
  integer, intent(in) :: n
  integer :: i
  !$omp parallel do
  do i = 1, n
     x(i) = 0
  end do
end subroutine user
