# SPDX-License-Identifier: BSD-3-Clause
"""Records (matrices with metadata) and streams of them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Iterator
from typing import Any, Union

import numpy as np
import scipy.sparse

from ._arrays import view_numbers
from ._context import Context, get
from ._library import Shape, library

KINDS = ("matrix", "scheme", "h2", "state")
FIELDS = ("pattern", "integer", "real", "complex")
SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
_COPY, _BORROW = 0, 1

Matrix = Union["Record", np.ndarray, "scipy.sparse.spmatrix", "scipy.sparse.sparray", Any]


class Record:
    """A matrix with its metadata, as it stands in a stream; it does not change.

    >>> A = scipy.sparse.csr_matrix([[0, 2.5], [1, 0]])
    >>> r = Record.of(A, name="small", origin="by hand")
    >>> r.name, r.shape, r.nnz, r.field, r["origin"]
    ('small', (2, 2), 2, 'real', 'by hand')
    >>> (r.to_scipy() != A).nnz
    0
    """

    def __init__(self, pointer: int, keep: Any = None) -> None:
        self._pointer, self._keep = pointer, keep

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) and library is not None:
            library.mmpipe_record_free(self._pointer)

    @classmethod
    def of(cls, matrix: Matrix, context: Context | None = None, **metadata: str) -> Record:
        """The record of a numpy array, a scipy.sparse matrix or anything numpy takes; a record stays what it is.
        Coordinate matrices with 64-bit indices, and arrays by columns, are not copied: do not change them meanwhile.
        """
        if isinstance(matrix, Record) and not metadata:
            return matrix
        context = get(context)
        if isinstance(matrix, Record):
            record = cls(context.make("record_free", "record_copy", matrix._pointer))
        elif scipy.sparse.issparse(matrix):
            record = cls._of_sparse(matrix, context)
        else:
            record = cls._of_array(np.asarray(matrix), context)
        for key, value in metadata.items():
            context.call("record_set", record._pointer, key.encode(), str(value).encode())
        return record

    @classmethod
    def _of_sparse(cls, matrix: Any, context: Context) -> Record:
        entries = matrix.tocoo()
        field, values = _values(entries.data)
        row, col = (np.ascontiguousarray(index, np.int64) for index in (entries.row, entries.col))
        keep = (row, col, values)
        return cls(context.make("record_free", "record_from_entries", Shape(*matrix.shape, field, 0), len(row),
                                row.ctypes.data, col.ctypes.data, values.ctypes.data, _BORROW), keep)

    @classmethod
    def _of_array(cls, array: np.ndarray, context: Context) -> Record:
        if array.ndim != 2:
            raise ValueError(f"a matrix has two dimensions, not {array.ndim}")
        field, values = _values(array.astype(np.int64) if array.dtype == bool else array)
        values = np.asfortranarray(values)
        return cls(context.make("record_free", "record_from_array", Shape(*array.shape, field, 0),
                                values.ctypes.data, _BORROW), values)

    def __repr__(self) -> str:
        nrow, ncol = self.shape
        return f"<{self.name}: {nrow} by {ncol} {self.field} {self.kind} with {self.nnz} entries>"

    @property
    def kind(self) -> str:
        return KINDS[library.mmpipe_record_kind(self._pointer)]

    @property
    def is_array(self) -> bool:
        """Whether it is stored as an array; else as entries."""
        return library.mmpipe_record_format(self._pointer) == 1

    @property
    def shape(self) -> tuple[int, int]:
        shape = library.mmpipe_record_shape(self._pointer)
        return shape.nrow, shape.ncol

    @property
    def field(self) -> str:
        return FIELDS[library.mmpipe_record_shape(self._pointer).field]

    @property
    def symmetry(self) -> str:
        return SYMMETRIES[library.mmpipe_record_shape(self._pointer).symmetry]

    @property
    def nnz(self) -> int:
        """Stored entries."""
        return library.mmpipe_record_nnz(self._pointer)

    @property
    def name(self) -> str:
        return get(None).text("record_name", self._pointer) or ""

    @property
    def comments(self) -> str:
        return (library.mmpipe_record_comments(self._pointer) or b"").decode(errors="replace")

    def __getitem__(self, key: str) -> str:
        """The value of the comment `% key: value`."""
        value = get(None).text("record_get", self._pointer, key.encode())
        if value is None:
            raise KeyError(key)
        return value

    @property
    def row(self) -> np.ndarray:
        """Rows of the stored entries, from 0; the record's own memory. Empty for arrays."""
        return view_numbers(self, library.mmpipe_record_row(self._pointer), self.nnz, np.int64)

    @property
    def col(self) -> np.ndarray:
        return view_numbers(self, library.mmpipe_record_col(self._pointer), self.nnz, np.int64)

    @property
    def values(self) -> np.ndarray:
        """Stored values: the record's own memory, Python integers beyond 64 bits, ones for patterns."""
        if self.field == "pattern":
            return np.ones(self.nnz, np.int64)
        if self.field == "integer":
            own = library.mmpipe_record_integer(self._pointer)
            if own or self.nnz == 0:
                return view_numbers(self, own, self.nnz, np.int64)
            digits = [int(library.mmpipe_record_digits(self._pointer, k)) for k in range(self.nnz)]
            return np.array(digits, dtype=object)
        kind = np.complex128 if self.field == "complex" else np.float64
        return view_numbers(self, library.mmpipe_record_real(self._pointer), self.nnz, kind)

    def changed(self, step: str, *arguments: Any, context: Context | None = None) -> Record:
        """A copy after mmpipe_`step`."""
        context = get(context)
        copy = Record(context.make("record_free", "record_copy", self._pointer))
        context.call(step, copy._pointer, *arguments)
        return copy

    def to_scipy(self) -> scipy.sparse.coo_matrix:
        """A scipy.sparse.coo_matrix of all entries; on the record's memory where no symmetry is expanded. There are none
        of integers beyond 64 bits."""
        record = self._entries()
        return scipy.sparse.coo_matrix((record.values, (record.row, record.col)), shape=self.shape, copy=False)

    def to_numpy(self) -> np.ndarray:
        """A dense array; on the record's memory where it is a general array."""
        if self.is_array and self.symmetry == "general":
            return self.values.reshape(self.shape, order="F")
        record = self._entries()
        values = record.values
        if values.dtype != object:
            return self.to_scipy().toarray(order="F")
        dense = np.zeros(self.shape, dtype=object)
        dense[record.row, record.col] = values
        return dense

    def _entries(self) -> Record:
        """The same as a general coordinate matrix."""
        record = self.changed("record_to_coordinate") if self.is_array else self
        return record.changed("record_expand") if record.symmetry != "general" else record


