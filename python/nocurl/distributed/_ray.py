"""Ray: data sets, and its tasks as executors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ._runner import BEAT, Runner


class RayRunner(Runner):
    """Tasks of Ray; a worker that dies is retried by Ray."""

    def __init__(self) -> None:
        import ray

        if not ray.is_initialized():
            ray.init(log_to_driver=False)
        self._remote: dict[Any, Any] = {}

    def share(self, value: bytes) -> Any:
        import ray

        return ray.put(value)

    def start(self, function: Callable[..., Any], calls: Sequence[tuple]) -> list[Any]:
        import ray

        if function not in self._remote:
            self._remote[function] = ray.remote(max_retries=5, retry_exceptions=False)(function)
        task = self._remote[function]
        return [task.remote(*call) for call in calls]

    def collect(self, handles: list[Any], watched: list[Any], tell: Callable[[int], None]) -> list:
        import ray

        open_ = list(watched)
        try:
            while open_:
                done, open_ = ray.wait(open_, num_returns=len(open_), timeout=BEAT)
                tell(len(watched) - len(open_))
                ray.get(done)
            return ray.get(handles)
        except ray.exceptions.RayTaskError as error:
            raise (error.cause if error.cause is not None else error) from None
        except KeyboardInterrupt:
            for one in open_:
                ray.cancel(one, force=False)
            raise


def parts(frame: Any, columns: list[str] | None) -> tuple[list[tuple[str, Any]], bool | None]:
    """The blocks of a data set, and whether all columns are known to be numbers."""
    import pyarrow

    if not hasattr(frame, "iter_internal_ref_bundles"):
        raise ValueError(f"{type(frame).__name__} of Ray is no table: pass a Dataset of ray.data")
    if columns is not None:
        frame = frame.select_columns(columns)
    schema = frame.schema()
    base = getattr(schema, "base_schema", None)
    numbers = None
    if isinstance(base, pyarrow.Schema):
        from ._streams import are_numbers

        numbers = are_numbers(base)
    blocks = [
        ref for bundle in frame.materialize().iter_internal_ref_bundles() for ref in bundle.block_refs
    ]
    return [(f"block {index}", block) for index, block in enumerate(blocks)], numbers
