"""One graph for each group of rows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TYPE_CHECKING, cast

from .._graph import Graph
from .._learner import READING
from .._moments import Moments
from .._progress import Bar
from .._values import names_of, seed_of, to_json
from ._gather import Source
from ._learn import _learner, learn_moments
from ._rows import as_arrow
from ._work import MomentsJob

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class GroupsJob(MomentsJob):
    """Moments of each group of rows in a part."""

    by: str = ""

    def part(self, index: int, table: Any) -> Any:
        found = {}
        for group, rows in groups_of(table, self.by, self.options.get("missing")):
            one = super().part(index, rows)
            if one is None:
                return None
            found[group] = one[0]
        return found

    def merge(self, values: list) -> Any:
        if any(value is None for value in values):
            return None
        groups: dict[Any, list[Moments]] = {}
        for value in values:
            for group, moments in value.items():
                groups.setdefault(group, []).append(moments)
        return {group: Moments.merge_all(parts) for group, parts in groups.items()}


def groups_of(table: Any, by: str, missing: Any) -> Iterator[tuple[Any, Any]]:
    """The rows of each group, without the column that says which."""
    import pyarrow.compute as compute

    whole = as_arrow(table)
    if by not in whole.column_names:
        raise ValueError(f"there is no column `{by}`")
    column = whole[by]
    if column.null_count and missing != "drop":
        raise ValueError(f"column `{by}` has missing values: use missing='drop' to leave them out")
    rest = whole.drop_columns([by])
    for group in compute.unique(column).to_pylist():
        if group is not None and group == group:
            yield group, rest.filter(compute.equal(column, group))


def _source(
    frame: Any, by: str, asked: dict[str, Any], weights: str | None, executor: Any, n_jobs: Any
) -> _Groups:
    source = _Groups.of(frame, asked, weights, executor, n_jobs, also=by)
    names = names_of(asked.get("columns"))
    drop = names_of(asked.get("drop")) or []
    left = {**asked, "drop": drop if names is not None and by not in names else [*drop, by]}
    job = GroupsJob(left, threads=source.job.threads, weights=weights, by=by)
    return cast(_Groups, replace(source, job=job))


class _Groups(Source):
    """A table in parts, by groups."""

    def gather(self, progress: Any) -> Any:
        runner, parts = self.parts.runner, self.parts.parts
        job = cast(GroupsJob, self.job)
        # Parts lose the column of the groups before they are read.
        asked = {**job.options, "drop": [n for n in job.options["drop"] if n != job.by] or None}
        found = None
        if self.parts.numbers is not False:
            found = runner.reduce(replace(job, options=asked), parts, progress)
        if found is None:
            self.know_kinds(progress)
            found = runner.reduce(replace(self.job, options=asked), parts, progress)
        return dict(sorted(found.items(), key=lambda item: (str(type(item[0])), item[0])))


def learn_each(
    frame: Any,
    by: str,
    method: str = "order-search",
    *,
    weights: str | None = None,
    executor: Any = None,
    n_jobs: int | None = None,
    show_progress: Any = False,
    random_state: Any = 0,
    diagnose: bool = False,
    confidence: bool = False,
    **params: Any,
) -> pandas.DataFrame:
    """One graph for each group of rows, as a table.

    Parameters
    ----------
    frame
        As for :func:`moments`.
    by : str
        The column that says which group a row is of.
    method, weights, executor, n_jobs, show_progress, random_state, diagnose, confidence, **params
        As for :func:`learn`.

    Returns
    -------
    DataFrame
        One row for each group: its value, the number of rows and of edges, the graph, and why
        there is none.

    Examples
    --------
    >>> import nocurl
    >>> import nocurl.distributed as nd
    >>> drawn = nocurl.simulate(variables=3, rows=300, degree=1, random_state=1)
    >>> import pandas as pd
    >>> table = pd.DataFrame(drawn.data, columns=["a", "b", "c"])
    >>> table["country"] = ["at", "ch", "de"] * 100
    >>> nd.learn_each(table, by="country")["rows"].tolist()
    [100, 100, 100]
    """
    import pandas

    reading = {name: params.pop(name) for name in list(params) if name in READING}
    seed = seed_of(random_state)
    model = _learner(
        method, random_state=seed, diagnose=diagnose, confidence=confidence, **params
    )
    source = _source(frame, by, reading, weights, executor, n_jobs)
    request = to_json({**model._request(), "threads": source.parts.runner.threads})
    with Bar.of(show_progress) as progress:
        groups = source.gather(progress)
        calls = [(moments, request) for moments in groups.values()]
        found = source.parts.runner.tasks("learning", _learn_group, calls, progress)
    rows = []
    for (group, moments), (text, error) in zip(groups.items(), found):
        graph = None if text is None else Graph(json.loads(text))
        edges = None if graph is None else len(graph.edges)
        rows.append((group, moments.rows, edges, graph, error))
    return pandas.DataFrame(rows, columns=[by, "rows", "edges", "graph", "error"])


def _learn_group(moments: Moments, request: str) -> tuple[str | None, str | None]:
    """The graph of a group, or why there is none: a small group does not end the others."""
    try:
        return learn_moments(moments, request), None
    except ValueError as error:
        return None, str(error)
