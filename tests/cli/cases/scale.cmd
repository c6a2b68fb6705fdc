# few threads and small sizes scaled to others, from walks and from profiles that were kept; by name of the model; what it does not take
pluss scale gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 8,16 --cache L1=1K; echo "status $?"
pluss scale gemm.nest --sizes ni=16,32,64:nj=16,32,64 -D nk=22 -T 8 --json -o walked.json; echo "status $?"
for n in 16 32; do pluss simulate gemm.nest -D ni=$n -D nj=$n -D nk=22 -T 1,2,4 --sharing --save-profile $n.json.gz -o /dev/null; done
pluss scale 16.json.gz 32.json.gz --sizes ni=16,32,64:nj=16,32,64 -T 8 --json -o kept.json; echo "status $?"
pluss compare kept.json walked.json --tolerance 0 2>/dev/null | tail -1
pluss scale 16.json.gz 32.json.gz -T 8 --table scaling --csv
pluss scale two.nest --sizes n=64,128,256 -T 8 --table scaling --csv 2>/dev/null | grep second_part; echo "status $?"
pluss predict gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 2,4 --model scale-ps --save-profile p.json -o /dev/null; echo "status $?"
pluss simulate gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 2,4 --json -o exact.json
pluss compare p.json exact.json --tolerance 0 | tail -1; echo "status $?"
pluss scale gemm.nest -D ni=16; echo "status $?"
pluss scale plain.trace; echo "status $?"
pluss scale p.json; echo "status $?"
pluss scale 16.json.gz --sizes ni=16,64; echo "status $?"
pluss scale 16.json.gz -D m=3; echo "status $?"
pluss scale gemm.nest 16.json.gz; echo "status $?"
pluss scale gemm.nest --sizes ni=16,; echo "status $?"
pluss scale gemm.nest --model cri; echo "status $?"
pluss predict gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 8 --model scale --cache 1K:shared=2; echo "status $?"
