/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run/run.h"
#include "mm/generate/generate.h"
#include "mm/metadata/metadata.h"
#include "mm/stream/writer.h"

#include <stdio.h>

static mm_generate_options wanted;
static int64_t count = 1;

static const base_option options[] = {
    {"n", 0, BASE_TEXT, "SIZE", "order or size: 43, 1000x500, 30x30x30; also the second operand",
     &wanted.size},
    {"n", 'n', BASE_TEXT, "SIZE", NULL, &wanted.size},
    {"count", 0, BASE_INTEGER, "K", "make K matrices of this kind (default: 1)", &count},
    {"field", 0, BASE_CHOICE, "pattern|integer|real|complex", "field of the entries", &wanted.field},
    {"symmetry", 0, BASE_CHOICE, "general|symmetric|skew-symmetric|hermitian",
     "symmetry; the lower triangle is made and stored", &wanted.symmetry},
    {"values", 0, BASE_TEXT, "VALUES", "uniform, uniform:LO:HI, int:LO:HI, pm1 or one number",
     &wanted.values},
    {"p", 0, BASE_REAL, "P", "probability of an entry: er, band, block", &wanted.p},
    {"p", 'p', BASE_REAL, "P", NULL, &wanted.p},
    {"diagonal", 0, BASE_FLAG, NULL, "every diagonal entry is there: er, band", &wanted.diagonal},
    {"bandwidth", 0, BASE_TEXT, "L[:U]", "diagonals below and above the main one: band", &wanted.bandwidth},
    {"block-count", 0, BASE_INTEGER, "K", "number of diagonal blocks: block", &wanted.blocks},
    {"blocks", 0, BASE_INTEGER, "K", NULL, &wanted.blocks},
    {"fill", 0, BASE_REAL, "P", "probability of an entry above the blocks: block", &wanted.fill},
    {"edges", 0, BASE_INTEGER, "K", "draws per row (default: 16): rmat", &wanted.edges},
    {"probabilities", 0, BASE_TEXT, "A,B,C,D", "of the quadrants (default: 0.57,0.19,0.19,0.05): rmat",
     &wanted.probabilities},
    {"offsets", 0, BASE_TEXT, "K,...", "of the cyclic diagonals: circulant", &wanted.offsets},
    {"grid", 0, BASE_TEXT, "AxB[xC]", "centres of a grid's cells instead of random points: points",
     &wanted.grid},
    {"perturb", 0, BASE_REAL, "F", "move grid points by at most F/2 cells: points", &wanted.perturb},
    {"f2", 0, BASE_FLAG, NULL, "the scheme is one over F2: scheme", &wanted.over_f2},
    BASE_OPTIONS_END,
};

static const base_program program = {
    .name = "mm-gen",
    .operands = "FAMILY [SIZE]",
    .summary =
        "Make test matrices: er, band, block, rmat, dense, vector, points, permutation,\n"
        "unitary, constant, ones, identity, tridiagonal, stencil, derangement, menage, circulant, scheme.",
    .common = BASE_HAS_FORM | BASE_HAS_SEED | BASE_HAS_PART,
    .options = options,
};

static base_status read_operands(base_run *run) {
    if (run->operand_count == 0)
        return base_fail(&run->context, BASE_USAGE, "a family is missing. Known families: %s",
                         mm_generate_families());
    if (run->operand_count > 2 || (run->operand_count == 2 && wanted.size != NULL))
        return base_fail(&run->context, BASE_USAGE, "more than a family and a size are given");
    wanted.family = run->operands[0];
    if (run->operand_count == 2)
        wanted.size = run->operands[1];
    wanted.numbered = count != 1;
    return BASE_OK;
}

/* The command line again: program and options, then the operands. */
static base_status add_provenance(base_run *run, mm_record *record) {
    return mm_metadata_add(&run->context, record, "by", "%s %s%s%s", run->by.text, run->operands[0],
                           run->operand_count > 1 ? " " : "", run->operand_count > 1 ? run->operands[1] : "");
}

static base_status write_matrices(base_run *run, mm_generator *generator, mm_writer *writer) {
    base_context *context = &run->context;
    base_status status = BASE_OK;
    mm_record record;
    mm_record_init(&record);
    if (count > 1)
        base_progress_start(context, "generate", (double)count, "matrices");
    for (int64_t index = 1; index <= count; index++) {
        if (index > 1)
            base_progress_add(context, 1);
        if (run->part.count > 0 && (index - 1) % run->part.count != run->part.index - 1)
            continue;
        BASE_TRY(mm_generate(context, generator, index, &record));
        BASE_TRY(add_provenance(run, &record));
        BASE_TRY(mm_writer_put(context, writer, &record));
    }
    BASE_TRY(mm_writer_finish(context, writer));
done:
    mm_record_free(&record);
    return status;
}

int main(int argc, char **argv) {
    base_run run;
    mm_generator *generator = NULL;
    mm_writer *writer = NULL;
    base_status status = BASE_OK;
    mm_generate_options_init(&wanted);
    if (!base_run_begin(&run, &program, argc, argv))
        return base_run_end(&run, run.context.error.status);
    BASE_TRY(read_operands(&run));
    BASE_TRY(mm_generator_open(&run.context, &wanted, &generator));
    BASE_TRY(
        mm_writer_open(&run.context, run.output, (base_form)run.form, (int)run.level, run.verify, &writer));
    BASE_TRY(write_matrices(&run, generator, writer));
done:
    mm_writer_close(writer);
    mm_generator_close(generator);
    return base_run_end(&run, status);
}
