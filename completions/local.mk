EXTRA_DIST += %D%/generate
