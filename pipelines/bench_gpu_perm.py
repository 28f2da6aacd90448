# SPDX-License-Identifier: BSD-3-Clause
"""perm-gpu on GPUs: seconds of the whole program, from its start to its end, the least of two runs, of long ones one,
beside published or measured times of other programs.

bench_gpu_perm.py FOLDER [SECTION...]     sections: dense sparse frontier exact many terms devices precision; under eight minutes

Others: SUperman (Elbek, Tasyaran, Ucar, Kaya) on an H200, plain and with Kahan's summation, its generated kernels
with the time of their compilation, and on an A100 those of Elbek and Kaya, table III and, of other random matrices of
order 48, 742 s.
"""
import functools
import json
import math
import os
import random
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction

import bench

folder = sys.argv[1]
started = time.perf_counter()
sections = sys.argv[2:] or ["dense", "sparse", "frontier", "exact", "many", "terms", "devices", "precision"]
MATRICES = os.path.join(os.environ.get("MMPIPE_SHARED", "../shared"), "data", "matrices")
os.environ["MMPIPE_CACHE"] = os.path.join(folder, "cache")


def write(name, n, entries, parts=1):
    """A coordinate file of (row, column, numbers...)."""
    path = os.path.join(folder, name + ".mtx")
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate {'complex' if parts == 2 else 'real'} general\n"
                   f"% name: {name}\n{n} {n} {len(entries)}\n")
        for row, column, *numbers in entries:
            file.write(f"{row + 1} {column + 1} {' '.join(f'{number:.17g}' for number in numbers)}\n")
    return path


def full(n, seed, parts=1):
    """All entries uniform in [0, 1)."""
    draw = random.Random(seed)
    entries = [(row, column, *(draw.random() for _ in range(parts))) for row in range(n) for column in range(n)]
    return write(f"{'complex' if parts == 2 else 'dense'}-{n}", n, entries, parts)


def scattered(n, share, seed):
    """Each entry with that probability, the diagonal always."""
    draw = random.Random(seed)
    places = [(row, column) for row in range(n) for column in range(n) if draw.random() < share or row == column]
    return write(f"er-{n}-{share}-{seed}", n, [(*place, draw.random()) for place in places])


@functools.cache
def measure(path, options="", runs=2):
    """(least seconds, the answer); what takes long is not run again"""
    least, answer = math.inf, {}
    for run in range(runs):
        if run > 0 and least > 3:
            break
        start = time.perf_counter()
        output = subprocess.run(f"perm-gpu -q --json {options} {path}", shell=True, capture_output=True)
        if output.returncode != 0:
            print(output.stderr.decode().strip(), flush=True)
            return math.nan, {"method": "-", "permanent": "nan", "error_bound": "nan"}
        least = min(least, time.perf_counter() - start)
        answer = json.loads(output.stdout.splitlines()[-1])
    return least, answer


def compare(title, cases):
    """Cases: (label, path, options, name of the other, its seconds)."""
    rows = [("matrix", "method", "permanent", "bound", "seconds", "other", "seconds", "ratio")]
    for label, path, options, other, seconds in cases:
        ours, answer = measure(path, options)
        rows.append((label, answer["method"], answer["permanent"], answer["error_bound"], f"{ours:.2f}", other,
                     "-" if seconds is None else seconds, "-" if seconds is None else f"{seconds / ours:.1f}"))
    bench.table(title, rows)


if "dense" in sections:
    compare("Dense, doubles with a bound", [
        ("real, n=36", full(36, 2), "", "-", None),
        ("real, n=40", full(40, 2), "", "SUperman", 4.11),
        ("real, n=40", full(40, 2), "", "SUperman, Kahan", 4.21),
        ("real, n=40", full(40, 2), "--kernel dense-cuda", "-", None),
        ("real, n=40", full(40, 2), "--kernel dense-tensor-cuda", "-", None),
        ("complex, n=36", full(36, 2, 2), "", "-", None),
    ])

