"""Which of its two graphs a table should be shown by: the best-scoring one or the consensus.

    python bench/two_graphs.py target/release/nocurl [TABLE.csv ...] > two-graphs.md

Every table is cut into two halves by chance. Both graphs are learnt from one half, and compared on
the other: the log-likelihood of its rows, and the CPDAG SHD from the graph of the same kind that it
gives by itself. Where the truth is known (simulated tables) the CPDAG SHD from it is shown too.
Tables given by name are real ones; those of scikit-learn are taken where it is installed.
"""

import csv
import json
import math
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

KINDS = ("best", "consensus")
SIMULATED = {
    "ER4, strong": "--graph er --degree 4 --variables 20 --weights 0.5,2",
    "ER2, weak": "--graph er --degree 2 --variables 20 --weights 0.05,0.5",
    "SF4, exponential": "--graph sf --degree 4 --variables 20 --weights 0.1,1 --noise exponential",
    "ER3, unequal": "--graph er --degree 3 --variables 30 --weights 0.1,1 --variances random:0.1,4",
}
ROWS = (200, 1000)
SEEDS = 4


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def halves(path, folder, seed):
    with open(path, newline="") as file:
        heading, *rows = list(csv.reader(file))
    random.Random(seed).shuffle(rows)
    middle = len(rows) // 2
    names = []
    for k, part in enumerate((rows[:middle], rows[middle:])):
        name = folder / f"half-{k}.csv"
        with open(name, "w", newline="") as file:
            csv.writer(file).writerows([heading, *part])
        names.append(name)
    return names


def compare(nocurl, table, folder, seed, truth=None):
    """What each kind of graph is worth: predictions, agreement, distance from the truth."""
    parts = halves(table, folder, seed)
    graphs = {}
    for kind in KINDS:
        for k, part in enumerate(parts):
            graph = graphs[kind, k] = folder / f"{kind}-{k}.json"
            run(nocurl, "learn", part, "--graph", kind, "--bootstrap", 50, "--missing", "drop",
                "--no-diagnosis", "--quiet", "--output", graph)
    found = {}
    for kind in KINDS:
        apart = lambda a, b: json.loads(run(nocurl, "evaluate", a, b, "--json"))["cpdag_shd"]
        scores = []
        for k in (0, 1):
            said = json.loads(run(nocurl, "score", graphs[kind, k], parts[1 - k], "--json"))
            scores.append(statistics.fmean(said["log_likelihood"]))
        found[kind] = {
            "log-likelihood": statistics.fmean(scores),
            "apart": apart(graphs[kind, 0], graphs[kind, 1]),
            "edges": statistics.fmean(
                len(json.loads(graphs[kind, k].read_text())["edges"]) for k in (0, 1)
            ),
        }
        if truth:
            shd = [apart(truth, graphs[kind, k]) for k in (0, 1)]
            found[kind]["SHD"] = statistics.fmean(shd)
    return found


def mean(values):
    if not values:
        return "-"
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.nan
    return f"{statistics.fmean(values):.3f} ± {error:.3f}"


def line(name, results):
    """Consensus less best: positive log-likelihood speaks for it, negative distances too."""
    cells = [name, str(len(results))]
    for what in ("edges", "log-likelihood", "apart", "SHD"):
        differences = [
            found["consensus"][what] - found["best"][what]
            for found in results
            if what in found["best"]
        ]
        cells.append(mean(differences))
    print("| " + " | ".join(cells) + " |", flush=True)


def bundled(folder):
    """The tables of scikit-learn, where it is there."""
    try:
        from sklearn import datasets
    except ImportError:
        return
    for name in ("diabetes", "wine", "iris", "breast_cancer", "linnerud"):
        loaded = getattr(datasets, f"load_{name}")(as_frame=True)
        path = folder / f"{name}.csv"
        loaded.data.to_csv(path, index=False)
        yield path


def main(nocurl, *tables):
    print("Consensus less best graph, means over tables ± standard errors.\n")
    print("| tables | number | edges | held-out log-likelihood a row | SHD between halves "
          "| SHD from the truth |\n|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for label, flags in SIMULATED.items():
            for rows in ROWS:
                results = []
                for seed in range(SEEDS):
                    table, truth = folder / "x.csv", folder / "t.json"
                    run(nocurl, "simulate", *flags.split(), "--rows", 2 * rows, "--seed",
                        40_000 + seed, "--standardize", "--quiet", "--output", table, "--truth",
                        truth)
                    results.append(compare(nocurl, table, folder, seed, truth))
                line(f"{label}, n = {rows}", results)
        real = []
        for path in [*map(pathlib.Path, tables), *bundled(folder)]:
            try:
                results = [compare(nocurl, path, folder, seed) for seed in range(2)]
            except RuntimeError as error:
                print(f"{path.name}: {error}", file=sys.stderr)
                continue
            line(path.name, results)
            real += results
        line("all real tables", real)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
