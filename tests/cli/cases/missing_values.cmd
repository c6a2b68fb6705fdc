pluss predict gemm.nest -D nj=3; echo "status $?"
pluss simulate two.nest -D m=3 -D nowhere=1; echo "status $?"
