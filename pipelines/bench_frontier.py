# SPDX-License-Identifier: BSD-3-Clause
"""Frontier dynamic programming: transitions a second on one core, as perm-gpu counts them.

bench_frontier.py FOLDER
"""
import json
import os
import sys

import bench

data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "data")
files = [os.path.join(data, name + ".mtx")
         for name in ("curtis54", "mycielskian6", "bfwb62", "ash85", "bcspwr03", "cage5")]
files.append(bench.make_matrix(sys.argv[1], "er43.mtx", "er 43 -p 0.1 --seed 143 --diagonal"))
files.append(bench.make_matrix(sys.argv[1], "er43-integer.mtx",
                               "er 43 -p 0.1 --seed 143 --diagonal --field integer --values int:1:9"))

rows = [("", "field", "n", "method", "transitions", "seconds", "million/s", "MiB")]
for path in files:
    best = None
    for _ in range(3):
        _, resident, output = bench.run(f"perm-gpu --device cpu -j1 --json {path}", runs=1)
        answer = json.loads(output)
        if best is None or answer["seconds"] < best["seconds"]:
            best = answer
    transitions = int(best["transitions"])
    rows.append((os.path.basename(path), best["field"], best["n"], best["method"], transitions,
                 f"{best['seconds']:.4f}", f"{transitions / best['seconds'] / 1e6:.1f}", resident >> 20))
bench.table("Frontier transitions on one core (seconds include ordering and reductions)", rows)
