! SPDX-License-Identifier: GPL-3.0-or-later
subroutine solo(n, a)
  integer, intent(in) :: n
  double precision, intent(inout) :: a(n)
  integer :: i
  !$omp parallel do
  do i = 1, n
    a(i) = a(i) * 2
  end do
end subroutine
