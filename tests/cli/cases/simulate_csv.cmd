pluss simulate two.nest -T 4 --interleave rr -D second_part.m=4 -D n=16 --csv
