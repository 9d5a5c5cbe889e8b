"""Which price of an edge suits which table: simulated graphs alone.

    python bench/penalty.py curves target/release/nocurl 120 curves.csv
    python bench/penalty.py rules curves.csv

`curves` simulates tables of many kinds (families, degrees, 10 to 200 variables, 100 to 5000 rows,
weights from very small to large, equal and unequal error variances; all standardised), learns each
at a row of prices, and writes the CPDAG SHD at each, and what the edges gain (twice the
log-likelihood) that are found at the extended BIC. `rules` tries rules that set the price on these
rows, without learning again: the constants of crates/nocurl/src/methods/order_search/price.rs.
"""

import csv
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

STEPS = 7
HEADING = ["kind", "n", "d", "edges", "prices", "shd", "gains"]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done.stdout


def kind(seed):
    """A kind of simulation by chance: flags of `nocurl simulate`."""
    rng = random.Random(seed)
    return {
        "graph": rng.choice(["er", "sf"]),
        "degree": rng.choice([2, 3, 4]),
        "variables": rng.choice([10, 20, 50, 50, 100, 100, 200]),
        "rows": rng.choice([100, 200, 500, 1000, 2000, 5000]),
        "weights": rng.choice(["0.05,0.5", "0.1,0.6", "0.1,1", "0.2,1.5", "0.5,2"]),
        "variances": rng.choice(["equal", "random:0.25,4"]),
        "noise": "gaussian",
        "seed": 70_000 + seed,
    }


def learn(nocurl, data, graph, n, d, price):
    flags = ["--param", f"penalty={price / math.log(n)}", "--no-confidence", "--no-diagnosis"]
    flags += ["--restarts", 20 if d > 20 else 50]
    run(nocurl, "learn", data, "--quiet", "--output", graph, *flags)


def curve(nocurl, label, data, truth, n, d, folder):
    graph, cells = folder / "g.json", []
    # Below the least price nearly everything is joined where there are few rows.
    least = max(0.9 * math.log(n), math.log(n) + 2 * math.log(d / 12))
    most = math.log(n) + 2 * math.log(d) + 1
    prices = [least + (most - least) * k / STEPS for k in range(STEPS + 1)]
    for price in prices:
        learn(nocurl, data, graph, n, d, price)
        cells.append(json.loads(run(nocurl, "evaluate", truth, graph, "--json"))["cpdag_shd"])
    learn(nocurl, data, graph, n, d, math.log(n) + 2 * math.log(d))
    edges = json.loads(graph.read_text())["edges"]
    gains = [-n * math.log1p(-edge["strength"]) for edge in edges]
    edges = len(json.loads(truth.read_text())["edges"])
    lists = [f"{price:.3f}" for price in prices], map(str, cells), (f"{g:.2f}" for g in gains)
    return [label, n, d, edges, *map(" ".join, lists)]


def curves(nocurl, count, output):
    with open(output, "w", newline="") as file, tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        writer = csv.writer(file)
        writer.writerow(HEADING)
        for seed in range(count):
            flags = kind(seed)
            data, truth = folder / "x.npy", folder / "t.json"
            words = [word for name, value in flags.items() for word in (f"--{name}", value)]
            run(nocurl, "simulate", *words, "--standardize", "--quiet", "--output", data,
                "--truth", truth)
            label = " ".join(str(flags[k]) for k in ("graph", "degree", "weights", "variances"))
            n, d = flags["rows"], flags["variables"]
            writer.writerow(curve(nocurl, label, data, truth, n, d, folder))
            file.flush()


def at(row, price):
    """The SHD at a price, between the neighbours that were tried."""
    points = list(zip(map(float, row["prices"].split()), map(float, row["shd"].split())))
    if price <= points[0][0]:
        return points[0][1]
    for (low, left), (high, right) in zip(points, points[1:]):
        if price <= high:
            return left + (right - left) * (price - low) / (high - low)
    return points[-1][1]


def adaptive(row, times, window, weight, most):
    """The price at which a further edge is as likely true as false; see price.rs."""
    n, d = float(row["n"]), float(row["d"])
    strict = math.log(n) + 2 * math.log(d)
    usual = math.log(n) + 2 * math.log(max(d / most, 1))
    pairs = times * d * (d - 1) / 2
    common = 2 * pairs / math.sqrt(2 * math.pi)
    prior = common * math.exp(-usual / 2)
    z = math.sqrt(strict)
    seen = sum(z <= math.sqrt(float(g)) < z + window for g in row["gains"].split())
    density = (seen + weight * prior) / (window + weight)
    price = 2 * math.log(common / density)
    return min(max(price, math.log(n)), strict)


def rules(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    best = [min(map(float, row["shd"].split())) for row in rows]
    print(f"{len(rows)} tables; CPDAG SHD above the best price of each table, mean; "
          "and by weights: small, middle, large")

    def show(name, rule):
        over = [at(row, rule(row)) - least for row, least in zip(rows, best)]
        parts = []
        for words in (("0.05,0.5", "0.1,0.6"), ("0.1,1", "0.2,1.5"), ("0.5,2",)):
            chosen = [o for o, row in zip(over, rows) if row["kind"].split()[2] in words]
            parts.append(f"{sum(chosen) / max(len(chosen), 1):.2f}")
        print(f"{sum(over) / len(over):6.2f}   {'  '.join(parts)}   {name}")

    log = math.log
    show("2 log n", lambda row: 2 * log(float(row["n"])))
    for most in (1, 2, 3, 4, 6):
        show(f"log n + 2 log(d / {most})",
             lambda row: log(float(row["n"])) + 2 * log(max(float(row["d"]) / most, 1)))
    for times in (0.5, 1, 2, 4):
        for window in (2, 3, 4):
            for weight in (0.5, 1, 2):
                for most in (2, 4):
                    show(f"adaptive: times {times}, window {window}, weight {weight}, most {most}",
                         lambda row: adaptive(row, times, window, weight, most))


if __name__ == "__main__":
    command, *rest = sys.argv[1:] or ["help"]
    if command == "curves":
        curves(rest[0], int(rest[1]), rest[2])
    elif command == "rules":
        rules(rest[0])
    else:
        sys.exit(__doc__)
