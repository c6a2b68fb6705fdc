cp plain.trace bad.trace
printf '0 12 8\n7 what\n0 0x40 8 w\n' >>bad.trace
pluss simulate bad.trace
pluss simulate bad.trace --skip-bad-lines --cache 64
pluss pack bad.trace >packed; echo $?
pluss pack bad.trace --skip-bad-lines -o packed && head -c 100 packed >cut && pluss simulate cut; echo $?
printf 'pluss-accesses\n\0\7\0\0\0\0\0\0\0' >later && pluss simulate later; echo $?
gzip -c plain.trace | head -c 60 >cut.gz && pluss simulate cut.gz; echo $?
echo '# nothing' | gzip >none.gz && pluss simulate none.gz; echo $?
echo '0 barrier' >marks && pluss simulate marks; echo $?
pluss simulate plain.trace -T 4; echo $?
pluss predict plain.trace; echo $?
pluss nests plain.trace; echo $?
pluss codegen plain.trace --lang c; echo $?
pluss pack gemm.nest; echo $?
pluss pack nowhere; echo $?
for line in '0 0x40 0 r' '0 0x40 8 q' '7 what' '0 0x1fffffffffffffff 8 r' ' L zzz,4' 'I  what' '7 8: 1 read 4 byte(s) @ here'; do
    printf '\n%s\n' "$line" >only && pluss simulate only; echo $?
done
printf '0 0x40 8\n0 0x40 8 r\n' | pluss simulate - --skip-bad-lines --cache 64; echo $?
pluss compare gemm.nest plain.trace; echo $?
