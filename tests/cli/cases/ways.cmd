# levels whose ways are left out: those of the machine file's level of that name, else of this machine's, else fully associative
v='-D ni=32 -D nj=32 -D nk=32'
ways() { pluss simulate gemm.nest $v -T 2 "$@" --json | grep -o '"name":"[A-Z0-9a-z]*"\|"ways":[0-9]*,"ways_from":"[a-z]*"' | paste -d' ' - -; }
ways --machine small-machine.json --cache L1=4K,L2=16K:ways=8,L3=24K,L4=64K
ways --machine small-machine.json --cache L1=4K:ways=full,L2=16K,L3=32K:shared
ways --cache L1=4K,L2=16K:ways=8
sed 's/"ways": 2, //; s/"ways": 4/"ways": null/; s/"ways": 12/"ways": "full"/' small-machine.json >lacks.json
pluss machine --machine lacks.json; echo "status $?"
ways --machine lacks.json
ways --machine lacks.json --cache L1=4K,L3=24K:hashed
echo "with --cache none: $(ways --machine lacks.json --cache none)"
pluss simulate gemm.nest $v -T 2 --machine small-machine.json --cache L1=4K,L2=16K:ways=8,L4=64K,L5=64K | sed -n '/: caches/,/^  cache .* misses *share/p'
pluss simulate gemm.nest $v -T 2 --machine lacks.json --cache L1=4K,L3=24K:hashed | grep ways
pluss simulate gemm.nest $v -T 2 --machine none.json --cache L1=4K,L2=24K:hashed; echo "status $?"
pluss simulate gemm.nest $v -T 2 --machine none.json --cache L1=4K,L2=24K >/dev/null; echo "status $?"
