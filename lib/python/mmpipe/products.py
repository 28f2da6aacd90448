# SPDX-License-Identifier: BSD-3-Clause
"""Products of sparse and of H2 matrices with arrays of numpy and, through DLPack, tensors of torch and cupy."""

from __future__ import annotations

from ctypes import byref, c_double, sizeof
from typing import Any

import numpy as np
import scipy.sparse

from ._arrays import View, by_columns, by_rows, empty
from ._context import Context, get
from ._library import Csr, H2BuildOptions, H2Info, SpmmOperands, SpmmOptions, library
from .records import Matrix, Record

PRECISIONS = ("fp16", "bf16", "tf32", "3xtf32", "fp32", "fp64")
_OF_DTYPE = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}
_DTYPE_OF = {"fp16": "float16", "bf16": "bfloat16", "tf32": "float32", "3xtf32": "float32", "fp32": "float32",
             "fp64": "float64"}


def _context_of(view: View, context: Context | None) -> Context:
    """Tensors on a GPU are worked with there."""
    if context is None and view.on_device:
        return _on_device(view.device)
    return get(context)


_devices: dict[int, Context] = {}


def _on_device(device: int) -> Context:
    if device not in _devices:
        _devices[device] = Context(device=f"cuda:{device}")
    return _devices[device]


