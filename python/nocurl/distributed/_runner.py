"""Where work runs: here, in an executor of Python, or on an engine."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from typing import Any

from .. import _nocurl
from ._work import GROUP, Job, run_merge, run_part, run_task

#: Calls of the user's function: stage, done, total, objective.
Progress = Callable[[str, int, "int | None", "float | None"], object]

#: What is said of a frame without any.
NO_PARTS = "there is no part: the frame has no partitions"

#: Seconds between two looks at how far the work is.
BEAT = 0.1


class Runner:
    """Runs functions on workers. What it hands out can be passed to the next function."""

    #: Threads of each worker unless the user says otherwise.
    threads: int | None = 1
    #: Tasks that are handed out at a time, where work can be cut as one likes.
    most = 256

    def share(self, value: bytes) -> Any:
        """What many calls can be passed in place of a value; workers get it once where they can."""
        return value

    def start(self, function: Callable[..., Any], calls: Sequence[tuple]) -> list[Any]:
        """Starts calls; what comes of each is a handle."""
        raise NotImplementedError

    def collect(self, handles: list[Any], watched: list[Any], tell: Callable[[int], None]) -> list:
        """The values behind handles; ``tell`` is called with how many of `watched` are done."""
        raise NotImplementedError

    def reduce(self, job: Job, parts: Sequence[tuple[str, Any]], progress: Progress | None) -> Any:
        """Works on every part and puts all together, in groups that depend on their number alone."""
        if not parts:
            raise ValueError(NO_PARTS)
        leaves = self.start(
            run_part, [(job, index, label, part) for index, (label, part) in enumerate(parts)]
        )
        handles = leaves
        while len(handles) > 1:
            groups = [handles[start : start + GROUP] for start in range(0, len(handles), GROUP)]
            merged = self.start(run_merge, [(job, *group) for group in groups if len(group) > 1])
            handles = merged + [group[0] for group in groups if len(group) == 1]
        return self._collected(handles, leaves, "reading parts", progress)[0].value

    def tasks(
        self,
        stage: str,
        function: Callable[..., Any],
        calls: Sequence[tuple],
        progress: Progress | None,
    ) -> list[Any]:
        """Runs calls that have nothing to do with each other; values are in their order."""
        version = _nocurl.__version__
        handles = self.start(run_task, [(function, version, *call) for call in calls])
        return self._collected(handles, handles, stage, progress)

    def _collected(
        self, handles: list, watched: list, stage: str, progress: Progress | None
    ) -> list[Any]:
        def tell(done: int) -> None:
            if progress is not None:
                progress(stage, done, len(watched), None)

        try:
            return self.collect(handles, watched, tell)
        except Exception as error:
            raise explained(error) from None


def explained(error: BaseException) -> BaseException:
    """The same, unless it is about workers that have no nocurl."""
    if "No module named 'nocurl" not in str(error):
        return error
    version = _nocurl.__version__
    return RuntimeError(
        f"the workers cannot import nocurl: install nocurl=={version} on every one of them"
    )


class Here(Runner):
    """In this process: files side by side, other parts one after the other, each on all cores."""

    threads = None

    def start(self, function: Callable[..., Any], calls: Sequence[tuple]) -> list[Any]:
        # Not before they are asked for, so that progress can be told.
        return [_Later(function, call) for call in calls]

    def collect(self, handles: list[Any], watched: list[Any], tell: Callable[[int], None]) -> list:
        # Engines behind other parts may not like to be asked from several threads.
        at_once = os.cpu_count() or 1 if all(one.reads_file() for one in watched) else 1
        if min(at_once, len(watched)) == 1:
            for done, one in enumerate(watched, 1):
                one.value()
                tell(done)
        else:
            pool = ThreadPoolExecutor(at_once)
            try:
                for done, _ in enumerate(pool.map(_Later.value, watched), 1):
                    tell(done)
            finally:
                pool.shutdown(cancel_futures=True)
        return [handle.value() for handle in handles]


class _Later:
    """A call that is made once."""

    def __init__(self, function: Callable[..., Any], call: tuple) -> None:
        self._work: tuple | None = (function, call)
        self._value: Any = None

    def reads_file(self) -> bool:
        """Whether it works on a part that is a file, on as many threads as there are."""
        if self._work is None or self._work[0] is not run_part:
            return False
        job, *_, part = self._work[1]
        return job.threads is None and isinstance(part, (str, os.PathLike))

    def value(self) -> Any:
        if self._work is not None:
            function, call = self._work
            made = [one.value() if isinstance(one, _Later) else one for one in call]
            self._value, self._work = function(*made), None
        return self._value


class Pool(Runner):
    """An executor of ``concurrent.futures``; parts are put together here."""

    # What is shared goes with every task.
    most = 64

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def start(self, function: Callable[..., Any], calls: Sequence[tuple]) -> list[Any]:
        if any(isinstance(one, (Future, _Later)) for call in calls for one in call):
            return [_Later(_when_done, (function, *call)) for call in calls]
        return [self._executor.submit(function, *call) for call in calls]

    def collect(self, handles: list[Any], watched: list[Any], tell: Callable[[int], None]) -> list:
        open_ = set(watched)
        try:
            while open_:
                done, open_ = wait_for(open_, timeout=BEAT, return_when="FIRST_EXCEPTION")
                tell(len(watched) - len(open_))
                for one in done:
                    one.result()
        except BaseException:
            for one in watched:
                one.cancel()
            raise
        return [_value(handle) for handle in handles]


def _value(handle: Any) -> Any:
    if isinstance(handle, Future):
        return handle.result()
    return handle.value() if isinstance(handle, _Later) else handle


def _when_done(function: Callable[..., Any], *call: Any) -> Any:
    return function(*[_value(one) for one in call])
