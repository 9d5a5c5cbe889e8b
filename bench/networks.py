"""Tables of published discrete networks, and another program's graphs of them.

    python bench/networks.py sample FOLDER ALARM.bif.gz CHILD.bif.gz ...
    python bench/networks.py pgmpy FOLDER
    cargo run --release -p nocurl-bench --example networks -- FOLDER

`sample` draws five tables of 1000 and of 10,000 rows from each network into FOLDER, as CSV with the
names of levels, and writes the true edges beside them. `pgmpy` learns each table by that package's
hill climbing with BIC and a tabu list, and writes the edges and the seconds. The last line learns
each table by nocurl, reads what the others found, and prints distances of equivalence classes and
times of all. BIF files of the usual networks are in the wheel of pgmpy 1.0.0
(`pgmpy/utils/example_models`).
"""

import csv
import gzip
import itertools
import pathlib
import re
import sys
import time

ROWS = (1000, 10_000)
TABLES = 5


class Network:
    """Variables with levels, parents, and probabilities of levels given levels of the parents."""

    def __init__(self, text):
        self.levels, self.parents, self.tables = {}, {}, {}
        for name, levels in re.findall(
            r"variable\s+(\S+)\s*\{[^{}]*\{([^{}]*)\}\s*;\s*\}", text
        ):
            self.levels[name] = [level.strip() for level in levels.split(",")]
        for head, body in re.findall(r"probability\s*\(([^()]*)\)\s*\{([^{}]*)\}", text):
            child, _, given = head.partition("|")
            child = child.strip()
            self.parents[child] = [name.strip() for name in given.split(",") if name.strip()]
            self.tables[child] = dict(self._rows(child, body))

    def _rows(self, child, body):
        """Pairs of the parents' levels and the probabilities of the child's."""
        plain = re.search(r"table\s+([^;]*);", body)
        if plain:
            numbers = [float(number) for number in plain.group(1).split(",")]
            size = len(self.levels[child])
            combinations = itertools.product(*(self.levels[p] for p in self.parents[child]))
            for k, combination in enumerate(combinations):
                yield combination, numbers[k * size : (k + 1) * size]
            return
        for given, numbers in re.findall(r"\(([^()]*)\)\s*([^;]*);", body):
            combination = tuple(level.strip() for level in given.split(","))
            yield combination, [float(number) for number in numbers.split(",")]

    def order(self):
        """The variables, parents first."""
        done, left = [], list(self.levels)
        while left:
            ready = [name for name in left if all(p in done for p in self.parents[name])]
            done += ready
            left = [name for name in left if name not in ready]
        return done

    def sample(self, rows, seed):
        """Rows of levels by name, in the order of `levels`."""
        import numpy

        rng = numpy.random.default_rng(seed)
        columns = {}
        for name in self.order():
            draws = rng.random(rows)
            given = zip(*(columns[p] for p in self.parents[name]))
            given = list(given) if self.parents[name] else [()] * rows
            bounds = {key: numpy.cumsum(row) for key, row in self.tables[name].items()}
            last = len(self.levels[name]) - 1
            place = [min(int((bounds[g] <= u).sum()), last) for g, u in zip(given, draws)]
            columns[name] = [self.levels[name][k] for k in place]
        return [[columns[name][i] for name in self.levels] for i in range(rows)]


def write(path, heading, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(heading)
        writer.writerows(rows)


def sample(folder, files):
    folder.mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, files):
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt") as file:
            network = Network(file.read())
        name = path.name.split(".")[0]
        edges = [(p, child) for child, parents in network.parents.items() for p in parents]
        write(folder / f"{name}.truth", ["from", "to"], edges)
        for rows in ROWS:
            for k in range(TABLES):
                seed = [sum(map(ord, name)), rows, k]
                table = network.sample(rows, seed)
                write(folder / f"{name}-{rows}-{k}.csv", list(network.levels), table)


def pgmpy(folder):
    import pandas
    from pgmpy.estimators import HillClimbSearch

    for path in sorted(folder.glob("*-*-*.csv")):
        result = path.with_suffix(".pgmpy")
        if result.exists():
            continue
        table = pandas.read_csv(path, dtype=str, keep_default_na=False)
        # A level that one table lacks is no level of it.
        varying = [name for name in table if table[name].nunique() > 1]
        start = time.perf_counter()
        found = HillClimbSearch(table[varying]).estimate(
            scoring_method="bic-d", tabu_length=100, show_progress=False
        )
        seconds = time.perf_counter() - start
        write(result, ["from", "to", repr(seconds)], [(i, j, "") for i, j in found.edges()])
        print(path.name, f"{seconds:.1f} s", flush=True)


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:] or ["help", "."]
    if command == "sample":
        sample(pathlib.Path(folder), rest)
    elif command == "pgmpy":
        pgmpy(pathlib.Path(folder))
    else:
        sys.exit(__doc__)
