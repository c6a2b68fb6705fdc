# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels built in several modes, for the measurements that run them. To be sourced, with `build` (absolute) and `out` set,
# in this folder.

# KERNEL MODE...: $out/KERNEL.MODE, without the plugin where MODE is native
compile() {
    local kernel=$1 mode
    shift
    make --no-print-directory -s OUT="$out" "$out/driver.o" "$out/refcount_none.o" "$out/$kernel.ref.o"
    for mode; do
        local flags=()
        [ "$mode" = native ] || flags=("-fplugin=$build/pluss.so" "-fplugin-arg-pluss-mode=$mode" -fplugin-arg-pluss-notes=off)
        gcc -std=c11 -O2 -ffp-contract=off -fopenmp "${flags[@]}" -c "$kernel.c" -o "$out/$kernel.$mode.o"
        gcc -fopenmp "$out/$kernel.$mode.o" "$out/$kernel.ref.o" "$out/driver.o" "$out/refcount_none.o" "$build/libpluss-rt.a" \
            -lm -o "$out/$kernel.$mode"
    done
}
load() { cut -d' ' -f1-3 /proc/loadavg; }
