# SPDX-License-Identifier: BSD-3-Clause
# Schemes for all formats with sizes from 2 to MOST, n ≤ m ≤ p: each search starts from what those for formats
# one smaller found, extended, and from two of half its last size side by side.
#
#     make -f pipelines/schemes.mk [MOST=4] [LIMIT='--time-limit 10s'] [folder=schemes] [-j4 THREADS=1]
#
# The programs are on PATH. A search that finds the least rank known goes on until its limit, for a lesser one.
# At the end there is a table; FORMAT.mtx in the folder has up to 128 schemes. Make begins with those that are
# not there: to try one again, and all that follow from it, remove it. OPTIONS: more options for flipwalk.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
# This makefile's folder; $(dir) would take one with blanks to pieces.
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
folder = schemes
MOST = 4
LIMIT = --time-limit 10s
THREADS = 1

sizes := $(shell seq 2 $(MOST))
formats := $(foreach n,$(sizes),$(foreach m,$(shell seq $n $(MOST)),$(foreach p,$(shell seq $m $(MOST)),$nx$mx$p)))

table: $(formats:%=$(folder)/%.mtx)
	@for format in $(formats); do \
		mm-cat --part 1/1000 $(folder)/$$format.mtx | flip-check --json; done | \
		"$(here)/report" --text format rank known than_known field over

# Parts of a format, as OPERATION:AXIS:FORMAT.
parts = $(shell echo $1 | tr x ' ' | while read -r n m p; do \
	if (( n > 2 )); then echo extend:n:$$((n - 1))x$${m}x$$p; fi; \
	if (( m > n )); then echo extend:m:$${n}x$$((m - 1))x$$p; fi; \
	if (( p > m )); then echo extend:p:$${n}x$${m}x$$((p - 1)); fi; \
	if (( p >= 2 * m && p % 2 == 0 )); then echo merge:p:$${n}x$${m}x$$((p / 2)); fi; done)
field = $(word $2,$(subst :, ,$1))
path = $(folder)/$(call field,$1,3).mtx

# The start from a part: all its schemes extended, or the first of them twice.
start = flip-combine $(call field,$1,1) --along $(call field,$1,2) \
	$(if $(filter merge:%,$1),<(mm-cat --part 1/1000 $(call path,$1)) <(mm-cat --part 1/1000 $(call path,$1)),$(call path,$1))

define rule
$(folder)/$1.mtx: $(sort $(foreach part,$(parts_$1),$(call path,$(part))))
	@mkdir -p $(folder)
	@{ mm-gen scheme $1; $(foreach part,$(parts_$1),$(call start,$(part));) } >$$@.start
	@flipwalk -q --together $(LIMIT) --keep 128 -j $(THREADS) $(OPTIONS) -o $$@ $$@.start
	@rm $$@.start
endef
$(foreach format,$(formats),$(eval parts_$(format) := $(call parts,$(format))))
$(foreach format,$(formats),$(eval $(call rule,$(format))))

.PHONY: table
