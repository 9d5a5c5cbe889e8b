"""What was learnt: a graph with all that is known about it."""

from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _nocurl
from ._values import seed_of
from ._warnings import ResultWarning

if TYPE_CHECKING:
    import matplotlib.axes
    import networkx
    import pandas

    from ._compare import Differences


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
        Means of the variables, where each has one, on the scales that were learnt on.
    kinds : list of dict
        What each variable is: ``name``, ``kind``, where it has some ``levels`` with their
        ``shares``, and ``transforms``, what was done to its values.
    error_variances : ndarray or None
        Variances of the errors of the variables.
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
            self.weights[place[edge["from"]], place[edge["to"]]] = _weight(edge)
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
        self.kinds: list[dict] = document.get("kinds", [])
        self.error_variances = _array(document.get("error_variances"))
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
        """The edges ``(from, to, weight)``: of a learnt graph from the strongest to the weakest, of
        a file in its order. Where an end is categorical there is no one weight: the strength stands
        for it. It is 1 where there is neither."""
        return [(edge["from"], edge["to"], _weight(edge)) for edge in self._document["edges"]]

    @property
    def strengths(self) -> list[float | None]:
        """How strong each of the edges is, between 0 and 1: the share of what the other causes leave
        of the effect that this one removes. It means the same for variables of all kinds."""
        return [edge.get("strength") for edge in self._document["edges"]]

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
        """One row for each edge: ``from``, ``to``, ``weight``, ``direction`` (the word for it),
        ``determined``: whether it is, and ``strength`` and ``standardized_weight`` where they are
        known.

        Where confidence was measured also ``adjacent`` and ``direction_confidence``, probabilities
        of the edge and of its direction.
        """
        import pandas

        determined = [self.is_determined(cause, effect) for cause, effect, _ in self.edges]
        table = pandas.DataFrame(self.edges, columns=["from", "to", "weight"])
        table["direction"] = [edge["direction"] for edge in self._document["edges"]]
        table["determined"] = pandas.array(determined, dtype=bool)
        for name in ("strength", "standardized_weight"):
            values = [edge.get(name) for edge in self._document["edges"]]
            if any(value is not None for value in values):
                table[name] = pandas.array(values, dtype="Float64").to_numpy(float, na_value=np.nan)
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
            more: dict[str, Any] = {"direction": self.direction(cause, effect)}
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

    def to_svg(self) -> str:
        """A picture for pages and papers; :meth:`plot` explains it."""
        return self._format("svg")

    def to_tikz(self) -> str:
        """The picture for LaTeX."""
        return self._format("tex")

    def to_mermaid(self) -> str:
        """The graph for Markdown."""
        return self._format("mmd")

    def to_dagitty(self) -> str:
        """The graph for dagitty.net and R's package dagitty."""
        return self._format("dagitty")

    @property
    def conditions(self) -> list[dict]:
        """The conditions of an experiment: ``name``, ``rows``, known ``targets``, and what else each
        ``acts_on`` directly; empty without experiments."""
        return (self._document.get("experiments") or {}).get("conditions", [])

    def next_experiment(
        self,
        targets: int = 1,
        *,
        only: str | Sequence[str] | None = None,
        never: str | Sequence[str] | None = None,
        random_state: int = 0,
    ) -> list[dict]:
        """The experiments that are expected to determine most undetermined directions, the best
        first: ``targets`` to act on at once, how many directions are ``expected`` to be settled, and
        the ``least`` and ``most`` over the graphs that were looked at.
        """
        wanted, unwanted = ([v] if isinstance(v, str) else list(v or []) for v in (only, never))
        text = _nocurl.next_experiment(
            json.dumps(self._document), targets, wanted, unwanted, seed_of(random_state)
        )
        return json.loads(text)["experiments"]

    def to_json(self) -> str:
        """Everything, as ``nocurl learn --output graph.json`` writes it."""
        return self._format("json")

    def _format(self, form: str) -> str:
        return _nocurl.format_graph(json.dumps(self._document), form)

    def write(self, path: str | os.PathLike) -> None:
        """Writes a file, whole or not at all; the extension says how: json, dot, graphml, gml,
        csv, dagitty or mmd, a picture: svg, png, pdf or tex, or a report: html."""
        _nocurl.write_graph(json.dumps(self._document), os.fspath(path))

    def to_html(self, rows: int = 300) -> str:
        """The report, as :meth:`report` writes it."""
        return _nocurl.format_graph(self._with_rows(rows), "html")

    def report(self, path: str | os.PathLike, rows: int = 300) -> None:
        """Writes a report: one HTML file that works offline, with the graph, what was read,
        effects, checks, and scatter plots of a sample of the rows.

        Parameters
        ----------
        path : str or path
            The file, which should end in ``.html``.
        rows : int
            Rows of the table that it holds at most, up to 300; 0 keeps data out of it. A graph that
            was read from a file has none.
        """
        if not os.fspath(path).lower().endswith((".html", ".htm")):
            raise ValueError(f"'{os.fspath(path)}': the name of a report ends in .html")
        _nocurl.write_graph(self._with_rows(rows), os.fspath(path))

    def _with_rows(self, rows: int) -> str:
        """The document with at most so many of the rows."""
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 0:
            raise ValueError(f"rows={rows!r}: give a whole number from 0 on")
        sample = self._document.get("sample", [])
        known = len(sample[0]) if sample else 0
        if rows < known:
            places = [k * known // rows for k in range(rows)] if rows else []
            sample = [[column[k] for k in places] for column in sample] if rows else []
        return json.dumps({**self._document, "sample": sample})

    def parents(self, variable: str) -> list[str]:
        """The variables with an edge to this one whose direction is determined.

        Warns with :class:`ResultWarning` where others might be parents too.

        Examples
        --------
        >>> import nocurl
        >>> graph = nocurl.Graph.from_adjacency([[0, 2.0], [0, 0]], ["dose", "health"])
        >>> graph.parents("health"), graph.ancestors("health"), graph.markov_blanket("dose")
        (['dose'], ['dose'], ['health'])
        """
        parents, siblings, *_ = self._relatives(variable)
        if siblings:
            some = ", ".join(f"`{name}`" for name in siblings)
            _warn(f"{some}: the direction of the edge with `{variable}` is undetermined")
        return parents

    def ancestors(self, variable: str) -> list[str]:
        """The variables with a path of determined directions to this one.

        Warns with :class:`ResultWarning` where others might be ancestors too.
        """
        _, _, ancestors, possible, _ = self._relatives(variable)
        if len(possible) > len(ancestors):
            more = len(possible) - len(ancestors)
            _warn(f"{more} more may be ancestors of `{variable}`, by undetermined directions")
        return ancestors

    def markov_blanket(self, variable: str) -> list[str]:
        """Parents, children and the children's other parents: given these, the variable is
        independent of all others. All graphs of the class have the same."""
        return self._relatives(variable)[4]

    def adjustment_sets(self, cause: str, effect: str) -> dict[str, list[str]] | None:
        """Variables to adjust for, so that a regression gives the effect of one on another.

        Returns ``optimal`` (the estimate has the smallest variance), ``minimal`` (no smaller set is
        inside) and ``parents``; None where no directed path can lead from cause to effect, so that
        the effect is 0, or where it depends on undetermined directions, with a
        :class:`ResultWarning`.

        Examples
        --------
        >>> import nocurl
        >>> weights = [[0, 1.0, 1], [0, 0, 1], [0, 0, 0]]
        >>> graph = nocurl.Graph.from_adjacency(weights, ["age", "dose", "health"])
        >>> graph.adjustment_sets("dose", "health")["optimal"]
        ['age']
        """
        text, (i, j) = json.dumps(self._document), (self._place(cause), self._place(effect))
        if i == j:
            raise ValueError("cause and effect are the same variable: an effect needs two")
        if not _nocurl.identified(text, [i])[j]:
            _warn(f"the effect of `{cause}` on `{effect}` depends on undetermined directions")
            return None
        sets = _nocurl.adjustment(text, i, j)
        if sets is None:
            return None
        names = [[self.variables[v] for v in set_] for set_ in sets]
        return dict(zip(("optimal", "minimal", "parents"), names))

    def effects(self, cause: str) -> pandas.DataFrame:
        """Effects of one variable on the others, one row for each that it may act on: ``to``,
        ``effect``, ``determined``, and ``least`` and ``most`` over the graphs of the class.

        ``attrs["values"]`` has, by name, all values that the graphs of the class give. Warns with
        :class:`ResultWarning` where some depend on undetermined directions.
        """
        import pandas

        i, text = self._place(cause), json.dumps(self._document)
        drawn = _nocurl.total_effects(self.weights)[i]
        known = _nocurl.identified(text, [i])
        members = None if all(known) else _nocurl.effects_over_class(text, i)
        rows, values = [], {}
        for j, name in enumerate(self.variables):
            every = [float(drawn[j])]
            if members is not None and not known[j]:
                every = [row[j] for row in members]
            elif not known[j]:
                every = [float("nan")]
            if i != j and (drawn[j] != 0 or any(value != 0 for value in every)):
                values[name] = every
                rows.append((name, drawn[j], known[j], min(every), max(every)))
        self._warn_open([known[self._place(name)] for name in values], "effect")
        table = pandas.DataFrame(rows, columns=["to", "effect", "determined", "least", "most"])
        table.attrs["values"] = values
        return table

    def _place(self, variable: str) -> int:
        if variable not in self.variables:
            raise ValueError(f"`{variable}` is not a variable of the graph")
        return self.variables.index(variable)

    def _relatives(self, variable: str) -> list[list[str]]:
        found = _nocurl.relatives(json.dumps(self._document), self._place(variable))
        return [[self.variables[v] for v in group] for group in found]

    def _warn_open(self, known: list[bool], what: str) -> None:
        open_ = sum(not value for value in known)
        if open_:
            s = "" if open_ == 1 else "s"
            _warn(f"{open_} {what}{s} of {len(known)} depend on undetermined directions")

    def score(self, X: Any) -> float:
        """Mean log-likelihood of rows in the linear model with Gaussian errors: the higher, the
        better. Rows go through the transformations that the graph was learnt with, and the
        likelihood is that on these scales. Columns are taken by name from a DataFrame, in order from an array."""
        return float(np.mean(self.log_likelihood(X)))

    def log_likelihood(self, X: Any) -> np.ndarray:
        """Log-likelihood of each row; see :meth:`score`."""
        return _nocurl.log_likelihood(json.dumps(self._document), self._rows(X))

    def predict(self, X: Any, variable: str) -> np.ndarray:
        """The mean of one variable given all others, in each row, in the linear model with Gaussian
        errors; the median where it was learnt as a logarithm or by ranks. A DataFrame need not have the variable; of an array its column is not looked at.

        Examples
        --------
        >>> import nocurl
        >>> drawn = nocurl.simulate(variables=4, rows=500, degree=2, random_state=0)
        >>> graph = nocurl.learn(drawn.data)
        >>> graph.predict(drawn.data, "x1").shape, graph.sample(3, random_state=1).shape
        ((500,), (3, 4))
        """
        place = self._place(variable)
        return _nocurl.predict(json.dumps(self._document), self._rows(X, but=variable), place)

    def residuals(self, X: Any) -> np.ndarray:
        """What the parents leave of each value."""
        return _nocurl.residuals(json.dumps(self._document), self._rows(X))

    def sample(self, n: int, random_state: Any = 0) -> np.ndarray:
        """New rows from the linear model with Gaussian errors, columns as in ``variables``."""
        if n < 1:
            raise ValueError(f"n is {n}: give a number of rows")
        return _nocurl.sample(json.dumps(self._document), int(n), seed_of(random_state))

    def _rows(self, X: Any, but: str | None = None) -> np.ndarray:
        columns = getattr(X, "columns", None)
        if columns is None:
            rows = np.ascontiguousarray(X, dtype=np.float64)
            if rows.ndim != 2:
                raise ValueError(
                    f"a table has 2 dimensions, and this array has {rows.ndim}. Reshape your data: "
                    "X.reshape(1, -1) is one row, X.reshape(-1, 1) one column"
                )
            if rows.shape[1] != len(self.variables):
                # The first words are those that scikit-learn's users look for.
                raise ValueError(
                    f"X has {rows.shape[1]} features, but {type(self).__name__} is expecting "
                    f"{len(self.variables)} features as input: one column for each variable"
                )
        else:
            named = {str(name): name for name in columns}
            missing = [name for name in self.variables if name not in named and name != but]
            if missing:
                raise ValueError(f"the table has no column `{missing[0]}`")
            zeros = np.zeros(len(X))
            rows = np.column_stack([
                np.asarray(X[named[name]], dtype=np.float64) if name in named else zeros
                for name in self.variables
            ])
        if but is not None:
            rows = rows.copy()
            rows[:, self.variables.index(but)] = 0.0
        if not np.isfinite(rows).all():
            raise ValueError("the table has values that are missing or not finite: leave them out")
        return rows

    def total_effects(self) -> pandas.DataFrame:
        """Change of each variable (column) per unit that another (row) is moved by, along all
        paths, in the linear model with these weights.

        Warns with :class:`ResultWarning` where some depend on undetermined directions;
        :meth:`effects` has their range.

        A categorical variable has a row and a column for each level but its base, such as
        ``species=Adelie``: a change from the base to that level, or of its probability."""
        import pandas

        if self.undirected:
            _warn("effects along undetermined directions are those of the graph as it is drawn; "
                  "`effects` has their range")
        names, weights, _ = self._expanded
        effects = _nocurl.total_effects(weights)
        return pandas.DataFrame(effects, index=names, columns=names)

    @functools.cached_property
    def _expanded(self) -> tuple[list[str], np.ndarray, list[float] | None]:
        if not any(kind["kind"] == "categorical" for kind in self.kinds):
            return self.variables, self.weights, None if self.means is None else self.means.tolist()
        return _nocurl.expanded(json.dumps(self._document))

    def _setting(self, name: str, value: float | str) -> list[tuple[str, float]]:
        """The columns that are set with a variable, and their values."""
        kind = next((kind for kind in self.kinds if kind["name"] == name), {})
        levels = kind.get("levels", [])
        if kind.get("kind") == "categorical" or (isinstance(value, str) and levels):
            if value not in levels:
                known = ", ".join(f"`{level}`" for level in levels)
                raise ValueError(f"`{name}` has no level `{value}`; it has {known}")
            if kind["kind"] == "categorical":
                return [(f"{name}={level}", float(level == value)) for level in levels[1:]]
            return [(name, float(levels.index(value)))]
        return [(name, self._to_scale(name, float(value)))]

    def _to_scale(self, name: str, value: float) -> float:
        """A value of the table on the scale that was learnt on."""
        if not self._transformed(name):
            return value
        return _nocurl.on_scale(json.dumps(self._document), name, [value], False)[0]

    def _from_scale(self, name: str, values: list[float]) -> list[float]:
        """Values of the scale that was learnt on in the units of the table."""
        if not self._transformed(name):
            return values
        return _nocurl.on_scale(json.dumps(self._document), name, values, True)

    def _transformed(self, name: str) -> bool:
        return any(kind["name"] == name and kind.get("transforms") for kind in self.kinds)

    def intervene(self, do: Mapping[str, float | str]) -> dict[str, float]:
        """Means of all variables after some are set, in the linear model with these weights.

        A variable with levels is set to one by its name, as in ``{"species": "Adelie"}``; a
        categorical one has the probability of each level but its base in the answer, as
        ``species=Adelie``. Values and answers are in the units of the table: where a variable was
        learnt as a logarithm or by ranks, the answer is a median.

        Warns with :class:`ResultWarning` where some depend on undetermined directions;
        :meth:`intervention_ranges` has their range.

        Examples
        --------
        >>> import nocurl
        >>> drawn = nocurl.simulate(variables=4, rows=2000, degree=2, random_state=0)
        >>> graph = nocurl.learn(drawn.data)
        >>> graph.intervene({"x1": 5.0})["x1"]
        5.0
        """
        names, weights, before = self._expanded
        if before is None:
            raise ValueError("the graph has no means: learn it from data")
        place = {name: i for i, name in enumerate(names)}
        variables = [self._place(name) for name in do]
        settings = [pair for name, value in do.items() for pair in self._setting(name, value)]
        given = [(place[name], value) for name, value in settings]
        known = _nocurl.identified(json.dumps(self._document), variables)
        self._warn_open(known, "mean")
        means = _nocurl.intervene(weights, before, given)
        return {name: self._from_scale(name, [mean])[0] for name, mean in zip(names, means.tolist())}

    def intervention_ranges(self, do: Mapping[str, float]) -> dict[str, tuple[float, float]]:
        """The smallest and the largest mean of each variable after some are set, over the graphs of
        the class."""
        given = self._settings(do)
        rows = _nocurl.interventions_over_class(json.dumps(self._document), given)
        if rows is None:
            assert self.means is not None
            rows = [_nocurl.intervene(self.weights, self.means.tolist(), given).tolist()]
            if self.undirected:
                _warn("there are too many graphs, or no error variances: only the one drawn is used")
        columns = {
            name: self._from_scale(name, [row[j] for row in rows])
            for j, name in enumerate(self.variables)
        }
        return {name: (min(values), max(values)) for name, values in columns.items()}

    def _settings(self, do: Mapping[str, float]) -> list[tuple[int, float]]:
        if self.means is None:
            raise ValueError("the graph has no means: learn it from data")
        return [
            (self._place(name), self._to_scale(name, float(value))) for name, value in do.items()
        ]

    def part(
        self,
        around: str | Sequence[str] = (),
        depth: int = 1,
        min_confidence: float | None = None,
    ) -> Graph:
        """A part of the graph: what is near some variables, or sure enough.

        Parameters
        ----------
        around : str or sequence of str
            Variables to start from; all if there are none.
        depth : int
            How many edges away from them, in any direction.
        min_confidence : float, optional
            Only edges that are at least this sure, from 0 to 1.

        Examples
        --------
        >>> import nocurl
        >>> chain = [[0, 1, 0], [0, 0, 1], [0, 0, 0]]
        >>> nocurl.Graph.from_adjacency(chain, ["a", "b", "c"]).part("a").variables
        ['a', 'b']
        """
        names = [around] if isinstance(around, str) else [str(name) for name in around]
        document = json.dumps(self._document)
        return Graph(json.loads(_nocurl.part_of_graph(document, names, depth, min_confidence)))

    def compare(self, other: Graph, names: tuple[str, str] = ("the first", "the second")) -> Differences:
        """Which edges two graphs share and where they differ; variables are matched by name.

        To score a graph against the truth use :func:`nocurl.metrics.compare`.

        Examples
        --------
        >>> import nocurl
        >>> one = nocurl.Graph.from_adjacency([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
        >>> other = nocurl.Graph.from_adjacency([[0, 0, 0], [1, 0, 1], [0, 0, 0]], ["a", "b", "c"])
        >>> one.compare(other)
        1 edges in both, 0 only in the first, 0 only in the second, 1 in opposite directions
        """
        from ._compare import Differences

        return Differences(self, other, names)

    def plot(self, ax: matplotlib.axes.Axes | None = None, **options: Any) -> matplotlib.axes.Axes:
        """Draws the graph in layers, causes on top, with matplotlib.

        Places, ways and colours are those of :meth:`to_svg`: blue for positive and dashed orange
        for negative weights, wider where an edge is stronger, paler where it is less sure. An edge
        without a head has an undetermined direction. Above 60 variables with edges there is an
        overview: dots as large as they have edges, with names where there is room.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if there is none.
        **options
            ``node_color``, ``font_size``, ``show_weights``, ``figsize`` of a new figure.
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
        # The same table and settings give the same graph, in another time and by another call. Rows
        # are for reports, and not in files.
        def timeless(document: dict) -> dict:
            passing = ("elapsed_seconds", "command", "sample")
            return {name: value for name, value in document.items() if name not in passing}

        return isinstance(other, Graph) and timeless(self._document) == timeless(other._document)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return type(self), (self._document,)


def read_graph(path: str | os.PathLike) -> Graph:
    """Reads a graph from JSON, DOT, GraphML, GML or CSV, with everything that the file says.

    JSON holds all that :func:`nocurl.learn` found, so that :meth:`Graph.intervene` and the others
    work as before.
    """
    return Graph(json.loads(_nocurl.read_graph(os.fspath(path))))


def _weight(edge: dict) -> float:
    return edge.get("weight", edge.get("strength", 1.0))


def _warn(message: str) -> None:
    warnings.warn(message, ResultWarning, stacklevel=3)


def _array(values: list | None) -> np.ndarray | None:
    return None if values is None else np.array(values, dtype=np.float64)

