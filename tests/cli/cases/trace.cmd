pluss simulate lackey.trace --cache L1=128:ways=1,L2=1K --line 32
gzip -c view.trace >view.gz
pluss simulate view.gz --each-thread --cache 128:private,1K
pluss pack plain.trace -o packed
pluss simulate packed --csv
zstd -qc packed >packed.zst
for file in plain.trace packed packed.zst; do pluss simulate $file --json >$file.json; done
pluss compare plain.trace.json packed.json --tolerance 0
pluss compare plain.trace.json packed.zst.json --tolerance 0 >/dev/null && echo the same
pluss simulate plain.trace --cache L1=128:ways=1/2 --line 32,64
