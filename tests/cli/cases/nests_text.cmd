pluss nests --text two.nest
pluss nests --text --region first_part two.nest
