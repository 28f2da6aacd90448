#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Seconds that a known peer takes for what a case of a paper's table does; "not installed" where there is no such one.

paper_peer.py permanent thewalrus|piquasso FILE THREADS
paper_peer.py product scipy|torch|mkl|graphblas|cholmod FILE THREADS PRECISION     128 columns
paper_peer.py reading fast_matrix_market|cholmod FILE                              one thread
paper_peer.py blocks cxsparse FILE         one thread; with reading by CHOLMOD; the blocks and the structural rank follow

The peer runs in a process of its own that has made the call before; the time is the least of some calls (of products
the median). graphblas is SuiteSparse:GraphBLAS; cholmod and cxsparse are SuiteSparse's libraries.
"""
import importlib.util
import os
import sys

import bench
import bench_optics
import bench_spmm
import suitesparse

OPTICS = {"thewalrus": "The Walrus", "piquasso": "Piquasso"}
# What else than its module a peer needs; names of libraries have "lib" before them.
NEEDS = {"mkl": ["scipy"], "torch": ["torch", "scipy"], "graphblas": ["graphblas", "scipy"], "cholmod": ["libcholmod"],
         "cxsparse": ["libcholmod", "libcxsparse"]}


def is_installed(name):
    if name.startswith("lib"):
        return suitesparse.is_installed(name[3:])
    return importlib.util.find_spec(name) is not None


def permanent(name, path, threads):
    answer = bench_optics.peer(OPTICS[name], path, int(threads))
    if isinstance(answer, str):
        raise SystemExit(answer)
    return answer[0]


def product(name, path, threads, precision):
    if name == "cholmod":
        if int(threads) > 1 or precision != "fp64":
            return "one thread only" if int(threads) > 1 else "doubles only"
        return bench_spmm.median(suitesparse.Cholmod().product(path, bench_spmm.N))
    seconds = bench_spmm.peer_seconds(name, path, precision, int(threads))
    if seconds is None:
        return "one thread only" if name == "scipy" else "not installed"
    return seconds


def reading(name, path):
    if name == "cholmod":
        cholmod = suitesparse.Cholmod()
        return bench.least_seconds(lambda: cholmod.free(cholmod.read(path)))[0]
    import fast_matrix_market
    return bench.least_seconds(lambda: fast_matrix_market.read_coo(path, parallelism=1))[0]


def blocks(name, path):
    cholmod = suitesparse.Cholmod()
    seconds, counts = bench.least_seconds(lambda: suitesparse.decompose(cholmod, path))
    return "\t".join(map(str, (seconds, *counts)))


def main():
    kind, name = sys.argv[1:3]
    if not all(map(is_installed, NEEDS.get(name, [name]))):
        print("not installed")
        return
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    kinds = {"permanent": permanent, "product": product, "reading": reading, "blocks": blocks}
    print(kinds[kind](name, *sys.argv[3:]))


if __name__ == "__main__":
    main()
