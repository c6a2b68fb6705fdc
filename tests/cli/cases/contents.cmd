# what an index array holds
printf '0 7\n0x1 2' >idx
sed -i 's/A\[4\]/A[]/' indirect.nest
pluss simulate indirect.nest -T 1 --region gather --contents idx=idx --csv
echo "== spread out"
printf '0 8 16 24\n' >idx
pluss simulate indirect.nest -T 1 --region gather --contents idx=idx --csv
echo "== predict walks it, too"
pluss predict indirect.nest -T 2 --region gather --contents idx=idx --cache 64
echo "== for the region that has it alone"
pluss simulate indirect.nest -T 1 --contents idx=idx --cache 64
echo "== none"
pluss simulate indirect.nest -T 1 --region gather
echo "== mistakes"
pluss simulate indirect.nest --contents idx
pluss simulate indirect.nest --contents idx=idx --contents idx=idx
pluss simulate indirect.nest --contents row=idx
pluss simulate indirect.nest --contents idx=nowhere
pluss simulate indirect.nest --contents idx=.
printf '0 7\n14 x' >idx
pluss simulate indirect.nest --contents idx=idx
echo "== words that are not wholly a number"
printf '%040d 1\n' 0 >idx
pluss simulate indirect.nest --contents idx=idx
printf '0 7\00014' >idx
pluss simulate indirect.nest --contents idx=idx
echo "== numbers that do not fit"
printf '0 7\n14 9223372036854775808' >idx
pluss simulate indirect.nest --contents idx=idx
printf '0 7\n14 3000000000000' >idx
pluss simulate indirect.nest --contents idx=idx
printf '0 7\n' >idx
pluss simulate indirect.nest --contents idx=idx
true
