"""The picture of a graph in a notebook, without matplotlib."""

from __future__ import annotations

from html import escape

import numpy as np

from ._graph import Graph
from ._layout import curve, layout
from ._plot import NEGATIVE, POSITIVE

#: Letters of a name that are shown.
LONGEST_NAME = 20


def svg(graph: Graph) -> str:
    """The graph as a picture."""
    places, routes = layout(graph)
    points = np.array([p for route in routes.values() for p in route] + list(places.values()))
    low, high = points.min(axis=0), points.max(axis=0)
    widths = {name: 14 + 6.6 * min(len(name), LONGEST_NAME) for name in places}
    scale = np.array([max(widths.values()) + 16, -58.0])
    corner = np.array([low[0] - 0.5, high[1] + 0.35])
    width, height = np.abs((np.array([high[0] + 0.5, low[1] - 0.35]) - corner) * scale)
    largest = max((abs(weight) for _, _, weight in graph.edges), default=1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" style="max-width:100%;display:block" font-family="sans-serif" font-size="11">'
    ]
    for cause, effect, weight in graph.edges:
        color = POSITIVE if weight > 0 else NEGATIVE
        determined = graph.direction(cause, effect) != "undetermined"
        half_width = max(widths[cause], widths[effect]) / 2 + 1
        line = curve((np.array(routes[cause, effect]) - corner) * scale, half_width, 12)
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in line)
        title = f"{cause} {'→' if determined else '—'} {effect}: {weight:.4g}"
        dash = "" if determined else ' stroke-dasharray="5 3"'
        parts.append(
            f'<g fill="none" stroke="{color}"><title>{escape(title)}</title><path d="{path}" '
            f'stroke-width="{0.8 + 2 * abs(weight) / largest:.2f}" opacity="0.85"{dash}/>'
            f"{_head(line, color) if determined else ''}</g>"
        )
    for name, place in places.items():
        x, y = (np.array(place) - corner) * scale
        shown = name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
        parts.append(
            f'<g><title>{escape(name)}</title><rect x="{x - widths[name] / 2:.1f}" y="{y - 11:.1f}"'
            f' width="{widths[name]:.1f}" height="22" rx="5" fill="#f2f2f2" stroke="#555"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="#111">{escape(shown)}'
            "</text></g>"
        )
    return "".join(parts) + "</svg>"


def _head(line: np.ndarray, color: str) -> str:
    """The head of an arrow."""
    direction = line[-1] - line[-2]
    along = direction / max(float(np.hypot(*direction)), 1e-9)
    side = np.array([-along[1], along[0]])
    corners = [line[-1], line[-1] - 8 * along + 4 * side, line[-1] - 8 * along - 4 * side]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polygon points="{points}" fill="{color}" stroke="none"/>'


def _row(graph: Graph, cause: str, effect: str, weight: float) -> str:
    """An edge of the table."""
    word = graph.direction(cause, effect)
    cells = [escape(cause), "—" if word == "undetermined" else "→", escape(effect), f"{weight:.4g}"]
    sure = graph.confidence(cause, effect)
    if sure is not None:
        cells += [f"edge {sure['adjacent']:.0%}", f"direction {sure['direction']:.0%}, {word}"]
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
        if finding["verdict"] != "ok"
    ]
    if graph.edges and len(graph.variables) <= 60:
        parts.append(svg(graph))
    rows = [_row(graph, *edge) for edge in graph.edges[:30]]
    if rows:
        more = f", the first {len(rows)}" if graph.n_edges > len(rows) else ""
        parts.append(
            f"<details><summary>Edges{more}</summary><table>{''.join(rows)}</table></details>"
        )
    if graph.directions:
        parts.append(f"<div><small>{escape(graph.directions)}</small></div>")
    return "".join(parts) + "</div>"
