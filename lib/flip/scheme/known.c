/* SPDX-License-Identifier: BSD-3-Clause */
/* Least ranks that were published until July 2026, each with who published it first as far as is known. The
 * collections: A. Sedoglavic, fmm.univ-lille.fr; M. Kauers and J. Moosbauer, github.com/jakobmoosbauer/flips;
 * M. Kauers and I. Wood, github.com/mkauers/matrix-multiplication; A. Perminov,
 * github.com/dronperminov/FastMatrixMultiplication; Google DeepMind, AlphaTensor and AlphaEvolve. */
#include "flip/scheme/known.h"

#include <string.h>

enum source {
    CLASSIC,
    ALPHATENSOR,
    KAUERS_MOOSBAUER,
    ARAI,
    MOOSBAUER_POOLE,
    ALPHAEVOLVE,
    KAUERS_WOOD,
    PERMINOV,
    CATALOGUE
};

static const char *const source_names[] = {"Strassen, Laderman, Smirnov", "AlphaTensor 2022",
                                           "Kauers and Moosbauer 2022",   "Arai, Ichikawa and Hukushima 2023",
                                           "Moosbauer and Poole 2025",    "AlphaEvolve 2025",
                                           "Kauers and Wood 2025",        "Perminov 2025",
                                           "FMM catalogue (Sedoglavic)"};

