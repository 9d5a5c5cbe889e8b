"""What is read as streams of Arrow batches: polars, pyarrow, DuckDB, iterators; and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .._moments import _paths


def are_numbers(schema: Any) -> bool:
    """Whether all columns of a schema are numbers."""
    import pyarrow.types as types

    return all(
        types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        for kind in schema.types
    )


def parts(frame: Any, columns: list[str] | None) -> tuple[list[tuple[str, Any]], bool | None] | None:
    """The parts of a table that lies on this machine; nothing where it is none."""
    paths = _paths(frame)
    if paths is not None:
        return [(f"`{path}`", path) for path in paths], None
    module = type(frame).__module__.partition(".")[0]
    if module == "polars" and hasattr(frame, "collect_batches"):
        chosen = frame if columns is None else frame.select(columns)
        return [("the frame", lambda: _polars(chosen))], None
    if module in ("duckdb", "_duckdb"):
        chosen = frame if columns is None else frame.project(", ".join(map(_quoted, columns)))
        return [("the relation", lambda: _duckdb(chosen))], None
    if module == "pyarrow" and hasattr(frame, "get_fragments"):
        kept = columns if columns is not None else frame.schema.names
        known = are_numbers(frame.schema)
        return [
            (f"`{getattr(fragment, 'path', index)}`", _Fragment(fragment, frame.schema, kept))
            for index, fragment in enumerate(frame.get_fragments())
        ], known
    if isinstance(frame, (list, tuple)) and all(map(_is_table, frame)):
        if not frame:
            raise ValueError("there is no part: the list is empty")
        return [(f"part {index}", part) for index, part in enumerate(frame)], None
    if isinstance(frame, Iterator):
        return [(f"batch {index}", part) for index, part in enumerate(_all(frame))], None
    return None


def _is_table(part: Any) -> bool:
    """Whether a part in a list is a table of its own, and not a row."""
    tabular = hasattr(part, "__arrow_c_stream__") or hasattr(part, "iloc")
    return tabular or getattr(part, "ndim", None) == 2


class _Fragment:
    """A file of a data set of pyarrow, opened when it is read; columns as the whole has them."""

    def __init__(self, fragment: Any, schema: Any, columns: list[str]) -> None:
        self._fragment, self._schema, self._columns = fragment, schema, columns

    def __call__(self) -> Any:
        scanner = self._fragment.scanner(schema=self._schema, columns=self._columns)
        return scanner.to_reader()


def _polars(frame: Any) -> Any:
    import polars

    batches = frame.collect_batches(maintain_order=True)
    if hasattr(batches, "__arrow_c_stream__"):
        return batches
    tables = [batch for batch in batches]
    return polars.concat(tables) if tables else frame.collect()


def _duckdb(relation: Any) -> Any:
    for name in ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch"):
        if hasattr(relation, name):
            return getattr(relation, name)()
    return relation


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _all(batches: Iterable[Any]) -> list[Any]:
    """Batches that can be had once are kept: kinds of columns and resampling need them again."""
    found = list(batches)
    if not found:
        raise ValueError("there is no part: the iterator has no batches")
    return found
