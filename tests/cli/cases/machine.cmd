pluss machine
pluss machine --json
HWLOC_SYNTHETIC='pack:1 core:2 pu:1' pluss machine; echo "status $?"
