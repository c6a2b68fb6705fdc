v='-D ni=32 -D nj=32 -D nk=32'
pluss simulate gemm.nest $v -T 4 --progress slices:500:2 --cache 1K | head -n 1; echo "status $?"
pluss predict gemm.nest $v -T 4 --progress slices --cache 1K | head -n 1; echo "status $?"
pluss predict gemm.nest $v -T 4 --progress slices:500 --json | grep -o '"engine":"[^"]*"'
pluss predict gemm.nest $v -T 4 --progress slices:500:2 --model cri; echo "status $?"
pluss predict gemm.nest $v -T 4 --progress slices::2 --json | grep -o '"engine":"[^"]*"'
for wrong in slices: slices::0 slices:0 slices:1:0 slices:x slices:1:2:3; do pluss predict gemm.nest --progress $wrong; pluss simulate gemm.nest --progress $wrong; echo "status $?"; done
