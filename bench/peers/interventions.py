"""Learning from experiments: nocurl beside the PyPI package gies on the same tables, in one run.

    python bench/peers/interventions.py --nocurl target/release/nocurl --output folder

Random graphs, standardised, 100 rows in each of d + 1 conditions (a control, and one that sets each
variable). Distances are between directed graphs: missing, extra and reversed edges count one each.
Undirected edges of GIES count as right where the true graph has them in either direction, which
favours GIES. Times of nocurl are those of the whole program with reading, those of GIES of learning
alone. A table that takes GIES longer than --limit seconds is left out of its mean and counted. With
--output, rows.csv has every table and table.md the means.
"""

import argparse
import csv
import json
import multiprocessing
import queue
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
    parser.add_argument("--sizes", default="20,50,100")
    parser.add_argument("--degrees", default="2,4")
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--without-gies", action="store_true")
    parser.add_argument("--limit", type=float, default=600, help="seconds that GIES may take a table")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    rows = []
    for d in map(int, options.sizes.split(",")):
        for degree in options.degrees.split(","):
            for trial in range(options.trials):
                found = trial_of(options, degree, d, trial)
                rows += found
                print(*found, sep="\n", flush=True)
                keep(options, rows)
    print(table(rows))


def keep(options: argparse.Namespace, rows: list[tuple]) -> None:
    """What is known by now, so that a run that is stopped leaves what it has."""
    if not options.output:
        return
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / "rows.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["degree", "d", "method", "table", "shd", "seconds"])
        writer.writerows(rows)
    (options.output / "table.md").write_text(table(rows) + "\n")


def table(rows: list[tuple]) -> str:
    lines = ["| graph | d | method | SHD | seconds | tables |", "|---|--:|---|--:|--:|--:|"]
    for key in dict.fromkeys(row[:3] for row in rows):
        alike = [row for row in rows if row[:3] == key]
        ended = [row for row in alike if row[4] is not None]
        values = np.array([row[4] for row in ended], dtype=float)
        error = f" ± {values.std(ddof=1) / len(values) ** 0.5:.2f}" if len(values) > 1 else ""
        mean = f"{values.mean():.2f}{error}" if len(values) else "none ended"
        seconds = f"{np.mean([row[5] for row in ended]):.2f}" if ended else f"over {alike[0][5]:.0f}"
        count = f"{len(ended)} of {len(alike)}" if len(ended) < len(alike) else f"{len(alike)}"
        lines.append(f"| ER{key[0]} | {key[1]} | {key[2]} | {mean} | {seconds} | {count} |")
    return "\n".join(lines)


def learn_by_gies(data: list, sets: list, sink: multiprocessing.Queue) -> None:
    import gies

    started = time.perf_counter()
    found, _ = gies.fit_bic(data, sets)
    sink.put((found != 0, time.perf_counter() - started))


def by_gies(data: list, sets: list, limit: float) -> tuple:
    """The graph and the seconds, or nothing after the limit."""
    sink: multiprocessing.Queue = multiprocessing.Queue()
    work = multiprocessing.Process(target=learn_by_gies, args=(data, sets, sink))
    work.start()
    try:
        return sink.get(timeout=limit)
    except queue.Empty:
        return None, limit
    finally:
        work.terminate()
        work.join()


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
            started = time.perf_counter()
            run("learn", at / table, "--quiet", "--no-confidence", "--no-diagnosis", *words,
                "--output", at / "g.json")
            seconds = time.perf_counter() - started
            document = json.loads((at / "g.json").read_text())
            wrong = shd(truth, matrix(document, names))
            rows.append((degree, d, method, trial, wrong, seconds))

        nocurl("nocurl", "x.csv", "--condition", "condition", "--targets", at / "t.toml")
        nocurl("pooled", "pooled.csv")
        if not options.without_gies:
            targets = tomllib.loads((at / "t.toml").read_text())["targets"]
            conditions = list(dict.fromkeys(labels))
            sets = [[names.index(name) for name in targets[c]] for c in conditions]
            labelled = np.array(labels)
            data = [values[labelled == c] for c in conditions]
            found, seconds = by_gies(data, sets, options.limit)
            wrong = None if found is None else shd(truth, found)
            rows.append((degree, d, "gies", trial, wrong, seconds))
        return rows


if __name__ == "__main__":
    main()
