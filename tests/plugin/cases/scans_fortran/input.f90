! SPDX-License-Identifier: GPL-3.0-or-later
! Scans of a row each, over rows of their own.
subroutine scans(n, m, a, b)
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, m)
  real(8), intent(out) :: b(n, m)
  real(8) :: s
  integer :: i, j
  do j = 1, m
    s = 0
    !$omp parallel do reduction(inscan, +: s)
    do i = 1, n
      s = s + a(i, j)
      !$omp scan inclusive(s)
      b(i, j) = s
    end do
  end do
end subroutine
