#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Table 6.1 of Cascaval's thesis over code that others wrote: time_coverage.py of all sources with OpenMP loops that compile by
# themselves, a row a package. CSV.
#   polybench/time_coverage_foreign.sh FOLDER...     (a folder: a package, as tests/foreign/fetch.sh leaves it)
# BUILD: where pluss and pluss.so are; MOST: so many sources of a package (40); FLAGS: more of the compiler's (-DOPENMP for fasttree).
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath -m "${BUILD:-$top/build}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rows=$work/rows.csv
for folder; do
    package=$(basename "$folder")
    mkdir "$work/$package"
    includes=()
    while IFS= read -r header; do includes+=("-I$header"); done < <(find "$folder" -name '*.h' -printf '%h\n' | sort -u | head -n 60)
    while IFS= read -r source; do
        object=$work/$package/$(basename "$source").o
        case $source in *.c) compiler=gcc ;; *) compiler=g++ ;; esac
        timeout 400 "$compiler" -w -O2 -fopenmp "-fplugin=$build/pluss.so" -fplugin-arg-pluss-ops=on -fplugin-arg-pluss-notes=off \
            -fplugin-arg-pluss-branches=on ${FLAGS:-} "${includes[@]}" -c "$source" -o "$object" 2>/dev/null || rm -f "$object"
    done < <(grep -rlE '#pragma omp.*(for|parallel)' --include='*.c' --include='*.cc' --include='*.cpp' "$folder" | sort | head -n "${MOST:-40}")
    objects=$(find "$work/$package" -name '*.o' | wc -l)
    with=()
    for object in "$work/$package"/*.o; do
        "$build/pluss" nests "$object" >/dev/null 2>&1 && with+=("$object")
    done
    [ ${#with[@]} -eq 0 ] || "$top/polybench/time_coverage.py" "$build/pluss" "${with[@]}" | sed -n "s/^all,/$package,$objects,/p" >>"$rows"
done
echo "package,sources,loops,full,partial,not available,profiling"
touch "$rows"
cat "$rows"
awk -F, '{ for (i = 2; i <= NF; i++) sum[i] += $i } END { printf "all"; for (i = 2; i <= NF; i++) printf ",%d", sum[i]; print "" }' "$rows"
