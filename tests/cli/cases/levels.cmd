v='-D ni=32 -D nj=32 -D nk=32'
pluss simulate gemm.nest $v -T 1,2,4 --cache L1=2K,L2=8K:shared=2,L3=16K:shared,16K,4K:private; echo "status $?"
pluss simulate gemm.nest $v -T 4 --cache machine; echo "status $?"
pluss simulate gemm.nest $v -T 4 --cache L1=2K,L3=16K:shared --json >exact.json
pluss predict gemm.nest $v -T 4 --cache L1=2K,L3=16K:shared --json >model.json
pluss compare exact.json exact.json; echo "status $?"
pluss compare model.json exact.json --tolerance 1.5 | awk '/^kernel/ { print $1, $2, $3 }'; echo "status ${PIPESTATUS[0]}"
pluss simulate gemm.nest $v -T 4 --cache L1=2K --csv | cut -d, -f2,3,4 | sort -u
pluss predict gemm.nest $v -T 4 --cache L2=2K:shared=2 --model cri; echo "status $?"
for wrong in L1=2K:shared=0 L1=2K:mine =2K L1= L1=2K, abcdefghijklmnopq=2K; do pluss predict gemm.nest --cache $wrong; echo "status $?"; done
pluss simulate gemm.nest $v -T 1,4 --cache L1=2K:ways=2,L2=8K:ways=4:shared=2,L3=16K:ways=8:shared; echo "status $?"
pluss predict gemm.nest $v -T 4 --cache L1=2K:ways=2,L3=16K:ways=8:shared --json | grep -c '"false_sharing"'
for wrong in L1=2K:ways=3 L1=2K:ways=0 2K:ways=2 L1=2K:ways=2,1M L1=2K:exclusive; do pluss predict gemm.nest $v --cache $wrong; echo "status $?"; done
for p in L1=2K:ways=2:write-through,L2=8K:ways=4 L1=2K:ways=2:no-write-allocate,L2=8K:ways=4:exclusive; do for verb in simulate predict; do pluss $verb gemm.nest $v -T 1 --cache $p --json | python3 -c 'import json, sys; print(*(l["name"] + (" null" if l["bytes_written_back"] is None else " known") for l in json.load(sys.stdin)["levels"]))'; done; done
for p in L1=2K:ways=2,L2=8K:ways=4:shared:exclusive L1=2K:ways=2:shared=2:write-through,L2=8K:ways=4:shared=2 L1=2K:ways=full:no-write-allocate:shared L1=2K:ways=2:write-through,L2=8K:ways=4:no-write-allocate; do pluss predict gemm.nest $v -T 4 --cache $p --json >/dev/null; echo "status $?"; done
pluss predict gemm.nest $v -T 2,4 --cache L1=2K:ways=4,L2=8K:ways=8:shared --json -o x.json; echo "status $?"
