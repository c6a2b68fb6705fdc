# a triangle of three sizes and one that is held back
trace() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) { for (j = 0; j < i; j++) print 0, 65536 + 8 * (n * i + j), 8, "r", 1; print 0, 1048576 + 4 * i, 4, "w", 2 } }' >"$2"
    printf '65536 %d A\n1048576 %d x\n' $((8 * $1 * $1)) $((4 * $1)) >"$2.objects"
}
trace 12 a && trace 15 b && trace 17 c && trace 30 d
pluss fold --sizes n=12,15,17,30 a b c d -o found.nest && cat found.nest && pluss predict found.nest -D n=100 -T 2 --cache 1K --csv | head -n 2
pluss predict found.nest -D n=11 -T 2 --cache 1K; echo "smaller than the runs: status $?"
pluss fold a | head -n 4
echo "--- code that no run executes: of f, whose other parts have names with a dot"
printf 'site 0x%d f\n' 1 2 3 3 >>a.objects
printf 'site 0x9 g\n' >>a.objects
pluss fold --sizes n=12,15,17,30 a b c d | head -n 5
printf 'site f\n' >>a.objects
pluss fold --sizes n=12,15,17,30 a b c d
echo "status $?"
echo "--- wrong sizes, usage, no traces"
pluss fold --sizes n=12,15,17,31 a b c d
echo "status $?"
pluss fold --sizes n=12,15,17 a b c d
echo "status $?"
pluss fold --sizes n=12,15:m=2 a b
echo "status $?"
pluss fold a b
echo "status $?"
pluss fold gemm.nest
echo "status $?"
pluss fold /bin/true --sizes n=1,2,3
echo "status $?"
