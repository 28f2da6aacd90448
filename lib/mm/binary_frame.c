#include "mm/form.h"
#include <string.h>

bool mm_binary_detect(const char *data, size_t size) {
    return size >= 12 && memcmp(data, "\x5d\x2a\x4d\x18", 4) == 0 && memcmp(data + 8, "MMPB", 4) == 0;
}
