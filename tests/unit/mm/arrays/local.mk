# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/hdf5
unit_tests += %D%/numbers
unit_tests += %D%/whole
