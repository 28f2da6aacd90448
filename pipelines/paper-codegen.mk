# SPDX-License-Identifier: BSD-3-Clause
# Fully automated code generation for sparse matrix permanents on GPUs (Elbek, Kaya): its tables I, III and IV and figure 5.
# paper.mk says how it is called, mmpipe-experiments(7) what the rows mean.
name = codegen
SHELL = /bin/bash
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
include $(subst $() ,\ ,$(here))/paper.mk

# Cases are named ORDER-SHARE-SEED. There is a permanent: the diagonal is kept.
matrix = mm-gen er $(call w,1) -p $(call w,2) --values uniform --diagonal --seed $(call w,3)
perm = perm-gpu -q -j $(THREADS) --max-time $(LIMIT) --json --checkpoint @state@
shares = 0.1 0.2 0.3 0.4 0.5
# The two methods that are as in the paper run on GPUs alone.
papers := $(if $(filter 0,$(gpus)),,register-cuda hybrid-cuda)
cases = $(foreach n,$1,$(foreach p,$(shares),$(2:%=$n-$p-%)))

# Table I: one matrix of order 45, by the method that is chosen and by the paper's.
order := $(call pick,32,45)
$(eval $(call table,table1,$(order)-0.2-1 $(papers:%-cuda=$(order)-0.2-1-%)))
$(work)/table1/%.row:
	$(run) wall seconds -- '$(matrix) | $(perm) --raw $(if $(call w,4),--kernel $(call w,4)-cuda)'

# Table III: random matrices, the whole program: ordering, code and its compilation included.
$(eval $(call table,table3,$(call pick,40-0.1-1 40-0.2-1 34-0.3-1 34-0.4-1 34-0.5-1,$(call cases,40 45 48,1 2 3))))
$(work)/table3/%.row:
	$(run) wall seconds states+subsets=states+subsets bound=error_bound -- '$(matrix) | $(perm)'

# The paper's two methods on the same matrices.
$(eval $(call table,methods,$(foreach n,$(call pick,40,40 45 48),$(foreach p,$(shares),$(papers:%-cuda=$n-$p-1-%)))))
$(work)/methods/%.row:
	$(run) wall seconds -- '$(matrix) | $(perm) --raw --kernel $(call w,4)-cuda'

# Table IV: real matrices. Those whose files are not in MATRICES are left out.
$(eval $(call table,table4,$(call pick,d_ss curtis54 bcspwr02,bcsstk01 mycielskian6 mesh1e1 d_ss curtis54 bcspwr02)))
$(work)/table4/%.row:
	$(run) wall seconds states+subsets=states+subsets value=permanent bound=error_bound -- '$(perm) @$*@'

# Figure 5: the row sums that the hybrid kernel keeps in registers, two of 32 bits each, and the columns that touch no others, with
# and without the paper's ordering (ORDER-SHARE-SEED-ordered, -unordered); and what the compiler makes of our kernels (-KERNEL):
# registers of a thread and bytes that it spills. nvcc is needed for these, a GPU is not.
NVCC = $(shell command -v nvcc || echo /usr/local/cuda/bin/nvcc)
ARCH = sm_90
kernels = register hybrid sparse
$(eval $(call table,figure5,$(foreach n,$(call pick,40,40 45 48),$(foreach p,$(shares),$(addprefix $n-$p-1-,ordered unordered $(kernels))))))
used = (?<spilled>\d+) bytes spill stores.*Used (?<registers>\d+) registers.* sums (?<sums>\d+)
define partition
$(work)/figure5/%-$1.row:
	$$(run) --x $$(call w,2) --series $$(call w,1)-$1 sum_registers sums columns -- '$$(matrix) | mm-order --for $2 | \
		awk "/^% order.c:/ { c = \$$$$3 } /^% order.k:/ { k = \$$$$3 } END { \
			printf \"{\\\"columns\\\":%d,\\\"sums\\\":%d,\\\"sum_registers\\\":%d}\\n\", c, k, 2 * k }"'
endef
$(eval $(call partition,ordered,perm))
$(eval $(call partition,unordered,partition))
$(work)/figure5/%.row:
	$(run) --x $(call w,2) --series $(call w,1)-$(call w,4) --match '$(used)' sums registers spilled -- \
		'$(matrix) | perm-gpu -q --raw --emit-kernel --kernel $(call w,4)-cuda >@out@.cu; \
		echo $$($(NVCC) -arch=$(ARCH) -cubin -Xptxas -v -o @out@.cubin @out@.cu 2>&1) sums $$(grep -c "^double x[0-9]" @out@.cu || true); \
		rm @out@.cu @out@.cubin'
