/* Singular vectors of one node's weighted basis, by 256 threads in shared memory, as the CPU finds them
 * (factor_body.h): a QR factorization with column pivoting that stops where what is left is negligible, then
 * one-sided Jacobi rotations of its rows. */
#ifndef H2_SINGULAR_GPU_H
#define H2_SINGULAR_GPU_H

/* What all threads know of the factorization at hand. */
typedef struct h2_gpu_pivot {
    int col, stop;
    double left, tau, beta;
} h2_gpu_pivot;

__device__ __forceinline__ double h2_gpu_add_warp(double x) {
    for (int step = 16; step > 0; step /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}

/* A (rank × length) = R Zᵀ for R (rank × rank) and Z (length × rank). */
__device__ void h2_gpu_weigh_stack(int rank, int length, const double *weight, const double *stack, double *a,
                                   int stride) {
    enum { ROWS = 16 };
    double *r = a + H2_GPU_QR_COLS * stride;
    const int width = length <= H2_GPU_QR_THREADS / 4 ? H2_GPU_QR_THREADS / 4 : H2_GPU_QR_THREADS / 2;
    const int col = threadIdx.x % width;
    for (int at = threadIdx.x; at < rank * rank; at += H2_GPU_QR_THREADS)
        r[at / rank * H2_GPU_QR_STRIDE + at % rank] = weight[at];
    __syncthreads();
    for (int first = threadIdx.x / width * ROWS; first < rank && col < length;
         first += H2_GPU_QR_THREADS / width * ROWS) {
        double sum[ROWS];
        H2_UNROLL
        for (int i = 0; i < ROWS; i++)
            sum[i] = 0;
        for (int p = 0; p < rank; p++) {
            const double factor = stack[col * rank + p];
            H2_UNROLL
            for (int i = 0; i < ROWS; i++)
                sum[i] += r[(first + i) * H2_GPU_QR_STRIDE + p] * factor; /* junk beyond `rank` is not kept */
        }
        H2_UNROLL
        for (int i = 0; i < ROWS; i++)
            if (first + i < rank)
                a[(first + i) * stride + col] = sum[i];
    }
}

/* Squares of the columns from row `first` on; 0 of those that were pivots. */
__device__ void h2_gpu_measure(const double *a, int stride, int rows, int length, int first, const bool *used,
                               double *squares) {
    __syncthreads();
    for (int col = threadIdx.x; col < length; col += H2_GPU_QR_THREADS) {
        double sum = 0;
        for (int row = first; row < rows; row++)
            sum += a[row * stride + col] * a[row * stride + col];
        squares[col] = used[col] ? 0 : sum;
    }
    __syncthreads();
}

/* The largest square, the first of equal ones, and the sum of all; by one warp. */
__device__ void h2_gpu_find_pivot(int length, const double *squares, h2_gpu_pivot *pivot) {
    const int lane = threadIdx.x % 32;
    double best = -1, sum = 0;
    int where = 0;
    for (int col = lane; col < length; col += 32) {
        sum += squares[col] > 0 ? squares[col] : 0;
        if (squares[col] > best) {
            best = squares[col];
            where = col;
        }
    }
    sum = h2_gpu_add_warp(sum);
    for (int step = 16; step > 0; step /= 2) {
        const double other = __shfl_xor_sync(0xffffffffu, best, step);
        const int there = __shfl_xor_sync(0xffffffffu, where, step);
        if (other > best || (other == best && there < where)) {
            best = other;
            where = there;
        }
    }
    if (lane == 0) {
        pivot->col = where;
        pivot->left = sum;
        pivot->stop = !(best > 0);
    }
}

/* Lᵀ (rank × rank, zeros behind its last row) with L Lᵀ = G but for what is lost in rounding, by Cholesky's
 * method with diagonal pivoting; G (rows of H2_GPU_QR_STRIDE) is destroyed. */
__device__ void h2_gpu_factor_gram(int rank, double *g, double *lt) {
    __shared__ double diagonal[H2_GPU_QR_COLS], row[H2_GPU_QR_COLS];
    __shared__ h2_gpu_pivot pivot;
    const double rounding = 1e-15; /* of the trace */
    double first = 0;
    int step = 0;
    for (int i = threadIdx.x; i < rank; i += blockDim.x)
        diagonal[i] = g[i * H2_GPU_QR_STRIDE + i];
    __syncthreads();
    for (; step < rank; step++) {
        if (threadIdx.x < 32)
            h2_gpu_find_pivot(rank, diagonal, &pivot);
        __syncthreads();
        if (step == 0)
            first = pivot.left;
        if (pivot.stop || pivot.left <= rounding * first)
            break;
        const double *from = g + pivot.col * H2_GPU_QR_STRIDE, scale = 1 / sqrt(from[pivot.col]);
        for (int i = threadIdx.x; i < rank; i += blockDim.x) {
            row[i] = diagonal[i] > 0 ? from[i] * scale : 0; /* not those that were pivots */
            lt[step * rank + i] = row[i];
        }
        __syncthreads();
        for (int at = threadIdx.x; at < rank * H2_GPU_QR_COLS; at += blockDim.x) {
            const int i = at / H2_GPU_QR_COLS, j = at % H2_GPU_QR_COLS;
            if (j < rank)
                g[i * H2_GPU_QR_STRIDE + j] -= row[i] * row[j];
        }
        __syncthreads();
        for (int i = threadIdx.x; i < rank; i += blockDim.x)
            diagonal[i] = i == pivot.col || !(diagonal[i] > 0) ? 0 : g[i * H2_GPU_QR_STRIDE + i];
        __syncthreads();
    }
    for (int at = step * rank + threadIdx.x; at < rank * rank; at += blockDim.x)
        lt[at] = 0;
}

/* The reflection of the pivot column from row `rank` on, by one warp. */
__device__ void h2_gpu_reflect_pivot(const double *a, int stride, int rows, int rank, h2_gpu_pivot *pivot,
                                     double *vector) {
    const int lane = threadIdx.x % 32, col = pivot->col;
    const double alpha = a[rank * stride + col];
    double square = 0;
    for (int row = rank + 1 + lane; row < rows; row += 32)
        square += a[row * stride + col] * a[row * stride + col];
    square = h2_gpu_add_warp(square);
    const double length = sqrt(alpha * alpha + square);
    const double beta = square > 0 ? (alpha > 0 ? -length : length) : alpha;
    const double scale = square > 0 ? 1 / (alpha - beta) : 0;
    for (int row = rank + 1 + lane; row < rows; row += 32)
        vector[row] = a[row * stride + col] * scale;
    if (lane == 0) {
        vector[rank] = 1;
        pivot->beta = beta;
        pivot->tau = square > 0 ? (beta - alpha) / beta : 0;
    }
}

/* A (rows × length) becomes upper trapezoidal, but for the order of its columns, in its first rows; their
 * number. What is left squared goes to *left. */
__device__ int h2_gpu_reveal(double *a, int stride, int rows, int length, double relative, double absolute,
                             double *left) {
    __shared__ double squares[H2_GPU_STACK], vector[H2_GPU_QR_COLS], sums[H2_GPU_QR_THREADS];
    __shared__ bool used[H2_GPU_STACK];
    __shared__ h2_gpu_pivot pivot;
    const int width = length <= H2_GPU_QR_THREADS / 4 ? H2_GPU_QR_THREADS / 4 : H2_GPU_QR_THREADS / 2;
    const int parts = H2_GPU_QR_THREADS / width, part = threadIdx.x / width, col = threadIdx.x % width;
    const int most = rows < length ? rows : length;
    double first = 0, measured = 0;
    int rank = 0;
    for (int at = threadIdx.x; at < length; at += H2_GPU_QR_THREADS)
        used[at] = false;
    h2_gpu_measure(a, stride, rows, length, 0, used, squares);
    for (; rank < most; rank++) {
        if (threadIdx.x < 32)
            h2_gpu_find_pivot(length, squares, &pivot);
        __syncthreads();
        /* The differences that the squares hold are good to the rounding of what was measured. */
        if (rank > 0 && pivot.left < 1e-3 * measured) {
            h2_gpu_measure(a, stride, rows, length, rank, used, squares);
            if (threadIdx.x < 32)
                h2_gpu_find_pivot(length, squares, &pivot);
            __syncthreads();
            measured = pivot.left;
        }
        if (rank == 0)
            first = measured = pivot.left;
        *left = pivot.left;
        if (pivot.stop || pivot.left <= relative * first || pivot.left <= absolute)
            return rank;
        if (threadIdx.x < 32)
            h2_gpu_reflect_pivot(a, stride, rows, rank, &pivot, vector);
        __syncthreads();
        double sum = 0;
        for (int row = rank + part; row < rows && col < length; row += parts)
            sum += vector[row] * a[row * stride + col];
        sums[threadIdx.x] = sum;
        __syncthreads();
        sum = 0;
        for (int i = 0; i < parts; i++)
            sum += sums[i * width + col];
        sum *= pivot.tau;
        for (int row = rank + part; row < rows && col < length; row += parts)
            a[row * stride + col] = col != pivot.col ? a[row * stride + col] - vector[row] * sum
                                    : row == rank    ? pivot.beta
                                                     : 0;
        if (part == 0 && col < length) { /* who has row `rank` */
            squares[col] -= a[rank * stride + col] * a[rank * stride + col];
            if (col == pivot.col) {
                squares[col] = 0;
                used[col] = true;
            }
        }
        __syncthreads();
    }
    h2_gpu_measure(a, stride, rows, length, most, used, squares);
    if (threadIdx.x < 32)
        h2_gpu_find_pivot(length, squares, &pivot);
    __syncthreads();
    *left = pivot.left;
    return most;
}

/* Cosine and sine of the rotation that makes two rows orthogonal, sine 0 where they are, and their squares
 * then. The angle need not be exact, that cosine and sine belong together must: the tangent is found in
 * binary32. */
__device__ __forceinline__ void h2_gpu_find_rotation(double product, double tolerance, double *x_square,
                                                     double *y_square, double *cosine, double *sine) {
    const double x = *x_square, y = *y_square;
    *cosine = 1;
    *sine = 0;
    if (!(product * product > tolerance * tolerance * x * y))
        return;
    const double zeta = (y - x) / (2 * product);
    double tangent = 0.5 / zeta; /* of large ones, beyond the range of binary32 */
    if (fabs(zeta) < 1e4) {
        const float near = (float)zeta;
        tangent = (double)((near >= 0 ? 1.0f : -1.0f) / (fabsf(near) + sqrtf(1 + near * near)));
    }
    *cosine = rsqrt(1 + tangent * tangent);
    *sine = *cosine * tangent;
    const double cc = *cosine * *cosine, ss = *sine * *sine, cs = 2 * *cosine * *sine * product;
    *x_square = cc * x - cs + ss * y;
    *y_square = ss * x + cs + cc * y;
}

__device__ void h2_gpu_square_rows(const double *a, int stride, int count, int length, double *squares) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int row = warp; row < count; row += H2_GPU_QR_THREADS / 32) {
        double sum = 0;
        for (int at = lane; at < length; at += 32)
            sum += a[row * stride + at] * a[row * stride + at];
        sum = h2_gpu_add_warp(sum);
        if (lane == 0)
            squares[row] = sum;
    }
    __syncthreads();
}

