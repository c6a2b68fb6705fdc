#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Packages the crates with the C sources in them, under $BUILD/rust-package (the tree itself stays as it is), and builds
# each from its package, with the others' packages as its dependencies. Usage: bindings/rust/package.sh [CARGO OPTION...], e.g.
# --offline, or --no-verify to build none. Needs cargo 1.90, which packages crates that depend on each other.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath -m "${BUILD:-build}")
to=$build/rust-package
rm -rf "$to"
mkdir -p "$to"
for crate in pluss-sys pluss-macros pluss-rayon pluss-trace pluss cargo-pluss; do
    cp -R "bindings/rust/$crate" "$to/"
    sed -i 's/^include = \[/include = ["\/COPYING", "\/LICENSES", /' "$to/$crate/Cargo.toml"
done
cp bindings/rust/Cargo.toml bindings/rust/Cargo.lock "$to/"
cp COPYING "$to/pluss-sys/"
cp COPYING "$to/pluss/"
for crate in pluss-macros pluss-rayon pluss-trace cargo-pluss; do cp -R LICENSES "$to/$crate/"; done

vendor() { # CRATE FILE...
    mkdir -p "$to/$1/vendor"
    cp --parents "${@:2}" "$to/$1/vendor/"
}
shopt -s nullglob globstar
lib=()
for file in ffi/*.[ch] runtime/*.[ch] runtime/*/*.[ch]; do
    case $file in runtime/rt/* | runtime/valgrind_tool/*) ;; *) lib+=("$file") ;; esac
done
vendor pluss-sys "${lib[@]}"
# strings, as the Makefile has them
made=$to/pluss-sys/vendor/runtime
for end in c rs; do
    awk -v root=runtime -f runtime/codegen/prelude/embed.awk runtime/codegen/prelude/prelude.$end >"$made/codegen/prelude_$end.inc"
done
while read -r name file; do
    awk -v name="$name" -f runtime/report/page/embed.awk "$file" >"$made/report/$name.inc"
done <<'END'
page_css runtime/report/page/page.css
page_js runtime/report/page/page.js
uplot_css third_party/uplot/uPlot.min.css
uplot_js third_party/uplot/uPlot.iife.min.js
END
vendor pluss-sys third_party/uplot/LICENSE
vendor pluss-trace runtime/rt/*.[ch] runtime/base/{ctx,status,linemap,line_sample}.[ch] runtime/base/{arith,map}.h runtime/{team/dispatch,trace/format}.h

cd "$to"
export CARGO_TARGET_DIR=$build/rust-target
rm -f "$CARGO_TARGET_DIR"/package/*.crate
cargo package -q --workspace --allow-dirty "$@"
ls "$CARGO_TARGET_DIR"/package/*.crate
