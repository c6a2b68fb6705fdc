# what can be given once is not taken from where it is given last
for options in "--model cri --model cri" "-T 1 -T 2" "--threads 1 -T 2" "--cache 1K --cache 2K" "--cache L1=1K,L2=4K,L1=2K" \
    "--seed 1 --seed 1" "-o a -o b" "--model cri --model clock" "-D n=1 -D n=2"; do
    pluss predict two.nest $options
    echo "status $?"
done
pluss predict two.nest -D n=64 --region first_part --region second_part -T 1 --cache 1K --model cri
ls
