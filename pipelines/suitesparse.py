# SPDX-License-Identifier: BSD-3-Clause
"""SuiteSparse's CHOLMOD and CXSparse by ctypes, as Debian has them (libcholmod3, libcxsparse3): reading Matrix Market
files, products with dense matrices, the Dulmage-Mendelsohn decomposition. Numbers are doubles, there is one thread."""
import ctypes
import ctypes.util
import random
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p

REAL = 1  # CHOLMOD_REAL


class Sparse(Structure):
    """cholmod_sparse, with long indices."""
    _fields_ = [("nrow", c_size_t), ("ncol", c_size_t), ("nzmax", c_size_t), ("p", POINTER(c_int64)),
                ("i", POINTER(c_int64)), ("nz", c_void_p), ("x", POINTER(c_double)), ("z", c_void_p), ("stype", c_int),
                ("itype", c_int), ("xtype", c_int), ("dtype", c_int), ("sorted", c_int), ("packed", c_int)]


class Dense(Structure):
    """cholmod_dense."""
    _fields_ = [("nrow", c_size_t), ("ncol", c_size_t), ("nzmax", c_size_t), ("d", c_size_t), ("x", POINTER(c_double)),
                ("z", c_void_p), ("xtype", c_int), ("dtype", c_int)]


class Columns(Structure):
    """cs_dl."""
    _fields_ = [("nzmax", c_int64), ("m", c_int64), ("n", c_int64), ("p", POINTER(c_int64)), ("i", POINTER(c_int64)),
                ("x", POINTER(c_double)), ("nz", c_int64)]


class Blocks(Structure):
    """cs_dld."""
    _fields_ = [("p", c_void_p), ("q", c_void_p), ("r", c_void_p), ("s", c_void_p), ("nb", c_int64),
                ("rr", c_int64 * 5), ("cc", c_int64 * 5)]


def is_installed(name):
    return ctypes.util.find_library(name) is not None


def load(name):
    return ctypes.CDLL(ctypes.util.find_library(name))


class Cholmod:
    def __init__(self):
        self.library = load("cholmod")
        # A cholmod_common, which takes less than 3 KiB; nothing in it is looked at here.
        self.common = (c_double * 2048)()
        for name, result, arguments in (
                ("read_sparse", POINTER(Sparse), [c_void_p]),
                ("copy", POINTER(Sparse), [POINTER(Sparse), c_int, c_int]),
                ("drop", c_int, [c_double, POINTER(Sparse)]),
                ("free_sparse", c_int, [POINTER(POINTER(Sparse))]),
                ("allocate_dense", POINTER(Dense), [c_size_t, c_size_t, c_size_t, c_int]),
                ("sdmult", c_int, [POINTER(Sparse), c_int, POINTER(c_double), POINTER(c_double), POINTER(Dense),
                                   POINTER(Dense)]),
                ("start", c_int, [])):
            function = getattr(self.library, "cholmod_l_" + name)
            function.restype, function.argtypes = result, [*arguments, c_void_p]
            setattr(self, name, lambda *words, call=function: call(*words, self.common))
        self.start()

    def read(self, path):
        """A matrix of a file; of a symmetric one CHOLMOD keeps a triangle."""
        libc = ctypes.CDLL(None)
        libc.fopen.restype, libc.fopen.argtypes, libc.fclose.argtypes = c_void_p, [c_char_p, c_char_p], [c_void_p]
        file = libc.fopen(path.encode(), b"r")
        if not file:
            raise SystemExit(f"{path}: no such file")
        matrix = self.read_sparse(file)
        libc.fclose(file)
        if not matrix:
            raise SystemExit(f"{path}: CHOLMOD does not read it")
        return matrix

    def free(self, matrix):
        self.free_sparse(byref(matrix))

    def product(self, path, columns):
        """A call that multiplies the matrix of a file by a random one, once it has given the right sums."""
        a = self.read(path)
        rows, inner = a.contents.nrow, a.contents.ncol
        b = self.allocate_dense(inner, columns, inner, REAL)
        c = self.allocate_dense(rows, columns, rows, REAL)
        draw = random.Random(1)
        for k in range(inner * columns):
            b.contents.x[k] = draw.random()
        one, zero = (c_double * 2)(1, 0), (c_double * 2)(0, 0)

        def multiply():
            if not self.sdmult(a, 0, one, zero, b, c):
                raise SystemExit("cholmod_sdmult failed")

        multiply()
        general = self.copy(a, 0, REAL).contents
        want = sum(general.x[e] * b.contents.x[j] for j in range(inner) for e in range(general.p[j], general.p[j + 1]))
        if abs(sum(c.contents.x[:rows]) - want) > 1e-9 * abs(want) + 1e-9:
            raise SystemExit("cholmod_sdmult: wrong product")
        return multiply


def decompose(cholmod, path):
    """Blocks and structural rank of a file's matrix without its explicit zeros, by cs_dmperm."""
    library = load("cxsparse")
    library.cs_dl_dmperm.restype, library.cs_dl_dmperm.argtypes = POINTER(Blocks), [POINTER(Columns), c_int64]
    library.cs_dl_dfree.restype, library.cs_dl_dfree.argtypes = c_void_p, [POINTER(Blocks)]
    stored = cholmod.read(path)
    matrix = stored if stored.contents.stype == 0 else cholmod.copy(stored, 0, REAL)
    if not cholmod.drop(0, matrix):
        raise SystemExit("cholmod_drop failed")
    it = matrix.contents
    columns = Columns(it.nzmax, it.nrow, it.ncol, it.p, it.i, None, -1)
    found = library.cs_dl_dmperm(byref(columns), 0)
    if not found:
        raise SystemExit("cs_dmperm failed")
    answer = found.contents.nb, found.contents.rr[3]
    library.cs_dl_dfree(found)
    cholmod.free(matrix)
    if matrix is not stored:
        cholmod.free(stored)
    return answer
