# Benchmarks for machines with NVIDIA GPUs: each prints tables with ratios to other software.
#
#     make -f pipelines/bench-gpu.mk [perm] [h2]
#
# Where the programs were built elsewhere: python3 pipelines/bench_gpu_perm.py FOLDER with bin/ in PATH.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
here := $(dir $(lastword $(MAKEFILE_LIST)))
export PATH := $(CURDIR)/bin:$(PATH)
work = build-bench
THREADS = $(shell nproc)

all: perm h2

programs:
	$(MAKE) all

perm: programs
	mkdir -p $(work)
	python3 $(here)bench_gpu_perm.py $(work)

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

.PHONY: all programs perm h2
