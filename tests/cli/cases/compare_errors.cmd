pluss simulate two.nest -T 1 -D n=64 --json -o a.json
pluss simulate two.nest -T 1 -D n=64 --json --line 128 -o wide.json
pluss simulate two.nest -T 3 -D n=64 --json -o three.json
sed 's/"threads":1/"threads":0/' a.json >zero.json
sed 's/"version": 2/"version": 9/' a.json >future.json
for file in wide.json three.json zero.json future.json gemm.nest missing.json .; do pluss compare $file a.json; echo "status $?"; done
