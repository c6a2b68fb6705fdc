# few threads and small sizes scaled to others, from walks and from profiles that were kept; by name of the model; from traces; sampled profiles; what it does not take
pluss scale gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 8,16 --cache L1=1K; echo "status $?"
pluss scale gemm.nest --sizes ni=16,32,64:nj=16,32,64 -D nk=22 -T 8 --json -o walked.json; echo "status $?"
for n in 16 32; do pluss simulate gemm.nest -D ni=$n -D nj=$n -D nk=22 -T 1,2,4 --sharing --save-profile $n.json.gz -o /dev/null; done
pluss scale 16.json.gz 32.json.gz --sizes ni=16,32,64:nj=16,32,64 -T 8 --json -o kept.json; echo "status $?"
pluss compare kept.json walked.json --tolerance 0 2>/dev/null | tail -1
for m in scale-overlap scale scale-ps; do pluss scale 16.json.gz 32.json.gz --sizes ni=64:nj=64 -T 8 --cache L1=1K --model $m --table scaling --csv; done; echo "status $?"
pluss scale 16.json.gz 32.json.gz -T 8 --table scaling --csv
pluss scale two.nest --sizes n=64,128,256 -T 8 --table scaling --csv 2>/dev/null | grep second_part; echo "status $?"
pluss predict gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 2,4 --model scale-ps --save-profile p.json -o /dev/null; echo "status $?"
pluss simulate gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 2,4 --json -o exact.json
pluss compare p.json exact.json --tolerance 0 | tail -1; echo "status $?"
pluss scale gemm.nest -D ni=16; echo "status $?"
pluss scale plain.trace; echo "status $?"
pluss generate lines=60,60:shared=.2:accesses=900 -o 2.trace; pluss generate lines=60,60,60,60:shared=.2:accesses=900 -o 4.trace
pluss scale 2.trace 4.trace -T 8,32 --cache none; echo "status $?"
for t in 2 4; do pluss simulate $t.trace --sharing --save-profile $t.json -o /dev/null; done; pluss scale 2.json 4.json -T 8,32 --table costs --csv >kept.csv
pluss scale 2.trace 4.json -T 8,32 --table costs --csv | cmp - kept.csv; echo "status $?"
pluss scale 2.trace 4.trace -T 8 --latency 10,10,50 --table scaling --csv; pluss scale 2.trace 4.trace -T 8 --latency 4,10; echo "status $?"
pluss scale 2.trace gemm.nest; echo "status $?"
pluss scale 2.trace 4.trace --sizes n=1,2; echo "status $?"
pluss scale gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 8 --sampling 500/2000 --table scaling --csv | head -2
pluss simulate gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 1,2,4 --sharing --sampling 500/2000:99% --save-profile s.json -o /dev/null; echo "status $?"
pluss scale s.json -T 8 --table scaling --csv
pluss simulate gemm.nest --sampling 500/2000; echo "status $?"
for s in 500 500/500 5/9:0 5/9:1.5; do pluss simulate gemm.nest --sharing --save-profile s.json --sampling $s; done; echo "status $?"
pluss scale p.json; echo "status $?"
pluss scale 16.json.gz --sizes ni=16,64; echo "status $?"
pluss scale 16.json.gz -D m=3; echo "status $?"
pluss scale gemm.nest 16.json.gz; echo "status $?"
pluss scale gemm.nest --sizes ni=16,; echo "status $?"
pluss scale gemm.nest --model cri; echo "status $?"
pluss predict gemm.nest -D ni=16 -D nj=18 -D nk=22 -T 8 --model scale --cache 1K:shared=2; echo "status $?"
