# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/filter_put
