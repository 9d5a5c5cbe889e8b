"""Tables with categories: blocks of indicators beside three ways to do without them.

    python bench/mixed.py target/release/nocurl
    python bench/mixed.py target/release/nocurl 20 1

Draws tables with `nocurl simulate --categorical` and learns from each by the default method four
times: as it is (blocks), without its categorical columns (dropped), with the positions of levels as
numbers (integers), and with every indicator as a column of its own (one-hot). A dropped variable has
no edges. `gsges` learns once from each as it is (kernels). One-hot columns leave out the most common
level, as blocks do; two variables are adjacent where any of their columns are, and the direction is
that of all edges between them, or open. Prints means and standard errors of the F1 of adjacencies
and of the distance of equivalence classes. The second argument is how many tables a cell has, the
third the seed of the first.
"""

import collections
import csv
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

VARIABLES = (10, 20)
ROWS = (250, 1000, 4000)
SHARES = (0.3, 0.6)
FIXED = ("--degree", "3", "--levels", "3,5", "--weights", "0.5,1.5")


def classes(graph):
    """Directed pairs and undirected ones, the latter in both orders."""
    directed = {tuple(pair) for pair in graph["class"]["directed"]}
    undirected = {tuple(pair) for pair in graph["class"]["undirected"]}
    return directed, undirected | {(j, i) for i, j in undirected}


def learn(program, folder, columns, *flags):
    """The class that the default finds, or another method by flags; none where there is nothing to learn from."""
    columns = {name: cells for name, cells in columns.items() if len(set(cells)) > 1}
    if len(columns) < 2:
        return set(), set()
    path = folder / "coded.csv"
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
    command = [program, "learn", path, "--no-confidence", "--no-diagnosis", "--json", *flags]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return classes(json.loads(done.stdout))


def levels_of(cells):
    """The levels in their order where cells are words, else nothing."""
    try:
        float(cells[0])
    except ValueError:
        return sorted(set(cells))
    return []


def blocks(table):
    return table


def kernels(table):
    return table


def dropped(table):
    return {name: cells for name, cells in table.items() if not levels_of(cells)}


def integers(table):
    coded = {}
    for name, cells in table.items():
        place = {level: k for k, level in enumerate(levels_of(cells))}
        coded[name] = [place[cell] for cell in cells] if place else cells
    return coded


def one_hot(table):
    coded = {}
    for name, cells in table.items():
        counts = collections.Counter(cells)
        levels = sorted(levels_of(cells), key=lambda level: (-counts[level], level))
        if not levels:
            coded[name] = cells
        for level in levels[1:]:
            coded[f"{name}={level}"] = [int(cell == level) for cell in cells]
    return coded


def joined(directed, undirected):
    """The class among variables from that among their columns."""

    def owners(pairs):
        named = ((i.partition("=")[0], j.partition("=")[0]) for i, j in pairs)
        return {(i, j) for i, j in named if i != j}

    directed, undirected = owners(directed), owners(undirected)
    clear = {(i, j) for i, j in directed if (j, i) not in directed} - undirected
    loose = (directed | undirected) - clear
    return clear, loose | {(j, i) for i, j in loose}


def scores(names, truth, found):
    """F1 of adjacencies, and pairs of variables that are joined in another way."""

    def joint(graph, i, j):
        directed, undirected = graph
        if (i, j) in undirected:
            return "--"
        return "->" if (i, j) in directed else "<-" if (j, i) in directed else ""

    pairs = [(joint(truth, i, j), joint(found, i, j)) for i, j in itertools.combinations(names, 2)]
    edges = sum(bool(one) + bool(other) for one, other in pairs)
    both = sum(bool(one and other) for one, other in pairs)
    return (2 * both / edges if edges else 1.0), sum(one != other for one, other in pairs)


def tables(program, folder, cell, count, first):
    """Each table by columns, with the true class."""
    variables, rows, share = cell
    for seed in range(first, first + count):
        data, truth = folder / "table.csv", folder / "truth.json"
        command = [program, "simulate", "-q", "--output", data, "--truth", truth, *FIXED]
        command += ["--variables", variables, "--rows", rows, "--categorical", share]
        subprocess.run([*map(str, command), "--seed", str(seed)], check=True)
        with open(data, newline="") as file:
            names, *lines = csv.reader(file)
        yield dict(zip(names, zip(*lines))), classes(json.loads(truth.read_text()))


def shown(values, places):
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return f"{statistics.mean(values):.{places}f} ± {error:.{places}f}"


def main(program, count=10, first=1001):
    ways = (blocks, kernels, dropped, integers, one_hot)
    flags = {kernels: ("--method", "gsges")}
    print("| d | n | share | way | skeleton F1 | CPDAG SHD |\n|---|---|---|---|---|---|")
    for cell in itertools.product(VARIABLES, ROWS, SHARES):
        found = {way.__name__: [] for way in ways}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for table, truth in tables(program, folder, cell, int(count), int(first)):
                for way in ways:
                    graph = learn(program, folder, way(table), *flags.get(way, ()))
                    graph = joined(*graph) if way is one_hot else graph
                    found[way.__name__].append(scores(list(table), truth, graph))
        for name, values in found.items():
            f1, shd = zip(*values)
            way = name.replace("_", "-")
            line = " | ".join(map(str, (*cell, way, shown(f1, 3), shown(shd, 1))))
            print(f"| {line} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)
