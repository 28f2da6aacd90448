# SPDX-License-Identifier: BSD-3-Clause
# Each program of bin/ has a page NAME.1 here without a row of its own (Makefile.am); mmpipe has mmpipe.7.
EXTRA_DIST += %D%/performance.tsv
EXTRA_DIST += %D%/pipe.svg
EXTRA_DIST += %D%/plots
EXTRA_DIST += %D%/site
EXTRA_DIST += %D%/site.html
dist_man_MANS += %D%/libmmpipe.3
dist_man_MANS += %D%/mm-stream.5
dist_man_MANS += %D%/mmpipe-bulk.7
dist_man_MANS += %D%/mmpipe-covariance.7
dist_man_MANS += %D%/mmpipe-graphs.7
dist_man_MANS += %D%/mmpipe-optics.7
dist_man_MANS += %D%/mmpipe-experiments.7
dist_man_MANS += %D%/mmpipe-performance.7
dist_man_MANS += %D%/mmpipe-schemes.7
dist_man_MANS += %D%/mmpipe.7
