# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory of reading beside the arrays that come out, and beside fast_matrix_market.

bench_memory.py FOLDER
"""
import os
import sys

import bench

folder = sys.argv[1]
FILES = {
    "real coordinate": "er 200000 -p 0.00015 --values uniform",
    "pattern coordinate": "er 300000 -p 0.0001 --field pattern",
    "real array": "dense 2000 --values uniform",
}
PEER = "import fast_matrix_market, sys; x = fast_matrix_market.read_{}(sys.argv[1], parallelism=1)"

_, ground, _ = bench.run("mm-cat --version", runs=1)
_, peer_ground, _ = bench.run(f"{sys.executable} -c 'import fast_matrix_market'", runs=1)
rows = [("", "arrays MiB", "peak MiB", "ratio", "fmm peak MiB", "fmm ratio")]
for name, options in FILES.items():
    path = bench.make_matrix(folder, name.replace(" ", "-") + ".mtx", options)
    kind = "array" if "array" in name else "coo"
    with open(path) as file:
        sizes = next([int(word) for word in line.split()] for line in file if not line.startswith("%"))
    entries = sizes[0] * sizes[1] if kind == "array" else sizes[2]
    arrays = entries * (8 if kind == "array" else 16 if "pattern" in name else 24)
    # With --general the whole record is there at once.
    _, peak, _ = bench.run(f"mm-cat -j1 --general --form bin --level 0 -o /dev/null {path}", runs=1)
    _, peer, _ = bench.run(f"{sys.executable} -c '{PEER.format(kind)}' {path}", runs=1)
    rows.append((name, f"{arrays / 2**20:.0f}", f"{(peak - ground) / 2**20:.0f}",
                 f"{(peak - ground) / arrays:.2f}", f"{(peer - peer_ground) / 2**20:.0f}",
                 f"{(peer - peer_ground) / arrays:.2f}"))
bench.table("Peak resident memory of reading one matrix", rows)

bomb = os.path.join(folder, "bomb.mtx")
with open(bomb, "w") as file:
    file.write("%%MatrixMarket matrix coordinate real general\n4000000000 4000000000 4000000000\n")
seconds, peak, _ = bench.run(f"mm-cat --check {bomb} 2>/dev/null", runs=1, check=False)
print(f"A file of {os.path.getsize(bomb)} bytes that declares 4e9 entries: "
      f"refused in {seconds * 1e3:.0f} ms with {(peak - ground) >> 10} KiB")
