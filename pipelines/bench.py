# SPDX-License-Identifier: BSD-3-Clause
"""What the benchmarks share: runs of programs with their time and memory, and tables."""
import os
import shlex
import subprocess
import time


def run(command, runs=3, check=True):
    """Runs a shell command line a few times: (least processor seconds, largest resident bytes, output of the last
    run). Processor time, so that other work on the machine does not count; threads add up."""
    least, resident, output = float("inf"), 0, b""
    for _ in range(runs):
        process = subprocess.Popen(["bash", "-c", "exec " + command], stdout=subprocess.PIPE)
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        least = min(least, usage.ru_utime + usage.ru_stime)
        process.returncode = status
        resident = max(resident, usage.ru_maxrss * 1024)
        if check and status != 0:
            raise SystemExit(f"{command}: status {status >> 8}, signal {status & 127}")
    return least, resident, output


def run_on_clock(pipe, runs=5):
    """Runs a pipe a few times: (least seconds of the clock, least processor seconds of all its programs)."""
    least, processor = float("inf"), float("inf")
    for _ in range(runs):
        start = time.perf_counter()
        process = subprocess.Popen(["bash", "-o", "pipefail", "-c", pipe + "; exit $?"])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
        least = min(least, time.perf_counter() - start)
        processor = min(processor, usage.ru_utime + usage.ru_stime)
        if status != 0:
            raise SystemExit(f"{pipe}: status {status >> 8}, signal {status & 127}")
    return least, processor


def least_seconds(call, runs=3):
    """The least processor time of a few calls, and the result of the last."""
    least, result = float("inf"), None
    for _ in range(runs):
        start = time.process_time()
        result = call()
        least = min(least, time.process_time() - start)
    return least, result


def make_matrix(folder, name, options):
    """A matrix of mm-gen in the folder, made once for its options."""
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        run(f"mm-gen {options} -o {shlex.quote(path)}", runs=1)
    return path


def table(title, rows):
    """Prints rows of texts; the first is the heading."""
    print(title)
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [f"{cell:<{widths[0]}}" if column == 0 else f"{cell:>{widths[column]}}"
                 for column, cell in enumerate(row)]
        print("  ".join(cells).rstrip())
    print(flush=True)
