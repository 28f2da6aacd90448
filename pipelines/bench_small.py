# SPDX-License-Identifier: BSD-3-Clause
"""A pipe of five programs over many small matrices: processor seconds of each, and how many of them are mathematics.

bench_small.py FOLDER [COUNT]     test files are made in the folder; COUNT matrices (default: 100000)

    mm-cat | mm-dm --blocks | mm-fmdecompose | mm-order --for perm | perm-gpu

over random matrices of order 20 with four entries a row. (Without --for perm, mm-order searches long for an order that
perm-gpu finds by itself, and there is little but mathematics.) Seconds are user and system time of each program in the
pipe, the least of three runs, with one thread each.

Mathematics is counted by callgrind where valgrind is installed: the instructions inside the functions of MATHEMATICS,
with what they call, over all instructions of the program, for SAMPLE records in the same form. These functions find
matchings and blocks, reduce exactly, search orders, bound permanents and compute them. This share of a program's user
time is called mathematics. The rest is everything else: reading, writing, metadata, the choice of a method, memory,
threads, and all of the system time. Loops stand in for the processor's string instructions meanwhile, which valgrind
would count byte by byte.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys

import bench

folder = sys.argv[1]
count = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
RUNS, SAMPLE = 3, 2000
VALUES = {"integers": "int:1:9", "real numbers": "uniform"}
PIPE = ("mm-cat", "mm-dm --blocks", "mm-fmdecompose", "mm-order --for perm", "perm-gpu --device cpu")
MATHEMATICS = {
    "mm-dm": {"dm_decompose"},
    "mm-fmdecompose": {"perm_scaled_simplify"},
    "mm-order": {"order_permanent", "order_permanent_partition"},
    "perm-gpu": {"dm_decompose", "perm_reduce", "order_frontier_search", "perm_numbers_bound_bits", "perm_solve_run"},
}
LOOPS = "glibc.cpu.x86_rep_movsb_threshold=1073741824:glibc.cpu.x86_rep_stosb_threshold=1073741824"


def start(command, source, target, **more):
    return subprocess.Popen(shlex.split(command) + ["-j", "1"], stdin=source, stdout=target, **more)


def run_pipe(path):
    """User and system seconds of each program."""
    programs, source = [], open(path, "rb")
    for command in PIPE:
        is_last = command is PIPE[-1]
        programs.append(start(command, source, subprocess.DEVNULL if is_last else subprocess.PIPE))
        source.close()
        source = programs[-1].stdout
    seconds = []
    for program in programs:
        _, status, usage = os.wait4(program.pid, 0)
        program.returncode = status
        if status != 0:
            raise SystemExit(f"{shlex.join(program.args)}: status {status >> 8}, signal {status & 127}")
        seconds.append((usage.ru_utime, usage.ru_stime))
    return seconds


def read_share(counts, functions):
    """The share of a file of callgrind that is inside calls of these functions."""
    names, total, inside = {}, 0, 0
    is_counted = is_call = False
    with open(counts) as lines:
        for line in lines:
            called = re.match(r"cfn=\((\d+)\)(?: (\S+))?", line)
            named = called or re.match(r"fn=\((\d+)\)(?: (\S+))?", line)
            if named and named[2]:
                names[named[1]] = named[2]
            if called:
                is_counted = names[called[1]] in functions
            elif line.startswith("calls="):
                is_call = True
            elif line[:1] in "+-*0123456789":
                cost = int(line.split()[1])
                inside += cost if is_call and is_counted else 0
                total += 0 if is_call else cost
                is_call = False
    return inside / total


def count_share(command, path):
    """The share of instructions in MATHEMATICS; None without callgrind."""
    name = command.split()[0]
    if name not in MATHEMATICS:
        return 0
    if shutil.which("valgrind") is None:
        return None
    counts = os.path.join(folder, "callgrind.out")
    tool = f"valgrind -q --tool=callgrind --callgrind-out-file={shlex.quote(counts)} {command}"
    with open(path, "rb") as source:
        if start(tool, source, subprocess.DEVNULL, env=dict(os.environ, GLIBC_TUNABLES=LOOPS)).wait() != 0:
            raise SystemExit(f"{tool}: failed")
    return read_share(counts, MATHEMATICS[name])


def count_shares(path):
    """The share of each program, over the first records of the file as they come to it."""
    shares = []
    source = os.path.join(folder, "small.0")
    bench.run(f"mm-cat --head {SAMPLE} -o {shlex.quote(source)} {shlex.quote(path)}", runs=1)
    for number, command in enumerate(PIPE):
        shares.append(count_share(command, source))
        target = os.path.join(folder, f"small.{number + 1}")
        with open(source, "rb") as records, open(target, "wb") as results:
            start(command, records, results).wait()
        source = target
    return shares


def measure(name, form):
    os.environ["MMPIPE_FORM"] = form
    path = bench.make_matrix(folder, f"small-{name.split()[0]}-{count}.{form}",
                             f"er 20 -p 0.2 --values {VALUES[name]} --seed 20 --count {count}")
    least = min((run_pipe(path) for _ in range(RUNS)), key=lambda seconds: sum(map(sum, seconds)))
    shares = count_shares(path)
    rows, known, total = [], 0, 0
    for command, (user, system), share in zip(PIPE, least, shares):
        text = "-" if share is None else f"{100 * user * share / (user + system):.0f} %"
        rows.append((command, f"{user:.2f}", f"{system:.2f}", text))
        known += user * (share or 0)
        total += user + system
    rows.append(("all", f"{total:.2f}", "", "-" if None in shares else f"{100 * known / total:.0f} %"))
    bench.table(f"{count} matrices of {name}, form {form}", [("", "user s", "system s", "mathematics")] + rows)


for name in VALUES:
    for form in ("text", "bin"):
        measure(name, form)
