# SPDX-License-Identifier: BSD-3-Clause
"""The planner's estimates beside the truth, on one core: the processor time of the method itself, which perm-gpu -v
tells, the least of two runs at different times. Two tables: about a hundred matrices, each by the method that is chosen
for it, with the number of estimates that are within a factor of 1.3; then every method that is expected to be neither
too short to time nor too long to wait for, of fewer matrices. Where a frontier in doubles leaves too few digits, and is
computed again, the estimate is that of both computations.

bench_planner.py FOLDER [LEAST MOST]     seconds, default 0.05 3
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys

import bench

folder = sys.argv[1]
least, most = (float(word) for word in sys.argv[2:4] or ("0.05", "3"))
here = os.path.dirname(os.path.abspath(__file__))
data = os.path.join(here, "..", "tests", "data")
# Calibrated anew, by this run.
os.environ["MMPIPE_CACHE"] = os.path.join(folder, "plan-cache")
GOOD = 1.3
RUNS = 2

# Options of mm-gen, and how many seeds.
families = {
    "circulant": [(f"circulant {n} --offsets {offsets} --field {field}", 1) for n, offsets, field in (
        (36, "0,1,3,7,12", "integer"), (40, "0,1,3,7,12", "pattern"), (36, "0,1,3,7,12", "complex"),
        (30, "0,2,3,7,11,19", "real"), (32, "0,2,3,7,11,19", "pattern"), (34, "0,2,3,7,11,19", "pattern"),
        (34, "0,2,3,7,11,19", "real"), (40, "0,1,4,9,15", "pattern"), (42, "0,1,4,9,15", "real"),
        (31, "0,1,3,4,7,9,12,16,20,23", "pattern"), (31, "1,2,4,8,16,5,10,20,9,18", "real"), (44, "0,1,5,11,17", "real"))],
    "er": [(f"er {n} -p {p} --diagonal --field {field} {more}", seeds) for n, p, field, more, seeds in (
        (36, 0.15, "pattern", "", 2), (40, 0.12, "pattern", "", 2), (30, 0.25, "pattern", "", 2), (32, 0.2, "pattern", "", 2),
        (34, 0.2, "integer", "--values int:-9:9", 2), (30, 0.3, "integer", "--values int:1:99", 2),
        (28, 0.5, "integer", "--values int:-3:3", 1), (36, 0.18, "integer", "--values pm1", 1), (48, 0.08, "pattern", "", 1),
        (36, 0.15, "real", "", 2), (36, 0.2, "real", "", 2), (34, 0.3, "real", "", 2), (30, 0.5, "real", "", 2),
        (46, 0.1, "real", "", 2), (40, 0.12, "real", "", 1), (28, 0.8, "real", "", 1),
        (34, 0.3, "real", "--values uniform:-1:1", 2), (29, 0.6, "real", "--values uniform:-1:1", 2),
        (40, 0.15, "real", "--values uniform:-1:1", 2), (44, 0.12, "real", "--values uniform:-1:1", 1),
        (26, 0.6, "complex", "", 2), (36, 0.15, "complex", "", 2), (34, 0.2, "complex", "", 2), (30, 0.4, "complex", "", 2))],
    "band": [(f"band {n} --bandwidth {width} -p {p} --diagonal --field {field} {more}", seeds)
             for n, width, p, field, more, seeds in (
        (40, "10:10", 0.9, "pattern", "", 1), (60, "11:11", 0.8, "pattern", "", 1), (80, "9:9", 0.9, "integer", "--values int:-9:9", 2),
        (150, "9:9", 0.9, "real", "", 2), (40, "11:11", 0.7, "real", "", 2), (80, "10:10", 0.9, "real", "", 2),
        (300, "8:8", 0.9, "integer", "--values int:0:9", 1), (100, "5:15", 0.9, "pattern", "", 1), (60, "10:10", 0.9, "complex", "", 1))],
    "dense": [(f"dense {n} {more}", 1) for n, more in (
        (27, ""), (28, ""), (29, ""), (30, ""), (31, ""), (27, "--values uniform:-1:1"), (28, "--values uniform:-1:1"),
        (29, "--values uniform:-1:1"), (30, "--values uniform:-1:1"), (25, "--field complex"), (26, "--field complex"),
        (27, "--field complex"), (28, "--field complex"), (24, "--field integer --values int:-9:9"),
        (25, "--field integer --values int:0:99"), (22, "--field integer --values int:-9000000:9000000"),
        (29, "--field integer --values pm1"), (27, "--field integer --values int:0:1"))],
}


def corners():
    """Corners of random unitary matrices."""
    for seed, n in enumerate((25, 25, 25, 26, 26, 26, 27, 27, 27, 28), 1):
        path = os.path.join(folder, f"plan-corner-{n}-{seed}.mtx")
        if not os.path.exists(path):
            bench.run(f"mm-gen unitary {12 * n} --seed {seed} | mm-cat --rows 1:{n} --cols 1:{n} -o {shlex.quote(path)}",
                      runs=1)
        yield path


def chosen_matrices():
    for all_options in families.values():
        for options, seeds in all_options:
            for seed in range(1, seeds + 1):
                name = re.sub(r"-+", "-", re.sub(r"[^a-z0-9.:,]+", "-", f"plan-{options}-{seed}")) + ".mtx"
                yield bench.make_matrix(folder, name, f"{options} --seed {seed}")
    yield from corners()
    shared = os.environ.get("MMPIPE_SHARED", os.path.join(here, "..", "..", "shared"))
    for path in sorted(glob.glob(os.path.join(data, "*.mtx")) + glob.glob(os.path.join(shared, "data", "matrices", "*.mtx"))):
        if os.path.getsize(path) < 30000:
            yield path


def listed(path):
    """The methods listed for each block, objects with a kernel, its price and whether it is chosen."""
    command = f"perm-gpu -q -k -j1 --device cpu --kernel list --json {shlex.quote(path)}"
    _, _, output = bench.run(command, runs=1, check=False)
    blocks = []
    for row in map(json.loads, output.decode().splitlines()):
        if row.get("note", "").startswith("block of order"):
            blocks.append([])
        elif row.get("price"):
            blocks[-1].append(row)
    return blocks


def run_method(path, method):
    """Processor seconds of a method for the block that takes most, and whether that was computed a second time."""
    command = ["perm-gpu", "-v", "-j1", "--device", "cpu", "--kernel", method, path]
    told = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    again, runs = False, []
    for line in told.stderr.splitlines():
        again = again or "leave too few digits, again" in line
        if took := re.search(r" took (\S+) s of processor time$", line):
            runs.append((max(float(took[1]), 1e-4), again))
            again = False
    return max(runs)


def measure(cases):
    """The seconds of (name, path, candidate), and the price of what was done for them."""
    took = [(float("inf"), False)] * len(cases)
    for _ in range(RUNS):
        took = [min(before, run_method(path, candidate["kernel"]))
                for before, (_, path, candidate) in zip(took, cases)]
    return [(seconds, candidate["price"] + again * candidate["digits_seconds"])
            for (seconds, again), (_, _, candidate) in zip(took, cases)]


def calibrate():
    """How many times as long as priced this processor takes, after all runs."""
    path = bench.make_matrix(folder, "plan-calibration.mtx", "dense 20 --field real --seed 1")
    for _ in range(8):
        row = max((row for block in listed(path) for row in block), key=lambda row: row["price"])
    return row["seconds"] / row["price"]


def off(estimate, seconds):
    return max(estimate / seconds, seconds / estimate)


def print_table(title, cases):
    """Estimates as they are when the speed of the processor is known, which runs at the start measure too low."""
    measured, calibration = measure(cases), calibrate()
    rows, ratios = [("matrix", "method", "estimate", "seconds", "ratio")], []
    for (name, _, candidate), (seconds, price) in zip(cases, measured):
        estimate = price * calibration
        rows.append((name, candidate["kernel"], f"{estimate:.3g}", f"{seconds:.3g}", f"{estimate / seconds:.2f}"))
        ratios.append(off(estimate, seconds))
    bench.table(title, rows)
    print(f"processor: {calibration:.3g} times the price; within {GOOD}: {sum(ratio <= GOOD for ratio in ratios)} of"
          f" {len(ratios)}; worst {max(ratios):.2f}\n", flush=True)


def print_chosen():
    cases = []
    for path in chosen_matrices():
        chosen = [row for block in listed(path) for row in block if row["chosen"]]
        # Where one block counts, the method is known by name.
        if not chosen or max(row["seconds"] for row in chosen) < 0.9 * sum(row["seconds"] for row in chosen):
            continue
        candidate = max(chosen, key=lambda row: row["seconds"])
        if least <= candidate["seconds"] <= most:
            cases.append((os.path.basename(path).removesuffix(".mtx").removeprefix("plan-"), path, candidate))
    print_table("The planner's estimates of the methods that it chooses, one core", cases)


def print_all():
    matrices = [
        ("real", "dense 24 --field real --seed 1"),
        ("complex", "dense 21 --field complex --seed 2"),
        ("integer", "dense 23 --field integer --values int:-9:9 --seed 3"),
        ("wide integer", "dense 20 --field integer --values int:-9000000:9000000 --seed 4"),
        ("plus-minus", "dense 26 --field integer --values pm1 --seed 5"),
        ("ones and zeros", "er 27 -p 0.5 --diagonal --field pattern --seed 6"),
        ("sparse ones", "er 34 -p 0.15 --diagonal --field pattern --seed 7"),
        ("sparse real 0.1", "er 43 -p 0.1 --diagonal --field real --seed 143"),
        ("sparse real 0.2", "er 36 -p 0.2 --diagonal --field real --seed 8"),
        ("sparse real 0.3", "er 32 -p 0.3 --diagonal --field real --seed 9"),
        ("symmetric ones", "er 38 -p 0.2 --symmetry symmetric --field pattern --seed 11"),
        ("sparse complex", "er 30 -p 0.2 --diagonal --field complex --seed 10"),
    ]
    paths = [(name, bench.make_matrix(folder, f"plan-{number}.mtx", options))
             for number, (name, options) in enumerate(matrices)]
    cases = []
    for name, path in paths:
        # "frontier" may need a second attempt with more digits, and has names for each.
        cases += [(name, path, row) for row in max(listed(path), key=lambda block: block[0]["price"])
                  if least <= row["seconds"] <= most and row["kernel"] != "frontier"]
    print_table("The planner's estimates of all methods, one core", cases)


print_chosen()
print_all()