if "sparse" in sections:
    published = {(40, 0.1): 3.18, (40, 0.3): 4.77, (40, 0.5): 6.51, (45, 0.1): 92.06, (45, 0.3): 155.28,
                 (45, 0.5): 251.07}
    compare("Sparse (Erdos-Renyi), compilation included where code is generated", [
        ("n=43, 0.1", scattered(43, 0.1, 143), "", "SUperman", 22 + 1.2),
        ("n=43, 0.3", scattered(43, 0.3, 343), "", "SUperman", 21 + 19.6),
        ("n=43, 0.5", scattered(43, 0.5, 543), "", "SUperman", 19 + 27.7),
    ] + [(f"n={n}, {share}", scattered(n, share, 7), "", "A100, hybrid", seconds)
         for (n, share), seconds in published.items()])
    rows = [("n=40", "sparse-cuda", "register-cuda", "hybrid-cuda")]
    for share in (0.2, 0.4):
        path = scattered(40, share, 7)
        rows.append((f"p={share}", *(f"{measure(path, '--kernel ' + kernel)[0]:.2f}" for kernel in rows[0][1:])))
    bench.table("Seconds of the generated kernels, whole program", rows)

if "exact" in sections:
    rows = [("entries 0 and 1, half of each", "sieve-cuda", "exact-cuda", "dense-cuda", "ratio")]
    for n in (36, 38, 40):
        path = os.path.join(folder, f"ones-{n}.mtx")
        bench.run(f"mm-gen er {n} -p 0.5 --field pattern --diagonal --seed 1 -o {path}", runs=1)
        sieve, exact, double = (measure(path, f"--raw --kernel {kernel}")[0] for kernel in rows[0][1:4])
        rows.append((f"n={n}", f"{sieve:.2f}", f"{exact:.2f}", f"{double:.2f}", f"{sieve / double:.2f}"))
    bench.table("Exact integers beside doubles, seconds", rows)

if "frontier" in sections:
    cases = [("bcsstk01", os.path.join(MATRICES, "bcsstk01.mtx"), 883)]
    cases = [case for case in cases if os.path.exists(case[1])]
    cases += [(f"n=48, 0.1, seed {seed}", scattered(48, 0.1, seed), 742) for seed in (141, 142, 144)]
    # Where the tables, 234 GiB, outgrow the device, sums are chosen.
    wide = ("n=48, 0.15", scattered(48, 0.15, 206), "", "-", None)
    compare("Frontier dynamic programming on the GPU, and what is chosen; one core of the prototype: bcsstk01 124 s",
            [(label, path, options, "A100, hybrid", other) for label, path, other in cases
             for options in ("--kernel frontier-cuda", "")] + [wide])


def elapsed(command):
    start = time.perf_counter()
    subprocess.run(command, shell=True, check=True)
    return time.perf_counter() - start


def stream(n, count):
    """Matrices cut from a pool of numbers."""
    draw = random.Random(n)
    pool = [f"{draw.random():.6f}" for _ in range(1 << 16)]
    path = os.path.join(folder, f"many-{n}-{count}.mtx")
    with open(path, "w") as file:
        for k in range(count):
            at = draw.randrange(len(pool) - n * n)
            numbers = "\n".join(pool[at:at + n * n])
            file.write(f"%%MatrixMarket matrix array real general\n% name: m{k}\n{n} {n}\n{numbers}\n")
    return path


# An addition and a multiplication for each pair of a row and a subset: what dense-cuda does on one H200.
UNITS = 8.0e12
PROCESSORS = len(os.sched_getaffinity(0))


def find_share(n, rate):
    """The part of a second that one H200 needs for so many dense sums of order n."""
    return min(rate * n * 2.0 ** (n - 1) / UNITS, 1)


if "many" in sections:
    rows = [("n", "matrices", "text, a second", "binary, a second", "of one H200", "as chosen", "processors alone", "ratio")]
    for n, count, fewer in ((10, 150000, 20000), (20, 60000, 2000), (24, 40000, 500), (30, 3000, 20)):
        path = stream(n, count)
        binary = path + ".bin"
        bench.run(f"mm-cat --form bin --level 0 -o {binary} {path}", runs=1)
        rates = [number / elapsed(f"perm-gpu -q -o /dev/null {options} {name}") for name, number, options in (
            (path, count, "--kernel dense-cuda"), (binary, count, "--kernel dense-cuda"), (binary, count, "--precision double"),
            (stream(n, fewer), fewer, "--kernel dense --device cpu"))]
        rows.append((n, count, *(f"{rate:.0f}" for rate in rates[:2]), f"{find_share(n, max(rates[:2])):.0%}",
                     f"{rates[2]:.0f}", f"{rates[3]:.0f}", f"{max(rates[:3]) / rates[3]:.1f}"))
        os.remove(path)
        os.remove(binary)
    bench.table(f"Many small permanents, the start of the GPU included, with {PROCESSORS} processors", rows)

