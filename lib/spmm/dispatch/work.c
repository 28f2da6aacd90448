#include "spmm/dispatch/work.h"
#include "base/core/memory.h"
#include "base/run/progress.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- bands ---- */

static void free_bands(spmm_row_set *bands) {
    free(bands->band);
    free(bands->before);
    *bands = (spmm_row_set){.count = 0};
}

static base_status alloc_bands(base_context *context, int64_t count, spmm_row_set *bands) {
    bands->band = base_alloc(context, count, sizeof *bands->band);
    bands->before = base_alloc(context, count, sizeof *bands->before);
    return bands->band != NULL && bands->before != NULL ? BASE_OK : BASE_MACHINE;
}

static void take_band(int64_t number, const spmm_band *band, spmm_row_set *bands) {
    bands->band[bands->count] = (int32_t)number;
    bands->before[bands->count++] = bands->nnz;
    bands->rows += band->rows;
    bands->nnz += band->nnz;
}

/* The rows of a band; its distinct columns come from the device. */
static spmm_band describe_band(const spmm_csr *a, int64_t number, const int32_t *vectors) {
    const int64_t first = number * SPMM_BAND_ROWS,
                  end = first + SPMM_BAND_ROWS < a->nrow ? first + SPMM_BAND_ROWS : a->nrow;
    spmm_band band = {.rows = end - first, .nnz = a->start[end] - a->start[first]};
    for (int64_t row = first; row < end; row++) {
        const int64_t length = a->start[row + 1] - a->start[row];
        band.rows_used += length > 0;
        band.longest_row = length > band.longest_row ? length : band.longest_row;
    }
    for (int h = 0; h < SPMM_HEIGHTS; h++)
        band.vectors[h] = vectors[number * SPMM_HEIGHTS + h];
    return band;
}

/* Distinct columns of all bands, counted on the device. */
static base_status count_vectors(base_context *context, const spmm_device_matrix *matrix, int64_t count,
                                 int32_t *vectors) {
    base_status status;
    base_device_buffer buffer = {.address = 0};
    const int64_t words = spmm_device_words(matrix->a.ncol), bytes = count * SPMM_HEIGHTS * 4;
    BASE_TRY(base_device_alloc(context, matrix->device, bytes, 1, &buffer));
    spmm_pack_profile pack = {.window = {.a = matrix->a, .words = (int)words},
                              .vectors = (int *)(uintptr_t)buffer.address};
    BASE_TRY(spmm_device_pack(context, matrix->device, "pack_profile",
                              &(base_device_shape){.grid = {(unsigned)count},
                                                   .block = {SPMM_PACK_WINDOW_THREADS},
                                                   .shared_bytes = words * 4 + words / SPMM_PACK_GROUP * 4},
                              &pack));
    BASE_TRY(base_device_download(context, &buffer, 0, vectors, bytes, NULL));
done:
    base_device_free(&buffer);
    return status;
}

/* Each band goes to the cheaper of the two. */
static base_status share_bands(base_context *context, const spmm_problem *problem,
                               const spmm_device_matrix *matrix, const spmm_device_mix *mix,
                               spmm_device_work *work) {
    base_status status = BASE_MACHINE;
    const spmm_problem *whole = problem->whole != NULL ? problem->whole : problem;
    const base_device_properties *device = base_device_get_properties(work->device);
    const int64_t count = (problem->a.nrow + SPMM_BAND_ROWS - 1) / SPMM_BAND_ROWS;
    int32_t *vectors = base_alloc(context, count * SPMM_HEIGHTS, sizeof *vectors);
    char *second = base_alloc(context, count, 1);
    if (vectors == NULL || second == NULL || alloc_bands(context, count, &work->bands[0]) != BASE_OK ||
        alloc_bands(context, count, &work->bands[1]) != BASE_OK)
        goto done;
    BASE_TRY(count_vectors(context, matrix, count, vectors));
#pragma omp parallel for num_threads(context->threads) schedule(static) if (count > 256)
    for (int64_t k = 0; k < count; k++) {
        const spmm_band band = describe_band(&problem->a, k, vectors);
        second[k] = (char)spmm_device_mix_choose(device, whole, mix, &band);
    }
    for (int64_t k = 0; k < count; k++) {
        const spmm_band band = describe_band(&problem->a, k, vectors);
        take_band(k, &band, &work->bands[(int)second[k]]);
    }
done:
    free(vectors);
    free(second);
    return status;
}

/* ---- A ---- */

static base_status add_product(base_context *context, const spmm_problem *problem, const spmm_row_set *taken,
                               const spmm_device_variant *variant, spmm_device_work *work) {
    base_status status;
    if (variant->code->takes_entries && work->entries.entry == 0)
        BASE_TRY(spmm_device_entries_init(context, &work->matrix, &work->entries));
    BASE_TRY(spmm_device_product_init(context, &work->matrix, taken, problem->precision, variant,
                                      &work->entries, &work->product[work->products]));
    work->products++;
done:
    return status;
}

