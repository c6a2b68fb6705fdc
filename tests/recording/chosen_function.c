/* SPDX-License-Identifier: GPL-3.0-or-later */
int chosen(int i);
int chosen(int i)
{
    return 2 * i;
}
