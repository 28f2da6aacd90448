/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code of nvcc: inside the program, or in files that a package of its own installs. */
#include "base/core/file.h"
#include "base/core/memory.h"
#include "base/device/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* kernels/perm/dense/gpu.fatbin in the folder of MMPIPE_KERNEL_FILES, or of this version. False: a name too
 * long.
 */
static bool make_path(const base_device_fatbin *fatbin, char path[PATH_MAX]) {
    const char *folder = getenv("MMPIPE_KERNEL_FILES");
    if (folder == NULL || folder[0] == '\0')
        folder = KERNEL_FILES_FOLDER;
    const int stem = (int)(strlen(fatbin->name) - strlen(".cu"));
    return snprintf(path, PATH_MAX, "%s/%.*s.fatbin", folder, stem, fatbin->name) < PATH_MAX;
}

bool base_device_has_code(const base_device_fatbin *fatbin) {
    char path[PATH_MAX];
    return fatbin->image != NULL || (make_path(fatbin, path) && access(path, R_OK) == 0);
}

/* A fatbin begins with a magic number, the bytes of this header and the bytes behind it. The driver believes
 * these, and would read beyond a file that has been cut. */
static bool is_whole(const unsigned char *image, int64_t bytes) {
    static const unsigned char magic[] = {0x50, 0xed, 0x55, 0xba};
    uint16_t header_bytes;
    uint64_t body_bytes;
    if (bytes < 16 || memcmp(image, magic, sizeof magic) != 0)
        return false;
    memcpy(&header_bytes, image + 6, sizeof header_bytes);
    memcpy(&body_bytes, image + 8, sizeof body_bytes);
    return header_bytes <= bytes && body_bytes == (uint64_t)(bytes - header_bytes);
}

base_status base_device_read_code(base_context *context, const base_device_fatbin *fatbin,
                                  unsigned char **image) {
    base_status status;
    struct stat about;
    char path[PATH_MAX] = "";
    const int descriptor = make_path(fatbin, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    *image = NULL;
    if (descriptor < 0)
        BASE_TRY(base_fail(context, BASE_MACHINE,
                           "%s: built without CUDA kernels, and no package has brought them: %s: %s",
                           fatbin->name, path, strerror(errno)));
    if (fstat(descriptor, &about) != 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot read"));
    *image = base_alloc(context, about.st_size, 1);
    if (*image == NULL)
        BASE_TRY(BASE_MACHINE);
    const ssize_t bytes = base_read_all(descriptor, *image, (size_t)about.st_size);
    if (bytes < 0)
        BASE_TRY(base_fail_errno(context, BASE_MACHINE, "cannot read"));
    if (!is_whole(*image, bytes))
        BASE_TRY(base_fail(context, BASE_MACHINE, "%s: no device code of nvcc, or damaged: install it again",
                           path));
done:
    if (descriptor >= 0)
        close(descriptor);
    return status;
}
