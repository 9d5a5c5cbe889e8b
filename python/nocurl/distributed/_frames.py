"""From what users pass to parts and to somebody who works on them."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Any, NamedTuple

from ._runner import Here, Pool, Runner
from ._streams import parts as parts_here


class Parts(NamedTuple):
    """The parts of a table, each with how messages speak of it, and who works on them."""

    runner: Runner
    parts: list[tuple[str, Any]]
    #: Whether all columns are numbers, as far as that is known beforehand.
    numbers: bool | None


def parts_of(frame: Any, executor: Any, columns: Sequence[str] | None) -> Parts:
    """The parts of a table; ``columns`` are those that are read, where they are known by name."""
    known = None if columns is None else list(columns)
    engine = type(frame).__module__.partition(".")[0]
    if engine in ("dask", "dask_expr"):
        from . import _dask

        parts, numbers = _dask.parts(frame, known)
        return Parts(runner_of(executor) if executor else _dask.DaskRunner(), parts, numbers)
    if engine == "pyspark":
        from . import _spark

        frame, numbers = _spark.parts(frame, known)
        return Parts(_spark.SparkRunner(frame.sparkSession, frame), [("the frame", frame)], numbers)
    if engine == "ray":
        from . import _ray

        parts, numbers = _ray.parts(frame, known)
        return Parts(_ray.RayRunner(), parts, numbers)
    found = parts_here(frame, known)
    if found is None:
        # A table in memory is one part.
        found = [("the table", frame)], None
    return Parts(runner_of(executor), *found)


def files_of(frame: Any) -> Parts | None:
    """The files behind a frame of an engine, where these are all there is to it."""
    if type(frame).__module__.partition(".")[0] not in ("dask", "dask_expr"):
        return None
    from . import _dask

    found = _dask.files(frame)
    return None if found is None else Parts(_dask.DaskRunner(), found, True)


def runner_of(executor: Any) -> Runner:
    """Who an ``executor`` is."""
    if executor is None:
        return Here()
    if isinstance(executor, Runner):
        return executor
    if isinstance(executor, Executor):
        return Pool(executor)
    name = executor if isinstance(executor, str) else getattr(executor, "__name__", "")
    module = type(executor).__module__.partition(".")[0]
    if name == "dask" or module == "distributed":
        from ._dask import DaskRunner

        return DaskRunner(None if name == "dask" else executor)
    if name == "ray":
        from ._ray import RayRunner

        return RayRunner()
    if module == "pyspark":
        from ._spark import SparkRunner

        return SparkRunner(executor)
    raise ValueError(
        f"{executor!r} is no executor: pass a Dask client, 'dask', 'ray', a SparkSession or an "
        "executor of concurrent.futures"
    )
