cache='--cache L1=4K:ways=4,L2=64K:ways=8:shared'
size='-D ni=60 -D nj=60 -D nk=60 -T 2'
pluss transform gemm.nest interchange:j,k -o better.nest
pluss diff better.nest gemm.nest $size $cache --csv --table level_changes | cut -d, -f1-4,8
pluss diff better.nest gemm.nest $size $cache --fail=+5%@L1 >worse
echo "status $?"
grep -c 'B\[k\]\[j\]' worse
pluss diff gemm.nest better.nest $size $cache --fail=+5%@L1,+50% >/dev/null
echo "status $?"
pluss predict gemm.nest $size $cache --json -o gemm.json
pluss diff gemm.json gemm.nest $size $cache --fail=0% | head -n 1
echo "--- wrong limits, no values, no such file"
for limit in 5 +5%@ 5%L1 x% 5%, -1%; do pluss diff gemm.nest gemm.nest --fail="$limit"; done
pluss diff gemm.nest gemm.nest $cache -T 2
echo "status $?"
pluss diff gemm.nest nowhere $size $cache
echo "status $?"
echo "--- 9 seeds: what spoils a loop fails, what does not passes"
for seed in $(seq 9); do
    n=$((50 + 7 * seed))
    case $((seed % 3)) in
    0) loops='parallel for i in 0..n @3 { for k in 0..n @4 { for j in 0..n @5 { read A[i][k] read B[k][j] read C[i][j] write C[i][j] } } }' step=interchange:k,j ;;
    1) loops='parallel for i in 1..n-1 @3 { for j in 1..n-1 @4 { read A[i-1][j] read A[i+1][j] write B[i][j] } }' step=interchange:i,j ;;
    2) loops='parallel for i in 0..n @3 { for j in 0..n @4 { read A[0][i] write A[0][i] } }' step=schedule:i=static,1 ;;
    esac
    echo "pluss-nest 1 region r \"r.c\":1 symbol n array f64 A[][n], B[][n], C[][n] $loops" >old.nest
    sed 's/@/@1/g; s/\<j\>/col/g' old.nest >same.nest # other lines and names
    pluss transform old.nest $step -o spoilt.nest
    for new in same spoilt; do
        pluss diff old.nest $new.nest -D n=$n -T 4 --cache L1=2K:ways=4,L2=16K:ways=8:shared --fail=+2%@L1 >/dev/null 2>&1
        echo "$new $?"
    done
done | sort | uniq -c | sed 's/^ *//'
