"""The planner's estimates beside the truth: every method that perm-gpu lists for a matrix and expects to be neither
too short to time nor too long to wait for, on one core: processor time without that for planning, which is what a
run takes that refuses to compute. The last line is the largest ratio, either way.

bench_planner.py FOLDER [LEAST MOST]     seconds, default 0.05 3
"""
import os
import re
import sys

import bench

folder = sys.argv[1]
least, most = (float(word) for word in sys.argv[2:4] or ("0.05", "3"))
data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data")
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
paths += [(name, os.path.join(data, name + ".mtx")) for name in ("curtis54", "mycielskian6", "cage5")]


def candidates(path):
    """The methods listed for the largest block, with their estimates."""
    _, _, output = bench.run(f"perm-gpu -q -j1 --kernel list {path}", runs=1)
    best = {}
    for name, seconds in re.findall(r"^ +([a-z][a-z0-9-]*) +([0-9.e+-]+) s ", output.decode(), re.M):
        best[name] = best.get(name, 0) + float(seconds)
    return best


rows = [("matrix", "method", "estimate", "seconds", "ratio")]
worst = 1
for name, path in paths:
    for method, estimate in candidates(path).items():
        # "frontier" may need a second attempt with more digits, which is not its estimate.
        if not least <= estimate <= most or method == "frontier":
            continue
        command = f"perm-gpu -q -j1 --kernel {method} {path}"
        seconds, _, _ = bench.run(command, runs=2)
        planning, _, _ = bench.run(command + " --max-time 1e-9 2>/dev/null", runs=2, check=False)
        seconds = max(seconds - planning, 1e-3)
        rows.append((name, method, f"{estimate:.3g}", f"{seconds:.3g}", f"{estimate / seconds:.2f}"))
        worst = max(worst, estimate / seconds, seconds / estimate)
bench.table("The planner's estimates, one core", rows)
print(f"largest ratio: {worst:.2f}")
