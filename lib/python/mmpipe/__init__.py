# SPDX-License-Identifier: BSD-3-Clause
"""Permanents with error bounds, block forms, orderings, sparse products and H2 matrices, by libmmpipe.

perm, fold, minors      permanents of numpy arrays, scipy.sparse matrices and records
read, write, Record     streams of matrices in any form (mm-stream(5))
dm, blocks, order       Dulmage-Mendelsohn form, orderings
spmm, SpMM, H2          products on numpy arrays and tensors of torch and cupy
verify_scheme           matrix multiplication schemes
Context                 threads, memory, seed, device; calls end at Ctrl-C and release the interpreter lock
"""

from ._context import Context, Damaged, Error, Failed, MachineError, Stopped, Usage
from ._library import library as _library
from .permanents import Permanent, fold, minors, perm
from .products import H2, SpMM, spmm
from .records import Record, read, write
from .structure import BlockForm, blocks, dm, order, ordered, origin, verify_scheme

__version__ = _library.mmpipe_version().decode()
__all__ = ["BlockForm", "Context", "Damaged", "Error", "Failed", "H2", "MachineError", "Permanent", "Record", "SpMM",
           "Stopped", "Usage", "blocks", "dm", "fold", "minors", "order", "ordered", "origin", "perm", "read", "spmm",
           "verify_scheme", "write"]
