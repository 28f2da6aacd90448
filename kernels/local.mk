# SPDX-License-Identifier: BSD-3-Clause
EXTRA_DIST += %D%/embed.sh
EXTRA_DIST += %D%/processor.h
EXTRA_DIST += %D%/shim.h
EXTRA_DIST += %D%/shim_threads.h
