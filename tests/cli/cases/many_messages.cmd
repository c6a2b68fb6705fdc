# as many regions as have something to say are told of, each with its place
{
    echo pluss-nest 1
    for i in $(seq 130); do echo "region r$i symbol n$i array f64 A$i[n$i] parallel for i in 0..n$i { read A$i[i] }"; done
} >many.nest
pluss predict many.nest -T 2 2>err; echo "status $?"
grep -c '^many.nest:[0-9]*:[0-9]*: error: no value is given for n' err
tail -n 2 err
