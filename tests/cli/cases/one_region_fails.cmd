pluss simulate indirect.nest -T 1 --cache 64
