/* The contract between lib/spmm and the device kernels for C = alpha A B + beta C, A sparse, B and C dense by
 * rows. Each kernel exists for several types of numbers: half (fp16), bfloat (bf16), float, double; A, B and
 * C have the same type (C may have float for half and bfloat: `wide`), sums are float or double.
 *
 * Rows of B and C begin at multiples of 16 bytes and are padded to them; padding of B is read, padding of C
 * is written. Indices of columns have 32 bits, positions of entries 64.
 *
 * Long rows and windows are cut into parts, whose sums meet in `partial` and are added in a certain order, so
 * that the same input gives the same bits: those of runs by a second kernel (meet_…), the others by the part
 * that arrives last. `arrived` starts as zeros and is left as zeros. */
#ifndef SPMM_COMMON_GPU_H
#define SPMM_COMMON_GPU_H

enum {
    SPMM_GPU_THREADS = 128, /* of a block of strips_… and meet_… */
    SPMM_GPU_WINDOW_THREADS = 32,
    SPMM_GPU_CHUNK = 16 /* columns of A that a window takes at a time */
};

/* An entry of A in compressed rows: its column and its value in the low bits of `value`. Doubles stand by
 * themselves there, and so do their columns; only windows have them with a position, in 16 bytes. */
typedef struct spmm_gpu_entry {
    int column;
    unsigned value;
} spmm_gpu_entry;

typedef struct spmm_gpu_double_entry {
    int column, unused;
    double value;
} spmm_gpu_double_entry;

/* So many more, of any content, follow the last entry: they may be read. */
enum { SPMM_GPU_ENTRIES_BEHIND = 256 };

/* Dense matrices and places for the sums of parts. A tile of C has the columns that a worker computes. */
typedef struct spmm_gpu_operands {
    const void *b;
    void *c;
    void *partial;
    unsigned *arrived;      /* [part][tile], of the first part of what is cut; not for runs */
    int b_stride, c_stride; /* bytes from row to row */
    int vectors;            /* of 16 bytes in a row of B */
    int tiles;              /* side by side */
    int tiles_first;        /* 0: all tiles of a piece of A one after the other, 1: all pieces for a tile */
    int wide;
    double alpha, beta;
} spmm_gpu_operands;

/* What a cut row or window knows of one of its parts; a row or window that is not cut has none. */
typedef struct spmm_gpu_part {
    int target;       /* row or window */
    int first, count; /* parts first … first+count-1 belong to it */
    int unused;
} spmm_gpu_part;

/* Consecutive entries of a row. */
typedef struct spmm_gpu_segment {
    long long first; /* entry */
    int count;
    int row; /* part p of a cut row: -1-p */
} spmm_gpu_segment;

/* Of a block of rows_…: where rows are narrow, small blocks leave no multiprocessor without work at the end.
 */
#define SPMM_GPU_ROWS_THREADS(lanes) ((lanes) < 16 ? 64 : 128)

/* kernels rows_…: A in compressed rows. Long segments,
 * which have a block each, come first; only they may be parts. Dynamic shared memory, if there are any: for
 * each warp of a block the sums of a tile, and 16 bytes.
 */
typedef struct spmm_gpu_rows {
    const spmm_gpu_segment *segments;
    const spmm_gpu_part *parts;
    const void *entry;                   /* spmm_gpu_entry, or the doubles of all entries, … */
    const int *column;                   /* … with their columns */
    long long long_count, segment_count; /* the latter: the others */
    spmm_gpu_operands operands;          /* partial: [part][vectors] of 16 bytes of C, as sums */
} spmm_gpu_rows;

/* kernels stages_… take spmm_gpu_rows too, without long segments; threads of a block by those side by side,
 * and entries for which a thread has B under way. */
#define SPMM_GPU_STAGE_THREADS(lanes) ((lanes) == 32 ? 512 : 128)
enum { SPMM_GPU_STAGE_DEPTH = 2 };

/* kernels meet_…: after runs_…, a warp for `each` parts. */
typedef struct spmm_gpu_meet {
    const spmm_gpu_part *parts;
    long long part_count;
    int each, unused;
    spmm_gpu_operands operands; /* partial as of rows_… */
} spmm_gpu_meet;

