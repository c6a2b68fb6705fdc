#!/usr/bin/env bash
# The rules of ci/lint.sh as tests.
cd "$(dirname "$0")/../.." && exec ci/lint.sh
