/* A CUDA driver and an NVRTC over host memory, for tests of what calls them. MMPIPE_FAKE_DEVICES: how many
 * devices (2). MMPIPE_FAKE_BYTES: memory of each (1 MiB). MMPIPE_FAKE_FAIL=N:RESULT: the N-th call since
 * cuInit returns RESULT; when that is a fault of the device, so do all later ones. MMPIPE_FAKE_LOST=DEVICE:N:
 * from its N-th call on that device is lost; MMPIPE_FAKE_HANG=DEVICE:N: whoever waits for it then waits for
 * ever. MMPIPE_FAKE_BIT=N: a bit of the N-th copy from a device is wrong. Stricter than a driver: a call
 * without the device's context current, a copy outside an allocation or an unknown handle is an error.
 *
 * An image is the text "FAKE" and the names of its kernels. The kernel add is b[i] += a[i] for (int64_t n,
 * const double *a, double *b); fault makes the next synchronisation fail. NVRTC makes the image from a source
 * that is the list of names, or fails when the source contains #error; a source that knows the shim
 * (kernels/shim.h) is compiled by cc when the image is loaded, and its kernel has the arguments of
 * perm/sparse/code.h. Any fatbin has the kernels of kernels.h. */
#include "base/device/cuda_driver.h"
#include "tests/fake/kernels.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FAKE_DEVICES = 8, FAKE_OBJECTS = 4096, FAKE_FUNCTIONS = 16 };

struct CUctx_st {
    int device, uses;
    size_t used_bytes;
};
struct CUfunc_st {
    const char *name;
    void (*run)(unsigned grid, unsigned block, unsigned shared_bytes, void **arguments);
};
struct CUmod_st {
    struct CUfunc_st function;               /* of compiled code */
    struct CUfunc_st kernel[FAKE_FUNCTIONS]; /* of a fatbin, as they were asked for */
    void *library;
    char image[];
};
struct CUstream_st {
    int device;
};
struct CUevent_st {
    float milliseconds;
};

static struct CUctx_st contexts[FAKE_DEVICES];
static struct CUfunc_st functions[] = {{"add", NULL}, {"fault", NULL}};
static __thread cuda_context current;
static long calls, fail_call, fail_result, sticky, pending;
static long device_calls[FAKE_DEVICES], copies_back;
static float clock_milliseconds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* All that was created and not yet destroyed. */
static struct object {
    void *pointer;
    size_t bytes; /* of device memory; 0: another kind of object */
    int device;
} objects[FAKE_OBJECTS];

static int count_memories(void);

/* How many objects and contexts are alive; tests call it. */
int fake_alive(void) {
    int count = 0;
    for (int i = 0; i < FAKE_OBJECTS; i++)
        count += objects[i].pointer != NULL;
    for (int i = 0; i < FAKE_DEVICES; i++)
        count += contexts[i].uses;
    return count + count_memories();
}

/* Forgets all objects, as the end of a process does. */
void fake_reset(void) {
    for (int i = 0; i < FAKE_OBJECTS; i++)
        free(objects[i].pointer);
    memset(objects, 0, sizeof objects);
    memset(contexts, 0, sizeof contexts);
}

static long environment(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text != NULL ? atol(text) : otherwise;
}

static bool is_fault(long result) {
    return result == CUDA_ECC_UNCORRECTABLE || (result >= 700 && result < 720 && result != 701);
}

/* "DEVICE:N" of a variable: whether the current device has come to its N-th call. */
static bool has_come(const char *variable, const long *device_calls) {
    const char *text = getenv(variable);
    int device;
    long number;
    return text != NULL && current != NULL && sscanf(text, "%d:%ld", &device, &number) == 2 &&
           device == current->device && device_calls[device] >= number;
}

/* Counts a call; the result it must return at once, or CUDA_OK. */
static cuda_result enter(bool needs_context) {
    pthread_mutex_lock(&lock);
    cuda_result result = (cuda_result)sticky;
    if (result == CUDA_OK && ++calls == fail_call) {
        result = (cuda_result)fail_result;
        if (is_fault(result))
            sticky = result;
    }
    if (needs_context && current != NULL)
        device_calls[current->device]++;
    pthread_mutex_unlock(&lock);
    if (result == CUDA_OK && has_come("MMPIPE_FAKE_LOST", device_calls))
        result = 719;
    if (result == CUDA_OK && needs_context && current == NULL)
        result = 201;
    return result;
}

