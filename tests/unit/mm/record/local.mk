# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/places
unit_tests += %D%/value_distance
