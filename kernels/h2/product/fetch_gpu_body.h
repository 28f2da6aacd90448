/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies pieces of matrices to shared memory, for one type; H2_REAL and H2_NAME(word) say which. */

#define H2_FETCH H2_NAME(h2_gpu_fetch)

/* Starts to copy rows × cols numbers, whose rows are `width` apart, in units of `unit` bytes. Zeros fill up
 * the piece. */
__device__ __forceinline__ void H2_NAME(h2_gpu_fetch_units)(const H2_REAL *from, int width, int rows,
                                                            int cols, const int unit, H2_REAL *to,
                                                            const int to_row) {
    const int numbers = unit / (int)sizeof(H2_REAL), row_units = H2_GPU_EDGE / numbers;
    for (int i = threadIdx.x; i < H2_GPU_EDGE * row_units; i += blockDim.x) {
        const int row = i / row_units, col = i % row_units * numbers;
        const bool is_there = row < rows && col < cols;
        h2_gpu_copy_async(to + row * to_row + col, is_there ? from + (long long)row * width + col : from,
                          unit, is_there);
    }
}

/* Starts to copy a piece that begins at array[place]; the array is aligned to 16 bytes. */
__device__ __forceinline__ void H2_FETCH(const H2_REAL *array, long long place, int width, int rows, int cols,
                                         H2_REAL *to, const int to_row) {
    const int pack = 16 / (int)sizeof(H2_REAL);
    const int most = cols < H2_GPU_EDGE ? cols : H2_GPU_EDGE;
    /* Vectors of 16 bytes can be copied where every row begins and ends with a whole one. */
    if (width % pack == 0 && place % pack == 0 && most % pack == 0)
        H2_NAME(h2_gpu_fetch_units)(array + place, width, rows, most, 16, to, to_row);
    else
        H2_NAME(h2_gpu_fetch_units)(array + place, width, rows, most, (int)sizeof(H2_REAL), to, to_row);
}
