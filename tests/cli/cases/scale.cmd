# two and four threads scaled to eight and sixteen; the same by name of the model; what it does not take
pluss scale gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 8,16 --cache L1=1K; echo "status $?"
pluss predict gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 2,4 --model scale-ps --save-profile p.json -o /dev/null; echo "status $?"
pluss simulate gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 2,4 --json -o exact.json
pluss compare p.json exact.json --tolerance 0 | tail -1; echo "status $?"
pluss scale gemm.nest -D ni=16; echo "status $?"
pluss scale plain.trace; echo "status $?"
pluss scale gemm.nest --model cri; echo "status $?"
pluss predict gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 8 --model scale --cache 1K:shared=2; echo "status $?"
