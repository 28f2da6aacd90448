/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of the binary form, which mm-stream(5) describes byte by byte.
 *
 * A record is a header frame, then its blocks; each block is a block frame and a zstd frame. Header, block
 * and end frames are skippable frames of zstd. Numbers are little-endian. The blocks hold the entries first,
 * in order and each block by itself: the rows of its entries, their columns, their values; then the tail, the
 * bytes of decimal numbers or of a payload. */
#ifndef MM_BINARY_INTERNAL_H
#define MM_BINARY_INTERNAL_H

#include "mm/binary/binary.h"
#include "mm/binary/compress.h"

enum {
    MM_BINARY_BLOCK_BYTES = 4 << 20, /* most bytes of a block before compression */
    MM_BINARY_COMMENTS_BYTES = 64 << 20,

    /* sizes of the frames, a record's without its comments */
    MM_BINARY_RECORD_BYTES = 80,
    MM_BINARY_HEAD_BYTES = 48,
    MM_BINARY_END_BYTES = 32,
    MM_BINARY_GIVER_BYTES = 56,
    MM_BINARY_RESIDENT_BYTES = 88,
    MM_BINARY_PREFIX_BYTES = 16, /* what they have in common */

    MM_BINARY_PAGE_BYTES = 4096,       /* of which plain blocks begin at multiples in the stream */
    MM_BINARY_PLAIN_BYTES = 64 * 1024, /* least tail that is written in plain blocks */
    MM_BINARY_PLAIN_HEAD_BYTES = MM_BINARY_HEAD_BYTES + MM_BINARY_PAGE_BYTES - 1 /* at most, with zeros */
};

typedef enum mm_binary_frame {
    MM_FRAME_RECORD = 1,
    MM_FRAME_BLOCK = 2,
    MM_FRAME_END = 3,
    MM_FRAME_PLAIN = 4,   /* a block with its bytes in it, for mapping */
    MM_FRAME_GIVER = 5,   /* who hands memory over beside the stream */
    MM_FRAME_RESIDENT = 6 /* a record's content, which is handed over */
} mm_binary_frame;

/* What a header frame says, and how the entries are laid out. */
typedef struct mm_binary_header {
    int64_t record_number;
    mm_kind kind;
    mm_format format;
    mm_field field;
    mm_symmetry symmetry;
    int64_t nrow, ncol, nnz;
    int row_bytes, col_bytes, value_bytes; /* of one entry; 0 where there is none */
    int64_t tail_bytes;
    int64_t comments_bytes;
    uint64_t hash;

    /* derived */
    int64_t entry_bytes;
    int64_t entries_per_block;
    int64_t entry_blocks, blocks; /* blocks of entries, and all of them */
} mm_binary_header;

typedef struct mm_binary_block {
    int64_t number;       /* from 0 */
    uint32_t raw_bytes;   /* before compression */
    uint32_t frame_bytes; /* of the zstd frame; of a plain block the zeros before it */
} mm_binary_block;

/* Says how `record` is laid out. */
void mm_binary_plan(const mm_record *record, int64_t record_number, mm_binary_header *header);

/* Derives the blocks from a header's other fields. */
void mm_binary_divide(mm_binary_header *header);

/* The entries first … first + count - 1 of entry block `block`, and the raw bytes of any block. */
int64_t mm_binary_block_entries(const mm_binary_header *header, int64_t block, int64_t *first);
int64_t mm_binary_block_raw_bytes(const mm_binary_header *header, int64_t block);

/* What a resident frame says of the memory that is handed over. */
typedef struct mm_binary_memory {
    int64_t bytes;
    bool is_hashed;
    uint64_t hash;                      /* XXH3 of the memory */
    int64_t device_first, device_bytes; /* those of a payload that lie on a device */
    unsigned char uuid[16];             /* of that */
} mm_binary_memory;

/* Puts frames together; each returns its size. The record frame sets header->hash. */
size_t mm_binary_put_record(char *frame, mm_binary_header *header, const char *comments);
size_t mm_binary_put_head(char *frame, const mm_binary_header *header, const mm_binary_block *block,
                          const void *zstd_frame);
/* The head of a plain block and the zeros after which its bytes stand, at byte `position` of the stream; and
 * the size of the two. */
size_t mm_binary_plain_bytes(int64_t position);
size_t mm_binary_put_plain(char *frame, const mm_binary_header *header, int64_t number, int64_t position,
                           const void *bytes);
size_t mm_binary_put_end(char *frame, int64_t count);
size_t mm_binary_put_giver(char *frame, const base_resident_name *name);
size_t mm_binary_put_resident(char *frame, const mm_binary_header *header, const mm_binary_memory *memory);

/* Take frames apart: NULL, or what is wrong. The first tells a frame's type and size from its prefix; the
 * record's and the end's hashes are verified; of a block frame everything but its hash, which is the business
 * of mm_binary_check_block when the zstd frame is there. */
