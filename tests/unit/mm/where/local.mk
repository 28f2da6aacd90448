# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/counts
unit_tests += %D%/where
