"""Methods that need rows: some of them, chosen by their place in the whole table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._graph import Graph
from .._learn import learner
from .._progress import Bar
from .._table import refuse_no_table, two_dimensional
from .._values import names_of, seed_of, threads_of
from ._fits import TaskFits
from ._frames import parts_of
from ._runner import Here
from ._work import Job, refuse_moments


def as_arrow(table: Any) -> Any:
    """A part as a table of Arrow."""
    import pyarrow

    refuse_moments(table)
    refuse_no_table(table)

    if isinstance(table, pyarrow.Table):
        return table
    if isinstance(table, (str, os.PathLike)):
        import pyarrow.dataset

        path = os.fspath(table)
        kind = os.path.splitext(path)[1].lstrip(".").lower()
        format_ = {"pq": "parquet", "parquet": "parquet", "csv": "csv"}.get(kind, "feather")
        return pyarrow.dataset.dataset(path, format=format_).to_table()
    if hasattr(table, "iloc"):
        return pyarrow.Table.from_pandas(table, preserve_index=False)
    if hasattr(table, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(table).read_all()
    values = two_dimensional(table)
    names = [f"x{j}" for j in range(1, values.shape[1] + 1)]
    return pyarrow.table([np.ascontiguousarray(column) for column in values.T], names=names)


@dataclass(frozen=True)
class CountJob(Job):
    """How many rows each part has."""

    def part(self, index: int, table: Any) -> dict[int, int]:
        if isinstance(table, str) and table.endswith((".parquet", ".pq")):
            import pyarrow.parquet

            return {index: pyarrow.parquet.read_metadata(table).num_rows}
        if hasattr(table, "iloc") or isinstance(table, np.ndarray):
            return {index: len(table)}
        return {index: as_arrow(table).num_rows}

    def merge(self, values: list) -> dict[int, int]:
        return {index: rows for value in values for index, rows in value.items()}


@dataclass(frozen=True)
class SampleJob(Job):
    """The rows with the smallest keys; a key is a hash of the place in the whole table."""

    #: The first place of each part.
    starts: tuple[int, ...] = ()
    size: int = 0
    seed: int = 0
    columns: tuple[str, ...] | None = None

    def part(self, index: int, table: Any) -> Any:
        rows = as_arrow(table)
        if self.columns is not None:
            missing = [name for name in self.columns if name not in rows.column_names]
            if missing:
                raise ValueError(f"there is no column `{missing[0]}`")
            rows = rows.select(list(self.columns))
        places = np.arange(rows.num_rows, dtype=np.uint64) + np.uint64(self.starts[index])
        return self._smallest(mixed(places, self.seed), places, rows)

    def merge(self, values: list) -> Any:
        import pyarrow

        _refuse_other_columns([value[2].schema for value in values])
        keys = np.concatenate([value[0] for value in values])
        places = np.concatenate([value[1] for value in values])
        names = values[0][2].column_names
        tables = [value[2].select(names) for value in values]
        rows = pyarrow.concat_tables(tables, promote_options="permissive")
        return self._smallest(keys, places, rows)

    def _smallest(self, keys: np.ndarray, places: np.ndarray, rows: Any) -> Any:
        if len(keys) > self.size:
            chosen = np.sort(np.argpartition(keys, self.size - 1)[: self.size])
            keys, places, rows = keys[chosen], places[chosen], rows.take(chosen)
        return keys, places, rows


def _refuse_other_columns(schemas: list) -> None:
    """Refuses parts that have other columns, or columns of types that have nothing in common."""
    import pyarrow

    for other in schemas[1:]:
        odd = set(schemas[0].names) ^ set(other.names)
        if odd:
            raise ValueError(f"only one of them has `{min(odd)}`")
        for field in schemas[0]:
            one, two = (pyarrow.schema([s.field(field.name)]) for s in (schemas[0], other))
            try:
                pyarrow.unify_schemas([one, two], promote_options="permissive")
            except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
                kinds = f"{one.types[0]} in one part and {two.types[0]} in another"
                raise ValueError(f"column `{field.name}` is {kinds}; make them alike") from None


def mixed(places: np.ndarray, seed: int) -> np.ndarray:
    """Numbers that look random, from places: a step of SplitMix64."""
    with np.errstate(over="ignore"):
        x = places ^ np.uint64(seed * 0x9E3779B97F4A7C15 % 2**64)
        x = x + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def fit_rows(
    frame: Any,
    method: str,
    *,
    sample: int = 10_000,
    columns: str | Sequence[str] | None = None,
    executor: Any = None,
    n_jobs: int | None = None,
    show_progress: Any = False,
    random_state: Any = 0,
    **params: Any,
) -> Graph:
    """Learns by a method that needs rows, from a sample of them.

    Which rows are in the sample depends on their places in the whole table and on the seed, not on
    how the table is cut into parts.

    The method works here. Only the fits of ``nonlinear`` and of ``refine="networks"``, which are
    nearly all of their work, go out as tasks where there is an executor or a frame of an engine. The
    graph is the same for any number of workers, and the one that :func:`nocurl.learn` finds on the
    same rows.

    Parameters
    ----------
    frame
        As for :func:`moments`.
    method : str
        Any method; :func:`nocurl.methods` has all of them.
    sample : int
        Rows to learn from; all of them where there are no more.
    columns : str or list of str, optional
        Columns to use.
    executor, show_progress
        As for :func:`moments`.
    n_jobs : int, optional
        Threads that work here: one for each core by default. A worker does its fits on one.
    random_state, **params
        As for :func:`nocurl.learn`.

    Examples
    --------
    >>> import nocurl
    >>> import nocurl.distributed as nd
    >>> X = nocurl.simulate(variables=3, rows=900, degree=1, random_state=1).data
    >>> one = nd.fit_rows(iter([X]), "lingam", sample=500)
    >>> other = nd.fit_rows(iter([X[:100], X[100:]]), "lingam", sample=500)
    >>> one == other
    True
    """
    if sample < 2:
        raise ValueError(f"sample is {sample}: at least 2 rows are needed")
    threads_of(n_jobs)
    seed = seed_of(random_state)
    names = names_of(columns)
    exact = None if names is None or any("*" in name for name in names) else names
    found = parts_of(frame, executor, exact)
    with Bar.of(show_progress) as progress:
        runner, parts = found.runner, found.parts
        counts = runner.reduce(CountJob({}), parts, progress)
        starts = [0] * (max(counts) + 1)
        for part in range(1, len(starts)):
            starts[part] = starts[part - 1] + counts.get(part - 1, 0)
        chosen = None if exact is None else tuple(exact)
        job = SampleJob({}, starts=tuple(starts), size=sample, seed=seed, columns=chosen)
        _, places, rows = runner.reduce(job, parts, progress)
    table = rows.take(np.argsort(places)).combine_chunks()
    asked = {"diagnose": True, "confidence": True, "n_jobs": n_jobs, "columns": columns, **params}
    model = learner(method, random_state=seed, show_progress=show_progress, **asked)
    if not isinstance(runner, Here):
        model._fitters = lambda progress: TaskFits(runner, progress)
    return model.fit(table).graph_
