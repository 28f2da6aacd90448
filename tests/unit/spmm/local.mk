# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/blocks
unit_tests += %D%/count
unit_tests += %D%/device
unit_tests += %D%/gpu_rows
unit_tests += %D%/gpu_tensor
unit_tests += %D%/handling
unit_tests += %D%/pack
unit_tests += %D%/pack_tiles
unit_tests += %D%/plan
unit_tests += %D%/price
unit_tests += %D%/sell
unit_tests += %D%/spmm
unit_tests += %D%/tca
unit_tests += %D%/transpose

%C%_blocks_SOURCES = %D%/blocks.c %D%/example.h
%C%_count_SOURCES = %D%/count.c tests/support/h200.h
%C%_device_SOURCES = %D%/device.c tests/support/h200.h
%C%_gpu_rows_SOURCES = \
	%D%/gpu_rows.c tests/support/spmm_matrix.h tests/support/spmm_pack.h tests/support/spmm_product.h
%C%_gpu_tensor_SOURCES = \
	%D%/gpu_tensor.c %D%/guard.h tests/support/spmm_matrix.h tests/support/spmm_pack.h tests/support/spmm_product.h
%C%_pack_SOURCES = \
	%D%/pack.c tests/support/spmm_matrix.h tests/support/spmm_pack.h %D%/packed.h
%C%_pack_tiles_SOURCES = \
	%D%/pack_tiles.c tests/support/spmm_matrix.h tests/support/spmm_pack.h %D%/packed.h
%C%_plan_SOURCES = %D%/plan.c tests/fake/loader.c tests/fake/loader.h
%C%_price_SOURCES = %D%/price.c tests/support/h200.h
