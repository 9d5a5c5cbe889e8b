"""A look at a table before learning."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from . import _nocurl
from ._learner import READING, SHARED, table_request
from ._moments import Moments
from ._table import as_table
from ._values import to_json

_BLOCKS = " ▁▂▃▄▅▆▇█"


class Inspection:
    """What a table holds: made by :func:`nocurl.inspect`.

    Attributes
    ----------
    rows, complete_rows : int
        Rows of the table, and those without a gap.
    columns : list of dict
        For each variable ``name``, ``kind``, ``missing``, ``distinct``, ``least``, ``greatest``,
        ``mean``, ``levels``, ``histogram``.
    left_out : list of dict
        Columns that are no variables: ``name`` and ``why``.
    suspicions : list of dict
        What looks wrong: ``name``, ``columns``, ``sentence``, ``advice``.
    notes : list of str
        What somebody has to decide.
    memory_bytes, seconds
        What learning will take, roughly.
    next : str
        The call that works.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self.rows: int = document["rows"]
        self.complete_rows: int = document["complete_rows"]
        self.columns: list[dict[str, Any]] = document["columns"]
        self.left_out: list[dict[str, str]] = document["left_out"]
        self.suspicions: list[dict[str, Any]] = document["suspicions"]
        self.notes: list[str] = document["notes"]
        self.memory_bytes: int = document["memory_bytes"]
        self.seconds: float = document["seconds"]
        self.next: str = document["next"]["command"]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as ``nocurl inspect --json`` prints it."""
        return self._document

    def to_pandas(self) -> Any:
        """One row for each variable."""
        import pandas

        names = ["name", "kind", "missing", "distinct", "least", "greatest", "mean"]
        return pandas.DataFrame([{name: c[name] for name in names} for c in self.columns])

    def _cells(self, column: dict[str, Any]) -> list[str]:
        about = "" if column["distinct_exact"] else "~"
        first = column["levels"][0]["name"] if column["levels"] else ""
        numbers = [column["least"], column["greatest"], column["mean"]]
        shown = [first, "", ""] if column["least"] is None else [f"{x:.4g}" for x in numbers]
        most = max(column["histogram"], default=1) or 1
        bars = [_BLOCKS[0 if n == 0 else max(1, round(8 * n / most))] for n in column["histogram"]]
        count = [str(column["missing"] or "-"), f"{about}{column['distinct']}"]
        return [column["name"], column["kind"], *count, *shown, "".join(bars)]

    def _lines(self) -> list[str]:
        lines = [f"{found['name']}: {found['sentence']}" for found in self.suspicions]
        return [*self.notes, *lines]

    def _summary(self) -> str:
        gaps = self.rows - self.complete_rows
        return (
            f"{self.rows} rows, {len(self.columns)} variables, "
            f"{gaps or 'no'} rows with missing values"
        )

    def __repr__(self) -> str:
        head = ["column", "kind", "missing", "distinct", "least", "greatest", "mean", ""]
        rows = [head, *(self._cells(column) for column in self.columns)]
        widths = [max(len(row[j]) for row in rows) for j in range(len(head))]
        lines = [self._summary()]
        lines += ["  ".join(c.ljust(w) for c, w in zip(row, widths)).rstrip() for row in rows]
        lines += [f"left out: {out['name']} ({out['why']})" for out in self.left_out]
        return "\n".join([*lines, *self._lines(), f"next: {self.next}"])

    def _repr_html_(self) -> str:
        head = ["column", "kind", "missing", "distinct", "least", "greatest", "mean", ""]

        def row(cells: list[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{escape(c)}</{tag}>" for c in cells) + "</tr>"

        body = "".join(row(self._cells(column), "td") for column in self.columns)
        out = "".join(
            f"<div>left out: {escape(o['name'])} ({escape(o['why'])})</div>" for o in self.left_out
        )
        said = "".join(f'<div style="color:#b35900">⚠ {escape(x)}</div>' for x in self._lines())
        return (
            f"<div><b>{escape(self._summary())}</b>"
            f"<table><thead>{row(head, 'th')}</thead><tbody>{body}</tbody></table>"
            f"{out}{said}<div>next: <code>{escape(self.next)}</code></div></div>"
        )


def inspect(X: Any, **params: Any) -> Inspection:
    """Looks at a table: what each column is and holds, what looks wrong, and the call that works.

    Parameters
    ----------
    X : ndarray, DataFrame (pandas, polars), Arrow table or stream, or path
        The table.
    **params
        How it is read, as in :class:`Learner`: ``columns``, ``drop``, ``categorical``, ``na`` and
        so on.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=3, rows=200, degree=1, random_state=0)
    >>> found = nocurl.inspect(drawn.data)
    >>> found.next, [column["kind"] for column in found.columns]
    ('nocurl.learn(X)', ['continuous', 'continuous', 'continuous'])
    """
    if isinstance(X, Moments):
        raise ValueError("moments have no cells to look at: pass the table they come from")
    unknown = [name for name in params if name not in READING]
    if unknown:
        raise ValueError(f"`{unknown[0]}` does not say how a table is read: {', '.join(READING)} do")
    table = as_table(X)
    request = to_json(table_request({**SHARED, **params}))
    text = _nocurl.inspect(table.handle, table.names, request)
    return Inspection(json.loads(text))
