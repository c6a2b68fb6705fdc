pluss machine
pluss machine --json
HWLOC_SYNTHETIC='pack:1 core:2 pu:1' pluss machine; echo "status $?"
HWLOC_SYNTHETIC='pack:1 core:' pluss machine; echo "status $?"
{ HWLOC_XMLFILE=/no/such/file HWLOC_SYNTHETIC= pluss machine; echo "status $?"; } 2>&1 | grep -v '^hwloc/' # newer ones say it themselves, too
echo "plugins of hwloc that are loaded: $(HWLOC_PLUGINS_VERBOSE=1 pluss machine 2>&1 | grep -c 'contains expected symbol')"
