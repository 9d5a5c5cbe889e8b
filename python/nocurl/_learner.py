"""What all methods have in common, after the conventions of scikit-learn."""

from __future__ import annotations

import inspect
import json
import os
import reprlib
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from . import _nocurl
from ._graph import Graph
from ._moments import Moments
from ._progress import Bar
from ._table import CONDITION, Table, as_table, with_conditions
from ._values import names_of, ordinal_of, seed_of, threads_of, to_json, transform_of
from ._warnings import warn

if TYPE_CHECKING:
    import networkx
    import pandas
    from typing_extensions import Self, Unpack

#: Parameters that all methods share, with their defaults; :class:`Learner` explains them.
SHARED: dict[str, Any] = {
    "threshold": None,
    "refine": None,
    "prune": None,
    "center": True,
    "error_shape": False,
    "knowledge": None,
    "condition": None,
    "condition_from_files": False,
    "targets": None,
    "soft": False,
    "target_column": None,
    "control": None,
    "hide_condition": False,
    "columns": None,
    "drop": None,
    "continuous": None,
    "categorical": None,
    "ordinal": None,
    "transforms": None,
    "standardize": False,
    "missing": "auto",
    "na": None,
    "header": "auto",
    "delimiter": None,
    "decimal": None,
    "comment": None,
    "skip_rows": 0,
    "transpose": False,
    "rows": None,
    "sheet": None,
    "file_column": None,
    "confidence": False,
    "bootstrap": None,
    "confidence_seconds": None,
    "confidence_level": None,
    "graph": "best",
    "checkpoint": None,
    "diagnose": False,
    "random_state": 0,
    "n_jobs": None,
    "memory": None,
    "show_progress": False,
}

#: Parameters that do not change the result.
UNSEEN = {"n_jobs", "memory", "show_progress", "checkpoint"}


class Common(TypedDict, total=False):
    """The types of the same, for editors and type checkers, but for those that a method may have
    for itself."""

    refine: str | None
    center: bool
    error_shape: bool
    knowledge: dict[str, Any] | str | os.PathLike[str] | None
    condition: str | None
    condition_from_files: bool
    targets: dict[str, str | Sequence[str]] | str | os.PathLike[str] | None
    soft: bool
    target_column: str | None
    control: str | None
    hide_condition: bool
    columns: str | Sequence[str] | None
    drop: str | Sequence[str] | None
    continuous: str | Sequence[str] | None
    categorical: str | Sequence[str] | None
    ordinal: str | Sequence[str] | dict[str, Sequence[str]] | None
    transforms: str | Sequence[str] | dict[str, str | Sequence[str]] | None
    standardize: bool
    missing: str
    na: str | float | Sequence[str | float] | None
    header: str
    delimiter: str | None
    decimal: str | None
    comment: str | None
    skip_rows: int
    transpose: bool
    rows: int | None
    sheet: str | None
    file_column: str | None
    confidence: bool
    bootstrap: int | None
    confidence_seconds: float | None
    confidence_level: float | None
    graph: str
    checkpoint: str | os.PathLike[str] | None
    diagnose: bool
    random_state: int | np.random.RandomState | np.random.Generator | None
    n_jobs: int | None
    memory: int | str | None
    show_progress: bool | Callable[[str, int, int | None, float | None], object]


class SharedButThreshold(Common, total=False):
    """All but the threshold."""

    prune: str | dict[str, Any] | None


class SharedButPrune(Common, total=False):
    """All but the rule that prunes."""

    threshold: float | None
    w_threshold: float | None


class Shared(SharedButThreshold, SharedButPrune, total=False):
    """All of them."""


#: Parameters of the engine under the names that users of Python know.
RENAMED = {"max_iterations": "max_iter", "score": "criterion", "lambda": "penalty", "transform": "transforms"}

#: Other names for parameters.
ALIASES = {"w_threshold": "threshold"}


