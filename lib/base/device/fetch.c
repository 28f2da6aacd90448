/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a device that somebody else has filled comes to the host. */
#include "base/device/internal.h"

#include <string.h>

base_device *base_devices_find_uuid(base_devices *devices, const unsigned char uuid[16]) {
    for (int i = 0; i < devices->count; i++)
        if (memcmp(devices->device[i].properties.uuid, uuid, 16) == 0)
            return &devices->device[i];
    return NULL;
}

base_status base_device_fetch(base_context *context, const unsigned char uuid[16], int descriptor,
                              int64_t bytes, void *to) {
    base_status status;
    base_devices *devices = NULL;
    base_device_buffer buffer = {0};
    BASE_TRY(base_devices_open(context, BASE_DEVICE_AUTO, NULL, 0, &devices));
    base_device *device = base_devices_find_uuid(devices, uuid);
    if (device == NULL)
        BASE_TRY(base_fail(context, BASE_MACHINE,
                           "the record lies in the memory of a GPU that is not there%s%s",
                           devices->count == 0 ? ": " : "", devices->reason));
    BASE_TRY(base_device_import(context, device, descriptor, bytes, &buffer));
    BASE_TRY(base_device_download_pieces(context, &buffer, to, bytes));
done:
    base_device_free(&buffer);
    base_devices_close(devices);
    return status;
}
