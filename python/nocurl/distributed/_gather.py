"""Moments of a table in parts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .. import _nocurl
from .._moments import Moments, part_request
from .._progress import Bar
from .._values import names_of, threads_of
from ._frames import Parts, files_of, parts_of
from ._runner import Progress
from ._work import MomentsJob, SurveyJob


def moments(
    frame: Any,
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    missing: str = "error",
    weights: str | None = None,
    condition: str | None = None,
    executor: Any = None,
    n_jobs: int | None = None,
    show_progress: Any = False,
    **options: Any,
) -> Moments:
    """Moments of a table that lies on many machines, or comes in parts.

    Each part is read once, as a stream where it is. Where columns are text, all parts are looked
    at first, so that they agree on levels.

    Parameters
    ----------
    frame : Dask DataFrame, Array or Bag of paths; Spark DataFrame; Ray Dataset; polars LazyFrame; \
pyarrow dataset; DuckDB relation; path, pattern, folder or list of paths; iterator or list of batches
        The table. Parts have the same columns in any order, and any number of rows.
    columns, drop, missing, **options
        As in :class:`nocurl.Learner`: which columns, their kinds, and what to do about gaps.
        ``missing="em"`` would estimate each part on its own and is refused.
    weights : str, optional
        A column that says how often each row counts.
    condition : str, optional
        A column that says under which condition a row was measured: the moments tell conditions
        apart (:attr:`nocurl.Moments.conditions`), as ``condition`` and ``targets`` need it.
    executor : optional
        Who reads files: a Dask client, "dask", "ray", a SparkSession, or an executor of
        ``concurrent.futures``. Frames of an engine are read by it.
    n_jobs : int, optional
        Threads of each worker: 1 by default; all cores where this process reads.
    show_progress : bool or callable
        A bar, or a function of stage, done, total and objective.

    Examples
    --------
    >>> import nocurl.distributed as nd
    >>> import numpy as np
    >>> parts = [np.eye(3), np.ones((0, 3)), np.ones((1, 3))]
    >>> nd.moments(iter(parts)).rows
    4
    """
    asked = {"columns": columns, "drop": drop, "missing": missing, **options}
    source = Source.of(frame, asked, weights, executor, n_jobs, condition=condition)
    with Bar.of(show_progress) as progress:
        return source.gather(progress)


@dataclass
class Source:
    """A table in parts, and how it is read."""

    parts: Parts
    job: MomentsJob

    @classmethod
    def of(
        cls,
        frame: Any,
        asked: dict[str, Any],
        weights: str | None,
        executor: Any,
        n_jobs: int | None,
        also: str | None = None,
        condition: str | None = None,
    ) -> Source:
        if asked.get("missing") == "em":
            raise ValueError(
                'missing="em" would estimate the gaps of each part on its own: use missing="drop", '
                "or learn where the whole table is"
            )
        if weights is not None and not isinstance(weights, str):
            raise ValueError("weights of a table in parts are a column of it: give its name")
        part_request(asked)
        parts = files_of(frame) if executor is None and condition is None and also is None else None
        if parts is not None:
            # Columns of a file that are none of the frame, such as its index, are not read.
            names = [name for name in frame.columns if name != weights]
            chosen = names_of(asked.get("columns")) or names
            parts = parts if set(chosen) <= set(names) else None
            asked = asked if parts is None else {**asked, "columns": chosen}
        if parts is None:
            parts = parts_of(frame, executor, _read_columns(asked, weights, also or condition))
        threads = parts.runner.threads if n_jobs is None else threads_of(n_jobs)
        job = MomentsJob(asked, threads=threads, condition=condition, weights=weights)
        return cls(parts, job)

    def know_kinds(self, progress: Progress | None) -> None:
        """Looks at all parts for the kinds of their columns."""
        condition = self.job.condition
        job = SurveyJob(self.job.options, threads=self.job.threads, condition=condition)
        seen = self.parts.runner.reduce(job, self.parts.parts, progress)
        request = part_request(self.job.options, condition=condition)
        variables, left_out, _ = json.loads(_nocurl.surveyed_variables(seen, request))
        if self.job.weights is not None:
            variables = [v for v in variables if v["name"] != self.job.weights]
        self.job = replace(self.job, variables=variables, left_out=[tuple(x) for x in left_out])

    def gather(self, progress: Progress | None) -> Moments:
        """Moments of all parts."""
        return self._gathered(self.job, progress)[0]

    def gather_drawn(
        self, tables: int, at_once: int, seed: int, progress: Progress | None
    ) -> tuple[Moments, list[Moments]]:
        """Moments of all parts, and of tables drawn from them, so many at a time."""
        whole, drawn = None, []
        for first in range(0, tables, at_once):
            numbers = (first, min(first + at_once, tables))
            job = replace(self.job, drawn=numbers, seed=seed)
            found, more = self._gathered(job, progress)
            whole = whole or found
            drawn += more
        assert whole is not None
        return whole, drawn

    def _gathered(
        self, job: MomentsJob, progress: Progress | None
    ) -> tuple[Moments, list[Moments]]:
        runner, parts = self.parts.runner, self.parts.parts
        found = None
        told = _tells(job.options) or job.condition is not None
        if job.variables is not None or self.parts.numbers is not False and not told:
            found = runner.reduce(job, parts, progress)
        if found is None:
            self.know_kinds(progress)
            known = replace(job, variables=self.job.variables, left_out=self.job.left_out)
            found = runner.reduce(known, parts, progress)
        return found


def _tells(options: dict[str, Any]) -> bool:
    """Whether the user says what columns are."""
    return any(options.get(name) for name in ("categorical", "continuous", "ordinal"))


def _read_columns(
    asked: dict[str, Any], weights: str | None, also: str | None
) -> list[str] | None:
    """The columns that must be read, where all are given by name."""
    names = names_of(asked.get("columns"))
    if names is None or any("*" in name for name in names):
        return None
    return names + [name for name in (weights, also) if name is not None and name not in names]