static base_status init_mix(base_context *context, const spmm_problem *problem, const spmm_device_mix *mix,
                            spmm_device_work *work) {
    base_status status;
    BASE_TRY(share_bands(context, problem, &work->matrix, mix, work));
    for (int k = 0; k < 2; k++) {
        if (work->bands[k].count > 0)
            BASE_TRY(add_product(context, problem, &work->bands[k], &mix->variant[k], work));
        BASE_TRY(base_device_stream_open(context, work->device, &work->stream[k]));
    }
done:
    return status;
}

/* Code is loaded when it is first asked for: not while a preparation is timed. */
static base_status load_code(base_context *context, const spmm_problem *problem,
                             const spmm_device_variant *variants, int count, spmm_device_work *work) {
    base_status status;
    BASE_TRY(spmm_device_load_packs(context, work->device));
    if (work->family->engine != NULL)
        return work->family->engine->open(context, work->device, problem->precision, &work->own);
    for (int k = 0; k < count; k++) {
        base_device_function function, second;
        BASE_TRY(spmm_device_product_load(context, work->device, problem->precision, &variants[k], &function,
                                          &second));
    }
done:
    return status;
}

static base_status fill(base_context *context, const spmm_problem *problem, const spmm_device_mix *mix,
                        spmm_device_work *work) {
    if (work->family == &spmm_family_mix)
        return init_mix(context, problem, mix, work);
    if (work->family->engine != NULL)
        return work->family->engine->fill(context, work->family, &work->matrix, problem, work->own);
    return add_product(context, problem, NULL, &mix->variant[0], work);
}

base_status spmm_device_work_init(base_context *context, base_device *device, const spmm_problem *problem,
                                  const spmm_device_family *family, spmm_device_work *work,
                                  spmm_preparation *took) {
    base_status status;
    const base_device_properties *properties = base_device_get_properties(device);
    spmm_device_mix mix; /* or one of them */
    spmm_price price;
    *work = (spmm_device_work){.device = device, .family = family};
    *took = (spmm_preparation){0};
    spmm_device_find_price(family, properties, problem, &mix, &price);
    if (price.seconds == 0)
        BASE_TRY(base_fail(context, BASE_FAILED, "%s", price.reason));
    BASE_TRY(load_code(context, problem, mix.variant, family == &spmm_family_mix ? 2 : 1, work));
    BASE_TRY(spmm_device_matrix_init(context, device, &problem->a, problem->precision, price.format_bytes,
                                     &work->matrix));
    took->send_seconds = work->matrix.send_seconds;
    const double start = base_clock_seconds();
    BASE_TRY(fill(context, problem, &mix, work));
    took->format_seconds = base_clock_seconds() - start;
done:
    if (status != BASE_OK)
        spmm_device_work_free(work);
    return status;
}

void spmm_device_work_free(spmm_device_work *work) {
    if (work == NULL)
        return;
    for (int k = 0; k < 2; k++) {
        base_device_stream_close(work->stream[k]);
        spmm_device_product_free(&work->product[k]);
        free_bands(&work->bands[k]);
    }
    if (work->own != NULL)
        work->family->engine->close(work->own);
    spmm_device_entries_free(&work->entries);
    spmm_device_matrix_free(&work->matrix);
    *work = (spmm_device_work){.device = NULL};
}

base_status spmm_device_work_run(base_context *context, spmm_device_work *work,
                                 const spmm_device_operands *operands) {
    base_status status = BASE_OK;
    if (work->family->engine != NULL)
        return work->family->engine->run(context, work->own, operands);
    for (int k = 0; k < work->products; k++)
        BASE_TRY(spmm_device_product_run(context, &work->product[k], operands,
                                         work->products > 1 ? work->stream[k] : NULL));
done:
    return status;
}

/* ---- in words ---- */

enum { MOST_LINES = 24 };

void spmm_device_work_describe(const spmm_device_work *work, int64_t first, spmm_tell *tell, void *data) {
    const int64_t count = work->bands[0].count + work->bands[1].count;
    int64_t next[2] = {0, 0}, stretches = 0;
    for (int64_t band = 0, end; band < count; band = end) {
        const int k = next[0] < work->bands[0].count && work->bands[0].band[next[0]] == band ? 0 : 1;
        char name[48], line[128];
        end = band;
        while (next[k] < work->bands[k].count && work->bands[k].band[next[k]] == end) {
            next[k]++;
            end++;
        }
        const int64_t last = end < count ? end * SPMM_BAND_ROWS : work->bands[0].rows + work->bands[1].rows;
        if (stretches++ >= MOST_LINES)
            continue;
        const spmm_device_product *product = &work->product[work->products > 1 ? k : 0];
        spmm_device_variant_name(product->precision, &product->variant, name);
        snprintf(line, sizeof line, "rows %lld to %lld: %s", (long long)(first + band * SPMM_BAND_ROWS + 1),
                 (long long)(first + last), name);
        tell(data, line);
    }
    if (stretches > MOST_LINES) {
        char line[64];
        snprintf(line, sizeof line, "... and %lld more stretches of rows",
                 (long long)(stretches - MOST_LINES));
        tell(data, line);
    }
}
