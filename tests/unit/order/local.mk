unit_tests += %D%/methods
unit_tests += %D%/order
unit_tests += %D%/overlap
