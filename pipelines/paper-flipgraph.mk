# SPDX-License-Identifier: BSD-3-Clause
# The matrix multiply flip graph (percisely.xyz): its figure 2, flips a second and times to ranks, the formats that are reached, and
# the path of its theorem 4. paper.mk says how it is called, mmpipe-experiments(7) what the rows mean.
name = flipgraph
SHELL = /bin/bash
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
include $(subst $() ,\ ,$(here))/paper.mk

walk = flipwalk -q -j $(THREADS)
# What flipwalk says of a search when it is asked for more remarks.
said = rank (?<rank>\d+).*, (?<flips>\S+) flips, (?<flips_rate>\S+) flips/s, (?<seconds>\S+) s$$

# Figure 2: how many products share a factor, in schemes of all ranks that a walk comes by; the paper has 3273 for 5x5x5, which is
# 128 a rank. The walk ends at its time limit, with status 5.
walked = $(call pick,4x4x4,4x4x4 5x5x5)
$(eval $(call table,figure2,$(walked)))
$(work)/figure2/%.row:
	$(run) --by size sets schemes percent_to_5 -- 'set -e; mm-gen scheme $* | $(walk) -t 1 --pool @out@.pool --pool-size 128 \
		--time-limit $(call pick,5s,60s) -o /dev/null 2>/dev/null || test $$? = 5; $(tool) sets <@out@.pool; rm @out@.pool'

# Times and flips a second on the way from the standard algorithm to a rank: FORMAT-RANK-SEED.
seeds = $(call pick,1,1 2 3 4 5 6 7 8 9 10)
ranks = $(call pick,3x3x3-23 4x4x4-49,3x3x3-23 4x4x4-53 4x4x4-49 4x4x4-48 4x4x4-47)
$(eval $(call table,ranks,$(foreach r,$(ranks),$(seeds:%=$r-%))))
$(work)/ranks/%.row:
	$(run) --match '$(said)' seconds flips flips_rate rank -- \
		'mm-gen scheme $(call w,1) | flipwalk -v -j $(THREADS) -t $(call w,2) --seed $(call w,3) --time-limit $(call pick,60s,600s) -o /dev/null'

# The same with a symmetry: FORMAT-SYMMETRY-RANK-SEED.
symmetric = $(call pick,3x3x3-cyclic-23,5x5x5-cyclic-93 6x6x6-reversed-153)
$(eval $(call table,symmetric,$(foreach r,$(symmetric),$(seeds:%=$r-%))))
$(work)/symmetric/%.row:
	$(run) --match '$(said)' seconds flips flips_rate rank -- 'mm-gen scheme $(call w,1) | flipwalk -v -j $(THREADS) --$(call w,2) \
		-t $(call w,3) --seed $(call w,4) --time-limit $(call pick,60s,180s) -o /dev/null'

# Flips a second by rank, FORMAT-RANK: a search that tries for two seconds or ten to get lower, from the standard algorithm or from
# schemes of this rank that another search, one with a symmetry if need be, has found.
rates = $(call pick,3x3x3-27 3x3x3-23 4x4x4-64 4x4x4-49 5x5x5-125,3x3x3-27 3x3x3-23 4x4x4-64 4x4x4-49 4x4x4-47 \
	5x5x5-125 5x5x5-93 6x6x6-216 6x6x6-153 7x7x7-343)
standard = 3x3x3-27 4x4x4-64 5x5x5-125 6x6x6-216 7x7x7-343
found_5x5x5-93 = --cyclic
found_6x6x6-153 = --reversed
$(eval $(call table,rates,$(rates)))
$(work)/rates/%.row:
	$(run) --match '$(said)' flips_rate rank -- 'set -e; mm-gen scheme $(call w,1) >@out@.start; \
		$(if $(filter $*,$(standard)),,$(walk) $(found_$*) -t $(call w,2) --keep 16 --time-limit $(call pick,20s,180s) -o @out@.found @out@.start || \
			test $$? = 1; mv @out@.found @out@.start;) \
		flipwalk -v -j $(THREADS) --together -t 1 -k --time-limit $(call pick,2s,10s) -o /dev/null @out@.start || true; rm @out@.start'

