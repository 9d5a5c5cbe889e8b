"""Two graphs edge by edge."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from . import _nocurl

if TYPE_CHECKING:
    import pandas

    from ._graph import Graph


class Differences:
    """Which edges two graphs share and where they differ; made by :meth:`Graph.compare`.

    Attributes
    ----------
    shared, first, second, reversed : int
        Numbers of edges: in both, in the first alone, in the second alone, in opposite directions.
    edges : list of dict
        Each with ``part`` ("shared", "first", "second" or "reversed"), ``from``, ``to``, and
        ``of``: weight and direction in both graphs, None where one lacks the edge.
    only : tuple of two lists
        Variables that only one of the graphs has.
    """

    def __init__(self, first: Graph, second: Graph, names: tuple[str, str]) -> None:
        self._pair = (json.dumps(first._document), json.dumps(second._document))
        one, other = names
        self._names = (str(one), str(other))
        found = json.loads(_nocurl.differences(*self._pair, *self._names))
        self.shared: int = found["shared"]
        self.first: int = found["first"]
        self.second: int = found["second"]
        self.reversed: int = found["reversed"]
        self.edges: list[dict[str, Any]] = found["edges"]
        self.only: tuple[list[str], list[str]] = tuple(found["only"])

    def to_pandas(self) -> pandas.DataFrame:
        """One row for each edge."""
        import pandas

        weight = lambda side: None if side is None else side["weight"]  # noqa: E731
        rows = [
            (e["part"], e["from"], e["to"], weight(e["of"][0]), weight(e["of"][1])) for e in self.edges
        ]
        columns = ["part", "from", "to", "weight_1", "weight_2"]
        return pandas.DataFrame(rows, columns=columns)

    def to_svg(self) -> str:
        """Both graphs in one picture."""
        return bytes(_nocurl.differences_picture(*self._pair, *self._names, "svg")).decode()

    def to_html(self) -> str:
        """Both graphs in a report, one HTML file that works offline."""
        return bytes(_nocurl.differences_picture(*self._pair, *self._names, "html")).decode()

    def write(self, path: str | os.PathLike) -> None:
        """Shows both graphs in a file: a report as html, or a picture as svg, png, pdf or tex."""
        _nocurl.write_differences(*self._pair, *self._names, os.fspath(path))

    def _repr_html_(self) -> str:
        from html import escape

        return f"<div><b>{escape(repr(self))}</b>{self.to_svg()}</div>"

    def __repr__(self) -> str:
        one, other = self._names
        return (
            f"{self.shared} edges in both, {self.first} only in {one}, {self.second} only in {other}, "
            f"{self.reversed} in opposite directions"
        )
