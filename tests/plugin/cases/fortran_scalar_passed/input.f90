! SPDX-License-Identifier: GPL-3.0-or-later
! A scalar that is passed to a procedure is not what an allocatable array's elements are stored over: its value is that
! of the last assignment, unless the procedure was called since.
subroutine refine(levels, first, last, x)
  integer, intent(in) :: levels, first(levels), last(levels)
  integer, intent(inout) :: x(*)
  integer, allocatable :: marked(:)
  integer :: ilev, n, i
  do ilev = 1, levels
    n = last(ilev) - first(ilev)
    allocate(marked(n))
    !$omp parallel do
    do i = 1, n
      marked(i) = x(i)
    end do
    !$omp parallel do
    do i = 1, n
      x(i) = marked(i)
    end do
    call split(marked, n)
    !$omp parallel do
    do i = 1, n
      x(i) = 0
    end do
    deallocate(marked)
  end do
end subroutine
