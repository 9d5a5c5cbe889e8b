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
from ._values import percent, seed_of
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
    its JSON form is that of the command line (``nocurl/graph/3``).

    Attributes
    ----------
    variables : list of str
        Names of the variables, in the order of the data.
    weights : ndarray
        Entry (i, j) is the weight of the edge i -> j, 0 where there is none, and NaN where the edge
        has no one weight: its cause has several levels, or its effect is a category.
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
        Variances of the errors of the variables, where all of them are numbers.
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
            weight = self._weight(edge)
            self.weights[place[edge["from"]], place[edge["to"]]] = (
                np.nan if weight is None else weight
            )
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
        self.error_variances = _variances(document)
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
    def edges(self) -> list[tuple[str, str, float | None]]:
        """The edges ``(from, to, weight)``: of a learnt graph from the strongest to the weakest, of
        a file in its order. The weight is None where there is no one number: the cause has several
        levels (see :attr:`edges_by_level`), or the effect is a category. It is 1 in graphs without
        weights."""
        return [(edge["from"], edge["to"], self._weight(edge)) for edge in self._document["edges"]]

    @property
    def edges_by_level(self) -> list[dict]:
        """What goes with each level of a cause but its base: ``from``, ``from_level``,
        ``from_base``, ``to`` and ``weight``, the change of the effect."""
        return [
            {
                "from": edge["from"],
                "from_level": known.get("from_level"),
                "from_base": known.get("from_base"),
                "to": edge["to"],
                "weight": known["value"],
            }
            for edge in self._document["edges"]
            for known in edge.get("coefficients", [])
        ]

    def _weight(self, edge: dict) -> float | None:
        known = edge.get("weight")
        if known is None and "strength" not in edge and not edge.get("coefficients"):
            return None if self._document.get("model") else 1.0
        return known

    @functools.cached_property
    def _answers(self) -> _nocurl.Answers:
        return _nocurl.Answers(json.dumps(self._document))

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
        table["weight"] = table["weight"].astype(float)
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
        """A :class:`networkx.DiGraph` with all variables, and ``weight`` on its edges that have one.

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
            if weight is not None:
                more["weight"] = weight
            graph.add_edge(cause, effect, directed=directed, **more)
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
        if self._place(cause) == self._place(effect):
            raise ValueError("cause and effect are the same variable: an effect needs two")
        if not self._answers.identified([cause])[self._place(effect)]:
            _warn(f"the effect of `{cause}` on `{effect}` depends on undetermined directions")
            return None
        sets = self._answers.adjustment(cause, effect)
        return None if sets is None else dict(zip(("optimal", "minimal", "parents"), sets))

    def effects(self, cause: str) -> pandas.DataFrame:
        """Effects of one variable on the others, one row for each that it may act on.

        Columns are ``to``, ``effect``, ``lower`` and ``upper`` (the 95% interval, where it is
        known), ``determined``, and ``least`` and ``most`` over the graphs of the class. Where
        variables have levels, ``from_level`` and ``from_base`` say which change of the cause it is,
        and ``to_level`` whose probability changes: there is one row for each level but the base.

        ``attrs["values"]`` has, by name, all values that the graphs of the class give. Warns with
        :class:`ResultWarning` where some depend on undetermined directions.

        Examples
        --------
        >>> import nocurl
        >>> graph = nocurl.Graph.from_adjacency([[0, 2.0], [0, 0]], ["dose", "health"])
        >>> graph.effects("dose")[["to", "effect"]].values.tolist()
        [['health', 2.0]]
        """
        import pandas

        self._place(cause)
        found = json.loads(self._answers.effects(cause))["effects"]
        levels = any("from_level" in entry or "to_level" in entry for entry in found)
        rows, values = [], {}
        for entry in found:
            lower, upper = entry["interval"] or (np.nan, np.nan)
            every = entry.get("values", [entry["effect"] if entry["identified"] else np.nan])
            values[entry["to"]] = every
            names = [entry.get(key) for key in ("from_level", "from_base")] if levels else []
            target = [entry.get("to_level")] if levels else []
            rows.append(
                [*names, entry["to"], *target, entry["effect"], lower, upper]
                + [entry["identified"], min(every), max(every)]
            )
        self._warn_open([entry["identified"] for entry in found], "effect")
        before = ["from_level", "from_base"] if levels else []
        after = ["to_level"] if levels else []
        columns = [*before, "to", *after, "effect", "lower", "upper", "determined", "least", "most"]
        table = pandas.DataFrame(rows, columns=columns)
        table.attrs["values"] = values
        return table

    def _place(self, variable: str) -> int:
        if variable not in self.variables:
            raise ValueError(f"`{variable}` is not a variable of the graph")
        return self.variables.index(variable)

    def _relatives(self, variable: str) -> list[list[str]]:
        found = self._answers.relatives(self._place(variable))
        return [[self.variables[v] for v in group] for group in found]

    def _warn_open(self, known: list[bool], what: str) -> None:
        open_ = sum(not value for value in known)
        if open_:
            s = "" if open_ == 1 else "s"
            _warn(f"{open_} {what}{s} of {len(known)} depend on undetermined directions")

    def score(self, X: Any, *, unknown_level: str = "error") -> float:
        """Mean log-likelihood of rows: the higher, the better.

        Rows go through the transformations that the graph was learnt with, and the likelihood is
        that on these scales. Missing cells are integrated out in models of numbers and in models of
        categories.

        Parameters
        ----------
        X : DataFrame, array, dict, path or one row
            Columns are matched by name, others are ignored; an array has one column per variable.
        unknown_level : {"error", "missing"}
            What to do with a level that the graph was not learnt from.
        """
        return float(np.mean(self.log_likelihood(X, unknown_level=unknown_level)))

    def log_likelihood(self, X: Any, *, unknown_level: str = "error") -> np.ndarray:
        """Log-likelihood of each row; see :meth:`score`."""
        table, names = self._rows(X)
        return self._answers.log_likelihood(table, names, _as_missing(unknown_level))

    def predict(
        self, X: Any, variable: str, *, probabilities: bool = False, unknown_level: str = "error"
    ) -> np.ndarray:
        """One variable given all others, in each row: the mean of a number (the median where it was
        learnt as a logarithm or by ranks), or the most probable level of a category.

        Parameters
        ----------
        X : DataFrame, array, dict, path or one row
            As in :meth:`score`. A frame or dict need not have the variable; of an array its column
            is not used.
        variable : str
            The variable to predict.
        probabilities : bool
            Whether a category gives the probability of each of its levels instead, one column per
            level in the order of ``kinds``.
        unknown_level : {"error", "missing"}
            As in :meth:`score`.

        Examples
        --------
        >>> import nocurl
        >>> drawn = nocurl.simulate(variables=4, rows=500, degree=2, random_state=0)
        >>> graph = nocurl.learn(drawn.data)
        >>> graph.predict(drawn.data, "x1").shape, graph.sample(3, random_state=1).shape
        ((500,), (3, 4))
        """
        self._place(variable)
        table, names = self._rows(X)
        as_missing = _as_missing(unknown_level)
        numbers, chances = self._answers.predict(table, names, variable, as_missing)
        if chances is None:
            if probabilities:
                raise ValueError(f"`{variable}` is a number: it has no probabilities of levels")
            assert numbers is not None
            return numbers
        if probabilities:
            return chances
        return np.array(self._levels[variable])[chances.argmax(axis=1)]

    def residuals(self, X: Any, *, unknown_level: str = "error") -> Any:
        """What the parents leave of each value: an array with one column per variable; where some
        are categories, a DataFrame with the columns of their levels."""
        table, given = self._rows(X)
        names, values = self._answers.residuals(table, given, _as_missing(unknown_level))
        if names == self.variables:
            return values
        import pandas

        return pandas.DataFrame(values, columns=names)

    def sample(self, n: int, random_state: Any = 0) -> Any:
        """New rows, columns as in ``variables``: an array, or a DataFrame with names of levels where
        some variables have levels."""
        if n < 1:
            raise ValueError(f"n is {n}: give a number of rows")
        drawn = self._answers.sample(int(n), seed_of(random_state))
        if not self._levels:
            return drawn
        import pandas

        def named(j: int, name: str) -> Any:
            levels = self._levels.get(name)
            return drawn[:, j] if levels is None else np.array(levels)[drawn[:, j].astype(int)]

        return pandas.DataFrame({name: named(j, name) for j, name in enumerate(self.variables)})

    @functools.cached_property
    def _levels(self) -> dict[str, list[str]]:
        return {kind["name"]: kind["levels"] for kind in self.kinds if kind.get("levels")}

    def _rows(self, X: Any) -> tuple[Any, list[str]]:
        from ._rows import rows_for

        self._answers.check_model()
        return rows_for(X, self.variables, self.kinds)

    def total_effects(self) -> pandas.DataFrame:
        """Change of each variable (column) per unit that another (row) is moved by, along all
        paths.

        Warns with :class:`ResultWarning` where some depend on undetermined directions;
        :meth:`effects` has their range.

        A variable with levels has a row and a column for each level but its base, such as
        ``species=Adelie``: a change from the base to that level, or of its probability."""
        import pandas

        if self.undirected:
            _warn("effects along undetermined directions are those of the graph as it is drawn; "
                  "`effects` has their range")
        names = self._columns
        table = pandas.DataFrame(np.zeros((len(names), len(names))), index=names, columns=names)
        for entry in json.loads(self._answers.effects())["effects"]:
            cause = _column(entry["from"], entry.get("from_level"))
            table.loc[cause, _column(entry["to"], entry.get("to_level"))] = entry["effect"]
        return table

    @functools.cached_property
    def _columns(self) -> list[str]:
        """The variables, and levels but the base."""
        found = []
        for name in self.variables:
            kind = next((kind for kind in self.kinds if kind["name"] == name), {})
            levels = kind.get("levels", []) if kind.get("kind") != "ordinal" else []
            found += [f"{name}={level}" for level in levels[1:]] or [name]
        return found

    def intervene(self, do: Mapping[str, Any]) -> dict[str, float]:
        """What is expected of all variables after some are set.

        A variable with levels is set to one by its name, as in ``{"species": "Adelie"}``, and has
        the probability of each level but its base in the answer, as ``species=Adelie``. Values and
        answers are in the units of the table: where a variable was learnt as a logarithm or by
        ranks, the answer is a median. After an experiment, means are those of the control.

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
        moved = self._moved(do)
        self._warn_open([entry["identified"] for entry in moved], "mean")
        return {_column(e["variable"], e.get("level")): e["after"] for e in moved}

    def intervention_ranges(self, do: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
        """The smallest and the largest answer for each variable after some are set, over the graphs
        of the class."""
        moved = self._moved(do)
        if any(not entry["identified"] and "range" not in entry for entry in moved):
            _warn("some ranges are not known: only the graph that is drawn is used for them")
        return {
            _column(entry["variable"], entry.get("level")): tuple(
                entry.get("range") or (entry["after"], entry["after"])
            )
            for entry in moved
        }

    def _moved(self, do: Mapping[str, Any]) -> list[dict]:
        from ._rows import setting

        for name in do:
            self._place(name)
        given = [(name, setting(value)) for name, value in do.items()]
        return json.loads(self._answers.intervene(given))["variables"]

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
        weight = self._weight(edge)
        shown = "" if weight is None else f"{weight:.3g}"
        cells = [f"{edge['from']} {arrow} {edge['to']}", shown]
        sure = edge.get("confidence")
        if sure is not None:
            cells.append(f"edge {percent(sure['adjacent'])}")
            cells.append(f"direction {percent(sure['direction'])}, {edge['direction']}")
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


def _column(name: str, level: str | None) -> str:
    return name if level is None else f"{name}={level}"


def _as_missing(unknown_level: str) -> bool:
    if unknown_level not in ("error", "missing"):
        raise ValueError(f"unknown_level={unknown_level!r}: use 'error' or 'missing'")
    return unknown_level == "missing"


def _variances(document: dict) -> np.ndarray | None:
    """Error variances of the mechanisms, where all of them are linear."""
    known = (document.get("model") or {}).get("mechanisms")
    if known is None:
        return _array(document.get("error_variances"))
    if any(mechanism["kind"] != "linear" for mechanism in known):
        return None
    return np.array([mechanism["variance"] for mechanism in known])


def _warn(message: str) -> None:
    warnings.warn(message, ResultWarning, stacklevel=3)


def _array(values: list | None) -> np.ndarray | None:
    return None if values is None else np.array(values, dtype=np.float64)