def _values(data: np.ndarray) -> tuple[int, np.ndarray]:
    """The field, and the numbers in its type."""
    kind = data.dtype.kind
    if kind == "b":
        if not data.all():
            raise ValueError("a boolean matrix with entries that are False: eliminate_zeros() first")
        return 0, data
    if kind == "u" and data.size and data.max() > np.iinfo(np.int64).max:
        raise ValueError("integers beyond 64 bits")
    if kind in "iu":
        return 1, np.asarray(data, np.int64, order="A")
    if kind == "f":
        return 2, np.asarray(data, np.float64, order="A")
    if kind == "c":
        return 3, np.asarray(data, np.complex128, order="A")
    raise TypeError(f"numbers of type {data.dtype}")


def read(*paths: str | os.PathLike, lenient: bool = False, schemes: bool = False,
         context: Context | None = None) -> Iterator[Record]:
    """The records of files in any form (mm-stream(5)): Matrix Market, the binary form, compressed, archives.

    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "two.mtx")
    >>> write(path, [np.eye(2), Record.of([[1, 2]], name="row")])
    >>> [(r.name, r.shape) for r in read(path)]
    [('two', (2, 2)), ('row', (1, 2))]
    """
    names = [os.fsencode(path) for path in paths]
    if not names:
        raise TypeError("read() needs a path")
    context = get(context)
    flags = (1 if lenient else 0) | (2 if schemes else 0)
    array = (ctypes.c_char_p * len(names))(*names)
    reader = context.make("reader_close", "reader_open", ctypes.cast(array, ctypes.c_void_p), len(names), flags)

    return each(context, reader, "reader_next", "reader_close")


def each(context: Context, source: int, step: str, close: str) -> Iterator[Record]:
    """The records that `step` of the library makes of a source, which `close` closes after the last one, or when
    nobody wants more."""
    try:
        while (pointer := context.make_if_any("record_free", step, source)) is not None:
            yield Record(pointer)
    finally:
        getattr(library, "mmpipe_" + close)(source)


def write(path: str | os.PathLike, records: Matrix | Iterable[Matrix], form: str = "text", level: int = 1,
          context: Context | None = None) -> None:
    """Writes a matrix, or several, to a file that appears when it is complete. `form`: "text" or "binary", the latter
    compressed by zstd of that level (0: not)."""
    context = get(context)
    if isinstance(records, (Record, np.ndarray)) or scipy.sparse.issparse(records):
        records = [records]
    number = {"text": 0, "binary": 1}[form]
    writer = context.make("writer_close", "writer_open", os.fsencode(path), number, level)
    try:
        for matrix in records:
            record = Record.of(matrix, context)
            # The writer takes the copy's content.
            copy = Record(context.make("record_free", "record_copy", record._pointer))
            context.call("writer_put", writer, copy._pointer)
        context.call("writer_finish", writer)
    finally:
        library.mmpipe_writer_close(writer)
