pluss nests two.nest --json --region second_part
