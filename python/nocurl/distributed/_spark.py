"""Spark: data frames, through Arrow batches; its sessions as executors."""

from __future__ import annotations

import pickle
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ._runner import BEAT, NO_PARTS, Progress, Runner, explained
from ._work import GROUP, Job, run_merge, run_part

#: More partitions than this are merged on the workers before they come to the driver.
_FEW = 64


class SparkRunner(Runner):
    """The session of a frame. Executors that die are the business of Spark."""

    def __init__(self, session: Any, frame: Any = None) -> None:
        self._session, self._frame = session, frame

    def reduce(self, job: Job, parts: Sequence[tuple[str, Any]], progress: Progress | None) -> Any:
        if self._frame is None or not parts or parts[0][1] is not self._frame:
            return super().reduce(job, parts, progress)
        frame = self._frame
        found = frame.mapInArrow(_on_partition(job, list(frame.columns)), "part int, data binary")
        count = self._partitions()
        if count is not None and count > _FEW:
            found = (
                found.selectExpr("part", "part div 8 as place", "data")
                .groupBy("place")
                .applyInArrow(_merge_group(job), "part int, data binary")
            )
        rows = self._run(found.collect, "reading parts", progress)
        level = [(row["part"], pickle.loads(row["data"])) for row in sorted(rows)]
        if not level:
            raise ValueError(NO_PARTS)
        if count is not None and count > _FEW:
            level = [(part // GROUP, value) for part, value in level]
        while len(level) > 1:
            groups: dict[int, list] = {}
            for part, value in level:
                groups.setdefault(part // GROUP, []).append(value)
            level = [
                (place, values[0] if len(values) == 1 else run_merge(job, *values))
                for place, values in sorted(groups.items())
            ]
        return level[0][1].value

    def share(self, value: bytes) -> Any:
        return _Shared(self._session.sparkContext.broadcast(value))

    def start(self, function: Callable[..., Any], calls: Sequence[tuple]) -> list[Any]:
        if any(isinstance(one, _Handle) for call in calls for one in call):
            return [_Handle(function, call) for call in calls]
        return [_Handle(function, call, remote=True) for call in calls]

    def collect(self, handles: list[Any], watched: list[Any], tell: Callable[[int], None]) -> list:
        context = self._session.sparkContext
        shared: list[Any] = []
        calls = [pickle.dumps((one.function, _placed(one.call, shared))) for one in watched]
        work = context.parallelize(calls, max(len(calls), 1)).map(_caller(shared))
        values = self._run(work.collect, "tasks", lambda _stage, done, *_: tell(done))
        for one, value in zip(watched, values):
            one.keep(pickle.loads(value))
        return [handle.value() for handle in handles]

    def _partitions(self) -> int | None:
        try:
            return self._frame.rdd.getNumPartitions()
        except Exception:  # Spark Connect has no RDDs.
            return None

    def _run(self, action: Callable[[], Any], stage: str, progress: Progress | None) -> Any:
        """Runs an action beside this thread, which looks after progress and Ctrl-C."""
        context = getattr(self._session, "sparkContext", None)
        if context is None:
            return action()
        from pyspark import InheritableThread

        group, outcome = uuid.uuid4().hex, {}

        def work() -> None:
            context.setJobGroup(group, "nocurl", interruptOnCancel=True)
            try:
                outcome["value"] = action()
            except BaseException as error:
                outcome["error"] = error

        thread = InheritableThread(target=work, daemon=True)
        thread.start()
        try:
            while thread.is_alive():
                thread.join(BEAT)
                if progress is not None:
                    progress(stage, *_tasks_done(context, group), None)
        except BaseException:
            context.cancelJobGroup(group)
            raise
        if "error" in outcome:
            raise explained(_plain(outcome["error"])) from None
        return outcome["value"]


class _Handle:
    """A call that runs on a worker, or here once others are done."""

    def __init__(self, function: Callable[..., Any], call: tuple, remote: bool = False) -> None:
        self.function, self.call, self.remote = function, call, remote
        self._value: list[Any] = []

    def keep(self, value: Any) -> None:
        self._value = [value]

    def value(self) -> Any:
        if not self._value:
            made = [one.value() if isinstance(one, _Handle) else one for one in self.call]
            self._value = [self.function(*made)]
        return self._value[0]


class _Shared:
    """A value that every executor gets once."""

    def __init__(self, broadcast: Any) -> None:
        self.broadcast = broadcast


class _Place:
    """The place of a shared value among those that go with a job."""

    def __init__(self, place: int) -> None:
        self.place = place


def _placed(call: tuple, shared: list[Any]) -> tuple:
    """A call that can be pickled: shared values are only named, and added to the list."""
    placed = []
    for one in call:
        if isinstance(one, _Shared):
            if one.broadcast not in shared:
                shared.append(one.broadcast)
            one = _Place(shared.index(one.broadcast))
        placed.append(one)
    return tuple(placed)


def _caller(shared: list[Any]) -> Callable[[bytes], bytes]:
    def work(call: bytes) -> bytes:
        function, arguments = pickle.loads(call)
        found = [shared[one.place].value if isinstance(one, _Place) else one for one in arguments]
        return pickle.dumps(function(*found))

    return work


def _on_partition(job: Job, names: list[str]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    def work(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow
        from pyspark import TaskContext

        context = TaskContext.get()
        part = 0 if context is None else context.partitionId()
        first = next(batches, None)
        if first is None:
            empty = [pyarrow.array([], pyarrow.float64()) for _ in names]
            table: Any = pyarrow.table(empty, names=names)
        else:
            table = pyarrow.RecordBatchReader.from_batches(first.schema, _chained(first, batches))
        value = pickle.dumps(run_part(job, part, f"partition {part}", table))
        columns = [pyarrow.array([part], pyarrow.int32()), pyarrow.array([value], pyarrow.binary())]
        yield pyarrow.RecordBatch.from_arrays(columns, names=["part", "data"])

    return work


def _chained(first: Any, others: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from others


def _merge_group(job: Job) -> Callable[[Any], Any]:
    def work(table: Any) -> Any:
        import pyarrow

        rows = sorted(zip(table["part"].to_pylist(), table["data"].to_pylist()))
        values = [pickle.loads(data) for _, data in rows]
        merged = values[0] if len(values) == 1 else run_merge(job, *values)
        columns = [
            pyarrow.array([rows[0][0]], pyarrow.int32()),
            pyarrow.array([pickle.dumps(merged)], pyarrow.binary()),
        ]
        return pyarrow.Table.from_arrays(columns, names=["part", "data"])

    return work


def _tasks_done(context: Any, group: str) -> tuple[int, int | None]:
    tracker = context.statusTracker()
    done = total = 0
    for job in tracker.getJobIdsForGroup(group):
        found = tracker.getJobInfo(job)
        for stage in found.stageIds if found else []:
            info = tracker.getStageInfo(stage)
            if info is not None:
                done, total = done + info.numCompletedTasks, total + info.numTasks
    return done, total or None


def _plain(error: BaseException) -> BaseException:
    """The last line of an error of a worker, without the traces of Java around it."""
    lines = [line.strip() for line in str(error).splitlines()]
    for kind in (ValueError, RuntimeError, ModuleNotFoundError):
        for line in lines:
            _, found, words = line.rpartition(f"{kind.__name__}: ")
            if found:
                return kind(words)
    return error


def parts(frame: Any, columns: list[str] | None) -> tuple[Any, bool]:
    """The frame with the columns that are read, and whether all are numbers."""
    if not hasattr(frame, "mapInArrow"):
        raise ValueError(f"{type(frame).__name__} of Spark is no table: pass a DataFrame")
    if columns is not None:
        missing = [name for name in columns if name not in frame.columns]
        if missing:
            raise ValueError(f"there is no column `{missing[0]}`")
        frame = frame.select(*[f"`{name}`" for name in columns])
    kinds = {kind for _, kind in frame.dtypes}
    words = ("double", "float", "int", "bigint", "smallint", "tinyint", "decimal")
    return frame, all(kind.startswith(words) for kind in kinds)
