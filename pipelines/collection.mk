# SPDX-License-Identifier: BSD-3-Clause
# A whole collection of matrices: what each is, how it looks, its permanent, in a table that says why what failed.
#
#     make -f pipelines/collection.mk INPUT=DIR WORK=DIR [STAGES='info dm spy perm spmm'] [WHERE='n <= 500'] [LIMIT=30s] -j8
#     make -f pipelines/collection.mk INPUT=DIR WORK=DIR ... plan | report | slurm | again | prices
#
# mmpipe-bulk(7) describes it. The programs are on PATH. What WORK has already is not computed again; a run that was
# killed goes on. `plan` says what would be done and how long it takes, make -n which tasks; `prices` asks the planner
# first; `report` writes WORK/report.html; `slurm` writes WORK/slurm.sh; `again` forgets what failed and repeats it.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
# This makefile's folder; $(dir) would take one with blanks to pieces.
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
STAGES = info dm spy perm
LIMIT = 30s
settings = INPUT WORK STAGES WHERE LIMIT ALL_MEMBERS THREADS GPU JOB_SECONDS JOB_COUNT QUIET \
	OPTIONS_info OPTIONS_dm OPTIONS_spy OPTIONS_perm OPTIONS_spmm
export $(settings)
# $(shell) knows exported variables from make 4.4 on.
with = $(foreach name,$(settings),$(if $($(name)),$(name)='$(subst ','\'',$($(name)))'))
# WORK stands in the names of targets, which know no blanks.
$(if $(INPUT),,$(error say INPUT=DIR, the folder with the matrices))
$(if $(WORK),,$(error say WORK=DIR, the folder for the results))
$(if $(word 2,$(WORK)),$(error WORK=$(WORK) has blanks in its name))
collection = "$(here)/collection"
tool = $(collection) run $(WORK)

goals := $(or $(MAKECMDGOALS),all)
# The plan is made once, and by those goals that run it.
ifneq ($(filter all,$(goals)),)
ifeq ($(PLANNED),)
keys := $(shell $(with) $(collection) plan $(WORK) || echo failed)
$(if $(filter failed,$(keys)),$(error no plan))
endif
endif
ifneq ($(filter prices,$(goals)),)
prices := $(shell $(with) $(collection) price $(WORK) || echo failed)
$(if $(filter failed,$(prices)),$(error no plan))
endif

all: $(keys:%=$(WORK)/results/%.json)
	@$(collection) again $(WORK)
	@$(collection) table $(WORK)

prices: $(prices:%=$(WORK)/results/%.json)

$(WORK)/results/%.json:
	@$(tool) $*

plan:
	@$(collection) show $(WORK)

report:
	@"$(here)/report" --collection $(WORK)

slurm:
	@$(collection) slurm $(WORK)

again:
	@grep -lE '"status":[1-9]' $(WORK)/results/*.json | xargs -r rm -f
	@$(MAKE) -f "$(here)/collection.mk" all

.PHONY: all prices plan report slurm again
.DELETE_ON_ERROR:
