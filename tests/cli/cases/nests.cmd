pluss nests gemm.nest
echo
pluss nests two.nest
pluss nests two.nest --csv --table loops
pluss nests two.nest --csv --table nothing; echo "status $?"
