# SPDX-License-Identifier: BSD-3-Clause
"""Binary formats of other programs, read and written on one core, in GB of the file a second of processor time,
beside write() of the same bytes to the same file system.

bench_formats.py FOLDER     files are made in the folder; one in memory, such as /dev/shm, leaves the disk out
"""
import mmap
import os
import sys

import bench

folder = sys.argv[1]
CASES = {"real": "er 1000000 -p 2e-5", "pattern": "er 1000000 -p 2e-5 --field pattern"}
FORMATS = ("binsparse", "npz", "mat")
RUNS = 5


def write_plainly(path, data):
    with open(path, "wb", buffering=0) as file:
        for start in range(0, len(data), 1 << 18):
            file.write(data[start:start + (1 << 18)])


def part(amount, seconds):
    """What a difference of two times tells, if it is more than noise."""
    return f"{amount / seconds:.2f}" if seconds > 0.01 else "-"


rows = [("", "MB", "read", "read and written", "written", "write()", "ratio")]
for name, options in CASES.items():
    binary = bench.make_matrix(folder, f"formats-{name}.bin", options + " --form bin --level 0")
    start, _, _ = bench.run("mm-cat --version", runs=5)
    for form in FORMATS:
        path, copy = (os.path.join(folder, f"formats-{name}{mark}.{form}") for mark in ("", "-again"))
        bench.run(f"mm-cat -q -j1 --to {form} -o {path} {binary}", runs=1)
        read, _, _ = bench.run(f"mm-cat -j1 --check {path}", runs=RUNS)
        both, _, _ = bench.run(f"mm-cat -q -j1 --to {form} -o {copy} {path}", runs=RUNS)
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as data:
            with memoryview(data) as view:
                plain, _ = bench.least_seconds(lambda: write_plainly(copy, view), runs=RUNS)
        size = os.path.getsize(path) / 1e9
        rows.append((f"{name}, {form}", f"{size * 1e3:.0f}", f"{size / (read - start):.2f}",
                     f"{size / (both - start):.2f}", part(size, both - read), f"{size / plain:.2f}",
                     part(plain, both - read)))
        os.remove(path)
        os.remove(copy)
bench.table("Formats of other programs, GB/s on one core (ratio 1: as fast as write() of the same bytes)", rows)
