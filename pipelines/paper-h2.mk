# SPDX-License-Identifier: BSD-3-Clause
# Hierarchical matrix operations on GPUs: matrix-vector multiplication and compression (Boukaram, Turkiyyah, Keyes): its tables 2
# and 3, figures 7 to 9 and 13 to 17. paper.mk says how it is called, mmpipe-experiments(7) what the rows mean.
#
# Other sizes than 2^14 to 2^20, as powers of two: SIZES='14 22'; other than 2^14 to 2^19 in tables 2 and 3: ERRORS='14 15'.
name = h2
SHELL = /bin/bash
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
include $(subst $() ,\ ,$(here))/paper.mk

SIZES := $(call pick,12 14,14 15 16 17 18 19 20)
ERRORS := $(call pick,14,14 15 16 17 18 19)

# Points of a perturbed grid, split at the mean. The paper does not tell eta nor by how much it perturbs: with these the errors of
# its matrices before compression, and those of what it changes, come out as published.
grid_2 = $$((1 << ($1 + 1) / 2))x$$((1 << $1 / 2))
grid_3 = $$((1 << ($1 + 2) / 3))x$$((1 << ($1 + 1) / 3))x$$((1 << $1 / 3))
length_2 = 0.1
length_3 = 0.2
eta_2 = 0.85
eta_3 = 1.5
tol_2 = 1e-7
tol_3 = 1e-3
h2 = -q -j $(THREADS)
# Of dimension, power of two, and options.
build = mm-gen points --grid=$(call grid_$1,$2) --perturb=0.8 --seed=1 | h2-build $(h2) -l $(length_$1) --eta=$(eta_$1) --split=mean $3
# A rank for each level, as the paper has it.
compress = h2-compress $(h2) -t $(tol_$1) --level-ranks

# Tables 2 and 3: what compression changes, in the Frobenius norm and relative to that of the whole matrix, and the errors of a
# product before and after. `bound` holds for rows and columns, `change` is the rows' part, which the paper's algorithm sums up.
define errors
$(work)/$1/%.row:
	$$(run) --times 0.70710678 change=last:compression_error/last:norm*times bound=last:compression_error/last:norm \
		before=sampled_error after=last:sampled_error -- \
		'$$(call build,$2,$$*) >@out@.h2; h2-info --json --error @out@.h2; h2-orthog $$(h2) @out@.h2 | $$(call compress,$2) >@out@.small; \
		h2-info --json --error --norm @out@.small; rm @out@.h2 @out@.small'
endef
$(eval $(call table,table2,$(ERRORS)))
$(eval $(call errors,table2,2))
$(eval $(call table,table3,$(ERRORS)))
$(eval $(call errors,table3,3))

# Cases of the figures: DIMENSION-POWER-BITS.
bits = $(if $(filter 32,$(call w,3)),--single)
matrix = $(call build,$(call w,1),$(call w,2),$(bits))
cases = $(foreach d,2 3,$(foreach b,$1,$(foreach s,$2,$d-$s-$b)))
curve = --x $$((1 << $(call w,2))) --series $(call w,1)D-$(call w,3)
# What each phase and level takes; then all of it.
phases = --by where seconds gbytes_per_second gflops_rate=gflops
where = sed "s/\tphase\tlevel\t/\twhere\t/; 1! s/^\([^\t]*\t[^\t]*\)\t/\1 /"
all = grep -P "\t(phase|all)\t"

# Figure 7: products, 13: orthogonalization, 15: compression, in three dimensions.
$(eval $(call table,figure7,$(addprefix 3-,$(foreach b,32 64,$(SIZES:%=%-$b)))))
$(work)/figure7/%.row:
	$(run) $(phases) -- '$(matrix) | h2-mv $(h2) --phases=@out@.phases >/dev/null; $(where) @out@.phases; rm @out@.phases'
$(eval $(call table,figure13,$(addprefix 3-,$(foreach b,32 64,$(SIZES:%=%-$b)))))
$(work)/figure13/%.row:
	$(run) $(phases) -- '$(matrix) | h2-orthog $(h2) --phases=@out@.phases >/dev/null; $(where) @out@.phases; rm @out@.phases'
$(eval $(call table,figure15,$(addprefix 3-,$(foreach b,32 64,$(SIZES:%=%-$b)))))
$(work)/figure15/%.row:
	$(run) $(phases) -- '$(matrix) | h2-orthog $(h2) | $(call compress,$(call w,1)) --phases=@out@.phases >/dev/null; $(where) @out@.phases; rm @out@.phases'

# Figures 8 and 9: times and bandwidth of a product, 14 and 16: of orthogonalization and compression.
$(eval $(call table,figure8,$(call cases,32 64,$(SIZES))))
$(work)/figure8/%.row:
	$(run) $(curve) seconds gbytes_per_second wall -- '$(matrix) | h2-mv $(h2) --phases=@out@.phases >/dev/null; $(all) @out@.phases; rm @out@.phases'
$(eval $(call table,figure14,$(call cases,32 64,$(SIZES))))
$(work)/figure14/%.row:
	$(run) $(curve) seconds gflops_rate=gflops wall -- '$(matrix) | h2-orthog $(h2) --phases=@out@.phases >/dev/null; $(all) @out@.phases; rm @out@.phases'
$(eval $(call table,figure16,$(call cases,32 64,$(SIZES))))
$(work)/figure16/%.row:
	$(run) $(curve) seconds gflops_rate=gflops wall -- '$(matrix) | h2-orthog $(h2) | $(call compress,$(call w,1)) --phases=@out@.phases >/dev/null; \
		$(all) @out@.phases; rm @out@.phases'

# Figure 17: memory of the low-rank part before and after compression, and the seconds of a product with it.
$(eval $(call table,figure17,$(call cases,64,$(SIZES))))
low = leaf_bytes+transfer_bytes+coupling_bytes
# The product of a matrix in a file, as an object with this key.
product = h2-mv $(h2) --phases=@out@.$1 $2 >/dev/null; sed -n "s/^[^\t]*\tall\t-\t\([^\t]*\)\t.*/{\"$1\":\1}/p" @out@.$1
$(work)/figure17/%.row:
	$(run) $(curve) before=$(low) after=last:$(low) dense=dense_bytes seconds_before=last:seconds_before seconds_after=last:seconds_after -- \
		'set -e; $(matrix) >@out@.h2; h2-info --json @out@.h2; $(call product,seconds_before,@out@.h2); \
		h2-orthog $(h2) @out@.h2 | $(call compress,$(call w,1)) >@out@.small; h2-info --json @out@.small; \
		$(call product,seconds_after,@out@.small); rm @out@.h2 @out@.small @out@.seconds_before @out@.seconds_after'
