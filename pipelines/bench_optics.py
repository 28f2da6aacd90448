#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Boson sampling: perm-gpu beside The Walrus and Piquasso, on the same corners of Haar-random unitary matrices.

bench_optics.py FOLDER [N...]     default: n = 10 16 20 24

The matrix is the n x n corner of mm-gen unitary 2n. Each row is one permanent, on one core and on all: for ours the
whole program (start, reading, printing) and the seconds inside that --json tells; for the others one call of their
library in a process that has made a call before. Wall seconds, least of at most three runs within two seconds.
perm-gpu without options goes on until twelve digits are sure; --precision double computes once, as the others do.
Ratios are to --precision double; above 1, ours is faster. Digits are those that agree with perm-gpu --precision
mpfr:256.
Peers: pip install thewalrus piquasso. One that is missing is left out, with the reason.
"""
import json
import math
import os
import subprocess
import sys
import time
from decimal import Decimal, getcontext

import bench

CALL = {
    "The Walrus": "from thewalrus import perm\n"
                  "def call(a): return perm(a, method='bbfg')",
    "Piquasso": "import piquasso\nconnector = piquasso.NumpyConnector()\n"
                "def call(a): return connector.permanent(a, *2 * [numpy.ones(len(a), dtype=int)])",
}
CHILD = """
import sys, time, numpy
{call}
lines = [line.split() for line in open(sys.argv[1]) if not line.startswith("%")]
n = int(lines[0][0])
matrix = numpy.array([complex(*map(float, parts)) for parts in lines[1:]]).reshape(n, n).T.copy()
if len(lines[1]) == 1:
    matrix = matrix.real.copy()
call(matrix[:4, :4].copy())
seconds = []
while len(seconds) < 3 and sum(seconds) < 2:
    start = time.perf_counter()
    value = complex(call(matrix))
    seconds.append(time.perf_counter() - start)
print(min(seconds), repr(value.real), repr(value.imag))
"""


def ours(path, threads, *options):
    """Whole seconds, seconds inside, real and imaginary part, method."""
    whole, inside = [], []
    while len(whole) < 3 and sum(whole) < 2:
        start = time.perf_counter()
        output = subprocess.run(["perm-gpu", "-q", "--device", "cpu", "--json", f"-j{threads}", *options, path],
                                stdout=subprocess.PIPE, check=True, text=True).stdout
        whole.append(time.perf_counter() - start)
        answer = json.loads(output)
        inside.append(answer["seconds"])
    return min(whole), min(inside), answer["permanent"].split(), answer["method"]


def peer(name, path, threads):
    """Seconds of one call and the value; a text in place of them says why there are none."""
    count = str(threads)
    environment = dict(os.environ, NUMBA_NUM_THREADS=count, OMP_NUM_THREADS=count, OPENBLAS_NUM_THREADS=count)
    run = subprocess.run([sys.executable, "-c", CHILD.format(call=CALL[name]), path], env=environment, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if run.returncode != 0:
        return (run.stderr.strip().splitlines() or ["it ended without a message"])[-1]
    seconds, *value = run.stdout.split()
    return float(seconds), value


def digits(value, exact):
    """Decimal digits that agree, of a complex number by its absolute value."""
    parts = [(Decimal(a), Decimal(b)) for a, b in zip(value, exact)]
    off = sum((a - b) ** 2 for a, b in parts).sqrt()
    size = sum(b ** 2 for _, b in parts).sqrt()
    return "all" if off == 0 else f"{-math.log10(off / size):.1f}"


def main():
    getcontext().prec = 100
    folder = sys.argv[1]
    rows = [("n", "cores", "program", "method", "seconds", "inside", "theirs/whole", "theirs/inside", "digits")]
    missing = {}
    for n in [int(word) for word in sys.argv[2:]] or [10, 16, 20, 24]:
        path = os.path.join(folder, f"haar{n}.mtx")
        unitary = bench.make_matrix(folder, f"unitary{2 * n}.mtx", f"unitary {2 * n} --seed {n}")
        subprocess.run(["mm-cat", "--rows", f"1:{n}", "--cols", f"1:{n}", "-o", path, unitary], check=True)
        exact = ours(path, os.cpu_count(), "--precision", "mpfr:256", "--kernel", "mpfr")[2]
        for threads in sorted({1, os.cpu_count()}):
            for options in [], ["--precision", "double"]:
                whole, inside, value, method = ours(path, threads, *options)
                rows.append((n, threads, " ".join(["perm-gpu", *options]), method, f"{whole:.5f}", f"{inside:.5f}",
                             "", "", digits(value, exact)))
            for name in CALL:
                found = missing.get(name) or peer(name, path, threads)
                if isinstance(found, str):
                    missing[name] = found
                    continue
                seconds, value = found
                rows.append((n, threads, name, "", f"{seconds:.5f}", "", f"{seconds / whole:.2f}",
                             f"{seconds / inside:.2f}", digits(value, exact)))
    bench.table(f"Permanents of corners of Haar unitaries, {os.cpu_count()} cores (wall seconds)", rows)
    for name, reason in missing.items():
        print(f"{name} is left out: {reason}")


if __name__ == "__main__":
    main()
