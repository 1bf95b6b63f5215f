# SPDX-License-Identifier: MIT
# ptxccc: `make demo` shows the main job, `make check` runs the tests, `make` builds build/bin. See README.md.
#
#	make SAN=1 ...      with AddressSanitizer and UndefinedBehaviorSanitizer, in build/san
#	make CC=clang ...   another compiler
#	make DEV=1          warnings are errors (as in CI)
#	make V=1            prints commands

CC      = cc
CFLAGS  = -O2 -g
PREFIX  = /usr/local
MANDIR  = $(PREFIX)/share/man
VERSION = 0.2.0
# The repository's address, and who answers mail: for packages and recipes, which name no address while it is empty.
HOMEPAGE =
MAINTAINER = The ptxccc authors <ptxccc@localhost>

# Recipes print what they make; V=1 prints their commands.
ifdef V
Q    =
told = @:
else
Q    = @
told = @printf '  %-5s %s\n' '$(1)' '$(@:$(B)/%=%)'
endif

WARN = -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
       -Wwrite-strings -Wvla -Wundef -Wformat=2 -Wcast-qual -Wimplicit-fallthrough
ifdef DEV
WARN += -Werror
endif
ifdef TSAN
B      = build/tsan
SANFLAGS = -fsanitize=thread
CFLAGS = -O1 -g
else ifdef SAN
B      = build/san
SANFLAGS = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS = -O1 -g
else
B      = build
endif
ifdef STATIC
LDFLAGS += -static
endif
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -fPIC -fvisibility=hidden -DVERSION='"$(VERSION)"' $(WARN) $(CFLAGS) $(SANFLAGS) -I. -I$(B)/gen -MMD -MP

