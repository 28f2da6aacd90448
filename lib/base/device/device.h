/* SPDX-License-Identifier: BSD-3-Clause */
/* NVIDIA GPUs through the CUDA driver, which is loaded when the first device is opened; a build and a machine
 * without CUDA are fine.
 *
 * Failures are BASE_MACHINE; the cause names the device, what was tried and the driver's own words. After a
 * failure that leaves the device's memory in doubt (a fault inside a kernel, an ECC error, a lost device)
 * every later call on that device fails with the first cause, so that no result can come from it.
 *
 * Threads: one host thread works with a device at a time; different threads work with different devices
 * without locks. Every call makes its device current in the calling thread, so a device may pass from one
 * thread to another. Each thread has a base_context of its own (base_devices_each sees to both).
 *
 * The room: search.c finds the devices that --device asks for, device.c opens one and keeps it, context.c
 * makes it current and turns the driver's failures into ours, memory.c has buffers and copies, fatbin.c finds
 * the code of nvcc, code.c has modules and launches, stream.c the order of work, threads.c a host thread for
 * each device, wait.c how long anybody waits, watch.c what to do where the driver itself does, shared.c
 * memory that programs leave to each other. compile.h makes code by NVRTC, cache.h keeps it on
 * disk, costs.h what devices cost, arrival.h has copies that go on meanwhile, blas.h is cuBLAS. cuda_driver.h
 * is the driver's interface, and only this room includes it. */
#ifndef BASE_DEVICE_DEVICE_H
#define BASE_DEVICE_DEVICE_H

#include "base/core/context.h"

#include <stddef.h>

typedef enum base_device_choice { BASE_DEVICE_AUTO, BASE_DEVICE_CPU, BASE_DEVICE_CUDA } base_device_choice;

enum { BASE_DEVICES = 64 }; /* at most */

typedef struct base_devices base_devices; /* the devices a program works with */
typedef struct base_device base_device;
typedef struct base_device_stream base_device_stream;
typedef struct base_device_event base_device_event;
typedef struct base_device_module base_device_module;

/* ---- finding devices ---- */

/* Finds the devices with the given indices, all of them if `count` is 0, or this process's share where MPI or
 * Slurm have started several on this machine; creates no device context yet.
 * BASE_DEVICE_CPU: none, and nothing is loaded. BASE_DEVICE_AUTO: none is no failure; base_devices_reason
 * says why there is none. BASE_DEVICE_CUDA: fails when there is none or one of the indices does not exist. */
base_status base_devices_open(base_context *context, base_device_choice choice, const int *indices, int count,
                              base_devices **devices);

/* Releases the devices and all memory on them; streams, events and modules must be closed before. NULL is
 * allowed. True: a kernel on one of them may never end, and the driver would wait for it at the end of the
 * process: leave by _exit. */
bool base_devices_close(base_devices *devices);

/* From now on, for devices that are opened later: where a call of the driver has not come back after
 * MMPIPE_DEVICE_SECONDS, a thread calls `on_hang` with what to say. That call never comes back, and whoever
 * waits for its thread does so without an end: `on_hang` ends the process. NULL: nobody is told, as at the
 * beginning. A library that must not end the process has no such watch. */
typedef void base_device_hang(void *data, const char *what);
void base_devices_watch(base_device_hang *on_hang, void *data);

/* Which devices a program may work with (--device, base/run/run.h), and those that were found. */
typedef struct base_device_search {
    base_device_choice choice;
    int count; /* of the indices of --device cuda:N,…; 0: all devices */
    int index[BASE_DEVICES];

    /* private */
    bool starts_first;               /* only the first is started early */
    base_devices *found;             /* NULL: not looked for yet */
    struct base_device_early *early; /* a thread that looks for them */
} base_device_search;

/* The words of --device: auto, cpu, cuda, cuda:0, cuda:0,2. False: it is none of these, and `search` stays as
 * it was. */
bool base_device_search_parse(const char *text, base_device_search *search);

/* base_devices_open, once, on any thread; search->found. */
base_status base_devices_find(base_context *context, base_device_search *search);

