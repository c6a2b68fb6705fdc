pluss transform gemm.nest interchange:j,k
echo "status $?"
pluss transform gemm.nest interchange:j,k tile:i=8,k=16,j#2=8 pad:B=8 schedule:ii=static,1 | tee tiled.nest | tail -n 20
pluss predict tiled.nest -D ni=64 -D nj=64 -D nk=64 -T 2 --cache 4K --csv | sed -n 1,2p
echo "--- refused"
cat >wave.nest <<END
pluss-nest 1
region wave "wave.c":1
symbol n
array f64 A[n][n]
array i64 count[16]
parallel for t in 0..16 @2 {
  write count[t] @3
}
for i in 1..n @5 {
  for j in 0..n - 1 @6 {
    read A[i - 1][j + 1] @7
    write A[i][j] @7
  }
}
parallel for i in 1..n @9 {
  for j in 0..i @10 {
    read A[j][i] @11
  }
}
END
pluss transform wave.nest interchange:i@5,j@6
echo "status $?"
pluss transform wave.nest interchange:i@9,j@10
echo "status $?"
pluss transform wave.nest spread:count=64 | grep count
pluss transform wave.nest spread:count=12
echo "status $?"
echo "--- wrong"
pluss transform wave.nest interchange:i,j
echo "status $?"
pluss transform wave.nest tile:t
echo "status $?"
pluss transform wave.nest pad:D=1
echo "status $?"
pluss transform two.nest --region nowhere
echo "status $?"
