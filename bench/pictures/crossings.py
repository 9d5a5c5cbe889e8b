"""Crossings of drawn edges: our pictures and those of Graphviz's dot, of the same graphs.

    python bench/pictures/crossings.py GRAPH...

Each GRAPH is a file that `nocurl draw` reads. Both programs draw it; the Bézier curves of all edges
are cut into short lines and every pair of edges is tested, in the same way for both. Needs NumPy,
`dot` on the path, and the program in NOCURL (default: target/release/nocurl).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

#: Lines that a Bézier curve is cut into.
STEPS = 12


def flat(path: str) -> np.ndarray:
    """The points of an SVG path of one `M` and several `C`."""
    numbers = np.array([float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", path)]).reshape(-1, 2)
    t = np.linspace(0, 1, STEPS + 1)[1:, None]
    line = [numbers[:1]]
    for k in range(0, len(numbers) - 3, 3):
        a, b, c, d = numbers[k : k + 4]
        s = 1 - t
        line.append(s**3 * a + 3 * s**2 * t * b + 3 * s * t**2 * c + t**3 * d)
    return np.concatenate(line)


def curves(svg: str) -> list[np.ndarray]:
    """The edges of a picture: the first path of each group of the class `edge`."""
    groups = re.findall(r'<g [^>]*class="edge".*?</g>', svg, re.S)
    paths = (re.search(r'<path [^>]*?\bd="(M[^"]*)"', group) for group in groups)
    return [flat(path[1]) for path in paths if path]


def crosses(a: np.ndarray, b: np.ndarray) -> int:
    """How often two lines cross."""
    p, r = a[:-1, None], (a[1:] - a[:-1])[:, None]
    q, s = b[None, :-1], (b[1:] - b[:-1])[None]
    cross = lambda u, v: u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]  # noqa: E731
    turn = cross(r, s)
    with np.errstate(divide="ignore", invalid="ignore"):
        t, u = cross(q - p, s) / turn, cross(q - p, r) / turn
    return int(((t >= 0) & (t < 1) & (u >= 0) & (u < 1) & (np.abs(turn) > 1e-12)).sum())


def crossings(lines: list[np.ndarray]) -> int:
    low = np.array([line.min(axis=0) for line in lines])
    high = np.array([line.max(axis=0) for line in lines])
    total = 0
    for i in range(len(lines)):
        meet = (low[:i] <= high[i]).all(axis=1) & (high[:i] >= low[i]).all(axis=1)
        total += sum(crosses(lines[i], lines[j]) for j in np.flatnonzero(meet))
    return total


def main() -> None:
    program = os.environ.get("NOCURL", "target/release/nocurl")
    ratios = []
    print(f"{'graph':40} {'edges':>6} {'ours':>6} {'dot':>6}")
    with tempfile.TemporaryDirectory() as folder:
        ours, dot = Path(folder, "ours.svg"), Path(folder, "graph.dot")
        for graph in sys.argv[1:]:
            subprocess.run([program, "draw", graph, "--output", ours, "--output", dot, "--quiet"], check=True)
            # Without our colours and widths, which say nothing about places.
            theirs = subprocess.run(["dot", "-Tsvg", dot], check=True, capture_output=True, text=True)
            lines = [curves(ours.read_text()), curves(theirs.stdout)]
            counts = [crossings(found) for found in lines]
            assert len(lines[0]) == len(lines[1]), (len(lines[0]), len(lines[1]))
            print(f"{Path(graph).name:40} {len(lines[0]):6} {counts[0]:6} {counts[1]:6}")
            ratios.append(counts)
    mean = np.mean(ratios, axis=0)
    print(f"{'mean':40} {'':6} {mean[0]:6.1f} {mean[1]:6.1f}   ours / dot {mean[0] / mean[1]:.3f}")
    shares = [(a + 1) / (b + 1) for a, b in ratios]
    print(f"geometric mean of (ours + 1) / (dot + 1): {np.exp(np.mean(np.log(shares))):.3f}")


if __name__ == "__main__":
    main()
