for model in clock cri cri-line ri-random; do pluss predict two.nest -T 1 -D n=640 --region first_part --model $model --cache 64,128,16K; done
