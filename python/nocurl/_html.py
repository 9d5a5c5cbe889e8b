"""A graph in a notebook, without matplotlib."""

from __future__ import annotations

from html import escape

from ._graph import Graph


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
    rows = [
        f"<tr><td>{escape(cause)}</td><td>{'→' if graph.is_determined(cause, effect) else '—'}"
        f"</td><td>{escape(effect)}</td><td style='text-align:right'>{weight:.4g}</td></tr>"
        for cause, effect, weight in graph.edges[:30]
    ]
    if rows:
        more = f", the {len(rows)} largest" if graph.n_edges > len(rows) else ""
        parts.append(
            f"<details><summary>Edges{more}</summary><table>{''.join(rows)}</table></details>"
        )
    if graph.directions:
        parts.append(f"<div><small>{escape(graph.directions)}</small></div>")
    return "".join(parts) + "</div>"
