"""Writes 1.csv to 5.csv and orders.json: tables with errors that are not Gaussian, and the order
that DirectLiNGAM of the package `lingam` 1.13.0 (PyPI; NumPy's default generator, seeds 1 to 5)
finds in each with its measure `pwling`. The last entry is table 1 with the prior knowledge that
column 5 comes before all others, in the package's matrix: 0 where no path leads from the column to
the row.

    pip install lingam==1.13.0 && python make.py
"""

import json
from pathlib import Path

import lingam
import numpy

HERE = Path(__file__).parent
NOISE = ["exponential", "uniform", "laplace", "exponential", "uniform"]


def table(seed):
    random = numpy.random.default_rng(seed)
    d, n = 6, 300
    names = random.permutation(d)
    weights = numpy.triu(random.uniform(0.5, 1.5, (d, d)) * (random.random((d, d)) < 0.5), 1)
    x = getattr(random, NOISE[seed - 1])(size=(n, d))
    for j in range(d):
        x[:, j] += x[:, :j] @ weights[:j, j]
    return numpy.round(x[:, names], 4)


def main():
    orders = []
    for seed in range(1, 6):
        x = table(seed)
        header = ",".join(f"x{j + 1}" for j in range(x.shape[1]))
        numpy.savetxt(HERE / f"{seed}.csv", x, "%.4f", ",", header=header, comments="")
        order = lingam.DirectLiNGAM(measure="pwling").fit(x).causal_order_
        orders.append({"table": seed, "order": [int(j) for j in order]})
    x = table(1)
    knowledge = -numpy.ones((6, 6), dtype=int)
    knowledge[5, :] = 0
    model = lingam.DirectLiNGAM(measure="pwling", prior_knowledge=knowledge).fit(x)
    orders.append({"table": 1, "first": 5, "order": [int(j) for j in model.causal_order_]})
    (HERE / "orders.json").write_text(json.dumps(orders) + "\n")


main()