/* Begins to look for them, in a thread of its own, which creates the contexts of the devices too: both take
 * tenths of a second. What fails is told by base_devices_find and by the first use of a device. The second
 * one is for programs that use one device: it creates no context of the others. */
void base_devices_find_early(base_context *context, base_device_search *search);
void base_devices_find_first_early(base_context *context, base_device_search *search);

/* Closes what was found, as base_devices_close. */
bool base_device_search_close(base_device_search *search);

int base_devices_count(const base_devices *devices);
base_device *base_devices_get(base_devices *devices, int position);

/* Why there are no devices: "no NVIDIA driver (libcuda.so.1 not found)"; empty when there are some. */
const char *base_devices_reason(const base_devices *devices);

/* Calls `work` once per device, each in a thread of its own with its own copy of the context; waits for all.
 * Fails with the error of the first device (by position) whose work failed. */
typedef base_status base_device_work(base_context *context, base_device *device, int position, void *data);
base_status base_devices_each(base_context *context, base_devices *devices, base_device_work *work,
                              void *data);

typedef struct base_device_properties {
    int index; /* the driver's: N of cuda:N */
    char name[96];
    int architecture; /* compute capability: 90 for 9.0 */
    int multiprocessors, warp_size;
    int threads_per_block, threads_per_multiprocessor, registers_per_multiprocessor;
    int64_t memory_bytes, l2_bytes, constant_bytes;
    int64_t shared_bytes_per_block; /* with base_device_allow_shared */
    int64_t shared_bytes_per_multiprocessor;
    double clock_hertz;
    double memory_rate; /* bytes a second of its memory, by clock and width; 0: the driver does not say */
    bool ecc;           /* memory errors are detected */
    int driver_cuda;    /* newest CUDA the driver supports: 13000 for 13.0 */
    unsigned char uuid[16];
    bool gives_memory; /* memory may be handed to other processes (base_device_alloc_shared) */
} base_device_properties;

const base_device_properties *base_device_get_properties(const base_device *device);

/* Creates the device's context (a few tenths of a second); the first call that needs it does so otherwise. */
base_status base_device_start(base_context *context, base_device *device);

/* Whether the device has its context. Waits for a thread that makes it. */
bool base_device_is_started(base_device *device);

/* Begins to do so for all of them, in threads that base_devices_close waits for. A failure shows where a
 * device is used. */
void base_devices_start_early(const base_context *context, base_devices *devices);

/* ---- memory ---- */

/* Memory of a device, or a part of it. `bytes` bounds every copy. */
typedef struct base_device_buffer {
    base_device *device;
    uint64_t address; /* the pointer that a kernel gets: pass &buffer.address as its argument */
    int64_t bytes;
    uint64_t memory;      /* of base_device_alloc_shared: the driver's handle … */
    int64_t mapped_bytes; /* … and how much of it is mapped; 0: of base_device_alloc */
} base_device_buffer;

/* Room for `count` objects of `size` bytes; undefined content. Refused, with the sizes in the message, when
 * the device has less free memory than that. The buffer is set to zero on failure. */
base_status base_device_alloc(base_context *context, base_device *device, int64_t count, int64_t size,
                              base_device_buffer *buffer);

/* The same, so that it can be handed to other processes; plain memory where properties.gives_memory is false,
 * which a refusal of the driver sets. Sizes are rounded up to 2 MiB, with 256 bytes or more behind the end
 * that kernels may read. */
base_status base_device_alloc_shared(base_context *context, base_device *device, int64_t count, int64_t size,
                                     base_device_buffer *buffer);

/* A descriptor of memory of base_device_alloc_shared, to be closed; *descriptor -1 for plain memory and where
 * the driver refuses it. The memory lives until the last descriptor and the last mapping are gone, in
 * whatever process. The kernels that fill it must have ended. */
base_status base_device_export(base_context *context, const base_device_buffer *buffer, int *descriptor);

/* Maps memory of the same device from another process's descriptor, which stays open. */
base_status base_device_import(base_context *context, base_device *device, int descriptor, int64_t bytes,
                               base_device_buffer *buffer);

