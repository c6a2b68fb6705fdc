# contents that end too early: which element, and where it is read
sed 's/\[4\]/[n]/; s/^array i32/symbol n\narray i32/; s/0..4 @2/0..n @2/' indirect.nest >short.nest
printf '1\n2\n' >idx
for verb in "simulate" "predict" "predict --model cri"; do
    pluss $verb short.nest -T 2 -D n=4 --region gather --contents idx=idx
    echo "status $?"
done
printf 'pluss-nest 1\narray i32 row[]\narray f64 A[100]\nregion csr "c.c":1\nparallel for i in 0..4 @2 {\n  for j in row[i]..row[i + 1] @3 { read A[j] @4 }\n}\n' >csr.nest
printf '0 5 9\n' >row
pluss simulate csr.nest -T 2 --contents row=row
echo "status $?"
