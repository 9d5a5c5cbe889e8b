"""Means and second moments."""

from __future__ import annotations

import glob
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _nocurl
from ._values import threads_of, to_json

#: The name under which weights travel with a table.
_WEIGHTS = "\0weights"


class Moments:
    """Number of rows, means and second moments of a table: all that linear methods need.

    Moments of parts of a table, computed wherever the parts are, add up to those of the whole:
    with ``+``, ``sum()`` or :meth:`merge`. Variables are aligned by name, and levels that a part
    has not seen are added. Some of the rows are kept for the checks, at most 2000.
    Every ``fit`` takes moments in place of a table. They can be pickled and written to files.

    Parameters
    ----------
    json : str
        What :meth:`to_json` gave. Use :meth:`of` for a table.

    Attributes
    ----------
    names : list of str
        Names of the variables.
    rows : int
        Number of rows, or the sum of their weights as a whole number.
    mean : ndarray
        Mean of each variable; of a categorical one the share of each level but the first.

    Examples
    --------
    >>> import nocurl
    >>> X = nocurl.simulate(variables=4, rows=500, degree=2, random_state=0).data
    >>> whole = nocurl.Moments.of(X[:200]) + nocurl.Moments.of(X[200:])
    >>> whole.rows
    500
    >>> whole[["x3", "x1"]].names
    ['x3', 'x1']
    >>> nocurl.EqTD().fit(whole).n_features_in_
    4
    """

    def __init__(self, json: str) -> None:
        self._engine = _nocurl.Moments(json)

    @classmethod
    def _wrap(cls, engine: _nocurl.Moments) -> Moments:
        moments = cls.__new__(cls)
        moments._engine = engine
        return moments

    @classmethod
    def of(
        cls,
        X: Any,
        *,
        columns: str | Sequence[str] | None = None,
        drop: str | Sequence[str] | None = None,
        missing: str = "error",
        weights: Any = None,
        condition: str | None = None,
        n_jobs: int | None = None,
        **options: Any,
    ) -> Moments:
        """Moments of a table or of a part of one, read once and not copied.

        Parameters
        ----------
        X : array, DataFrame, Arrow table or stream, path, pattern of paths, or list of paths
            The table, as every ``fit`` takes it; or the files of one table. A part may have few
            rows, or none.
        columns, drop : str or list of str, optional
            Columns to use, in this order, and columns to leave out.
        missing : {"error", "drop", "em"}
            What to do about missing values.
        weights : str or array, optional
            How often each row counts: the name of a column, or a number for each row. The number
            of rows is their sum.
        condition : str, optional
            A column that says under which condition a row was measured. Its conditions are told
            apart, as :attr:`conditions` has them, so that ``condition`` and ``targets`` can be
            learnt with.
        n_jobs : int, optional
            Threads: one for each core by default and for -1. The result does not depend on it.
        **options
            ``categorical``, ``continuous``, ``ordinal``, ``na`` and those of text files, as in
            :class:`Learner`.

        Examples
        --------
        >>> import nocurl
        >>> import numpy as np
        >>> X = np.array([[1.0, 2.0], [3.0, 5.0]])
        >>> nocurl.Moments.of(X, weights=[1, 3]).mean
        array([2.5 , 4.25])
        """
        from ._table import as_table

        threads = threads_of(n_jobs)
        asked = {"columns": columns, "drop": drop, "missing": missing, **options}
        paths = _paths(X)
        if paths is not None:
            if weights is not None and not isinstance(weights, str):
                raise ValueError("weights of files are a column of theirs: give its name")
            request = part_request(asked, weights=weights, condition=condition)
            return cls._wrap(_nocurl.Moments.of_files(paths, request, threads))
        table = as_table(X)
        handle, names = table.handle, table.names
        if weights is not None and not isinstance(weights, str):
            handle, names = _with_weights(handle, names, weights)
            weights = _WEIGHTS
        request = part_request(asked, weights=weights, condition=condition)
        return cls._wrap(_nocurl.Moments.of_table(handle, names, request, threads))

    @classmethod
    def empty(cls, names: Iterable[str]) -> Moments:
        """Moments of no rows, to add others to.

        Examples
        --------
        >>> import nocurl
        >>> nocurl.Moments.empty(["a", "b"]).rows
        0
        """
        return cls._wrap(_nocurl.Moments.empty([str(name) for name in names]))

    @classmethod
    def merge_all(cls, parts: Iterable[Moments]) -> Moments:
        """Moments of the rows of all parts, in their order; the bits do not depend on who merges
        which parts."""
        return cls._wrap(_nocurl.Moments.merged([part._engine for part in parts]))

    def merge(self, other: Moments) -> Moments:
        """Moments of the rows of both; the variables must be the same, in whatever order."""
        return self._wrap(_nocurl.Moments.merged([self._engine, other._engine]))

    def __add__(self, other: Moments) -> Moments:
        return self.merge(other) if isinstance(other, Moments) else NotImplemented

    def __radd__(self, other: Any) -> Moments:
        # What sum() starts from.
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __getitem__(self, names: str | Sequence[str]) -> Moments:
        if isinstance(names, str):
            raise ValueError(f"choose several variables, as in moments[[{names!r}, ...]]")
        known = {name: place for place, name in enumerate(self.names)}
        strangers = [name for name in names if name not in known]
        if strangers:
            raise KeyError(f"there is no variable `{strangers[0]}`; there are {', '.join(known)}")
        if len(set(names)) < len(names):
            raise ValueError("a variable is chosen twice")
        return self._wrap(self._engine.select([known[name] for name in names]))

    @property
    def names(self) -> list[str]:
        """Names of the variables."""
        return self._engine.names

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each variable: continuous, binary, categorical or ordinal."""
        return {v["name"]: v["kind"] for v in json.loads(self._engine.variables())}

    @property
    def condition(self) -> str | None:
        """The variable whose conditions are told apart."""
        return self._engine.condition

    @property
    def conditions(self) -> dict[str, Moments]:
        """The moments of each condition, of the other variables; none where these are not told
        apart.

        Examples
        --------
        >>> import nocurl
        >>> import pandas as pd
        >>> table = pd.DataFrame({"a": [1.0, 2, 3, 5], "b": [2.0, 1, 4, 4], "drug": list("xyxy")})
        >>> whole = nocurl.Moments.of(table, condition="drug")
        >>> {name: moments.mean.tolist() for name, moments in whole.conditions.items()}
        {'x': [2.0, 3.0], 'y': [3.5, 2.5]}
        """
        found = self._engine.conditions()
        return {name: self._wrap(engine) for name, engine in sorted(found, key=lambda one: one[0])}

    @property
    def rows(self) -> int:
        """Number of rows, or the sum of their weights as a whole number."""
        return self._engine.rows

    @property
    def weight(self) -> float:
        """Number of rows, or the sum of their weights."""
        return self._engine.weight

    @property
    def rows_dropped(self) -> int:
        """Rows left out because of missing values."""
        return self._engine.rows_dropped

    @property
    def mean(self) -> np.ndarray:
        """Mean of each coded column."""
        return self._engine.mean

    def sample(self) -> np.ndarray | None:
        """The rows that are kept for the checks, with positions in place of levels."""
        return self._engine.sample()

    def second_moments(self, center: bool = True) -> np.ndarray:
        """Covariance, or the same about zero, divided by the number of rows."""
        return self._engine.second_moments(center)

    def covariance(self) -> np.ndarray:
        """Covariance of the variables, divided by the number of rows."""
        return self.second_moments(True)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes a file that :meth:`read` and the command line take: ``nocurl learn m.moments``."""
        self._engine.write(os.fspath(path))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Moments:
        """Reads what :meth:`write` or ``nocurl moments`` wrote."""
        return cls._wrap(_nocurl.Moments.read(os.fspath(path)))

    def to_json(self) -> str:
        """The moments as JSON, without the rows that are kept."""
        return self._engine.to_json()

    def to_bytes(self) -> bytes:
        """What a file of moments holds."""
        return self._engine.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Moments:
        """Moments from :meth:`to_bytes`."""
        return cls._wrap(_nocurl.Moments.from_bytes(data))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and self._engine.same(other._engine)

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"Moments of {self.rows} rows of {len(self.names)} variables"


