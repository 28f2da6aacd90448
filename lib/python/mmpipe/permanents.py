# SPDX-License-Identifier: BSD-3-Clause
"""Permanents with what is known of their errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from ctypes import byref, sizeof
from dataclasses import dataclass

import numpy as np

from ._context import Context, get
from ._library import PermanentOptions, library
from .records import FIELDS, Matrix, Record


@dataclass(frozen=True)
class Permanent:
    """A permanent: `value` is an int where it is an exact integer, else a float or complex, infinite beyond their
    range; `text` has all digits that are meant. |value - true| <= bound for certain, and about `estimate`."""

    value: int | float | complex
    bound: float
    estimate: float
    exact: bool
    method: str
    text: str
    blocks: int

    @classmethod
    def _take(cls, pointer: int) -> Permanent:
        try:
            text = library.mmpipe_permanent_text(pointer).decode()
            field = FIELDS[library.mmpipe_permanent_field(pointer)]
            exact = library.mmpipe_permanent_is_exact(pointer)
            value: int | float | complex = library.mmpipe_permanent_real(pointer)
            if field == "complex":
                value = complex(value, library.mmpipe_permanent_imag(pointer))
            elif field in ("pattern", "integer") and exact:
                value = int(text)
            return cls(value, library.mmpipe_permanent_bound(pointer), library.mmpipe_permanent_estimate(pointer),
                       exact, library.mmpipe_permanent_method(pointer).decode(), text,
                       library.mmpipe_permanent_blocks(pointer))
        finally:
            library.mmpipe_permanent_free(pointer)


def _options(kernel: str | None, precision: str | None, decimals: bool, certify: bool, raw: bool, verify: bool,
             max_seconds: float, row_counts: Sequence[int] | None,
             col_counts: Sequence[int] | None) -> PermanentOptions:
    lists = [",".join(map(str, counts)).encode() if counts is not None else None for counts in (row_counts, col_counts)]
    return PermanentOptions(sizeof(PermanentOptions), kernel.encode() if kernel else None,
                            precision.encode() if precision else None, decimals, certify, raw, verify, max_seconds,
                            *lists)


def perm(matrix: Matrix, *, precision: str | None = None, kernel: str | None = None, decimals: bool = False,
         certify: bool = False, raw: bool = False, verify: bool = False, max_seconds: float = 0,
         row_counts: Sequence[int] | None = None, col_counts: Sequence[int] | None = None,
         context: Context | None = None) -> Permanent:
    """The permanent of a matrix: exact for integers, else with a bound and an estimate of the error.

    `precision`: "double", "kahan", "dd", "mpfr:256" or "exact" (with `decimals` 0.1 is 1/10). `certify` relies on
    proved bounds instead of estimates. `max_seconds` refuses what is expected to take longer. `row_counts` and `col_counts`
    say how often rows and columns count. perm-gpu(1) tells more.

    >>> perm(np.ones((20, 20), dtype=int)).value
    2432902008176640000
    >>> p = perm([[0.1, 0.25], [0.25, 0.1]], precision="exact", decimals=True)
    >>> p.text, p.exact
    ('0.0725', True)
    >>> perm([[1, 2], [3, 4]], row_counts=[2, 0]).value  # of [[1, 2], [1, 2]]
    4
    """
    context = get(context)
    options = _options(kernel, precision, decimals, certify, raw, verify, max_seconds, row_counts, col_counts)
    record = Record.of(matrix, context)
    pointer = context.make("permanent_free", "permanent_compute", record._pointer, byref(options))
    return Permanent._take(pointer)


def fold(records: Iterable[Matrix], *, precision: str | None = None, certify: bool = False, max_seconds: float = 0,
         context: Context | None = None) -> Iterator[Permanent]:
    """The permanents of matrices that come whole or in pieces, as those of mmpipe.blocks.

    >>> from mmpipe import blocks
    >>> [p.value for p in fold(blocks([[1, 2, 9], [3, 4, 9], [0, 0, 5]]))]
    [50]
    """
    context = get(context)
    options = _options(None, precision, False, certify, False, False, max_seconds, None, None)
    opened = context.make("permanent_fold_close", "permanent_fold_open", byref(options))
    try:
        for matrix in records:
            record = Record.of(matrix, context)
            pointer = context.make_if_any("permanent_free", "permanent_fold_add", opened, record._pointer)
            if pointer is not None:
                yield Permanent._take(pointer)
    finally:
        library.mmpipe_permanent_fold_close(opened)


def minors(matrix: Matrix, *, precision: str | None = None, max_seconds: float = 0,
           context: Context | None = None) -> np.ndarray:
    """The permanents without row i and column j, for all i and j.

    >>> minors([[1, 2], [3, 4]])
    array([[4, 3],
           [2, 1]])
    """
    context = get(context)
    options = _options(None, precision, False, False, False, False, max_seconds, None, None)
    record = Record.of(matrix, context)
    pointer = context.make("record_free", "permanent_minors", record._pointer, byref(options))
    return np.ascontiguousarray(Record(pointer).to_numpy())