#define ENTER(needs_context)                                                                                 \
    do {                                                                                                     \
        cuda_result entered = enter(needs_context);                                                          \
        if (entered != CUDA_OK)                                                                              \
            return entered;                                                                                  \
    } while (0)

/* "FUNCTION:RESULT": what that function returns. */
static cuda_result refuse(const char *function) {
    const char *text = getenv("MMPIPE_FAKE_REFUSE");
    const size_t length = strlen(function);
    return text != NULL && strncmp(text, function, length) == 0 && text[length] == ':'
               ? atoi(text + length + 1)
               : CUDA_OK;
}

/* For what a driver may not know or a container may refuse. */
#define ENTER_UNLESS_REFUSED(needs_context)                                                                  \
    do {                                                                                                     \
        ENTER(needs_context);                                                                                \
        if (refuse(__func__) != CUDA_OK)                                                                     \
            return refuse(__func__);                                                                         \
    } while (0)

static struct object *find_object(const void *pointer) {
    for (int i = 0; i < FAKE_OBJECTS; i++)
        if (objects[i].pointer == pointer)
            return &objects[i];
    return NULL;
}

static void *add_object(size_t size, size_t device_bytes) {
    pthread_mutex_lock(&lock);
    struct object *object = find_object(NULL);
    if (object != NULL) {
        object->pointer = malloc(size);
        object->bytes = device_bytes;
        object->device = current != NULL ? current->device : -1;
    }
    pthread_mutex_unlock(&lock);
    return object != NULL ? object->pointer : NULL;
}

/* Device memory counts in its context. */
static cuda_result remove_object(void *pointer) {
    pthread_mutex_lock(&lock);
    struct object *object = pointer != NULL ? find_object(pointer) : NULL;
    if (object != NULL) {
        if (object->bytes > 0)
            contexts[object->device].used_bytes -= object->bytes;
        free(object->pointer);
        object->pointer = NULL;
        object->bytes = 0;
    }
    pthread_mutex_unlock(&lock);
    return object != NULL ? CUDA_OK : 400;
}

static bool is_in_range(cuda_pointer address, size_t bytes);

/* Whether the bytes lie in one allocation of the current device. */
static bool is_inside(cuda_pointer address, size_t bytes) {
    bool inside = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < FAKE_OBJECTS; i++) {
        const struct object *o = &objects[i];
        cuda_pointer start = (cuda_pointer)(uintptr_t)o->pointer;
        inside |= o->bytes > 0 && o->device == current->device && address >= start &&
                  address + bytes <= start + o->bytes;
    }
    pthread_mutex_unlock(&lock);
    return inside || is_in_range(address, bytes);
}

/* ---- memory with descriptors: files without a name ---- */

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

static bool is_in_range(cuda_pointer address, size_t bytes) {
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        const struct fake_range *r = &ranges[i];
        const cuda_pointer begin = (cuda_pointer)(uintptr_t)r->begin;
        if (r->is_open && memories[r->memory - 1].device == current->device && address >= begin &&
            address + bytes <= begin + r->bytes)
            return true;
    }
    return false;
}

static void *host(cuda_pointer address) {
    return (void *)(uintptr_t)address;
}

cuda_result cuInit(unsigned flags) {
    (void)flags;
    const char *fail = getenv("MMPIPE_FAKE_FAIL");
    calls = fail_call = sticky = pending = 0;
    if (fail != NULL)
        sscanf(fail, "%ld:%ld", &fail_call, &fail_result);
    ENTER(false);
    return environment("MMPIPE_FAKE_DEVICES", 2) > 0 ? CUDA_OK : CUDA_NO_DEVICE;
}

cuda_result cuGetErrorName(cuda_result result, const char **text) {
    static __thread char name[40];
    snprintf(name, sizeof name, "FAKE_ERROR_%d", result);
    *text = name;
    return CUDA_OK;
}

cuda_result cuGetErrorString(cuda_result result, const char **text) {
    *text = result == CUDA_OUT_OF_MEMORY ? "out of memory" : "fake words";
    return result == 9999 ? CUDA_INVALID_VALUE : CUDA_OK;
}

cuda_result cuDriverGetVersion(int *version) {
    ENTER(false);
    *version = 13000;
    return CUDA_OK;
}

