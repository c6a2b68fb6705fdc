# ways and lines that change from point to point
v='-D ni=32 -D nj=32 -D nk=32'
pluss simulate gemm.nest $v -T 2 --cache L1=2K:ways=1..4/full,L2=8K:ways=4:shared | sed -n '/caches by/,$p'
pluss simulate gemm.nest $v -T 1 --cache L1=2K:ways=2 --line 32..128
pluss simulate gemm.nest $v -T 1,2 --cache L1=2K:ways=2/4,L2=8K:ways=4 --line 32,64 --csv --table points
pluss predict gemm.nest $v -T 2 --cache L1=2K:ways=1..4,L2=8K:ways=4 --csv --table points | cut -d, -f1-11
pluss simulate gemm.nest $v -T 1 --cache L1=2K:ways=1..4 --json >one.json
pluss predict gemm.nest $v -T 1 --cache L1=2K:ways=1..4 --json >two.json
pluss compare one.json two.json | awk '/ L1 / { print $1, $2, $3, $4, $5, $6, $7 }'
pluss compare one.json one.json | tail -n 5
pluss simulate gemm.nest $v -T 1 --cache L1=2K:ways=1..4,L2=8K:ways=4 --json >three.json
pluss simulate gemm.nest $v -T 1 --cache L1=2K:ways=2,L2=8K:ways=4 --json >four.json
pluss compare three.json three.json | tail -n 7
pluss compare four.json three.json | tail -n 3
for wrong in 1..3 0 8..1 4/ 1/x 1..2048 99999999999; do pluss predict gemm.nest $v --cache L1=2K:ways=$wrong; echo "status $?"; done
pluss predict gemm.nest $v --cache L1=2K:ways=1..2,L2=8K:ways=1..2; echo "status $?"
pluss predict gemm.nest $v --cache L1=2K:ways=1..64; echo "status $?"
for wrong in 0 48 32..96 8192 32, 64/128 4..8192; do pluss predict gemm.nest $v --line $wrong; echo "status $?"; done