const char *mm_binary_get_prefix(const char *prefix, mm_binary_frame *type, size_t *size);
const char *mm_binary_get_record(const char *frame, size_t size, mm_binary_header *header);
const char *mm_binary_get_head(const char *frame, const mm_binary_header *header, mm_binary_block *block);
bool mm_binary_check_block(const char *frame, const void *zstd_frame, size_t size);
/* The size of a plain block's head with its zeros, or 0 if something is wrong with it: the frame's size is
 * `size`. */
size_t mm_binary_plain_head(const char *frame, size_t size, const mm_binary_block *block);
const char *mm_binary_get_end(const char *frame, int64_t *count);
const char *mm_binary_get_giver(const char *frame, base_resident_name *name);
const char *mm_binary_get_resident(const char *frame, const mm_binary_header *header,
                                   mm_binary_memory *memory);

/* Whether a record's tail is written in plain blocks. */
bool mm_binary_is_plain(const mm_binary_header *header, int level);

/* Compressed blocks, of entries or a tail: blocks.c. Sets the record's arrays, which hold no more than
 * what the blocks that are there can fill, and *tail; the caller frees both, after a failure too. */
base_status mm_binary_read_blocks(base_context *context, mm_source *source, mm_record *record,
                                  const mm_binary_header *header, char **tail);

/* What a thread needs to take a block apart, at first all zero; grows with the blocks. */
typedef struct mm_binary_tool {
    mm_compressor *compressor;
    char *raw;
    int64_t raw_room;
} mm_binary_tool;
base_status mm_binary_make_tool(base_context *context, int64_t raw_bytes, mm_binary_tool *tool);
void mm_binary_free_tool(mm_binary_tool *tool);

/* A block of entries to the record's arrays, another to the tail: block.c. Its head and the bytes of its zstd
 * frame are given. NULL, or what is wrong. */
const char *mm_binary_take_block(mm_record *record, const mm_binary_header *header, char *tail,
                                 const mm_binary_block *block, const char *head, const char *bytes,
                                 const mm_binary_tool *tool);

/* Plain blocks: plain_write.c, plain.c. Those of a regular file are mapped (*mapped bytes), others copied. */
base_status mm_binary_write_plain(base_context *context, base_output *output, const mm_record *record,
                                  const mm_binary_header *header);
base_status mm_binary_read_plain(base_context *context, mm_source *source, const mm_binary_header *header,
                                 char **tail, int64_t *mapped);

/* The frame of a record, to be freed; sets header->hash. BASE_FAILED: its comments are too long. */
base_status mm_binary_make_record_frame(base_context *context, const mm_record *record,
                                        mm_binary_header *header, char **frame);

/* Content that is handed over: resident.c. The first takes a giver's frame; for the second that of the memory
 * stands at the front of the source. */
base_status mm_binary_meet_giver(base_context *context, mm_source *source, const char *frame);
base_status mm_binary_read_resident(base_context *context, mm_source *source, const mm_binary_header *header,
                                    mm_record *record, char **tail);

/* Where the arrays of a record begin in memory that is handed over, and their bytes; one that is empty has
 * none. Sizes are below 2^56. */
typedef struct mm_binary_layout {
    int64_t row, col, value, tail;
    int64_t index_bytes, value_bytes, bytes;
} mm_binary_layout;
mm_binary_layout mm_binary_lay_out(const mm_binary_header *header);

/* Points the record's arrays into the memory; *tail, if there is one. */
void mm_binary_place_arrays(mm_record *record, const mm_binary_header *header, const mm_binary_layout *at,
                            char *bytes, char **tail);

/* What a program reads in blocks and may hand on is read into a memory file at once: memory.c. Whether a
 * record is: entries alone, of some size. */
bool mm_binary_is_given(const base_context *context, const mm_binary_header *header);

/* Such a file, which is the record's from now on, with its arrays, which take no memory until they are
 * filled. */
base_status mm_binary_alloc_given(base_context *context, const mm_binary_header *header, mm_record *record);

/* Gives entries first … first + count - 1 memory, by one thread; false: there is none. */
bool mm_binary_fill_given(const mm_record *record, const mm_binary_header *header, int64_t first,
                          int64_t count);

/* From now on the record is as if another program had handed it over. */
base_status mm_binary_seal_given(base_context *context, const mm_binary_header *header, mm_record *record);

/* What is wrong with entries first … first + count - 1 of a record, or NULL. */
const char *mm_binary_check_entries(const mm_record *record, int64_t first, int64_t count);

/* Arrays grow eightfold, but never beyond what there is: room that is not written costs no memory, moving
 * arrays does. */
int64_t mm_binary_grown(int64_t capacity, int64_t needed, int64_t most);

/* Room for the first `needed` bytes of a tail. */
base_status mm_binary_reserve_tail(base_context *context, const mm_binary_header *header, char **tail,
                                   int64_t *capacity, int64_t needed);

/* Fails: the stream ends inside `what`. */
base_status mm_binary_cut_off(base_context *context, const char *what);

#endif
