# SPDX-License-Identifier: GPL-3.0-or-later
# The table of accuracy-real.csv: a row a kernel, a column a prediction, mean absolute errors in points.
BEGIN { FS = "," }
NR == 1 { next }
{
    if (!($1 in seen)) { seen[$1] = ++n; kernel[n] = $1 }
    if (!($2 in known)) { known[$2] = ++m; prediction[m] = $2 }
    mae[$1, $2] = $10
    runs[$1] = $3 - $4; left[$1] = $4 "+" $6
    sum[$2] += $10
    if ($10 > worst[$2]) { worst[$2] = $10; of[$2] = $1 }
}
END {
    printf "%-16s %5s %7s", "MAE in points", "runs", "left out"
    for (j = 1; j <= m; j++) printf " %11s", prediction[j]
    print ""
    for (i = 1; i <= n; i++) {
        printf "%-16s %5d %8s", kernel[i], runs[kernel[i]], left[kernel[i]]
        for (j = 1; j <= m; j++) printf " %11.2f", mae[kernel[i], prediction[j]]
        print ""
    }
    printf "%-31s", "mean accuracy, %"
    for (j = 1; j <= m; j++) printf " %11.2f", 100 - sum[prediction[j]] / n
    printf "\n%-31s", "worst accuracy, %"
    for (j = 1; j <= m; j++) printf " %11.2f", 100 - worst[prediction[j]]
    print ""
}
