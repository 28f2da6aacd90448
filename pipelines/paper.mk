# SPDX-License-Identifier: BSD-3-Clause
# What the makefiles of the papers share. Each sets `name` and `here`, its folder, includes this, gives its tables with
# $(eval $(call table,TABLE,CASE...)), and has a rule for $(work)/TABLE/%.row.
#
#     make -f pipelines/paper-NAME.mk [TABLE...|all] [SMALL=1] [WORK=DIR] [MATRICES=DIR:DIR] [THREADS=N] [LIMIT=2h]
#     make -f pipelines/paper-NAME.mk slurm
#     make -f pipelines/paper-NAME.mk report [WORK=DIR]
#     make -f pipelines/paper-NAME.mk peers-installed [WORK=DIR]
#
# The programs are on PATH. SMALL=1 takes the cases that two cores do in five minutes. A case is a file in WORK/NAME/TABLE; one
# that is there is not run again, and a run that was killed goes on: remove the file to repeat the case. A table is printed,
# and is in WORK/NAME/TABLE.tsv and TABLE.svg. Cases run one after another, so that each has the machine: do not give -j.
# `report` makes a page of the tables of all papers in WORK. mmpipe-experiments(7) describes them.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
WORK = build-papers
work = $(WORK)/$(name)
MATRICES = $(here)/../tests/data:$(or $(MMPIPE_SHARED),$(here)/../../shared)/data/matrices
THREADS := $(shell nproc)
# What a case of perm-gpu is expected to take at most.
LIMIT = 2d
gpus := $(shell nvidia-smi -L 2>/dev/null | grep -c '^GPU')
# What the rows call this machine.
ifeq ($(MACHINE),)
MACHINE := $(shell { nvidia-smi --query-gpu=name --format=csv,noheader 2>/dev/null | sort | uniq -c | sed 's/^ *//' || true; \
	sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | sort | uniq -c | sed 's/^ *//'; } | paste -sd, | sed 's/,/, /g')
endif
export MACHINE MATRICES WORK SMALL DLMC THREADS LIMIT TOTAL
tool = "$(here)/paper"
run = @$(tool) run $@
# Words of a case's name, between dashes.
w = $(word $1,$(subst -, ,$*))
# Cases of a run with SMALL and of one without.
pick = $(if $(SMALL),$1,$2)
comma = ,
# Known peers, beside which ours runs in the same case: $(call peer,KIND,NAME,ARGUMENTS). Those that PYTHON has not are named so;
# `peers-installed` installs them into WORK/venv. SuiteSparse's libraries are Debian's: libcholmod3, libcxsparse3.
PYTHON = $(firstword $(wildcard $(WORK)/venv/bin/python) python3)
peer = --peer '$2=$(PYTHON) "$(here)/paper_peer.py" $1 $2 $3'
# For what they take on one thread: "time COMMAND" in bash after $(processor_time) prints an object with these keys.
processor_time = TIMEFORMAT="{\"user\":%U,\"system\":%S}"
processor_seconds = last:user+system
packages = thewalrus piquasso fast_matrix_market scipy torch python-graphblas

all:

define table
rows_$1 := $(2:%=$(work)/$1/%.row)
tables += $1
all: $1
$1: $$(rows_$1)
	@$(tool) table $(work) $1 $$(rows_$1)
.PHONY: $1
endef

slurm:
	@GPUS=$(filter-out 0,$(gpus)) $(tool) slurm $(work) "$(here)/paper-$(name).mk" $(foreach t,$(tables),$(rows_$t))

report:
	@"$(here)/report" --papers $(WORK)

peers-installed:
	python3 -m venv $(WORK)/venv
	-for package in $(packages); do $(WORK)/venv/bin/pip -q install $$package; done

.PHONY: all peers-installed report slurm
.NOTPARALLEL:
