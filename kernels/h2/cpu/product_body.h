/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices by tiles of C that registers hold: multiply. A part of body.h. */

#define H2_TILE_PRODUCT H2_NAME(tile)

/* A tile of C: `rows` rows, `vectors` vectors of which the last has `tail` lanes. With its two counts
 * constant the sums stay in registers. What lies at `ahead`, 8 numbers for each step, is fetched meanwhile.
 */
H2_INLINE void H2_TILE_PRODUCT(const h2_product *product, const int rows, const int vectors, int64_t row,
                               int64_t column, int64_t tail, const H2_REAL *ahead) {
    const H2_REAL *a = (const H2_REAL *)product->a + row * product->a_row;
    const H2_REAL *b = (const H2_REAL *)product->b + column;
    H2_REAL *c = (H2_REAL *)product->c + row * product->c_row + column;
    const int64_t a_row = product->a_row, a_col = product->a_col, b_row = product->b_row;
    H2_VECTOR sum[H2_ROWS][3];
    H2_UNROLL
    for (int i = 0; i < rows; i++) {
        H2_UNROLL
        for (int v = 0; v < vectors; v++)
            sum[i][v] = H2_SPLAT(0);
    }
    for (int64_t p = 0; p < product->p; p++, a += a_col, b += b_row) {
        H2_VECTOR part[3];
        if (ahead != NULL)
            __builtin_prefetch(ahead + 8 * p);
        H2_UNROLL
        for (int v = 0; v < vectors - 1; v++)
            part[v] = H2_LOAD(b + v * H2_LANES);
        part[vectors - 1] = H2_LOAD_PART(b + (vectors - 1) * H2_LANES, tail);
        H2_UNROLL
        for (int i = 0; i < rows; i++) {
            const H2_VECTOR factor = H2_SPLAT(a[i * a_row]);
            H2_UNROLL
            for (int v = 0; v < vectors; v++)
                sum[i][v] = H2_FMA(factor, part[v], sum[i][v]);
        }
    }
    H2_UNROLL
    for (int i = 0; i < rows; i++, c += product->c_row) {
        H2_UNROLL
        for (int v = 0; v < vectors; v++) {
            H2_REAL *to = c + v * H2_LANES;
            const int64_t lanes = v < vectors - 1 ? H2_LANES : tail;
            H2_VECTOR value = sum[i][v];
            if (product->update == H2_ADD)
                value = H2_LOAD_PART(to, lanes) + value;
            else if (product->update == H2_SUBTRACT)
                value = H2_LOAD_PART(to, lanes) - value;
            H2_STORE_PART(to, value, lanes);
        }
    }
}

/* All rows of a block of columns; as many numbers as A has, from `ahead` on, are fetched meanwhile. */
H2_INLINE void H2_NAME(block)(const h2_product *product, const int vectors, int64_t column, int64_t tail,
                              const H2_REAL *ahead) {
    int64_t row = 0;
    for (; row + H2_ROWS <= product->m; row += H2_ROWS)
        H2_TILE_PRODUCT(product, H2_ROWS, vectors, row, column, tail,
                        ahead != NULL ? ahead + row * product->p : NULL);
    if (H2_ROWS > 4 && product->m - row >= 4) {
        H2_TILE_PRODUCT(product, 4, vectors, row, column, tail, NULL);
        row += 4;
    }
    if (product->m - row >= 2) {
        H2_TILE_PRODUCT(product, 2, vectors, row, column, tail, NULL);
        row += 2;
    }
    if (row < product->m)
        H2_TILE_PRODUCT(product, 1, vectors, row, column, tail, NULL);
}

static H2_TARGET void H2_NAME(block3)(const h2_product *product, int64_t column, int64_t tail) {
    H2_NAME(block)(product, 3, column, tail, NULL);
}

static H2_TARGET void H2_NAME(block2)(const h2_product *product, int64_t column, int64_t tail) {
    H2_NAME(block)(product, 2, column, tail, NULL);
}

static H2_TARGET void H2_NAME(block1)(const h2_product *product, int64_t column, int64_t tail) {
    H2_NAME(block)(product, 1, column, tail, NULL);
}

/* Four vectors of columns are done as two and two, which is faster than three and one. */
static H2_TARGET void H2_MULTIPLY(const h2_product *product) {
    for (int64_t column = 0; column < product->n;) {
        const int64_t left = product->n - column;
        int64_t lanes = left;
        if (left > 4 * H2_LANES || (left > 2 * H2_LANES && left <= 3 * H2_LANES)) {
            lanes = left < 3 * H2_LANES ? left : 3 * H2_LANES;
            H2_NAME(block3)(product, column, lanes - 2 * H2_LANES);
        } else if (left > H2_LANES) {
            lanes = left < 2 * H2_LANES ? left : 2 * H2_LANES;
            H2_NAME(block2)(product, column, lanes - H2_LANES);
        } else {
            H2_NAME(block1)(product, column, lanes);
        }
        column += lanes;
    }
}
