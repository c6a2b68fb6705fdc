# two threads that take turns through arrays, a tenth of which both use
awk 'BEGIN { for (i = 0; i < 4000; i++) for (t = 0; t < 2; t++) { x = (i * i + 7 * i) % 61; print t, 64 * (x % 10 ? 100 + 100 * t + x : x), 8, "r" } }' >turns.trace
pluss simulate turns.trace --cache 1K,4K
pluss predict turns.trace --model crd --cache 1K,4K
pluss predict turns.trace --model crd --line 64,128 --csv | wc -l
pluss predict turns.trace --model cri
