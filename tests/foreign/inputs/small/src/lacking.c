/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "nowhere/to_be_found.h"
#pragma omp threadprivate(nothing)
