# SPDX-License-Identifier: BSD-3-Clause
unit_tests += %D%/cpu
unit_tests += %D%/cuda_driver
unit_tests += %D%/device
unit_tests += %D%/device_arrival
unit_tests += %D%/device_cache
unit_tests += %D%/device_code
unit_tests += %D%/device_costs
unit_tests += %D%/device_search
unit_tests += %D%/hash
unit_tests += %D%/map
unit_tests += %D%/options
unit_tests += %D%/progress
unit_tests += %D%/random
unit_tests += %D%/resident
unit_tests += %D%/resident_pages
unit_tests += %D%/shim
unit_tests += %D%/signals
unit_tests += %D%/tap
unit_tests += %D%/team

%C%_cuda_driver_LDADD = tests/support/libtap.a
%C%_device_SOURCES = %D%/device.c tests/fake/loader.c tests/fake/loader.h
%C%_device_arrival_SOURCES = %D%/device_arrival.c tests/fake/loader.c tests/fake/loader.h
%C%_device_code_SOURCES = %D%/device_code.c tests/fake/loader.c tests/fake/loader.h
%C%_device_costs_SOURCES = %D%/device_costs.c tests/fake/loader.c tests/fake/loader.h
%C%_device_search_SOURCES = %D%/device_search.c tests/fake/loader.c tests/fake/loader.h
%C%_resident_pages_SOURCES = %D%/resident_pages.c tests/support/handover.c tests/support/handover.h
