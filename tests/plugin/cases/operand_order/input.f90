! SPDX-License-Identifier: GPL-3.0-or-later
! Operands of .and. and .or.: GCC puts a variable after others at -O0 alone.
module state
    integer :: first, start
    logical :: whole, again
end module
subroutine order(n, m, a, b)
    use state
    implicit none
    integer, intent(in) :: n, m
    real(8) :: a(n), b(n)
    integer :: i
    !$omp parallel do
    do i = 1, n
        if (whole .and. start == 2) a(i) = 1
        if (again .or. first > 3) b(i) = 2
        if (again .and. m > i .and. whole .and. i > 4) a(i) = b(i)
        if ((again .or. whole) .and. (n > 7 .or. whole)) b(i) = a(i)
        if (whole .and. (again .or. m < 3 .and. start == i)) a(i) = 3
        a(i) = merge(b(i), 0d0, whole .and. m > 2 .and. again)
        if (m > 0 .and. (i > 3 .and. again .or. again .and. i < 2)) b(i) = 1
    end do
end subroutine
