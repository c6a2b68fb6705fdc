pluss simulate -D n=640 --progress sequential two.nest --cache 1M,64,4K -T 2 --line 32 --schedule static,2
