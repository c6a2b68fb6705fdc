# small loop bounds in place of a walk: formulas, hit rates of single caches; more threads than one, what is no cache
pluss predict gemm.nest -T 1 -D ni=300 -D nj=200 -D nk=100 --line 8 --model extrapolate --cache 32K --formulas --hit-rate 32K:8,16M:20; echo "status $?"
pluss simulate gemm.nest -T 1 -D ni=30 -D nj=20 -D nk=10 --cache 1K --hit-rate 1K:4 --json | grep -o '"hit_rates".*\]'
pluss predict gemm.nest -T 2 -D ni=30 -D nj=20 -D nk=10 --model extrapolate --cache 1K; echo "status $?"
pluss predict gemm.nest -T 1 -D ni=30 -D nj=20 -D nk=10 --hit-rate 1K; echo "status $?"
pluss predict gemm.nest -T 1 -D ni=30 -D nj=20 -D nk=10 --cache 1K --formulas | head -3; echo "status $?"
