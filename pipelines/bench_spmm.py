#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sparse times dense on processors: spmm-tc beside scipy, MKL and SuiteSparse:GraphBLAS, on the same matrices in the
same run.

bench_spmm.py [--threads LIST] [--precisions LIST] [--runs N] FOLDER TOOL [MATRIX...]

TOOL makes the matrices (tools/spmm_matrices.cpp of the shared data, compiled); default uni32 sbm band33 dl4_90.
128 columns, row-major. Medians of products one after the other, the least of runs that take turns, in milliseconds of
the clock; peers/ours above 1: ours is faster. So many threads have as many processors, the same ones for all. MKL is
the inspector-executor with a hint for many products; torch has an MKL of its own. scipy has one thread.
"""
import argparse
import ctypes
import glob
import json
import os
import statistics
import subprocess
import sys
import time

N, WARM = 128, 9


def median(call):
    call()
    times = []
    for _ in range(WARM):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def scipy_product(a, b, c, threads):
    return None if threads > 1 else lambda: a @ b


def mkl_product(a, b, c, threads):
    """mkl_sparse_?_mm on the arrays of scipy; None without MKL."""
    found = sorted(glob.glob(os.path.join(sys.prefix, "lib", "libmkl_rt.so*")))
    if not found:
        return None
    mkl = ctypes.CDLL(found[0])
    mkl.MKL_Set_Num_Threads(threads)
    letter, real = ("s", ctypes.c_float) if a.dtype.itemsize == 4 else ("d", ctypes.c_double)
    pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
    handle = ctypes.c_void_p()

    class Description(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int), ("mode", ctypes.c_int), ("diag", ctypes.c_int)]

    general, rows, plain = Description(20, 0, 0), 101, 10
    start = a.indptr
    status = getattr(mkl, f"mkl_sparse_{letter}_create_csr")(
        ctypes.byref(handle), 0, a.shape[0], a.shape[1], pointer(start), ctypes.c_void_p(start.ctypes.data + 4),
        pointer(a.indices), pointer(a.data))
    if status == 0:
        mkl.mkl_sparse_set_mm_hint(handle, plain, general, rows, N, 1000)
        status = mkl.mkl_sparse_optimize(handle)
    if status != 0:
        raise SystemExit(f"MKL: status {status}")
    product = getattr(mkl, f"mkl_sparse_{letter}_mm")
    return lambda: product(plain, real(1), handle, general, rows, pointer(b), N, N, real(0), pointer(c), N)


def graphblas_product(a, b, c, threads):
    try:
        import graphblas
    except ImportError:
        return None
    graphblas.ss.config["nthreads"] = threads
    left = graphblas.io.from_scipy_sparse(a)
    right = graphblas.Matrix.from_dense(b)
    return lambda: left.mxm(right, "plus_times").new()


def torch_product(a, b, c, threads):
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(threads)
    left = torch.sparse_csr_tensor(torch.from_numpy(a.indptr), torch.from_numpy(a.indices),
                                   torch.from_numpy(a.data), a.shape)
    right, product = torch.from_numpy(b), torch.from_numpy(c)
    return lambda: torch.mm(left, right, out=product)


PEERS = {"scipy": scipy_product, "torch": torch_product, "mkl": mkl_product, "graphblas": graphblas_product}


def run_peer(name, path, precision, threads):
    """In a process of its own: prints seconds, or nothing where there is no such peer."""
    import numpy
    import scipy.io
    dtype = numpy.float32 if precision == "fp32" else numpy.float64
    a = scipy.io.mmread(path).tocsr().astype(dtype)
    a.sort_indices()
    b = numpy.random.default_rng(1).random((a.shape[1], N)).astype(dtype)
    c = numpy.zeros((a.shape[0], N), dtype)
    call = PEERS[name](a, b, c, threads)
    if call is None:
        return
    call()
    if name in ("mkl", "torch") and not numpy.allclose(c, a @ b, rtol=1e-3, atol=1e-3):
        raise SystemExit(f"{name}: wrong product")
    print(median(call))


def run(arguments, threads):
    """Standard output of a program on the first processors."""
    processors = sorted(os.sched_getaffinity(0))[:threads]
    return subprocess.run(arguments, env=dict(os.environ, OMP_NUM_THREADS=str(threads)), stdout=subprocess.PIPE,
                          text=True, check=True, preexec_fn=lambda: os.sched_setaffinity(0, processors)).stdout


def peer_seconds(name, path, precision, threads):
    output = run([sys.executable, __file__, "--peer", name, path, precision, str(threads)], threads)
    return float(output) if output else None


def our_seconds(path, precision, threads):
    line = json.loads(run(["spmm-tc", "--bench", "--json", "--device", "cpu", "-n", str(N), "-p", precision, "-j",
                           str(threads), path], threads))
    return line["warm_seconds"], line["kernel"], line["error"]


def make(folder, tool, name):
    path = os.path.join(folder, name + ".mtx")
    if not os.path.exists(path):
        with open(path + ".tmp", "w") as file:
            subprocess.run([tool, name], stdout=file, check=True)
        os.rename(path + ".tmp", path)
    return path


def compare(name, path, precision, threads, runs):
    ours, least = [], {}
    for _ in range(runs):
        ours.append(our_seconds(path, precision, threads))
        for peer in PEERS:
            seconds = peer_seconds(peer, path, precision, threads)
            if seconds is not None:
                least[peer] = min(seconds, least.get(peer, seconds))
    seconds, kernel, error = min(ours)
    cells = [f"{1e3 * least[peer]:.1f} ({least[peer] / seconds:.2f})" if peer in least else "-" for peer in PEERS]
    print(name, precision, threads, kernel, f"{1e3 * seconds:.1f}", f"{error:.1e}", *cells, sep="\t", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    parser.add_argument("--threads", type=words, help="default: 1 and all processors")
    parser.add_argument("--precisions", type=words, default=["fp32", "fp64"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("folder")
    parser.add_argument("tool")
    parser.add_argument("matrix", nargs="*")
    options = parser.parse_args()
    print("matrix\tprecision\tthreads\tkernel\tms\terror", *(f"{peer} (/ours)" for peer in PEERS), sep="\t")
    for name in options.matrix or ["uni32", "sbm", "band33", "dl4_90"]:
        path = make(options.folder, options.tool, name)
        for precision in options.precisions:
            for threads in options.threads or sorted({1, len(os.sched_getaffinity(0))}):
                compare(name, path, precision, int(threads), options.runs)


if __name__ == "__main__":
    run_peer(*sys.argv[2:5], int(sys.argv[5])) if sys.argv[1:2] == ["--peer"] else main()