/* The device with that number, or NULL. */
base_device *base_devices_find_uuid(base_devices *devices, const unsigned char uuid[16]);

/* Copies such memory to the host, for who has not looked for devices: BASE_MACHINE where its device is not
 * there. Takes the start of the device. */
base_status base_device_fetch(base_context *context, const unsigned char uuid[16], int descriptor,
                              int64_t bytes, void *to);

/* The same piece by piece, so that one is used while the next is on its way: pieces of pinned memory with
 * room for `piece_bytes` each. Closed by the caller, after a failure too. */
enum { BASE_DEVICE_READER_PIECES = 2 };
typedef struct base_device_reader base_device_reader;
base_status base_device_reader_open(base_context *context, const unsigned char uuid[16], int descriptor,
                                    int64_t bytes, int64_t piece_bytes, base_device_reader **reader);
void base_device_reader_close(base_device_reader *reader); /* NULL is allowed */
char *base_device_reader_room(base_device_reader *reader, int piece);

/* Begins to copy bytes from `offset` of the memory on to `place` of a piece, which must not be touched until
 * it was waited for. */
base_status base_device_reader_begin(base_context *context, base_device_reader *reader, int piece,
                                     int64_t offset, int64_t place, int64_t bytes);
base_status base_device_reader_wait(base_context *context, base_device_reader *reader, int piece);

/* Waits for the kernels that may use it. Freed and zero buffers are allowed; the buffer is set to zero. */
void base_device_free(base_device_buffer *buffer);

/* Bytes free on the device now; `used` and `peak` count what base_device_alloc gave out. Each may be NULL. */
base_status base_device_get_memory(base_context *context, base_device *device, int64_t *free_bytes,
                                   int64_t *used_bytes, int64_t *peak_bytes);

/* Copies between the host and the buffer from byte `offset` on. A stream NULL: complete on return, after
 * everything submitted to the device before. Otherwise in the order of the stream, and `host` (from
 * base_device_alloc_pinned, else the copy waits) must stay until the stream was waited for. */
base_status base_device_upload(base_context *context, const base_device_buffer *buffer, int64_t offset,
                               const void *host, int64_t bytes, base_device_stream *stream);
base_status base_device_download(base_context *context, const base_device_buffer *buffer, int64_t offset,
                                 void *host, int64_t bytes, base_device_stream *stream);

/* Copies of many bytes from the buffer's first on, complete on return: all threads of the context copy
 * between `host`, of any kind, and two pieces of pinned memory while the other one is on its way. */
base_status base_device_upload_pieces(base_context *context, const base_device_buffer *buffer,
                                      const void *host, int64_t bytes);
base_status base_device_download_pieces(base_context *context, const base_device_buffer *buffer, void *host,
                                        int64_t bytes);

/* Copies inside one device; sets bytes. In the order of the stream; NULL: the device's default stream. */
base_status base_device_copy(base_context *context, const base_device_buffer *to, int64_t to_offset,
                             const base_device_buffer *from, int64_t from_offset, int64_t bytes,
                             base_device_stream *stream);
base_status base_device_fill(base_context *context, const base_device_buffer *buffer, int64_t offset,
                             unsigned char value, int64_t bytes, base_device_stream *stream);

/* Host memory that every device copies from and to without help of the processor. */
base_status base_device_alloc_pinned(base_context *context, base_device *device, int64_t count, int64_t size,
                                     void **host);
void base_device_free_pinned(base_device *device, void *host);

/* A few numbers of host memory that kernels write to under the same address, one such place for each device
 * and as long as it is open: who has waited for the device may read them, which is faster than a copy. */
enum { BASE_DEVICE_MAILBOX = 8 };
base_status base_device_get_mailbox(base_context *context, base_device *device, int64_t **mailbox);

/* ---- order and time ---- */

/* Work of one stream runs in order; work of two streams may overlap. Work of the default stream (NULL) waits
 * for all streams and all wait for it. */
base_status base_device_stream_open(base_context *context, base_device *device, base_device_stream **stream);
void base_device_stream_close(base_device_stream *stream);
base_status base_device_stream_wait(base_context *context, base_device_stream *stream);

