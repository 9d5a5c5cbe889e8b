"""Learning from experiments: nocurl beside the PyPI package gies on the same tables, in one run.

    python bench/peers/interventions.py --nocurl target/release/nocurl --trials 5 --sizes 20,50

Random graphs, standardised, 100 rows in each of d + 1 conditions (a control, and one that sets each
variable). Distances are between directed graphs: missing, extra and reversed edges count one each.
Undirected edges of GIES count as right where the true graph has them in either direction, which
favours GIES. Times are of learning alone, without reading.
"""

import argparse
import csv
import json
import subprocess
import tempfile
import time
import tomllib
from pathlib import Path

import numpy as np


def shd(truth: np.ndarray, found: np.ndarray) -> int:
    """Undirected edges (both entries) count as right where there is an edge."""
    d, wrong = len(truth), 0
    for i in range(d):
        for j in range(i):
            a, b = (truth[i, j], truth[j, i]), (found[i, j], found[j, i])
            undirected = all(b)
            wrong += (not any(a)) if undirected else a != b
    return wrong


def matrix(document: dict, names: list[str]) -> np.ndarray:
    place = {name: k for k, name in enumerate(names)}
    found = np.zeros((len(names), len(names)), dtype=bool)
    for edge in document["edges"]:
        if edge["from"] in place and edge["to"] in place:
            found[place[edge["from"]], place[edge["to"]]] = True
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nocurl", default="nocurl")
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--sizes", default="20,50")
    parser.add_argument("--degrees", default="2,4")
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--without-gies", action="store_true")
    options = parser.parse_args()
    rows = []
    for degree in options.degrees.split(","):
        for d in map(int, options.sizes.split(",")):
            for trial in range(options.trials):
                rows += trial_of(options, degree, d, trial)
                print(*rows[-3:], sep="\n", flush=True)
    print(f"{'graph':6}{'d':>5} {'method':12}{'SHD':>8}{'se':>7}{'seconds':>9}")
    for key in sorted({row[:3] for row in rows}):
        alike = [row for row in rows if row[:3] == key]
        values = np.array([row[4] for row in alike], dtype=float)
        error = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else float("nan")
        seconds = np.mean([row[5] for row in alike])
        print(f"ER{key[0]:4}{key[1]:5} {key[2]:12}{values.mean():8.2f}{error:7.2f}{seconds:9.2f}")


def trial_of(options: argparse.Namespace, degree: str, d: int, trial: int) -> list[tuple]:
    with tempfile.TemporaryDirectory() as folder:
        at = Path(folder)
        run = lambda *words: subprocess.run([options.nocurl, *map(str, words)], check=True)
        run(
            "simulate", "--variables", d, "--degree", degree, "--rows", options.rows,
            "--standardize", "--interventions", f"single:{d}", "--seed", 1000 + trial, "--quiet",
            "--output", at / "x.csv", "--truth", at / "truth.json", "--targets-output", at / "t.toml",
        )
        with open(at / "x.csv") as file:
            header, *body = csv.reader(file)
        names, labels = header[1:], [row[0] for row in body]
        values = np.array([row[1:] for row in body], dtype=float)
        truth = matrix(json.loads((at / "truth.json").read_text()), names)
        with open(at / "pooled.csv", "w") as file:
            csv.writer(file).writerows([names, *(row[1:] for row in body)])
        rows = []

        def nocurl(method: str, table: str, *words: object) -> None:
            run("learn", at / table, "--quiet", "--no-confidence", "--no-diagnosis", *words,
                "--output", at / "g.json")
            document = json.loads((at / "g.json").read_text())
            wrong = shd(truth, matrix(document, names))
            rows.append((degree, d, method, trial, wrong, document["elapsed_seconds"]))

        nocurl("nocurl", "x.csv", "--condition", "condition", "--targets", at / "t.toml")
        nocurl("pooled", "pooled.csv")
        if not options.without_gies:
            import gies

            targets = tomllib.loads((at / "t.toml").read_text())["targets"]
            conditions = list(dict.fromkeys(labels))
            sets = [[names.index(name) for name in targets[c]] for c in conditions]
            labelled = np.array(labels)
            data = [values[labelled == c] for c in conditions]
            started = time.perf_counter()
            found, _ = gies.fit_bic(data, sets)
            rows.append((degree, d, "gies", trial, shd(truth, found != 0),
                         time.perf_counter() - started))
        return rows


if __name__ == "__main__":
    main()
