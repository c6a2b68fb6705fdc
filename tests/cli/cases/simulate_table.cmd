pluss simulate two.nest -T 1..4x2,3 -D n=0x280
