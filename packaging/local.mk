EXTRA_DIST += %D%/check-deb
EXTRA_DIST += %D%/check-installed
EXTRA_DIST += %D%/check-reproducible
EXTRA_DIST += %D%/conda
EXTRA_DIST += %D%/debian
EXTRA_DIST += %D%/make-deb
EXTRA_DIST += %D%/mmpipe.def
EXTRA_DIST += %D%/spack
