#!/usr/bin/env bash
# The suites once more, under sanitizers.
cd "$(dirname "$0")/../.." && exec ci/sanitize.sh
