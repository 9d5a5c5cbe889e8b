"""Dask: data frames, arrays, bags of paths; its clients as executors."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from ._runner import BEAT, Runner


class DaskRunner(Runner):
    """A client of ``dask.distributed``, or the scheduler of this process."""

    def __init__(self, client: Any = None) -> None:
        self._client = client if client is not None else _current_client()

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
    if not hasattr(frame, "to_delayed"):
        raise ValueError(f"{type(frame).__name__} of Dask is no table: pass a frame or an array")
    if columns is not None:
        missing = [name for name in columns if name not in frame.columns]
        if missing:
            raise ValueError(f"there is no column `{missing[0]}`")
        frame = frame[columns]
    numbers = all(getattr(dtype, "kind", "O") in "fiu" for dtype in frame.dtypes)
    return _labelled(frame.to_delayed()), numbers


def _labelled(blocks: Any) -> list[tuple[str, Any]]:
    return [(f"partition {index}", block) for index, block in enumerate(blocks)]
