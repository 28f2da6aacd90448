# SPDX-License-Identifier: BSD-3-Clause
"""Block forms, orderings, and matrix multiplication schemes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from ctypes import byref, c_bool, c_int64, c_void_p
from dataclasses import dataclass

import numpy as np

from ._context import Context, get
from ._library import DmForm, SchemeInfo, library
from .records import Matrix, Record, each


@dataclass(frozen=True)
class BlockForm:
    """A(rows, cols) is block upper triangular; block b is at rows row_start[b] ... row_start[b+1]-1 of it and columns
    col_start[b] ... . The blocks of the square part are square_first ... square_end-1."""

    rows: np.ndarray
    cols: np.ndarray
    row_start: np.ndarray
    col_start: np.ndarray
    structural_rank: int
    square_first: int
    square_end: int

    @property
    def blocks(self) -> int:
        return len(self.row_start) - 1


def dm(matrix: Matrix, *, keep_zeros: bool = False, context: Context | None = None) -> BlockForm:
    """The Dulmage-Mendelsohn decomposition.

    >>> form = dm([[1, 0, 0], [1, 1, 0], [0, 1, 1]])
    >>> form.structural_rank, form.blocks
    (3, 3)
    """
    context = get(context)
    record = Record.of(matrix, context)
    pointer = context.make("dm_free", "dm_decompose", record._pointer, keep_zeros)
    form = DmForm()
    library.mmpipe_dm_get_form(pointer, byref(form))

    def take(array: ctypes._Pointer, count: int) -> np.ndarray:
        return np.ctypeslib.as_array(array, (count,)).copy() if count else np.empty(0, np.int64)

    try:
        return BlockForm(take(form.row, form.nrow), take(form.col, form.ncol), take(form.row_start, form.blocks + 1),
                         take(form.col_start, form.blocks + 1), form.structural_rank, form.square_first,
                         form.square_end)
    finally:
        library.mmpipe_dm_free(pointer)


def blocks(matrix: Matrix, *, keep_zeros: bool = False, context: Context | None = None) -> Iterator[Record]:
    """The diagonal blocks as records, whose permanents multiply to that of the matrix (mmpipe.fold)."""
    context = get(context)
    record = Record.of(matrix, context)
    splitter = context.make("dm_split_close", "dm_split", record._pointer, keep_zeros)
    yield from each(context, splitter, "dm_split_next", "dm_split_close")


def order(matrix: Matrix, method: str = "frontier", *,
          context: Context | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns in the order of a method ("frontier", "degree", "perm", "amd", "colamd", "metis", "rcm",
    "spmm"; mm-order(1)): the matrix A[rows][:, cols] is the ordered one.

    >>> A = np.zeros((4, 4), dtype=int)
    >>> A[[0, 3, 3, 1, 1, 2], [3, 0, 1, 3, 2, 1]] = 1  # the path 0 - 3 - 1 - 2
    >>> rows, cols = order(A, "rcm")
    >>> int(np.abs(np.subtract(*np.nonzero(A[rows][:, cols]))).max())
    1
    """
    return origin(ordered(matrix, method, context=context), context=context)


def ordered(matrix: Matrix, method: str = "frontier", *, context: Context | None = None) -> Record:
    """The ordered matrix as a record, whose metadata say what for and from where."""
    return Record.of(matrix, context).changed("order", method.encode(), context=context)


def origin(record: Record, *, context: Context | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Row k of the record was row rows[k] of the first matrix, and so for columns."""
    context = get(context)
    pointers = c_void_p(), c_void_p()
    context.call("record_origin", record._pointer, byref(pointers[0]), byref(pointers[1]))

    def take(pointer: c_void_p, count: int) -> np.ndarray:
        return np.array((c_int64 * count).from_address(pointer.value or 0), np.int64)

    try:
        return take(pointers[0], record.shape[0]), take(pointers[1], record.shape[1])
    finally:
        for pointer in pointers:
            library.mmpipe_free(pointer)


def verify_scheme(scheme: Record | tuple[np.ndarray, np.ndarray, np.ndarray], size: tuple[int, int, int] | None = None,
                  *, modulus: int = 0, field: str = "Z", context: Context | None = None) -> str | None:
    """None where a matrix multiplication scheme is right, else its first wrong coefficient. A scheme is a record, or
    factors u (rank x nm), v (rank x mp), w (rank x np) of integers with `size` (n, m, p) over `field` "Z" or "F2".

    >>> one = np.ones((1, 1), dtype=int)
    >>> verify_scheme((one, one, one), (1, 1, 1)) is None
    True
    >>> verify_scheme((one, one, 3 * one), (1, 1, 1))
    'a_1_1 b_1_1 c_1_1 has the coefficient 3 instead of 1'
    """
    context = get(context)
    if isinstance(scheme, Record):
        pointer = context.make("scheme_free", "scheme_from_record", scheme._pointer)
    else:
        if size is None:
            raise TypeError("factors need a size")
        n, m, p = size
        factors = [np.ascontiguousarray(factor, np.int64) for factor in scheme]
        rank = len(factors[0])
        for factor, length in zip(factors, (n * m, m * p, n * p)):
            if factor.shape != (rank, length):
                raise ValueError(f"a factor of {factor.shape}, not {(rank, length)}")
        info = SchemeInfo(n, m, p, rank, {"F2": 0, "Z": 1}[field], 1, *(f.ctypes.data for f in factors))
        pointer = context.make("scheme_free", "scheme_new", byref(info))
    try:
        valid, fault = c_bool(), ctypes.create_string_buffer(200)
        context.call("scheme_verify", pointer, modulus, byref(valid), ctypes.cast(fault, ctypes.c_char_p), 200)
        return None if valid.value else fault.value.decode()
    finally:
        library.mmpipe_scheme_free(pointer)
