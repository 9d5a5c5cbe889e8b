"""Dask: data frames, arrays, bags of paths; its clients as executors."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ._runner import BEAT, Runner


class DaskRunner(Runner):
    """A client of ``dask.distributed``, or the scheduler of this process."""

    def __init__(self, client: Any = None) -> None:
        self._client = client if client is not None else _current_client()

    def share(self, value: bytes) -> Any:
        from dask import delayed

        # As a task: the scheduler has it done again where all who had it died.
        made = delayed(bytes, pure=False, traverse=False)(value)
        if self._client is None:
            return made
        with warnings.catch_warnings():
            # It is sent once.
            warnings.filterwarnings("ignore", "Sending large graph")
            return self._client.persist(made)

    def start(self, function: Callable[..., Any], calls: Sequence[tuple]) -> list[Any]:
        from dask import delayed

        task = delayed(function, pure=False, traverse=False)
        return [task(*call) for call in calls]

    def collect(self, handles: list[Any], watched: list[Any], tell: Callable[[int], None]) -> list:
        import dask

        if self._client is None:
            values = list(dask.compute(*handles))
            tell(len(watched))
            return values
        _check_workers(self._client)
        all_ = watched + [one for one in handles if all(one is not other for other in watched)]
        futures = self._client.compute(all_)
        by_key = {one.key: future for one, future in zip(all_, futures)}
        ends = [by_key[one.key] for one in handles]
        try:
            while not all(future.done() for future in ends):
                tell(sum(by_key[one.key].done() for one in watched))
                if any(future.status == "error" for future in futures):
                    break
                time.sleep(BEAT / 4)
            failed = next((future for future in futures if future.status == "error"), None)
            if failed is not None:
                raise _plain(failed.exception())
            tell(len(watched))
            return self._client.gather(ends)
        except BaseException:
            # What nobody waits for is not begun; forced cancelling of all confuses the scheduler.
            for future in futures:
                future.release()
            raise


#: What a worker is asked before it is sent anything of this package: without it the message itself
#: could not be read, and the worker would be asked again for ever.
_IS_THERE = "__import__('importlib.util').util.find_spec('nocurl') is not None"


def _check_workers(client: Any) -> None:
    """Refuses workers that have no nocurl."""
    answers = client.run(eval, _IS_THERE, on_error="ignore")
    without = [worker for worker, is_there in answers.items() if not is_there]
    if without:
        raise RuntimeError(f"No module named 'nocurl' on {without[0]}")


def _plain(error: Any) -> BaseException:
    """What went wrong, where Dask says only that workers died."""
    if type(error).__name__ == "KilledWorker":
        return RuntimeError(f"workers died again and again, as they do without memory: {error}")
    return error


def _current_client() -> Any:
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def parts(frame: Any, columns: list[str] | None) -> tuple[list[tuple[str, Any]], bool | None]:
    """The partitions of a frame or array, and whether all columns are known to be numbers."""
    module = type(frame).__module__
    if module.startswith("dask.bag"):
        return [(f"`{path}`", path) for path in frame.compute()], None
    if module.startswith("dask.array"):
        if frame.ndim != 2:
            raise ValueError(f"the array has {frame.ndim} dimensions, a table has 2")
        blocks = frame.rechunk({1: -1}).to_delayed()[:, 0]
        return _labelled(blocks), True
    if not _is_frame(frame):
        raise ValueError(f"{type(frame).__name__} of Dask is no table: pass a frame or an array")
    if columns is not None:
        missing = [name for name in columns if name not in frame.columns]
        if missing:
            raise ValueError(f"there is no column `{missing[0]}`")
        frame = frame[columns]
    return _labelled(frame.to_delayed()), _are_numbers(frame)


def files(frame: Any) -> list[tuple[str, Any]] | None:
    """The files of a frame of numbers, where its partitions are nothing but whole files that lie in
    folders; else nothing.

    Workers then read the columns that are needed without a frame of pandas in between: the same
    numbers in half of the time.
    """
    if not _is_frame(frame) or not _are_numbers(frame):
        return None
    try:
        from fsspec.implementations.local import LocalFileSystem

        read = frame.optimize(fuse=False).expr
        plain = type(read).__name__ == "ReadParquetFSSpec" and read.operand("filters") is None
        if not plain or not isinstance(read._dataset_info["fs"], LocalFileSystem):
            return None
        pieces = [part["piece"] for part in read._plan["parts"]]
        chosen = read.operand("_partitions")
    except (AttributeError, ImportError, KeyError, TypeError, ValueError):
        # Another version of Dask keeps its plans elsewhere.
        return None
    pieces = pieces if chosen is None else [pieces[index] for index in chosen]
    # Whole files, and no columns that names of folders tell.
    if any(groups is not None or keys for _, groups, keys in pieces):
        return None
    return _labelled(path for path, _, _ in pieces)


def _is_frame(frame: Any) -> bool:
    # What is delayed has every attribute.
    dimensions = getattr(frame, "ndim", None)
    return type(dimensions) is int and dimensions == 2 and hasattr(frame, "dtypes")


def _are_numbers(frame: Any) -> bool:
    return all(getattr(dtype, "kind", "O") in "fiu" for dtype in frame.dtypes)


def _labelled(blocks: Any) -> list[tuple[str, Any]]:
    return [(f"partition {index}", block) for index, block in enumerate(blocks)]
