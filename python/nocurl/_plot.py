"""The picture with matplotlib: places, ways and colours are those of every other picture."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from . import _nocurl
from ._graph import Graph

if TYPE_CHECKING:
    import matplotlib.axes

#: Sizes of names and of weights in the layout.
NAME, SMALL = 11.0, 8.5

#: Longest side of a new figure, in inches.
LONGEST = 20.0


def plot(
    graph: Graph,
    ax: matplotlib.axes.Axes | None = None,
    *,
    node_color: str | None = None,
    font_size: float | None = None,
    show_weights: bool | None = None,
    figsize: tuple[float, float] | None = None,
) -> matplotlib.axes.Axes:
    """Draws a graph; :meth:`Graph.plot` explains the picture."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from None
    picture = json.loads(_nocurl.picture(json.dumps(graph._document)))
    layout, lines = picture["layout"], picture["lines"]
    width, height = layout["width"], layout["height"]
    if ax is None:
        if figsize is None:
            scale = min(1 / 60, LONGEST / max(width, height))
            figsize = (max(width * scale, 2.0), max(height * scale, 1.5))
        _, ax = plt.subplots(figsize=figsize)
        ax.figure.subplots_adjust(left=0.01, right=0.99, bottom=0.01, top=0.93)
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    ax.set_title(graph._summary(), fontsize=10)
    # Points of the paper for a point of the layout: words grow and shrink with the picture.
    extent = ax.get_window_extent()
    unit = min(extent.width / width, extent.height / height) * 72 / ax.figure.dpi
    size = unit * NAME if font_size is None else font_size
    for route, line in zip(layout["edges"], lines):
        _edge(ax, route["points"], line, unit, layout["overview"], Path, PathPatch)
        label = route["label"]
        if label is not None and show_weights is not False:
            place, text = label
            color = _color(line)
            _words(ax, place["x"], place["y"], text, size * SMALL / NAME, color, pad=0.8)
    for node in layout["nodes"]:
        if not node["shown"]:
            continue
        color = node_color or ("#aaaaaa" if layout["overview"] else "#f4f4f4")
        ax.add_patch(_outline(node, layout["overview"], color, unit))
        if node["name"] is not None:
            area = node["name"]
            small = size * SMALL / NAME if layout["overview"] else size
            _words(ax, area["x"], area["y"], "\n".join(node["lines"]), small, "#1a1a1a")
    for note in layout["notes"]:
        ax.text(
            note["x"], note["y"], note["text"], fontsize=size * SMALL / NAME, color="#6e6e6e",
            parse_math=False,
        )
    return ax


def _color(line: dict) -> tuple[float, ...]:
    return tuple(part / 255 for part in line["colour"])


def _words(ax: Any, x: float, y: float, text: str, size: float, color: Any, pad: float = 0) -> None:
    box = {"boxstyle": f"square,pad={pad / 8}", "facecolor": "white", "edgecolor": "none"}
    ax.text(
        x, y, text, fontsize=size, color=color, ha="center", va="center", zorder=4,
        parse_math=False, bbox=box if pad else None,
    )


def _outline(node: dict, overview: bool, color: str, unit: float) -> Any:
    from matplotlib.patches import Circle, FancyBboxPatch

    style = {"facecolor": color, "edgecolor": "#555555", "linewidth": unit, "zorder": 3}
    if overview:
        return Circle((node["x"], node["y"]), node["width"] / 2, **style)
    corner = (node["x"] - node["width"] / 2, node["y"] - node["height"] / 2)
    box = "round,pad=0,rounding_size=5"
    return FancyBboxPatch(corner, node["width"], node["height"], boxstyle=box, **style)


def _edge(
    ax: Any, points: list, line: dict, unit: float, overview: bool, path: Any, patch: Any
) -> None:
    """The curve of an edge, and its head."""
    from matplotlib.patches import Polygon

    if len(points) < 4:
        return
    points = [tuple(point) for point in points]
    color, width = _color(line), line["width"]
    heads = []
    length = 2.5 + 1.5 * width if overview else 5.5 + 1.4 * width
    if line["head"] != "undetermined":
        heads.append(_head(points, length))
    if line["both"]:
        points.reverse()
        heads.append(_head(points, length))
    codes = [path.MOVETO] + [path.CURVE4] * (len(points) - 1)
    dash = "-" if line["dash"] is None else (0, tuple(part / width for part in line["dash"]))
    ax.add_patch(
        patch(
            path(points, codes), fill=False, edgecolor=color, linewidth=unit * width,
            alpha=line["opacity"], linestyle=dash, zorder=1,
        )
    )
    face = "white" if line["head"] == "likely" else color
    for head in heads:
        ax.add_patch(
            Polygon(head, facecolor=face, edgecolor=color, alpha=line["opacity"], linewidth=0.5 * unit, zorder=2)
        )


def _head(points: list, length: float) -> list:
    """The corners of a head at the last point, which moves back to where the head begins."""
    (x, y), (bx, by) = points[-1], points[-2]
    dx, dy = x - bx, y - by
    size = max((dx * dx + dy * dy) ** 0.5, 1e-9)
    dx, dy = dx / size, dy / size
    half = 0.42 * length
    base = (x - length * dx, y - length * dy)
    points[-1] = (x - 0.8 * length * dx, y - 0.8 * length * dy)
    return [(x, y), (base[0] - half * dy, base[1] + half * dx), (base[0] + half * dy, base[1] - half * dx)]