class Learner(BaseEstimator):
    """What all methods have in common.

    Parameters
    ----------
    threshold : float, optional
        Smaller weights are dropped. By default 0.3, or 0 where a rule or a score has chosen the
        edges. ``w_threshold`` is another name for it.
    refine : {None, "equal-variance", "bic", "networks"}
        Order search after the method; "networks" is for effects of any shape, chooses the edges
        too, and takes seconds to minutes.
    prune : {None, "bic", "ebic", "t-test"} or dict
        Rule that drops edges; ``{"rule": "t-test", "alpha": 0.01}`` for another level than 0.05.
    center : bool
        Subtract means.
    error_shape : bool
        Direct edges that independences leave undetermined where the shape of errors tells how;
        only after methods that determine a class. Off by default: it reverses edges where effects
        are curved or columns have few values.
    knowledge : dict or path, optional
        What is known beforehand: ``required`` and ``forbidden`` (pairs of names), ``tiers`` (lists
        of names, the earliest first), ``sources``, ``sinks``; or a file, TOML or of Tetrad. Every
        result satisfies it.
    condition : str, optional
        Column with the condition that each row was measured under; nothing acts on it.
    condition_from_files : bool
        Each file is a condition of its own, which has the file's name.
    targets : dict or path, optional
        What conditions act on, as ``{"aktinhib": ["akt"]}``; or a file, TOML or CSV. The rows of a
        condition do not count in the regressions of its targets.
    soft : bool
        Conditions change how their targets depend on others, rather than set them.
    target_column : str, optional
        Column whose values are the names of what was acted on, as single-cell screens have it.
    control : str, optional
        The value of it that acts on nothing; "control" by default.
    hide_condition : bool
        Leave the condition out of the graph.
    missing : {"auto", "error", "drop", "em"}
        What to do about missing values: "auto" leaves their rows out, with a warning, if these are
        at most 5% of all, and refuses the table otherwise; "error" always refuses it, "drop" always
        leaves the rows out, and "em" estimates moments by expectation-maximisation.
    na : str, number or list, optional
        Words or numbers that stand for missing values, besides nothing, "NA", "N/A", "NaN",
        "null", "None", "#N/A", "<NA>", "?", "-", "." and "*" in text.
    columns, drop : str or list of str, optional
        Columns to use, in this order, and columns to leave out; ``*`` stands for anything, as in
        ``"sleep_*"``. Columns without values, with one value, with dates and with free text are
        left out anyhow, and :attr:`Graph.warnings` says so.
    continuous, categorical : str or list of str, optional
        Columns to take as numbers on a scale, and as categories. Without word of it, numbers are
        numbers on a scale, and text of few different values, truth values and category types are
        categories.
    ordinal : str, list of str or dict, optional
        Columns whose order counts and not their distance; a dict has their levels from the lowest
        to the highest, as in ``{"size": ["small", "large"]}``.
    transforms : str, list of str or dict, optional
        Functions of columns of numbers, applied before learning and kept with the graph: the
        logarithm, as in ``"log:dose,age"``, normal scores of ranks, as in ``"rank:*"``, ``"auto"``
        (normal scores of columns with heavy tails), ``"none"``. Of several the last that means a
        column counts. A dict has names by function, as in ``{"log": ["dose", "age"]}``.
    standardize : bool
        Move and scale columns of numbers to mean 0 and variance 1, after that.
    header : {"auto", "yes", "no"}
        What the first line of a text file holds.
    delimiter, decimal, comment : str, optional
        Of a text file: the character between cells, the sign before the places of a number, and
        what lines begin with that are passed over.
    skip_rows : int
        Lines to pass over at the start of a text file.
    transpose : bool
        Rows of the file are variables and its columns are observations; text files and sheets.
    rows : int, optional
        The file is a covariance or correlation matrix of a table with this many rows.
    sheet : str, optional
        Sheet of a workbook by its name or number, file of a zip archive, or array of an .npz.
    file_column : str, optional
        Name of a column to add that says which file a row is from.
    confidence : bool
        Measure how sure edges and directions are, by learning again from up to 100 resampled
        tables; :func:`nocurl.learn` does.
    bootstrap : int, optional
        Learn again from this many resampled tables, however much work that is.
    confidence_seconds : float, optional
        Stop resampling after this time. The number of tables, and so the result, then depends on
        the machine; by default work is counted instead.
    confidence_level : float, optional
        Confidence from which on a direction is determined (by default 0.9) and edges are in the
        consensus (0.5).
    graph : {"best", "consensus"}
        Which graph comes back: the one with the best score, or the edges and directions on which
        resampled tables agree.
    checkpoint : path, optional
        Where methods that train networks (:class:`DagGNN`, :class:`NoCurlGNN`, :class:`NotearsMLP`,
        :class:`NoCurlMLP`) keep their state. A fit that was stopped continues from there, with
        the same result.
    diagnose : bool
        Check the result: units, sortability, residuals and so on.
    random_state : int, RandomState, Generator or None
        Seed of everything random. The same integer gives the same bits.
    n_jobs : int, optional
        Threads: one for each core by default and for -1. The result does not depend on it.
    memory : int or str, optional
        Memory that may be taken: bytes, or a size such as "4GiB" or "500MB"; by default what the
        machine or its container has left. What would take more raises ``MemoryError`` before it
        is taken.
    show_progress : bool or callable
        Show a bar (needs tqdm), or call ``show_progress(stage, done, total, objective)`` now and
        then.

    Attributes
    ----------
    graph_ : Graph
        The result with everything that is known about it.
    adjacency_matrix_ : ndarray or DataFrame
        Entry (i, j) is the weight of the edge i -> j; a DataFrame where the data had names.
    causal_order_ : ndarray of int
        Columns from causes to effects.
    potential_ : ndarray
        A number for each column that rises along every edge.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where they had any.
    n_iter_ : int
        Iterations of the method.
    termination_ : str
        How it ended, such as "converged" or "max-iterations".
    warnings_ : list of str
        What you should know.
    """

    _method: str
    #: Parameters of the method under their names in Python, with their defaults.
    _own: dict[str, Any]
    #: What the engine calls them.
    _engine_names: dict[str, str]
    #: From progress to somebody who does fits elsewhere, as :mod:`nocurl.distributed` has it.
    _fitters: Callable[[Any], Callable[[Any, list[str]], list[str]]] | None = None

    def __init_subclass__(cls, *, method: str, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        described = json.loads(_nocurl.describe_method(method))
        cls._method = method
        parameters = described["parameters"]
        cls._engine_names = {RENAMED.get(name, name): name for name in parameters}
        cls._own = {
            RENAMED.get(name, name): tuple(value) if isinstance(value, list) else value
            for name, value in parameters.items()
        }
        cls.__init__ = _constructor(cls)  # type: ignore[method-assign]

    def fit(
        self, X: Any, y: None = None, *, conditions: Any = None, targets: Any = None
    ) -> Self:
        """Learns a graph.

        Parameters
        ----------
        X : ndarray, DataFrame (pandas, polars), Arrow table or stream, Moments, or path
            The table, one column per variable; a folder, a pattern such as "parts/*.parquet" or a
            list of paths is one table of several files. It is not copied, except by methods that need its
            rows (``CAM`` and the networks) and by ``bootstrap``.
        y : None
            Not used; here for the sake of pipelines.
        conditions : array of labels, optional
            The condition that each row was measured under, beside the table: a variable
            ``condition`` that nothing acts on.
        targets : dict or path, optional
            What conditions act on; as the parameter of this name.

        Raises
        ------
        ValueError
            For data and parameters that cannot be used: what is wrong, where, and what to do.
        """
        table = as_table(X)
        settings = self._request()
        if isinstance(X, Moments) and (settings["transform"] or settings["standardize"]):
            raise ValueError(
                "moments have no cells to transform: leave out transforms and standardize, "
                "or learn from the table"
            )
        if conditions is not None:
            told = settings["experiments"] and settings["experiments"]["condition"]
            if told or self.condition_from_files:
                raise ValueError("conditions are given twice: as an array and as a column")
            table = with_conditions(table, conditions)
            settings["experiments"] = {**(settings["experiments"] or {}), "condition": CONDITION}
            settings["experiments"].setdefault("hidden", bool(self.hide_condition))
        if targets is not None:
            if not (settings["experiments"] or self.condition_from_files):
                raise ValueError("targets need conditions: an array, or the name of a column")
            settings["experiments"] = settings["experiments"] or {}
            settings["experiments"]["targets"] = _targets(targets, self.soft)
        request = to_json(settings)
        with Bar.of(self.show_progress) as progress:
            fitters = None if self._fitters is None else self._fitters(progress)
            text = _nocurl.learn(table.handle, table.names, request, progress, fitters=fitters)
        self._keep(Graph({**json.loads(text), "command": self._command(X)}), table)
        warn(self.graph_)
        return self

    def _command(self, X: Any) -> str:
        """The call that repeats the fit, for reports and files."""
        parameters = inspect.signature(type(self).__init__).parameters
        given = []
        for name, value in self.get_params(deep=False).items():
            default = parameters[name].default if name in parameters else None
            if name not in UNSEEN and repr(value) != repr(default):
                given.append(f"{name}={reprlib.repr(value)}")
        table = repr(os.fspath(X)) if isinstance(X, (str, os.PathLike)) else "X"
        return f"nocurl.{type(self).__name__}({', '.join(given)}).fit({table}).graph_"

    def _request(self) -> dict[str, Any]:
        own = {engine: getattr(self, name) for name, engine in self._engine_names.items()}
        shared = {name: getattr(self, name) for name in SHARED if name not in self._own}
        prune = shared.get("prune")
        if isinstance(prune, str):
            prune = {"rule": prune, "alpha": 0.05} if prune == "t-test" else {"rule": prune}
        return {
            "method": self._method,
            "parameters": own,
            "center": shared["center"],
            "refine": shared["refine"],
            "prune": prune,
            "threshold": shared.get("threshold"),
            "error_shape": shared["error_shape"],
            "seed": seed_of(shared["random_state"]),
            "knowledge": _knowledge(shared["knowledge"]),
            "experiments": _experiments(shared),
            "condition_from_files": shared["condition_from_files"],
            **table_request(shared),
            "bootstrap": shared["bootstrap"],
            "confidence": shared["confidence"],
            "confidence_seconds": shared["confidence_seconds"],
            "confidence_level": shared["confidence_level"],
            "graph": shared["graph"],
            "checkpoint": _path(shared["checkpoint"]),
            "diagnose": shared["diagnose"],
            "threads": threads_of(shared["n_jobs"]),
            "memory": None if shared["memory"] is None else str(shared["memory"]),
        }

    def _keep(self, graph: Graph, table: Table) -> None:
        """Sets what is known after fitting, in the columns of the data."""
        self.graph_ = graph
        labels = table.labels
        named = labels is not None or not table.names
        columns = [str(name) for name in labels] if labels is not None else table.names
        columns = columns or graph.variables
        labels = list(labels) if labels is not None else columns
        place = {name: j for j, name in enumerate(columns)}
        used = [place[name] for name in graph.variables]
        weights = np.zeros((len(columns), len(columns)))
        weights[np.ix_(used, used)] = graph.weights
        self.n_features_in_ = len(columns)
        if named and all(isinstance(label, str) for label in labels):
            self.feature_names_in_ = np.array(labels, dtype=object)
        elif "feature_names_in_" in vars(self):
            del self.feature_names_in_
        self.adjacency_matrix_ = _with_names(weights, labels) if named else weights
        self.causal_order_ = np.array([place[name] for name in graph.order])
        self.potential_ = np.full(len(columns), np.nan)
        self.potential_[used] = graph.potential
        self.n_iter_ = graph.iterations
        self.termination_ = graph.termination
        self.warnings_ = graph.warnings

    def set_params(self, **params: Any) -> Self:
        """Sets parameters by name."""
        return super().set_params(**{ALIASES.get(name, name): v for name, v in params.items()})

    def score(self, X: Any, y: None = None) -> float:
        """Mean log-likelihood of rows in the learnt model, for cross-validation: the higher, the
        better; see :meth:`Graph.score`."""
        return self.graph_.score(X)

    def predict(self, X: Any, variable: str | None = None) -> np.ndarray:
        """One variable from all others, or without a name each of them, one column for each; see
        :meth:`Graph.predict`."""
        graph = self.graph_
        if variable is not None:
            return graph.predict(X, variable)
        return np.column_stack([graph.predict(X, name) for name in graph.variables])

    def residuals(self, X: Any) -> np.ndarray:
        """What the parents leave of each value; see :meth:`Graph.residuals`."""
        return self.graph_.residuals(X)

    def sample(self, n: int, random_state: Any = 0) -> np.ndarray:
        """New rows from the learnt model; see :meth:`Graph.sample`."""
        return self.graph_.sample(n, random_state)

    def to_networkx(self) -> networkx.DiGraph:
        """The graph for networkx; see :meth:`Graph.to_networkx`."""
        return self.graph_.to_networkx()

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each edge; see :meth:`Graph.to_pandas`."""
        return self.graph_.to_pandas()

    def to_dot(self) -> str:
        """The graph for Graphviz."""
        return self.graph_.to_dot()

    def to_gml(self) -> str:
        """The graph in the Graph Modelling Language."""
        return self.graph_.to_gml()

    def to_json(self) -> str:
        """Everything, as the command line writes it."""
        return self.graph_.to_json()

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draws the graph; see :meth:`Graph.plot`."""
        return self.graph_.plot(ax, **options)

    def _repr_html_(self) -> str:
        if "graph_" in vars(self):
            return self.graph_._repr_html_()
        return super()._repr_html_()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __getattr__(self, name: str) -> Any:
        # Only called for what is not there.
        if name.endswith("_") and not name.startswith("_"):
            raise NotFittedError(
                f"this {type(self).__name__} has no `{name}` yet: call `fit` with a table first"
            )
        raise AttributeError(f"{type(self).__name__} has no attribute `{name}`")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing in ("drop", "em")
        tags.target_tags.required = False
        return tags


def _constructor(cls: type[Learner]) -> Callable[..., None]:
    """A constructor with the parameters of the method and those that all share."""
    defaults = {**cls._own, **{name: v for name, v in SHARED.items() if name not in cls._own}}

    def __init__(self: Learner, **params: Any) -> None:
        params = _unaliased(params)
        for name in params:
            if name not in defaults:
                raise ValueError(_unknown(cls, name, defaults))
        for name, default in defaults.items():
            setattr(self, name, params.get(name, default))

    kind = inspect.Parameter
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [kind("self", kind.POSITIONAL_OR_KEYWORD)]
        + [kind(name, kind.KEYWORD_ONLY, default=default) for name, default in defaults.items()]
    )
    __init__.__qualname__ = f"{cls.__name__}.__init__"
    return __init__


