"""nocurl's `lingam` beside DirectLiNGAM of the PyPI package `lingam`: same tables, one run.

    pip install lingam==1.13.0
    python bench/peers/lingam_order.py --sizes 20 50 --rows 10000 --tables 2 --orders 20

Seconds are those of `DirectLiNGAM(measure="pwling").fit` after imports, and `elapsed_seconds` of
`nocurl learn --method lingam`, which includes reading the table. `--orders` tables of 10 columns
and 1000 rows are compared by their order alone.
"""

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import lingam
import numpy

NOCURL = Path(__file__).resolve().parents[2] / "target" / "release" / "nocurl"
NOISE = ["exponential", "laplace", "uniform"]


def table(d, n, seed):
    """A random linear model with four neighbours a variable on average, columns shuffled."""
    random = numpy.random.default_rng(seed)
    present = random.random((d, d)) < 4 / (d - 1)
    weights = numpy.triu(random.uniform(0.5, 1.5, (d, d)) * random.choice([-1, 1], (d, d)), 1)
    x = getattr(random, NOISE[seed % len(NOISE)])(size=(n, d))
    for j in range(d):
        x[:, j] += x[:, :j] @ (weights * present)[:j, j]
        x[:, j] /= x[:, j].std()
    return numpy.ascontiguousarray(x[:, random.permutation(d)])


def by_package(x):
    start = time.perf_counter()
    order = lingam.DirectLiNGAM(measure="pwling").fit(x).causal_order_
    return time.perf_counter() - start, [int(j) for j in order]


def by_nocurl(program, x):
    with tempfile.TemporaryDirectory() as folder:
        data, graph = Path(folder, "x.npy"), Path(folder, "g.json")
        numpy.save(data, x)
        command = [program, "learn", data, "--method", "lingam", "--no-diagnosis", "--quiet"]
        subprocess.run([*command, "--output", graph], check=True)
        found = json.loads(graph.read_text())
    return found["elapsed_seconds"], [int(name[1:]) - 1 for name in found["order"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nocurl", type=Path, default=NOCURL)
    parser.add_argument("--sizes", type=int, nargs="*", default=[20])
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--tables", type=int, default=2)
    parser.add_argument("--orders", type=int, default=20)
    options = parser.parse_args()
    same = 0
    for seed in range(options.orders):
        x = table(10, 1000, seed)
        same += by_package(x)[1] == by_nocurl(options.nocurl, x)[1]
    print(f"same order on {same} of {options.orders} tables (d = 10, n = 1000)", flush=True)
    for d in options.sizes:
        for seed in range(options.tables):
            x = table(d, options.rows, seed)
            fast, order = min(by_nocurl(options.nocurl, x) for _ in range(3))
            slow, expected = by_package(x)
            verdict = "same order" if order == expected else "another order"
            print(f"d = {d}, n = {options.rows}: {slow:.2f} s, nocurl {fast:.4f} s, "
                  f"{slow / fast:.0f} times, {verdict}", flush=True)


main()
