"""What a graph was learnt with, as parameters."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ._graph import Graph, read_graph
from ._learner import RENAMED, SHARED

if TYPE_CHECKING:
    from ._learner import Learner

#: Settings of files that are parameters of all methods.
TAKEN = (
    "center",
    "error_shape",
    "refine",
    "prune",
    "threshold",
    "graph",
    "knowledge",
    "columns",
    "drop",
    "continuous",
    "categorical",
    "transform",
    "standardize",
    "missing",
    "na",
    "header",
    "delimiter",
    "decimal",
    "comment",
    "skip_rows",
    "transpose",
    "rows",
    "sheet",
    "file_column",
)

#: What says where conditions are.
CONDITIONS = ("condition", "condition_from_files", "target_column")


def method_of(like: Graph) -> str:
    """The method that a graph was learnt by."""
    if not like.method or not isinstance(like.parameters, dict):
        raise ValueError("like: the graph does not say how it was learnt; give one that was learnt")
    return like.method


def as_graph(like: Graph | str | os.PathLike[str]) -> Graph:
    if isinstance(like, Graph):
        return like
    if isinstance(like, (str, os.PathLike)):
        return read_graph(like)
    raise TypeError(f"like is a {type(like).__name__}: give a Graph, or the path of its JSON")


def settings_of(like: Graph, learner: type[Learner], given: dict[str, Any]) -> dict[str, Any]:
    """What a graph was learnt with, as far as it is no default and not given."""
    known = like.parameters or {}
    if known.get("experiments") and not any(name in given for name in CONDITIONS):
        raise ValueError(
            "like: the graph was learnt from experiments; also give their condition, and targets "
            "where they are known"
        )
    found: dict[str, Any] = {"random_state": like.seed}
    if like.method == learner._method:
        for name, engine in learner._engine_names.items():
            value = known.get(engine)
            value = tuple(value) if isinstance(value, list) else value
            if value is not None and value != learner._own[name]:
                found[name] = value
    for engine in TAKEN:
        name = RENAMED.get(engine, engine)
        value = known.get(engine)
        if name in learner._own or value is None or value in ([], {}, SHARED[name]):
            continue
        found[name] = value
    if known.get("ordinal"):
        found["ordinal"] = {told["column"]: told["levels"] for told in known["ordinal"]}
    return {name: value for name, value in found.items() if name not in given}
