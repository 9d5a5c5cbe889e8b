"""Learns directed acyclic graphs (causal structure) from tables of numbers.

The short way is :func:`learn`; the classes follow the conventions of scikit-learn, one for each
method.

>>> import nocurl
>>> drawn = nocurl.simulate(variables=5, rows=1000, degree=2, random_state=1)
>>> graph = nocurl.learn(drawn.data)
>>> nocurl.metrics.shd(drawn.graph, graph)
0
"""

from . import hodge, metrics
from ._graph import Graph, read_graph
from ._methods import (
    CAM,
    FGES,
    MMPC,
    DagGNN,
    EqBU,
    EqTD,
    Exact,
    NoCurl,
    NoCurlGNN,
    NoCurlMLP,
    Notears,
    NotearsMLP,
    OrderSearch,
    R2SortNRegress,
    SortNRegress,
    learn,
    methods,
)
from ._moments import Moments
from ._nocurl import __version__ as __version__
from ._simulate import Simulated, simulate

__all__ = [
    "CAM",
    "DagGNN",
    "EqBU",
    "EqTD",
    "Exact",
    "FGES",
    "Graph",
    "MMPC",
    "Moments",
    "NoCurl",
    "NoCurlGNN",
    "NoCurlMLP",
    "Notears",
    "NotearsMLP",
    "OrderSearch",
    "R2SortNRegress",
    "Simulated",
    "SortNRegress",
    "hodge",
    "learn",
    "methods",
    "metrics",
    "read_graph",
    "simulate",
]
