unit_tests += %D%/dm
