# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/dm
unit_tests += %D%/large
