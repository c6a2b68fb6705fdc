/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PLUSSI_REPORT_REASONS_H
#define PLUSSI_REPORT_REASONS_H

#include "report/result.h"
#include "report/sink.h"

/* The knees of the curve, with those of their reasons that make up 95 % of each, at most 6; nothing
 * where the curve has none. */
void plussi_report_reasons(const plussi_curve *curve, plussi_sink *sink);

#endif
