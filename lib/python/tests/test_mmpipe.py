# SPDX-License-Identifier: BSD-3-Clause
"""The package against scipy, numpy, all permutations and, where it is installed, The Walrus, on random input."""

import doctest
import itertools
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph

import mmpipe
from mmpipe import _context, permanents, products, records, structure

try:
    import thewalrus
except ImportError:
    thewalrus = None
try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None

SEED = int(os.environ.get("MMPIPE_TEST_SEED", random.randrange(1 << 30)))


def load_tests(loader, tests, pattern):
    """The examples of the docstrings are tests, too."""
    for module in (_context, permanents, products, records, structure):
        tests.addTests(doctest.DocTestSuite(module))
    return tests


def brute_force(a):
    """The sum over all permutations, or over all ways to choose an entry in each row."""
    if a.shape[0] > a.shape[1]:
        a = a.T
    return sum(np.prod([a[i, j] for i, j in enumerate(p)]) for p in itertools.permutations(range(a.shape[1]), a.shape[0]))


class Random(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng([SEED, sum(self.id().encode())])

    def random_sparse(self, nrow, ncol, density=0.2, dtype=np.float64):
        return scipy.sparse.random(nrow, ncol, density, "csr", dtype, random_state=np.random.RandomState(self.rng.integers(1 << 30)))


class Permanents(Random):
    def test_integers(self):
        for _ in range(20):
            shape = self.rng.integers(1, 7, 2)
            a = self.rng.integers(-9, 10, shape)
            for form in (a, np.asfortranarray(a), scipy.sparse.csc_matrix(a), a.tolist(), a.astype(np.int8)):
                p = mmpipe.perm(form)
                self.assertEqual((p.value, p.exact, p.bound), (int(brute_force(a.astype(object))), True, 0))

    def test_numbers(self):
        for n in range(1, 8):
            a = self.rng.normal(size=(n, n)) + 1j * self.rng.normal(size=(n, n))
            for b in (a, a.real, a.real.astype(np.float32), scipy.sparse.coo_matrix(a)):
                p, true = mmpipe.perm(b), brute_force(b.toarray() if scipy.sparse.issparse(b) else b.astype(complex))
                self.assertAlmostEqual(p.value / true, 1, places=10)
                self.assertLessEqual(abs(p.value - true), p.bound + 1e-11 * abs(true))

    @unittest.skipIf(thewalrus is None, "The Walrus is not installed")
    def test_walrus(self):
        for n in (10, 15, 18):
            a = self.rng.normal(size=(n, n)) + 1j * self.rng.normal(size=(n, n))
            p, other = mmpipe.perm(a), thewalrus.perm(a)
            self.assertLess(abs(p.value / other - 1), 1e-9)
        ones = (self.random_sparse(20, 20, 0.3) != 0).astype(np.int64)
        self.assertAlmostEqual(mmpipe.perm(ones).value, thewalrus.perm(ones.toarray().astype(float)), delta=1e-3)

    def test_large(self):
        n = 30
        self.assertEqual(mmpipe.perm(np.full((n, n), 7)).value, 7**n * int(np.prod(np.arange(1, n + 1).astype(object))))
        self.assertEqual(mmpipe.perm(np.ones((9, 9), dtype=bool)).value, 362880)

    def test_errors(self):
        with self.assertRaisesRegex(mmpipe.Usage, "precision"):
            mmpipe.perm(np.eye(2), precision="octuple")
        with self.assertRaisesRegex(mmpipe.Failed, "takes|seconds|days|years"):
            mmpipe.perm(self.rng.normal(size=(60, 60)), max_seconds=1)
        with self.assertRaises(TypeError):
            mmpipe.perm(np.array([["a"]]))
        with self.assertRaises(ValueError):
            mmpipe.perm(np.zeros(3))

    def test_minors(self):
        a = self.rng.integers(-3, 4, (5, 5))
        m = mmpipe.minors(a)
        for i, j in itertools.product(range(5), repeat=2):
            self.assertEqual(m[i, j], brute_force(np.delete(np.delete(a, i, 0), j, 1)))


class Streams(Random):
    def test_round_trip(self):
        folder = tempfile.mkdtemp()
        given = [self.random_sparse(7, 9), self.rng.normal(size=(4, 3)), self.rng.integers(-5, 5, (3, 3)),
                 (self.random_sparse(6, 6) + 1j * self.random_sparse(6, 6)).tocsr(), self.random_sparse(5, 5) != 0]
        for form, level in (("text", 1), ("binary", 0), ("binary", 3)):
            path = os.path.join(folder, form)
            mmpipe.write(path, (mmpipe.Record.of(a, name=f"m{k}") for k, a in enumerate(given)), form, level)
            for k, (record, a) in enumerate(zip(mmpipe.read(path), given)):
                dense = a.toarray() if scipy.sparse.issparse(a) else a
                self.assertEqual(record.name, f"m{k}")
                np.testing.assert_array_equal(record.to_numpy(), dense)
            self.assertEqual(sum(1 for _ in mmpipe.read(path, path)), 10)

    def test_no_copies(self):
        a = np.asfortranarray(self.rng.normal(size=(4, 3)))
        record = mmpipe.Record.of(a)
        self.assertEqual(record.values.ctypes.data, a.ctypes.data)
        self.assertEqual(record.to_numpy().ctypes.data, a.ctypes.data)
        coo = scipy.sparse.coo_matrix(([1.0, 2.0], ([0, 1 << 40], [2, 1])), shape=(1 << 41, 3))
        record = mmpipe.Record.of(coo)
        self.assertEqual(coo.row.dtype, np.int64)
        self.assertEqual((record.row.ctypes.data, record.values.ctypes.data), (coo.row.ctypes.data, coo.data.ctypes.data))
        values = record.values
        del record
        np.testing.assert_array_equal(values, [1, 2])  # the array keeps the record alive
        self.assertFalse(values.flags.writeable)

    def test_scipy_reads_what_is_written(self):
        import scipy.io
        path = os.path.join(tempfile.mkdtemp(), "a.mtx")
        a = self.random_sparse(11, 5)
        mmpipe.write(path, a)
        self.assertEqual((scipy.io.mmread(path) != a).nnz, 0)
        scipy.io.mmwrite(path, a, symmetry="general", precision=17)
        self.assertEqual((next(mmpipe.read(path)).to_scipy().tocsr() != a).nnz, 0)

    def test_symmetric(self):
        path = os.path.join(tempfile.mkdtemp(), "s.mtx")
        with open(path, "w") as file:
            file.write("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n"
                       "3 1 123456789012345678901234567890\n")
        record = next(mmpipe.read(path, lenient=True))
        big = 123456789012345678901234567890
        self.assertEqual(record.to_numpy().tolist(), [[0, -5, -big], [5, 0, 0], [big, 0, 0]])

    def test_damage(self):
        path = os.path.join(tempfile.mkdtemp(), "bad.mtx")
        with open(path, "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.0\n")
        with self.assertRaises(mmpipe.Damaged) as caught:
            list(mmpipe.read(path))
        self.assertEqual((caught.exception.file, caught.exception.record), (path, 1))


class Structure(Random):
    def test_block_form(self):
        for _ in range(20):
            a = (self.random_sparse(*self.rng.integers(1, 30, 2), 0.1) != 0).astype(np.int64)
            form = mmpipe.dm(a)
            self.assertEqual(form.structural_rank, scipy.sparse.csgraph.structural_rank(a))
            b = a[form.rows][:, form.cols].tocoo()
            block = lambda starts, at: np.searchsorted(starts, at, "right")
            self.assertTrue(np.all(block(form.row_start, b.row) <= block(form.col_start, b.col)))

    def test_blocks_fold(self):
        a = self.rng.integers(0, 2, (9, 9)) * np.triu(np.ones((9, 9), dtype=int), -1)
        a[4:, :4] = 0
        self.assertEqual([p.value for p in mmpipe.fold(mmpipe.blocks(a))], [mmpipe.perm(a).value])

    def test_orders(self):
        a = (self.random_sparse(40, 40, 0.05) + scipy.sparse.eye(40)).tocsr()
        for method in ("frontier", "degree", "perm", "amd", "colamd", "metis", "rcm", "spmm"):
            rows, cols = mmpipe.order(a, method)
            self.assertEqual((sorted(rows), sorted(cols)), (list(range(40)),) * 2)
            self.assertEqual((mmpipe.ordered(a, method).to_scipy().tocsr() != a[rows][:, cols]).nnz, 0)

    def test_scheme(self):
        size, rank = (2, 3, 2), 12
        u, v, w = (np.zeros((rank, length), dtype=int) for length in (6, 6, 4))
        for r, (i, j, k) in enumerate(itertools.product(range(2), range(3), range(2))):
            u[r, 3 * i + j] = v[r, 2 * j + k] = w[r, 2 * i + k] = 1
        self.assertIsNone(mmpipe.verify_scheme((u, v, w), size))
        w[5] *= -1
        self.assertIsNotNone(mmpipe.verify_scheme((u, v, w), size))
        self.assertIsNone(mmpipe.verify_scheme((u, v, w), size, modulus=2))


class Tensor:
    """An array that only DLPack knows."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Products(Random):
    def test_spmm(self):
        for dtype, precision, tolerance in (("float64", None, 1e-13), ("float32", None, 1e-5), ("float16", None, 2e-2),
                                            ("float32", "3xtf32", 1e-5), ("float32", "tf32", 1e-2)):
            a = self.random_sparse(60, 45)
            b = self.rng.normal(size=(45, 11)).astype(dtype)
            c = mmpipe.spmm(a, b, precision=precision)
            self.assertEqual(c.dtype, np.float64 if dtype == "float64" else np.float32)
            np.testing.assert_allclose(c, a @ b.astype(float), atol=tolerance * 10)
            wide = np.zeros((45, 20), dtype)
            wide[:, 3:14] = b
            out = np.ones((60, 11), c.dtype)
            mmpipe.spmm(a, wide[:, 3:14], precision=precision, alpha=2, beta=-1, out=out)
            np.testing.assert_allclose(out, 2 * c - 1, atol=tolerance * 20)
        c = mmpipe.spmm(a, np.asfortranarray(b))
        np.testing.assert_allclose(c, a @ b, atol=1e-4)

    def test_plan(self):
        a = self.random_sparse(30, 30)
        plan = mmpipe.SpMM(a, 4, products=3)
        for _ in range(3):
            b = self.rng.normal(size=(30, 4))
            np.testing.assert_allclose(plan @ b, a @ b, atol=1e-12)
        with self.assertRaises(ValueError):
            plan @ np.ones((30, 5))
        with self.assertRaises(ValueError):
            plan @ np.ones((30, 4), dtype=np.float32)

    def test_dlpack(self):
        a, b = self.random_sparse(20, 30), self.rng.normal(size=(30, 4))
        out = np.empty((20, 4))
        self.assertIsNotNone(mmpipe.spmm(a, Tensor(b), out=Tensor(out)))
        np.testing.assert_allclose(out, a @ b, atol=1e-12)

    @unittest.skipIf(torch is None, "torch is not installed")
    def test_torch(self):
        self.check_tensors(torch.from_numpy, lambda t: t.cpu().numpy(), ["cpu"] + ["cuda"] * torch.cuda.is_available(),
                           lambda t, device: t.to(device))

    @unittest.skipIf(cupy is None, "cupy is not installed")
    def test_cupy(self):
        self.check_tensors(cupy.asarray, cupy.asnumpy, ["cuda"], lambda t, device: t)

    def check_tensors(self, take, give, devices, move):
        a, b = self.random_sparse(200, 300), self.rng.normal(size=(300, 32))
        points = self.rng.random((2000, 2))
        h2 = mmpipe.H2.build(points, "gaussian", length=0.3)
        x = np.asfortranarray(self.rng.normal(size=(2000, 3)))
        for device in devices:
            for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-4), ("float16", 1e-1)):
                c = mmpipe.spmm(a, move(take(b.astype(dtype)), device))
                self.assertIs(type(c), type(take(b)))
                np.testing.assert_allclose(give(c), a @ b, atol=tolerance)
                narrow = move(take(b.astype(dtype)), device)[:, 3:8]
                c = mmpipe.spmm(a, narrow, alpha=2, beta=1, out=mmpipe.spmm(a, narrow))
                np.testing.assert_allclose(give(c), 3 * (a @ b[:, 3:8]), atol=3 * tolerance)
            context = mmpipe.Context(device="cuda" if device == "cuda" else "cpu")
            on_device = mmpipe.H2.build(points, "gaussian", length=0.3, context=context)
            y = on_device @ move(take(x), device)
            np.testing.assert_allclose(give(y), h2 @ x, atol=1e-9 * np.abs(x).sum())
            y = on_device @ move(take(x[:, 0].copy()), device)
            np.testing.assert_allclose(give(y), h2 @ x[:, 0], atol=1e-9 * np.abs(x).sum())

    def test_h2(self):
        points = self.rng.random((1500, 3))
        h2 = mmpipe.H2.build(points, "exponential", length=0.5, nugget=0.1, order=5)
        distance = np.linalg.norm(points[:, None] - points[None], axis=-1)
        dense = np.exp(-distance / 0.5) + 0.1 * np.eye(1500)
        x = self.rng.normal(size=(1500, 4))
        error = lambda y: np.linalg.norm(y - dense @ x) / np.linalg.norm(dense @ x)
        self.assertLess(error(h2 @ x), 1e-3)
        before, size = h2 @ x, h2.bytes
        h2.orthogonalize()
        norm, bound = h2.compress(1e-4, "frobenius")
        self.assertLess(h2.bytes, size)
        self.assertLessEqual(np.linalg.norm(h2 @ x - before, axis=0).max(), bound * np.linalg.norm(x, axis=0).max())
        path = os.path.join(tempfile.mkdtemp(), "h2.zst")
        before = h2 @ x
        mmpipe.write(path, h2.take_record(), "binary")
        with self.assertRaises(mmpipe.Usage):
            h2 @ x
        np.testing.assert_array_equal(mmpipe.H2.of(next(mmpipe.read(path))) @ x, before)


class Calls(Random):
    def test_lock_is_released(self):
        """A thread goes on while another one is in a call."""
        context, counted, failed = mmpipe.Context(threads=1), 0, []

        def work():
            try:
                mmpipe.perm(self.rng.normal(size=(44, 44)), kernel="dense", max_seconds=1e18, context=context)
            except mmpipe.Stopped as stop:
                failed.append(stop)

        thread = threading.Thread(target=work)
        thread.start()
        time.sleep(0.3)
        while thread.is_alive() and counted < 1000:
            counted += 1
        context.interrupt()
        thread.join()
        self.assertEqual((counted, len(failed)), (1000, 1))
        self.assertEqual(mmpipe.perm(np.ones((3, 3), dtype=int), context=context).value, 6)

    def test_interrupt(self):
        """Ctrl-C ends a call of years, and the next one works."""
        a = self.rng.normal(size=(46, 46))
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            mmpipe.perm(a, kernel="dense", max_seconds=1e18)
        self.assertEqual(mmpipe.perm([[2]]).value, 2)

    def test_threads(self):
        results = {}

        def work(n):
            results[n] = mmpipe.perm(np.ones((n, n), dtype=int)).value

        threads = [threading.Thread(target=work, args=(n,)) for n in range(2, 10)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        self.assertEqual(results, {n: int(np.prod(np.arange(1, n + 1))) for n in range(2, 10)})

    def test_fork(self):
        mmpipe.perm(np.ones((3, 3)))
        child = os.fork()
        if child == 0:
            os._exit(0 if mmpipe.perm([[1, 1], [1, 1]]).value == 2 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_settings(self):
        a = self.rng.normal(size=(18, 18))
        values = {mmpipe.perm(a, context=mmpipe.Context(threads=t, device="cpu")).text for t in (1, 2, 3)}
        self.assertEqual(len(values), 1)
        with self.assertRaises(mmpipe.MachineError):
            mmpipe.perm(np.eye(3), context=mmpipe.Context(device="cuda:63"))

    def test_missing_library(self):
        run = subprocess.run([sys.executable, "-c", "import mmpipe"], capture_output=True, text=True,
                             env={**os.environ, "MMPIPE_LIBRARY": "/nowhere/libmmpipe.so"})
        self.assertIn("/nowhere/libmmpipe.so", run.stderr)


if __name__ == "__main__":
    print(f"seed {SEED}", file=sys.stderr)
    unittest.main()
