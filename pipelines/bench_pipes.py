# SPDX-License-Identifier: BSD-3-Clause
"""A record from one program to the next, in every form, beside the same bytes through cat and zstd.

bench_pipes.py FOLDER     test files are made in the folder

Seconds are of the clock, the least of five runs: a pipe's two programs work side by side. The last program counts what
it gets (mm-cat --check), as it does with the file, which is mapped; `of the file` is the pipe's time over that one.
"""
import os
import sys

import bench

folder = sys.argv[1]
RECORDS = {
    "real coordinate": "er 200000 -p 0.0008 --values uniform",
    "real array": "dense 6000 --values uniform",
}
FORMS = {"text": "text", "binary": "bin", "binary, --level 0": "bin --level 0", "resident": "resident"}

rows = [("", "through", "MB", "seconds", "processor", "of the file")]
for name, options in RECORDS.items():
    path = bench.make_matrix(folder, name.replace(" ", "-") + ".large", options + " --form bin --level 0")
    # cat and zstd carry the bytes that the binary form without compression has.
    megabytes = os.path.getsize(path) / 1e6
    least, processor = bench.run_on_clock(f"mm-cat --check {path}")
    rows.append((name, "the file, mapped", f"{megabytes:.0f}", f"{least:.2f}", f"{processor:.2f}", "1"))
    pipes = {f"mm-cat, {form}": f"mm-cat --form {word} {path} | mm-cat --check" for form, word in FORMS.items()}
    pipes["cat"] = f"cat {path} | cat >/dev/null"
    pipes["cat to mm-cat"] = f"cat {path} | mm-cat --check"
    pipes["zstd -1"] = f"zstd -q -1 -c {path} | zstd -q -d -c >/dev/null"
    for way, pipe in pipes.items():
        seconds, processor = bench.run_on_clock(pipe)
        rows.append(("", way, f"{megabytes:.0f}", f"{seconds:.2f}", f"{processor:.2f}", f"{seconds / least:.2f}"))
bench.table("A record through a pipe", rows)
