#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of polybench/ have no data race.
exec "$(dirname "$0")/../../ci/tsan.sh"
