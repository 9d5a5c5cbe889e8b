"""nocurl's `nonlinear` and `cam` beside RESIT of the PyPI package `lingam`: same tables, one run.

    pip install lingam==1.13.0
    python bench/peers/resit.py --sizes 10 --trials 3

Tables are those of `nocurl bench nonlinear-gp` in kind: functions from Gaussian processes, d or 4 d
expected edges, noise variances from 0.4 to 0.8, n = 1000. RESIT has a forest of depth 4 as its
regression, as in the example of the package, and its level of 0.01. Seconds are those of the CPU:
of the whole process for nocurl, of `fit` after imports for RESIT.
"""

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lingam
import numpy
from sklearn.ensemble import RandomForestRegressor

NOCURL = Path(__file__).resolve().parents[2] / "target" / "release" / "nocurl"


def run(*command):
    """Runs a program; seconds of CPU."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([str(part) for part in command], check=True)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def by_resit(table, graph):
    x = numpy.load(table)
    forest = RandomForestRegressor(max_depth=4, random_state=0)
    start = time.process_time()
    weights = lingam.RESIT(regressor=forest, alpha=0.01).fit(x).adjacency_matrix_
    seconds = time.process_time() - start
    # Rows of the package are effects.
    names = [f"x{j + 1}" for j in range(x.shape[1])]
    edges = [(names[i], names[j]) for j, i in zip(*numpy.nonzero(weights))]
    Path(graph).write_text("from,to\n" + "".join(f"{a},{b}\n" for a, b in edges))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nocurl", type=Path, default=NOCURL)
    parser.add_argument("--sizes", type=int, nargs="*", default=[10])
    parser.add_argument("--degrees", type=int, nargs="*", default=[2, 8])
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip-resit", action="store_true")
    options = parser.parse_args()
    out = csv.writer(sys.stdout)
    out.writerow(["degree", "d", "seed", "method", "shd", "sid", "true_edges", "cpu_seconds"])
    with tempfile.TemporaryDirectory() as folder:
        table, truth = Path(folder, "x.npy"), Path(folder, "truth.json")
        for d in options.sizes:
            for degree in options.degrees:
                for trial in range(options.trials):
                    seed = options.seed + trial
                    run(options.nocurl, "simulate", "--mechanism", "gp", "--variances",
                        "random:0.4,0.8", "--degree", degree, "--variables", d, "--rows", 1000,
                        "--seed", seed, "--output", table, "--truth", truth, "--quiet")
                    for method in ["nonlinear", "cam", "RESIT"]:
                        if method == "RESIT" and options.skip_resit:
                            continue
                        graph = Path(folder, "g.csv" if method == "RESIT" else "g.json")
                        if method == "RESIT":
                            seconds = by_resit(table, graph)
                        else:
                            seconds = run(options.nocurl, "learn", table, "--method", method,
                                          "--threads", 1, "--no-diagnosis", "--no-confidence",
                                          "--quiet", "--output", graph)
                        scores = subprocess.run(
                            [options.nocurl, "evaluate", truth, graph, "--json"],
                            check=True, capture_output=True)
                        found = json.loads(scores.stdout)
                        out.writerow([degree, d, seed, method, found["shd"], found["sid"],
                                      found["true_edges"], round(seconds, 2)])
                        sys.stdout.flush()


main()
