"""How far an estimated graph is from the true one.

Every function takes matrices (row -> column), DataFrames, :class:`nocurl.Graph`, fitted models or
networkx graphs; those with names are put into the order of the truth.

Partially directed graphs are taken in these forms: a matrix or a ``networkx.DiGraph`` (such as
pgmpy's ``PDAG``) with both directions of an undirected edge; an endpoint matrix of causal-learn; a
``networkx.DiGraph`` with the attribute ``directed=False`` on edges; a ``networkx.Graph``, whose
edges are all undirected.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from . import _nocurl
from ._graph import Graph

__all__ = ["compare", "cpdag_shd", "shd", "sid"]


def compare(truth: Any, estimate: Any, *, determines: str | None = None) -> dict[str, Any]:
    """Every score at once.

    An edge is right when both graphs have it, and no determined direction of one contradicts the
    other. An estimate that determines a skeleton has no direction: its edges count as reversed
    wherever the truth has one.

    Parameters
    ----------
    truth, estimate : array, DataFrame, Graph, networkx.DiGraph or networkx.Graph
        The graphs.
    determines : {"graph", "class", "skeleton"}, optional
        What the estimate determines; by default what it says of itself.

    Returns
    -------
    dict
        ``shd``, ``extra``, ``missing``, ``reversed``, ``true_edges``, ``estimated_edges``, ``fdr``,
        ``tpr``, ``fpr``, ``precision``, ``recall``, ``f1``, ``skeleton_precision``,
        ``skeleton_recall``, ``skeleton_f1``, ``cpdag_shd``, ``sid``. The last is that of the
        estimate as it is drawn. It is None where the truth is partially directed, or the estimate
        has undirected edges of another program, which are not drawn.

    Examples
    --------
    >>> from nocurl import metrics
    >>> scores = metrics.compare([[0, 1], [0, 0]], [[0, 0], [1, 0]])
    >>> scores["shd"], scores["reversed"], scores["cpdag_shd"]
    (1, 1, 0)
    >>> metrics.compare([[0, 1], [0, 0]], [[0, 1], [1, 0]])["shd"]
    0
    """
    names, true_graph = _document(_learnt(truth))
    own, graph = _document(_learnt(estimate))
    if names is not None and own is not None:
        if set(names) != set(own):
            only = sorted(set(names) ^ set(own))
            raise ValueError(f"the graphs have different variables: only one has `{only[0]}`")
        graph = {**_bare(graph), "variables": names, "order": names}
    elif names is not None or own is not None:
        # One graph has no names: its variables stand in the order of the other's.
        true_graph, graph = _positions(true_graph), _positions(graph)
    return json.loads(_nocurl.compare(json.dumps(true_graph), json.dumps(graph), determines))


def shd(truth: Any, estimate: Any) -> int:
    """Structural Hamming distance: extra, missing and reversed edges.

    Examples
    --------
    >>> from nocurl import metrics
    >>> metrics.shd([[0, 1], [0, 0]], [[0, 0], [0, 0]])
    1
    """
    return int(compare(truth, estimate)["shd"])


def cpdag_shd(truth: Any, estimate: Any) -> int:
    """Distance of the equivalence classes: pairs that differ in kind or direction."""
    return int(compare(truth, estimate)["cpdag_shd"])


def sid(truth: Any, estimate: Any) -> int:
    """Structural intervention distance (Peters and Bühlmann, 2015): pairs of variables whose causal
    effect would be estimated wrongly.

    Raises
    ------
    ValueError
        When the truth is partially directed, or the estimate has undirected edges of another
        program.
    """
    distance = compare(truth, estimate)["sid"]
    if distance is None:
        raise ValueError("the structural intervention distance needs graphs with all directions")
    return int(distance)


def _learnt(graph: Any) -> Any:
    """The graph of a model that was fitted, or the graph itself."""
    return graph.graph_ if hasattr(graph, "graph_") else graph


def _document(graph: Any) -> tuple[list[str] | None, dict]:
    """The names of the variables where there are any, and the description of the graph."""
    if isinstance(graph, Graph):
        return list(graph.variables), graph._document
    names = None
    if hasattr(graph, "to_numpy") and hasattr(graph, "columns"):
        names = [str(name) for name in graph.columns]
        matrix = graph.to_numpy()
    elif hasattr(graph, "edges") and hasattr(graph, "nodes"):
        names = [str(name) for name in graph.nodes]
        matrix = _of_networkx(graph)
    else:
        matrix = graph
    return names, Graph.from_adjacency(matrix, names)._document


def _of_networkx(graph: Any) -> np.ndarray:
    """Ones where there are edges, in both directions where an edge has none."""
    place = {name: i for i, name in enumerate(graph.nodes)}
    matrix = np.zeros((len(place), len(place)))
    for cause, effect, directed in graph.edges(data="directed", default=graph.is_directed()):
        matrix[place[cause], place[effect]] = 1.0
        if not directed:
            matrix[place[effect], place[cause]] = 1.0
    return matrix


def _bare(document: dict) -> dict:
    """The same graph without what is known of its variables, whose order or names change."""
    of_variables = ("potential", "means", "kinds", "model", "error_shape", "bootstrap")
    return {name: value for name, value in document.items() if name not in of_variables} | {
        "potential": None
    }


def _positions(document: dict) -> dict:
    """The same graph with its variables called by their places."""
    place = {name: str(i) for i, name in enumerate(document["variables"])}
    edges = [
        {**edge, "from": place[edge["from"]], "to": place[edge["to"]]} for edge in document["edges"]
    ]
    names = list(place.values())
    return {**_bare(document), "variables": names, "order": names, "edges": edges}
