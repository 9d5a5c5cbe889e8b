"""Writes distances.json: distances between random graphs, by gadjid and causal-learn.

    python -m venv venv
    venv/bin/pip install gadjid==0.1.0 causal-learn==0.1.4.8 numpy
    venv/bin/python testdata/metrics/make.py

Matrices are row -> column throughout: entry (i, j) = 1 is the edge i -> j.
"""

import json
import pathlib

import gadjid
import numpy as np
from causallearn.graph.Dag import Dag
from causallearn.graph.GraphNode import GraphNode
from causallearn.utils.DAG2CPDAG import dag2cpdag

SIZES = [2, 3, 4, 5, 6, 8, 10, 15, 20, 30]
PAIRS_PER_SIZE = 6


def random_dag(rng, d):
    """Every pair in a random order is an edge with one random probability."""
    order = rng.permutation(d)
    upper = np.triu(rng.random((d, d)) < rng.uniform(0.05, 0.9), k=1)
    dag = np.zeros((d, d), dtype=np.int8)
    dag[np.ix_(order, order)] = upper
    return dag


def near(rng, dag):
    """The same graph with some edges dropped and some reversed where that stays acyclic."""
    result = dag.copy()
    for i, j in np.argwhere(dag):
        action = rng.random()
        if action < 0.2:
            result[i, j] = 0
        elif action < 0.5:
            result[i, j] = 0
            result[j, i] = 1
            if np.trace(np.linalg.matrix_power(np.eye(len(dag)) + result, len(dag))) > len(dag):
                result[i, j], result[j, i] = 1, 0
    return result


def complete(dag):
    """The CPDAG by causal-learn, in gadjid's code: 1 directed, 2 undirected."""
    nodes = [GraphNode(f"X{i}") for i in range(len(dag))]
    graph = Dag(nodes)
    for i, j in np.argwhere(dag):
        graph.add_directed_edge(nodes[i], nodes[j])
    # causal-learn codes i -> j as -1 at (i, j) and 1 at (j, i), i - j as -1 at both.
    marks = dag2cpdag(graph).graph
    result = np.zeros_like(dag)
    for i, j in np.argwhere(marks == -1):
        result[i, j] = 2 if marks[j, i] == -1 else 1
    return np.where((result == 2) & (np.arange(len(dag))[:, None] > np.arange(len(dag))), 0, result)


def edges(dag):
    return [[int(i), int(j)] for i, j in np.argwhere(dag)]


def main():
    rng = np.random.default_rng(20261115)
    cases = []
    for d in SIZES:
        for number in range(PAIRS_PER_SIZE):
            truth = random_dag(rng, d)
            estimate = near(rng, truth) if number % 2 else random_dag(rng, d)
            _, shd = gadjid.shd(truth, estimate)
            _, sid = gadjid.sid(truth, estimate, edge_direction="from row to column")
            _, cpdag_shd = gadjid.shd(complete(truth), complete(estimate))
            cases.append({"variables": d, "truth": edges(truth), "estimate": edges(estimate),
                          "shd": shd, "sid": sid, "cpdag_shd": cpdag_shd})
    target = pathlib.Path(__file__).with_name("distances.json")
    target.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


main()
