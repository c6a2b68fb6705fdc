#!/usr/bin/env bash
# A few of the exact curves in polybench/truth/, in tier full all of size SMALL, come out the same to the last digit.
# And the picture of some of them. TAP.
# Tier: check, limit 600 s (full: 3600 s)
cd "$(dirname "$0")/../.." || exit 1
count=8
[ "${PLUSS_TIER:-check}" = full ] && count=0
make --no-print-directory -s -C polybench BUILD="${BUILD:-build}" COUNT="${COUNT:-$count}" truth-check

build=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/truth"
polybench/truth_part.sh polybench/truth/SMALL-t2-static atax gemm_tiled spmv >"$tmp/truth/SMALL-t2-static"
verdict() { # NAME, exit status
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$tmp/log" | tail -n 5; fi
}
draw() { polybench/panels.py "$build/pluss" "$build/polybench/nests" "$tmp/truth" "$@" "$tmp/panels.svg" >"$tmp/log" 2>&1; }
draw SMALL 2 static && python3 - "$tmp/panels.svg" >>"$tmp/log" 2>&1 <<'end'
import sys, xml.etree.ElementTree as tree
texts = [e.text for e in tree.parse(sys.argv[1]).iter() if e.text]
wrong = [t for t in ("atax", "gemm_tiled", "clock", "cri") if t not in texts] + [t for t in texts if t == "spmv"]
sys.exit(f"{wrong} in {texts}" if wrong else 0)
end
verdict "a panel for each kernel that is predicted from its nest alone" $?
draw SMALL 3 static
[ $? -eq 1 ] && grep -q 'there is no table of exact curves .*/SMALL-t3-static' "$tmp/log"
verdict "no picture without exact curves" $?
