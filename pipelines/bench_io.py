# SPDX-License-Identifier: BSD-3-Clause
"""Reading and writing, in GB of text a second on one core, beside fast_matrix_market.

bench_io.py FOLDER     test files are made in the folder
"""
import os
import sys

import fast_matrix_market

import bench

folder = sys.argv[1]
SIZES = {
    "real coordinate": "er 200000 -p 0.00015 --values uniform",
    "integer coordinate": "er 200000 -p 0.0002 --field integer --values int:-999999:999999",
    "pattern coordinate": "er 300000 -p 0.0001 --field pattern",
    "real array": "dense 2000 --values uniform",
}


def rate(gigabytes, seconds):
    """GB/s; differences of a few milliseconds are noise."""
    return f"{gigabytes / seconds:.2f}" if seconds > 0.01 else "-"


rows = [("", "MB", "read", "fmm", "ratio", "write", "fmm", "ratio", "binary read", "binary write")]
for name, options in SIZES.items():
    text = bench.make_matrix(folder, name.replace(" ", "-") + ".mtx", options)
    binary = bench.make_matrix(folder, name.replace(" ", "-") + ".bin", options + " --form bin --level 0")
    size = os.path.getsize(text) / 1e9
    start, _, _ = bench.run("mm-cat --version", runs=5)
    read, _, _ = bench.run(f"mm-cat -j1 --check {text}")
    read_binary, _, _ = bench.run(f"mm-cat -j1 --check {binary}")
    write, _, _ = bench.run(f"mm-cat -j1 -o /dev/null {binary}")
    write_binary, _, _ = bench.run(f"mm-cat -j1 --form bin --level 0 -o /dev/null {binary}")
    reader = fast_matrix_market.read_array if "array" in name else fast_matrix_market.read_coo
    peer_read, matrix = bench.least_seconds(lambda: reader(text, parallelism=1))
    if "array" in name:
        peer_write, _ = bench.least_seconds(
            lambda: fast_matrix_market.write_array("/dev/null", matrix, parallelism=1))
    else:
        peer_write, _ = bench.least_seconds(
            lambda: fast_matrix_market.write_coo("/dev/null", *matrix, parallelism=1))
    # What a run takes beside the work in question: the start; for writing also reading the binary form.
    read, write, write_binary = read - start, write - read_binary, write_binary - read_binary
    array_bytes = os.path.getsize(binary) / 1e9
    rows.append((name, f"{size * 1e3:.0f}", f"{size / read:.2f}", f"{size / peer_read:.2f}",
                 f"{peer_read / read:.2f}", f"{size / write:.2f}", f"{size / peer_write:.2f}",
                 f"{peer_write / write:.2f}", rate(array_bytes, read_binary - start),
                 rate(array_bytes, write_binary)))
bench.table("Reading and writing, GB/s on one core (fmm: fast_matrix_market; ratio above 1: ours is faster)", rows)
