# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks: each prints one table with ratios to other software, measured in the same run.
#
#     make -f pipelines/bench.mk [io] [pipes] [small] [dm] [dense] [exact] [precision] [sparse] [frontier] [plan]
#         [permanents] [optics] [memory] [formats] [spmm] [flip] [h2] [h2-pipe]
#
# Python packages for the comparisons are installed into build-bench/venv, nowhere else.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
# This makefile's folder; $(dir) would take one with blanks to pieces.
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
export PATH := $(CURDIR)/bin:$(PATH)
work = build-bench
python = $(work)/venv/bin/python

all: io formats pipes small dm dense exact precision sparse frontier plan permanents optics memory spmm flip h2 h2-pipe

$(python):
	mkdir -p $(work)
	python3 -m venv $(work)/venv
	$(work)/venv/bin/pip -q install fast_matrix_market thewalrus numpy scipy

programs:
	$(MAKE) all

io memory: programs $(python)
	$(python) "$(here)/bench_$@.py" $(work)

# In memory, which leaves the disk out.
formats: programs
	folder=$$(mktemp -d -p /dev/shm) && { trap 'rm -rf "$$folder"' EXIT; python3 "$(here)/bench_formats.py" "$$folder"; }

pipes: programs
	mkdir -p $(work)
	python3 "$(here)/bench_pipes.py" $(work)

# Another number of matrices: make -f pipelines/bench.mk small COUNT=10000
small: programs
	mkdir -p $(work)
	python3 "$(here)/bench_small.py" $(work) $(COUNT)

dm: programs
	mkdir -p $(work)
	$(MAKE) pipelines/bench_dm
	python3 "$(here)/bench_dm.py" pipelines/bench_dm $(work)

# Other limits of the estimates, in seconds: make -f pipelines/bench.mk plan SECONDS='0.5 20'
plan: programs
	mkdir -p $(work)
	python3 "$(here)/bench_planner.py" $(work) $(SECONDS)

# Some matrices only: make -f pipelines/bench.mk permanents NAMES='curtis54 bcsstk01'
permanents: programs
	python3 "$(here)/bench_permanents.py" $(NAMES)

# Orders other than the default: make -f pipelines/bench.mk optics ORDERS='12 18'
optics: programs $(python)
	-$(work)/venv/bin/pip -q install piquasso
	$(python) "$(here)/bench_optics.py" $(work) $(ORDERS)

frontier: programs
	mkdir -p $(work)
	python3 "$(here)/bench_frontier.py" $(work)

dense: programs $(python)
	$(MAKE) pipelines/bench_dense
	$(python) "$(here)/bench_dense.py" pipelines/bench_dense

# Orders other than the default, and on more threads: make -f pipelines/bench.mk precision ORDERS='-j 24 30 32'
exact precision: programs
	$(MAKE) pipelines/bench_$@
	pipelines/bench_$@ $(ORDERS)

# Orders other than the default: make -f pipelines/bench.mk sparse ORDERS=30
sparse: programs
	mkdir -p $(work)
	$(MAKE) pipelines/bench_sparse
	python3 "$(here)/bench_sparse.py" pipelines/bench_sparse $(work) $(ORDERS)

# Seeds and processors of the searches: make -f pipelines/bench.mk flip SEEDS=3 THREADS=2
flip: programs
	mkdir -p $(work)
	$(MAKE) pipelines/bench_flip
	bash "$(here)/bench_flip.sh" pipelines/bench_flip $(work) $(or $(SEEDS),10) $(or $(THREADS),2)

# Sizes other than 2^14 to 2^17: make -f pipelines/bench.mk h2 SIZES='14 16'
h2: programs
	$(MAKE) pipelines/bench_h2
	pipelines/bench_h2 $(SIZES)

# From program to program beside one program that does all. Other sizes: make -f pipelines/bench.mk h2-pipe SIZES='15 18'
h2-pipe: programs
	$(MAKE) pipelines/bench_h2_one
	folder=$$(mktemp -d -p /dev/shm) && { trap 'rm -rf "$$folder"' EXIT; \
		PATH=$(CURDIR)/pipelines:$$PATH python3 "$(here)/bench_h2_pipe.py" "$$folder" cpu $(SIZES); }

# Peers that cannot be installed are left out of the table.
$(work)/venv/spmm: $(python)
	-for package in mkl python-graphblas; do $(work)/venv/bin/pip -q install $$package; done
	touch $@

empty =
$(work)/spmm_matrices: $(subst $(empty) ,\ ,$(or $(MMPIPE_SHARED),../shared)/tools/spmm_matrices.cpp)
	mkdir -p $(work)
	$(or $(CXX),c++) -O2 -pthread -o $@ '$<'

# Other matrices of tools/spmm_matrices.cpp: make -f pipelines/bench.mk spmm MATRICES='rmat16 uni8'
spmm: programs $(work)/venv/spmm $(work)/spmm_matrices
	$(python) "$(here)/bench_spmm.py" $(work) $(work)/spmm_matrices $(MATRICES)

.PHONY: all programs io formats pipes small dm dense exact precision sparse frontier plan permanents optics memory
.PHONY: spmm flip h2 h2-pipe
