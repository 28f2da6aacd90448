/* SPDX-License-Identifier: BSD-3-Clause */
/* Drawn matrices through the library. */
#include "perm/plan/plan.h"
#include "perm/solve/solve.h"
#include "tests/oracle/run.h"
#include "tests/support/tap.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS = 12 /* of a matrix, at random */, KERNELS_MOST = 2 * PERM_MOST_CANDIDATES };

/* What is expected to take longer is refused: large matrices by slow methods. */
#define MOST_SECONDS 0.5

/* What is asked for. */
typedef struct setting {
    int kernel; /* of the tallies; 0: none is named */
    char precision[24];
    bool raw, decimal, verify, certify;
} setting;

typedef struct oracle {
    base_context *context;
    oracle_tally kernel[KERNELS_MOST];
    int kernels;
    oracle_tally arithmetic[6];
} oracle;

/* ---- the methods there are ---- */

static void add_kernel(oracle *oracle, const char *name) {
    for (int k = 0; k < oracle->kernels; k++)
        if (strcmp(oracle->kernel[k].name, name) == 0)
            return;
    oracle->kernel[oracle->kernels++] = (oracle_tally){.name = name};
}

/* Those that --kernel list shows of a matrix with zeros and of one without. */
static void list_kernels(oracle *oracle, const char *values) {
    static oracle_matrix matrix;
    static perm_plan plan;
    const perm_plan_options options = {.list = true};
    mm_record record;
    mm_sparse sparse = {0};
    perm_matrix exact = {0};
    const bool is_sparse = values == NULL;
    matrix = (oracle_matrix){.field = MM_INTEGER, .nrow = 12, .ncol = 12};
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++)
            if (!is_sparse || (i * 5 + j * 7) % 3 != 0) {
                oracle_entry *entry = &matrix.entry[matrix.count++];
                *entry = (oracle_entry){.row = i, .col = j};
                strcpy(entry->text[0], is_sparse ? "1" : values);
            }
    const bool is_good =
        oracle_to_record(oracle->context, &matrix, "list", &record) == BASE_OK &&
        mm_sparse_from_record(oracle->context, &record, (mm_sparse_options){.orientation = MM_BY_COLUMNS},
                              &sparse) == BASE_OK &&
        perm_matrix_from_sparse(oracle->context, &sparse, &exact) == BASE_OK &&
        perm_plan_make(oracle->context, &exact, &options, &plan) == BASE_OK;
    tap_ok(is_good && plan.prices.count > 20, "%d kernels are listed", plan.prices.count);
    for (int k = 0; is_good && k < plan.prices.count; k++)
        add_kernel(oracle, plan.prices.candidate[k].name);
    perm_plan_free(&plan);
    perm_matrix_free(&exact);
    mm_sparse_free(&sparse);
    mm_record_free(&record);
}

/* ---- one computation ---- */

static void draw_setting(const oracle *oracle, base_random *random, setting *setting) {
    static const char *const precisions[] = {"", "double", "kahan", "dd", "mpfr:", "exact"};
    const char *precision = precisions[base_random_below(random, 6)];
    *setting = (struct setting){.kernel = (int)base_random_below(random, (uint64_t)oracle->kernels)};
    if (base_random_below(random, 3) == 0)
        setting->kernel = 0;
    if (setting->kernel > 0 && base_random_below(random, 2))
        precision = "";
    snprintf(setting->precision, sizeof setting->precision, "%s", precision);
    if (precision[0] == 'm')
        snprintf(setting->precision, sizeof setting->precision, "mpfr:%d",
                 24 + (int)base_random_below(random, 300));
    setting->raw = base_random_below(random, 2);
    setting->verify = base_random_below(random, 4) == 0;
    setting->certify = base_random_below(random, 4) == 0;
    setting->decimal = precision[0] == 'e' && base_random_below(random, 2);
}

static const char *describe(const oracle *oracle, const setting *setting, char text[160]) {
    snprintf(text, 160, "--kernel %s --precision %s%s%s%s%s", oracle->kernel[setting->kernel].name,
             setting->precision[0] ? setting->precision : "any", setting->raw ? " --raw" : "",
             setting->decimal ? " --decimal" : "", setting->verify ? " --verify" : "",
             setting->certify ? " --certify" : "");
    return text;
}

/* A refusal is one of the record, where no precision is asked for that the method does not have, and gives a
 * reason: something behind its last colon. */
static const char *check_refusal(const base_context *context, base_status status, const setting *setting) {
    const char *cause = context->error.cause, *colon = strrchr(cause, ':');
    if (status != BASE_FAILED && !(status == BASE_USAGE && setting->precision[0] != '\0'))
        return "failed";
    if (setting->kernel == 0 && !strstr(cause, "--max-time"))
        return "refused";
    return *cause == '\0' || (colon && colon[1 + strspn(colon + 1, " ")] == '\0') ? "refused without a reason"
                                                                                  : NULL;
}

