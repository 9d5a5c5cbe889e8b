"""Makes the files of this folder: small tables, and the classes that other programs find in them.

    cargo build --release -p nocurl-cli
    target/peers-venv/bin/python testdata/ges/make.py   # environment of bench/peers/run.py

Each `N.json` has the classes as lists of pairs, counted from 0; `N.csv` is the table.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "bench" / "peers"))
from peers import PEERS  # noqa: E402

# Graphs of growing density: number, variables, degree, rows.
TABLES = [(1, 6, 2, 200), (2, 7, 3, 200), (3, 8, 4, 200), (4, 9, 5, 200), (5, 10, 3, 150)]


def main():
    for number, variables, degree, rows in TABLES:
        path = HERE / f"{number}.csv"
        command = f"simulate --degree {degree} --variables {variables} --rows {rows} --seed {number}"
        nocurl = ROOT / "target" / "release" / "nocurl"
        subprocess.run([nocurl, *command.split(), "--output", path, "--quiet"], check=True)
        table = numpy.loadtxt(path, delimiter=",", skiprows=1).round(3)
        header = ",".join(f"x{i + 1}" for i in range(variables))
        numpy.savetxt(path, table, fmt="%.3f", delimiter=",", header=header, comments="")
        found = {}
        for name, penalty in (("causal-learn GES", 1), ("xges", 2)):
            pattern = numpy.asarray(PEERS[name].prepare()(table)).astype(bool)
            pairs = [(int(i), int(j)) for i, j in zip(*pattern.nonzero())]
            found[name] = {
                "penalty": penalty,
                "directed": [p for p in pairs if not pattern[p[1], p[0]]],
                "undirected": [p for p in pairs if pattern[p[1], p[0]] and p[0] < p[1]],
            }
        (HERE / f"{number}.json").write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
