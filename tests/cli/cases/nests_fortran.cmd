cat >columns.nest <<'END'
pluss-nest 1
region columns "column.f90":3
symbol n, m
array i32 levels[] lower(1)
array f64 `f.v`[n + 1][] column lower(0, 0)
array f64 q[n][] column lower(1, -2)
parallel for j in 0..m @5 {
  for i in 1..n + 1 @6 {
    for k in levels[i - 1]..m @7 {
      read `f.v`[i][levels[i - 1]] @8
      read q[i - 1][j] @8
      write q[i - 1][j] @8
    }
  }
}
END
pluss nests columns.nest
pluss nests columns.nest --text | grep -e lower -e levels
