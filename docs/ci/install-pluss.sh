#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# install-pluss.sh: builds and installs pluss, with the packages that it needs (of Debian, Ubuntu and what is made of them), for
# the gcc that is there. Settings, from the environment:
#   PLUSS_REPOSITORY   address of its git repository
#   PLUSS_REVISION     a branch or tag (default: the repository's own branch)
#   PREFIX             where it goes (default: /usr/local)
set -eu
: "${PLUSS_REPOSITORY:?is the address of the git repository of pluss}" "${PREFIX:=/usr/local}"
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
git clone --quiet --depth 1 ${PLUSS_REVISION:+--branch "$PLUSS_REVISION"} "$PLUSS_REPOSITORY" "$source/pluss"
make -C "$source/pluss" all
make -C "$source/pluss" install PREFIX="$PREFIX"