enum { H2_GPU_PAIRS = 4 }; /* of rows that a warp turns at a time */

/* The rows of pair k of a round; -1: there is none. */
__device__ __forceinline__ void h2_gpu_find_pair(int even, int count, int round, int k, int *i, int *j) {
    int one = round + k, two = round - k; /* modulo even - 1 */
    one -= one >= even - 1 ? even - 1 : 0;
    two += two < 0 ? even - 1 : 0;
    one = k == 0 ? even - 1 : one;
    *i = one < two ? one : two;
    *j = one < two ? two : one;
    if (k >= even / 2 || *j >= count)
        *i = *j = -1;
}

/* One round of a warp on up to four pairs at once; whether any was turned. */
__device__ bool h2_gpu_turn_pairs(double *a, int stride, int length, int count, int round, int first,
                                  double tolerance, double *squares) {
    const int lane = threadIdx.x % 32, even = count + count % 2;
    int i[H2_GPU_PAIRS], j[H2_GPU_PAIRS];
    double *x[H2_GPU_PAIRS], *y[H2_GPU_PAIRS], product[H2_GPU_PAIRS] = {0, 0, 0, 0}, cosine, sine;
    H2_UNROLL
    for (int q = 0; q < H2_GPU_PAIRS; q++) {
        h2_gpu_find_pair(even, count, round, first + q, &i[q], &j[q]);
        x[q] = a + (i[q] >= 0 ? i[q] * stride : 0); /* of none, the first row with itself */
        y[q] = a + (i[q] >= 0 ? j[q] * stride : 0);
    }
    for (int at = lane; at < length; at += 32)
        H2_UNROLL
    for (int q = 0; q < H2_GPU_PAIRS; q++)
        product[q] += x[q][at] * y[q][at];
    /* Eight lanes each get the sum of one pair. */
    const bool high = (lane & 16) != 0, odd = (lane & 8) != 0;
    const double one =
        (high ? product[2] : product[0]) + __shfl_xor_sync(0xffffffffu, high ? product[0] : product[2], 16);
    const double two =
        (high ? product[3] : product[1]) + __shfl_xor_sync(0xffffffffu, high ? product[1] : product[3], 16);
    double sum = (odd ? two : one) + __shfl_xor_sync(0xffffffffu, odd ? one : two, 8);
    H2_UNROLL
    for (int step = 4; step > 0; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    const int own_i = lane < 16 ? (lane < 8 ? i[0] : i[1]) : (lane < 24 ? i[2] : i[3]);
    const int own_j = lane < 16 ? (lane < 8 ? j[0] : j[1]) : (lane < 24 ? j[2] : j[3]);
    double x_square = own_i >= 0 ? squares[own_i] : 0, y_square = own_i >= 0 ? squares[own_j] : 0;
    h2_gpu_find_rotation(own_i >= 0 ? sum : 0, tolerance, &x_square, &y_square, &cosine, &sine);
    const bool turned = __any_sync(0xffffffffu, sine != 0);
    if (!turned)
        return false;
    if (lane % 8 == 0 && sine != 0) {
        squares[own_i] = x_square;
        squares[own_j] = y_square;
    }
    double c[H2_GPU_PAIRS], t[H2_GPU_PAIRS];
    H2_UNROLL
    for (int q = 0; q < H2_GPU_PAIRS; q++) {
        c[q] = __shfl_sync(0xffffffffu, cosine, 8 * q);
        t[q] = __shfl_sync(0xffffffffu, sine, 8 * q);
    }
    for (int at = lane; at < length; at += 32) {
        double old_x[H2_GPU_PAIRS], old_y[H2_GPU_PAIRS];
        H2_UNROLL
        for (int q = 0; q < H2_GPU_PAIRS; q++) {
            old_x[q] = x[q][at];
            old_y[q] = y[q][at];
        }
        H2_UNROLL
        for (int q = 0; q < H2_GPU_PAIRS; q++) {
            if (t[q] == 0)
                continue;
            x[q][at] = c[q] * old_x[q] - t[q] * old_y[q];
            y[q][at] = t[q] * old_x[q] + c[q] * old_y[q];
        }
    }
    return true;
}

/* Makes the rows of a (count × length) orthogonal. Every pair once a sweep, in rounds of disjoint pairs. */
__device__ void h2_gpu_jacobi(double *a, int stride, int count, int length, double *squares) {
    enum { MOST_SWEEPS = 40, WARPS = H2_GPU_QR_THREADS / 32 };
    __shared__ int turned[2];
    const int even = count + count % 2, warp = threadIdx.x / 32;
    const double tolerance = 1e-14;
    if (threadIdx.x == 0)
        turned[0] = turned[1] = 0;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        h2_gpu_square_rows(a, stride, count, length, squares);
        for (int round = 0; round < even - 1; round++) {
            for (int first = warp * H2_GPU_PAIRS; first < even / 2; first += WARPS * H2_GPU_PAIRS)
                if (h2_gpu_turn_pairs(a, stride, length, count, round, first, tolerance, squares))
                    turned[sweep % 2] = 1;
            __syncthreads();
        }
        const int any = turned[sweep % 2];
        __syncthreads();
        if (any == 0)
            break;
        if (threadIdx.x == 0)
            turned[sweep % 2] = 0;
    }
    h2_gpu_square_rows(a, stride, count, length, squares);
}

