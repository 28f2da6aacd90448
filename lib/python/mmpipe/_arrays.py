# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of numpy, scipy and, through DLPack, of others: where they lie, and new ones of the same kind."""

from __future__ import annotations

import ctypes
import importlib
from ctypes import POINTER, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p, cast
from typing import Any

import numpy as np


class _Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)), ("offset", c_uint64)]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]
CPU, CUDA = (1, 3), (2, 13)  # kDLCPU, kDLCUDAHost; kDLCUDA, kDLCUDAManaged
_NAMES = {(2, 16): "float16", (2, 32): "float32", (2, 64): "float64", (4, 16): "bfloat16"}


class View:
    """Where a matrix lies: address, dtype by name, shape, strides in numbers. It keeps the matrix alive."""

    def __init__(self, array: Any) -> None:
        self.array = array
        if isinstance(array, np.ndarray):
            self.address, self.on_device, self.device = array.ctypes.data, False, 0
            self.dtype, self.shape = array.dtype.name, tuple(array.shape)
            self.strides = tuple(s // array.itemsize for s in array.strides)
            return
        if not hasattr(array, "__dlpack__"):
            raise TypeError(f"{type(array).__name__} is neither a numpy array nor a DLPack tensor")
        kind = array.__dlpack_device__()[0]
        if int(kind) not in CPU + CUDA:
            raise TypeError("tensors lie in the memory of the host or of an NVIDIA GPU")
        self.on_device = int(kind) in CUDA
        # On a device: what fills it is done before the work of the legacy default stream, which is ours.
        self.capsule = array.__dlpack__(stream=1) if self.on_device else array.__dlpack__()
        tensor = cast(_pointer_of(self.capsule, b"dltensor"), POINTER(_Tensor)).contents
        self.address, self.device = (tensor.data or 0) + tensor.offset, tensor.device_id
        self.dtype = _NAMES.get((tensor.code, tensor.bits), f"code {tensor.code}, {tensor.bits} bits")
        self.shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
        if tensor.strides:
            self.strides = tuple(tensor.strides[i] for i in range(tensor.ndim))
        else:
            self.strides = tuple(int(np.prod(self.shape[i + 1:])) for i in range(tensor.ndim))

    def is_by_rows(self) -> bool:
        """Numbers of a row side by side, rows in order and apart."""
        return (len(self.shape) == 2 and (self.strides[1] == 1 or self.shape[1] <= 1)
                and (self.strides[0] >= self.shape[1] or self.shape[0] <= 1))

    def is_by_columns(self) -> bool:
        """Column after column without gaps."""
        if len(self.shape) == 1:
            return self.strides[0] == 1 or self.shape[0] <= 1
        return ((self.strides[0] == 1 or self.shape[0] <= 1)
                and (self.strides[1] == self.shape[0] or self.shape[1] <= 1))


def empty(shape: tuple[int, ...], dtype: str, like: Any) -> Any:
    """A new array of the library, and on the device, of `like`."""
    module = type(like).__module__.split(".")[0]
    if module == "torch":
        torch = importlib.import_module("torch")
        return torch.empty(shape, dtype=getattr(torch, dtype), device=like.device)
    if module == "cupy":
        cupy = importlib.import_module("cupy")
        with like.device:
            return cupy.empty(shape, dtype=dtype)
    if not isinstance(like, np.ndarray):
        raise TypeError(f"there is no way to make a {type(like).__name__}: give `out`")
    return np.empty(shape, dtype=dtype)


def by_rows(array: Any) -> Any:
    """The same numbers by rows: itself where they are, else a copy by its own library."""
    if View(array).is_by_rows():
        return array
    return array.contiguous() if hasattr(array, "contiguous") else type_module(array).ascontiguousarray(array)


def by_columns(array: Any) -> Any:
    """The same numbers column after column."""
    if View(array).is_by_columns():
        return array
    return array.t().contiguous().t() if hasattr(array, "contiguous") else type_module(array).asfortranarray(array)


def type_module(array: Any) -> Any:
    """numpy, or the library that has numpy's functions for such arrays."""
    return np if isinstance(array, np.ndarray) else importlib.import_module(type(array).__module__.split(".")[0])


def view_numbers(owner: Any, address: int | None, count: int, dtype: Any) -> np.ndarray:
    """Memory of `owner`, which the array keeps alive, as an array that cannot be written to."""
    if not address or count == 0:
        return np.empty(0, dtype)
    memory = (c_uint8 * (count * np.dtype(dtype).itemsize)).from_address(address)
    memory._owner = owner
    array = np.frombuffer(memory, dtype)
    array.flags.writeable = False
    return array
