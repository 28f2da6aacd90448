# SPDX-License-Identifier: BSD-3-Clause
%C%_libtap_a_SOURCES = %D%/tap.c %D%/tap.h