/* How many of the singular values, falling, to keep. */
__device__ int h2_gpu_choose_rank(const h2_gpu_truncate_how *how, const double *sigma, int found,
                                  double left) {
    int rank = found;
    if (how->rule == 2) { /* H2_FROBENIUS */
        for (double square = left; rank > 0; rank--) {
            square += sigma[rank - 1] * sigma[rank - 1];
            if (square > how->threshold)
                break;
        }
        return rank;
    }
    const double least = how->rule == 0 ? how->threshold * sigma[0] : how->threshold;
    while (rank > 0 && !(sigma[rank - 1] > least))
        rank--;
    return rank;
}

/* From A (rank × length) in shared memory to the node's vectors, singular values and rank. */
__device__ void h2_gpu_find_vectors(const h2_gpu_truncate_how *how, const h2_gpu_truncate *task, int length,
                                    const h2_gpu_truncate_state *state, double *a, int stride) {
    __shared__ double squares[H2_GPU_QR_COLS];
    double *sigma = state->sigma + task->sigma, left = 0, relative = 0, absolute = 0;
    const double fine = how->negligible * how->negligible * how->threshold;
    if (how->rule == 0)
        relative = fine * how->threshold / (length + 1);
    else
        absolute = fine * (how->rule == 1 ? how->threshold : 1);
    const int found = h2_gpu_reveal(a, stride, task->rank, length, relative, absolute, &left);
    h2_gpu_jacobi(a, stride, found, length, squares);
    for (int row = threadIdx.x / 32; row < found; row += H2_GPU_QR_THREADS / 32) {
        const double norm = sqrt(squares[row]), scale = norm > 0 ? 1 / norm : 0;
        int place = 0;
        for (int other = 0; other < found; other++)
            place += squares[other] > squares[row] || (squares[other] == squares[row] && other < row);
        double *to = state->vectors + task->vectors + place * length;
        for (int at = threadIdx.x % 32; at < length; at += 32)
            to[at] = a[row * stride + at] * scale;
        if (threadIdx.x % 32 == 0)
            sigma[place] = norm;
    }
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    const int rank = found > 0 ? h2_gpu_choose_rank(how, sigma, found, left) : 0;
    state->left[task->node] = left;
    state->found[task->node] = found;
    state->rank[task->node] = rank;
    atomicMax(&state->most[task->level], rank);
}

#endif
