! SPDX-License-Identifier: GPL-3.0-or-later
module supplies
  implicit none
  real(8) :: x(1000)
end module supplies
