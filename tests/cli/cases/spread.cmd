v='-D ni=32 -D nj=32 -D nk=32'
pluss predict gemm.nest $v -T 1,2 --spread --cache 1K,32K | tail -n 5; echo "status $?"
pluss predict gemm.nest $v -T 2 --spread --json | grep -c '"spread"'; echo "status $?"
pluss predict gemm.nest $v -T 2 --json | grep -c '"spread"'; echo "status $?"
pluss predict gemm.nest $v -T 2 --spread --model cri --json | grep -c '"spread"'; echo "status $?"
pluss predict gemm.nest $v -T 2 --spread --progress burst:4 --json | grep -c '"spread"'; echo "status $?"
pluss predict indirect.nest -T 2 --spread --region gather --json | grep -c '"spread"'; echo "status $?"
pluss simulate gemm.nest $v -T 2 --spread; echo "status $?"
