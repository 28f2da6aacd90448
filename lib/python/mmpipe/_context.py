# SPDX-License-Identifier: BSD-3-Clause
"""Contexts and calls: failures become exceptions, long calls run beside the main thread so that Ctrl-C ends them."""

from __future__ import annotations

import os
import queue
import threading
from ctypes import byref, c_char_p, c_int64, c_void_p
from typing import Any, Callable

from ._library import Log, library


class Error(Exception):
    """A call failed. `file`, `record` and `line` say where, as far as that is known (None, or counted from 1)."""

    file: str | None = None
    record: int | None = None
    line: int | None = None


class Failed(Error, ValueError):
    """The input is sound, but this cannot be done with it."""


class Usage(Error, ValueError):
    """A wrong argument."""


class Damaged(Error, OSError):
    """The input is damaged or truncated."""


class MachineError(Error, RuntimeError):
    """Memory, disk or device."""


class Stopped(Error, RuntimeError):
    """Context.interrupt was called."""


_ERRORS = {1: Failed, 2: Usage, 3: Damaged, 4: MachineError, 5: Stopped}


class Context:
    """Settings of calls: `threads` (0: all processors), `memory` in bytes, `seed`, `device` ("auto", "cpu", "cuda",
    "cuda:1"), and `log`, a function that gets remarks. Functions take one as `context`; without it each thread has
    one of its own with what is usual. Calls of two threads with the same context follow each other.

    >>> Context(threads=2, device="cpu").device
    'cpu'
    >>> Context(device="gpu")
    Traceback (most recent call last):
    mmpipe._context.Usage: device 'gpu' is not auto, cpu, cuda or cuda:N[,N...]
    """

    def __init__(self, threads: int = 0, memory: int | None = None, seed: int = 1, device: str = "auto",
                 log: Callable[[str], None] | None = None) -> None:
        self._pointer: int | None = library.mmpipe_context_new()
        if not self._pointer:
            raise MemoryError
        self._lock = threading.RLock()
        self.threads, self.memory, self.seed, self.device = threads, memory, seed, device
        self.check(library.mmpipe_set_threads(self._pointer, threads))
        self.check(library.mmpipe_set_seed(self._pointer, seed))
        self.check(library.mmpipe_set_device(self._pointer, device.encode()))
        if memory is not None:
            self.check(library.mmpipe_set_memory(self._pointer, memory))
        if log is not None:
            self._log = Log(lambda data, text: log(text.decode(errors="replace")))
            library.mmpipe_set_log(self._pointer, self._log, None)

    def __del__(self) -> None:
        if getattr(self, "_pointer", None) and library is not None:
            library.mmpipe_context_free(self._pointer)

    def interrupt(self) -> None:
        """Ends the call that runs with this context in another thread: it raises Stopped."""
        library.mmpipe_interrupt(self._pointer)

    def check(self, status: int) -> None:
        """Raises what a status stands for."""
        if status == 0:
            return
        if status == 5:
            library.mmpipe_resume(self._pointer)
        file, record, line = c_char_p(), c_int64(), c_int64()
        error = _ERRORS[status](library.mmpipe_error(self._pointer).decode(errors="replace"))
        library.mmpipe_error_place(self._pointer, byref(file), byref(record), byref(line))
        error.file = (file.value or b"").decode(errors="replace") or None
        error.record, error.line = record.value or None, line.value or None
        raise error

    def call(self, name: str, *arguments: Any) -> None:
        """mmpipe_`name`(context, arguments); raises what it fails with."""
        with self._lock:
            self.check(_run(self, getattr(library, "mmpipe_" + name), (self._pointer, *arguments)))

    def make(self, release: str, name: str, *arguments: Any) -> int:
        """The same for functions whose last parameter gets a new object; mmpipe_`release` undoes them where Ctrl-C
        comes in between."""
        pointer = self.make_if_any(release, name, *arguments)
        assert pointer is not None
        return pointer

    def make_if_any(self, release: str, name: str, *arguments: Any) -> int | None:
        """The same for functions that may have no object to give: None."""
        made = c_void_p()
        try:
            self.call(name, *arguments, byref(made))
        except BaseException:
            if made.value:
                getattr(library, "mmpipe_" + release)(made)
            raise
        return made.value

    def text(self, name: str, *arguments: Any) -> str | None:
        """The same for functions that give a text."""
        pointer = self.make_if_any("free", name, *arguments)
        if pointer is None:
            return None
        try:
            return (c_char_p(pointer).value or b"").decode(errors="replace")
        finally:
            library.mmpipe_free(pointer)


_own = threading.local()


def get(context: Context | None) -> Context:
    """The context that is meant."""
    if context is not None:
        return context
    if not hasattr(_own, "context"):
        _own.context = Context()
    return _own.context


class _Worker(threading.Thread):
    """Calls functions for the main thread, which can be interrupted while it waits."""

    def __init__(self) -> None:
        super().__init__(name="mmpipe", daemon=True)
        self.jobs: queue.SimpleQueue = queue.SimpleQueue()
        self.results: queue.SimpleQueue = queue.SimpleQueue()
        self.start()

    def run(self) -> None:
        while True:
            function, arguments = self.jobs.get()
            self.results.put(function(*arguments))


_worker: _Worker | None = None


def _forget_worker() -> None:
    """A child of fork has no other thread."""
    global _worker
    _worker = None


os.register_at_fork(after_in_child=_forget_worker)


def _run(context: Context, function: Callable[..., int], arguments: tuple) -> int:
    global _worker
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    if _worker is None:
        _worker = _Worker()
    worker, interrupted = _worker, None
    worker.jobs.put((function, arguments))
    while True:
        try:
            status = worker.results.get()
            break
        except BaseException as signal:  # KeyboardInterrupt, or what a signal handler raises
            interrupted = signal
            context.interrupt()
    if interrupted is not None:
        library.mmpipe_resume(context._pointer)
        raise interrupted
    return status
