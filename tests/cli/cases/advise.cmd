cat >columns.nest <<END
pluss-nest 1
region columns "columns.c":1
symbol n
array f64 A[][n]
array f64 B[][n]
parallel for j in 0..n @3 {
  for i in 0..n @4 {
    read A[i][j] @5
    write B[i][j] @5
  }
}
END
pluss advise columns.nest -D n=200 -T 2 --cache L1=4K:ways=4,L2=64K:ways=8:shared >advice
echo "status $?"
head -n 3 advice
grep -c gain advice
echo "--- what it shows"
sh -c "$(grep -m 1 'see  ' advice | sed 's/.*see *//')" | tail -n 7
echo "--- no values, nothing to gain, a trace"
pluss advise columns.nest -T 2 --cache L1=4K:ways=4
echo "status $?"
pluss advise columns.nest -D n=1 -T 2 --cache L1=4K:ways=4
echo "status $?"
pluss advise plain.trace
echo "status $?"
pluss advise columns.nest -D n=100,200 -T 2 --cache L1=4K:ways=4; echo "several at a time: status $?"
