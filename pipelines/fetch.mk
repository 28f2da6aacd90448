# SPDX-License-Identifier: BSD-3-Clause
# Archives of a collection by curl: those that an index lists and a condition chooses, each once.
#
#     make -k -f pipelines/fetch.mk INDEX=FILE [WHERE='group == HB && n < 1000'] [CACHE=DIR] [URL=ADDRESS] [list|check]
#
# The index is a file of the user's: a table with columns group and name, or the Collection's ssstats.csv. CACHE/GROUP/NAME.tar.gz
# appears when it is whole and agrees with its checksum; a part of it is gone on from. One after the other and at most RATE a
# second, unless -j and RATE say otherwise: the server is there for everyone. `list` says what would be fetched, `check`
# reads what is there again. mmpipe-bulk(7) describes it.

SHELL = /bin/bash
.SHELLFLAGS = -e -o pipefail -c
# This makefile's folder; $(dir) would take one with blanks to pieces.
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
CACHE = matrices
URL = https://sparse.tamu.edu/MM
RATE = 4M
PAUSE = 2
TRIES = 5
STALL = 30
export CACHE WHERE RATE PAUSE TRIES STALL
$(if $(INDEX),,$(error say INDEX=FILE, the list of the matrices))
$(if $(word 2,$(CACHE)),$(error CACHE=$(CACHE) has blanks in its name))

fetch := "$(here)/fetch"
names := $(shell WHERE='$(subst ','\'',$(WHERE))' CACHE='$(CACHE)' $(fetch) list '$(INDEX)' || echo 'failed: list')
$(if $(filter failed:,$(names)),$(error no list))

all: $(names:%=$(CACHE)/%.tar.gz)

$(CACHE)/%.tar.gz:
	@$(fetch) one $(CACHE) '$(URL)' $*

list:
	@printf '%s\n' $(names)

check:
	@$(fetch) check $(CACHE) $(names)

.PHONY: all list check