def part_request(options: dict[str, Any], **more: Any) -> str:
    """How a part of a table is read, for the engine."""
    from ._learner import READING, table_request

    unknown = [name for name in options if name not in READING]
    if unknown:
        raise TypeError(f"`{unknown[0]}` is unknown; there are {', '.join(READING)}")
    asked = table_request({**READING, **options})
    return to_json({**asked, **more})


def _paths(X: Any) -> list[str] | None:
    """The files that a pattern or a list of paths stands for; nothing for other tables."""
    if isinstance(X, (list, tuple)) and X and all(isinstance(p, (str, os.PathLike)) for p in X):
        return [os.fspath(path) for path in X]
    if not isinstance(X, (str, os.PathLike)):
        return None
    path = os.fspath(X)
    if os.path.isdir(path):
        inside = sorted(glob.glob(os.path.join(glob.escape(path), "**", "*"), recursive=True))
        found = [p for p in inside if os.path.isfile(p) and os.path.basename(p)[0] not in "._"]
    elif glob.has_magic(path) and not os.path.exists(path):
        found = sorted(glob.glob(path, recursive=True))
    else:
        return [path]
    if not found:
        raise ValueError(f"there are no files in `{path}`")
    return found


def _with_weights(handle: Any, names: list[str], weights: Any) -> tuple[Any, list[str]]:
    """A table of arrays with its weights as one more column."""
    values = np.ascontiguousarray(weights, dtype=np.float64)
    arrays, levels = handle if isinstance(handle, tuple) else (handle, None)
    if not isinstance(arrays, list):
        raise ValueError("weights of this kind of table are a column of it: give its name")
    rows = len(arrays[0]) if arrays else 0
    if values.shape != (rows,):
        raise ValueError(f"there are {rows} rows, and weights of shape {values.shape}")
    arrays = [*arrays, values]
    return (arrays if levels is None else (arrays, [*levels, None])), [*names, _WEIGHTS]
