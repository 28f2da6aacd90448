/* SPDX-License-Identifier: BSD-3-Clause */
#include "mm/stream/inputs.h"
#include "base/run/progress.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void mm_inputs_tell(base_context *context, const char *const *paths, int count) {
    int64_t bytes = 0;
    struct stat about;
    for (int k = 0; k < count; k++) {
        const bool is_standard = strcmp(paths[k], "-") == 0;
        if ((is_standard ? fstat(STDIN_FILENO, &about) : stat(paths[k], &about)) != 0 ||
            !S_ISREG(about.st_mode))
            return;
        bytes += (int64_t)about.st_size;
    }
    base_progress_add_input(context, bytes);
}

bool mm_member_is_secondary(const char *member) {
    const char *file = member != NULL ? strrchr(member, '/') : NULL;
    if (file == NULL)
        return false;
    const char *folder = file;
    while (folder > member && folder[-1] != '/')
        folder--;
    const size_t length = (size_t)(file - folder);
    return length > 0 && strncmp(file + 1, folder, length) == 0 && file[1 + length] == '_';
}
