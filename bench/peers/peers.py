"""The peers, and a program that runs one of them on one table.

    python peers.py PEER DATA.npy RESULT.json

Each peer is a function that does what should not be timed (imports, compiling) and returns another:
table -> pattern. A pattern is a square array of booleans, row -> column, with an undirected edge in
both places. What each package means by its own matrix is said beside the call; `run.py --self-test`
checks it.
"""

import importlib.util
import json
import logging
import sys
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


def flopsearch(restarts):
    """Matrix row -> column: 1 is directed, 2 in both places undirected.

    Called as on the package's page, which standardises the table first. There is no seed: two runs
    may differ.
    """
    import flopsearch

    def learn(table):
        table = (table - table.mean(axis=0)) / table.std(axis=0)
        return flopsearch.flop(table, 2.0, restarts=restarts) != 0

    return learn


def xges():
    """Matrix row -> column, an undirected edge in both places.

    The first fit of a process compiles for many seconds; that one is not timed.
    """
    import numpy
    from xges import XGES

    def learn(table):
        return XGES().fit(table, verbose=0).to_adjacency_matrix() != 0

    learn(numpy.random.default_rng(0).normal(size=(100, 3)))
    return learn


def ges():
    """Marks at the ends of edges, see `from_marks`."""
    from causallearn.search.ScoreBased.GES import ges

    return lambda table: from_marks(ges(table, score_func="local_score_BIC")["G"].graph)


def pc():
    """Marks at the ends of edges, see `from_marks`."""
    from causallearn.search.ConstraintBased.PC import pc

    return lambda table: from_marks(pc(table, show_progress=False).G.graph)


def from_marks(marks):
    """Pattern from causal-learn's matrix: -1 in [i, j] is a tail at i, 1 an arrowhead at i.

    Two arrowheads, a conflict that PC may leave, count as undirected.
    """
    tails = marks == -1
    conflicts = (marks == 1) & (marks.T == 1)
    return tails | conflicts


def direct_lingam():
    """Matrix column -> row: transposed. Edges are all weights that its lasso leaves."""
    from lingam import DirectLiNGAM

    return lambda table: DirectLiNGAM().fit(table).adjacency_matrix_.T != 0


def dagma():
    """Matrix row -> column. lambda1 is that of the package's own example."""
    from dagma.linear import DagmaLinear

    return lambda table: DagmaLinear(loss_type="l2").fit(table, lambda1=0.02) != 0


def notears():
    """Matrix row -> column.

    gcastle imports torch at every corner, but NOTEARS is NumPy: with an empty module in the place
    of torch, its file is loaded by itself.
    """
    sys.modules["torch"] = types.ModuleType("torch")
    import castle

    logging.disable(logging.INFO)
    path = Path(castle.__file__).parent / "algorithms/gradient/notears/linear.py"
    spec = importlib.util.spec_from_file_location("gcastle_notears", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def learn(table):
        model = module.Notears()
        model.learn(table)
        return model.causal_matrix != 0

    return learn


def nocurl_in_python(method, **params):
    """The package of this repository, called as its page says; without checks, as the peers."""
    import nocurl

    def learn(table):
        graph = nocurl.learn(table, method=method, diagnose=False, **params)
        pattern = graph.weights != 0
        for pair in graph.undirected if graph.determines == "class" else ():
            i, j = (graph.variables.index(name) for name in pair)
            pattern[i, j] = pattern[j, i] = True
        return pattern

    return learn


class Peer(NamedTuple):
    """A method of a package on PyPI."""

    package: str
    returns: str  # "dag", or "class" for a pattern that stands for an equivalence class
    prepare: Callable


PEERS = {
    "nocurl.learn": Peer("nocurl", "class", lambda: nocurl_in_python("order-search")),
    "nocurl.NoCurl": Peer("nocurl", "dag", lambda: nocurl_in_python("nocurl")),
    "nocurl.Notears": Peer("nocurl", "dag", lambda: nocurl_in_python("notears")),
    "flopsearch": Peer("flopsearch", "class", lambda: flopsearch(50)),
    "flopsearch, 20 restarts": Peer("flopsearch", "class", lambda: flopsearch(20)),
    "xges": Peer("xges", "class", xges),
    "causal-learn GES": Peer("causal-learn", "class", ges),
    "causal-learn PC": Peer("causal-learn", "class", pc),
    "lingam DirectLiNGAM": Peer("lingam", "dag", direct_lingam),
    "dagma": Peer("dagma", "dag", dagma),
    "gcastle NOTEARS": Peer("gcastle", "dag", notears),
}


def main(name, data, result):
    """Runs one peer; the clock runs while it learns and at no other time."""
    import numpy

    learn = PEERS[name].prepare()
    table = numpy.load(data)
    start = time.perf_counter()
    pattern = learn(table)
    seconds = time.perf_counter() - start
    pattern = numpy.asarray(pattern).astype(bool).tolist()
    Path(result).write_text(json.dumps({"seconds": seconds, "pattern": pattern}))


if __name__ == "__main__":
    main(*sys.argv[1:])
