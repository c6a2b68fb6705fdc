pluss simulate two.nest -T 2 -D n=32 --together --cache 64,512,4K
pluss simulate two.nest -T 2 -D n=32 --together --region second_part --cache 64,512,4K
