"""Means and second moments."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _nocurl


class Moments(_nocurl.Moments):
    """Number of rows, means and second moments of a table: all that linear methods need.

    Moments of parts of a table, computed wherever the parts are, merge to those of the whole.
    They can be pickled and written as JSON, and every ``fit`` takes them in place of a table.

    Parameters
    ----------
    json : str
        What :meth:`to_json` gave. Use :meth:`of` for a table.

    Attributes
    ----------
    names : list of str
        Names of the variables.
    rows : int
        Number of rows.
    mean : ndarray
        Mean of each variable.

    Examples
    --------
    >>> import nocurl
    >>> X = nocurl.simulate(variables=4, rows=500, degree=2, random_state=0).data
    >>> parts = [nocurl.Moments.of(X[:200]), nocurl.Moments.of(X[200:])]
    >>> whole = parts[0].merge(parts[1])
    >>> whole.rows
    500
    >>> nocurl.EqTD().fit(whole).n_features_in_
    4
    """

    @classmethod
    def of(cls, X: Any, *, missing: str = "error") -> Moments:
        """Moments of a table, read once and not copied.

        Parameters
        ----------
        X : array, DataFrame, Arrow table or stream, or path
            The table, as every ``fit`` takes it.
        missing : {"error", "drop", "em"}
            What to do about missing values.
        """
        from ._table import as_table

        table = as_table(X)
        return cls(super().of_table(table.handle, table.names, missing))

    def merge(self, other: Moments) -> Moments:
        """Moments of the rows of both; the variables must be the same."""
        return type(self)(self.merged(other))

    def covariance(self) -> np.ndarray:
        """Covariance of the variables, divided by the number of rows."""
        return self.second_moments(True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple:
        return type(self), (self.to_json(),)

    def __repr__(self) -> str:
        return f"Moments of {self.rows} rows of {len(self.names)} variables"
