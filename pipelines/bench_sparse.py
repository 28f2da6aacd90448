#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sparse permanents: the kernels over tables beside the plain sparse kernel, on the same matrices in the same run.

bench_sparse.py PROGRAM FOLDER [N...]     PROGRAM is pipelines/bench_sparse; default n = 30 32 34 36

Seeded Erdős–Rényi matrices with a full diagonal, uniform [0, 1) values. One core, processor seconds. The plain kernel
(a subset after the other, with products kept by levels) is timed up to n = 32. "op/subset" is what the plan predicts,
"op/ns" what that comes to, the same for every matrix if the operations are a good model of the time; a core with two 512-bit pipes does 16 a cycle at most.
"""
import os
import random
import subprocess
import sys

LARGEST_PLAIN = 32


def write_matrix(path, n, density):
    source = random.Random(f"{n} {density}")
    entries = [(i, j, source.random()) for i in range(n) for j in range(n) if source.random() < density or i == j]
    with open(path, "w") as file:
        print(f"%%MatrixMarket matrix coordinate real general\n{n} {n} {len(entries)}", file=file)
        for i, j, value in entries:
            print(i + 1, j + 1, repr(value), file=file)


def run(program, kernel, path):
    output = subprocess.run([program, kernel, path], stdout=subprocess.PIPE, text=True, check=True).stdout
    return output.rstrip().split("\t")[1:]


def main():
    program, folder = sys.argv[1:3]
    orders = [int(word) for word in sys.argv[3:]] or [30, 32, 34, 36]
    isa = "avx512" if "avx512f" in open("/proc/cpuinfo").read() else "avx2"
    best = f"sparse-{isa}"
    print("n\tp\tkernel\tlow\top/subset\tsearch\tseconds\tns/subset\top/ns\tbound\tplain/ours")
    for n in orders:
        for density in (0.1, 0.2, 0.3, 0.4, 0.5):
            path = os.path.join(folder, f"er-{n}-{density}.mtx")
            write_matrix(path, n, density)
            plain = run(program, f"sparse-gray-{isa}", path) if n <= LARGEST_PLAIN else None
            for row in filter(None, (plain, run(program, best, path))):
                kernel, low, operations, search, seconds, per_subset, rate, _, bound = row
                ratio = [] if plain is None or row is plain else [f"{float(plain[5]) / float(per_subset):.0f}"]
                print(n, density, kernel, low, operations, search, seconds, per_subset, rate, bound, *ratio,
                      sep="\t", flush=True)


main()
