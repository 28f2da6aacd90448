# SPDX-License-Identifier: BSD-3-Clause
# TCA-SpMM: sparse products on tensor cores (its section 4): its kernels tca (several rows a block) and tca_row (one), every other
# one, and the one that is chosen, on sparse weights of networks. The paper's own times were not at hand: nothing is published here.
# paper.mk says how it is called, mmpipe-experiments(7) what the rows mean.
#
# DLMC=DIR: a folder with the Deep Learning Matrix Collection's .smtx files; without it random matrices of its sizes and shares.
name = tca
SHELL = /bin/bash
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
include $(subst $() ,\ ,$(here))/paper.mk

widths = $(call pick,64,32 128 512)
precisions = $(call pick,fp16,fp16 bf16 tf32 fp32)
bench = spmm-tc -q -j $(THREADS) --bench --json -n $(call w,3) -p $(call w,4)
figures = --by kernel warm_seconds gflops_rate=gflops
# ROWSxCOLUMNS-SHARE-WIDTH-PRECISION, as layers of transformers and of residual networks are.
matrices = $(call pick,512x512-0.1 2048x512-0.3,$(foreach size,512x512 512x2048 2048x512 1024x4608,$(foreach p,0.5 0.4 0.3 0.2 0.1 0.05 0.02,$(size)-$p)))
cases = $(foreach m,$1,$(foreach n,$(widths),$(foreach p,$(precisions),$m-$n-$p)))
matrix = mm-gen er $(call w,1) -p $(call w,2) --values uniform --seed 1

# Every kernel that takes the matrix.
$(eval $(call table,kernels,$(call cases,$(matrices))))
$(work)/kernels/%.row:
	$(run) $(figures) -- '$(matrix) | $(bench) --kernel all'

# The one that is chosen, on a GPU beside the paper's two, in the precisions that these have.
beside = $(foreach k,tca tca_row,--peer '$k=$(matrix) | $(bench) --kernel $k | sed "s/.*\"warm_seconds\":\([^,]*\),.*/\1/"')
$(eval $(call table,chosen,$(call cases,$(matrices))))
$(work)/chosen/%.row:
	$(run) $(if $(filter 0,$(gpus)),,$(if $(filter fp16 bf16,$(call w,4)),$(beside))) $(figures) -- '$(matrix) | $(bench)'

# Known programs on processors: ROWSxCOLUMNS-SHARE-PRECISION-THREADS, 128 columns. scipy has one thread, CHOLMOD too, and doubles. And reading the
# matrix, on one thread, processor time, the start of ours included: ROWSxCOLUMNS-SHARE-read.
threads := $(sort 1 $(THREADS))
others = $(foreach p,scipy torch graphblas cholmod,$(call peer,product,$p,@out@.mtx $(call w,4) $(call w,3)))
$(eval $(call table,peers,$(foreach m,$(matrices),$m-read $(foreach p,fp32 fp64,$(threads:%=$m-$p-%)))))
$(work)/peers/%-read.row:
	$(run) $(call peer,reading,fast_matrix_market,@out@.mtx) $(call peer,reading,cholmod,@out@.mtx; rm @out@.mtx) seconds=$(processor_seconds) -- \
		'$(matrix) -o @out@.mtx; $(processor_time); { time mm-cat -j1 --check @out@.mtx; } 2>&1'
$(work)/peers/%.row:
	$(run) $(others) $(call peer,product,mkl,@out@.mtx $(call w,4) $(call w,3); rm @out@.mtx) warm_seconds -- '$(matrix) -o @out@.mtx; \
		spmm-tc -q --bench --json --device cpu -n 128 -p $(call w,3) -j $(call w,4) @out@.mtx'

# The collection's own files, all kernels: FILE-WIDTH-PRECISION, where / is _ and - is = in FILE.
ifneq ($(DLMC),)
underline := _
files := $(shell cd '$(DLMC)' && find . -name '*.smtx' | sed 's,^\./,,; s/_/%/g; y,/-,_=,; s/\.smtx$$//' | sort)
path = $(DLMC)/$(subst %,_,$(subst =,-,$(subst _,/,$(call w,1)))).smtx
$(eval $(call table,dlmc,$(foreach f,$(files),$(foreach n,$(widths),$(foreach p,$(precisions),$f-$n-$p)))))
$(work)/dlmc/%.row: w = $(word $1,$(subst -, ,$*))
$(work)/dlmc/%.row:
	$(run) $(figures) -- 'spmm-tc -q -j $(THREADS) --bench --json -n $(call w,2) -p $(call w,3) --kernel all "$(path)"'
endif
