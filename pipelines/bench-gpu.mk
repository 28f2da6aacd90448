# Benchmarks for machines with NVIDIA GPUs: each prints tables with ratios to other software.
#
#     make -f pipelines/bench-gpu.mk [perm]
#
# Where the programs were built elsewhere: python3 pipelines/bench_gpu_perm.py FOLDER with bin/ in PATH.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
here := $(dir $(lastword $(MAKEFILE_LIST)))
export PATH := $(CURDIR)/bin:$(PATH)
work = build-bench

all: perm

programs:
	$(MAKE) all

perm: programs
	mkdir -p $(work)
	python3 $(here)bench_gpu_perm.py $(work)

.PHONY: all programs perm
