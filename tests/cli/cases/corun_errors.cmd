for arguments in '--corun gemm.nest' 'gemm.nest two.nest' 'gemm.nest --rates 1' '--corun gemm.nest two.nest' \
    '--corun placed.nest two.nest -D n=640 --rates 1' '--corun placed.nest two.nest -D n=640 --rates 1,0' \
    '--corun placed.nest two.nest -D n=640 --rates 1,x' '--corun placed.nest placed.nest -D n=640' \
    '--corun placed.nest placed.nest --cache L1=1K:ways=2' '--corun placed.nest placed.nest --explain' \
    '--corun placed.nest missing.nest' '--corun placed.nest placed.nest --region none'; do
    pluss predict $arguments
    echo "$arguments: exit status $?"
done
pluss simulate --corun placed.nest placed.nest --effort 10
