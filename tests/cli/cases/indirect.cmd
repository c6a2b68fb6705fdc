# what cannot be predicted in closed form is said, by name and place, and never guessed
engine() { grep -o '"engine":"[^"]*"\|"unknown_constructs":[0-9]*'; }
for region in spmv histogram; do
    echo "== $region"
    pluss predict sparse.nest -T 2 --region $region; echo "status $?"
    printf '0 8 16 24 32 40 48 56' >col
    pluss predict sparse.nest -T 2 --region $region --contents col=col --json | engine
    pluss predict sparse.nest -T 2 --region $region --contents col=col --progress slices:10:1; echo "status $?"
    pluss predict sparse.nest -T 2 --region $region --contents col=col --cache L1=64,L2=1K:shared=2 --explain; echo "status $?"
done
echo "== not described"
pluss predict sparse.nest -T 2 --region half_described --json | engine
pluss predict sparse.nest -T 2 --region half_described --cache 1K; echo "status $?"
