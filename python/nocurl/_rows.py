"""Rows for a fitted model: a frame, an array, a dict or one row, made ready for the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._table import as_table

#: Text that stands for a missing value.
_MISSING = ("",)


def rows_for(X: Any, variables: list[str], kinds: list[dict]) -> tuple[Any, list[str]]:
    """What the engine reads, and the names of its columns.

    Columns are matched by name; an array has one column per variable, in their order.
    """
    if isinstance(X, Mapping):
        return _columns({str(name): values for name, values in X.items()}, kinds)
    if hasattr(X, "index") and hasattr(X, "items") and getattr(X, "ndim", 0) == 1:
        # One row of a pandas frame.
        return _columns({str(name): [value] for name, value in X.items()}, kinds)
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = {str(label): X[label] for label in X.columns}
        known = {kind["name"] for kind in kinds} or set(variables)
        return _columns({name: column for name, column in columns.items() if name in known}, kinds)
    if hasattr(X, "__arrow_c_stream__") or isinstance(X, (str, list)) and _is_path(X):
        table = as_table(X)
        return table.handle, table.names
    array = np.asarray(X)
    if array.ndim == 1 and len(array) == len(variables):
        array = array.reshape(1, -1)
    if array.ndim != 2:
        raise ValueError(
            f"a table has 2 dimensions, and this array has {array.ndim}. Reshape your data: "
            "X.reshape(1, -1) is one row, X.reshape(-1, 1) one column"
        )
    if array.shape[1] != len(variables):
        # The first words are those that scikit-learn's users look for.
        raise ValueError(
            f"X has {array.shape[1]} features, but Graph is expecting {len(variables)} features as "
            "input: one column for each variable"
        )
    return _columns({name: array[:, j] for j, name in enumerate(variables)}, kinds)


def _is_path(X: Any) -> bool:
    return isinstance(X, str) or bool(X) and all(isinstance(x, str) for x in X)


def _columns(columns: dict[str, Any], kinds: list[dict]) -> tuple[Any, list[str]]:
    """One array per column, with levels where it has text."""
    levels = {kind["name"]: kind["levels"] for kind in kinds if kind.get("levels")}
    arrays, given = [], []
    rows: int | None = None
    for name, values in columns.items():
        if isinstance(values, str) or np.ndim(values) == 0:
            values = [values]
        array, own = _column(name, values, levels.get(name))
        if rows is not None and len(array) != rows:
            raise ValueError(f"`{name}` has {len(array)} rows, and the columns before it {rows}")
        rows = len(array)
        arrays.append(array)
        given.append(own)
    if not arrays:
        raise ValueError("there are no columns")
    return (arrays, given), list(columns)


def _column(
    name: str, values: Any, levels: list[str] | None
) -> tuple[np.ndarray, tuple[list[str], str] | None]:
    dtype = getattr(values, "dtype", None)
    if levels is None:
        return _numbers(name, values), None
    if dtype is not None and getattr(dtype, "kind", "") in "fiu":
        return np.asarray(values, dtype=np.float64), None
    texts = [_text(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]
    names = list(dict.fromkeys(text for text in texts if text is not None))
    place = {text: float(code) for code, text in enumerate(names)}
    codes = np.array([np.nan if text is None else place[text] for text in texts])
    return codes, (names, "text")


def _numbers(name: str, values: Any) -> np.ndarray:
    if hasattr(values, "to_numpy"):
        try:
            return values.to_numpy(dtype="float64", na_value=np.nan)
        except (TypeError, ValueError):
            values = values.tolist()
    cells = values.tolist() if hasattr(values, "tolist") else list(values)
    numbers = np.empty(len(cells))
    for row, cell in enumerate(cells):
        if _is_missing(cell):
            numbers[row] = np.nan
            continue
        try:
            numbers[row] = float(cell)
        except (TypeError, ValueError):
            raise ValueError(f"row {row + 1}, `{name}`: {cell!r} is not a number") from None
    return numbers


def _is_missing(cell: Any) -> bool:
    if cell is None or isinstance(cell, str) and cell.strip() in _MISSING:
        return True
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):
        return True


def _text(cell: Any) -> str | None:
    """The name of a level, as the engine spells it."""
    if _is_missing(cell):
        return None
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return str(int(cell))
    return str(cell)


#: How the engine spells the value of a variable that is set.
def setting(value: Any) -> str:
    """The text of a number or of the name of a level."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)
