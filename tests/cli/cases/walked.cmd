pluss predict two.nest -T 1,4 -D n=640 --region second_part --cache 64,128; echo "status $?"
pluss predict two.nest -T 4 -D n=640 --region second_part --model clock --csv | cut -d, -f1-6 | sort -u; echo "status $?"
