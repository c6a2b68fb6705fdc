#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `make site`: the pages of the tree as a site, $BUILD/site/html, by mkdocs-material, which goes into an environment of its own there
# (ci/site-requirements.txt, from PyPI). A link to a page or a heading that is not there is an error. The gallery's pictures are drawn by
# its commands, by the pluss in $BUILD.
set -eu
cd "$(dirname "$0")/.."
build=$(realpath "${BUILD:-build}")
site=$build/site
mkdir -p "$site"
if ! cmp -s ci/site-requirements.txt "$site/installed"; then
    python3 -m venv "$site/venv"
    "$site/venv/bin/pip" install -q --disable-pip-version-check -r ci/site-requirements.txt
    cp ci/site-requirements.txt "$site/installed"
fi
rm -rf "$site/pages"
mkdir -p "$site/pages"
git ls-files -z -- '*.md' docs polybench/results | xargs -0 cp --parents -t "$site/pages"
rm -rf "$site/bin" && mkdir "$site/bin" && ln -s "$build/pluss" "$site/bin/pluss"
LC_ALL=C.UTF-8 PATH=$site/bin:$PATH python3 ci/pictures.py "$site/pages/docs/gallery.md" docs/examples
sed "s|\.\./build/site|$site|" ci/mkdocs.yml >"$site/mkdocs.yml"
NO_MKDOCS_2_WARNING=1 "$site/venv/bin/mkdocs" build -q --strict -f "$site/mkdocs.yml"
echo "$site/html/index.html"
