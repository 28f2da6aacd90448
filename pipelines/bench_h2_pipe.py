# SPDX-License-Identifier: BSD-3-Clause
"""h2-build | h2-orthog | h2-compress | h2-mv as whole programs: by files, in binary pipes, in resident ones.

bench_h2_pipe.py FOLDER DEVICE [LOG2_N...]     DEVICE: cpu, cuda or auto; files are made in the folder

Seconds of the clock from the start of the first program to the last byte, the least of RUNS (default: 2). The points are
a perturbed grid in the unit cube; rank 64, leaves of 64 points, tolerance 1e-3, 16 vectors. The product is not compressed,
as that of one program. With bench_h2_one in PATH the steps also run as one program on processors. FORMS chooses among
files, pipe, resident, one; THREADS: all by default.
"""
import os
import subprocess
import sys

import bench

folder, device = sys.argv[1:3]
sizes = [int(word) for word in sys.argv[3:]] or [15, 17]
runs = int(os.environ.get("RUNS", "2"))
forms = os.environ.get("FORMS", "files pipe resident one").split()
threads = os.environ.get("THREADS", str(os.cpu_count()))

STEPS = ("h2-build", "h2-orthog", "h2-compress --tol 1e-3", "h2-mv --random 16 --form bin --level 0")


def grid(log2):
    edges = [1, 1, 1]
    for bit in range(log2):
        edges[bit % 3] *= 2
    return "x".join(map(str, edges))


def by_files(points):
    """Seconds of each step."""
    source, seconds = points, []
    for number, step in enumerate(STEPS):
        target = os.path.join(folder, f"{number}.h2")
        seconds.append(bench.run_on_clock(f"{step} -j {threads} --device {device} {source} -o {target}", 1)[0])
        if source != points:
            os.remove(source)
        source = target
    os.remove(source)
    return seconds


def pipe(points, form):
    words = [f"{step} -j {threads} --device {device}" for step in STEPS]
    return bench.run_on_clock(f"export MMPIPE_FORM={form}; {words[0]} {points} | " + " | ".join(words[1:]) + " >/dev/null", runs)[0]


def one_program(points):
    return bench.run_on_clock(f"bench_h2_one {threads} 1e-3 16 {points} >/dev/null 2>&1", runs)[0]


rows = [("points", "build", "orthogonalize", "compress", "multiply", "by files", "binary pipe", "resident", "one program")]
for log2 in sizes:
    points = bench.make_matrix(folder, f"points-{log2}", f"points --grid {grid(log2)} --perturb 0.4 --form bin")
    steps = min((by_files(points) for _ in range(runs)), key=sum) if "files" in forms else []
    cells = [f"{second:.2f}" for second in steps] + [f"{sum(steps):.2f}"] if steps else ["-"] * 5
    cells.append(f"{pipe(points, 'bin'):.2f}" if "pipe" in forms else "-")
    cells.append(f"{pipe(points, 'resident'):.2f}" if "resident" in forms else "-")
    is_one = "one" in forms and device == "cpu" and subprocess.run("command -v bench_h2_one >/dev/null", shell=True).returncode == 0
    cells.append(f"{one_program(points):.2f}" if is_one else "-")
    rows.append((f"2^{log2}", *cells))
    print(*rows[-1], file=sys.stderr, flush=True)
bench.table(f"H2 matrices from program to program, --device {device}, {threads} threads, seconds", rows)