/* Consecutive entries of rows row … row + rows - 1 that are whole, or of one row that is cut. */
typedef struct spmm_gpu_run {
    long long first; /* entry */
    int count;
    int row; /* part p of a cut row: -1-p */
    int rows;
    int unused;
} spmm_gpu_run;

/* kernels runs_…: A in compressed rows, in runs of about equal length. */
typedef struct spmm_gpu_runs {
    const spmm_gpu_run *runs;
    const long long *start; /* [row], and the end: entries */
    const void *entry;      /* spmm_gpu_entry, or the doubles of all entries, … */
    const int *column;      /* … with their columns */
    long long run_count;
    spmm_gpu_operands operands; /* partial as of rows_… */
} spmm_gpu_runs;

/* kernels strips_…: two rows together, each column that one of them has once, four columns a step. A step
 * is the four columns and then the numbers of the rows in the first column, in the second, …, zeros among
 * them, in the format of B. The last step of a strip repeats a column. */
typedef struct spmm_gpu_strips {
    const int *start; /* [strip], and the end: steps */
    const int *row;   /* [strip]: the first */
    const void *step;
    long long strip_count;
    int nrow, unused;           /* of A */
    spmm_gpu_operands operands; /* without partial and arrived */
} spmm_gpu_strips;

enum { SPMM_GPU_STRIP_ROWS = 2 };

/* Consecutive chunks of a window. */
typedef struct spmm_gpu_piece {
    int first; /* chunk */
    int count;
    int window; /* part p of a cut window: -1-p */
    int unused;
} spmm_gpu_piece;

/* kernels windows_…: the rows of a window together, with each column that one of them has once (a chunk being
 * 16 columns), so that a row of B is read once for all of them and multiplied on the tensor cores. The last
 * chunk of a window repeats a column.
 *
 * Inside a chunk, row r of the window and column q stand where the fragment of the matrix instruction wants
 * them, at position
 *
 *     ((r / 16 * 8 / P + e / P) * 32 + r % 8 * 4 + q / 4) * P + e % P,   P = 16 / bytes of a number,
 *     e = q / 2 % 2 * 4 + r / 8 % 2 * 2 + q % 2   half, bfloat
 *         q / 2 % 2 * 4 + q % 2 * 2 + r / 8 % 2   float
 *         q % 4 * 2 + r / 8 % 2                   double
 *
 * Dense windows hold the 16 x rows numbers of every chunk in this order; the others the numbers that are not
 * zero, each with its position in bytes: a word with the position in the lower half for half and bfloat,
 * spmm_gpu_entry and spmm_gpu_double_entry, with the position as column, for float and double. */
typedef struct spmm_gpu_windows {
    const spmm_gpu_piece *pieces;
    const spmm_gpu_part *parts;
    const int *rows;        /* [window][row of the window]; -1: none */
    const int *column;      /* [chunk][16] */
    const long long *start; /* [chunk], and the end: entries; dense windows do without */
    const void *value;
    long long piece_count;
    spmm_gpu_operands operands; /* partial: [part][tile][accumulators] */
} spmm_gpu_windows;

/* kernels blocks_… take dense windows_… too; so many chunks are in shared memory. */
enum { SPMM_GPU_BLOCK_STAGES = 4 };

/* kernels rings_… take windows_… too, with partial: [part][tile][accumulators]; so many chunks are in shared
 * memory, with so many bytes for their barriers. */
enum { SPMM_GPU_RING_STAGES = 6, SPMM_GPU_RING_BYTES = 32 };

/* kernels panels_…: A in tiles of 128 rows and `depth` columns, each expanded in shared memory and multiplied
 * with these rows of B as if it were dense. Tile t of a row of tiles has number (row of tiles) * steps + t;
 * its entries stand at the position of windows_… in chunk q / 16 of the tile, chunks one after the other (128
 * * 16 numbers each), with column q % 4 * 4 + q / 4 % 4 in the place of q % 16. Windows, pieces and chunks
 * above are rows of tiles, runs of tiles and tiles here. */
typedef struct spmm_gpu_panels {
    const spmm_gpu_piece *pieces;
    const spmm_gpu_part *parts;
    const long long *start; /* [tile], and the end: entries */
    const unsigned short *position;
    const void *value;
    long long piece_count;
    long long nrow, ncol;       /* of A */
    int steps;                  /* tiles in a row of tiles */
    spmm_gpu_operands operands; /* partial: [part][tile][accumulator][thread] */
} spmm_gpu_panels;

