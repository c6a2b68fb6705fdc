# a description of nothing
printf 'pluss-nest 1\nsymbol n\n' >empty.nest
for verb in predict simulate "predict --together" nests "nests --json" "codegen --lang c"; do
    pluss $verb empty.nest
    echo "status $?"
done
