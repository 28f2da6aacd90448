/* SPDX-License-Identifier: BSD-3-Clause */
#include "h2/dispatch/filter.h"
#include "h2/matrix/io.h"
#include "mm/metadata/metadata.h"

static h2_compress_options wanted = {.tolerance = 1e-6};
static int rule, factor, method;
static h2_compression compression;
static int64_t bytes_before;

static const base_option options[] = {
    {"tol", 0, BASE_REAL, "X", "the tolerance (default: 1e-6)", &wanted.tolerance},
    {"tol", 't', BASE_REAL, "X", NULL, &wanted.tolerance},
    {"rule", 'r', BASE_CHOICE, "relative|absolute|frobenius", NULL, &rule},
    {"tol-rule", 0, BASE_CHOICE, "relative|absolute|frobenius",
     "what it is relative to: a cluster's largest singular\nvalue (default), |A|_2, or the whole |A|_F",
     &rule},
    {"weights", 0, BASE_CHOICE, "auto|householder|gram",
     "by QR factorizations or Gram matrices\n(default: the latter where they are exact enough)", &factor},
    {"weights", 'w', BASE_CHOICE, "auto|householder|gram", NULL, &factor},
    {"basis", 0, BASE_CHOICE, "svd|qr",
     "new bases from singular vectors (default), or from\npivoted QR: quicker, ranks some larger", &method},
    {"basis", 'b', BASE_CHOICE, "svd|qr", NULL, &method},
    {"level-ranks", 0, BASE_FLAG, NULL, "clusters of a level keep the same rank, if they have it",
     &wanted.level_ranks},
    BASE_OPTIONS_END,
};

static base_status compress(mm_filter_run *filter, h2_dispatch *dispatch, h2_matrix *matrix,
                            mm_record *record) {
    (void)record;
    bytes_before = matrix->payload_bytes;
    return h2_dispatch_compress(&filter->run.context, dispatch, matrix, &wanted, &compression);
}

static base_status finish(mm_filter_run *filter, h2_matrix *matrix, mm_record *record) {
    base_context *context = &filter->run.context;
    base_status status;
    base_run_detail(&filter->run, "%.4g to %.4g MB, error at most %.3g of %.4g in the Frobenius norm, by %s",
                    (double)bytes_before * 1e-6, (double)matrix->payload_bytes * 1e-6, compression.error,
                    compression.norm, compression.gram ? "Gram matrices" : "QR factorizations");
    BASE_TRY(mm_metadata_set(context, record, "h2.norm", "%.6g", compression.norm));
    BASE_TRY(h2_to_record(context, matrix, record));
done:
    return status;
}

static base_status check(mm_filter_run *filter) {
    wanted.rule = (h2_rule)rule;
    wanted.factor = (h2_factor)factor;
    wanted.method = (h2_method)method;
    if (!(wanted.tolerance > 0) || wanted.tolerance >= 1)
        return base_fail(&filter->run.context, BASE_USAGE, "--tol lies between 0 and 1");
    return BASE_OK;
}

static h2_filter it = {.check = check, .work = compress, .finish = finish};

static const mm_filter filter = {
    .program = {.name = "h2-compress",
                .operands = "[FILE...]",
                .summary = "Compress H2 matrices with orthonormal bases to a tolerance.",
                .common = BASE_HAS_PLACE | BASE_HAS_FORM_ALONE | BASE_HAS_KEEP_GOING | BASE_HAS_PHASES |
                          BASE_HAS_CHECKPOINT,
                .options = options},
    .writes_records = true,
    .all_kinds = true,
    .kinds = 1U << MM_H2,
    .kind_name = "H2 matrices",
    .left_on_device = 1U << MM_H2,
    .begin = h2_filter_begin,
    .record = h2_filter_record,
    .end = h2_filter_end,
    .release = h2_filter_release,
    .data = &it,
};

int main(int argc, char **argv) {
    return mm_filter_main(&filter, argc, argv);
}
