"""Tables of published networks, and other programs' graphs of them.

    python bench/networks.py sample FOLDER ALARM.bif.gz CHILD.bif.gz ...
    python bench/networks.py pgmpy FOLDER
    python bench/networks.py sample FOLDER crates/nocurl-bench/data/networks/*.csv
    python bench/networks.py flopsearch FOLDER
    cargo run --release -p nocurl-bench --example networks -- FOLDER

`sample` draws five tables of two sizes from each network into FOLDER, as CSV, and writes the true
edges beside them: 1000 and 10,000 rows of levels by name for BIF files, 500 and 5000 rows of numbers
for linear Gaussian networks (CSV: variable, variance, parent, coefficient). `pgmpy` learns each
table of levels by that package's hill climbing with BIC and a tabu list, `flopsearch` each table of
numbers by that package with 20 restarts; both write the edges and the seconds of CPU. The last line
learns each table by nocurl, reads what the others found, and prints distances of equivalence classes
and times of all. BIF files of the usual networks are in the wheel of pgmpy 1.0.0
(`pgmpy/utils/example_models`). `pip install pgmpy==1.0.0 --no-deps` is enough: what it imports and
does not need here (torch and others) is left out.
"""

import csv
import gzip
import importlib.abc
import importlib.machinery
import itertools
import pathlib
import re
import sys
import time
import unittest.mock

ROWS = {"levels": (1000, 10_000), "numbers": (500, 5000)}
TABLES = 5

# Imported by pgmpy at every corner, and not used by its hill climbing.
UNUSED = ("torch", "pyro", "opt_einsum", "statsmodels")


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

    kind = "levels"

    @property
    def names(self):
        return list(self.levels)


class Gaussian:
    """Variables that are weighted sums of their parents and Gaussian errors."""

    kind = "numbers"

    def __init__(self, text):
        self.variances, self.parents, self.weights = {}, {}, {}
        for line in csv.DictReader(text.splitlines()):
            name = line["variable"]
            if line["variance"]:
                self.variances[name] = float(line["variance"])
                self.parents.setdefault(name, [])
            if line["parent"]:
                self.parents.setdefault(name, []).append(line["parent"])
                self.weights[line["parent"], name] = float(line["coefficient"])
        self.names = list(self.variances)

    def sample(self, rows, seed):
        import numpy

        rng = numpy.random.default_rng(seed)
        columns, left = {}, list(self.names)
        while left:
            for name in [name for name in left if all(p in columns for p in self.parents[name])]:
                errors = rng.normal(scale=self.variances[name] ** 0.5, size=rows)
                parts = (self.weights[p, name] * columns[p] for p in self.parents[name])
                columns[name] = sum(parts, errors)
                left.remove(name)
        return zip(*(columns[name].tolist() for name in self.names))


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
            text = file.read()
        network = (Gaussian if path.suffix == ".csv" else Network)(text)
        name = path.name.split(".")[0]
        edges = [(p, child) for child, parents in network.parents.items() for p in parents]
        write(folder / f"{name}.truth", ["from", "to"], edges)
        for rows in ROWS[network.kind]:
            for k in range(TABLES):
                seed = [sum(map(ord, name)), rows, k]
                table = network.sample(rows, seed)
                write(folder / f"{name}-{rows}-{k}.csv", network.names, table)


def tables(folder, kind, ending):
    """Tables of this kind that a program has not learnt from yet, with where its graph goes."""
    for path in sorted(folder.glob("*.csv")):
        rows, result = int(path.stem.split("-")[-2]), path.with_suffix(ending)
        if rows in ROWS[kind] and not result.exists():
            yield path, result


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Puts an empty thing in the place of packages that are imported and not used."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in UNUSED:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return unittest.mock.MagicMock(__spec__=spec, __path__=[], __name__=spec.name)

    def exec_module(self, module):
        pass


def pgmpy(folder):
    import pandas

    sys.meta_path.append(Absent())
    from pgmpy.estimators import HillClimbSearch

    for path, result in tables(folder, "levels", ".pgmpy"):
        table = pandas.read_csv(path, dtype="category", keep_default_na=False)
        # A level that one table lacks is no level of it.
        varying = [name for name in table if table[name].nunique() > 1]
        start = time.process_time()
        found = HillClimbSearch(table[varying]).estimate(
            scoring_method="bic-d", tabu_length=100, show_progress=False
        )
        seconds = time.process_time() - start
        write(result, ["from", "to", repr(seconds)], [(i, j, "") for i, j in found.edges()])
        print(path.name, f"{seconds:.1f} s", flush=True)


def flop(folder):
    """Called as on the package's page, which standardises the table first."""
    import flopsearch
    import numpy

    for path, result in tables(folder, "numbers", ".flopsearch"):
        table = numpy.loadtxt(path, delimiter=",", skiprows=1)
        names = path.read_text().partition("\n")[0].strip().split(",")
        table = (table - table.mean(axis=0)) / table.std(axis=0)
        start = time.process_time()
        found = flopsearch.flop(table, 2.0, restarts=20)
        seconds = time.process_time() - start
        # 1 is directed, row -> column; 2 in both places undirected.
        edges = [
            (names[i], names[j], "--" if found[j, i] else "")
            for i, j in zip(*numpy.nonzero(found))
            if not found[j, i] or i < j
        ]
        write(result, ["from", "to", repr(seconds)], edges)


if __name__ == "__main__":
    command, folder, *rest = sys.argv[1:] or ["help", "."]
    if command == "sample":
        sample(pathlib.Path(folder), rest)
    elif command == "pgmpy":
        pgmpy(pathlib.Path(folder))
    elif command == "flopsearch":
        flop(pathlib.Path(folder))
    else:
        sys.exit(__doc__)
