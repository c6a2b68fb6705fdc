# Two programs that walk 500 lines each, again and again, in a cache of 800 lines. A miss takes ten times as long as a hit: the
# miss ratios at a ratio of rates (the second's to the first's) give a ratio of speeds, which is the next one.
awk 'BEGIN { for (i = 0; i < 50000; i++) print 0, 64 * (i % 500), 8, "r" }' >walk.trace
for r in 1 1.3 2 0.5; do
    printf '%s' "$r"
    for i in 1 2 3 4; do
        r=$(pluss predict --corun walk.trace walk.trace --rates "1,$r" --cache 51200 |
            awk '$2 == "KiB" { printf "%.3g", (1 + 10 * $5 / 100) / (1 + 10 * $9 / 100) }')
        printf ' -> %s' "$r"
    done
    echo
done
