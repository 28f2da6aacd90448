/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices are looked for when they are first wanted, or ahead of that on a thread. */
#include "base/core/memory.h"
#include "base/core/thread.h"
#include "base/device/internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct base_device_early {
    pthread_t thread;
    base_context context; /* of the thread */
    const base_device_search *search;
    base_devices *found;
    base_status status;
};

static void *look(void *argument) {
    struct base_device_early *early = argument;
    const base_device_search *search = early->search;
    early->status =
        base_devices_open(&early->context, search->choice, search->index, search->count, &early->found);
    if (early->status != BASE_OK)
        return NULL;
    if (!search->starts_first)
        base_devices_start_early(&early->context, early->found);
    else if (base_devices_count(early->found) > 0)
        base_device_start(&early->context, base_devices_get(early->found, 0));
    return NULL;
}

void base_devices_find_early(base_context *context, base_device_search *search) {
    if (search->found != NULL || search->early != NULL || search->choice == BASE_DEVICE_CPU)
        return;
    base_context unheard = *context;
    struct base_device_early *early = base_alloc_zero(&unheard, 1, sizeof *early);
    if (early == NULL)
        return;
    early->context = *context;
    early->search = search;
    if (base_thread_start(&early->thread, look, early) == 0)
        search->early = early;
    else
        free(early);
}

void base_devices_find_first_early(base_context *context, base_device_search *search) {
    search->starts_first = true;
    base_devices_find_early(context, search);
}

/* Waits for the thread. */
static base_status take_early(base_context *context, base_device_search *search) {
    struct base_device_early *early = search->early;
    pthread_join(early->thread, NULL);
    const base_status status = early->status;
    if (status != BASE_OK)
        context->error = early->context.error;
    search->found = early->found;
    search->early = NULL;
    free(early);
    return status;
}

base_status base_devices_find(base_context *context, base_device_search *search) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    base_status status = BASE_OK;
    pthread_mutex_lock(&lock);
    if (search->found == NULL)
        status = search->early != NULL ? take_early(context, search)
                                       : base_devices_open(context, search->choice, search->index,
                                                           search->count, &search->found);
    pthread_mutex_unlock(&lock);
    return status;
}

bool base_device_search_parse(const char *text, base_device_search *search) {
    base_device_search wanted = {.choice = BASE_DEVICE_CUDA};
    bool good = true;
    if (strcmp(text, "auto") == 0 || strcmp(text, "cpu") == 0) {
        wanted.choice = strcmp(text, "cpu") == 0 ? BASE_DEVICE_CPU : BASE_DEVICE_AUTO;
    } else {
        good = strncmp(text, "cuda", 4) == 0 && (text[4] == '\0' || text[4] == ':');
        for (const char *next = text + 4; good && *next != '\0';) {
            char *end;
            const long index = strtol(next + 1, &end, 10);
            good = end != next + 1 && index >= 0 && index < 1024 && wanted.count < BASE_DEVICES &&
                   (*end == ',' || *end == '\0');
            if (good)
                wanted.index[wanted.count++] = (int)index;
            next = end;
        }
    }
    if (good)
        *search = wanted;
    return good;
}

bool base_device_search_close(base_device_search *search) {
    base_context unheard = {0};
    if (search->early != NULL)
        take_early(&unheard, search);
    const bool hangs = base_devices_close(search->found);
    search->found = NULL;
    return hangs;
}
