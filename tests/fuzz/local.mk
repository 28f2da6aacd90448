# SPDX-License-Identifier: BSD-3-Clause
fuzz_targets += %D%/fuzz_binary
fuzz_targets += %D%/fuzz_formats
fuzz_targets += %D%/fuzz_h2
fuzz_targets += %D%/fuzz_options
fuzz_targets += %D%/fuzz_part
fuzz_targets += %D%/fuzz_scheme
fuzz_targets += %D%/fuzz_stream
fuzz_targets += %D%/fuzz_text
fuzz_targets += %D%/fuzz_where

EXTRA_DIST += %D%/corpus

%C%_fuzz_binary_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_binary.c
%C%_fuzz_formats_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_formats.c
%C%_fuzz_h2_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_h2.c
%C%_fuzz_options_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_options.c
%C%_fuzz_part_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_part.c
%C%_fuzz_scheme_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_scheme.c
%C%_fuzz_stream_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_stream.c
%C%_fuzz_text_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_text.c
%C%_fuzz_where_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_where.c