static const char *check_result(const oracle *oracle, const oracle_number *permanent, const setting *setting,
                                mm_field field, const perm_result *result, char **printed) {
    const bool is_whole = field < MM_REAL, is_exact = perm_value_is_exact(&result->value),
               is_usual = setting->kernel == 0 && setting->precision[0] == '\0';
    *printed = NULL;
    if (!is_exact && (setting->precision[0] == 'e' || (is_whole && is_usual)))
        return "the value is not exact";
    if (setting->certify && result->value.estimate.mantissa != 0)
        return "there is an estimate";
    if (perm_value_print_digits(oracle->context, &result->value, field, result->digits, printed) != BASE_OK)
        return "the value cannot be printed";
    return oracle_check_value(permanent, &result->value, *printed,
                              is_whole && is_exact ? PERM_DIGITS_ALL : result->digits);
}

/* Computes with the setting and counts. */
static void run_setting(oracle *oracle, const oracle_matrix *matrix, const mm_record *record,
                        const char *name, const oracle_number *permanent, const setting *setting) {
    static const char letters[] = "\0dkDme"; /* of the tallies of arithmetic; D is dd */
    base_context *context = oracle->context;
    oracle_tally *kernel = &oracle->kernel[setting->kernel];
    perm_work notes = {.verify = setting->verify, .verify_share = 1};
    perm_options options = {.kernel = setting->kernel > 0 ? kernel->name : NULL,
                            .raw = setting->raw,
                            .certify = setting->certify,
                            .notes = &notes,
                            .most_seconds = MOST_SECONDS};
    perm_result result;
    char *printed = NULL, how[160];
    const char *wrong;
    perm_result_init(&result);
    base_status status = perm_precision_choose(context, setting->precision[0] ? setting->precision : NULL,
                                               false, setting->decimal, &options.precision);
    if (status == BASE_OK)
        status = perm_solve_record(context, record, &options, &result);
    if (status == BASE_OK)
        wrong = check_result(oracle, permanent, setting, matrix->field, &result, &printed);
    else
        wrong = check_refusal(context, status, setting);
    const char first = strcmp(setting->precision, "dd") == 0 ? 'D' : setting->precision[0];
    oracle_tally *const tallies[] = {kernel,
                                     &oracle->arithmetic[(const char *)memchr(letters, first, 6) - letters]};
    for (int k = 0; k < 2; k++) {
        tallies[k]->wrong += wrong != NULL;
        tallies[k]->refused += !wrong && status != BASE_OK;
        tallies[k]->right += !wrong && status == BASE_OK;
    }
    if (wrong)
        oracle_tell(matrix, name, describe(oracle, setting, how), wrong,
                    status == BASE_OK ? (printed ? printed : "-") : context->error.cause);
    free(printed);
    perm_result_free(&result);
}

static void run_matrix(oracle *oracle, const oracle_matrix *matrix, base_random *random, const char *name) {
    mm_record record;
    oracle_number *permanent = oracle_number_new(), *of_decimals = oracle_number_new();
    const bool has_decimals = oracle_has_short_texts(matrix);
    if (oracle_to_record(oracle->context, matrix, name, &record) != BASE_OK)
        abort();
    oracle_permanent(matrix, false, permanent);
    if (has_decimals)
        oracle_permanent(matrix, true, of_decimals);
    run_setting(oracle, matrix, &record, name, permanent, &(setting){.kernel = 0});
    for (int k = 0; k < SETTINGS; k++) {
        setting setting;
        draw_setting(oracle, random, &setting);
        setting.decimal = setting.decimal && has_decimals;
        run_setting(oracle, matrix, &record, name, setting.decimal ? of_decimals : permanent, &setting);
    }
    oracle_number_free(permanent);
    oracle_number_free(of_decimals);
    mm_record_free(&record);
}

/* ---- all ---- */

/* Kernels for one kind of processor or device need not run here. */
static bool must_run(const char *name, int64_t count) {
    return count >= 1000 && !strstr(name, "cuda") && !strstr(name, "avx");
}

static void tell_tally(const oracle_tally *tally, int64_t count) {
    tap_ok(tally->wrong == 0 && (tally->right > 0 || !must_run(tally->name, count)),
           "%s: %" PRId64 " right, %" PRId64 " wrong, %" PRId64 " refused", tally->name, tally->right,
           tally->wrong, tally->refused);
}

void oracle_run_library(base_context *context, uint64_t seed, int64_t first, int64_t end) {
    static const char *const families[] = {"dense", "sparse", "sparse-exact", "sparse-gray", "exact", "dd"};
    static const char *const arithmetics[] = {"any arithmetic", "double", "kahan", "dd", "mpfr", "exact"};
    static oracle oracle;
    static oracle_matrix matrix;
    oracle.context = context;
    add_kernel(&oracle, "any");
    list_kernels(&oracle, "2");
    list_kernels(&oracle, NULL);
    for (int k = 0; k < 6; k++) {
        add_kernel(&oracle, families[k]);
        oracle.arithmetic[k].name = arithmetics[k];
    }
    for (int64_t k = first; k < end; k++) {
        base_random random;
        char name[24];
        base_random_init(&random, seed, (uint64_t)k);
        oracle_draw(&random, &matrix);
        run_matrix(&oracle, &matrix, &random, oracle_name(k, name));
    }
    for (int k = 0; k < oracle.kernels; k++)
        tell_tally(&oracle.kernel[k], end - first);
    for (int k = 0; k < 6; k++)
        tell_tally(&oracle.arithmetic[k], end - first);
}
