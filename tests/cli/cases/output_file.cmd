pluss simulate two.nest -T 1 -D n=16 --region second_part -o table; echo "status $?"
cat table
