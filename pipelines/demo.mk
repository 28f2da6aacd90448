# SPDX-License-Identifier: BSD-3-Clause
# make demo: exact permanents of small matrices of the SuiteSparse Matrix Collection.
#
# `data` is the folder with the matrices (tests/data/README tells whose they are); the programs are on PATH.

SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c
# This makefile's folder; $(dir) would take one with blanks to pieces.
here := $(shell read -r list <<<'$(MAKEFILE_LIST)'; dirname "$$list")
data ?= $(here)/../tests/data
export LC_ALL = C

demo: table pipeline next

table:
	@echo '$$ mm-cat tests/data/*.mtx | perm-gpu --json | pipelines/report --text name n nnz permanent method seconds'
	@mm-cat "$(data)"/*.mtx | perm-gpu --json | "$(here)/report" --text name n nnz permanent method seconds
	@echo

pipeline:
	@echo '$$ mm-cat tests/data/bcspwr02.mtx | mm-dm --blocks | mm-order --for frontier | perm-gpu'
	@mm-cat "$(data)"/bcspwr02.mtx | mm-dm --blocks | mm-order --for frontier | perm-gpu

# What to try after the demo.
next:
	@echo
	@echo 'Next: bin/mmpipe lists the programs. man man/mmpipe-optics.7 is a tutorial; covariance, graphs and schemes are others.'
	@echo 'make check runs the tests, make install installs.'

.PHONY: demo table pipeline next
.NOTPARALLEL:
