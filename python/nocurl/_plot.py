"""The drawing with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._graph import Graph
from ._layout import layout

if TYPE_CHECKING:
    import matplotlib.axes

POSITIVE, NEGATIVE = "#2166ac", "#b2182b"


def plot(
    graph: Graph,
    ax: matplotlib.axes.Axes | None = None,
    *,
    node_color: str = "#f0f0f0",
    font_size: float = 9,
    show_weights: bool | None = None,
) -> matplotlib.axes.Axes:
    """Draws a graph; :meth:`Graph.plot` explains the picture."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.patches import FancyArrowPatch
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install matplotlib") from None
    places = layout(graph)
    xs, ys = np.array(list(places.values())).T if places else (np.zeros(1), np.zeros(1))
    if ax is None:
        width = max(4.0, 1.3 * (np.ptp(xs) + 1.5))
        height = max(3.0, 1.1 * (np.ptp(ys) + 1.2))
        _, ax = plt.subplots(figsize=(min(width, 24), min(height, 24)))
    labels = {
        name: ax.text(
            *place,
            name,
            ha="center",
            va="center",
            fontsize=font_size,
            zorder=3,
            bbox={"boxstyle": "round,pad=0.35", "facecolor": node_color, "edgecolor": "#555555"},
        )
        for name, place in places.items()
    }
    if show_weights is None:
        show_weights = graph.n_edges <= 40
    largest = max((abs(weight) for _, _, weight in graph.edges), default=1.0)
    for cause, effect, weight in graph.edges:
        meant = graph.means_direction(cause, effect)
        start, end = np.array(places[cause]), np.array(places[effect])
        # An edge past other layers goes around what may stand in between.
        bend = 0.0 if start[1] - end[1] <= 1 else 0.12 * (1 if end[0] >= start[0] else -1)
        color = POSITIVE if weight > 0 else NEGATIVE
        ax.add_patch(
            FancyArrowPatch(
                start,
                end,
                arrowstyle="-|>" if meant else "-",
                connectionstyle=f"arc3,rad={bend}",
                patchA=labels[cause].get_bbox_patch(),
                patchB=labels[effect].get_bbox_patch(),
                shrinkA=1,
                shrinkB=1,
                mutation_scale=12,
                linewidth=0.8 + 2.2 * abs(weight) / largest,
                linestyle="-" if meant else (0, (4, 2)),
                color=color,
                alpha=0.85,
                zorder=1,
            )
        )
        if show_weights:
            across = np.array([end[1] - start[1], start[0] - end[0]])
            ax.text(
                *((start + end) / 2 + bend / 2 * across),
                f"{weight:.2g}",
                fontsize=0.75 * font_size,
                color=color,
                ha="center",
                va="center",
                zorder=2,
                bbox={"boxstyle": "round,pad=0.1", "facecolor": "white", "edgecolor": "none"},
            )
    ax.set_xlim(xs.min() - 0.8, xs.max() + 0.8)
    ax.set_ylim(ys.min() - 0.6, ys.max() + 0.6)
    ax.set_axis_off()
    ax.set_title(graph._summary(), fontsize=font_size + 1)
    return ax
