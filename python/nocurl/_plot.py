"""The drawing with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._graph import Graph
from ._layout import curve, layout

if TYPE_CHECKING:
    import matplotlib.axes

POSITIVE, NEGATIVE = "#2166ac", "#b2182b"


def plot(
    graph: Graph,
    ax: matplotlib.axes.Axes | None = None,
    *,
    node_color: str = "#f2f2f2",
    font_size: float = 9,
    show_weights: bool | None = None,
) -> matplotlib.axes.Axes:
    """Draws a graph; :meth:`Graph.plot` explains the picture."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.patches import FancyArrowPatch
        from matplotlib.path import Path
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from None
    places, routes = layout(graph)
    points = np.array([p for route in routes.values() for p in route] + list(places.values()))
    low, high = points.min(axis=0), points.max(axis=0)
    if ax is None:
        size = (np.clip(1.1 * (high[0] - low[0]) + 1.5, 4, 24), np.clip(high[1] - low[1] + 1, 3, 24))
        _, ax = plt.subplots(figsize=size)
    ax.set_xlim(low[0] - 0.6, high[0] + 0.6)
    ax.set_ylim(low[1] - 0.4, high[1] + 0.4)
    ax.set_axis_off()
    ax.set_title(graph._summary(), fontsize=font_size + 1)
    box = {"boxstyle": "round,pad=0.35", "facecolor": node_color, "edgecolor": "#555555"}
    halves = {}
    for name, place in places.items():
        label = ax.text(
            *place, name, ha="center", va="center", fontsize=font_size, zorder=3, bbox=box
        )
        # The size of the box in the units of the axes, to let edges end at it.
        extent = label.get_window_extent().padded(0.45 * font_size * ax.figure.dpi / 72)
        corners = ax.transData.inverted().transform(extent.get_points())
        halves[name] = np.abs(corners[1] - corners[0]) / 2
    if show_weights is None:
        show_weights = graph.n_edges <= 40
    largest = max((abs(weight) for _, _, weight in graph.edges), default=1.0)
    for cause, effect, weight in graph.edges:
        determined = graph.direction(cause, effect) != "undetermined"
        line = curve(np.array(routes[cause, effect]), *np.maximum(halves[cause], halves[effect]))
        color = POSITIVE if weight > 0 else NEGATIVE
        ax.add_patch(
            FancyArrowPatch(
                path=Path(line),
                transform=ax.transData,
                arrowstyle="-|>" if determined else "-",
                mutation_scale=10,
                linewidth=0.7 + 2.0 * abs(weight) / largest,
                linestyle="-" if determined else (0, (4, 2)),
                color=color,
                fill=determined,
                alpha=0.85,
                zorder=1,
            )
        )
        if show_weights:
            x, y = line[len(line) // 2]
            ax.text(
                x,
                y,
                f"{weight:.2g}",
                fontsize=0.75 * font_size,
                color=color,
                ha="center",
                va="center",
                zorder=2,
                bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"},
            )
    return ax
