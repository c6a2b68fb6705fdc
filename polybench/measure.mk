# SPDX-License-Identifier: GPL-3.0-or-later
# Measurements: the kernels' nests, their exact curves, predictions against them. Included by Makefile.
TOP   := $(patsubst %/polybench,%,$(OUT))
NESTS  = $(KERNELS:%=$(OUT)/nests/%.o)
TOOL_LIBS = $(shell pkg-config --libs gsl libelf jansson zlib libzstd) -lisl -lm -pthread
TOOL_SRC  = harness/harness.c harness/truth_file.c

# models of `make accuracy`, and how many seeds those that draw are averaged over
MODELS ?= clock,clock-ri,clock-sd,cri,cri@4,cri-line,ri-random
SEEDS  ?= 10
# the tables of exact curves to compare with, or kernels of them; e.g. TRUTHS='truth/SMALL-t4-*', TRUTHS=truth/SMALL-t4-static:gemm
TRUTHS ?= truth/*
RESULTS ?= results
CSV ?= accuracy.csv
# size, team and schedule of `make panels`
PANELS ?= SMALL 4 static
comma := ,
space := $() $()

.PHONY: nests truth truth-check accuracy spread coverage indirect levels callgrind fold fold-predict panels bench

nests: $(NESTS) ## the kernels' objects with their nests in them

$(OUT)/nests/%.o: %.c kernels.h $(TOP)/pluss.so
	@mkdir -p $(@D)
	cd $(ROOT) && $(CC) -std=c11 -O2 -fopenmp -fplugin=$(TOP)/pluss.so -c polybench/$< -o $@

$(OUT)/truth $(OUT)/accuracy $(OUT)/spread $(OUT)/bench $(OUT)/cost $(OUT)/queries $(OUT)/make_trace $(OUT)/crd_accuracy $(OUT)/real_accuracy $(OUT)/scale_accuracy $(OUT)/machine_accuracy $(OUT)/symbolic_accuracy: $(OUT)/%: harness/%.c $(TOOL_SRC) $(wildcard harness/*.h) $(TOP)/libpluss.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -D_GNU_SOURCE -I$(ROOT)/ffi -I$(ROOT)/runtime $< $(TOOL_SRC) $(TOP)/libpluss.a $(TOOL_LIBS) -o $@

# programs that say what their index arrays hold
INDEXED = $(OUT)/spmv $(OUT)/histogram

truth: nests $(OUT)/truth $(INDEXED) ## exact curves of all cases that have none yet, into truth/ (hours)
	BUILD=$(TOP) ./truth.sh

truth-check: nests $(OUT)/truth $(INDEXED) ## a few of the exact curves once more: COUNT=8, MATCH='*-SMALL-*', SEED=1
	@BUILD=$(TOP) ./truth_check.sh

ifeq ($(MODELS),scale)
accuracy: accuracy-scale accuracy-scale-recorded
else
accuracy: nests $(OUT)/accuracy ## predictions against truth/: table, and CSV into results/$(CSV)
	@mkdir -p $(RESULTS)
	$(OUT)/accuracy $(OUT)/nests $(SEEDS) $(MODELS) $(TRUTHS) >$(RESULTS)/$(CSV).part
	@mv $(RESULTS)/$(CSV).part $(RESULTS)/$(CSV)
endif

# kernels of `make accuracy-symbolic`; seidel-2d, vgg, gemm_tiled, nussinov: as long as the effort allows
SYMBOLIC ?= $(KERNELS)

.PHONY: accuracy-symbolic sparse
accuracy-symbolic: nests $(OUT)/symbolic_accuracy ## stack histograms as formulas against walks: results/symbolic.csv; SYMBOLIC='gemm lu'
	@mkdir -p $(RESULTS)
	$(OUT)/symbolic_accuracy $(OUT)/nests $(SYMBOLIC) >$(RESULTS)/symbolic.csv.part
	@mv $(RESULTS)/symbolic.csv.part $(RESULTS)/symbolic.csv

sparse: nests $(TOP)/pluss ## sparse routines by the indirect accesses model, and jacobi-2d over sizes, against exact misses: results/sparse.csv
	@mkdir -p $(RESULTS)
	./sparse.py $(TOP) $(OUT)/sparse >$(RESULTS)/sparse.csv.part
	@mv $(RESULTS)/sparse.csv.part $(RESULTS)/sparse.csv

# size of the kernels, numbers of threads, their progress, kernels (all unless given) of `make accuracy MODELS=scale`; a table of
# other sizes, a name of the results; SAMPLED=1: profiles that are sampled, too
SCALE ?= SMALL 8,16,32 uniform
SCALE_SIZES ?= sizes.csv
SCALE_NAME ?= scale
# numbers of threads, 2 and 4 first, and kernels of `make -C polybench machine`
MACHINE ?= 2,4,8,16,32,64

.PHONY: accuracy-scale machine
accuracy-scale: nests $(OUT)/scale_accuracy ## profiles of 2 and 4 threads scaled to more, against exact ones: results/scale.csv and .txt
	@mkdir -p $(RESULTS)
	$(if $(SAMPLED),SAMPLED=1 )$(OUT)/scale_accuracy $(OUT)/nests $(SCALE_SIZES) $(SCALE) >$(RESULTS)/$(SCALE_NAME).csv.part 2>$(RESULTS)/$(SCALE_NAME).txt.part || { cat $(RESULTS)/$(SCALE_NAME).txt.part; exit 1; }
	@for x in csv txt; do mv $(RESULTS)/$(SCALE_NAME).$$x.part $(RESULTS)/$(SCALE_NAME).$$x; done
	@cat $(RESULTS)/$(SCALE_NAME).txt

# programs that no nest describes, with their arguments: traces of runs with 2, 4 and more threads, which take turns at random
RECORDED ?= fft:6 radix_sort:32768
RECORDED_TEAMS ?= 8,16,32

.PHONY: accuracy-scale-recorded accuracy-scale-sizes
accuracy-scale-sizes: nests $(OUT)/scale_accuracy ## larger problems from two small ones, sampled or of 2 and 4 threads: results/scale-sizes.csv and .txt
	@mkdir -p $(RESULTS)
	$(OUT)/scale_accuracy $(OUT)/nests growing.csv GROWING 8,16,32,64 uniform >$(RESULTS)/scale-sizes.csv 2>$(RESULTS)/scale-sizes.txt || { cat $(RESULTS)/scale-sizes.txt; exit 1; }
	@cat $(RESULTS)/scale-sizes.txt

accuracy-scale-recorded: $(OUT)/scale_accuracy $(TOP)/pluss $(TOP)/libpluss-trace.a ## the same of an FFT and a radix sort: results/scale-recorded.csv and .txt
	@mkdir -p $(RESULTS) $(OUT)/recorded
	@echo kernel,size,symbols >$(OUT)/recorded/sizes.csv
	@set -e; for p in $(RECORDED); do k=$${p%%:*}; \
	    $(CC) -O1 -g -fopenmp -fsanitize=thread -c recorded/$$k.c -o $(OUT)/recorded/$$k.o; \
	    $(CC) -fopenmp $(OUT)/recorded/$$k.o -L$(TOP) -lpluss-trace $(TOOL_LIBS) -o $(OUT)/recorded/$$k; \
	    for t in 2 4 $(subst $(comma), ,$(RECORDED_TEAMS)); do \
	        $(TOP)/pluss trace -T $$t -o $(OUT)/recorded/$$k.$$t.trace $(OUT)/recorded/$$k $${p#*:}; done; \
	    echo $$k,RECORDED,$${p#*:} >>$(OUT)/recorded/sizes.csv; done
	@rm -f $(OUT)/recorded/*.o
	$(OUT)/scale_accuracy $(OUT)/recorded $(OUT)/recorded/sizes.csv RECORDED $(RECORDED_TEAMS) uniform >$(RESULTS)/scale-recorded.csv 2>$(RESULTS)/scale-recorded.txt || { cat $(RESULTS)/scale-recorded.txt; exit 1; }
	@cat $(RESULTS)/scale-recorded.txt

# operations are in these nests alone
$(OUT)/counted/%.o: %.c kernels.h $(TOP)/pluss.so
	@mkdir -p $(@D)
	cd $(ROOT) && $(CC) -std=c11 -O2 -fopenmp -fplugin=$(TOP)/pluss.so -fplugin-arg-pluss-ops=on -c polybench/$< -o $@

machine: $(patsubst %,$(OUT)/counted/%.o,$(shell awk -F, 'NR > 1 { print $$1 }' growing.csv | sort -u)) $(OUT)/machine_accuracy ## misses per 1,000 instructions of a machine's caches by scaled profiles, and how stable these are: results/machine.csv and .txt
	@mkdir -p $(RESULTS)
	$(OUT)/machine_accuracy $(OUT)/counted growing.csv $(MACHINE) >$(RESULTS)/machine.csv.part 2>$(RESULTS)/machine.txt.part || { cat $(RESULTS)/machine.txt.part; exit 1; }
	@for x in csv txt; do mv $(RESULTS)/machine.$$x.part $(RESULTS)/machine.$$x; done
	@cat $(RESULTS)/machine.txt

# truths of many seeds: what those of few have is no standard deviation
SPREADS ?= truth/SMALL-t2-*

spread: nests $(OUT)/spread ## how far single runs are from their mean against truth/: results/spread.csv and .txt
	@mkdir -p $(RESULTS)
	$(OUT)/spread $(OUT)/nests $(SPREADS) >$(RESULTS)/spread.csv.part 2>$(RESULTS)/spread.txt
	@mv $(RESULTS)/spread.csv.part $(RESULTS)/spread.csv
	@cat $(RESULTS)/spread.txt

# kernels and their size of `make peers`
PEERS ?= gemm jacobi-2d lu mvt
PEER_SIZE ?= SMALL

.PHONY: peers
peers: nests $(OUT)/cost $(PEERS:%=$(OUT)/%) $(PEERS:%=$(OUT)/%.counted) $(PEERS:%=$(OUT)/%.olken) ## the prediction beside native runs, exact simulation, Olken's method, cachegrind, libCacheSim
	@BUILD=$(TOP) ./peers.py --size $(PEER_SIZE) $(PEERS)

$(OUT)/coverage: harness/coverage.c harness/adversarial.c $(TOOL_SRC) $(wildcard harness/*.h) $(TOP)/libpluss.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -D_GNU_SOURCE -I$(ROOT)/ffi -I$(ROOT)/runtime $(filter %.c,$^) $(TOP)/libpluss.a $(TOOL_LIBS) -o $@

# nests of each family of `make coverage`
MEMBERS ?= 20
COVERED ?= $(OUT)/covered

coverage: $(OUT)/coverage ## how often 95 % intervals hold the exact curve, over families of nests: results/coverage.txt
	@mkdir -p $(RESULTS) $(COVERED)
	@$(OUT)/coverage $(COVERED) $(MEMBERS) 1 | tee $(RESULTS)/coverage.txt

# what `make levels` compares: see levels.py
LEVELS ?=

levels: nests ## levels of memory hierarchies, predicted against simulated: results/levels.csv
	@mkdir -p $(RESULTS)
	./levels.py $(TOP)/pluss $(OUT)/nests $(LEVELS) >$(RESULTS)/levels.csv.part
	@mv $(RESULTS)/levels.csv.part $(RESULTS)/levels.csv

# kernels of `make fold`
FOLDED ?=

fold: $(TOP)/pluss $(TOP)/libpluss-trace.a ## nests out of traces of the kernels, -O1 and -O2: results/fold.csv (ten minutes)
	@mkdir -p $(RESULTS)
	./fold.py $(TOP) $(FOLDED) >$(RESULTS)/fold.csv.part
	@mv $(RESULTS)/fold.csv.part $(RESULTS)/fold.csv

fold-predict: $(TOP)/pluss $(TOP)/pluss.so $(TOP)/libpluss-trace.a ## curves of folded nests against the plugin's: results/fold-predict.csv (20 minutes)
	@mkdir -p $(RESULTS)
	./fold_predict.py $(TOP) $(FOLDED) >$(RESULTS)/fold-predict.csv.part
	@mv $(RESULTS)/fold-predict.csv.part $(RESULTS)/fold-predict.csv

# what `make callgrind` counts and compares: see callgrind.py
CALLGRIND ?=

callgrind: ## misses of the programs as valgrind counts them, against their nests: results/callgrind.csv and .txt
	@mkdir -p $(RESULTS)
	./callgrind.py $(TOP)/pluss $(OUT)/callgrind $(CALLGRIND) >$(RESULTS)/callgrind.csv.part 2>$(RESULTS)/callgrind.txt
	@mv $(RESULTS)/callgrind.csv.part $(RESULTS)/callgrind.csv
	@cat $(RESULTS)/callgrind.txt

indirect: ## kernels whose subscripts are data, predicted from their samplers, against truth/: results/indirect.csv
	@mkdir -p $(RESULTS)
	@$(MAKE) -s OUT=$(OUT)/sampled LINKED=$(TOP)/libpluss-rt.a CC="$(TOP)/pluss cc --mode=sample" $(INDEXED:$(OUT)/%=$(OUT)/sampled/%)
	./indirect.py $(TOP)/pluss $(OUT)/sampled $(TRUTHS) >$(RESULTS)/indirect.csv.part
	@mv $(RESULTS)/indirect.csv.part $(RESULTS)/indirect.csv

# labels of real.csv; all unless given
REAL ?=
REAL_KERNELS = $(shell tail -n +2 real.csv | cut -d, -f2 | sort -u)

.PHONY: accuracy-real
accuracy-real: $(OUT)/real_accuracy $(REAL_KERNELS:%=$(OUT)/%.ref.o) $(OUT)/driver.o $(OUT)/refcount_none.o ## predictions against real threads: real.sh says what; REAL, RUNS, SEEDS
	@mkdir -p $(RESULTS)
	@./real.sh $(TOP) $(OUT) $(REAL) >$(RESULTS)/accuracy-real.csv.part 2>$(RESULTS)/accuracy-real.txt.part || { cat $(RESULTS)/accuracy-real.txt.part; exit 1; }
	@awk -f real_table.awk $(RESULTS)/accuracy-real.csv.part >>$(RESULTS)/accuracy-real.txt.part
	@for x in csv txt; do mv $(RESULTS)/accuracy-real.$$x.part $(RESULTS)/accuracy-real.$$x; done
	@cat $(RESULTS)/accuracy-real.txt

panels: nests ## $(OUT)/panels-*.svg: a panel a kernel, truth, clock and cri; PANELS='SMALL 4 static'
	./panels.py $(TOP)/pluss $(OUT)/nests truth $(PANELS) $(OUT)/panels-$(subst $(comma),_,$(subst $(space),-,$(PANELS))).svg

# accesses of each thread, and seeds
CRD ?= 1000000 5

.PHONY: accuracy-crd
accuracy-crd: $(OUT)/crd_accuracy ## the model crd on generated traces: results/crd.txt; CRD='1000000 5'
	@mkdir -p $(RESULTS)
	@$(OUT)/crd_accuracy $(OUT)/crd.trace $(CRD) | tee $(RESULTS)/crd.txt.part
	@rm -f $(OUT)/crd.trace; mv $(RESULTS)/crd.txt.part $(RESULTS)/crd.txt

.PHONY: accuracy-crd-kernels accuracy-crd-recorded
accuracy-crd-kernels: nests ## the model crd against truth/, T = 2 and 4: results/accuracy-crd.csv
	$(MAKE) accuracy MODELS=crd SEEDS=1 TRUTHS='truth/SMALL-t2-* truth/SMALL-t4-*' CSV=accuracy-crd.csv

accuracy-crd-recorded: ## crd, cri and clock against recorded runs: results/crd-recorded.csv; CASES, TEAMS; FOREIGN=/var/tmp/foreign: foreign programs, too
	@BUILD=$(TOP) FOREIGN=$(FOREIGN) ./crd_recorded.sh >$(RESULTS)/crd-recorded.csv.part
	@mv $(RESULTS)/crd-recorded.csv.part $(RESULTS)/crd-recorded.csv

.PHONY: speeds
speeds: ## relative speeds of programs side by side, and of threads: results/speeds.txt; WINDOW
	@BUILD=$(TOP) ./speeds.sh | tee $(RESULTS)/speeds.txt.part
	@mv $(RESULTS)/speeds.txt.part $(RESULTS)/speeds.txt

bench: nests $(OUT)/bench $(OUT)/cost $(OUT)/queries $(OUT)/make_trace ## speed and memory: bench.sh says what; PARTS, KERNELS, SIZES, TEAM
	@mkdir -p $(RESULTS)
	@BUILD=$(TOP) ./bench.sh | tee $(RESULTS)/bench.txt
