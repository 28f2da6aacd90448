fuzz_targets += %D%/fuzz_binary
fuzz_targets += %D%/fuzz_formats
fuzz_targets += %D%/fuzz_stream
fuzz_targets += %D%/fuzz_text

EXTRA_DIST += %D%/corpus

%C%_fuzz_binary_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_binary.c
%C%_fuzz_formats_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_formats.c
%C%_fuzz_stream_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_stream.c
%C%_fuzz_text_SOURCES = %D%/check.h %D%/driver.c %D%/fuzz_text.c
