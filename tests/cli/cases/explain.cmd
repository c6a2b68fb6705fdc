pluss predict indirect.nest -T 2 --explain --region plain; echo "status $?"
pluss predict indirect.nest -T 2 --explain --region plain --json | tr ',{' '\n\n' | grep -E '"(carried_by|thread|iv)"'
v='-D ni=32 -D nj=32 -D nk=32'
pluss predict gemm.nest $v -T 1 --explain | grep -o 'reads of B.*carried by loop i.*'; echo "status $?"
pluss predict gemm.nest $v -T 2 --explain --model cri; echo "status $?"
pluss predict indirect.nest -T 2 --explain --region gather; echo "status $?"
pluss simulate indirect.nest -T 2 --explain --region plain; echo "status $?"
