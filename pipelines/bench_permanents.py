# SPDX-License-Identifier: BSD-3-Clause
"""perm-gpu on the real matrices of the papers, on one core, beside the published times of their GPUs: SUperman on an
H200 (its table 5, with the number of submatrices) and generated kernels on an A100 (Elbek and Kaya, table IV).

bench_permanents.py [NAME...]     default: all whose files are in tests/data or $MMPIPE_SHARED/data/matrices

Processor seconds of the whole program, least of three runs. "terms" are states of a frontier or subsets of a sum.
"""
import json
import os
import sys

import bench

published = {  # SUperman: submatrices, seconds; generated kernels: seconds
    "bcspwr02": (1, 0.40, 1317.42),
    "d_ss": (1, 0.92, 21448.17),
    "curtis54": (143219, 1362.92, 47841.18),
    "will57": (6834, 65.89, None),
    "impcol_b": (19, 0.42, None),
    "dwt_59": (162192, 1575.81, None),
    "bfwb62": (9, 0.47, None),
    "ww_36_pmec_36": (11, 0.42, None),
    "west0067": (2533556, 25093.45, None),
    "CAG_mat72": (6, 0.40, None),
    "steam3": (90, 1.64, None),
    "mycielskian6": (None, None, 477.75),
    "mesh1e1": (None, None, 860.19),
    "bcsstk01": (None, None, 882.94),
}
here = os.path.dirname(os.path.abspath(__file__))
folders = [os.path.join(here, "..", "tests", "data"),
           os.path.join(os.environ.get("MMPIPE_SHARED", os.path.join(here, "..", "..", "shared")), "data", "matrices")]


def find(name):
    paths = [os.path.join(folder, name + ".mtx") for folder in folders]
    return next(filter(os.path.exists, paths), None)


rows = [("matrix", "n", "nnz", "method", "terms", "permanent", "bound", "seconds", "SUperman", "submatrices", "codegen",
         "best/ours")]
missing = []
for name in sys.argv[1:] or published:
    path = find(name)
    if path is None:
        missing.append(name)
        continue
    submatrices, superman, generated = published.get(name, (None, None, None))
    seconds, _, output = bench.run(f"perm-gpu -q -j1 --device cpu --json {path}", runs=3)
    answer = json.loads(output)
    value = answer["permanent"] if len(answer["permanent"]) < 24 else answer["permanent"][:8] + "…"
    best = min(filter(None, (superman, generated)), default=None)
    rows.append((name, answer["n"], answer["nnz"], answer["method"], f"{answer['states'] + answer['subsets']:.3g}",
                 value, answer["error_bound"], f"{seconds:.3f}",
                 *("-" if number is None else number for number in (superman, submatrices, generated)),
                 "-" if best is None else f"{best / seconds:.0f}"))
bench.table("Real matrices on one core, beside published times on GPUs (seconds)", rows)
if missing:
    print("no file of", ", ".join(missing))
