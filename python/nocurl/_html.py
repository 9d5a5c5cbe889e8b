"""The picture of a graph in a notebook, without matplotlib."""

from __future__ import annotations

from html import escape

import numpy as np

from ._graph import Graph
from ._layout import layout
from ._plot import NEGATIVE, POSITIVE


def svg(graph: Graph) -> str:
    """The graph as a picture."""
    places = layout(graph)
    xs, ys = [x for x, _ in places.values()], [y for _, y in places.values()]
    widths = {name: 14 + 6.6 * min(len(name), 20) for name in places}
    step_x, step_y = max(widths.values(), default=60) + 24, 64.0
    at = {
        name: (step_x * (x - min(xs)) + step_x / 2, step_y * (max(ys) - y) + 20)
        for name, (x, y) in places.items()
    }
    width = step_x * (max(xs) - min(xs) + 1)
    height = step_y * (max(ys) - min(ys)) + 40
    largest = max((abs(weight) for _, _, weight in graph.edges), default=1.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" style="max-width:100%" font-family="sans-serif" font-size="11">'
    ]
    for cause, effect, weight in graph.edges:
        (x1, y1), (x2, y2) = at[cause], at[effect]
        color = POSITIVE if weight > 0 else NEGATIVE
        bend = 0.0 if y2 - y1 <= step_y else 0.18 * step_x * (1 if x2 >= x1 else -1)
        middle = ((x1 + x2) / 2 - bend, (y1 + y2) / 2)
        # The line ends at the border of the box, coming from the middle.
        x2, y2 = _border(middle, (x2, y2), widths[effect] / 2 + 2, 13)
        meant = graph.means_direction(cause, effect)
        title = f"{cause} {'→' if meant else '—'} {effect}: {weight:.4g}"
        dash = "" if meant else ' stroke-dasharray="5 3"'
        parts.append(
            f'<g fill="none" stroke="{color}"><title>{escape(title)}</title>'
            f'<path d="M{x1:.1f} {y1:.1f} Q{middle[0]:.1f} {middle[1]:.1f} {x2:.1f} {y2:.1f}" '
            f'stroke-width="{0.8 + 2 * abs(weight) / largest:.2f}" opacity="0.85"{dash}/>'
        )
        if meant:
            direction = np.array([x2 - middle[0], y2 - middle[1]])
            along = direction / max(float(np.hypot(*direction)), 1e-9)
            side = np.array([-along[1], along[0]])
            tip = np.array([x2, y2])
            corners = [tip, tip - 8 * along + 4 * side, tip - 8 * along - 4 * side]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
            parts.append(f'<polygon points="{points}" fill="{color}" stroke="none"/>')
        parts.append("</g>")
    for name, (x, y) in at.items():
        shown = name if len(name) <= 20 else name[:19] + "…"
        parts.append(
            f'<g><title>{escape(name)}</title><rect x="{x - widths[name] / 2:.1f}" y="{y - 11:.1f}"'
            f' width="{widths[name]:.1f}" height="22" rx="5" fill="#f0f0f0" stroke="#555"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" fill="#111">{escape(shown)}'
            "</text></g>"
        )
    return "".join(parts) + "</svg>"


def _border(
    start: tuple[float, float], end: tuple[float, float], half_width: float, half_height: float
) -> tuple[float, float]:
    """Where a line from `start` meets the box around `end`."""
    dx, dy = start[0] - end[0], start[1] - end[1]
    scale = max(abs(dx) / half_width, abs(dy) / half_height, 1e-9)
    return end[0] + dx / scale, end[1] + dy / scale


def html(graph: Graph) -> str:
    """A graph in a notebook: the drawing, the edges, and what one should know."""
    parts = [f"<div><b>{escape(graph._summary())}</b>"]
    parts += [f'<div style="color:#b35900">⚠ {escape(text)}</div>' for text in graph.warnings]
    findings = graph.diagnosis or []
    parts += [
        f"<div><b>{escape(finding['verdict'])}</b> ({escape(finding['name'])}): "
        f"{escape(finding['sentence'])}</div>"
        for finding in findings
        if finding["verdict"] != "ok"
    ]
    if graph.edges and len(graph.variables) <= 60:
        parts.append(svg(graph))
    rows = [
        f"<tr><td>{escape(cause)}</td><td>{'→' if graph.means_direction(cause, effect) else '—'}"
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
