try() { pluss simulate gemm.nest "$@"; echo "status $?"; }
try -T 0
try -T 4,
try -T 4..1
try -T 1..8x1
try -T 99999999999
try -T 1,two
try -D ni
try -D ni=
try -D ni=1K
try -D ni=9223372036854775808
try -D ni=0xfffffffffffffffff
try -D ni=1 -D ni=2
try --cache 32Q
try --cache 0
try --cache 1K,,2K
try --cache 99999999999G
try --line 48
try --line 8192
try --seed -1
try --schedule fair
try --schedule static,0
try --progress burst
try --progress burst:0.5
try --progress round-robin:2
try --progress chaos
pluss predict gemm.nest --model oracle; echo "status $?"
pluss predict gemm.nest --collect 0; echo "status $?"
pluss predict two.nest --region first_part -D n=64 -T 1,2 --collect 2 --cache 1K
pluss predict two.nest --region first_part -D n=64 -T 1,2 --collect 2 --model cri --error 1% --cache 1K
for caches in 1K,1024 1K:shared=2,2K,1K:shared=2; do pluss predict gemm.nest --cache $caches; echo "status $?"; done
pluss predict two.nest --region first_part -D n=64 -T 2 --model cri --cache 1K,1K:private,L1=1K
pluss compare a b --tolerance=-1; echo "status $?"
pluss compare a b --grid fine; echo "status $?"
for error in 0 0% 1 100% 0.2%% % -1 nan 1e-2x ''; do pluss predict gemm.nest --error "$error"; echo "status $?"; done
for progress in chaos burst burst:0.5 rates:11 rates: mixed:2; do pluss predict gemm.nest --progress $progress; echo "status $?"; done
pluss predict two.nest -D n=64 --region first_part --model cri --progress mixed; echo "status $?"
pluss predict two.nest -D n=64 --region second_part --progress mixed; echo "status $?"
