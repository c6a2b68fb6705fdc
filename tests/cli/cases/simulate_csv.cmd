pluss simulate two.nest -T 4 --progress round-robin -D second_part.m=4 -D n=16 --csv
