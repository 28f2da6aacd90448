#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seconds that a known peer takes for what a case of a paper's table does; "not installed" where there is no such one.

paper_peer.py permanent thewalrus|piquasso FILE THREADS
paper_peer.py product scipy|torch|mkl|graphblas FILE THREADS PRECISION     128 columns
paper_peer.py reading fast_matrix_market FILE                              one thread

The peer runs in a process of its own that has made the call before; the time is the least of some calls (of products
the median). graphblas is SuiteSparse:GraphBLAS.
"""
import importlib.util
import os
import sys

import bench
import bench_optics
import bench_spmm

OPTICS = {"thewalrus": "The Walrus", "piquasso": "Piquasso"}
NEEDS = {"mkl": "scipy"}


def permanent(name, path, threads):
    answer = bench_optics.peer(OPTICS[name], path, int(threads))
    if isinstance(answer, str):
        raise SystemExit(answer)
    return answer[0]


def product(name, path, threads, precision):
    seconds = bench_spmm.peer_seconds(name, path, precision, int(threads))
    if seconds is None:
        return "one thread only" if name == "scipy" else "not installed"
    return seconds


def reading(name, path):
    import fast_matrix_market
    return bench.least_seconds(lambda: fast_matrix_market.read_coo(path, parallelism=1))[0]


def main():
    kind, name = sys.argv[1:3]
    if importlib.util.find_spec(NEEDS.get(name, name)) is None or (
            kind == "product" and importlib.util.find_spec("scipy") is None):
        print("not installed")
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    print({"permanent": permanent, "product": product, "reading": reading}[kind](name, *sys.argv[3:]))


if __name__ == "__main__":
    main()