static const struct {
    unsigned char size[3]; /* ascending */
    short rank[3];         /* over F2, Z, Q */
    unsigned char source[3];
} known[] = {
    /* clang-format off */
    {{2, 2, 2}, {7, 7, 7}, {ALPHATENSOR, CLASSIC, CLASSIC}},
    {{2, 2, 3}, {11, 11, 11}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 2, 4}, {14, 14, 14}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 2, 5}, {18, 18, 18}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 2, 6}, {21, 21, 21}, {KAUERS_MOOSBAUER, CATALOGUE, CATALOGUE}},
    {{2, 2, 7}, {25, 25, 25}, {CATALOGUE, CATALOGUE, CATALOGUE}},
    {{2, 2, 8}, {28, 28, 28}, {CATALOGUE, CATALOGUE, CATALOGUE}},
    {{2, 3, 3}, {15, 15, 15}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 3, 4}, {20, 20, 20}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 3, 5}, {25, 25, 25}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 3, 6}, {30, 30, 30}, {KAUERS_MOOSBAUER, CATALOGUE, CATALOGUE}},
    {{2, 3, 7}, {35, 35, 35}, {PERMINOV, PERMINOV, PERMINOV}},
    {{2, 3, 8}, {40, 40, 40}, {PERMINOV, PERMINOV, PERMINOV}},
    {{2, 4, 4}, {26, 26, 26}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 4, 5}, {33, 33, 32}, {ALPHATENSOR, KAUERS_MOOSBAUER, CATALOGUE}},
    {{2, 4, 6}, {39, 39, 39}, {KAUERS_MOOSBAUER, PERMINOV, PERMINOV}},
    {{2, 4, 7}, {45, 45, 45}, {ALPHAEVOLVE, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{2, 4, 8}, {51, 51, 51}, {ALPHAEVOLVE, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{2, 5, 5}, {40, 40, 40}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{2, 5, 6}, {47, 47, 47}, {ALPHAEVOLVE, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{2, 5, 7}, {55, 55, 55}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{2, 5, 8}, {63, 63, 63}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{2, 6, 6}, {56, 56, 56}, {KAUERS_MOOSBAUER, PERMINOV, PERMINOV}},
    {{2, 6, 7}, {66, 66, 66}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{2, 6, 8}, {75, 75, 75}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{2, 7, 7}, {76, 76, 76}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{2, 7, 8}, {88, 88, 88}, {PERMINOV, PERMINOV, PERMINOV}},
    {{2, 8, 8}, {100, 100, 100}, {CATALOGUE, CATALOGUE, CATALOGUE}},
    {{3, 3, 3}, {23, 23, 23}, {ALPHATENSOR, CLASSIC, CLASSIC}},
    {{3, 3, 4}, {29, 29, 29}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{3, 3, 5}, {36, 36, 36}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{3, 3, 6}, {42, 42, 40}, {KAUERS_MOOSBAUER, PERMINOV, CATALOGUE}},
    {{3, 3, 7}, {49, 49, 49}, {PERMINOV, PERMINOV, PERMINOV}},
    {{3, 3, 8}, {55, 56, 55}, {PERMINOV, PERMINOV, CATALOGUE}},
    {{3, 4, 4}, {38, 38, 38}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{3, 4, 5}, {47, 47, 47}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{3, 4, 6}, {54, 54, 54}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{3, 4, 7}, {64, 64, 63}, {KAUERS_WOOD, PERMINOV, CATALOGUE}},
    {{3, 4, 8}, {73, 73, 73}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{3, 5, 5}, {58, 58, 58}, {ALPHATENSOR, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{3, 5, 6}, {68, 68, 68}, {ALPHAEVOLVE, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{3, 5, 7}, {79, 79, 79}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{3, 5, 8}, {90, 90, 90}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{3, 6, 6}, {83, 83, 80}, {PERMINOV, PERMINOV, CATALOGUE}},
    {{3, 6, 7}, {96, 96, 94}, {PERMINOV, PERMINOV, CATALOGUE}},
    {{3, 6, 8}, {108, 108, 108}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{3, 7, 7}, {111, 111, 111}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{3, 7, 8}, {128, 128, 126}, {PERMINOV, PERMINOV, CATALOGUE}},
    {{3, 8, 8}, {145, 146, 145}, {KAUERS_WOOD, PERMINOV, CATALOGUE}},
    {{4, 4, 4}, {47, 49, 48}, {ALPHATENSOR, KAUERS_MOOSBAUER, CATALOGUE}},
    {{4, 4, 5}, {60, 61, 61}, {KAUERS_MOOSBAUER, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{4, 4, 6}, {73, 73, 73}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{4, 4, 7}, {85, 85, 85}, {ALPHAEVOLVE, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{4, 4, 8}, {94, 96, 96}, {PERMINOV, PERMINOV, PERMINOV}},
    {{4, 5, 5}, {73, 76, 76}, {ARAI, KAUERS_MOOSBAUER, KAUERS_MOOSBAUER}},
    {{4, 5, 6}, {89, 90, 90}, {KAUERS_WOOD, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{4, 5, 7}, {104, 104, 104}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{4, 5, 8}, {118, 118, 118}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{4, 6, 6}, {105, 105, 105}, {PERMINOV, PERMINOV, PERMINOV}},
    {{4, 6, 7}, {123, 123, 123}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{4, 6, 8}, {140, 140, 140}, {CATALOGUE, CATALOGUE, CATALOGUE}},
    {{4, 7, 7}, {144, 144, 144}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{4, 7, 8}, {161, 161, 161}, {PERMINOV, PERMINOV, PERMINOV}},
    {{4, 8, 8}, {180, 180, 180}, {PERMINOV, PERMINOV, PERMINOV}},
    {{5, 5, 5}, {93, 93, 93}, {ALPHAEVOLVE, ALPHAEVOLVE, ALPHAEVOLVE}},
    {{5, 5, 6}, {110, 110, 110}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{5, 5, 7}, {127, 127, 127}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{5, 5, 8}, {144, 144, 144}, {KAUERS_WOOD, PERMINOV, KAUERS_WOOD}},
    {{5, 6, 6}, {130, 130, 130}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{5, 6, 7}, {150, 150, 150}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{5, 6, 8}, {170, 170, 170}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{5, 7, 7}, {176, 176, 176}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{5, 7, 8}, {204, 204, 204}, {PERMINOV, PERMINOV, PERMINOV}},
    {{5, 8, 8}, {230, 230, 230}, {CATALOGUE, CATALOGUE, CATALOGUE}},
    {{6, 6, 6}, {153, 153, 153}, {MOOSBAUER_POOLE, MOOSBAUER_POOLE, MOOSBAUER_POOLE}},
    {{6, 6, 7}, {183, 183, 183}, {KAUERS_WOOD, KAUERS_WOOD, KAUERS_WOOD}},
    {{6, 6, 8}, {203, 203, 203}, {CATALOGUE, CATALOGUE, CATALOGUE}},
    {{6, 7, 7}, {212, 212, 212}, {PERMINOV, PERMINOV, PERMINOV}},
    {{6, 7, 8}, {238, 238, 238}, {PERMINOV, PERMINOV, PERMINOV}},
    {{6, 8, 8}, {266, 266, 266}, {CATALOGUE, CATALOGUE, CATALOGUE}},
    {{7, 7, 7}, {248, 250, 249}, {PERMINOV, PERMINOV, CATALOGUE}},
    {{7, 7, 8}, {273, 278, 277}, {PERMINOV, PERMINOV, CATALOGUE}},
    {{7, 8, 8}, {302, 310, 306}, {PERMINOV, PERMINOV, CATALOGUE}},
    {{8, 8, 8}, {329, 343, 336}, {PERMINOV, PERMINOV, CATALOGUE}},
    /* clang-format on */
};

void flip_sort_size(const int64_t size[3], int64_t sorted[3]) {
    memcpy(sorted, size, 3 * sizeof *size);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++)
            if (sorted[k] > sorted[k + 1]) {
                const int64_t larger = sorted[k];
                sorted[k] = sorted[k + 1];
                sorted[k + 1] = larger;
            }
}

int64_t flip_known_rank(const int64_t size[3], flip_field field, const char **source) {
    int64_t sorted[3];
    flip_sort_size(size, sorted);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k].size[0] == sorted[0] && known[k].size[1] == sorted[1] && known[k].size[2] == sorted[2]) {
            if (source != NULL)
                *source = source_names[known[k].source[field]];
            return known[k].rank[field];
        }
    return 0;
}
