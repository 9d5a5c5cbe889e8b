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

        own: Runner = _of_engine("Dask", _dask.DaskRunner, executor) or _dask.DaskRunner()
        return Parts(own, *_dask.parts(frame, known))
    if engine == "pyspark":
        from . import _spark

        _of_engine("Spark", _spark.SparkRunner, executor)
        frame, numbers = _spark.parts(frame, known)
        return Parts(_spark.SparkRunner(frame.sparkSession, frame), [("the frame", frame)], numbers)
    if engine == "ray":
        from . import _ray

        own = _of_engine("Ray", _ray.RayRunner, executor) or _ray.RayRunner()
        return Parts(own, *_ray.parts(frame, known))
    found = parts_here(frame, known)
    if found is None:
        # A table in memory is one part.
        found = [("the table", frame)], None
    return Parts(runner_of(executor), *found)


def _of_engine(name: str, kind: type[Runner], executor: Any) -> Runner | None:
    """The runner that the user asks for; a frame of an engine has its parts there alone."""
    if executor is None:
        return None
    runner = runner_of(executor)
    if not isinstance(runner, kind):
        raise ValueError(
            f"a table of {name} is read by {name}, not by {executor!r}: leave executor out"
        )
    return runner


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