CUDA   := $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v nvcc || echo /usr/local/cuda/bin/nvcc)))
MODULES = base lexer parser analysis report profile validate transform suggest annotate simt
LIBSRC := $(wildcard $(MODULES:%=%/*.c) $(MODULES:%=%/*/*.c))
LIBOBJ := $(LIBSRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/ptx.tab.o $(B)/obj/gen/ptx.lex.o
CUDART  = $(B)/lib/ptxrun/libcudart.so.12 $(B)/lib/ptxrun/libcudart.so.13 $(B)/lib/ptxrun/libcuda.so.1 $(B)/lib/ptxrun/libptxrun.so $(B)/lib/ptxrun/libstatics.so
CMAKE   = $(B)/lib/cmake/CCC/CCCConfig.cmake $(B)/lib/cmake/CCC/CCCConfigVersion.cmake
PROGS   = $(B)/bin/ptxccc $(B)/bin/ccc-annotate $(B)/bin/ptxrun $(B)/bin/ccc-tune $(B)/bin/ccc-ptxas $(B)/bin/ptxccc-run
COMPLETION = $(B)/share/completion/ptxccc.bash $(B)/share/completion/_ptxccc

SO      = libptxccc.so.0

GENERATED := $(wildcard generated/ptx.tab.c)

.PHONY: all timers
all: $(PROGS) $(B)/lib/ptxccc/bin/ptxas $(B)/lib/ptxccc/libptxccc-run.so $(CUDART) timers $(B)/bin/cccnvcc $(B)/include/ptxccc/ccc.h $(B)/include/ptxccc/ccc_profile.h $(B)/include/ptxccc/ccc_profile_file.h $(B)/include/ptxccc/ccc_timed.h lib $(CMAKE) $(COMPLETION)

# ---- required tools, checked before anything is built; see tests/need.sh --------------------------
$(B)/gen/.tools:
	@sh tests/need.sh '$(CC)' ar ld objcopy $(if $(GENERATED),,flex bison)
	@mkdir -p $(B)/gen && touch $@

# ---- the commit, for --version; empty outside of a git repository --------------------------------------------------------
$(B)/gen/commit.h: always
	@mkdir -p $(@D)
	@echo "#define COMMIT \"$$([ ! -e .git ] || git rev-parse --short=10 HEAD 2>/dev/null | sed 's/.*/ (&)/')\"" >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
.PHONY: always
always:
$(B)/obj/driver/ptxccc_options.o $(B)/obj/driver/annotate.o $(B)/obj/driver/ptxrun.o $(B)/obj/driver/ccc_ptxas.o $(B)/obj/driver/ptxccc_run.o $(B)/obj/tune/options.o $(B)/obj/tune/cache.o: | $(B)/gen/commit.h

# ---- templates: one row per line, see transform/text/template.h -------------------------------------------------------------------------
TPL = $(patsubst %,$(B)/gen/%.h,$(notdir $(wildcard transform/*/*.tpl)))
vpath %.tpl $(wildcard transform/*)
$(B)/gen/%.tpl.h: %.tpl transform/text/template.awk
	@mkdir -p $(@D)
	$(call told,AWK)
	$(Q)awk -f transform/text/template.awk $< >$@.tmp && mv $@.tmp $@

# ---- the page of --explain: invariants of the proofs, style and script -------------------------------------------------------------
$(B)/gen/proofs.h: report/proofs.awk $(wildcard docs/proofs/*.md)
	@mkdir -p $(@D)
	$(call told,AWK)
	$(Q)awk -f report/proofs.awk docs/proofs/*.md >$@.tmp && mv $@.tmp $@
$(B)/gen/%.h: report/%
	@mkdir -p $(@D)
	$(Q)sed 's/["\\]/\\&/g; s/^/"/; s/$$/\\n"/' $< >$@.tmp && mv $@.tmp $@
PAGE = $(B)/gen/proofs.h $(B)/gen/explain.css.h $(B)/gen/explain.js.h

# ---- the grammar ------------------------------------------------------------------------------------------------------
# Release archives contain the generated files, so that neither flex nor bison is needed (make dist).
ifdef GENERATED
$(B)/gen/ptx.tab.c $(B)/gen/ptx.lex.c: $(B)/gen/%.c: generated/%.c generated/%.h
	@mkdir -p $(@D)
	$(call told,COPY)
	$(Q)cp generated/$*.h $(@D) && cp $< $@
else
$(B)/gen/ptx.tab.c: parser/ptx.y $(B)/gen/.tools
	$(call told,BISON)
	$(Q)bison -Werror -Wno-error=other -o $@ --header=$(B)/gen/ptx.tab.h $<
$(B)/gen/ptx.lex.c: lexer/ptx.l $(B)/gen/.tools
	$(call told,FLEX)
	$(Q)flex -Cfe -o $@ --header-file=$(B)/gen/ptx.lex.h $<
endif
$(B)/gen/ptx.tab.h: $(B)/gen/ptx.tab.c
$(B)/gen/ptx.lex.h: $(B)/gen/ptx.lex.c
$(LIBOBJ): | $(B)/gen/ptx.tab.h $(B)/gen/ptx.lex.h $(TPL) $(PAGE)

$(B)/obj/gen/%.o: $(B)/gen/%.c Makefile | $(B)/gen/ptx.tab.h $(B)/gen/ptx.lex.h $(B)/gen/.tools
	@mkdir -p $(@D)
	$(call told,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(B)/obj/%.o: %.c Makefile | $(B)/gen/.tools
	@mkdir -p $(@D)
	$(call told,CC)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(B)/libcore.a: $(LIBOBJ)
	@rm -f $@
	$(call told,AR)
	$(Q)ar rcs $@ $^
# Three programs use libptxccc's interface. They find the library where they are: in this build, an installation or a wheel, in which
# lib/ptxccc/bin/ptxas is a copy of bin/ccc-ptxas. RPATH, not RUNPATH: LD_LIBRARY_PATH does not replace their compiler.
LIBCCC  = $(B)/lib/$(if $(filter -static,$(LDFLAGS)),libptxccc.a,$(SO))
BY_LIB  = $(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(LIBCCC) $(B)/libcore.a -Wl,--disable-new-dtags -Wl,-rpath,'$$ORIGIN/../lib:$$ORIGIN/../..'
$(B)/bin/ptxccc: $(patsubst %,$(B)/obj/driver/%.o,ptxccc ptxccc_options profiles ptxas) $(B)/libcore.a $(LIBCCC)
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(BY_LIB)
$(B)/bin/ccc-annotate: $(B)/obj/driver/annotate.o $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^
$(B)/bin/ccc-ptxas: $(patsubst %,$(B)/obj/driver/%.o,ccc_ptxas ptxas_args ptxas_find rewriter profiles) $(B)/libcore.a $(LIBCCC)
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(BY_LIB) -ldl
RUNOBJ := $(patsubst %,$(B)/obj/driver/%.o,ptxccc_run load_rewrite load_fatbin load_code load_jit load_cache cubin ptxas ptxas_find rewriter profiles rt/fatbin rt/fatbin_entries)
$(B)/bin/ptxccc-run: $(RUNOBJ) $(B)/libcore.a $(LIBCCC)
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(BY_LIB) -ldl
# Preloaded into programs that are not built with the sanitizers.
$(B)/lib/ptxccc/libptxccc-run.so: $(wildcard driver/load/*.[ch]) driver/rt/fatbin_entries.c driver/rt/fatbin.h annotate/ccc_profile_file.h annotate/ccc_timed.h Makefile | $(B)/gen/.tools
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) -fno-sanitize=all -shared -o $@ $(filter %.c,$^) -ldl -lpthread
# A folder with a bin/ptxas, for programs that are told where the CUDA toolkit is.
$(B)/lib/ptxccc/bin/ptxas: | $(B)/bin/ccc-ptxas
	@mkdir -p $(@D)
	$(call told,LN)
	$(Q)ln -sf ../../../bin/ccc-ptxas $@
$(B)/bin/ptxrun: $(B)/obj/driver/ptxrun.o $(B)/obj/driver/ptxrun_options.o $(B)/obj/driver/args.o $(B)/obj/driver/program.o $(B)/obj/driver/run_report.o $(B)/obj/driver/costs.o $(B)/obj/driver/kernels.o $(B)/obj/driver/rt/advice.o $(B)/obj/driver/rt/progress.o $(B)/obj/driver/rt/suppress.o $(B)/obj/driver/rt/toolkit.o $(B)/obj/driver/profiles.o $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -lm -lpthread
TUNEOBJ := $(patsubst %.c,$(B)/obj/%.o,$(filter-out tune/cupti.c tune/events.c,$(wildcard tune/*.c)))
$(B)/bin/ccc-tune: $(TUNEOBJ) $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -lm
# Libraries that ccc-tune loads into programs to time their kernels on a GPU. The one for CUPTI needs the toolkit's CUPTI.
TIMERS = $(B)/lib/ptxccc/libccc-events.so $(if $(CUPTI_H),$(B)/lib/ptxccc/libccc-cupti.so)
CUPTI_H := $(firstword $(wildcard $(CUDA)/include/cupti.h $(CUDA)/extras/CUPTI/include/cupti.h))
CUPTI_RECORD = $(shell grep -o 'CUpti_ActivityKernel[0-9]*' '$(dir $(CUPTI_H))cupti_activity.h' | sort -V | tail -1)
timers: $(TIMERS)
$(B)/lib/ptxccc/libccc-events.so: tune/events.c Makefile | $(B)/gen/.tools
	@mkdir -p $(@D) $(B)/obj
	$(call told,LD)
	$(Q)$(CC) $(ALL_CFLAGS) -fno-sanitize=all -shared -MF $(B)/obj/events.d -o $@ $< -ldl -lpthread
$(B)/lib/ptxccc/libccc-cupti.so: tune/cupti.c Makefile | $(B)/gen/.tools
	@mkdir -p $(@D) $(B)/obj
	$(call told,LD)
	$(Q)$(CC) $(ALL_CFLAGS) -fno-sanitize=all -isystem $(CUDA)/include -isystem $(dir $(CUPTI_H)) -DRECORD=$(CUPTI_RECORD) \
		-DCUPTI_PATH='"$(CUDA)/extras/CUPTI/lib64"' -shared -MF $(B)/obj/cupti.d -o $@ $< -ldl -lpthread
# The emulated GPU, and CUDA's runtime and driver API on it, under the names and symbol versions that programs require. In a
# separate folder, so that no program loads them by accident.
SHARED = $(CC) $(CFLAGS) $(SANFLAGS) $(filter-out -static,$(LDFLAGS)) -shared -Wl,-soname,$(@F)
RTOBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard driver/rt/*.c))
$(B)/lib/ptxrun/libptxrun.so: $(RTOBJ) $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(SHARED) -o $@ $(RTOBJ) $(B)/libcore.a -lm -lpthread -ldl
CUDARTOBJ := $(patsubst %.c,$(B)/obj/%.o,$(filter-out driver/cudart/cuda1%,$(wildcard driver/cudart/*.c)))
$(B)/lib/ptxrun/libcudart.so.%: $(B)/obj/driver/cudart/cuda%.o $(CUDARTOBJ) $(B)/lib/ptxrun/libptxrun.so driver/cudart/libcudart.map
	@mkdir -p $(@D)
	$(Q)sed 's/@version@/$*/' driver/cudart/libcudart.map >$(B)/obj/driver/cudart/$*.map
	$(call told,LD)
	$(Q)$(SHARED) -Wl,--version-script=$(B)/obj/driver/cudart/$*.map \
		-o $@ $< $(CUDARTOBJ) $(B)/lib/ptxrun/libptxrun.so -Wl,-rpath,'$$ORIGIN' -ldl
LIBCUDAOBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard driver/libcuda/*.c))
$(B)/lib/ptxrun/libcuda.so.1: $(LIBCUDAOBJ) $(B)/lib/ptxrun/libptxrun.so driver/libcuda/libcuda.map
	$(call told,LD)
	$(Q)$(SHARED) -Wl,--version-script=driver/libcuda/libcuda.map \
		-o $@ $(LIBCUDAOBJ) $(B)/lib/ptxrun/libptxrun.so -Wl,-rpath,'$$ORIGIN' -ldl
	$(call told,LN)
	$(Q)ln -sf $(@F) $(@D)/libcuda.so # what Numba looks for first; else it could find the toolkit's stub
# Preloaded, to replace a statically linked runtime. Without sanitizers, whose libraries are not initialised early enough.
$(B)/lib/ptxrun/libstatics.so: driver/preload/statics.c Makefile | $(B)/gen/.tools
	@mkdir -p $(@D) $(B)/obj
	$(call told,LD)
	$(Q)$(CC) $(ALL_CFLAGS) -fno-sanitize=all -shared -Wl,-z,initfirst -MF $(B)/obj/statics.d -o $@ $< -ldl
# Contains a checksum of the programs that it runs, so that compiler caches notice a change of them.
$(B)/bin/cccnvcc: annotate/cccnvcc.sh $(B)/bin/ptxccc $(B)/bin/ccc-annotate $(B)/lib/$(SO)
	$(call told,GEN)
	$(Q)id=$$(cat $^ | cksum | tr ' ' -) && sed "s/@ID@/$$id/" $< >$@.new && chmod 755 $@.new && mv $@.new $@
# Shell completion, generated from the output of --help.
$(COMPLETION): completion/make.sh base/annot.def base/diags.def $(PROGS) $(B)/bin/cccnvcc
	@mkdir -p $(@D)
	$(call told,GEN)
	$(Q)BIN=$(B)/bin sh $< $(@F) >$@.new && mv $@.new $@
# In a separate folder, which cccnvcc adds to the include path.
$(B)/include/ptxccc/%.h: annotate/%.h
	@mkdir -p $(@D)
	$(call told,COPY)
	$(Q)install -m 644 $< $@

# ---- for CMake projects: see cmake/CCCConfig.cmake -----------------------------------------------------------------------
$(B)/lib/cmake/CCC/%: cmake/%
	@mkdir -p $(@D)
	$(call told,COPY)
	$(Q)install -m 644 $< $@
$(B)/lib/cmake/CCC/%: cmake/%.in Makefile
	@mkdir -p $(@D)
	$(call told,GEN)
	$(Q)sed 's|@version@|$(VERSION)|' $< >$@

# ---- libptxccc: see lib/ptxccc.h -----------------------------------------------------------------------------------------
# A single object whose only global symbols are ptxccc_*; the static and the shared library are made from it.
.PHONY: lib
lib: $(B)/lib/libptxccc.a $(B)/lib/libptxccc.so $(B)/include/ptxccc/ptxccc.h
$(B)/obj/libptxccc.o: $(B)/obj/lib/ptxccc.o $(B)/obj/lib/options.o $(B)/obj/lib/given.o $(B)/obj/lib/describe.o $(B)/obj/lib/console.o $(B)/libcore.a
	$(call told,LD)
	$(Q)$(LD) -r -o $@.all $^
	$(Q)objcopy --wildcard --keep-global-symbol='ptxccc_*' $@.all $@
	@rm -f $@.all
$(B)/lib/libptxccc.a: $(B)/obj/libptxccc.o
	@mkdir -p $(@D)
	@rm -f $@
	$(call told,AR)
	$(Q)ar rcs $@ $^
$(B)/lib/$(SO): $(B)/obj/libptxccc.o
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -shared -Wl,-soname,$(SO) -o $@ $^
$(B)/lib/libptxccc.so: $(B)/lib/$(SO)
	$(call told,LN)
	$(Q)ln -sf $(SO) $@
$(B)/include/ptxccc/ptxccc.h: lib/ptxccc.h
	@mkdir -p $(@D)
	$(call told,COPY)
	$(Q)install -m 644 $< $@

-include $(LIBOBJ:.o=.d) $(wildcard $(B)/obj/load.d $(B)/obj/lib/*.d $(B)/obj/tune/*.d $(B)/obj/driver/*.d $(B)/obj/driver/*/*.d $(B)/obj/bench/*.d $(B)/obj/tests/*.d $(B)/obj/tests/*/*.d)

.PHONY: clean
clean:
	rm -rf build

# ---- tests ------------------------------------------------------------------------------------------------------------
# Each test program prints its own result; tests/check.sh adds them up.
UNITS  := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/*.c))
FUZZERS := $(patsubst tests/fuzz/%.c,$(B)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))

$(B)/tests/facts: $(B)/obj/tests/analysis/found.o
$(B)/tests/parse_main $(B)/tests/fuzz_parse: $(B)/obj/tests/view/print.o $(B)/obj/tests/view/equal.o
$(B)/tests/random_flow $(B)/tests/random_warp: $(B)/obj/tests/analysis/model.o
$(B)/tests/cubin $(B)/tests/same_code_main: $(B)/obj/driver/cubin.o
# They load the decompression libraries.
$(B)/tests/fatbin $(B)/tests/fatbin_main: $(B)/obj/driver/rt/fatbin.o $(B)/obj/driver/rt/fatbin_entries.o
$(B)/tests/fatbin: $(B)/obj/driver/load_fatbin.o
$(B)/tests/fatbin $(B)/tests/fatbin_main: LDFLAGS := \
	$(filter-out -static,$(LDFLAGS)) -Wl,--no-as-needed -ldl
$(B)/tests/%: $(B)/obj/tests/unit/%.o $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) -lm
$(B)/tests/fuzz_%: $(B)/obj/tests/fuzz/fuzz_%.o $(B)/obj/tests/fuzz/replay.o $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -lm -lpthread

# The library's tests are compiled like users' programs, against the installed header only.
LIBTESTS := $(patsubst tests/lib/%.c,$(B)/tests/lib_%,$(wildcard tests/lib/*.c))
$(B)/obj/tests/lib/%.o: ALL_CFLAGS += -I$(B)/include
$(LIBTESTS:$(B)/tests/lib_%=$(B)/obj/tests/lib/%.o): $(B)/include/ptxccc/ptxccc.h
$(B)/tests/lib_%: $(B)/obj/tests/lib/%.o $(B)/lib/libptxccc.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -lpthread

# Random kernels, original and transformed: make fuzz-diff N=10000 SEED=1; failing ones are written to build/.
GENOBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/gen/*.c))
$(B)/tests/fuzz_diff: $(GENOBJ) $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -lm -lpthread
# The same on a GPU, with kernels without annotations: fuzz_gpu -n 20000 -j 16. It loads libcuda.so.1 itself.
GPUOBJ := $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/gen/gpu/*.c tests/gen/alias*.c) tests/gen/unasked.c tests/gen/value.c)
$(B)/tests/fuzz_gpu: $(GPUOBJ) $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -lm -lpthread -ldl
.PHONY: fuzz-diff
fuzz-diff: $(B)/tests/fuzz_diff
	$(B)/tests/fuzz_diff -n $(or $(N),1000) -s $(or $(SEED),1) -o $(B)

# For hours, in JOBS processes, until ^C or for SECONDS: make fuzz-long SEED=1 JOBS=15 SECONDS=3600. The second target
# builds a program for a machine without a compiler.
.PHONY: fuzz-long fuzz-static
fuzz-long: $(B)/tests/fuzz_diff
	$(B)/tests/fuzz_diff -j $(or $(JOBS),$(shell nproc)) -w $(or $(SECONDS),$(if $(N),0,3600)) $(if $(N),-n $(N)) -s $(or $(SEED),1) -o $(B)
# Compiled twice, for profile-guided optimisation: the first program runs some kernels, and the second is optimised with its
# profile. All files are compiled as one, for processors of 2013 and later.
STATIC_ARCH = x86-64-v3
STATIC_FLAGS = -O3 -flto=2 -march=$(STATIC_ARCH)
STATIC_MAKE = $(MAKE) STATIC=1 B=build/static
fuzz-static:
	@rm -rf build/static
	+$(STATIC_MAKE) CFLAGS="$(STATIC_FLAGS) -fprofile-generate" build/static/tests/fuzz_diff
	build/static/tests/fuzz_diff -n 300 -s 400000 -o build/static >/dev/null
	@find build/static -name '*.[oa]' -delete && rm build/static/tests/fuzz_diff
	+$(STATIC_MAKE) CFLAGS="$(STATIC_FLAGS) -fprofile-use -Wno-missing-profile" build/static/tests/fuzz_diff

# Minimises the kernel of a failing seed: make reduce SEED=2.
.PHONY: reduce
reduce: $(B)/tests/fuzz_diff
	@B=$(B) sh tests/gen/reduce.sh $(SEED)

# Semantics-preserving edits of programs.
.PHONY: emi
emi: all
	@B=$(B) sh tests/gen/emi.sh
	@B=$(B) EMI=$(or $(SEED),1) sh tests/samples.sh

# Omits each template line once; make check-all tries more kernels.
.PHONY: prove
prove: all
	@sh tests/need.sh z3 cvc5
	@B=$(B) sh tests/prove/run.sh
	@B=$(B) sh tests/prove/slices.sh

# Seeded faults in transformed texts, and correct kernels.
.PHONY: validate-mutants
validate-mutants: all $(B)/tests/fuzz_diff $(B)/tests/validate_main
	@B=$(B) sh tests/validate/run.sh
	@B=$(B) sh tests/validate/lines.sh

.PHONY: mutants
mutants: $(B)/tests/fuzz_diff
	@B=$(B) sh tests/gen/mutants.sh

# The GPU part of bench/simt-*.sh. Needs the CUDA driver's header and stub library, but does not run nvcc.
$(B)/obj/bench/simt_h200.o $(B)/obj/bench/simt_slow.o: ALL_CFLAGS += -isystem $(CUDA)/include
$(B)/bench/simt_h200 $(B)/bench/simt_slow: $(B)/bench/%: $(B)/obj/bench/%.o $(B)/obj/driver/args.o $(B)/libcore.a
	@mkdir -p $(@D)
	$(call told,LD)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(LDFLAGS) -o $@ $^ -L$(CUDA)/lib64/stubs -lcuda

.SECONDARY:
.PHONY: check tests units fuzzers lib-tests
units: $(UNITS)
lib-tests: $(LIBTESTS) lib
fuzzers: $(FUZZERS)
tests: units fuzzers lib-tests $(B)/tests/fuzz_diff $(B)/tests/fuzz_gpu
# make quick: after each change; make quick FOLDER=transform/wait: what belongs to that folder. make check: what finds faults most often,
# in minutes. make check-rest: the other parts. make check-ci: both, without repetitions. make check-nvcc: cccnvcc against nvcc, whole; it needs nvcc. make check-all: everything.
.PHONY: quick check-rest check-ci check-nvcc check-all
quick: all tests
	@B=$(B) PARTS='$(PARTS)' FOLDER='$(FOLDER)' sh tests/check.sh quick
check: all tests
	@B=$(B) PARTS='$(PARTS)' sh tests/check.sh few
check-rest: all tests
	@B=$(B) PARTS='$(PARTS)' sh tests/check.sh rest
check-ci: all tests
	@B=$(B) PARTS='$(PARTS)' sh tests/check.sh ci
check-nvcc: all units
	@B=$(B) sh tests/check.sh nvcc
check-all: all tests
	@B=$(B) sh tests/check.sh all

# The README's two commands on a fresh Debian, in a chroot (minutes). Needs root and debootstrap.
.PHONY: check-fresh
check-fresh:
	@sh tests/fresh.sh

# libFuzzer proper (clang): make fuzz-build && build/fuzz/fuzz_parse tests/fuzz/corpus/parse
.PHONY: fuzz-build
fuzz-build: $(B)/gen/ptx.tab.h $(B)/gen/ptx.lex.h $(TPL) $(PAGE)
	@mkdir -p build/fuzz
	for f in $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c)); do \
		clang -std=c11 -D_POSIX_C_SOURCE=200809L -DVERSION='"$(VERSION)"' -g -O1 -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=all -I. -I$(B)/gen -o build/fuzz/$$f tests/fuzz/$$f.c $(wildcard tests/view/*.c) $(LIBSRC) $(B)/gen/ptx.tab.c $(B)/gen/ptx.lex.c -lm || exit 1; \
	done

# The dependencies between folders that docs/design.md 2 allows.
.PHONY: arrows
arrows:
	@sh tests/arrows.sh

# ---- demo and install -------------------------------------------------------------------------------------------------
.PHONY: demo install uninstall
demo: all
	@sh samples/demo.sh

# The documentation as a static site, build/docs/site; needs mkdocs, or PyPI.
.PHONY: docs
docs:
	@sh docs/site.sh $(B)/docs

TO    = $(DESTDIR)$(PREFIX)
MANTO = $(DESTDIR)$(MANDIR)
DOC   = $(TO)/share/doc/ptxccc
MAN   = man1/ptxccc.1 man1/ptxrun.1 man1/cccnvcc.1 man1/ccc-tune.1 man1/ccc-ptxas.1 man1/ptxccc-run.1 man3/ptxccc.3 man7/ptxccc-annotations.7
BASHTO = $(TO)/share/bash-completion/completions
install: all
	install -d "$(TO)/bin" "$(TO)/include/ptxccc" "$(TO)/lib/pkgconfig" "$(TO)/lib/ptxrun" "$(TO)/include/ptxrun" "$(TO)/lib/cmake/CCC"
	install -m 755 $(B)/bin/ptxccc $(B)/bin/ptxrun $(B)/bin/ccc-annotate $(B)/bin/cccnvcc $(B)/bin/ccc-tune $(B)/bin/ccc-ptxas $(B)/bin/ptxccc-run "$(TO)/bin"
	install -m 644 annotate/ccc.h annotate/ccc_profile.h annotate/ccc_profile_file.h annotate/ccc_timed.h lib/ptxccc.h "$(TO)/include/ptxccc"
	install -m 644 $(B)/lib/libptxccc.a "$(TO)/lib"
	install -m 755 $(B)/lib/$(SO) "$(TO)/lib"
	ln -sf $(SO) "$(TO)/lib/libptxccc.so"
	sed 's|@prefix@|$(PREFIX)|; s|@version@|$(VERSION)|' lib/ptxccc.pc.in >"$(TO)/lib/pkgconfig/ptxccc.pc"
	install -m 755 $(CUDART) "$(TO)/lib/ptxrun"
	install -d "$(TO)/lib/ptxccc" && install -m 755 $(TIMERS) $(B)/lib/ptxccc/libptxccc-run.so "$(TO)/lib/ptxccc"
	install -d "$(TO)/lib/ptxccc/bin" && ln -sf ../../../bin/ccc-ptxas "$(TO)/lib/ptxccc/bin/ptxas"
	ln -sf libcuda.so.1 "$(TO)/lib/ptxrun/libcuda.so"
	install -m 644 driver/cudart/host/cuda_runtime.h "$(TO)/include/ptxrun"
	install -m 644 $(CMAKE) "$(TO)/lib/cmake/CCC"
	for page in $(MAN); do \
		install -d "$(MANTO)/$${page%/*}" && install -m 644 docs/$${page#*/} "$(MANTO)/$${page%/*}" || exit 1; \
	done
	install -d "$(DOC)/docs/measurements/results" "$(DOC)/docs/proofs" "$(DOC)/docs/guide" "$(DOC)/bench" "$(DOC)/tests/papers" "$(DOC)/samples/cmake" "$(DOC)/samples/nvrtc"
	install -m 644 README.md LICENSE CHANGELOG.md CONTRIBUTING.md HACKING.md "$(DOC)"
	install -m 644 docs/*.md docs/*.png "$(DOC)/docs"
	install -m 644 docs/measurements/results/*.* "$(DOC)/docs/measurements/results"
	install -m 644 docs/proofs/*.md "$(DOC)/docs/proofs"
	install -m 644 docs/guide/*.md "$(DOC)/docs/guide"
	install -m 644 docs/measurements/*.md "$(DOC)/docs/measurements"
	install -d "$(DOC)/simt/sass" && install -m 644 simt/sass/README.md "$(DOC)/simt/sass"
	install -d "$(DOC)/python" && install -m 644 python/README.md "$(DOC)/python"
	install -m 644 action.yml "$(DOC)"
	install -m 644 bench/README.md "$(DOC)/bench"
	install -m 644 tests/papers/*.cu tests/papers/*.ptx "$(DOC)/tests/papers"
	install -m 644 samples/*.* "$(DOC)/samples"
	install -m 644 samples/cmake/* "$(DOC)/samples/cmake"
	install -m 644 samples/nvrtc/* "$(DOC)/samples/nvrtc"
	install -d "$(BASHTO)" "$(TO)/share/zsh/site-functions"
	install -m 644 $(B)/share/completion/ptxccc.bash "$(BASHTO)/ptxccc"
	ln -sf ptxccc "$(BASHTO)/cccnvcc"
	ln -sf ptxccc "$(BASHTO)/ptxrun"
	ln -sf ptxccc "$(BASHTO)/ccc-tune"
	ln -sf ptxccc "$(BASHTO)/ptxccc-run"
	install -m 644 $(B)/share/completion/_ptxccc "$(TO)/share/zsh/site-functions"
	@echo "not installed: the Python package (pip install ./python, or make wheel)$(if $(CUPTI_H),,; libccc-cupti.so, which needs the toolkit's CUPTI)"
# A Debian package, and a wheel of all programs, libraries and python/ (packaging/wheel.py).
DEB   = $(B)/deb
WHEEL = $(B)/wheel
.PHONY: deb wheel spack dist release
export VERSION HOMEPAGE MAINTAINER
deb: all
	@sh tests/need.sh dpkg-deb
	$(Q)sh packaging/deb.sh $(DEB)
wheel: all
	@sh tests/need.sh python3 strip objdump
	$(Q)stage=$$(mktemp -d) && trap 'rm -rf "$$stage"' EXIT && sh packaging/stage.sh "$$stage" "" && python3 packaging/wheel.py "$$stage" $(WHEEL)
# A Spack repository with the recipe.
SPACK = $(B)/spack
spack:
	@[ "$(HOMEPAGE)" ] || { echo "a recipe needs the repository's address: make spack HOMEPAGE=https://..." >&2; exit 1; }
	@mkdir -p $(SPACK)/spack_repo/ptxccc/packages/ptxccc
	$(Q)sed 's|@homepage@|$(HOMEPAGE)|; s|@version@|$(VERSION)|g' packaging/spack/package.py.in >$(SPACK)/spack_repo/ptxccc/packages/ptxccc/package.py
	$(Q)printf 'repo:\n  namespace: ptxccc\n  api: v2.0\n' >$(SPACK)/spack_repo/ptxccc/repo.yaml
# A source archive of the commit with the generated parser; and wheel, Debian package and archive, with checksums.
DIST    = $(B)/dist
RELEASE = $(B)/release
dist: $(B)/gen/ptx.tab.c $(B)/gen/ptx.lex.c
	$(Q)B=$(B) sh packaging/dist.sh $(DIST)
release:
	@git diff --quiet HEAD -- || { echo "make release: 'git diff HEAD' shows changes, which the source archive would not have" >&2; exit 1; }
	@rm -rf $(RELEASE)
	+$(Q)$(MAKE) -s deb DEB=$(RELEASE)
	+$(Q)$(MAKE) -s wheel WHEEL=$(RELEASE)
	+$(Q)$(MAKE) -s dist DIST=$(RELEASE)
	$(Q)cd $(RELEASE) && sha256sum * >../SHA256SUMS && mv ../SHA256SUMS .
	@ls -l $(RELEASE)
uninstall:
	rm -f "$(TO)/bin/ptxccc" "$(TO)/bin/ptxrun" "$(TO)/bin/ccc-annotate" "$(TO)/bin/cccnvcc" "$(TO)/bin/ccc-tune" "$(TO)/bin/ccc-ptxas" "$(TO)/bin/ptxccc-run"
	rm -rf "$(TO)/include/ptxccc" "$(TO)/include/ptxrun" "$(TO)/lib/ptxrun" "$(TO)/lib/ptxccc" "$(TO)/lib/cmake/CCC" "$(DOC)"
	rm -f "$(TO)/lib/libptxccc.a" "$(TO)/lib/libptxccc.so" "$(TO)/lib/$(SO)" "$(TO)/lib/pkgconfig/ptxccc.pc"
	for page in $(MAN); do rm -f "$(MANTO)/$$page"; done
	rm -f "$(BASHTO)/ptxccc" "$(BASHTO)/cccnvcc" "$(BASHTO)/ptxrun" "$(BASHTO)/ccc-tune" "$(BASHTO)/ptxccc-run" "$(TO)/share/zsh/site-functions/_ptxccc"
