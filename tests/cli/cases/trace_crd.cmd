# two threads that take turns through arrays, a tenth of which both use
awk 'BEGIN { for (i = 0; i < 4000; i++) for (t = 0; t < 2; t++) { x = (i * i + 7 * i) % 61; print t, 64 * (x % 10 ? 100 + 100 * t + x : x), 8, "r" } }' >turns.trace
pluss simulate turns.trace --cache 1K,4K
pluss predict turns.trace --model crd --cache 1K,4K
pluss predict turns.trace --model crd --line 64,128 --csv | wc -l
awk 'BEGIN { for (i = 0; i < 900; i++) for (t = 0; t < 4; t++) print t, 64 * (200 * t + (i * i) % 31), 8, "r" }' >four.trace
pluss predict four.trace --model crd --cache 512:private,1K:private,8K
pluss simulate four.trace --cache 512:private,1K:private,8K
pluss predict four.trace --model crd --cache 1K:shared=2
