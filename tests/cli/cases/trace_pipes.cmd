pluss simulate plain.trace --cache 128,1K >file.txt
pluss simulate - --cache 128,1K <plain.trace | sed 's/.dev.stdin/plain.trace/' | cmp - file.txt && echo a file as standard input
cat plain.trace | pluss simulate - --cache 128,1K | sed 's/.dev.stdin/plain.trace/' | cmp - file.txt && echo a pipe
pluss simulate <(gzip -c plain.trace) --cache 128,1K | sed 's/.dev.fd.[0-9]*/plain.trace/' | cmp - file.txt && echo a compressed one
mkfifo named
cat plain.trace >named & pluss simulate named --cache 128,1K | sed 's/.dev.fd.[0-9]*/plain.trace/' | cmp - file.txt && echo one with a name
cat plain.trace | pluss predict - --model crd --cache 128,1K | sed -n 1,2p
pluss predict --corun <(cat plain.trace) - <view.trace | sed -n 1,2p
cat gemm.nest | pluss simulate - -D ni=4 -D nj=4 -D nk=4 | sed -n 2p
grep 0x1 plain.trace | sed 's/^[01],*/0/; s/,//g' | pluss fold -
printf '0 12 8\n' | pluss simulate -; echo $?
cat plain.trace | pluss simulate - --each-object; echo $?
cat plain.trace | TMPDIR=/nowhere pluss simulate - ; echo $?
printf '0x1000 16 first\n0x1010 16 second\n' >plain.trace.objects
pluss simulate plain.trace --each-object --cache 64 --line 16 --csv
