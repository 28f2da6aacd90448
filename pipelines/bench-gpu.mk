# SPDX-License-Identifier: BSD-3-Clause
# Benchmarks for machines with NVIDIA GPUs: each prints tables with ratios to other software.
#
#     make -f pipelines/bench-gpu.mk [perm] [h2] [h2-pipe] [flip] [spmm] [spmm-drawn]
#
# Where the programs were built elsewhere: python3 pipelines/bench_gpu_perm.py FOLDER with bin/ in PATH.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
# This makefile's folder; $(dir) would take one with blanks to pieces.
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
export PATH := $(CURDIR)/bin:$(PATH)
work = build-bench
THREADS = $(shell nproc)

all: perm h2 h2-pipe flip spmm

programs:
	$(MAKE) all

perm: programs
	mkdir -p $(work)
	python3 "$(here)/bench_gpu_perm.py" $(work)

# Hierarchical matrices, under two minutes; growth from 2^14 to 2^20 points. Sizes other than the default:
# make -f pipelines/bench-gpu.mk h2 SIZES='17 18'
SIZES = 14 15 16 17 18 19 20
h2: programs
	$(MAKE) pipelines/bench_gpu_h2
	pipelines/bench_gpu_h2 -j $(THREADS) 2 $(SIZES)
	pipelines/bench_gpu_h2 -j $(THREADS) 3 $(SIZES)
	pipelines/bench_gpu_h2 -j $(THREADS) -s 2 18
	pipelines/bench_gpu_h2 -j $(THREADS) -s 3 18 19
	pipelines/bench_gpu_h2 -j $(THREADS) -w 3 19
	pipelines/bench_gpu_h2 -j $(THREADS) -p 5 -l 128 3 20
	pipelines/bench_gpu_h2 -j $(THREADS) -p 6 -l 256 3 20
	pipelines/bench_gpu_h2 -j $(THREADS) -p 16 -l 256 2 20

# From program to program, about four minutes. Files are in memory. Other sizes:
# make -f pipelines/bench-gpu.mk h2-pipe PIPE_SIZES='17 18'
h2-pipe: programs
	folder=$$(mktemp -d -p /dev/shm) && { trap 'rm -rf "$$folder"' EXIT; \
		python3 "$(here)/bench_h2_pipe.py" "$$folder" cuda $(or $(PIPE_SIZES),17 18 19 20); }

# Flips a second and times to ranks on flip graphs over F2, under eight minutes: of one core at each state, and times of
# all processors; of the GPUs. Others: CPU, jakobmoosbauer/flips 6.7e6 flips/s for 4x4x4 and 3.8e6 for 5x5x5, flip-cpd
# 10e6 and 6.4e6, ternary_flip_graph 5.6e6 and 3.5e6; H200, FlipGraphGPU attempts 3.4e8 and 1.7e7, and is at rank 49 for
# 4x4x4 after 40 s; 47 takes about 30 s on an RTX PRO 6000 (percisely.xyz). 5x5x5: symmetric-flips, of 99 runs in 433 s
# of a core one came to 96.
flip_gpu = pipelines/bench_gpu_flip
flip: programs
	mkdir -p $(work)
	$(MAKE) pipelines/bench_flip $(flip_gpu)
	sed -n '/^# Flips a second and/,/^[^#]/s/^# //p' "$(here)/bench-gpu.mk"
	bash "$(here)/bench_flip.sh" pipelines/bench_flip $(work) 1 $$(nproc)
	$(flip_gpu) rate 4x4x4 64 53 49 48 47
	$(flip_gpu) rate 4x4x4 64 53 49 kernel=flip-match
	$(flip_gpu) rate 4x4x4 64 53 49 kernel=flip-list
	$(flip_gpu) rate 5x5x5 125
	$(flip_gpu) rate 5x5x5 103 97 way=cyclic
	$(flip_gpu) rate 5x5x5 125 103 97 way=cyclic kernel=flip-match
	$(flip_gpu) time 3x3x3 23 seeds=10
	$(flip_gpu) time 4x4x4 47 seeds=10
	bash "$(here)/bench_flip.sh" pipelines/bench_flip $(work) 1 $$(nproc) cuda
	$(flip_gpu) time 5x5x5 97 seeds=5 cyclic=1 limit=60
	$(flip_gpu) time 5x5x5 93 seeds=5 cyclic=1 limit=60
	$(flip_gpu) rate 6x6x6 200 180 reversed=1
	$(flip_gpu) time 6x6x6 159 reversed=1 limit=30

# Sparse products on the 22 matrices, about a minute. $(BEST) has the fastest times known. Fewer of them, or
# all kernels of the table with their preparation, to see how good the choice is:
# make -f pipelines/bench-gpu.mk spmm ARGUMENTS='-m rmat16,sbm -n 128 -p fp16,fp32'
# make -f pipelines/bench-gpu.mk spmm ARGUMENTS='-k chosen,families -a'
BEST = ../shared/notes/spmm-best.csv
spmm: programs
	$(MAKE) pipelines/bench_gpu_spmm
	pipelines/bench_gpu_spmm -t $(THREADS) -b $(BEST) $(ARGUMENTS)

# Beside cuSPARSE on 40 matrices that no price was fitted to, drawn from SEED: about two minutes.
SEED = 1
spmm-drawn: programs
	$(MAKE) pipelines/bench_gpu_spmm
	python3 "$(here)/draw_spmm_matrices.py" $(SEED) 40 | while read -r options; do mm-gen --form bin --level 0 $$options; done | \
		pipelines/bench_gpu_spmm -t $(THREADS) -n 16,64,96,256,1024 -p fp16,fp32,fp64 -k chosen,cusparse $(ARGUMENTS) -

.PHONY: all programs perm h2 h2-pipe flip spmm spmm-drawn