# Rounds of a step in which a warp matches terms, FORMAT-ROUNDS: flips a second by the paper's kernel, on a GPU alone.
rounds := $(if $(filter 0,$(gpus)),,1 2 4 8)
$(eval $(call table,rounds,$(foreach f,$(call pick,4x4x4,4x4x4 5x5x5),$(rounds:%=$f-%))))
$(work)/rounds/%.row:
	$(run) --x $(call w,2) --series $(call w,1) --match '$(said)' flips_rate rank -- 'mm-gen scheme $(call w,1) | flipwalk -v --kernel flip-match \
		--numbers match-rounds=$(call w,2) -t 1 -k --time-limit $(call pick,2s,20s) -o /dev/null || true'

# Ranks that searches with a symmetry come to and when, by the fixed terms that they start from: FORMAT-SYMMETRY-GROUPS-SEED, with _ for +
# and . for the comma.
groups_5 = 1_5.2_4 1_2.4_5 1_4.5_2 2_4
groups_6 = 1_6.2_5.3_4 1_2.3_4.5_6 1_2.5_6 1_2_3.6_5_4 3_4 1_6.2_3.4_5
groups_7 = 1_7.2_6.3_5 1_2.3_5.6_7 1_2.6_7 1_2_3.7_6_5 3_5
groups_8 = 1_8.2_7.3_6.4_5 1_2.3_4.5_6.7_8 1_2.7_8 1_2_3_4.8_7_6_5 4_5
$(eval $(call table,groups,$(foreach n,$(call pick,5,5 6 7 8),$(foreach s,cyclic reversed,$(foreach g,$(groups_$n),$(seeds:%=$n-$s-$g-%))))))
$(work)/groups/%.row:
	$(run) --match '$(said)' rank seconds flips_rate -- '{ mm-gen scheme $(call w,1)x$(call w,1)x$(call w,1) | flipwalk -v -j $(THREADS) -t 1 -k \
		--$(call w,2) --groups=$(subst .,$(comma),$(subst _,+,$(call w,3))) --seed $(call w,4) --time-limit $(call pick,3s,180s) -o /dev/null || true; } 2>&1 | \
		awk "\$$3 == \"rank\" && \$$4 != rank { rank = \$$4; print }"'

# Formats n <= m <= p: ranks beside the least that are known, and the seconds of the search to them. The chain of schemes.mk makes
# all that are not there: each search takes 20 s, or with TOTAL its share of so many seconds.
most = $(call pick,3,8)
sizes := $(shell seq 2 $(most))
from = $(filter-out $(wordlist 1,$(words $(call below,$1)),$(sizes)),$(sizes))
below = $(foreach k,$(sizes),$(if $(filter $1,$(firstword $(sort $k $1))),,$k))
formats := $(foreach n,$(sizes),$(foreach m,$(call from,$n),$(foreach p,$(call from,$m),$nx$mx$p)))
$(eval $(call table,formats,$(formats)))
$(work)/formats/%.row: $(work)/schemes/%.mtx
	$(run) rank seconds=last:seconds known nonzeros additions=shared_additions -- 'mm-cat --part 1/1000 $< | flip-check --json && \
		{ test ! -s $(<:.mtx=.seconds) || echo "{\"seconds\":$$(cat $(<:.mtx=.seconds))}"; }'
# One call makes all, and another job waits for it; under another name make -n does not follow it.
chain = $(MAKE)
$(formats:%=$(work)/schemes/%.mtx) &:
	@mkdir -p $(work)
	@flock $(work)/schemes.lock $(chain) --no-print-directory -f "$(here)/schemes.mk" $(formats:%=$(work)/schemes/%.mtx) folder=$(work)/schemes MOST=$(most) THREADS=$(THREADS) \
		TOTAL=$(TOTAL) LIMIT='--time-limit $(call pick,2s,20s)'

# Theorem 4: flips and pluses from a scheme to another one. The path is replayed, which counts its moves.
$(eval $(call table,path,$(call pick,2x2x2 3x3x3,2x2x2 3x3x3 4x4x4)))
$(work)/path/%.row:
	$(run) flips pluses most_terms -- 'for seed in 1 2; do mm-gen scheme $* | $(walk) --seed $$seed --time-limit 20s -o @out@.$$seed; done; \
		flip-path -q @out@.1 @out@.2 >@out@.path; flip-path -q --replay=@out@.path @out@.1 @out@.2; rm @out@.1 @out@.2 @out@.path'
