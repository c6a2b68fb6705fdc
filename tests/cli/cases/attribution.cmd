# misses by reference, array and loop; false sharing and who writes; what is left of it in JSON
caches=L1=2K:ways=2,L2=16K:ways=8:shared
pluss simulate counters.nest -T 4 --cache $caches | sed -n '/: caches/,$p'
pluss simulate counters.nest -T 4 --cache $caches --json >exact.json
pluss predict counters.nest -T 4 --cache $caches --json >model.json
python3 - <<'END'
import json
for name in "exact", "model":
    for level in json.load(open(name + ".json"))["levels"]:
        for groups in "by_reference", "by_array", "by_loop":
            parts = level[groups]
            assert abs(sum(p["misses"] for p in parts) - level["misses"]) < 1e-6 * level["misses"], (name, groups)
            assert abs(sum(p["share"] for p in parts) - 1) < 1e-6
            assert all(("miss_ratio_error" in p) == (name == "model") for p in parts)
            assert abs(sum(p["bytes_fetched"] for p in parts) - level["bytes_fetched"]) < 1e-6 * level["bytes_fetched"]
        print(name, level["name"], [(a["array"], a["references"], a.get("written_by")) for a in level["by_array"]],
              [(l["loop"], l.get("line"), l["references"]) for l in level["by_loop"]])
END
# rows of C, columns of Fortran
for array in 'A[n][n] for A[j][i]' 'A[n][n] column for A[i][j]'; do
    echo "pluss-nest 1 symbol n array f64 ${array% for*} region r for i in 0..n { for j in 0..n { read ${array#* for }; } }" >across.nest
    pluss predict across.nest -D n=256 -T 1 --cache L1=32K:ways=8 | tail -n 1
done
