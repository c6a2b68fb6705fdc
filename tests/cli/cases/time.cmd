cat >product.nest <<END
pluss-nest 1
region product "product.c":1
symbol n
array f64 A[][n], B[][n], C[][n]
parallel for i in 0..n @2 {
  for j in 0..n @3 {
    for k in 0..n @4 {
      read A[i][k] @5
      read B[k][j] @5
      read C[i][j] @5
      write C[i][j] @5
      ops(dbl_add 2) @5
    }
  }
}
END
sed 's/.*cycle_ns.*/    "cycle_ns": 1, "issue": 0.5,/; s/"latency": 10/&, "stream": 2, "strided": 4, "shared": 3/' "$DOCS/machines/r10000.json" >costs.json
pluss machine --machine costs.json
pluss time product.nest -D n=200 -T 1,2 --machine costs.json
printf 'a\n\nb\n\n\t  C[i][j] += A[i][k] * B[k][j];\n' >product.c
pluss time product.nest -D n=200 -T 1 --machine costs.json | grep -F '+='
echo "--- one after the other; a table"
pluss time product.nest -D n=200 -T 1,2 --machine costs.json --time-model sum --csv
pluss time product.nest -D n=200 -T 1 --machine costs.json --csv --table lines
echo "--- no values, no operations, levels without costs, no file, a trace, a model"
pluss time product.nest -T 2 --machine costs.json
echo "status $?"
sed '/ops/d' product.nest | pluss time - -D n=20 -T 1 --machine costs.json --csv
echo "status $?"
pluss time product.nest -D n=20 -T 1 --machine costs.json --cache L1=4K:ways=2,L3=64K:ways=2
echo "status $?"
pluss time product.nest -D n=20 -T 1
echo "status $?"
pluss machine --save levels.json >/dev/null
pluss time product.nest -D n=20 -T 1 --machine levels.json
echo "status $?"
pluss time plain.trace -T 1 --machine costs.json
echo "status $?"
pluss time product.nest -D n=20 -T 1 --machine costs.json --time-model no
echo "status $?"
echo "--- pages, teams, lines written back, a level that others use, too"
sed 's/"costs": {/&"pages": {"bytes": 4096, "steps": [{"reach": 20, "cycles": 10}, {"reach": 60, "cycles": 25}]}, "teams": [{"threads": 1, "start": 1000, "barrier": 0}, {"threads": 4, "start": 9000, "barrier": 500}],/
    s/"latency": 80/&, "written": 0.5/; s/"name": "L2"/&, "held": 0.25/' costs.json >more.json
pluss machine --machine more.json | sed -n '/after pages/,$p'
pluss time product.nest -D n=200 -T 1,2 --machine more.json | sed -n 1,12p
echo "--- lines that the other thread has written; strided lines in bursts of eight, the same with none between their uses"
sed 's/"costs": {/&"transfer": {"latency": 100, "stream": 6, "upgrade": 15},/; s/"latency": 80/&, "strided": 40, "bursts": [{"lines": 4, "cycles": 60}, {"lines": 16, "cycles": 80}]/' costs.json >more.json
pluss machine --machine more.json | sed -n '/in bursts/,$p'
cat >halves.nest <<END
pluss-nest 1
region halves "halves.c":1
array f64 x[1000], y[1000]
for t in 0..100 @1 {
  parallel for i in 0..1000 @2 { read x[i] @3 write y[999 - i] @3 }
  parallel for i in 0..1000 @4 { read y[i] @5 write x[i] @5 }
}
END
pluss time halves.nest -T 1,2 --machine more.json --csv 2>/dev/null | cut -d, -f1-3,6,10
for steps in '0..512 step 8 8' '0..512 step 1 1'; do
    set -- $steps
    echo "pluss-nest 1 region tiles \"t.c\":1 array f64 B[512][512] for ii in $1 step $3 @1 { for jj in 0..512 step 8 @2 { for i in ii..ii + $4 @3 { for j in jj..jj + 8 @4 { read B[j][i] @5 ops(dbl_add 1) @5 } } } }" |
        pluss time - -T 1 --machine more.json --csv --table levels
done
echo "--- faults of the file"
for change in 's/"dbl_add": 1/"dbl_add": -1/' 's/"sqrt": 27,//' 's/"sqrt"/"square"/' 's/"cycle_ns": 1,//' 's/"name": "memory"/"name": "disk"/' \
    's/"costs": {/&"pages": {"bytes": 4096, "steps": [{"reach": 20, "cycles": 10}, {"reach": 20, "cycles": 25}]},/' \
    's/"costs": {/&"pages": {"bytes": 4095, "steps": []},/' 's/"costs": {/&"pages": {"bytes": 4096, "steps": [{"reach": 2, "cycles": 10}, {"reach": 3, "cycles": 9}]},/' \
    's/"costs": {/&"teams": [{"threads": 2, "start": 1, "barrier": 1}, {"threads": 2, "start": 1, "barrier": 1}],/' 's/"latency": 80/&, "held": 0/' \
    's/"costs": {/&"transfer": {"stream": 6},/' 's/"costs": {/&"transfer": {"latency": 6, "held": 1},/' \
    's/"latency": 80/&, "bursts": [{"lines": 4, "cycles": 60}, {"lines": 4, "cycles": 80}]/' 's/"latency": 80/&, "bursts": [{"lines": 4}]/' \
    's/"latency": 80/"latency": "80"/' 's/"latency": 80/"latencies": 80/' 's/"costs": {/&"dbl_add": 1,/'; do
    sed "$change" costs.json >wrong.json
    pluss machine --machine wrong.json
    echo "status $?"
done
echo "--- dependences: 22 cycles of a quotient and half of two sums, 6 of a sum that goes through memory, 1 of one that does not"
for body in 'read A[i][j - 1] @3 ops(dbl_add 2, dbl_div 1) @3 write A[i][j] @3' \
    'read x[i] @3 read y[i] @3 ops(dbl_add 2) @3 write x[i] @3 write y[i] @3' 'read x[i] @3 ops(dbl_add 1) @3 write x[i] @3'; do
    echo "pluss-nest 1 region r \"r.c\":1 array f64 A[100][101], x[100], y[100] parallel for i in 0..100 @1 { for j in 1..101 @2 { $body } }" |
        pluss time - -T 1 --machine costs.json --csv | cut -d, -f2,9
done
pluss time gemm.nest -D ni=40 -D nj=40 -D nk=40 -T 1 --machine costs.json --schedule static --schedule dynamic; echo "several at a time: status $?"
echo "--- a serial loop as long as the parallel one: the busiest of two threads has three quarters of the accesses, and all quotients"
echo 'pluss-nest 1 region r "r.c":1 array f64 x[100], y[100] for j in 0..100 @1 { read y[j] @2 ops(dbl_div 5) @2 } parallel for i in 0..100 @3 { read x[i] @4 }' |
    pluss time - -T 1,2 --machine costs.json --csv 2>/dev/null | cut -d, -f2-5
