#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Options of mm-gen for sparse matrices that no price of spmm-tc was fitted to.

draw_spmm_matrices.py SEED COUNT

One line a matrix. The kinds take turns: random matrices that are square, wide and tall, power-law graphs, bands, blocks
with entries above them, grids, and matrices as dense as pruned layers. Sizes and densities are drawn from SEED.
"""
import random
import sys


def log_uniform(draw, low, high):
    return low * (high / low) ** draw.random()


def to_16(number):
    """The nearest multiple of 16."""
    return max(16, round(number / 16) * 16)


def random_entries(draw, rows, columns, entries):
    return f"er {rows}x{columns} --p {min(0.5, entries / (rows * columns)):.6g}"


def square(draw):
    rows = to_16(log_uniform(draw, 3e3, 2e5))
    return random_entries(draw, rows + draw.choice((0, 0, 0, 7)), rows, log_uniform(draw, 3e5, 6e6))


def wide(draw):
    rows = to_16(log_uniform(draw, 1e3, 2e4))
    return random_entries(draw, rows, to_16(rows * log_uniform(draw, 2, 12)), log_uniform(draw, 3e5, 6e6))


def tall(draw):
    columns = to_16(log_uniform(draw, 1e3, 2e4))
    return random_entries(draw, to_16(columns * log_uniform(draw, 2, 12)), columns, log_uniform(draw, 3e5, 6e6))


def graph(draw):
    return f"rmat {2 ** draw.randint(12, 17)} --edges {draw.choice((4, 8, 16, 32))} --field real"


def band(draw):
    width = to_16(log_uniform(draw, 16, 300))
    rows = to_16(log_uniform(draw, 4e3, 1e5))
    return f"band {rows} --bandwidth {width}:{draw.choice((width, width // 4))} --p {log_uniform(draw, 0.03, 0.6):.4g}"


def blocks(draw):
    rows = to_16(log_uniform(draw, 4e3, 4e4))
    count = max(2, round(rows / log_uniform(draw, 20, 300)))
    p, fill = log_uniform(draw, 0.1, 0.9), log_uniform(draw, 1e-5, 1e-3)
    return f"block {rows} --block-count {count} --p {p:.4g} --fill {fill:.4g}"


def grid(draw):
    if draw.random() < 0.5:
        return f"stencil {round(log_uniform(draw, 100, 500))}x{round(log_uniform(draw, 100, 500))} --field real"
    return "stencil " + "x".join(str(round(log_uniform(draw, 20, 64))) for _ in range(3)) + " --field real"


def pruned(draw):
    rows, columns = (to_16(log_uniform(draw, 512, 12288)) for _ in range(2))
    return f"er {rows}x{columns} --p {log_uniform(draw, 0.02, 0.3):.4g}"


def main():
    seed, count = (int(text) for text in sys.argv[1:3])
    draw = random.Random(seed)
    kinds = square, wide, graph, pruned, tall, band, blocks, grid
    for number in range(count):
        print(kinds[number % len(kinds)](draw), "--seed", seed * 1000 + number)


if __name__ == "__main__":
    main()
