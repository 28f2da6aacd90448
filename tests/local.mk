EXTRA_DIST += %D%/aarch64.sh
EXTRA_DIST += %D%/data
EXTRA_DIST += %D%/environment.sh
EXTRA_DIST += %D%/fault/campaign.pl
EXTRA_DIST += %D%/fault/RESULTS.md
EXTRA_DIST += %D%/golden
EXTRA_DIST += %D%/mutate.pl
EXTRA_DIST += %D%/valgrind.supp