cuda_result cuDeviceGetCount(int *count) {
    ENTER(false);
    *count = (int)environment("MMPIPE_FAKE_DEVICES", 2);
    return CUDA_OK;
}

cuda_result cuDeviceGet(cuda_device *device, int index) {
    ENTER(false);
    *device = index;
    return CUDA_OK;
}

cuda_result cuDeviceGetName(char *name, int size, cuda_device device) {
    ENTER(false);
    snprintf(name, (size_t)size, "Fake GPU %d", device);
    return CUDA_OK;
}

cuda_result cuDeviceTotalMem_v2(size_t *bytes, cuda_device device) {
    (void)device;
    ENTER(false);
    *bytes = (size_t)environment("MMPIPE_FAKE_BYTES", 1 << 20);
    return CUDA_OK;
}

cuda_result cuDeviceGetAttribute(int *value, int attribute, cuda_device device) {
    (void)device;
    ENTER(false);
    switch (attribute) {
    case CUDA_DEVICE_CAPABILITY_MAJOR: *value = 9; break;
    case CUDA_DEVICE_CAPABILITY_MINOR: *value = 0; break;
    case CUDA_DEVICE_WARP_SIZE: *value = 32; break;
    case CUDA_DEVICE_CLOCK_KILOHERTZ: *value = 1000000; break;
    case CUDA_DEVICE_SHARED_BYTES_PER_BLOCK_OPTIN: *value = 232448; break;
    case CUDA_DEVICE_VIRTUAL_MEMORY:
    case CUDA_DEVICE_MEMORY_DESCRIPTORS: *value = 1; return refuse(__func__);
    default: *value = attribute; break;
    }
    return CUDA_OK;
}

cuda_result cuDevicePrimaryCtxRetain(cuda_context *context, cuda_device device) {
    ENTER(false);
    *context = &contexts[device];
    contexts[device].device = device;
    contexts[device].uses++;
    return CUDA_OK;
}

cuda_result cuDevicePrimaryCtxRelease_v2(cuda_device device) {
    contexts[device].uses--;
    return CUDA_OK;
}

cuda_result cuCtxSetCurrent(cuda_context context) {
    ENTER(false);
    current = context;
    return CUDA_OK;
}

/* A fault of a kernel shows when somebody waits. */
static cuda_result synchronize(void) {
    ENTER(true);
    if (pending != 0)
        sticky = pending;
    return (cuda_result)sticky;
}

cuda_result cuMemGetInfo_v2(size_t *free_bytes, size_t *total_bytes) {
    ENTER(true);
    *total_bytes = (size_t)environment("MMPIPE_FAKE_BYTES", 1 << 20);
    *free_bytes = *total_bytes - current->used_bytes;
    return CUDA_OK;
}

