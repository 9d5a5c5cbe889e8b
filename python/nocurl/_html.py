"""A graph in a notebook, without matplotlib."""

from __future__ import annotations

from html import escape

from ._graph import Graph
from ._values import percent


def _row(graph: Graph, cause: str, effect: str, weight: float | None) -> str:
    """An edge of the table."""
    word = graph.direction(cause, effect)
    cells = [escape(cause), "—" if word == "undetermined" else "→", escape(effect)]
    cells.append("" if weight is None else f"{weight:.4g}")
    sure = graph.confidence(cause, effect)
    if sure is not None:
        adjacent, direction = percent(sure["adjacent"]), percent(sure["direction"])
        cells += [f"edge {adjacent}", f"direction {direction}, {word}"]
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def html(graph: Graph) -> str:
    """A graph in a notebook: the drawing, the edges, and what one should know."""
    parts = [f"<div><b>{escape(graph._summary())}</b>"]
    parts += [f'<div style="color:#b35900">⚠ {escape(text)}</div>' for text in graph.warnings]
    findings = graph.diagnosis or []
    parts += [
        f"<div><b>{escape(finding['verdict'])}</b> ({escape(finding.get('check', ''))}): "
        f"{escape(finding['sentence'])}</div>"
        for finding in findings
        if finding["verdict"] in ("note", "concern")
    ]
    if graph.edges:
        # Wide pictures shrink to the page.
        parts.append(graph.to_svg().replace("<svg ", '<svg style="max-width:100%;height:auto" ', 1))
    rows = [_row(graph, *edge) for edge in graph.edges[:30]]
    if rows:
        more = f", the first {len(rows)}" if graph.n_edges > len(rows) else ""
        parts.append(
            f"<details><summary>Edges{more}</summary><table>{''.join(rows)}</table></details>"
        )
    if graph.directions:
        parts.append(f"<div><small>{escape(graph.directions)}</small></div>")
    return "".join(parts) + "</div>"
