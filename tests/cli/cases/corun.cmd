# a product beside a program that walks 800 lines again and again
awk 'BEGIN { for (i = 0; i < 20000; i++) print 0, 64 * (i % 800), 8, "r" }' >walk.trace
pluss predict --corun gemm.nest walk.trace -D ni=32 -D nj=32 -D nk=32 --rates 1,0.5 --cache 4K,32K,64K
pluss simulate --corun gemm.nest walk.trace -D ni=32 -D nj=32 -D nk=32 --rates 1,0.5 --cache 4K,32K,64K
pluss predict --corun gemm.nest walk.trace -D ni=32 -D nj=32 -D nk=32 --rates 1,0.5 --json >predicted.json
pluss simulate --corun gemm.nest walk.trace -D ni=32 -D nj=32 -D nk=32 --rates 1,0.5 --json >simulated.json
pluss compare predicted.json simulated.json --tolerance 1
echo "exit status $?"
# saved profiles, of distances and of intervals, in their places
pluss predict gemm.nest -T 1 -D ni=32 -D nj=32 -D nk=32 --save-profile gemm.json.gz --cache 4K >profiled.txt
pluss predict gemm.nest -T 1 -D ni=32 -D nj=32 -D nk=32 --model cri --save-profile intervals.json --cache 4K >profiled.txt
pluss simulate walk.trace --save-profile walk.json --cache 4K >profiled.txt
for gemm in gemm.json.gz intervals.json; do
    pluss predict --corun $gemm walk.json --rates 1,0.5 --json >predicted.json
    pluss compare predicted.json simulated.json --tolerance 2
    echo "exit status $?"
done
pluss simulate --corun walk.json walk.json
pluss predict --corun walk.json walk.json --line 32