cuda_result cuMemAlloc_v2(cuda_pointer *pointer, size_t bytes) {
    ENTER(true);
    if (bytes == 0)
        return CUDA_INVALID_VALUE;
    if (bytes > (size_t)environment("MMPIPE_FAKE_BYTES", 1 << 20) - current->used_bytes)
        return CUDA_OUT_OF_MEMORY;
    *pointer = (cuda_pointer)(uintptr_t)add_object(bytes, bytes);
    current->used_bytes += bytes;
    return *pointer != 0 ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemFree_v2(cuda_pointer pointer) {
    return current != NULL ? remove_object(host(pointer)) : 201;
}

cuda_result cuDeviceGetUuid(cuda_uuid *uuid, cuda_device device) {
    ENTER_UNLESS_REFUSED(false);
    memset(uuid->bytes, 'u', sizeof uuid->bytes);
    uuid->bytes[15] = (char)device;
    return CUDA_OK;
}

static int count_memories(void) {
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
            contexts[device].used_bytes += bytes;
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
    if (bytes > (size_t)environment("MMPIPE_FAKE_BYTES", 1 << 20) - current->used_bytes)
        return CUDA_OUT_OF_MEMORY;
    const int file = memfd_create("fake", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0)
        return CUDA_OUT_OF_MEMORY;
    return add_memory(memory, file, bytes, kind->place.device);
}

static void drop_memory(struct fake_memory *memory) {
    if (--memory->uses > 0)
        return;
    contexts[memory->device].used_bytes -= memory->bytes;
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
    return add_memory(memory, copied, (size_t)about.st_size, current->device);
}

cuda_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags) {
    ENTER(true);
    *pointer = add_object(bytes, 0);
    return *pointer != NULL && flags == CUDA_HOST_PORTABLE ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuMemFreeHost(void *pointer) {
    return remove_object(pointer);
}

static cuda_result copy(void *to, const void *from, cuda_pointer address, size_t bytes) {
    ENTER(true);
    if (!is_inside(address, bytes))
        return CUDA_INVALID_VALUE;
    memmove(to, from, bytes);
    return CUDA_OK;
}

cuda_result cuMemcpyHtoD_v2(cuda_pointer to, const void *from, size_t bytes) {
    return copy(host(to), from, to, bytes);
}

cuda_result cuMemcpyDtoH_v2(void *to, cuda_pointer from, size_t bytes) {
    cuda_result result = pending != 0 ? synchronize() : CUDA_OK;
    return result != CUDA_OK ? result : copy(to, host(from), from, bytes);
}

cuda_result cuMemcpyHtoDAsync_v2(cuda_pointer to, const void *from, size_t bytes, cuda_stream stream) {
    return stream != NULL && find_object(stream) == NULL ? 400 : copy(host(to), from, to, bytes);
}

cuda_result cuMemcpyDtoHAsync_v2(void *to, cuda_pointer from, size_t bytes, cuda_stream stream) {
    if (stream != NULL && find_object(stream) == NULL)
        return 400;
    const cuda_result result = copy(to, host(from), from, bytes);
    pthread_mutex_lock(&lock);
    if (++copies_back == environment("MMPIPE_FAKE_BIT", 0) && bytes > 5)
        ((char *)to)[5] ^= 1;
    pthread_mutex_unlock(&lock);
    return result;
}

cuda_result cuMemcpyDtoDAsync_v2(cuda_pointer to, cuda_pointer from, size_t bytes, cuda_stream stream) {
    (void)stream;
    return is_inside(from, bytes) ? copy(host(to), host(from), to, bytes) : CUDA_INVALID_VALUE;
}

cuda_result cuMemsetD8Async(cuda_pointer to, unsigned char value, size_t bytes, cuda_stream stream) {
    (void)stream;
    ENTER(true);
    if (!is_inside(to, bytes))
        return CUDA_INVALID_VALUE;
    memset(host(to), value, bytes);
    return CUDA_OK;
}

cuda_result cuStreamCreate(cuda_stream *stream, unsigned flags) {
    ENTER(true);
    *stream = add_object(sizeof **stream, 0);
    return *stream != NULL && flags == 0 ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuStreamDestroy_v2(cuda_stream stream) {
    return remove_object(stream);
}

cuda_result cuStreamSynchronize(cuda_stream stream) {
    return stream != NULL && find_object(stream) == NULL ? 400 : synchronize();
}

/* Of the wait, not of the stream: everything is done at once here. */
cuda_result cuStreamQuery(cuda_stream stream) {
    return has_come("MMPIPE_FAKE_HANG", device_calls) ? CUDA_NOT_READY : cuStreamSynchronize(stream);
}

cuda_result cuStreamWaitEvent(cuda_stream stream, cuda_event event, unsigned flags) {
    (void)stream;
    ENTER(true);
    return find_object(event) != NULL && flags == 0 ? CUDA_OK : 400;
}

cuda_result cuEventCreate(cuda_event *event, unsigned flags) {
    ENTER(true);
    *event = add_object(sizeof **event, 0);
    return *event != NULL && flags == 0 ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

cuda_result cuEventDestroy_v2(cuda_event event) {
    return remove_object(event);
}

/* The clock goes on by 2 milliseconds from one event to the next. */
cuda_result cuEventRecord(cuda_event event, cuda_stream stream) {
    (void)stream;
    ENTER(true);
    event->milliseconds = clock_milliseconds += 2;
    return CUDA_OK;
}

cuda_result cuEventQuery(cuda_event event) {
    if (has_come("MMPIPE_FAKE_HANG", device_calls))
        return CUDA_NOT_READY;
    return find_object(event) == NULL ? 400 : synchronize();
}

cuda_result cuEventElapsedTime(float *milliseconds, cuda_event first, cuda_event last) {
    ENTER(true);
    *milliseconds = last->milliseconds - first->milliseconds;
    return CUDA_OK;
}

/* Compiles a source that knows the shim; NULL: it does not, or it fails. */
static void *compile(const char *source, struct CUfunc_st *function) {
    char folder[] = "/tmp/mmpipe-fake.XXXXXX", path[64], command[1024];
    void *library = NULL;
    const char *root = getenv("MMPIPE_SOURCE");
    if (strstr(source, "SHIM_KERNEL") == NULL || mkdtemp(folder) == NULL)
        return NULL;
    snprintf(path, sizeof path, "%s/code.c", folder);
    FILE *file = fopen(path, "w");
    if (file != NULL) {
        fprintf(file,
                "#include \"shim.h\"\n%s\n"
                "static void thread(void *data) {\n"
                "    void **a = data;\n"
                "    perm_sparse(*(long long *)a[0], *(long long *)a[1], *(double **)a[2]);\n}\n"
                "void run(unsigned grid, unsigned block, unsigned shared_bytes, void **arguments) {\n"
                "    shim_launch(thread, arguments, (shim_index){grid, 1, 1}, (shim_index){block, 1, 1}, "
                "shared_bytes);\n}\n",
                source);
        fclose(file);
        snprintf(command, sizeof command,
                 "cc -std=gnu11 -O1 -w -fPIC -shared -ffp-contract=off -I'%s/kernels' -o %s/code.so %s "
                 "-lm",
                 root != NULL ? root : ".", folder, path);
        if (system(command) == 0) {
            snprintf(path, sizeof path, "%s/code.so", folder);
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (library != NULL) {
        void *entry = dlsym(library, "run");
        memcpy(&function->run, &entry, sizeof entry);
        function->name = "perm_sparse";
    }
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? library : NULL;
}

static bool is_fatbin(const void *image) {
    return memcmp(image, (const unsigned char[]){0x50, 0xed, 0x55, 0xba}, 4) == 0;
}

cuda_result cuModuleLoadDataEx(cuda_module *module, const void *image, unsigned options, int *option,
                               void **value) {
    ENTER(true);
    if (is_fatbin(image))
        image = "FAKE fatbin";
    if (strncmp(image, "FAKE", 4) != 0) {
        if (options == 2 && option[0] == CUDA_JIT_ERROR_LOG && option[1] == CUDA_JIT_ERROR_LOG_BYTES)
            snprintf(value[0], (size_t)(uintptr_t)value[1], "fake log\n");
        return strncmp(image, "OLD", 3) == 0 ? CUDA_NO_BINARY_FOR_GPU : CUDA_INVALID_IMAGE;
    }
    *module = add_object(sizeof **module + strlen(image) + 1, 0);
    if (*module == NULL)
        return CUDA_OUT_OF_MEMORY;
    memset(*module, 0, sizeof **module);
    strcpy((*module)->image, image);
    (*module)->library = compile((*module)->image + 4, &(*module)->function);
    return CUDA_OK;
}

cuda_result cuModuleUnload(cuda_module module) {
    if (module != NULL && module->library != NULL)
        dlclose(module->library);
    return remove_object(module);
}

cuda_result cuModuleGetFunction(cuda_function *function, cuda_module module, const char *name) {
    ENTER(true);
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0 && strstr(module->image, name) != NULL) {
            *function = &functions[i];
            return CUDA_OK;
        }
    for (int i = 0; i < FAKE_FUNCTIONS && strcmp(module->image, "FAKE fatbin") == 0 && fake_has_kernel(name);
         i++)
        if (module->kernel[i].name == NULL || strcmp(module->kernel[i].name, name) == 0) {
            module->kernel[i].name = name;
            *function = &module->kernel[i];
            return CUDA_OK;
        }
    if (module->function.name == NULL || strcmp(module->function.name, name) != 0)
        return CUDA_NOT_FOUND;
    *function = &module->function;
    return CUDA_OK;
}

cuda_result cuFuncGetAttribute(int *value, int attribute, cuda_function function) {
    (void)function;
    ENTER(true);
    *value = 100 + attribute;
    return CUDA_OK;
}

cuda_result cuFuncSetAttribute(cuda_function function, int attribute, int value) {
    (void)function;
    ENTER(true);
    return attribute == CUDA_FUNCTION_DYNAMIC_SHARED_BYTES && value >= 0 ? CUDA_OK : CUDA_INVALID_VALUE;
}

cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cuda_function function, int threads,
                                                        size_t shared_bytes) {
    (void)function;
    (void)shared_bytes;
    ENTER(true);
    *blocks = threads > 0 ? 2048 / threads : 0;
    return CUDA_OK;
}

cuda_result cuLaunchKernelEx(const cuda_launch *launch, cuda_function function, void **arguments,
                             void **extra) {
    ENTER(true);
    const unsigned *grid = launch->grid, *block = launch->block;
    int64_t threads = (int64_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
    if (threads == 0 || extra != NULL)
        return CUDA_INVALID_VALUE;
    if (strcmp(function->name, "fault") == 0) {
        pending = CUDA_ILLEGAL_ADDRESS;
        return CUDA_OK;
    }
    if (function->run != NULL) {
        function->run(grid[0], block[0], launch->shared_bytes, arguments);
        return CUDA_OK;
    }
    if (fake_has_kernel(function->name)) {
        fake_run_kernel(function->name, (unsigned[]){grid[0], grid[1]}, block[0], launch->shared_bytes,
                        arguments);
        return CUDA_OK;
    }
    int64_t n;
    cuda_pointer a, b;
    memcpy(&n, arguments[0], sizeof n);
    memcpy(&a, arguments[1], sizeof a);
    memcpy(&b, arguments[2], sizeof b);
    if (!is_inside(a, (size_t)n * sizeof(double)) || !is_inside(b, (size_t)n * sizeof(double)))
        return CUDA_ILLEGAL_ADDRESS;
    const double *from = host(a);
    double *to = host(b);
    for (int64_t i = 0; i < n && i < threads; i++)
        to[i] += from[i];
    return CUDA_OK;
}

/* ---- NVRTC ---- */

typedef struct fake_program {
    char *text, *image;
} fake_program;

static int compilations;

/* How often a program was compiled; tests call it. */
int fake_compilations(void) {
    return compilations;
}

const char *nvrtcGetErrorString(int result) {
    return result == 6 ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR";
}

int nvrtcVersion(int *major, int *minor) {
    *major = (int)environment("MMPIPE_FAKE_NVRTC", 13);
    *minor = 0;
    return 0;
}

int nvrtcGetNumSupportedArchs(int *count) {
    *count = 3;
    return 0;
}

int nvrtcGetSupportedArchs(int *architectures) {
    const int known[] = {80, 86, 90};
    memcpy(architectures, known, sizeof known);
    return 0;
}

int nvrtcCreateProgram(fake_program **program, const char *text, const char *name, int headers,
                       const char *const *header, const char *const *header_name) {
    (void)name;
    (void)header;
    (void)header_name;
    *program = calloc(1, sizeof **program);
    (*program)->text = strdup(text);
    return headers;
}

int nvrtcDestroyProgram(fake_program **program) {
    free((*program)->text);
    free((*program)->image);
    free(*program);
    *program = NULL;
    return 0;
}

int nvrtcCompileProgram(fake_program *program, int options, const char *const *option) {
    size_t size = strlen(program->text) + 16;
    compilations++;
    if (strstr(program->text, "#error") != NULL)
        return 6;
    for (int i = 0; i < options; i++)
        size += strlen(option[i]) + 1;
    program->image = malloc(size);
    sprintf(program->image, "FAKE %s\n//", program->text);
    for (int i = 0; i < options; i++)
        strcat(strcat(program->image, " "), option[i]);
    return 0;
}

static const char fake_log[] = "warning: first\nfake.cu(3): error: #error here\n";

int nvrtcGetProgramLogSize(fake_program *program, size_t *bytes) {
    (void)program;
    *bytes = sizeof fake_log;
    return 0;
}

int nvrtcGetProgramLog(fake_program *program, char *log) {
    (void)program;
    memcpy(log, fake_log, sizeof fake_log);
    return 0;
}

int nvrtcGetCUBINSize(fake_program *program, size_t *bytes) {
    *bytes = strlen(program->image) + 1;
    return 0;
}

int nvrtcGetCUBIN(fake_program *program, char *image) {
    strcpy(image, program->image);
    return 0;
}

int nvrtcGetPTXSize(fake_program *program, size_t *bytes) {
    return nvrtcGetCUBINSize(program, bytes);
}

int nvrtcGetPTX(fake_program *program, char *image) {
    return nvrtcGetCUBIN(program, image);
}
