! SPDX-License-Identifier: GPL-3.0-or-later
!
! As parts.F90, with the loops in a contained procedure, which reaches their variables through the frame of its host.
program host
  implicit none
  integer :: n, m, k
  real(8), allocatable :: a(:, :, :), v(:)
  n = 50 + command_argument_count()
  m = 40
  allocate (a(m, n, 4), v(m))
  a = 1
  call steps
  print *, sum(a)
contains
  subroutine get(level)
    integer, intent(in) :: level
    integer :: i
    do i = 1, m
      v(mod(i * 7, m) + 1) = level + i
    end do
    if (v(1) < 0) print *, v
  end subroutine

  subroutine steps
    integer :: i, j
    do k = 1, 4
      call get(k)
      if (v(1) > 1000) return
      !$omp parallel do schedule(static) private(j)
      do i = 1, n
        do j = 1, m
          a(j, i, k) = a(j, i, k) + v(j)
        end do
      end do
      !$omp end parallel do
    end do
  end subroutine
end program
