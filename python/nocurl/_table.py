"""What users call a table, made ready for the engine without copying it."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from ._moments import Moments

#: Types that the engine reads where they are.
_READ_IN_PLACE = frozenset("f4 f8 i1 i2 i4 i8 u1 u2 u4 u8".split())


class Table(NamedTuple):
    """A table for the engine, with the names of its columns as far as they are known."""

    #: A path or a list of them, moments, a list of arrays, or an object that exports an Arrow stream.
    handle: Any
    #: Names for the engine; empty where the handle brings its own.
    names: list[str]
    #: The columns as the user calls them, or None for columns without names.
    labels: list | None


def as_table(X: Any) -> Table:
    """Anything that can be learnt from."""
    if isinstance(X, Moments):
        return Table(X._engine, [], list(X.names))
    if isinstance(X, (str, os.PathLike)):
        return Table(os.fspath(X), [], None)
    if isinstance(X, (list, tuple)) and X and all(isinstance(x, (str, os.PathLike)) for x in X):
        return Table([os.fspath(x) for x in X], [], None)
    _refuse_engines(X)
    refuse_no_table(X)
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        labels = list(X.columns)
        names = [str(label) for label in labels]
        pairs = [_pandas_column(column, str(label)) for label, column in X.items()]
        columns = [column for column, _ in pairs]
        return Table((columns, [levels for _, levels in pairs]), names, labels)
    if hasattr(X, "__arrow_c_stream__"):
        return Table(X, [], _arrow_names(X))
    if hasattr(X, "collect_schema"):
        raise ValueError(
            "a lazy frame has no values yet: call .collect() on it first, or pass it to "
            "nocurl.distributed.learn"
        )
    if hasattr(X, "tocsr"):
        raise ValueError("sparse matrices are not read: pass X.toarray()")
    if isinstance(X, np.ma.MaskedArray):
        X = _unmasked(X)
    array = two_dimensional(X)
    names = [f"x{j}" for j in range(1, array.shape[1] + 1)]
    return Table([_numbers(array, "the array")], names, None)


def refuse_no_table(X: Any) -> None:
    """Refuses one column, and what holds no values."""
    if getattr(X, "ndim", 2) == 1 and (hasattr(X, "__arrow_c_stream__") or hasattr(X, "iloc")):
        raise ValueError("this is one column: pass a table, such as the frame that it is of")
    if X is None or isinstance(X, (int, float)):
        raise ValueError(f"{X!r} is no table: pass an array, a data frame, Arrow data or a path")


def two_dimensional(X: Any) -> np.ndarray:
    """What NumPy makes of a table."""
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(
            f"the array has {array.ndim} dimension{'' if array.ndim == 1 else 's'}, a table has 2; "
            "Reshape your data so that rows are observations and columns are variables"
        )
    return array


#: Frames of these packages lie on many machines, or will be made there.
_ENGINES = {"dask": "Dask", "dask_expr": "Dask", "pyspark": "Spark", "ray": "Ray"}


def _refuse_engines(X: Any) -> None:
    engine = _ENGINES.get(type(X).__module__.partition(".")[0])
    if engine is not None:
        raise ValueError(
            f"this is a table of {engine}: use nocurl.distributed.learn, which leaves the rows "
            "where they are"
        )
#: The name of conditions that are given beside a table.
CONDITION = "condition"


def with_conditions(table: Table, conditions: Any) -> Table:
    """The table with one more column: the condition of each row."""
    labels = np.asarray(conditions)
    if labels.ndim != 1:
        raise ValueError(f"conditions have {labels.ndim} dimensions: give one label for each row")
    if not isinstance(table.handle, (list, tuple)):
        raise ValueError(
            "conditions beside a table need an array or a DataFrame: have them as a column and "
            "name it with condition="
        )
    arrays, levels = table.handle if isinstance(table.handle, tuple) else (table.handle, None)
    rows = arrays[0].shape[0] if arrays else 0
    if len(labels) != rows:
        raise ValueError(f"there are {len(labels)} conditions for {rows} rows")
    if CONDITION in table.names:
        raise ValueError(f"the table has a column `{CONDITION}` already: name it with condition=")
    names, codes = np.unique(labels.astype(str), return_inverse=True)
    levels = list(levels) if levels else [None] * len(table.names)
    own = ([str(name) for name in names], "category")
    column = codes.reshape(-1).astype(np.float64)
    kept = table.labels if table.labels is None else [*table.labels, CONDITION]
    return Table(([*arrays, column], [*levels, own]), [*table.names, CONDITION], kept)


def _unmasked(array: np.ma.MaskedArray) -> np.ndarray:
    """What is under a mask is no value, whatever it is."""
    if array.dtype.kind not in "fiub":
        return array.data  # refused by its type
    if array.dtype.kind in "iu":
        _exact(array.filled(0), "the array")
    return np.ma.filled(array.astype(np.float64), np.nan)


#: More different texts than this are no category.
_MOST_LEVELS = 256


def _pandas_column(column: Any, name: str) -> tuple[np.ndarray, tuple[list[str], str] | None]:
    """The values of a column; positions of levels with what they are, where it has levels."""
    dtype = column.dtype
    if isinstance(dtype, np.dtype):
        if dtype.kind == "b":
            return column.to_numpy().view(np.uint8), ([], "truth")
        if dtype.kind == "O":
            return _objects(column, name)
        if dtype.kind in "mM":
            return np.full(len(column), np.nan), (["date"], f"type {dtype}")
        return _numbers(column.to_numpy(), f"column `{name}`"), None
    if hasattr(dtype, "categories"):
        codes = column.cat.codes.to_numpy().astype(np.float64)
        codes[codes < 0] = np.nan
        kind = "ordered" if dtype.ordered else "category"
        return codes, ([str(level) for level in dtype.categories], kind)
    # Types of pandas and Arrow with a mark for missing values.
    if getattr(dtype, "_is_boolean", False):
        return column.to_numpy(dtype="float64", na_value=np.nan), ([], "truth")
    if getattr(dtype, "_is_numeric", False):
        if getattr(dtype, "kind", "") in "iu" and column.count():
            _exact(column.dropna().to_numpy(), f"column `{name}`")
        return column.to_numpy(dtype="float64", na_value=np.nan), None
    return _objects(column, name)


def _objects(column: Any, name: str) -> tuple[np.ndarray, tuple[list[str], str] | None]:
    """A column of text, or of anything that pandas has no type for."""
    import pandas

    kind = pandas.api.types.infer_dtype(column, skipna=True)
    if kind in ("integer", "floating", "mixed-integer-float", "decimal"):
        return pandas.to_numeric(column).to_numpy(dtype="float64", na_value=np.nan), None
    if kind == "boolean":
        return column.astype("boolean").to_numpy(dtype="float64", na_value=np.nan), ([], "truth")
    if kind not in ("string", "empty", "mixed-integer", "mixed", "categorical"):
        return np.full(len(column), np.nan), (["date"], f"type {kind}")
    try:
        codes, levels = pandas.factorize(column)
    except TypeError:
        return np.full(len(column), np.nan), (["other"], f"type {column.dtype}")
    codes = codes.astype(np.float64)
    codes[codes < 0] = np.nan
    codes[codes > _MOST_LEVELS] = _MOST_LEVELS
    return codes, ([str(level) for level in levels[: _MOST_LEVELS + 1]], "text")


def _numbers(array: np.ndarray, what: str) -> np.ndarray:
    dtype = array.dtype
    if dtype.kind == "b":
        return array.view(np.uint8)
    if dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has type {dtype}")
    if dtype.kind not in "fiu":
        raise ValueError(_not_numeric(what, dtype))
    if dtype.kind in "iu":
        _exact(array, what)
    if dtype.str[1:] in _READ_IN_PLACE and dtype.isnative and array.flags.aligned:
        return array
    return array.astype(np.float64)


#: Whole numbers up to here are floating-point numbers too.
_LARGEST_EXACT = 2**53


def _exact(array: np.ndarray, what: str) -> None:
    """Refuses whole numbers that would be rounded."""
    if array.dtype.itemsize < 8 or array.size == 0:
        return
    if int(array.max()) > _LARGEST_EXACT or int(array.min()) < -_LARGEST_EXACT:
        if array.ndim == 2:
            large = (array > _LARGEST_EXACT) | (array < -_LARGEST_EXACT)
            what = f"column {int(large.any(axis=0).argmax()) + 1} of {what}"
        raise ValueError(
            f"{what} has whole numbers beyond 2**53, which would be rounded; leave the column out, "
            "or convert it to float64 if the rounding does no harm"
        )


def _not_numeric(what: str, dtype: Any) -> str:
    return f"{what} has type {dtype}, which is not numeric; leave the column out"


def _arrow_names(X: Any) -> list | None:
    for holder in (X, getattr(X, "schema", None)):
        for attribute in ("column_names", "columns", "names"):
            names = getattr(holder, attribute, None)
            if isinstance(names, list) and all(isinstance(name, str) for name in names):
                return names
    return None
