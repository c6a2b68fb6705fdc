! SPDX-License-Identifier: GPL-3.0-or-later
! Small functions are kept for their callers; where a type's size is a variable, a copy would make a
! type of its own, which debugging information would show.
subroutine bar(q)
  integer :: q(19:), s
  s = 0
  call foo
contains
  subroutine foo
    integer :: i
    if (any(q /= 5)) s = 1
    !$omp parallel do
    do i = 1, 10
      q(i + 19) = s
    end do
  end subroutine
end subroutine
