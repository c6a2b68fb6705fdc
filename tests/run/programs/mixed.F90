! SPDX-License-Identifier: GPL-3.0-or-later
!
! As mixed.c, in a module: assumed shapes, a list that is followed.
module steps
    implicit none
contains
    subroutine scale(a, b, by)
        real(8), intent(inout) :: a(:)
        real(8), intent(in) :: b(:), by
        integer :: i
        !$omp parallel do schedule(static)
        do i = 1, size(a)
            a(i) = a(i) * by + b(i)
        end do
    end subroutine

    subroutine follow(a, next, first, total)
        real(8), intent(in) :: a(:)
        integer, intent(in) :: next(:), first
        real(8), intent(inout) :: total
        integer :: list, at, n
        !$omp parallel do schedule(static) private(at, n) reduction(+:total)
        do list = 1, 64
            at = first + list
            n = 0
            do while (at > 0 .and. n < 100)
                total = total + a(at)
                at = next(at)
                n = n + 1
            end do
        end do
    end subroutine
end module

program mixed
    use steps
    implicit none
    integer, parameter :: n = 20000
    real(8), allocatable :: a(:), b(:)
    integer, allocatable :: next(:)
    real(8) :: total
    integer :: i
    allocate (a(n), b(n), next(n))
    do i = 1, n
        a(i) = i
        b(i) = 2 * i
        next(i) = mod(i * 7919 + 13, n) + 1
    end do
    total = 0
    do i = 0, 5
        call scale(a, b, .5d0)
        call follow(a, next, i * 100, total)
    end do
    print *, total
end program