class SpMM:
    """The products of a sparse matrix with matrices of `n` columns: prepared once, multiplied often.

    `precision` is "fp16", "bf16", "tf32", "3xtf32", "fp32" or "fp64"; sums are kept in fp32, of fp64 in fp64.
    `resident`: right-hand sides are in the memory of the context's GPU. A CSR matrix with sorted rows and values of the
    precision's type (float32, or float64 for fp64) is not copied: do not change it meanwhile.

    >>> S = SpMM(scipy.sparse.eye(3, format="csr") * 2, n=2)
    >>> S @ np.arange(6.0).reshape(3, 2)
    array([[ 0.,  2.],
           [ 4.,  6.],
           [ 8., 10.]])
    """

    def __init__(self, matrix: Matrix, n: int, precision: str = "fp64", *, products: int = 0, kernel: str | None = None,
                 resident: bool = False, context: Context | None = None) -> None:
        self._pointer, self._context = None, get(context)
        self.precision, self.n, self.resident = precision, n, resident
        number = PRECISIONS.index(precision)
        options = SpmmOptions(sizeof(SpmmOptions), kernel.encode() if kernel else None, products, resident)
        if isinstance(matrix, Record) or not scipy.sparse.issparse(matrix):
            record = Record.of(matrix, self._context)
            self.shape = record.shape
            self._pointer = self._context.make("spmm_close", "spmm_open_record", record._pointer, False, number, n,
                                               byref(options))
            return
        given: Any = matrix
        csr = given.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy()
            csr.sum_duplicates()
        self.shape = csr.shape
        value = np.asarray(csr.data, np.float64 if precision == "fp64" else np.float32)
        start, index = np.asarray(csr.indptr, np.int64), np.asarray(csr.indices, np.int32)
        self._keep = value, start, index
        a = Csr(*csr.shape, start.ctypes.data, index.ctypes.data, value.ctypes.data)
        self._pointer = self._context.make("spmm_close", "spmm_open", byref(a), number, n, byref(options))

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) and library is not None:
            library.mmpipe_spmm_close(self._pointer)

    @property
    def kernel(self) -> str:
        """The kernel that was chosen."""
        return library.mmpipe_spmm_kernel(self._pointer).decode()

    def __matmul__(self, b: Any) -> Any:
        return self.multiply(b)

    def multiply(self, b: Any, *, alpha: float = 1, beta: float = 0, out: Any = None) -> Any:
        """alpha A b + beta out, in `out` or a new array of the kind of b: float32, or float64 for fp64."""
        b = by_rows(b)
        view = View(b)
        if view.dtype != _DTYPE_OF[self.precision] or view.shape != (self.shape[1], self.n):
            raise ValueError(f"B is {view.dtype} {view.shape}, not {_DTYPE_OF[self.precision]} "
                             f"{(self.shape[1], self.n)}")
        kind = "float64" if self.precision == "fp64" else "float32"
        if out is None:
            if beta != 0:
                raise ValueError("beta needs `out`")
            out = empty((self.shape[0], self.n), kind, b)
        c = View(out)
        if c.dtype != kind or c.shape != (self.shape[0], self.n) or not c.is_by_rows():
            raise ValueError(f"out is {c.dtype} {c.shape}, not {kind} {(self.shape[0], self.n)} by rows")
        if isinstance(out, np.ndarray) and not out.flags.writeable:
            raise ValueError("out cannot be written to")
        if view.on_device != self.resident or c.on_device != self.resident:
            raise ValueError("B and out are on the GPU exactly if the product is resident")
        if self.resident and not self._is_aligned(view, c):
            return self._multiply_padded(b, alpha, beta, out)
        operands = SpmmOperands(view.address, max(view.strides[0], self.n), c.address, max(c.strides[0], self.n), alpha,
                                beta)
        self._context.call("spmm_multiply", self._pointer, byref(operands))
        return out

    def _bytes(self) -> tuple[int, int]:
        """Of a number of B and one of C."""
        return {"fp16": 2, "bf16": 2, "fp64": 8}.get(self.precision, 4), 8 if self.precision == "fp64" else 4

    def _is_aligned(self, b: View, c: View) -> bool:
        """Kernels of GPUs work on vectors of 16 bytes."""
        b_bytes, c_bytes = self._bytes()
        places = b.address | c.address | b.strides[0] * b_bytes | c.strides[0] * c_bytes | self.n * b_bytes
        return places % 16 == 0

    def _multiply_padded(self, b: Any, alpha: float, beta: float, out: Any) -> Any:
        """The same in copies with columns to whole vectors."""
        b_bytes, c_bytes = self._bytes()
        columns = -(-self.n * b_bytes // 16) * 16 // b_bytes
        wide_b = empty((self.shape[1], columns), _DTYPE_OF[self.precision], b)
        wide_c = empty((self.shape[0], columns), "float64" if c_bytes == 8 else "float32", b)
        wide_b[:, :self.n] = b
        wide_b[:, self.n:] = 0
        if beta != 0:
            wide_c[:, :self.n] = out
        view, c = View(wide_b), View(wide_c)
        operands = SpmmOperands(view.address, columns, c.address, columns, alpha, beta)
        self._context.call("spmm_multiply", self._pointer, byref(operands))
        out[:] = wide_c[:, :self.n]
        return out


def spmm(matrix: Matrix, b: Any, *, precision: str | None = None, alpha: float = 1, beta: float = 0, out: Any = None,
         kernel: str | None = None, context: Context | None = None) -> Any:
    """alpha A b + beta out for a sparse A and a dense b: a numpy array, or a tensor of torch or cupy on the CPU or an
    NVIDIA GPU, where the product is computed then. `precision` is that of the type of b by default.

    >>> A = scipy.sparse.random(50, 40, density=0.1, format="csr", random_state=1)
    >>> B = np.random.default_rng(1).random((40, 7))
    >>> np.allclose(spmm(A, B), A @ B)
    True
    """
    view = View(b)
    if len(view.shape) != 2:
        raise ValueError(f"B has two dimensions, not {len(view.shape)}")
    precision = precision or _OF_DTYPE.get(view.dtype)
    if precision is None:
        raise TypeError(f"numbers of type {view.dtype}")
    plan = SpMM(matrix, view.shape[1], precision, kernel=kernel, resident=view.on_device,
                context=_context_of(view, context))
    return plan.multiply(b, alpha=alpha, beta=beta, out=out)


class H2:
    """An H2 matrix. H2.build makes one from points; `A @ x` multiplies.

    >>> grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 30)] * 2), -1).reshape(-1, 2)
    >>> A = H2.build(grid, "exponential", length=0.2)
    >>> x = np.ones(900)
    >>> distance = np.linalg.norm(grid[:, None] - grid[None], axis=-1)
    >>> np.allclose(A @ x, np.exp(-distance / 0.2) @ x, rtol=1e-4)
    True
    >>> before = A.bytes
    >>> A.orthogonalize()
    >>> norm, error = A.compress(1e-3)
    >>> A.bytes < before
    True
    """

    def __init__(self, pointer: int, context: Context) -> None:
        self._pointer, self._context = pointer, context

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) and library is not None:
            library.mmpipe_h2_free(self._pointer)

    @classmethod
    def build(cls, points: Any, function: str = "exponential", *, length: float = 0.1, nugget: float = 0,
              eta: float = 0, order: int = 0, leaf_size: int = 0, full: bool = False, single: bool = False,
              context: Context | None = None) -> H2:
        """Of a function of two points: "exponential", "gaussian", "matern32", "matern52", "inverse", "log", "helmholtz"
        or "convection". `points` has a row of 1 to 3 coordinates for each. h2-build(1) tells the rest."""
        points = np.ascontiguousarray(points, np.float64)
        if points.ndim != 2:
            raise ValueError("points are an array of two dimensions")
        context = get(context)
        options = H2BuildOptions(sizeof(H2BuildOptions), function.encode(), length, nugget, eta, order, leaf_size, full,
                                 single)
        pointer = context.make("h2_free", "h2_build", points.ctypes.data, *points.shape, byref(options))
        return cls(pointer, context)

    @classmethod
    def of(cls, record: Record, context: Context | None = None) -> H2:
        """Of a record of the kind h2."""
        context = get(context)
        copy = Record(context.make("record_free", "record_copy", record._pointer))
        pointer = context.make("h2_free", "h2_from_record", copy._pointer)
        return cls(pointer, context)

    def take_record(self) -> Record:
        """The matrix as a record, for mmpipe.write; the matrix is empty after it."""
        pointer = self._context.make("record_free", "h2_to_record", self._pointer)
        return Record(pointer)

    @property
    def info(self) -> H2Info:
        info = H2Info()
        library.mmpipe_h2_get_info(self._pointer, byref(info))
        return info

    @property
    def shape(self) -> tuple[int, int]:
        return self.info.n, self.info.n

    @property
    def bytes(self) -> int:
        """Of bases and blocks."""
        return self.info.bytes

    def __matmul__(self, x: Any) -> Any:
        return self.multiply(x)

    def multiply(self, x: Any, *, transposed: bool = False, alpha: float = 1, beta: float = 0, out: Any = None) -> Any:
        """alpha op(A) x + beta out for float64 x, one vector or columns: numpy, or a tensor on the CPU or a GPU, where
        the matrix goes then. `out` and x by columns are not copied."""
        x = by_columns(x)
        view = View(x)
        n = self.info.n
        if n and (view.dtype != "float64" or len(view.shape) not in (1, 2) or view.shape[0] != n):
            raise ValueError(f"x is {view.dtype} {view.shape}, not float64 of {n} rows")
        if out is None:
            if beta != 0:
                raise ValueError("beta needs `out`")
            out = empty(view.shape[::-1], "float64", x).T if len(view.shape) == 2 else empty(view.shape, "float64", x)
        y = View(out)
        if y.dtype != "float64" or y.shape != view.shape or not y.is_by_columns() or y.on_device != view.on_device:
            raise ValueError("out is not like x, by columns")
        if isinstance(out, np.ndarray) and not out.flags.writeable:
            raise ValueError("out cannot be written to")
        step = "h2_multiply_resident" if view.on_device else "h2_multiply"
        self._context.call(step, self._pointer, transposed, alpha, view.address, beta, y.address,
                           view.shape[1] if len(view.shape) == 2 else 1)
        return out

    def orthogonalize(self) -> None:
        """Gives orthonormal bases."""
        self._context.call("h2_orthogonalize", self._pointer)

    def compress(self, tolerance: float, rule: str = "relative") -> tuple[float, float]:
        """Truncates orthonormal bases; `rule` is "relative", "absolute" or "frobenius" (h2-compress(1)). The Frobenius
        norm of the coupling blocks and a bound of the change."""
        norm, error = c_double(), c_double()
        number = ("relative", "absolute", "frobenius").index(rule)
        self._context.call("h2_compress", self._pointer, tolerance, number, byref(norm), byref(error))
        return norm.value, error.value

    def sample_error(self, rows: int = 100) -> float:
        """The relative error of a product in random rows, against the function itself."""
        error = c_double()
        self._context.call("h2_sample_error", self._pointer, min(rows, self.info.n), byref(error))
        return error.value
