# SPDX-License-Identifier: BSD-3-Clause
# SUperman: efficient permanent computation on GPUs (Elbek, Tasyaran, Ucar, Kaya): its tables 3, 4, 5, figure 8 and the
# permanent of order 62; known programs for permanents and for its decomposition into blocks. paper.mk says how it is called, mmpipe-experiments(7) what the rows mean.
name = superman
SHELL = /bin/bash
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
include $(subst $() ,\ ,$(here))/paper.mk

# Constant matrices: --kernel, or the multiplicities of rows and columns would be used.
double := $(if $(filter 0,$(gpus)),dense,dense-pairs-cuda)
dd := $(if $(filter 0,$(gpus)),dd,dd-cuda)
begin = perm-gpu -q -j $(THREADS) --max-time $(LIMIT) --json
perm = $(begin) --checkpoint @state@

# Table 3: all entries 0.3, so that the permanent is known. Ours are double, always with compensated sums, and pairs of doubles.
table3 := $(call pick,24-double 30-double 35-double 24-dd 28-dd,$(foreach n,35 40 45 48 50,$n-double $n-dd))
$(eval $(call table,table3,$(table3)))
$(work)/table3/%.row:
	$(run) --exact $(call w,1):0.3 wall seconds error bound=error_bound -- \
		'mm-gen constant $(call w,1) --values 0.3 | $(perm) --raw --precision $(call w,2) --kernel $($(call w,2))'

# Table 4: random dense matrices, by the kernel that is the fastest, and by those of the paper (superman-*-cuda): row sums and
# matrix in shared memory, global memory or registers, code for the order, CEG. ORDER, ORDER-VARIANT. They run on GPUs alone.
places = shared-shared shared-global registers-global registers-shared registers-shared-code
variants := $(if $(filter 0,$(gpus)),,$(foreach v,$(places),$v $v-ceg))
orders4 := $(call pick,30 32,30 32 35 40 45 48)
table4 := $(foreach n,$(orders4),$n $(variants:%=$n-%))
$(eval $(call table,table4,$(table4)))
variant = $(subst $() ,-,$(strip $(wordlist 2,9,$(subst -, ,$*))))
$(work)/table4/%.row:
	$(run) wall seconds -- 'mm-gen dense $(call w,1) --values uniform --seed 1 | \
		$(perm) --raw --precision double --kernel $(if $(variant),superman-$(variant)-cuda,$(double))'

# Known programs for the same formula, on processors: ORDER-THREADS.
orders_peers := $(call pick,18 20,20 24 26)
$(eval $(call table,peers,$(foreach n,$(orders_peers),$(sort $n-1 $n-$(THREADS)))))
$(work)/peers/%.row:
	$(run) $(call peer,permanent,thewalrus,@out@.mtx $(call w,2)) $(call peer,permanent,piquasso,@out@.mtx $(call w,2); rm @out@.mtx) seconds -- \
		'mm-gen dense $(call w,1) --values uniform --seed 1 -o @out@.mtx; \
		perm-gpu -q -j $(call w,2) --device cpu --json --raw --precision double --kernel dense @out@.mtx'

# Table 5: real matrices, and the terms that SUperman's decomposition makes of them. Those whose files are not in MATRICES are
# left out.
matrices = bcspwr02 d_ss curtis54 will57 impcol_b dwt_59 bfwb62 ww_36_pmec_36 west0067 CAG_mat72 steam3
few = bcspwr02 d_ss curtis54 will57 impcol_b bfwb62 ww_36_pmec_36 steam3
fewer = bcspwr02 d_ss will57 impcol_b bfwb62 ww_36_pmec_36 steam3
$(eval $(call table,table5,$(call pick,$(few),$(matrices)) $(addprefix terms-,$(call pick,$(fewer),$(matrices)))))
$(work)/table5/terms-%.row:
	$(run) terms=sum:terms+zero_terms wall -- 'mm-dm --blocks @$*@ | mm-fmdecompose -q --rule superman --summary --json'
$(work)/table5/%.row:
	$(run) wall seconds states+subsets=states+subsets value=permanent bound=error_bound -- '$(perm) @$*@'

# Dulmage-Mendelsohn decomposition, with which SUperman begins, of a matrix in a file, on one thread and with the start of
# ours, beside CXSparse's cs_dmperm, processor time: real ones and FAMILY-SIZE.
generated_blocks := $(call pick,er-20000 stencil-200x200,er-200000 rmat-131072 stencil-400x400)
family_er = er $(call w,2) -p $$(awk "BEGIN { print 4 / $(call w,2) }")
family_rmat = rmat $(call w,2)
family_stencil = stencil $(call w,2)
generated = $(family_$(call w,1))
$(eval $(call table,blocks,$(call pick,$(few),$(matrices)) $(generated_blocks)))
$(work)/blocks/%.row:
	$(run) $(call peer,blocks,cxsparse,@out@.mtx; rm @out@.mtx) seconds=$(processor_seconds) blocks=dm_blocks sprank=structural_rank largest=dm_largest_block -- \
		'$(if $(generated),mm-gen $(generated) --field pattern,mm-cat @$*@) -o @out@.mtx; $(processor_time); \
		{ time mm-dm -q -j1 --summary --json @out@.mtx; } 2>&1'

# Figure 8: GPUs 1, 2, 4, 8. Those that are there are measured; for others the parts that M machines of one GPU (here of
# one thread) would do are run one after another, and the longest is taken: `computed`.
measured := $(foreach m,1 2 4 8,$(shell test $m -le $(gpus) && echo $m))
computed := $(filter-out $(measured),1 2 4 8)
orders := $(call pick,30,48 50)
cases8 := $(foreach n,$(orders),$(measured:%=$n-%-measured) $(computed:%=$n-%-computed))
$(eval $(call table,figure8,$(cases8)))
devices = cuda:$(shell seq -s, 0 $$(($(call w,2) - 1)))
dense = mm-gen dense $(call w,1) --values uniform --seed 1
$(work)/figure8/%-measured.row:
	$(run) --x $(call w,2) --series $(call w,1) wall seconds -- '$(dense) | $(perm) --raw --kernel $(double) --device $(devices)'
$(work)/figure8/%-computed.row:
	$(run) --x $(call w,2) --series $(call w,1) seconds=max:seconds -- '$(dense) >@out@.mtx; \
		for part in $$(seq $(call w,2)); do \
			test -s @state@.$$part.json || $(begin) --checkpoint @state@.$$part -o @state@.$$part.json \
				--raw --kernel $(double) $(if $(filter 0,$(gpus)),-j 1,--device cuda:0) --part $$part/$(call w,2) @out@.mtx; \
		done; cat @state@.*.json; rm @out@.mtx'

# The permanent of order 62: what is planned, one of its parts, from which the whole is projected, and that part computed
# twice, by other code the second time: it is a row only if both agree.
parts := $(call pick,64,65536)
order := $(call pick,30,62)
part = $(dense) | $(perm) --raw --kernel $(double) --max-time 100000d --part 1/$(parts)
$(eval $(call table,n62,$(order)-plan $(order)-part $(order)-verified))
$(work)/n62/%-plan.row:
	$(run) --match '(?<method>dense-(?:portable|avx2|avx512|pairs-cuda)) +(?<planned>[\d.e+]+) s' planned -- \
		'$(dense) | perm-gpu --raw --kernel list --max-time 100000d'
$(work)/n62/%-part.row:
	$(run) --scale $(parts) part=max:seconds projected hours192 -- '$(part)'
$(work)/n62/%-verified.row:
	$(run) part=max:seconds -- '$(part) --verify-share 1'
