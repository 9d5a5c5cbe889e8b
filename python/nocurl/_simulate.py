"""Random graphs and data drawn from them."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from . import _nocurl
from ._graph import Graph
from ._values import seed_of, to_json


class Simulated(NamedTuple):
    """Data and the graph they were drawn from."""

    #: One row per observation, one column per variable.
    data: np.ndarray
    #: The truth.
    graph: Graph


def simulate(
    variables: int = 10,
    rows: int = 1000,
    *,
    graph: str = "er",
    degree: float = 4.0,
    weights: tuple[float, float] = (0.5, 2.0),
    mechanism: str = "linear",
    noise: str | dict = "gaussian",
    variances: float | tuple[float, float] | None = None,
    standardize: bool = False,
    categorical: float = 0.0,
    levels: tuple[int, int] = (2, 4),
    random_state: int = 0,
) -> Simulated:
    """Draws a graph, weights and data.

    The defaults are the linear experiments of *DAGs with No Curl* (ICML 2021). The same seed gives
    the same bytes as ``nocurl simulate`` on every machine.

    Parameters
    ----------
    variables, rows : int
        Size of the table.
    graph : {"er", "sf", "chain", "full"}
        Family of graphs.
    degree : float
        Expected degree, edges in and out together.
    weights : (float, float)
        Smallest and largest size of a weight; the sign is a fair coin.
    mechanism : str
        How parents make their child: "linear", "nonlinear-1", "nonlinear-2", "nonlinear-3",
        "dag-gnn-1", "dag-gnn-2", "gp", "gp-additive", "multiplicative" or "post-nonlinear", as ``nocurl simulate --help`` has them.
    noise : str or dict
        Law of the noise: "gaussian", "gumbel", "exponential", "laplace", "uniform" or
        ``{"student": 5}``.
    variances : float or (float, float), optional
        Variance of the noise of all variables, or the range each is drawn from. By default that of
        the law's standard form: 1, Gumbel 1.64, Laplace 2, uniform 1/3.
    standardize : bool
        Bring every column to mean 0 and variance 1.
    categorical : float
        Probability of a variable to have levels; its column then holds their positions, and
        ``graph.kinds`` their names.
    levels : (int, int)
        Fewest and most levels of such a variable.
    random_state : int
        Seed.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=5, rows=100, degree=2, random_state=3)
    >>> drawn.data.shape
    (100, 5)
    >>> drawn.graph.n_edges
    4
    """
    seed = seed_of(random_state)
    scale: str | dict[str, Any] = "standard"
    if variances is not None:
        if isinstance(variances, tuple):
            scale = {"random": list(variances)}
        else:
            scale = {"equal": variances}
    simulation = {
        "graph": graph,
        "degree": degree,
        "variables": variables,
        "rows": rows,
        "weights": list(weights),
        "mechanism": mechanism,
        "noise": noise,
        "variances": scale,
        "standardize": standardize,
        "categorical": categorical,
        "levels": list(levels),
    }
    data, truth, kinds = _nocurl.simulate(to_json(simulation), seed)
    names = [f"x{j}" for j in range(1, data.shape[1] + 1)]
    drawn = Graph.from_adjacency(truth, names)
    if categorical:
        drawn = Graph({**drawn._document, "kinds": json.loads(kinds)})
    return Simulated(data, drawn)