if "terms" in sections:
    rows = [("terms of order 24", "terms", "seconds", "a second", "of one H200")]
    for name, make, count in (
            ("bfwa62, mm-fmdecompose", f"mm-fmdecompose -q --round -d 4 -n 24 {MATRICES}/bfwa62.mtx", 705),
            ("like those of west0067", "mm-gen er 24 -p 0.25 --diagonal --field real --count 1000000", 1000000)):
        if "MATRICES" in make and not os.path.isdir(MATRICES):
            continue
        seconds = elapsed(f"{make} --form bin --level 0 | perm-gpu -q -o /dev/null")
        rows.append((name, count, f"{seconds:.1f}", f"{count / seconds:.0f}", f"{find_share(24, count / seconds):.0%}"))
    bench.table(f"A stream of terms, as chosen, those who make it included, with {PROCESSORS} processors", rows)

if "devices" in sections:
    path = full(42, 2)
    rows = [("devices", "seconds, n=42", "speed-up")]
    first = None
    for count in (1, 2, 4, 8):
        device = "cuda:" + ",".join(map(str, range(count)))
        seconds, _ = measure(path, f"--device {device}", runs=1)
        if math.isnan(seconds):
            break
        first = first or seconds
        rows.append((count, f"{seconds:.2f}", f"{first / seconds:.2f}"))
    bench.table("Several devices", rows)

def constant(n, a):
    """n! a^n, real and imaginary part, of the doubles nearest to those of a."""
    factor = [Fraction(*number.as_integer_ratio()) for number in (*a, 0.0)[:2]]
    value = [Fraction(math.factorial(n)), Fraction(0)]
    for _ in range(n):
        value = [value[0] * factor[0] - value[1] * factor[1], value[0] * factor[1] + value[1] * factor[0]]
    return value[:len(a)]


def find_error(texts, true):
    """Relative, of decimals beside fractions, and what the rounding to their digits may have of it."""
    size = math.sqrt(sum(number ** 2 for number in true))
    error = math.sqrt(sum((Fraction(text) - number) ** 2 for text, number in zip(texts, true)))
    last = [10.0 ** Decimal(text).as_tuple().exponent for text in texts]
    return error / size, math.hypot(*last) / 2 / size


# One more row takes so many times as long; a cell takes at most so many seconds.
ROW, MOST_SECONDS = 2.08, {"double": 115, "dd": 60}
# No cell is begun that would end later than this.
LAST = 420

if "precision" in sections:
    for title, a, orders in (("a=0.3+0.4i", (0.3, 0.4), (35, 36, 38)), ("a=0.3", (0.3,), (35, 38, 40, 42, 45))):
        rows = [(f"n! a^n, {title}", "double: error", "bound", "seconds", "dd: error", "bound", "seconds")]
        last = {"double": (0, 0), "dd": (0, 0)}
        for n in orders:
            path = write(f"constant-{len(a)}-{n}", n, [(row, column, *a) for row in range(n) for column in range(n)], len(a))
            cells = []
            for precision, kernel in (("double", "dense-pairs-cuda" if len(a) == 1 else "dense-cuda"), ("dd", "dd-cuda")):
                before, seconds = last[precision]
                expected = seconds * ROW ** (n - before)
                if expected > MOST_SECONDS[precision] or time.perf_counter() - started + expected > LAST:
                    cells += ["-"] * 3
                    continue
                seconds, answer = measure(path, f"--raw --precision {precision} --kernel {kernel}", runs=1)
                if math.isnan(seconds):
                    cells += ["-"] * 3
                    continue
                texts = answer["permanent"].split()
                error, rounding = find_error(texts, constant(n, a))
                bound = float(answer["error_bound"]) / math.hypot(*map(float, texts))
                cells += [f"{error:.1e}", f"{bound:.1e}" if error <= bound + rounding else f"{bound:.1e} BROKEN", f"{seconds:.2f}"]
                last[precision] = n, seconds
            rows.append((f"n={n}", *cells))
        bench.table("Accuracy (relative; the digits printed are those the bound vouches for)", rows)

print(f"{time.perf_counter() - started:.0f} seconds in all")
