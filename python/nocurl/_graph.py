"""What was learnt: a graph with all that is known about it."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _nocurl

if TYPE_CHECKING:
    import matplotlib.axes
    import networkx
    import pandas


class Graph:
    """A directed acyclic graph with its weights, and how it came about.

    Made by :func:`nocurl.learn` and by every ``fit``; read from a file by
    :func:`nocurl.read_graph`; made of a matrix by :meth:`from_adjacency`. It can be pickled, and
    its JSON form is that of the command line (``nocurl/graph/2``).

    Attributes
    ----------
    variables : list of str
        Names of the variables, in the order of the data.
    weights : ndarray
        Entry (i, j) is the weight of the edge i -> j, 0 where there is none.
    order : list of str
        The variables so that parents come before children.
    potential : ndarray or None
        A number for each variable that rises along every edge.
    determines : {"graph", "class", "skeleton"}
        What the method determines: all directions, those that all graphs of the equivalence
        class share, or none. :meth:`is_determined` says it of one edge.
    directions : str
        Where the directions come from, and which are undetermined, in plain words.
    method, parameters, seed, version
        How the graph was learnt.
    termination : str
        How the method ended, such as "converged" or "max-iterations".
    iterations : int
        Iterations used.
    warnings : list of str
        What you should know.
    diagnosis : list of dict or None
        Findings about the result, each with ``check``, ``verdict``, ``sentence``, ``numbers`` and
        ``advice``: a list of actions as values.
    bootstrap : dict or None
        What was found again in resampled tables.
    assumption : str or None
        What directions rest on where they come from more than independences.
    means : ndarray or None
        Means of the variables.
    elapsed_seconds : float
        Time it took.

    Examples
    --------
    >>> import nocurl
    >>> graph = nocurl.Graph.from_adjacency([[0, 2.0], [0, 0]], ["dose", "health"])
    >>> graph.edges
    [('dose', 'health', 2.0)]
    >>> print(graph.to_dot())
    digraph nocurl {
    ...
    >>> nocurl.Graph.from_json(graph.to_json()) == graph
    True
    """

    def __init__(self, document: dict) -> None:
        self._document = document
        self.variables: list[str] = document["variables"]
        place = {name: i for i, name in enumerate(self.variables)}
        self.weights = np.zeros((len(place), len(place)))
        for edge in document["edges"]:
            self.weights[place[edge["from"]], place[edge["to"]]] = edge.get("weight", 1.0)
        self.weights.flags.writeable = False
        self.order: list[str] = document["order"]
        self.potential = _array(document["potential"])
        self.determines: str = document["determines"]
        self.directions: str = document["directions"]
        self.method: str = document["method"]
        self.parameters: dict | None = document["parameters"]
        self.seed: int = document["seed"]
        self.version: str = document["version"]
        self.termination: str = document["termination"]
        self.iterations: int = document["iterations"]
        self.warnings: list[str] = document["warnings"]
        self.diagnosis: list[dict] | None = document["diagnosis"]
        self.bootstrap: dict | None = document["bootstrap"]
        self.assumption: str | None = document.get("assumption")
        self.means = _array(document["means"])
        self.elapsed_seconds: float = document["elapsed_seconds"]

    @classmethod
    def from_adjacency(cls, weights: Any, names: Any = None) -> Graph:
        """A graph of a square matrix, row -> column.

        A pair with both entries set is an edge of undetermined direction, as in the matrix of a
        CPDAG. Endpoint matrices of causal-learn (-1 and 1 for ``i -> j``, -1 and -1 for an
        undirected edge) are recognised by their entries.

        Parameters
        ----------
        weights : array or DataFrame
            The matrix; a DataFrame brings its names.
        names : sequence of str, optional
            Names of the variables; ``x1`` to ``xd`` if there are none.

        Raises
        ------
        ValueError
            When the matrix is not square or has a cycle of directed edges.
        """
        if names is None:
            names = getattr(weights, "columns", None)
        matrix = np.ascontiguousarray(weights, dtype=np.float64)
        if matrix.ndim != 2:
            raise ValueError(f"a square matrix is needed, not an array of {matrix.ndim} dimensions")
        if names is None:
            names = [f"x{j}" for j in range(1, matrix.shape[1] + 1)]
        return cls(json.loads(_nocurl.describe_graph(matrix, [str(name) for name in names])))

    @classmethod
    def from_json(cls, text: str) -> Graph:
        """The graph that :meth:`to_json` or ``nocurl learn --output graph.json`` wrote."""
        return cls(json.loads(_nocurl.format_graph(text, "json")))

    @property
    def edges(self) -> list[tuple[str, str, float]]:
        """The edges ``(from, to, weight)``: of a learnt graph the surest first, without confidence
        from the largest weight to the smallest, of a file in its order. The weight is 1 where there
        is none."""
        edges = self._document["edges"]
        return [(edge["from"], edge["to"], edge.get("weight", 1.0)) for edge in edges]

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self._document["edges"])

    @property
    def undirected(self) -> set[frozenset[str]]:
        """Pairs with an edge of undetermined direction."""
        return {
            frozenset((edge["from"], edge["to"]))
            for edge in self._document["edges"]
            if edge["direction"] == "undetermined"
        }

    def direction(self, cause: str, effect: str) -> str | None:
        """The word for the direction of the edge ``cause -> effect``: "determined", "likely" or
        "undetermined"; None where there is no such edge."""
        edge = self._edge.get((cause, effect))
        return None if edge is None else edge["direction"]

    def confidence(self, cause: str, effect: str) -> dict[str, float] | None:
        """How sure the edge ``cause -> effect`` is: ``adjacent`` and ``direction``, and the
        frequencies in resampled tables behind them, ``adjacent_frequency`` and
        ``direction_frequency``. None where there is no such edge or it was not measured."""
        edge = self._edge.get((cause, effect))
        return None if edge is None else edge.get("confidence")

    @functools.cached_property
    def _edge(self) -> dict[tuple[str, str], dict]:
        return {(edge["from"], edge["to"]): edge for edge in self._document["edges"]}

    def is_determined(self, cause: str, effect: str) -> bool:
        """Whether there is an edge ``cause -> effect`` whose direction is determined.

        Examples
        --------
        >>> import nocurl
        >>> graph = nocurl.Graph.from_adjacency([[0, 2.0, 1], [0, 0, 0], [1, 0, 0]], ["a", "b", "c"])
        >>> graph.is_determined("a", "b"), graph.is_determined("a", "c"), graph.determines
        (True, False, 'class')
        """
        return (cause, effect) in self._determined

    @functools.cached_property
    def _determined(self) -> set[tuple[str, str]]:
        return {
            (edge["from"], edge["to"])
            for edge in self._document["edges"]
            if edge["direction"] == "determined"
        }

    def adjacency(self) -> pandas.DataFrame:
        """The weights with names, row -> column."""
        import pandas

        return pandas.DataFrame(self.weights, index=self.variables, columns=self.variables)

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each edge: ``from``, ``to``, ``weight``, ``direction`` (the word for it) and
        ``determined``: whether it is.

        Where confidence was measured also ``adjacent`` and ``direction_confidence``, probabilities
        of the edge and of its direction.
        """
        import pandas

        determined = [self.is_determined(cause, effect) for cause, effect, _ in self.edges]
        table = pandas.DataFrame(self.edges, columns=["from", "to", "weight"])
        table["direction"] = [edge["direction"] for edge in self._document["edges"]]
        table["determined"] = pandas.array(determined, dtype=bool)
        sure = [edge.get("confidence") for edge in self._document["edges"]]
        if any(known is not None for known in sure):
            for column, key in [("adjacent", "adjacent"), ("direction_confidence", "direction")]:
                table[column] = [np.nan if known is None else known[key] for known in sure]
        return table

    def to_networkx(self) -> networkx.DiGraph:
        """A :class:`networkx.DiGraph` with all variables, and ``weight`` on its edges.

        Nodes carry ``potential``; edges also ``direction``, the word for it, ``directed``, which is
        False where it is not determined, and where it was measured the confidence ``adjacent`` and
        ``direction_confidence``. DoWhy takes it as it is.
        """
        import networkx

        graph = networkx.DiGraph(method=self.method, determines=self.determines)
        for i, name in enumerate(self.variables):
            attributes = {} if self.potential is None else {"potential": float(self.potential[i])}
            graph.add_node(name, **attributes)
        for cause, effect, weight in self.edges:
            directed = self.is_determined(cause, effect)
            more = {"direction": self.direction(cause, effect)}
            sure = self.confidence(cause, effect)
            if sure is not None:
                more |= {"adjacent": sure["adjacent"], "direction_confidence": sure["direction"]}
            graph.add_edge(cause, effect, weight=weight, directed=directed, **more)
        return graph

    def to_dot(self) -> str:
        """The graph for Graphviz."""
        return self._format("dot")

    def to_gml(self) -> str:
        """The graph in the Graph Modelling Language."""
        return self._format("gml")

    def to_graphml(self) -> str:
        """The graph as GraphML."""
        return self._format("graphml")

    def to_json(self) -> str:
        """Everything, as ``nocurl learn --output graph.json`` writes it."""
        return self._format("json")

    def _format(self, form: str) -> str:
        return _nocurl.format_graph(json.dumps(self._document), form)

    def write(self, path: str | os.PathLike) -> None:
        """Writes a file, whole or not at all; the extension says how: json, dot, graphml, gml or
        csv."""
        _nocurl.write_graph(json.dumps(self._document), os.fspath(path))

    def total_effects(self) -> pandas.DataFrame:
        """Change of each variable (column) per unit that another (row) is moved by, along all
        paths, in the linear model with these weights."""
        import pandas

        effects = _nocurl.total_effects(self.weights)
        return pandas.DataFrame(effects, index=self.variables, columns=self.variables)

    def intervene(self, do: Mapping[str, float]) -> dict[str, float]:
        """Means of all variables after some are set, in the linear model with these weights.

        Examples
        --------
        >>> import nocurl
        >>> drawn = nocurl.simulate(variables=4, rows=2000, degree=2, random_state=0)
        >>> graph = nocurl.learn(drawn.data)
        >>> graph.intervene({"x1": 5.0})["x1"]
        5.0
        """
        if self.means is None:
            raise ValueError("the graph has no means: learn it from data")
        place = {name: i for i, name in enumerate(self.variables)}
        unknown = [name for name in do if name not in place]
        if unknown:
            raise ValueError(f"`{unknown[0]}` is not a variable of the graph")
        given = [(place[name], float(value)) for name, value in do.items()]
        means = _nocurl.intervene(self.weights, self.means.tolist(), given)
        return dict(zip(self.variables, means.tolist()))

    def plot(self, ax: matplotlib.axes.Axes | None = None, **options: Any) -> matplotlib.axes.Axes:
        """Draws the graph in layers, causes on top, with matplotlib.

        Variables stand in the order of the potential; an edge is as wide as its weight is large,
        blue for positive and red for negative weights. Where its direction is undetermined, it is
        dashed and has no head.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if there is none.
        **options
            ``node_color``, ``font_size``, ``show_weights``.
        """
        from ._plot import plot

        return plot(self, ax, **options)

    def _repr_html_(self) -> str:
        from ._html import html

        return html(self)

    def __repr__(self) -> str:
        lines = [f"{self._summary()}:" if self.edges else f"{self._summary()}"]
        shown = [self._line(edge) for edge in self._document["edges"][:20]]
        widths = [max(map(len, column)) for column in zip(*shown)]
        for cells in shown:
            line = "  ".join(cell.ljust(width) for cell, width in zip(cells, widths))
            lines.append(f"  {line.rstrip()}")
        if self.n_edges > 20:
            lines.append(f"  and {self.n_edges - 20} more")
        lines += [f"warning: {text}" for text in self.warnings]
        lines += [
            f"concern: {finding.get('check', '')}: {finding['sentence']}"
            for finding in self.diagnosis or []
            if finding["verdict"] == "concern"
        ]
        return "\n".join(lines)

    def _line(self, edge: dict) -> list[str]:
        arrow = "--" if edge["direction"] == "undetermined" else "->"
        cells = [f"{edge['from']} {arrow} {edge['to']}", f"{edge.get('weight', 1.0):.3g}"]
        sure = edge.get("confidence")
        if sure is not None:
            cells.append(f"edge {sure['adjacent']:.0%}")
            cells.append(f"direction {sure['direction']:.0%}, {edge['direction']}")
        return cells

    def _summary(self) -> str:
        edges = f"{self.n_edges} edge{'' if self.n_edges == 1 else 's'}"
        by = f" by {self.method}" if self.method else ""
        return f"{edges} among {len(self.variables)} variables{by}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Graph) and self._document == other._document

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return type(self), (self._document,)


def read_graph(path: str | os.PathLike) -> Graph:
    """Reads a graph from JSON, DOT, GraphML, GML or CSV, with everything that the file says.

    JSON holds all that :func:`nocurl.learn` found, so that :meth:`Graph.intervene` and the others
    work as before.
    """
    return Graph(json.loads(_nocurl.read_graph(os.fspath(path))))


def _array(values: list | None) -> np.ndarray | None:
    return None if values is None else np.array(values, dtype=np.float64)

