#!/usr/bin/env bash
# The rules of ci/lint.sh as tests.
# Tier: check, limit 600 s
cd "$(dirname "$0")/../.." && exec ci/lint.sh
