pluss generate lines=200,100:shared=10%:distances=random+2exponential:accesses=5000:seed=1 -o one && pluss simulate one --each-thread --cache 4K,16K
pluss generate seed=1:accesses=5000:distances=2exponential+random:shared=0.1:lines=200,100 | cmp - one && echo the same
pluss generate lines=1:accesses=9 | pluss simulate - --csv
# the part of the accesses that are further than k lines, but for first touches
further() { pluss generate "lines=$2:distances=$1:accesses=100000" | pluss simulate - --cache 64 --csv | awk -F, -v n="$2" "\$7 < n && \$7 != \"size_lines\" { k = \$7; p = \$8; $3 }"; }
bound='d = p - want; if (d < 0) d = -d; if (d > most) most = d; rows++ } END { print (rows > 60 && most < 0.006 ? "as drawn" : most)'
further random 64 "want = 1 - k / 64; $bound"
further exponential 100 "want = (0.97^k - 0.97^100) / (1 - 0.97^100); $bound"
further normal 400 "if (last != \"\") { s += (last - p) * (was + k - 1) / 2; ss += (last - p) * ((was + k - 1) / 2)^2 } last = p; was = k } END { print (s > 99 && s < 101 ? \"mean 100\" : s), (ss - s^2 > 32^2 && ss - s^2 < 34^2 ? \"deviation 33\" : sqrt(ss - s^2))"
for words in "" lines= lines=0 lines=4,:seed=2 lines=70000 lines=4:lines lines=4:shared=1.5 lines=4:distances=random+random \
    lines=4:distances=0normal lines=4:distances=normal+ lines=4:accesses=0 lines=4:seed=1x seed=1 lines=4:seed=99999999999999999999; do
    pluss generate "$words" -o none; echo $?
done
[ -e none ] || echo nothing is written