def _unaliased(params: dict[str, Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for name, value in params.items():
        known = ALIASES.get(name, name)
        if known in named:
            raise ValueError(f"`{name}` and `{known}` are the same parameter: give one of them")
        named[known] = value
    return named


def _unknown(cls: type[Learner], name: str, known: dict[str, Any]) -> str:
    close = get_close_matches(name, known, 1)
    hint = f" (did you mean `{close[0]}`?)" if close else ""
    others = [c.__name__ for c in Learner.__subclasses__() if name in c._own]
    elsewhere = f"; {', '.join(others)} {'has' if len(others) == 1 else 'have'} it"
    return (
        f"`{name}` is not a parameter of `{cls.__name__}`{hint}, which has {', '.join(known)}"
        f"{elsewhere if others else ''}"
    )


def table_request(settings: dict[str, Any]) -> dict[str, Any]:
    """How a table is read, for the engine."""
    return {
        "columns": names_of(settings["columns"]),
        "drop": names_of(settings["drop"]),
        "continuous": names_of(settings["continuous"]),
        "categorical": names_of(settings["categorical"]),
        "ordinal": ordinal_of(settings["ordinal"]),
        "transform": transform_of(settings["transforms"]),
        "standardize": settings["standardize"],
        "missing": settings["missing"],
        "na": names_of(settings["na"]),
        "header": settings["header"],
        "delimiter": settings["delimiter"],
        "decimal": settings["decimal"],
        "comment": settings["comment"],
        "skip_rows": settings["skip_rows"],
        "transpose": settings["transpose"],
        "rows": settings["rows"],
        "sheet": None if settings["sheet"] is None else str(settings["sheet"]),
        "file_column": settings["file_column"],
    }


#: Parameters that say how a table is read, as Python calls them, with their defaults.
READING = {
    name: SHARED[name]
    for name in (RENAMED.get(engine, engine) for engine in table_request(SHARED))
}


def _knowledge(knowledge: Any) -> Any:
    if isinstance(knowledge, dict) and "tiers" in knowledge:
        tiers = [t if isinstance(t, dict) else {"variables": t} for t in knowledge["tiers"]]
        return {**knowledge, "tiers": tiers}
    return knowledge if isinstance(knowledge, dict) else _path(knowledge)


def _experiments(shared: dict[str, Any]) -> dict[str, Any] | None:
    """The column of conditions and what these act on, as the engine has it."""
    named = shared["target_column"]
    column = shared["condition"] if named is None else named
    if named is not None and (shared["condition"] is not None or shared["targets"] is not None):
        raise ValueError("target_column says what conditions act on: leave condition and targets out")
    if shared["control"] is not None and named is None:
        raise ValueError("control is a value of target_column: name that column")
    if shared["condition_from_files"] and column is not None:
        raise ValueError("conditions are told twice: by files and by a column")
    if column is None and shared["targets"] is None and not shared["condition_from_files"]:
        return None
    control = (shared["control"] or "control") if named is not None else None
    return {
        "condition": column,
        "targets": _targets(shared["targets"], shared["soft"]),
        "control": control,
        "kind": "soft" if shared["soft"] else "perfect",
        "hidden": bool(shared["hide_condition"]),
    }


def _targets(targets: Any, soft: bool) -> Any:
    """Targets as a list, or the path of a file that has them."""
    if targets is None:
        return []
    if not isinstance(targets, dict):
        return {"path": _path(targets), "soft": soft}
    kind = "soft" if soft else "perfect"
    return [
        {"condition": str(condition), "variable": name, "kind": kind}
        for condition, names in targets.items()
        for name in names_of(names) or []
    ]


def _path(path: Any) -> str | None:
    return None if path is None else os.fspath(path)


def _with_names(weights: np.ndarray, labels: list) -> Any:
    try:
        import pandas
    except ImportError:
        return weights
    return pandas.DataFrame(weights, index=labels, columns=labels)
