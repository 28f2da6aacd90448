/* SPDX-License-Identifier: BSD-3-Clause */
/* The fake driver's memory with descriptors: files without a name. */
#include "tests/fake/driver.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct fake_memory {
    int descriptor; /* 1 more than it; 0: none */
    size_t bytes;
    int device, uses;
} memories[FAKE_DEVICES * 8];
static struct fake_range {
    char *begin;
    size_t bytes;
    int memory; /* 1 more than its place; 0: not mapped */
    bool is_open;
} ranges[FAKE_DEVICES * 8];

static struct fake_range *find_range(cuda_pointer address) {
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].begin != NULL && ranges[i].begin == (char *)(uintptr_t)address)
            return &ranges[i];
    return NULL;
}

static struct fake_memory *find_memory(cuda_memory memory) {
    const bool is = memory >= 1 && memory <= sizeof memories / sizeof *memories;
    return is && memories[memory - 1].descriptor > 0 ? &memories[memory - 1] : NULL;
}

bool fake_is_in_range(cuda_pointer address, size_t bytes) {
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const struct fake_range *r = &ranges[i];
        const cuda_pointer begin = (cuda_pointer)(uintptr_t)r->begin;
        if (r->is_open && memories[r->memory - 1].device == fake_current->device && address >= begin &&
            address + bytes <= begin + r->bytes)
            return true;
    }
    return false;
}

int fake_count_memories(void) {
    int count = 0;
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        count += memories[i].descriptor > 0;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        count += ranges[i].begin != NULL;
    return count;
}

cuda_result cuMemGetAllocationGranularity(size_t *bytes, const cuda_memory_kind *kind, int option) {
    ENTER_UNLESS_REFUSED(false);
    *bytes = 65536;
    return kind->type == CUDA_MEMORY_PINNED && option == CUDA_GRANULARITY_MINIMUM ? CUDA_OK
                                                                                  : CUDA_INVALID_VALUE;
}

/* Takes a descriptor over. */
static cuda_result add_memory(cuda_memory *memory, int descriptor, size_t bytes, int device) {
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        if (memories[i].descriptor == 0) {
            memories[i] = (struct fake_memory){descriptor + 1, bytes, device, 1};
            fake_contexts[device].used_bytes += bytes;
            *memory = i + 1;
            return CUDA_OK;
        }
    return CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemCreate(cuda_memory *memory, size_t bytes, const cuda_memory_kind *kind,
                        unsigned long long flags) {
    ENTER_UNLESS_REFUSED(true);
    if (bytes == 0 || bytes % 65536 != 0 || flags != 0 || kind->type != CUDA_MEMORY_PINNED ||
        kind->handle_types != CUDA_MEMORY_DESCRIPTOR || kind->place.type != CUDA_MEMORY_ON_DEVICE)
        return CUDA_INVALID_VALUE;
    if (bytes > (size_t)fake_environment("MMPIPE_FAKE_BYTES", 1 << 20) - fake_current->used_bytes)
        return CUDA_OUT_OF_MEMORY;
    const int file = memfd_create("fake", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        return CUDA_OUT_OF_MEMORY;
    return add_memory(memory, file, bytes, kind->place.device);
}

static void drop_memory(struct fake_memory *memory) {
    if (--memory->uses > 0)
        return;
    fake_contexts[memory->device].used_bytes -= memory->bytes;
    close(memory->descriptor - 1);
    memory->descriptor = 0;
}

cuda_result cuMemRelease(cuda_memory memory) {
    struct fake_memory *found = find_memory(memory);
    if (found == NULL)
        return CUDA_INVALID_VALUE;
    drop_memory(found);
    return CUDA_OK;
}

cuda_result cuMemAddressReserve(cuda_pointer *pointer, size_t bytes, size_t alignment, cuda_pointer wanted,
                                unsigned long long flags) {
    ENTER_UNLESS_REFUSED(true);
    if (bytes == 0 || alignment != 0 || wanted != 0 || flags != 0)
        return CUDA_INVALID_VALUE;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].begin == NULL) {
            void *begin = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (begin == MAP_FAILED)
                return CUDA_OUT_OF_MEMORY;
            ranges[i] = (struct fake_range){begin, bytes, 0, false};
            *pointer = (cuda_pointer)(uintptr_t)begin;
            return CUDA_OK;
        }
    return CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemAddressFree(cuda_pointer pointer, size_t bytes) {
    struct fake_range *range = find_range(pointer);
    if (range == NULL || range->bytes != bytes || range->memory != 0)
        return CUDA_INVALID_VALUE;
    munmap(range->begin, bytes);
    range->begin = NULL;
    return CUDA_OK;
}

cuda_result cuMemMap(cuda_pointer pointer, size_t bytes, size_t offset, cuda_memory memory,
                     unsigned long long flags) {
    ENTER_UNLESS_REFUSED(true);
    struct fake_range *range = find_range(pointer);
    struct fake_memory *found = find_memory(memory);
    if (range == NULL || found == NULL || range->bytes != bytes || bytes > found->bytes || offset != 0 ||
        flags != 0 || range->memory != 0)
        return CUDA_INVALID_VALUE;
    if (mmap(range->begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, found->descriptor - 1, 0) ==
        MAP_FAILED)
        return CUDA_OUT_OF_MEMORY;
    range->memory = (int)memory;
    found->uses++;
    return CUDA_OK;
}

cuda_result cuMemUnmap(cuda_pointer pointer, size_t bytes) {
    struct fake_range *range = find_range(pointer);
    if (range == NULL || range->bytes != bytes || range->memory == 0)
        return CUDA_INVALID_VALUE;
    drop_memory(&memories[range->memory - 1]);
    range->memory = 0;
    range->is_open = false;
    return CUDA_OK;
}

cuda_result cuMemSetAccess(cuda_pointer pointer, size_t bytes, const cuda_memory_access *access,
                           size_t count) {
    ENTER_UNLESS_REFUSED(true);
    struct fake_range *range = find_range(pointer);
    if (range == NULL || range->bytes != bytes || range->memory == 0 || count != 1 ||
        access->access != CUDA_ACCESS_READ_WRITE)
        return CUDA_INVALID_VALUE;
    range->is_open = true;
    return CUDA_OK;
}

cuda_result cuMemExportToShareableHandle(void *descriptor, cuda_memory memory, int type,
                                         unsigned long long flags) {
    ENTER_UNLESS_REFUSED(true);
    struct fake_memory *found = find_memory(memory);
    if (found == NULL || type != CUDA_MEMORY_DESCRIPTOR || flags != 0)
        return CUDA_INVALID_VALUE;
    const int copied = dup(found->descriptor - 1);
    memcpy(descriptor, &copied, sizeof copied);
    return copied >= 0 ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemImportFromShareableHandle(cuda_memory *memory, void *descriptor, int type) {
    ENTER_UNLESS_REFUSED(true);
    struct stat about;
    const int copied = dup((int)(intptr_t)descriptor);
    if (copied < 0 || type != CUDA_MEMORY_DESCRIPTOR || fstat(copied, &about) != 0)
        return CUDA_INVALID_VALUE;
    return add_memory(memory, copied, (size_t)about.st_size, fake_current->device);
}
