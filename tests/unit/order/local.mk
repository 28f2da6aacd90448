# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/child
unit_tests += %D%/methods
unit_tests += %D%/order
unit_tests += %D%/overlap
