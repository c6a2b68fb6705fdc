# options that would do nothing beside others
printf 'pluss-record 3\nline 64\nlost-runs 0\nobject "two.nest"\nregion "first_part" "two.c":3 team 2 runs 1 lost 0 by bind\nsymbol "n" 64\nend\n' >record
for options in "--text --json" "--text --svg x.svg" "--simulate --model cri" "--simulate --explain" \
    "--simulate --spread"; do
    pluss run --record record $options
    echo "status $?"
done
pluss predict two.nest -D n=64 -T 1 --explain --csv
echo "status $?"
ls
