# the machine's levels change nothing of the curve, nor whether there is one
v='-D ni=64 -D nj=64 -D nk=64'
for options in "" "--effort 200000" "--effort 3000000" "--model cri" "--spread" "--explain" "--progress burst:8" "--line 32"; do
    for caches in "--cache none" ""; do
        # shellcheck disable=SC2086
        pluss predict gemm.nest $v -T 1,4 $caches $options --json >"report$caches.json" 2>"messages$caches"
        echo "exit status $?, $(grep -c '"requests"' "report$caches.json") levels $options"
    done
    cmp messages "messages--cache none"
    diff <(grep '^{"region".*"size_lines"' report.json) <(grep '^{"region".*"size_lines"' "report--cache none.json") && grep -c '"size_lines"' report.json
done
