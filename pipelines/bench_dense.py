#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Dense permanents: our kernels beside The Walrus, on the same matrices in the same run.

bench_dense.py PROGRAM [N...]     PROGRAM is pipelines/bench_dense; default n = 22 24 26 28 30

Uniform [0, 1) entries, seeded. A unit is one (row, subset) pair, n 2^(n-1) of them. One core each, processor
seconds. The Walrus (pip install thewalrus) is timed up to n = 26, in the same formula (bbfg), after its compilation.
"""
import os
import random
import subprocess
import sys
import time

os.environ.setdefault("NUMBA_NUM_THREADS", "1")
try:
    import numpy
    import thewalrus
except ImportError:
    thewalrus = None
LARGEST_WALRUS = 26


def draw(n, field):
    source = random.Random(n)
    parts = 2 if field == "complex" else 1
    return [[source.random() for _ in range(parts)] for _ in range(n * n)]


def run_ours(program, n, field, entries):
    text = f"{n} {field}\n" + "\n".join(" ".join(repr(part) for part in entry) for entry in entries)
    output = subprocess.run([program], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in output.splitlines():
        name, seconds, unit, value, bound = line.split("\t")
        yield name, float(seconds), float(unit), complex(*map(float, value.split())), float(bound)


def run_walrus(n, field, entries):
    values = [complex(*entry) if field == "complex" else entry[0] for entry in entries]
    matrix = numpy.array(values).reshape(n, n).T
    thewalrus.perm(matrix[:4, :4].copy(), method="bbfg")
    least = float("inf")
    for _ in range(2):
        start = time.process_time()
        value = thewalrus.perm(matrix, method="bbfg")
        least = min(least, time.process_time() - start)
    return least, complex(value)


def main():
    program = sys.argv[1]
    orders = [int(word) for word in sys.argv[2:]] or [22, 24, 26, 28, 30]
    print("field\tn\tkernel\tseconds\tns/unit\tbound\tWalrus/ours\tdifference")
    for field in ("real", "complex"):
        for n in orders:
            entries = draw(n, field)
            peer = None
            if thewalrus is not None and n <= LARGEST_WALRUS:
                peer, peer_value = run_walrus(n, field, entries)
                print(field, n, "The Walrus", f"{peer:.4f}", f"{1e9 * peer / n / 2 ** (n - 1):.4f}", sep="\t")
            for name, seconds, unit, value, bound in run_ours(program, n, field, entries):
                columns = [field, n, name, f"{seconds:.4f}", f"{unit:.4f}", f"{bound:.1e}"]
                if peer is not None:
                    columns += [f"{peer / seconds:.0f}", f"{abs(value - peer_value) / abs(value):.1e}"]
                print(*columns, sep="\t", flush=True)


main()
