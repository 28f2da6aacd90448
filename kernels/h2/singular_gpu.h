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
__device__ void h2_gpu_weigh_stack(int rank, int length, const double *weight, const double *stack,
                                   double *a) {
    enum { ROWS = 16 };
    double *r = a + H2_GPU_QR_COLS * H2_GPU_STACK;
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
                a[(first + i) * H2_GPU_STACK + col] = sum[i];
    }
}

/* Squares of the columns from row `first` on; 0 of those that were pivots. */
__device__ void h2_gpu_measure(const double *a, int rows, int length, int first, const bool *used,
                               double *squares) {
    __syncthreads();
    for (int col = threadIdx.x; col < length; col += H2_GPU_QR_THREADS) {
        double sum = 0;
        for (int row = first; row < rows; row++)
            sum += a[row * H2_GPU_STACK + col] * a[row * H2_GPU_STACK + col];
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

/* The reflection of the pivot column from row `rank` on, by one warp. */
__device__ void h2_gpu_reflect_pivot(const double *a, int rows, int rank, h2_gpu_pivot *pivot,
                                     double *vector) {
    const int lane = threadIdx.x % 32, col = pivot->col;
    const double alpha = a[rank * H2_GPU_STACK + col];
    double square = 0;
    for (int row = rank + 1 + lane; row < rows; row += 32)
        square += a[row * H2_GPU_STACK + col] * a[row * H2_GPU_STACK + col];
    square = h2_gpu_add_warp(square);
    const double length = sqrt(alpha * alpha + square);
    const double beta = square > 0 ? (alpha > 0 ? -length : length) : alpha;
    const double scale = square > 0 ? 1 / (alpha - beta) : 0;
    for (int row = rank + 1 + lane; row < rows; row += 32)
        vector[row] = a[row * H2_GPU_STACK + col] * scale;
    if (lane == 0) {
        vector[rank] = 1;
        pivot->beta = beta;
        pivot->tau = square > 0 ? (beta - alpha) / beta : 0;
    }
}

/* A (rows × length) becomes upper trapezoidal, but for the order of its columns, in its first rows; their
 * number. What is left squared goes to *left. */
__device__ int h2_gpu_reveal(double *a, int rows, int length, double relative, double absolute,
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
    h2_gpu_measure(a, rows, length, 0, used, squares);
    for (; rank < most; rank++) {
        if (threadIdx.x < 32)
            h2_gpu_find_pivot(length, squares, &pivot);
        __syncthreads();
        /* The differences that the squares hold are good to the rounding of what was measured. */
        if (rank > 0 && pivot.left < 1e-3 * measured) {
            h2_gpu_measure(a, rows, length, rank, used, squares);
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
            h2_gpu_reflect_pivot(a, rows, rank, &pivot, vector);
        __syncthreads();
        double sum = 0;
        for (int row = rank + part; row < rows && col < length; row += parts)
            sum += vector[row] * a[row * H2_GPU_STACK + col];
        sums[threadIdx.x] = sum;
        __syncthreads();
        sum = 0;
        for (int i = 0; i < parts; i++)
            sum += sums[i * width + col];
        sum *= pivot.tau;
        for (int row = rank + part; row < rows && col < length; row += parts)
            a[row * H2_GPU_STACK + col] = col != pivot.col ? a[row * H2_GPU_STACK + col] - vector[row] * sum
                                          : row == rank    ? pivot.beta
                                                           : 0;
        if (part == 0 && col < length) { /* who has row `rank` */
            squares[col] -= a[rank * H2_GPU_STACK + col] * a[rank * H2_GPU_STACK + col];
            if (col == pivot.col) {
                squares[col] = 0;
                used[col] = true;
            }
        }
        __syncthreads();
    }
    h2_gpu_measure(a, rows, length, most, used, squares);
    if (threadIdx.x < 32)
        h2_gpu_find_pivot(length, squares, &pivot);
    __syncthreads();
    *left = pivot.left;
    return most;
}

/* Turns rows x and y so that they become orthogonal, by one warp; whether they were not. */
__device__ bool h2_gpu_rotate(int length, double tolerance, double *x, double *y, double *x_square,
                              double *y_square) {
    const int lane = threadIdx.x % 32;
    const double old_x = *x_square, old_y = *y_square;
    double product = 0;
    for (int at = lane; at < length; at += 32)
        product += x[at] * y[at];
    product = h2_gpu_add_warp(product);
    if (!(fabs(product) > tolerance * sqrt(old_x * old_y)))
        return false;
    const double zeta = (old_y - old_x) / (2 * product);
    const double tangent = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double cosine = 1 / sqrt(1 + tangent * tangent), sine = cosine * tangent;
    for (int at = lane; at < length; at += 32) {
        const double a = x[at], b = y[at];
        x[at] = cosine * a - sine * b;
        y[at] = sine * a + cosine * b;
    }
    if (lane == 0) {
        *x_square = old_x - tangent * product;
        *y_square = old_y + tangent * product;
    }
    return true;
}

__device__ void h2_gpu_square_rows(const double *a, int count, int length, double *squares) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    for (int row = warp; row < count; row += H2_GPU_QR_THREADS / 32) {
        double sum = 0;
        for (int at = lane; at < length; at += 32)
            sum += a[row * H2_GPU_STACK + at] * a[row * H2_GPU_STACK + at];
        sum = h2_gpu_add_warp(sum);
        if (lane == 0)
            squares[row] = sum;
    }
    __syncthreads();
}

/* Makes the rows of a (count × length) orthogonal. Every pair once a sweep, in rounds of disjoint pairs. */
__device__ void h2_gpu_jacobi(double *a, int count, int length, double *squares) {
    enum { MOST_SWEEPS = 40 };
    __shared__ int turned[2];
    const int even = count + count % 2, warp = threadIdx.x / 32;
    const double tolerance = 2.3e-16 * sqrt((double)length + 16);
    if (threadIdx.x == 0)
        turned[0] = turned[1] = 0;
    for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
        h2_gpu_square_rows(a, count, length, squares);
        for (int round = 0; round < even - 1; round++) {
            for (int k = warp; k < even / 2; k += H2_GPU_QR_THREADS / 32) {
                const int one = k == 0 ? even - 1 : (round + k) % (even - 1);
                const int two = k == 0 ? round : (round + even - 1 - k) % (even - 1);
                const int i = one < two ? one : two, j = one < two ? two : one;
                if (j < count && h2_gpu_rotate(length, tolerance, a + i * H2_GPU_STACK, a + j * H2_GPU_STACK,
                                               squares + i, squares + j))
                    turned[sweep % 2] = 1;
            }
            __syncthreads();
        }
        const int any = turned[sweep % 2];
        __syncthreads();
        if (any == 0)
            break;
        if (threadIdx.x == 0)
            turned[sweep % 2] = 0;
    }
    h2_gpu_square_rows(a, count, length, squares);
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
                                    const h2_gpu_truncate_state *state, double *a) {
    __shared__ double squares[H2_GPU_QR_COLS];
    double *sigma = state->sigma + task->sigma, left = 0, relative = 0, absolute = 0;
    const double fine = how->negligible * how->negligible * how->threshold;
    if (how->rule == 0)
        relative = fine * how->threshold / (length + 1);
    else
        absolute = fine * (how->rule == 1 ? how->threshold : 1);
    const int found = h2_gpu_reveal(a, task->rank, length, relative, absolute, &left);
    h2_gpu_jacobi(a, found, length, squares);
    for (int row = threadIdx.x / 32; row < found; row += H2_GPU_QR_THREADS / 32) {
        const double norm = sqrt(squares[row]), scale = norm > 0 ? 1 / norm : 0;
        int place = 0;
        for (int other = 0; other < found; other++)
            place += squares[other] > squares[row] || (squares[other] == squares[row] && other < row);
        double *to = state->vectors + task->vectors + place * length;
        for (int at = threadIdx.x % 32; at < length; at += 32)
            to[at] = a[row * H2_GPU_STACK + at] * scale;
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
