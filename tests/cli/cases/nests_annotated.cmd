pluss nests --annotated two.nest
pluss nests --annotated --region first_part two.nest
pluss nests --annotated --text two.nest
pluss nests --annotated --json two.nest
