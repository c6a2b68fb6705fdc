pluss nests gemm.nest
echo
pluss nests two.nest
