pluss generate lines=200,100:shared=10%:distances=random+2exponential:accesses=5000:seed=1 -o one && pluss simulate one --each-thread --cache 4K,16K
pluss generate seed=1:accesses=5000:distances=2exponential+random:shared=0.1:lines=200,100 | cmp - one && echo the same
pluss generate lines=1:accesses=9 | pluss simulate - --csv
for words in "" lines= lines=0 lines=4,:seed=2 lines=70000 lines=4:lines lines=4:shared=1.5 lines=4:distances=random+random \
    lines=4:distances=0normal lines=4:distances=normal+ lines=4:accesses=0 lines=4:seed=1x seed=1 lines=4:seed=99999999999999999999; do
    pluss generate "$words" -o none; echo $?
done
[ -e none ] || echo nothing is written
