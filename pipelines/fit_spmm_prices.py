#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rates by which spmm-tc prices its device kernels (lib/spmm/families), from measured times.

fit_spmm_prices.py [--rounds N] [--check] [--only FAMILY,...] [--other FILE]... [--small FILE]... FILE...

FILE is what `bench_gpu_spmm -a -k chosen,families` printed, or with the names of families, in all their variants: for
each kernel and case what it does (counts, in the terms of lib/spmm/device/family.h) and its time. Prints the lines of
each family, then how good the choice by them is: for each precision the geometric mean of the time of the cheapest
kernel over that of the fastest, and the cases in which it is more than a tenth. --check: the same for each matrix by
rates from the others. --only: fits these families, beside the prices that the files have of the others.

Least squares of relative errors without negative rates, kernel by kernel and format by format. A case weighs as the
fastest time over the kernel's, and all variants of a family together as one; in N rounds those weigh more in which the
cheapest was not the fastest, most of all where it is slower than cuSPARSE and another is not (bench_gpu_spmm -k
chosen,families,cusparse -a), and the best round counts. The cases of --other FILE, of matrices on which nothing else is
measured, weigh half, those of --small FILE, where matrices are that hardly fill a device, a quarter.
"""
import argparse
import collections
import math
import re

TERMS = 10  # start, chain, reduction: microseconds; the others: picoseconds
LEAST = [4, 0, 0, 0, 0, 0, 0, 0, 0.05, 0.1]
SHORTEST = 0.92  # of a family's shortest time, where that is below 10 microseconds, is its start at least
# By the numbers that files of before have instead of names.
FAMILIES = ("rows merge rowstaged rowpairs bstationary panels bands splits rings16 rings32 rings64 rings128 rowwindows8 "
            "rowwindows16 rowwindows32 rowwindows64 blocks16 blocks32 dense tca tca_row").split()
PLAIN = ("rows", "merge", "rowstaged", "rowpairs", "bstationary")
# What families were called in version 0.1.
NAMES = {"runs": "merge", "stages": "rowstaged", "strips": "rowpairs", "slabs": "bstationary", "windows8": "rowwindows8",
         "windows16": "rowwindows16", "windows32": "rowwindows32", "windows64": "rowwindows64"}

KINDS = {family: ("SPMM_ROWS_EVEN", "SPMM_ROWS_UNIFORM", "SPMM_ROWS_UNEVEN", "SPMM_ROWS_LONG")
         for family in ("rows", "merge", "rowstaged", "rowpairs")}

Case = collections.namedtuple("Case", "key family kernel count seconds share price")  # key: matrix, columns, precision


def find_kernel(family, precision, kind):
    """The line of the table: family, precisions, kind."""
    if precision in ("fp16", "bf16"):
        return family, "SHORT", kind
    if precision == "fp64":
        return family, "DOUBLE", kind
    if family in PLAIN or (precision == "fp32" and family != "dense"):
        return family, "SINGLE", kind
    if family == "dense" and precision != "tf32":
        return family, "FULL", kind
    return family, {"tf32": "TF32", "3xtf32": "THREE"}[precision], kind


def find_family(text):
    """By name, or as files of before have it, by number."""
    return FAMILIES[int(text)] if text.isdigit() else NAMES.get(text, text)


def read_cases(paths, share):
    cases, compared = [], {}
    counts = re.compile(r"  (\S+) (\d+) (\S+) counts (\w+) ([0123]) (.*)")
    time = re.compile(r"  (\S+) (\d+) (\S+) (\S+)(?: 3xtf32)?(?: \(([\d.]+)\))? "
                      r"([\d.]+) us error \S+ prepare")
    sparse = re.compile(r"  (\S+) (\d+) (\S+) alg\d ([\d.]+) us error")
    for path in paths:
        found = None
        for line in open(path):
            match = sparse.match(line)
            if match:
                key = match[1], match[2], match[3]
                compared[key] = min(compared.get(key, math.inf), float(match[4]))
                continue
            match = counts.match(line)
            if match:
                found = match
                continue
            match = time.match(line)
            name = NAMES.get(match[4], match[4]) if match else None
            family = find_family(found[4]) if found else None
            if match and found and (name == family or name.startswith(family + "_")):
                count = [float(x) * (1 if term < 3 else 1e-6) for term, x in enumerate(found[6].split())]
                cases.append(Case((match[1], match[2], match[3]), (name, found[3]),
                                  find_kernel(family, found[3], int(found[5])), count, float(match[6]), share,
                                  float(match[5] or "inf")))
            found = None
    return cases, compared


def solve(matrix, right):
    """Gaussian elimination; None for a singular matrix."""
    n = len(right)
    rows = [list(matrix[i]) + [right[i]] for i in range(n)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        if abs(rows[pivot][i]) < 1e-12:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(i + 1, n):
            factor = rows[r][i] / rows[i][i]
            for c in range(i, n + 1):
                rows[r][c] -= factor * rows[i][c]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][c] * x[c] for c in range(i + 1, n))) / rows[i][i]
    return x


def solve_least(square, right):
    """The x >= 0 of least x' square x / 2 - right' x (Lawson, Hanson: Solving least squares problems, 23.3)."""
    n = len(right)
    x, free = [0.0] * n, []
    for _ in range(10 * n):
        slope = [right[i] - sum(square[i][j] * x[j] for j in range(n)) for i in range(n)]
        found = max((i for i in range(n) if i not in free), key=lambda i: slope[i], default=None)
        if found is None or slope[found] < 1e-9:
            break
        free.append(found)
        while free:
            part = solve([[square[i][j] for j in free] for i in free], [right[i] for i in free])
            if part is None:
                free.pop()
                break
            if min(part) > 0:
                x = [0.0] * n
                for i, value in zip(free, part):
                    x[i] = value
                break
            step = min(x[i] / (x[i] - value) if x[i] > 0 else 0 for i, value in zip(free, part) if value <= 0)
            for i, value in zip(free, part):
                x[i] += step * (value - x[i])
            free = [i for i in free if x[i] > 1e-12]
    return x


def fit_kernel(cases, weights, only):
    if only and cases[0].kernel[0] not in only:
        return None
    terms = [t for t in range(TERMS) if any(case.count[t] > 0 for case in cases)]
    if cases[0].kernel[0].startswith("tca"):
        terms = [t for t in terms if t < 8]
    least = [LEAST[t] if t in terms else 0 for t in range(TERMS)]
    shortest = min(case.seconds for case in cases)
    least[0] = max(least[0], SHORTEST * shortest if shortest < 10 else 0)
    scale = [sum(case.count[t] / case.seconds for case in cases) for t in terms]
    rates = None
    for _ in range(6):  # an error weighs by the geometric mean of the measured time and the fitted one
        square = [[0.0] * len(terms) for _ in terms]
        right = [0.0] * len(terms)
        for case, weight in zip(cases, weights):
            fitted = price(rates, case) if rates else case.seconds
            weight = weight * weight / max(fitted * case.seconds, 1e-9)
            rest = case.seconds - sum(c * l for c, l in zip(case.count, least))
            row = [case.count[t] / s for t, s in zip(terms, scale)]
            for i, x in enumerate(row):
                right[i] += weight * x * rest
                for j in range(i + 1):
                    square[i][j] += weight * x * row[j]
        for i in range(len(terms)):
            for j in range(i):
                square[j][i] = square[i][j]
        rates = list(least)
        for t, s, value in zip(terms, scale, solve_least(square, right)):
            rates[t] += value / s
    return rates


def price(rates, case):
    return sum(count * rate for count, rate in zip(case.count, rates)) if rates else case.price


class Choice:
    """What the cheapest kernels cost against the fastest, over all cases."""

    def __init__(self, table, groups, compared):
        self.ratios, self.misses, self.loss, self.slower = collections.defaultdict(list), [], 0, 0
        for key, cases in groups.items():
            cases = [case for case in cases if not case.kernel[0].startswith("tca") and case.kernel in table]
            fastest = min(cases, key=lambda case: case.seconds)
            chosen = min(cases, key=lambda case: (price(table[case.kernel], case), case.family[1] == "3xtf32"))
            ratio = chosen.seconds / fastest.seconds
            self.ratios[key[2]].append(ratio)
            other = compared.get(key, math.inf)
            is_late = fastest.seconds <= other < chosen.seconds
            self.slower += other < chosen.seconds
            self.misses.append((ratio, key, chosen, fastest, is_late))
            self.loss += chosen.share * (math.log(ratio) + (0.05 if ratio > 1.1 else 0) + (0.15 if is_late else 0))

    def print(self):
        for precision, ratios in self.ratios.items():
            print(f"{precision}: cheapest / fastest {math.exp(sum(map(math.log, ratios)) / len(ratios)):.4f} "
                  f"({len(ratios)} cases)")
        print(f"slower than cuSPARSE: {self.slower}")
        for ratio, key, chosen, fastest, _ in sorted(self.misses, key=lambda miss: -miss[0]):
            if ratio > 1.1:
                print(f"  {'/'.join(key)}: {'/'.join(chosen.family)} {chosen.seconds} us, {'/'.join(fastest.family)} "
                      f"{fastest.seconds} us")


def fit(cases, rounds, compared, only):
    groups, kernels = collections.defaultdict(list), collections.defaultdict(list)
    for number, case in enumerate(cases):
        groups[case.key].append(case)
        kernels[case.kernel].append(number)
    fastest = {key: min(c.seconds for c in group) for key, group in groups.items()}
    variants = collections.Counter((case.key, case.kernel) for case in cases)
    weights = [case.share * fastest[case.key] / case.seconds / math.sqrt(variants[case.key, case.kernel])
               for case in cases]
    number_of = {id(case): number for number, case in enumerate(cases)}
    table, stale, best = {}, set(kernels), None
    for _ in range(rounds):
        for kernel in stale:
            numbers = kernels[kernel]
            table[kernel] = fit_kernel([cases[k] for k in numbers], [weights[k] for k in numbers], only)
        choice, stale = Choice(table, groups, compared), set()
        if best is None or choice.loss < best[0]:
            best = choice.loss, dict(table)
        for ratio, _, chosen, right, is_late in choice.misses:
            if ratio > 1.02 or is_late:
                for case in (chosen, right):
                    weights[number_of[id(case)]] *= (1 + 0.5 * case.share * (2 if is_late else 1)
                                                     * min(1, max(0.3, (ratio - 1) / 0.1)))
                    stale.add(case.kernel)
    return best[1], groups


def print_table(table):
    last = None
    table = {kernel: rates for kernel, rates in table.items() if rates}
    for kernel in sorted(table, key=lambda k: ((FAMILIES + [k[0]]).index(k[0]), -k[2], "SHORT SINGLE TF32 THREE FULL DOUBLE"
                                               .split().index(k[1]))):
        rates = ", ".join(f"{float(f'{rate:.4g}'):.10g}" for rate in table[kernel])
        if kernel[0] != last:
            print(f"{kernel[0]}:")
        last = kernel[0]
        precisions = {"THREE": "3XTF32"}.get(kernel[1], kernel[1])
        kind = KINDS[kernel[0]][kernel[2]] if kernel[0] in KINDS else kernel[2]
        print(f"    {{SPMM_OF_{precisions}, {kind}, {{{rates}}}}},")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--other", action="append", default=[])
    parser.add_argument("--small", action="append", default=[])
    parser.add_argument("file", nargs="+")
    arguments = parser.parse_args()
    cases, compared = [], {}
    for paths, share in (arguments.other, 1), (arguments.file, 2), (arguments.small, 1 / 2):
        more, times = read_cases(paths, share)
        cases += more
        compared.update(times)
    if not cases:
        parser.error("no counts and times in there: bench_gpu_spmm -a -k chosen,families")
    only = arguments.only.split(",") if arguments.only else []
    table, groups = fit(cases, arguments.rounds, compared, only)
    print_table(table)
    Choice(table, groups, compared).print()
    for matrix in sorted({case.key[0] for case in cases}) if arguments.check else []:
        others, _ = fit([case for case in cases if case.key[0] != matrix], arguments.rounds, compared, only)
        print(f"{matrix} by the others:")
        Choice(others, {key: group for key, group in groups.items() if key[0] == matrix}, compared).print()


if __name__ == "__main__":
    main()
