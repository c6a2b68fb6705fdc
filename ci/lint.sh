#!/usr/bin/env bash
# Rules that a compiler does not check, and warnings as errors. Prints TAP; exit status 1 if any rule is broken.
set -u
cd "$(dirname "$0")/.."
failed=0
verdict() { # NAME, offending lines on stdin
    local lines
    lines=$(cat)
    if [ -z "$lines" ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' <<<"$lines" | head -n 40; failed=1; fi
}

sources() { git ls-files '*.c' '*.h' '*.cc'; }

# ---- who may include whom: docs/architecture.md, "Who may use whom" --------------------------------------------------
# folder: what it may include from runtime/ (itself always), folders or single headers
rules='base:
nest: base
bound: base nest
object: base nest
transform: base nest
codegen: base nest
team: base nest bound
trace: base nest bound team
sampler: base nest bound team
exact: base
symbolic: base nest
cache: base
profile: base nest bound team trace
model: base nest bound team trace exact cache sampler profile
cost: base nest bound team trace sampler
report: base nest bound cache profile
study: base nest bound object transform codegen team trace exact cache sampler profile model cost report symbolic
tracer: trace/watch.h trace/packed_format.h
valgrind_tool: tracer/tracing.h
rt: base team/dispatch.h trace/format.h'
while IFS=: read -r folder allowed; do
    [ -d "runtime/$folder" ] || continue
    grep -nE '^ *#include "[a-z_]+/' runtime/"$folder"/*.[ch] /dev/null | while IFS= read -r line; do
        header=$(sed -E 's/.*#include "([^"]+)".*/\1/' <<<"$line")
        case " $folder $allowed " in *" ${header%%/*} "* | *" $header "*) ;; *) echo "$line   ($folder may include: $folder $allowed)" ;; esac
    done
done <<<"$rules" | verdict "runtime/ folders include only what lies below them"

for model in $(ls runtime/model/*.h 2>/dev/null); do
    name=$(basename "$model" .h)
    # a model's own files share its prefix; pieces that are no models by themselves may be used by all
    case $name in model | nbd | racetrack | bins | compose | clock* | lines*) continue ;; esac
    grep -ln "#include \"model/$name.h\"" runtime/model/*.[ch] | grep -v "runtime/model/$name"
done | verdict "models do not know each other"

grep -nE '^ *#include "(base|nest|bound|object|transform|codegen|team|trace|exact|cache|sampler|profile|model|cost|report|study|rt)/' cli/*.[ch] /dev/null |
    verdict "the command sees ffi/pluss.h alone"
# the plugin's own stages, each may include those before it
stages='common:
emit: common
shadow: common emit
analysis: common emit shadow
shape: common emit shadow analysis
region: common emit shadow analysis shape
sampler: common emit shadow analysis shape region
instrument: common emit shadow analysis shape region sampler
whole: common emit shadow'
while IFS=: read -r folder allowed; do
    grep -nE '^ *#include "[a-z_]+/' gcc-plugin/"$folder"/* /dev/null | while IFS= read -r line; do
        target=$(sed -E 's/.*#include "([a-z_]+)\/.*/\1/' <<<"$line")
        case " $folder base nest $allowed " in *" $target "*) ;; *) echo "$line   ($folder may include: $folder base nest $allowed)" ;; esac
    done
done <<<"$stages" | verdict "the plugin's stages include only earlier ones, base/ and nest/"
grep -nE '^ *#include "(bound|object|transform|codegen|team|trace|exact|profile|model|cost|report|study|rt)/' gcc-plugin/plugin.cc /dev/null |
    verdict "the plugin sees base/ and nest/ alone"

python3 ci/includes.py | verdict "no files, and no folders of the product, depend on each other in a circle, and none lacks what is precompiled"

# ---- files -----------------------------------------------------------------------------------------------------------
sources | xargs -n1 basename | sort | uniq -d | grep -vxE 'input\.(c|cc|f90)' | verdict "file basenames are unique"
sources | xargs grep -L 'SPDX-License-Identifier' | verdict "every source file states its licence"
git ls-files | grep -E '\.(o|so|a|svg|png)$' | grep -vxE 'polybench/results/(gemm|bench-rust)\.svg|docs/report\.png' | verdict "no generated files are committed"
# docs/report.png is readme.png of `make screenshots`
find docs -name '*.png' -size +200k | verdict "recorded pictures are small"
git ls-files | grep -vE '^(COPYING|LICENSES/|polybench/(truth|results)/|tests/fuzz/corpus)' | xargs grep -nIE '[[:space:]]+$' -- 2>/dev/null |
    grep -v '^tests/.*\.expected' | cut -c1-120 | verdict "no trailing white space"
grep -nE '\b(abort|exit|_exit|printf|puts|getenv)\(' $(git ls-files 'runtime/*.c' | grep -vE '^runtime/(rt|tracer)/') /dev/null |
    grep -vE 'snprintf|vsnprintf|at_exit|on_exit|^runtime/codegen/prelude/' | verdict "the library never exits, prints or reads the environment"

if command -v clang-format-14 >/dev/null; then
    git ls-files 'runtime/*.[ch]' 'ffi/*.[ch]' 'cli/*.[ch]' 'tests/unit/*.[ch]' 'tests/oracle/*.[ch]' |
        xargs -P "$(nproc)" -n 60 clang-format-14 --dry-run -Werror 2>&1 | grep -E '(error|warning): ' | cut -d: -f1 | sort -u | verdict "clang-format has nothing to change"
fi

ci/release.sh --numbers | grep "^not ok" | verdict "VERSION is what all files of the tree say"
python3 ci/links.py | verdict "links of pages lead to pages and headings that are there"

for sums in third_party/*/SHA256SUMS; do
    (cd "$(dirname "$sums")" && sha256sum --quiet -c SHA256SUMS 2>&1 && ls | grep -vxF SHA256SUMS | grep -vxFf <(sed 's/^[0-9a-f]*  //' SHA256SUMS))
done | verdict "sources of others are as they were published, all of them"

# ---- what the build says ---------------------------------------------------------------------------------------------
# In the one build there is: what was compiled there without a warning stays so, warnings being errors. In ci/check.sh it has been
# made already, as nothing may be linked while others run it.
if [ -n "${PLUSS_TIER:-}" ]; then
    make -q BUILD="${BUILD:-build}" products tests >/dev/null 2>&1 || echo "sources have changed since the tests began: products and tests are to be made anew"
else
    make --no-print-directory -s -j"$(nproc)" BUILD="${BUILD:-build}" products tests 2>&1 | grep -E '(error|warning): | Error ' | head -n 40
fi | verdict "compiles without warnings"
sources | ci/syntax.sh | verdict "every C file and every header by itself compiles without warnings"
python3 ci/unused.py "${BUILD:-build}" | verdict "no function of the product is called by tests alone, or by nobody"

# ---- the project speaks of itself alone ------------------------------------------------------------------------------
git ls-files | grep -vE '^ci/lint.sh$|^COPYING$|^LICENSES/' | xargs grep -nIE '/work/|/root/|https?://[^ ]*(artifact|mirror|proxy)' -- 2>/dev/null |
    cut -c1-160 | verdict "no path of a machine, no registry host"
exit $failed
