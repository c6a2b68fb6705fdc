pluss simulate -T 2 --json --seed 5 -D n=16 --region second_part -- two.nest
