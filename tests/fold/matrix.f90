! SPDX-License-Identifier: GPL-3.0-or-later
subroutine smooth(n, m, a, b)
    integer :: n, m, i, j
    real(8) :: a(n, m), b(n, m)
    do j = 2, m - 1
        do i = 2, n - 1
            b(i, j) = a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)
        end do
    end do
end subroutine

program matrix
    integer :: n, m
    character(16) :: text
    real(8), allocatable :: a(:, :), b(:, :)
    call get_command_argument(1, text)
    read (text, *) n
    call get_command_argument(2, text)
    read (text, *) m
    allocate (a(n, m), b(n, m))
    a = 1
    b = 0
    call smooth(n, m, a, b)
    print *, sum(b)
end program
