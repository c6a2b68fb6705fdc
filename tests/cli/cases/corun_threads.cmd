# 32 blocks of 8 KiB, each of which a thread walks 50 times, in a cache of 40 KiB. A miss takes 50 times as long as a hit:
# the time of T threads, relative to that of one.
echo 'pluss-nest 1 region blocks array f64 P[32][1024]
parallel for i in 0..32 schedule(static, 1) { for t in 0..50 { for j in 0..1024 { read P[i][j] } } }' >blocks.nest
show() {
    awk -v name="$1" '$2 == "KiB" { for (i = 3; i <= NF; i++) if ($i + 0 > 0 && $i !~ /\+-/) m[++n] = $i / 100 }
        END { printf "%s", name; for (i = 1; i <= n; i++) { t = 2 ^ (1 - i) * (1 + 50 * m[i]); one = one ? one : t; printf " %.2f", t / one }
              print "" }'
}
echo "threads 1 2 4 8 16"
pluss predict blocks.nest -T 1,2,4,8,16 --model crd --cache 40K | show crd
pluss predict blocks.nest -T 1,2,4,8,16 --cache 40K | show clock
pluss simulate blocks.nest -T 1,2,4,8,16 --cache 40K | show exact
