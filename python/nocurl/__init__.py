"""Learns directed acyclic graphs (causal structure) from tables of numbers.

The short way is :func:`learn`; the classes follow the conventions of scikit-learn, one for each
method.

>>> import nocurl
>>> drawn = nocurl.simulate(variables=5, rows=1000, degree=2, random_state=1)
>>> graph = nocurl.learn(drawn.data)
>>> nocurl.metrics.shd(drawn.graph, graph)
0
"""

from . import _methods, hodge, metrics
from ._graph import Graph, read_graph
from ._inspect import Inspection, inspect
from ._learn import learn, licenses, methods, write_page
from ._learner import Learner
from ._methods import *  # noqa: F403
from ._moments import Moments
from ._nocurl import __version__ as __version__
from ._simulate import Simulated, simulate
from ._warnings import ResultWarning

__all__ = [
    "Graph",
    "Inspection",
    "Learner",
    "Moments",
    "ResultWarning",
    "Simulated",
    "hodge",
    "inspect",
    "learn",
    "licenses",
    "methods",
    "metrics",
    "read_graph",
    "simulate",
    "write_page",
]
__all__ += _methods.__all__
