"""Fits of a search that goes on here, done as tasks."""

from __future__ import annotations

import json
import pickle
import threading
import uuid
from typing import Any

from .. import _nocurl
from ._runner import Progress, Runner

#: Fits by curves alone that go into one task: each takes a millisecond or so.
_QUICK = 16

#: Tables of which a worker keeps what all fits need.
_TABLES = 2


class TaskFits:
    """What the engine asks for fits: a function of a table and of those that are wanted."""

    def __init__(self, runner: Runner, progress: Progress | None) -> None:
        self._runner, self._progress = runner, progress
        self._table: _nocurl.FitTable | None = None
        self._key, self._sent = "", None
        self._done = 0

    def __call__(self, table: _nocurl.FitTable, wanted: list[str]) -> list[str]:
        if table is not self._table:
            self._table, self._key = table, uuid.uuid4().hex
            self._sent = self._runner.share(pickle.dumps(table.parts(), protocol=5))
        groups = grouped(wanted, self._runner.most)
        calls = [(self._key, self._sent, [wanted[place] for place in group]) for group in groups]
        found = self._runner.tasks("fitting networks", fit_some, calls, self._tell(groups))
        fitted = [""] * len(wanted)
        for group, some in zip(groups, found):
            for place, one in zip(group, some):
                fitted[place] = one
        self._done += len(wanted)
        return fitted

    def _tell(self, groups: list[list[int]]) -> Progress | None:
        """Progress in fits, of all that were wanted so far."""
        progress, before = self._progress, self._done
        if progress is None:
            return None
        all_ = sum(map(len, groups))

        def tell(stage: str, done: int, total: int | None, objective: float | None) -> None:
            fits = all_ * done // total if total else 0
            progress(stage, before + fits, before + all_, objective)

        return tell


def grouped(wanted: list[str], most: int) -> list[list[int]]:
    """The places of fits by the task that they go into: so many tasks at most, and those that take
    long each in one of its own as far as that allows."""
    quick: list[int] = []
    long: list[int] = []
    for place, text in enumerate(wanted):
        (quick if json.loads(text)["kind"] == "curves" else long).append(place)
    groups = []
    for places, least in ((long, 1), (quick, _QUICK)):
        # Neighbours have the same variable and take about as long: they go to different tasks.
        tasks = min(most, -(-len(places) // least))
        groups += [places[start::tasks] for start in range(tasks)]
    return groups


_kept: dict[str, _nocurl.Fits] = {}
_keeping = threading.Lock()


def fit_some(key: str, table: bytes, wanted: list[str]) -> list[str]:
    """What a worker does: some fits of a table."""
    with _keeping:
        fits = _kept.get(key)
        if fits is None:
            while len(_kept) >= _TABLES:
                del _kept[next(iter(_kept))]
            values, required, seed = pickle.loads(table)
            fits = _kept[key] = _nocurl.Fits(values, required, seed, 1)
    return fits.fit(wanted, 1)