/* Waits for all work of the device. Faults of kernels show here, or in any later call. */
base_status base_device_wait(base_context *context, base_device *device);

/* A point in the order of a stream's work: it is reached when all that was submitted before is done. */
base_status base_device_event_open(base_context *context, base_device *device, base_device_event **event);
void base_device_event_close(base_device_event *event);
base_status base_device_event_record(base_context *context, base_device_event *event,
                                     base_device_stream *stream);
/* What is submitted to the stream from now on waits for the event. */
base_status base_device_event_hold(base_context *context, base_device_event *event,
                                   base_device_stream *stream);
/* Waits for `last`; the time from `first` to it, to about half a microsecond. */
base_status base_device_event_seconds(base_context *context, base_device_event *first,
                                      base_device_event *last, double *seconds);

/* ---- device code ---- */

/* Device code compiled by nvcc at build time: kernels/perm/dense/gpu.cu is perm_dense_gpu_fatbin. Where it is
 * not inside the program (no nvcc, or configure --enable-kernel-files) `image` is NULL, and it is loaded from
 * kernels/perm/dense/gpu.fatbin in the folder that MMPIPE_KERNEL_FILES names, by default
 * $(pkglibdir)/VERSION. */
typedef struct base_device_fatbin {
    const char *name; /* kernels/perm/dense/gpu.cu */
    const void *image;
    size_t bytes;
} base_device_fatbin;

/* Whether it is inside the program or a file has it. About a microsecond where it is not inside. */
bool base_device_has_code(const base_device_fatbin *fatbin);

/* A module of the caller's own, to be closed. BASE_MACHINE "built without CUDA kernels" where no file has the
 * code, and for a file that is damaged. */
base_status base_device_load_fatbin(base_context *context, base_device *device,
                                    const base_device_fatbin *fatbin, base_device_module **module);

/* Loads a cubin, fatbin or NUL-terminated PTX; `name` is for messages. */
base_status base_device_load_image(base_context *context, base_device *device, const void *image,
                                   const char *name, base_device_module **module);
void base_device_module_close(base_device_module *module);

/* The module of a fatbin, loaded when it is wanted for the first time. It stays until the devices are closed
 * and must not be closed. */
base_status base_device_get_module(base_context *context, base_device *device,
                                   const base_device_fatbin *fatbin, base_device_module **module);

typedef struct base_device_function {
    base_device *device;
    void *handle;
    char name[56];
} base_device_function;

/* A kernel of a module, by its name; valid as long as the module. */
base_status base_device_get_function(base_context *context, base_device_module *module, const char *name,
                                     base_device_function *function);

typedef struct base_device_function_info {
    int registers, threads_per_block;
    int64_t local_bytes; /* per thread: spilled registers and arrays */
    int64_t shared_bytes, constant_bytes;
} base_device_function_info;

base_status base_device_get_function_info(base_context *context, const base_device_function *function,
                                          base_device_function_info *info);

/* Dynamic shared memory beyond 48 KiB a block needs this, once per function. */
base_status base_device_allow_shared(base_context *context, const base_device_function *function,
                                     int64_t bytes);

/* Blocks of so many threads and bytes of dynamic shared memory that fit on one multiprocessor at a time. */
base_status base_device_get_occupancy(base_context *context, const base_device_function *function,
                                      int threads, int64_t shared_bytes, int *blocks);

typedef struct base_device_launch_config {
    unsigned grid[3], block[3]; /* 0 counts as 1 */
    int64_t shared_bytes;       /* dynamic shared memory of a block */
    bool follows;               /* may begin before the kernel before it ends, for which it waits itself
                                   (griddepcontrol.wait; compute capability 9.0) */
    bool is_cooperative;        /* its blocks wait for each other: all are resident, or it fails */
} base_device_launch_config;

/* Submits a kernel. `arguments` points to its arguments in order, each with the type of the kernel's
 * parameter; they are copied before the call returns. Errors inside the kernel show in a later call. */
base_status base_device_launch(base_context *context, const base_device_function *function,
                               const base_device_launch_config *config, base_device_stream *stream,
                               void **arguments);

#endif
