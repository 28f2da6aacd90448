# SPDX-License-Identifier: BSD-3-Clause
# Schemes for all formats with sizes from 2 to MOST, n ≤ m ≤ p: each search starts from what those for formats
# one smaller found, extended, from two of half its last size side by side, and from those of half its sizes
# times 2x2x2. Those for 5x5x5 and 6x6x6 start also from a search with a symmetry (SYMMETRIC is its limit).
#
#     make -f pipelines/schemes.mk [MOST=4] [LIMIT='--time-limit 10s'] [folder=schemes] [-j4 THREADS=1]
#     make -f pipelines/schemes.mk MOST=8 TOTAL=250 OPTIONS='--device cuda'
#
# The programs are on PATH. A search that finds the least rank known goes on until its limit, for a lesser one.
# With TOTAL, seconds for all formats, it ends there; each search gets a share of the seconds that are left, by the
# products of the standard algorithm, and searches run one after another: do not give -j. At the end there is a
# table; FORMAT.mtx in the folder has up to 128 schemes, FORMAT.seconds tells how long the search took to their rank.
# Make begins with those that are not there: to try one again, and all that follow from it, remove it. OPTIONS: more
# options for flipwalk.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
# This makefile's folder; $(dir) would take one with blanks to pieces.
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
folder = schemes
MOST = 4
LIMIT = --time-limit 10s
SYMMETRIC = --time-limit 20s
THREADS = 1
TOTAL =
end := $(if $(TOTAL),$(shell echo $$(($$(date +%s) + $(TOTAL)))))

sizes := $(shell seq 2 $(MOST))
formats := $(foreach n,$(sizes),$(foreach m,$(shell seq $n $(MOST)),$(foreach p,$(shell seq $m $(MOST)),$nx$mx$p)))

table: $(formats:%=$(folder)/%.mtx)
	@for format in $(formats); do \
		mm-cat --part 1/1000 $(folder)/$$format.mtx | flip-check --json; done | \
		"$(here)/report" --text format rank known than_known field over

# Parts of a format, as OPERATION:AXIS:FORMAT. A half is named by its sizes in order, and rotated to n x m x p/2.
parts = $(shell echo $1 | tr x ' ' | while read -r n m p; do \
	if (( n > 2 )); then echo extend:n:$$((n - 1))x$${m}x$$p; fi; \
	if (( m > n )); then echo extend:m:$${n}x$$((m - 1))x$$p; fi; \
	if (( p > m )); then echo extend:p:$${n}x$${m}x$$((p - 1)); fi; \
	h=$$((p / 2)); \
	if (( p % 2 || p < 4 )); then :; \
	elif (( h >= m )); then echo merge::$${n}x$${m}x$$h; \
	elif (( h >= n )); then echo merge:swap:$${n}x$${h}x$$m; \
	else echo merge:turn:$${h}x$${n}x$$m; fi; \
	if (( n > 2 && n % 2 + m % 2 + p % 2 == 0 )); then echo product::$$((n / 2))x$$((m / 2))x$$h; fi; done)
fields = $(subst :, ,$(subst ::,:-:,$1))
field = $(word $2,$(call fields,$1))
path = $(folder)/$(call field,$1,3).mtx

# The start from a part: all its schemes extended, the first of them twice, or 2x2x2 in blocks of it.
extend = flip-combine extend --along $(call field,$1,2) $(call path,$1)
first = <(mm-cat --part 1/1000 $(call path,$1)$(if $(filter-out -,$2), | flip-combine rotate)$(if $(filter swap,$2), | flip-combine transpose))
merge = flip-combine merge --along p $(call first,$1,$(call field,$1,2)) $(call first,$1,$(call field,$1,2))
product = flip-combine product <(mm-cat --part 1/1000 $(folder)/2x2x2.mtx) $(call first,$1)
start = $(call $(call field,$1,1),$1)

# Other searches do not come near the least ranks known for these.
symmetric_5x5x5 = cyclic
symmetric_6x6x6 = reversed
symmetric = mm-gen scheme $1 | flipwalk -q --$(symmetric_$1) $(if $(TOTAL),$(limit),$(SYMMETRIC)) -j $(THREADS) $(OPTIONS)

# The least rank known over F2, and the format's share of the seconds that are left.
known = $$(mm-gen scheme $1 --f2 | flip-check --json | sed 's/.*"known":\([0-9]*\).*/\1/')
share = $$(for format in $(formats); do test -e $(folder)/$$format.mtx || echo $$format; done | \
	awk -F x -v left=$$(($(end) - $$(date +%s))) '{ all += $$1 * $$2 * $$3; if ($$0 == "$1") own = $$1 * $$2 * $$3 } \
	END { seconds = left * own / all; printf "%.1fs", seconds < 0.5 ? 0.5 : seconds }')
limit = $(if $(TOTAL),--target $(known) --time-limit $(share),$(LIMIT))
# Of the remarks of a search the time of the first with the least rank.
seconds = awk '$$3 == "rank" && $$4 != rank { rank = $$4; seconds = $$(NF - 1) } END { print seconds + 0 }'

# Status 1 of a search tells that it did not come to its target, which is no failure; then it has written what it found.
define rule
$(folder)/$1.mtx: $(sort $(foreach part,$(parts_$1),$(call path,$(part))))
	@mkdir -p $(folder)
	@rm -f $$@
	@{ mm-gen scheme $1; $(foreach part,$(parts_$1),$(call start,$(part));) } >$$@.start
	@$(if $(symmetric_$1),{ $$(call symmetric,$1); } >>$$@.start || test $$$$? = 1)
	@flipwalk -v --together $$(call limit,$1) --keep 128 -j $(THREADS) $(OPTIONS) $$@.start >$$@.found 2>$$@.log || \
		{ status=$$$$?; test $$$$status = 1 && test -s $$@.found || { cat $$@.log >&2; exit $$$$status; }; }
	@$$(seconds) $$@.log >$(folder)/$1.seconds
	@mv $$@.found $$@
	@rm $$@.start $$@.log
endef
$(foreach format,$(formats),$(eval parts_$(format) := $(call parts,$(format))))
$(foreach format,$(formats),$(eval $(call rule,$(format))))

.PHONY: table
