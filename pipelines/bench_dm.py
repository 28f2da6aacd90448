# SPDX-License-Identifier: BSD-3-Clause
"""The Dulmage-Mendelsohn decomposition beside CXSparse's cs_dmperm, in memory, and mm-dm as a whole.

bench_dm.py PROGRAM FOLDER     PROGRAM is pipelines/bench_dm; test files are made in the folder
"""
import glob
import math
import os
import shlex
import sys

import bench

program, folder = sys.argv[1:]
files = [bench.make_matrix(folder, "dm-er.mtx", "er 200000 -p 0.00002 --field pattern"),
         bench.make_matrix(folder, "dm-rmat.mtx", "rmat 131072 --field pattern"),
         bench.make_matrix(folder, "dm-stencil.mtx", "stencil 400x400")]
large = ["bayer10", "gemat11", "internet", "cora", "foldoc", "email-Enron", "bcsstk33", "Reuters911", "D6-6", "ch7-7-b5"]
matrices = os.path.join(os.environ.get("MMPIPE_SHARED", "../shared"), "data", "matrices")
files += [path for path in (os.path.join(matrices, name + ".mtx.zst") for name in large) if os.path.exists(path)]

_, _, output = bench.run(f"{program} {shlex.join(files)}", runs=1)
rows = [("", "rows", "columns", "entries", "ours s", "cs_dmperm s", "ratio", "mm-dm s")]
ratios = []
for path, line in zip(files, output.decode().splitlines()):
    cells = line.split("\t")
    ratios.append(float(cells[6]))
    whole, _, _ = bench.run(f"mm-dm -j1 --summary {shlex.quote(path)}")
    rows.append((*cells[:7], f"{whole:.3f}"))
    if len(cells) > 7:
        raise SystemExit(f"{cells[0]}: the decompositions differ")
mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
rows.append(("geometric mean", "", "", "", "", "", f"{mean:.2f}", ""))
bench.table("Dulmage-Mendelsohn on one core (ratio above 1: ours is faster; mm-dm s: with reading)", rows)

# All matrices at hand, small ones too, in one line.
files = sorted(glob.glob(os.path.join(matrices, "*.mtx")) + glob.glob(os.path.join(matrices, "*.mtx.zst")))
if files:
    _, _, output = bench.run(f"{program} {shlex.join(files)}", runs=1)
    lines = [line.split("\t") for line in output.decode().splitlines()]
    worst = min(lines, key=lambda cells: float(cells[6]))
    mean = math.exp(sum(math.log(float(cells[6])) for cells in lines) / len(lines))
    print(f"{len(lines)} matrices: geometric mean {mean:.2f}, worst {worst[6]} ({worst[0]}), "
          f"{sum(len(cells) > 7 for cells in lines)} different")
