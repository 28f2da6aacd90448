# SPDX-License-Identifier: BSD-3-Clause
"""libmmpipe through ctypes: where it is, and the functions that the package calls, as <mmpipe/...> declares them."""

from __future__ import annotations

import ctypes
import os
import subprocess
from ctypes import POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint64, c_void_p

NAME = "libmmpipe.so.0"


def _load() -> ctypes.CDLL:
    named = os.environ.get("MMPIPE_LIBRARY")
    if named:
        return ctypes.CDLL(named)
    try:
        return ctypes.CDLL(NAME)
    except OSError as failure:
        asked = subprocess.run(["pkg-config", "--variable=libdir", "mmpipe"], capture_output=True, text=True, check=False) \
            if any(os.access(os.path.join(p, "pkg-config"), os.X_OK) for p in os.get_exec_path()) else None
        if asked is None or asked.returncode != 0:
            raise ImportError(f"{failure}: install libmmpipe, or name it in MMPIPE_LIBRARY") from failure
        return ctypes.CDLL(os.path.join(asked.stdout.strip(), NAME))


class Shape(Structure):
    _fields_ = [("nrow", c_int64), ("ncol", c_int64), ("field", c_int), ("symmetry", c_int)]


class PermanentOptions(Structure):
    _fields_ = [("size", c_size_t), ("kernel", c_char_p), ("precision", c_char_p), ("decimals", c_bool),
                ("certify", c_bool), ("raw", c_bool), ("verify", c_bool), ("max_seconds", c_double),
                ("row_counts", c_char_p), ("col_counts", c_char_p)]


class DmForm(Structure):
    _fields_ = [("nrow", c_int64), ("ncol", c_int64), ("structural_rank", c_int64), ("row", POINTER(c_int64)),
                ("col", POINTER(c_int64)), ("blocks", c_int64), ("row_start", POINTER(c_int64)),
                ("col_start", POINTER(c_int64)), ("square_first", c_int64), ("square_end", c_int64),
                ("horizontal_nrow", c_int64), ("horizontal_ncol", c_int64), ("square_order", c_int64),
                ("vertical_nrow", c_int64), ("vertical_ncol", c_int64)]


class Csr(Structure):
    _fields_ = [("nrow", c_int64), ("ncol", c_int64), ("start", c_void_p), ("index", c_void_p), ("value", c_void_p)]


class SpmmOperands(Structure):
    _fields_ = [("b", c_void_p), ("b_row", c_int64), ("c", c_void_p), ("c_row", c_int64), ("alpha", c_double),
                ("beta", c_double)]


class SpmmOptions(Structure):
    _fields_ = [("size", c_size_t), ("kernel", c_char_p), ("products", c_int64), ("resident", c_bool)]


class H2BuildOptions(Structure):
    _fields_ = [("size", c_size_t), ("function", c_char_p), ("length", c_double), ("nugget", c_double),
                ("eta", c_double), ("order", c_int64), ("leaf_size", c_int64), ("full", c_bool), ("single", c_bool)]


class H2Info(Structure):
    _fields_ = [("n", c_int64), ("dim", c_int64), ("levels", c_int64), ("most_rank", c_int64), ("bytes", c_int64),
                ("symmetric", c_bool), ("orthogonal", c_bool), ("single", c_bool), ("compress_error", c_double)]


class SchemeInfo(Structure):
    _fields_ = [("n", c_int64), ("m", c_int64), ("p", c_int64), ("rank", c_int64), ("field", c_int),
                ("denominator", c_int64), ("u", c_void_p), ("v", c_void_p), ("w", c_void_p)]


Log = ctypes.CFUNCTYPE(None, c_void_p, c_char_p)
library = _load()

# For each result type: names with their arguments. p: a pointer, s: a text, i: int, u: unsigned, q: int64_t,
# Q: uint64_t, d: double, b: bool, z: size_t, S: mmpipe_shape. Functions with a status fail by it (_context.py).
_CODES = {"p": c_void_p, "s": c_char_p, "i": c_int, "u": c_uint, "q": c_int64, "Q": c_uint64, "d": c_double,
          "b": c_bool, "z": c_size_t, "S": Shape}
_STATUS = """set_threads pi; set_memory pq; set_seed pQ; set_device ps; record_from_entries pSqpppip;
record_from_array pSpip; record_copy ppp; record_name ppp; record_get ppsp; record_set ppss;
record_to_coordinate pp; record_to_array pp; record_expand pp; record_drop_zeros pp; reader_open ppiup;
reader_next ppp; writer_open psiip; writer_put ppp; writer_finish pp; permanent_compute pppp;
permanent_fold_open ppp; permanent_fold_add pppp; permanent_minors pppp; dm_decompose ppbp; dm_permute ppb;
dm_drop ppb; dm_split ppbp; dm_split_next ppp; order pps; record_permute pppp; record_restore pp;
record_origin pppp; spmm_open ppiqpp; spmm_open_record ppbiqpp; spmm_multiply ppp; h2_build ppqqpp;
h2_from_record ppp; h2_to_record ppp; h2_multiply ppbdpdpq; h2_multiply_resident ppbdpdpq; h2_orthogonalize pp;
h2_compress ppdipp; h2_sample_error ppqp; scheme_new ppp; scheme_from_record ppp; scheme_to_record ppp;
scheme_verify ppqpsz"""
_OTHER = {
    None: """context_free p; set_log ppp; error_place pppp; interrupt p; resume p; free p; record_free p;
        reader_skip_file p; reader_close p; writer_close p; permanent_free p; permanent_fold_close p; dm_get_form pp;
        dm_free p; dm_split_close p; spmm_close p; h2_get_info pp; h2_free p; scheme_get_info pp; scheme_free p""",
    c_void_p: "context_new ; record_row p; record_col p; record_real p; record_integer p",
    c_char_p: """version ; error p; record_digits pq; record_comments p; reader_repair p; permanent_text p;
        permanent_bound_text p; permanent_estimate_text p; permanent_method p; order_methods ; spmm_kernel p""",
    c_int: "error_status p; record_kind p; record_format p; permanent_field p",
    c_int64: "record_nnz p; permanent_blocks p; spmm_pack ipqp",
    c_double: "permanent_real p; permanent_imag p; permanent_bound p; permanent_estimate p",
    c_bool: "permanent_is_exact p",
    Shape: "record_shape p",
}


def _declare(names: str, result: type | None) -> None:
    for entry in names.split(";"):
        name, _, arguments = entry.strip().partition(" ")
        function = getattr(library, "mmpipe_" + name)
        function.argtypes = [_CODES[code] for code in arguments]
        function.restype = result


_declare(_STATUS, c_int)
for _result, _names in _OTHER.items():
    _declare(_names, _result)
