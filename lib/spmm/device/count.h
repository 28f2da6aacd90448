/* SPDX-License-Identifier: BSD-3-Clause */
/* What the families count of a product (price.h) in common. */
#ifndef SPMM_DEVICE_COUNT_H
#define SPMM_DEVICE_COUNT_H

#include "spmm/device/family.h"

/* Columns that a block, or a warp where it works by itself, computes at a time: a tile, and its bytes of a
 * row of B; how many tiles there are. */
int64_t spmm_count_columns(const spmm_problem *problem, const spmm_device_variant *variant);
double spmm_count_tiles(const spmm_problem *problem, const spmm_device_variant *variant);
double spmm_count_tile_bytes(const spmm_problem *problem, const spmm_device_variant *variant);

/* Of so many rows of a tile those that have to come from the second-level cache, where the rows of windows of
 * some heights find what they share in that of the multiprocessor. */
double spmm_count_far(const spmm_profile *profile, double columns, double tile_bytes, int first, int last);

/* The same of some rows that walk through their columns side by side, so that each column that several of
 * them share comes once. For as many rows as are between two heights of windows it is interpolated. */
double spmm_count_together(const spmm_problem *problem, double rows);

/* Entries of the longest of so many rows, of which no more than `most` count: even ones spread as chance has
 * it (Poisson). */
double spmm_count_longest(const spmm_problem *problem, double rows, double most);

/* How much longer a byte of B takes from the second-level cache than where the rows of B that are wanted at a
 * time are about 2 MB. A multiprocessor's cache still holds some of fewer, and more are spread over both
 * halves of the second one: 0.07 ps a byte for 0.3 MB, 0.085 for 2, 0.112 from 10 on (330 products of 45
 * random matrices by rows_…, H100). Of tiles that are done one after the other those are wanted at a time
 * that the device has room for: all of them in one round of blocks, one in many (`rounds`, INFINITY allowed).
 */
double spmm_count_spread(const spmm_problem *problem, const spmm_device_variant *variant, double rounds);

/* SPMM_TERM_FAR and SPMM_TERM_NEAR of kernels without tensor cores, which take rows of B one by one: so many
 * of them. */
void spmm_count_reads(const spmm_problem *problem, const spmm_device_variant *variant, double reads,
                      double *count);

/* The same, and what rows cost that are not cut: they are begun together and so wait for the longest. */
void spmm_count_rows(const spmm_problem *problem, const spmm_device_variant *variant, double reads,
                     double *count);

/* SPMM_ROWS_UNEVEN where a row is much longer than the mean, SPMM_ROWS_UNIFORM where none is and they have
 * columns in common by chance alone, as rows of uniformly random matrices have, else SPMM_ROWS_EVEN. It is so
 * for all variants; families take it as their kind. */
int spmm_count_kind(const spmm_problem *problem, const spmm_device_variant *variant);

/* Whether the second-level cache holds all columns of the rows of B that are wanted at a time, and as many of
 * C, so that the tiles of a row may be done side by side: a grid of 64 x 64 x 64 points with 512 columns of
 * doubles, where it does not, took 1.5 times as long then (H200). Where rows are uneven it is taken not to.
 */
bool spmm_count_fits(const base_device_properties *device, const spmm_problem *problem);

/* Bytes of A that are read again, since tiles are done one after the other, as those of SPMM_TERM_WARM and
 * SPMM_TERM_COLD: from memory as far as A and what a tile has of B and C exceed the second-level cache. */
void spmm_count_rereads(const base_device_properties *device, const spmm_problem *problem,
                        const spmm_device_variant *variant, double *count);

/* Bytes of B that come from memory more than once, since the second-level cache has lost them. Tiles are done
 * one after the other, so that a narrow one keeps its rows of B there. Rows of A that are under way together
 * walk through the columns side by side; where there are many more, their places spread over all columns.
 * Columns that many rows share stay in the cache, and where rows are uneven, columns are taken to be so, too,
 * with most of the entries in a few. An estimate: uniformly random matrices of 10^5 rows and 3.6 million
 * entries with 1024 columns took half of the time with tiles for which it is 0 (H100), but an R-MAT graph of
 * 2^18 vertices 1.4 times as long as with tiles of 64 doubles (merge_…, 128 and 512 columns, H200). */
double spmm_count_lost(const base_device_properties *device, const spmm_problem *problem,
                       const spmm_device_variant *variant);

/* Halves the variant's lanes until nothing is lost, but not below 8. */
void spmm_count_fit_lanes(const base_device_properties *device, const spmm_problem *problem,
                          spmm_device_variant *variant);

/* Bytes of A by rows: numbers, columns, and where each row begins. */
double spmm_count_row_bytes(const spmm_problem *problem, const spmm_device_variant *variant);

#endif
