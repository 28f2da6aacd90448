# SPDX-License-Identifier: BSD-3-Clause
examples += %D%/dm.c
examples += %D%/h2.c
examples += %D%/order.c
examples += %D%/permanent.c
examples += %D%/scheme.c
examples += %D%/spmm.c
examples += %D%/stream.c
