"""Every method on the protein data, against both consensus graphs: the table of docs/sachs.md.

    cargo build --release -p nocurl-cli && python3 bench/sachs.py

    python3 bench/sachs.py nocurl-gnn dag-gnn nocurl-mlp

The second form is for methods with a random start, over ten seeds. Rows are `nocurl learn data/sachs.csv` with the flags shown; scores are those of `nocurl evaluate`.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOCURL = os.environ.get("NOCURL", ROOT / "target" / "release" / "nocurl")
TRUTHS = [ROOT / "data" / "sachs-20.csv", ROOT / "data" / "sachs-17.csv"]
SCORES = ["shd", "cpdag_shd", "sid"]

# What is learnt from: the columns as measured, and their logarithms.
CONTENDERS = [
    ("order-search (default)", ""),
    ("order-search, penalty 10", "--param penalty=10"),
    ("fges", "--method fges"),
    ("mmpc", "--method mmpc"),
    ("cam", "--method cam"),
    ("exact, BIC", "--method exact --score bic"),
    ("nocurl", "--method nocurl"),
    ("nocurl, pruned", "--method nocurl --prune bic"),
    ("nocurl, refined", "--method nocurl --refine equal-variance --prune bic"),
    ("nocurl, refined by BIC", "--method nocurl --refine bic --prune bic"),
    ("nocurl, refined with networks", "--method nocurl --refine networks"),
    ("notears", "--method notears"),
    ("eq-td", "--method eq-td --prune bic"),
    ("eq-bu", "--method eq-bu --prune bic"),
    ("exact, least squares", "--method exact --prune bic"),
    ("baseline: sortnregress", "--method sortnregress --prune bic"),
    ("baseline: r2-sortnregress", "--method r2-sortnregress --prune bic"),
]


def run(*words):
    command = [str(NOCURL), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def scores(graph):
    """Distances from both graphs."""
    found = [json.loads(run("evaluate", truth, graph, "--json")) for truth in TRUTHS]
    return [result[name] for result in found for name in SCORES]


def logarithms(path, target):
    import math

    with path.open(newline="") as source, target.open("w", newline="") as sink:
        reader, writer = csv.reader(source), csv.writer(sink)
        writer.writerow(next(reader))
        writer.writerows([math.log(float(cell)) for cell in row] for row in reader)


def standardised(path, target):
    """The logarithms, each column brought to mean 0 and variance 1."""
    import statistics

    logarithms(path, target)
    with target.open(newline="") as source:
        names, *rows = csv.reader(source)
    columns = [[float(cell) for cell in column] for column in zip(*rows)]
    moments = [(statistics.fmean(column), statistics.pstdev(column)) for column in columns]
    with target.open("w", newline="") as sink:
        writer = csv.writer(sink)
        writer.writerow(names)
        scaled = [[(x - m) / s for x in column] for column, (m, s) in zip(columns, moments)]
        writer.writerows(zip(*scaled))


# What methods with a random start are run with.
SEEDS = range(10)


def seeded(folder, methods):
    """Methods with a random start: mean, and smallest to largest, over seeds."""
    raw, scaled = ROOT / "data" / "sachs.csv", folder / "scaled.csv"
    standardised(raw, scaled)
    graph = folder / "graph.json"
    print("| | edges | SHD-20 | CPDAG-20 | SID-20 | SHD-17 | CPDAG-17 | SID-17 |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for method in methods:
        for title, data in (("as measured", raw), ("logarithms, standardised", scaled)):
            found = []
            for seed in SEEDS:
                run("learn", data, "--method", method, "--seed", seed, "--no-diagnosis", "--quiet",
                    "--output", graph)
                found.append([len(json.loads(graph.read_text())["edges"]), *scores(graph)])
            cells = [f"{sum(values) / len(values):.1f} ({min(values)} to {max(values)})"
                     for values in zip(*found)]
            print(f"| {method}, {title} | {' | '.join(cells)} |", flush=True)


def main():
    if len(sys.argv) > 1:
        with tempfile.TemporaryDirectory() as folder:
            return seeded(Path(folder), sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        raw, graph = ROOT / "data" / "sachs.csv", folder / "graph.json"
        logs = folder / "logarithms.csv"
        logarithms(raw, logs)
        names = raw.open().readline().strip().split(",")
        heading = "| | edges | SHD-20 | CPDAG-20 | SID-20 | SHD-17 | CPDAG-17 | SID-17 |"
        for title, data in (("As measured", raw), ("Logarithms", logs)):
            print(f"### {title}\n\n{heading}\n|---|--:|--:|--:|--:|--:|--:|--:|")
            empty = folder / "empty.csv"
            matrix = [names] + [["0"] * len(names) for _ in names]
            empty.write_text("\n".join(",".join(row) for row in matrix) + "\n")
            rows = [("the empty graph", 0, scores(empty))]
            for name, flags in CONTENDERS:
                run("learn", data, *flags.split(), "--no-diagnosis", "--no-confidence", "--quiet",
                    "--output", graph)
                edges = len(json.loads(graph.read_text())["edges"])
                rows.append((f"{name} `{flags}`" if flags else name, edges, scores(graph)))
            for name, edges, values in rows:
                print(f"| {name} | {edges} | {' | '.join(map(str, values))} |")
            print()


if __name__ == "__main__":
    main()
