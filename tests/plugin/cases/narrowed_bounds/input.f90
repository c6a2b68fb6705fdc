! SPDX-License-Identifier: GPL-3.0-or-later
! Bounds of 32 bits made of numbers of 64: GCC makes (unsigned)n * 4294967294 of -2 * n.
subroutine kern(n, m, k, a) bind(c)
  integer(8), value :: n, m, k
  integer(4) :: a(0:*)
  integer(4) :: i, j, l
  !$omp parallel do collapse(2)
  do i = int((-2) * n, 4), int(m - 2, 4), 3
  do j = int(k, 4), int(1, 4), -3
    a(i + 2 * n) = 1
    do l = int(m, 4), int(n, 4), -2
      a(l) = 2
    end do
  end do
  end do
end subroutine
