"""What workers do: one function for a part, one to put parts together. All of it can be pickled."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from .. import _nocurl
from .._moments import Moments, part_request
from .._table import as_table

#: Parts that are merged at a time; as the engine does it, so that sums have the same bits.
GROUP = 8


@dataclass(frozen=True)
class Job:
    """Work on each part of a table."""

    #: How the parts are read.
    options: dict[str, Any]
    #: Threads of each worker.
    threads: int | None = 1
    #: The column that tells conditions apart.
    condition: str | None = None
    #: The version of the client, which workers must have too.
    version: str = field(default=_nocurl.__version__)

    def part(self, index: int, table: Any) -> Any:
        """What there is to know of a part."""
        raise NotImplementedError

    def merge(self, values: list) -> Any:
        """The same of several parts, in their order; a ``ValueError`` where they do not fit."""
        raise NotImplementedError


@dataclass(frozen=True)
class Piece:
    """What a worker made of a part, or of several that fit together."""

    #: How messages speak of the part, or of the first.
    label: str
    value: Any


@dataclass(frozen=True)
class MomentsJob(Job):
    """Moments of parts, and of tables drawn from them. Without variables, parts must be of numbers
    alone; ``None`` says that they are not."""

    weights: str | None = None
    variables: list[dict[str, Any]] | None = None
    left_out: list[tuple[str, str]] = field(default_factory=list)
    #: Numbers of the tables that are drawn, and their seed.
    drawn: tuple[int, int] | None = None
    seed: int = 0

    def part(self, index: int, table: Any) -> Any:
        refuse_moments(table)
        resample = None if self.drawn is None else (*self.drawn, self.seed, index)
        request = part_request(
            self.options,
            weights=self.weights,
            condition=self.condition,
            variables=self.variables,
            left_out=self.left_out,
            resample=resample,
        )
        ready = as_table(table)
        found = _nocurl.part(ready.handle, ready.names, request, self.threads)
        return None if found is None else (Moments._wrap(found[0]), _sent(found[1]))

    def merge(self, values: list) -> Any:
        if any(value is None for value in values):
            return None
        drawn = [[moments._engine for moments in value[1]] for value in values]
        whole = Moments.merge_all(value[0] for value in values)
        return whole, _sent(_nocurl.drawn_merged(drawn))


@dataclass(frozen=True)
class SurveyJob(Job):
    """What the columns of parts look like."""

    def part(self, index: int, table: Any) -> str:
        refuse_moments(table)
        ready = as_table(table)
        request = part_request(self.options, condition=self.condition)
        return _nocurl.survey(ready.handle, ready.names, request, self.threads)

    def merge(self, values: list) -> str:
        seen = values[0]
        for value in values[1:]:
            seen = _nocurl.surveys_merged(seen, value)
        return seen


def refuse_moments(table: Any) -> None:
    """A part is a table: moments have another way."""
    if isinstance(table, Moments):
        raise ValueError("these are moments already: add them up with + or nocurl.Moments.merge_all")
    if isinstance(table, (str, os.PathLike)) and os.fspath(table).endswith(".moments"):
        raise ValueError("this file has moments already: read such files with nocurl.Moments.of")


def _sent(moments: list[_nocurl.Moments]) -> list[Moments]:
    return [Moments._wrap(one) for one in moments]


#: What `mallopt` of the GNU library calls them: bytes from which freed memory goes back to the
#: system at once, and from which memory is asked for from there; and how many we keep.
_TRIM, _MAP = (-1, 128 << 20), (-3, 32 << 20)


@cache
def keep_memory() -> None:
    """Lets a worker keep the memory that the next part needs again.

    Dask tells its workers by the environment to give back whatever is freed. Each block of a table
    is then asked for anew, page by page, and reading takes three times as long.
    """
    if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
        return
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return  # another library, which does not read that variable either
    for parameter, value in (_TRIM, _MAP):
        mallopt(parameter, value)


def run_part(job: Job, index: int, label: str, table: Any) -> Piece:
    """Works on a part; what is wrong with it is said with its name."""
    keep_memory()
    if job.version != _nocurl.__version__:
        raise RuntimeError(
            f"a worker has nocurl {_nocurl.__version__}, the client {job.version}: install one "
            "version everywhere"
        )
    try:
        return Piece(label, job.part(index, table() if callable(table) else table))
    except (ValueError, TypeError, OSError, KeyError) as error:
        text = str(error.args[0] if isinstance(error, KeyError) and error.args else error)
        # A file is named by its own errors.
        named = label.startswith("`") and label.strip("`") in text
        raise ValueError(text if named else f"{label}: {text}") from None


def run_merge(job: Job, *pieces: Piece) -> Piece:
    """Puts parts together; where they do not fit it is said which."""
    first = pieces[0]
    try:
        return Piece(first.label, job.merge([piece.value for piece in pieces]))
    except ValueError:
        # Parts of one piece fit together, so that the first of them stands for all.
        for other in pieces[1:]:
            try:
                job.merge([first.value, other.value])
            except ValueError as error:
                text = str(error).removeprefix("moments cannot be merged: ")
                raise ValueError(f"{other.label} and {first.label} differ: {text}") from None
        raise


def run_task(function: Callable[..., Any], version: str, *args: Any) -> Any:
    """Runs work that belongs to no part."""
    if version != _nocurl.__version__:
        raise RuntimeError(
            f"a worker has nocurl {_nocurl.__version__}, the client {version}: install one "
            "version everywhere"
        )
    return function(*args)