enum { SPMM_GPU_PANEL_ROWS = 128, SPMM_GPU_PANEL_THREADS = 256 };

/* kernels bands_…: A in bands of 128 rows, cut into tiles of 128 bytes of columns, each expanded in shared
 * memory and multiplied by the matrix instructions for four warps (compute capability 9.0). A warp expands 16
 * rows of a tile, a slab: slab number (band * 8 + row / 16) * steps + tile. Byte q of row r of a slab has the
 * position
 *
 *     r * 128 + (q / 16 ^ r % 8) * 16 + q % 16.
 *
 * An entry of half and bfloat is a word, its value in the upper half and its position in the lower, one of
 * tf32 and float two words, position and value. Slabs have whole vectors of four words: the last entry is
 * repeated. */
typedef struct spmm_gpu_bands {
    const spmm_gpu_piece *pieces; /* windows are bands, chunks tiles: number band * steps + tile */
    const spmm_gpu_part *parts;
    const int *start;           /* [slab], and the end: vectors */
    const unsigned *entry;      /* [vector][4] */
    long long nrow, ncol;       /* of A */
    int steps;                  /* tiles in a band */
    spmm_gpu_operands operands; /* partial: [part][tile][accumulator / 4][thread][4] */
} spmm_gpu_bands;

/* Tiles of B and entries that are on their way to shared memory, for numbers of 2 bytes: as many as leave
 * room for two blocks with few columns. */
#define SPMM_GPU_BAND_AHEAD(columns) ((columns) == 32 || (columns) == 128 ? 3 : 2)

enum { SPMM_GPU_BAND_ROWS = 128, SPMM_GPU_BAND_BYTES = 128, SPMM_GPU_BAND_THREADS = 256 };

/* kernels splits_…: A as a dense matrix in tiles of 128 rows and 128 bytes of columns, tile number band *
 * steps + tile, each as two of tf32 one after the other, the high halves of the numbers and the low ones,
 * with the positions of bands_…. B comes in such tiles too, of 64 columns, tile number step * tiles + tile,
 * by columns: the kernel halves_… makes them before the product. */
typedef struct spmm_gpu_splits {
    const void *a;
    void *halves;               /* of B */
    long long nrow, ncol;       /* of A */
    int steps;                  /* tiles in a band */
    int parts;                  /* of a band, each by a block */
    spmm_gpu_operands operands; /* partial: [band][part][tile][sum / 4][thread][4] */
} spmm_gpu_splits;

enum { SPMM_GPU_SPLIT_COLUMNS = 64, SPMM_GPU_SPLIT_WORKERS = 256, SPMM_GPU_SPLIT_STAGES = 4 };

/* kernels slabs_…: a tile of every row of B in shared memory, one block for these columns of some rows of C.
 * Rows stand in bundles, sorted by their lengths among SPMM_GPU_SLAB_SORTED neighbours, the longest first. A
 * bundle has batches of four entries of each row, filled up with zeros: entry 4b + k of the row at `place` is
 * number ((first + b) * SPMM_GPU_SLAB_ROWS + place) * 4 + k. Its column leaves the rest (k + b + place) % 4
 * on division by 4 wherever that can be had, so that threads that read together read from different banks. */
typedef struct spmm_gpu_slabs {
    const int *start;             /* [bundle], and the end: batches */
    const int *row;               /* [bundle][SPMM_GPU_SLAB_ROWS], as far as there are rows */
    const unsigned short *column; /* [batch][SPMM_GPU_SLAB_ROWS][4] */
    const void *value;            /* so too */
    int bundles, shares;          /* the latter: blocks for a tile */
    int nrow, ncol;               /* of A */
    spmm_gpu_operands operands;   /* without partial and arrived */
} spmm_gpu_slabs;

enum {
    SPMM_GPU_SLAB_BYTES = 32, /* of a tile, at least */
    SPMM_GPU_SLAB_THREADS = 1024,
    SPMM_GPU_SLAB_ROWS = 32,
    SPMM_GPU_SLAB_SORTED = 1024,
    SPMM_GPU_SLAB_BEHIND = 32 /* batches of any content that follow the last: they may be read */
};

#endif
