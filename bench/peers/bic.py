"""Searches over orders by BIC on the same standardised tables, in one run: this nocurl, others by
their paths, and flopsearch.

    python bench/peers/bic.py --sizes 500 --seeds 1 2 --restarts 0 20 --flopsearch
    python bench/peers/bic.py --sizes 1000 --seeds 1 2 --nocurl today=NEW before=OLD --degree 4

All have the same penalty: what an edge costs, in units of log n. Of each graph it prints seconds of
the processor of the whole process, CPDAG SHD, and the score that all minimise: n times the sum of
the logarithms of the residual variances, and the penalty of all edges. It needs numpy, and
flopsearch from PyPI where that is asked for.
"""

import argparse
import csv
import json
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
NOCURL = HERE.parent.parent / "target" / "release" / "nocurl"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[500])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--degree", type=float, default=4)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--penalty", type=float, default=2.0)
    parser.add_argument("--restarts", nargs="+", default=["own"], metavar="N",
                        help="restarts of each; `own` for what nocurl takes by itself")
    parser.add_argument("--nocurl", nargs="+", default=[f"nocurl={NOCURL}"], metavar="NAME=PATH")
    parser.add_argument("--flopsearch", action="store_true")
    parser.add_argument("--output", type=Path, metavar="CSV")
    return parser.parse_args()


def timed(command):
    """The output of a process, and its seconds of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return done.stdout, used


def flop(table, restarts, result, penalty):
    """What the process of flopsearch does; its matrix is that of a class."""
    import flopsearch

    x = numpy.load(table)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    numpy.save(result, flopsearch.flop(x, float(penalty), restarts=int(restarts)))


def member(pattern):
    """A DAG of a class, as parents of each variable: by Dor and Tarsi, on sets of neighbours."""
    d = len(pattern)
    into = [set(numpy.flatnonzero(pattern[:, j])) for j in range(d)]
    out = [set(numpy.flatnonzero(pattern[j])) for j in range(d)]
    left, parents = set(range(d)), [set() for _ in range(d)]

    def is_sink(v):
        if out[v] - into[v]:
            return False
        near, undirected = into[v] | out[v], into[v] & out[v]
        return all(near - {u} <= into[u] | out[u] for u in undirected)

    while left:
        sink = next((v for v in sorted(left) if is_sink(v)), None)
        if sink is None:
            sys.exit("error: the class has no member")
        parents[sink] = set(into[sink])
        left.remove(sink)
        for u in into[sink] | out[sink]:
            into[u].discard(sink)
            out[u].discard(sink)
    return parents


def score(x, parents, penalty):
    """What all minimise."""
    n = len(x)
    covariance = numpy.cov(x.T, bias=True)
    total = 0.0
    for j, some in enumerate(parents):
        some = sorted(some)
        variance = covariance[j, j]
        if some:
            within, with_j = covariance[numpy.ix_(some, some)], covariance[some, j]
            variance -= with_j @ numpy.linalg.solve(within, with_j)
        total += n * math.log(variance) + penalty * math.log(n) * len(some)
    return total


def cpdag_shd(nocurl, folder, names, truth, parents):
    """By `nocurl evaluate`."""
    estimate = folder / "estimate.csv"
    with estimate.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([int(i in some) for some in parents] for i in range(len(names)))
    out, _ = timed([nocurl, "evaluate", truth, estimate, "--json"])
    return json.loads(out)["cpdag_shd"]


def main(options):
    programs = [one.split("=", 1) for one in options.nocurl]
    nocurl, rows = programs[0][1], []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for size in options.sizes:
            for seed in options.seeds:
                table, truth = folder / "x.npy", folder / "truth.json"
                timed([nocurl, "simulate", "--degree", options.degree, "--variables", size,
                       "--rows", options.rows, "--seed", seed, "--standardize", "--quiet",
                       "--output", table, "--truth", truth])
                x = numpy.load(table)
                document = json.loads(truth.read_text())
                names = document["variables"]
                place = {name: j for j, name in enumerate(names)}

                def drawn(edges):
                    parents = [set() for _ in names]
                    for edge in edges:
                        parents[place[edge["to"]]].add(place[edge["from"]])
                    return parents

                def add(name, restarts, cpu, parents):
                    found = (name, size, seed, restarts, f"{cpu:.2f}", sum(map(len, parents)),
                             cpdag_shd(nocurl, folder, names, truth, parents),
                             f"{score(x, parents, options.penalty):.2f}")
                    rows.append(found)
                    print(*found, flush=True)

                add("truth", "", 0.0, drawn(document["edges"]))
                for restarts in options.restarts:
                    asked = [] if restarts == "own" else ["--restarts", restarts]
                    for name, program in programs:
                        result = folder / "graph.json"
                        _, cpu = timed([program, "learn", table, "--method", "order-search",
                                        "--param", f"penalty={options.penalty:g}", *asked,
                                        "--no-diagnosis", "--threads", 1, "--quiet",
                                        *no_confidence(program), "--output", result])
                        add(name, restarts, cpu, drawn(json.loads(result.read_text())["edges"]))
                    if options.flopsearch and restarts != "own":
                        result = folder / "class.npy"
                        _, cpu = timed([sys.executable, __file__, "flop", table, restarts, result,
                                        options.penalty])
                        add("flopsearch", restarts, cpu, member(numpy.load(result) != 0))
    if options.output:
        with options.output.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow("program d seed restarts cpu_seconds edges cpdag_shd score".split())
            writer.writerows(rows)


def no_confidence(program):
    """The flag that leaves it out, where the program has one."""
    text, _ = timed([program, "learn", "--help"])
    return ["--no-confidence"] if "--no-confidence" in text else []


if __name__ == "__main__":
    if sys.argv[1:2] == ["flop"]:
        flop(*sys.argv[2:6])
    else:
        main(arguments())
