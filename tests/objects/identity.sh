# SPDX-License-Identifier: GPL-3.0-or-later
# Part of run.sh: every kernel's object file with and without the plugin, byte for byte: code, data,
# debugging information, relocations, symbols.

levels=("-O0" "-O2" "-O3 -g")
[ "${PLUSS_TIER:-check}" = full ] && how="every level" || how="a level each"
cd "$root/polybench" || exit 1

# One kernel at one level: prints what is wrong.
identical() { # kernel, number of the level
    local base=$work/identity.$1.$2 flags="-std=c11 -ffp-contract=off -fopenmp ${levels[$2]}"
    # shellcheck disable=SC2086
    { gcc -fplugin="$plugin" -fplugin-arg-pluss-notes=off $flags -c "$1.c" -o "$base.with.o" &&
        gcc $flags -c "$1.c" -o "$base.without.o" &&
        bare "$base.with.o" "$base.with.bare" && bare "$base.without.o" "$base.without.bare" &&
        cmp "$base.with.bare" "$base.without.bare" &&
        readelf -SW "$base.with.o" | grep -q ' \.pluss\.nests ' || echo "$1 ${levels[$2]}: differs, or no nests"; } 2>&1
    rm -f "$base".*
}
export -f identical bare
export work plugin
mapfile -t kernels < <(./sizes.sh)
jobs=()
for kernel in "${kernels[@]}"; do
    if [ "$how" = "every level" ]; then
        jobs+=("$kernel 0" "$kernel 1" "$kernel 2")
    else
        jobs+=("$kernel $((${#jobs[@]} % 3))")
    fi
done
printf '%s\n' "${jobs[@]}" | levels_text=$(declare -p levels) xargs -P 2 -L 1 bash -c 'eval "$levels_text"; identical "$@"' _ >"$work/detail"
[ ${#jobs[@]} -ge 40 ] && [ ! -s "$work/detail" ]
verdict "${#jobs[@]} objects of kernels are the same without the plugin ($how)" $? "$work/detail"
