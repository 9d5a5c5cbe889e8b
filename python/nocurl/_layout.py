"""Where a drawing has its variables and edges: in layers, causes on top, with few crossings.

The steps are those of Sugiyama, Tagawa and Toda (1981): layers by depth, stand-ins where an edge
passes a layer, sorting each layer by the mean of its neighbours, then places by least squares.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._graph import Graph

#: Sweeps down and up that sort the layers, and those that place their members.
SORTING, PLACING = 24, 40

#: Room that an edge takes where it passes a layer, in that of a variable.
PASSAGE = 0.45


class Layout(NamedTuple):
    """A drawing in units of a variable's room; y is the layer, from 0 downwards."""

    #: The place of each variable.
    places: dict[str, tuple[float, float]]
    #: For each edge, the points it goes through, ends included.
    routes: dict[tuple[str, str], list[tuple[float, float]]]


def layout(graph: Graph) -> Layout:
    """A place for each variable and a way for each edge.

    A variable stands below all its causes, so that the potential rises downwards along each edge.
    """
    edges = [(cause, effect) for cause, effect, _ in graph.edges]
    depth = _depths(graph, edges)
    # Members of layers are numbers: first the variables, then the stand-ins.
    number = {name: i for i, name in enumerate(graph.variables)}
    layers: list[list[int]] = [[] for _ in range(1 + max(depth.values(), default=0))]
    for name in graph.order:
        layers[depth[name]].append(number[name])
    count = len(number)
    above: dict[int, list[int]] = {i: [] for i in range(count)}
    below: dict[int, list[int]] = {i: [] for i in range(count)}
    chains = {}
    for cause, effect in edges:
        chain = [number[cause]]
        for level in range(depth[cause] + 1, depth[effect]):
            layers[level].append(count)
            above[count], below[count] = [], []
            chain.append(count)
            count += 1
        chain.append(number[effect])
        for upper, lower in zip(chain, chain[1:]):
            below[upper].append(lower)
            above[lower].append(upper)
        chains[cause, effect] = chain
    layers = _sorted(layers, above, below)
    x = _placed(layers, above, below, len(number))
    y = {member: float(-level) for level, layer in enumerate(layers) for member in layer}
    return Layout(
        {name: (x[i], y[i]) for name, i in number.items()},
        {edge: [(x[i], y[i]) for i in chain] for edge, chain in chains.items()},
    )


def _depths(graph: Graph, edges: list[tuple[str, str]]) -> dict[str, int]:
    """The layer of each variable: one below the lowest of its causes. Variables without edges
    stand in the last one."""
    causes: dict[str, list[str]] = {name: [] for name in graph.variables}
    for cause, effect in edges:
        causes[effect].append(cause)
    depth: dict[str, int] = {}
    for name in graph.order:
        depth[name] = 1 + max((depth[cause] for cause in causes[name]), default=-1)
    joined = {name for edge in edges for name in edge}
    last = max((depth[name] for name in joined), default=0)
    return {name: depth[name] if name in joined else last for name in graph.variables}


def _sorted(layers: list[list[int]], above: dict, below: dict) -> list[list[int]]:
    """The layers in an order with few crossings: the best of several sweeps."""
    best, fewest = layers, _crossings(layers, below)
    layers = [list(layer) for layer in layers]
    for sweep in range(SORTING):
        down = sweep % 2 == 0
        place = {member: i for layer in layers for i, member in enumerate(layer)}
        for layer in layers[1:] if down else layers[-2::-1]:
            near = above if down else below
            mean = {m: np.mean([place[n] for n in near[m]]) if near[m] else place[m] for m in layer}
            layer.sort(key=lambda member: mean[member])
            place.update({member: i for i, member in enumerate(layer)})
        crossings = _crossings(layers, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in layers], crossings
    return best


def _crossings(layers: list[list[int]], below: dict) -> int:
    total = 0
    for upper, lower in zip(layers, layers[1:]):
        place = {member: i for i, member in enumerate(lower)}
        ends = np.array([place[n] for m in upper for n in sorted(below[m], key=place.__getitem__)])
        total += int(np.sum(np.triu(ends[:, None] > ends[None, :], 1))) if len(ends) else 0
    return total


def _placed(layers: list[list[int]], above: dict, below: dict, variables: int) -> dict[int, float]:
    """Places along each layer: near the mean of all neighbours, with room between members."""

    def gaps(layer: list[int]) -> np.ndarray:
        room = np.array([1.0 if member < variables else PASSAGE for member in layer])
        return np.concatenate([[0.0], np.cumsum((room[1:] + room[:-1]) / 2)])

    x: dict[int, float] = {}
    for layer in layers:
        offsets = gaps(layer)
        x.update(zip(layer, offsets - offsets[-1] / 2 if len(layer) else []))
    for sweep in range(PLACING):
        for layer in layers if sweep % 2 == 0 else reversed(layers):
            near = [above[member] + below[member] for member in layer]
            wish = [np.mean([x[n] for n in ns]) if ns else x[m] for m, ns in zip(layer, near)]
            # A passing edge had better be straight.
            weight = np.array([1.0 if member < variables else 3.0 for member in layer])
            offsets = gaps(layer)
            x.update(zip(layer, _increasing(np.array(wish) - offsets, weight) + offsets))
    return {member: float(place) for member, place in x.items()}


def _increasing(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The increasing numbers nearest to `values` by weighted least squares: neighbours out of
    order are pooled."""
    pools: list[list[float]] = []
    for value, weight in zip(values, weights):
        pools.append([value, weight, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            value_b, weight_b, count_b = pools.pop()
            value_a, weight_a, count_a = pools.pop()
            both = weight_a + weight_b
            mean = (value_a * weight_a + value_b * weight_b) / both
            pools.append([mean, both, count_a + count_b])
    return np.array([value for value, _, count in pools for _ in range(int(count))])


def curve(points: np.ndarray, half_width: float, half_height: float) -> np.ndarray:
    """A smooth line through points, as many short pieces, from the border of the box around its
    first point to that around its last one."""
    if len(points) > 2:
        # A spline through the points whose slope at each is that of its neighbours.
        slopes = np.empty_like(points)
        slopes[1:-1] = (points[2:] - points[:-2]) / 2
        slopes[0], slopes[-1] = points[1] - points[0], points[-1] - points[-2]
        t = np.linspace(0, 1, 13)[:, None]
        pieces = [
            (2 * t**3 - 3 * t**2 + 1) * a
            + (t**3 - 2 * t**2 + t) * slope_a
            + (3 * t**2 - 2 * t**3) * b
            + (t**3 - t**2) * slope_b
            for a, b, slope_a, slope_b in zip(points, points[1:], slopes, slopes[1:])
        ]
        points = np.vstack([pieces[0], *(piece[1:] for piece in pieces[1:])])
    else:
        points = np.linspace(points[0], points[1], 25)
    size = np.array([half_width, half_height])
    outside = [np.any(np.abs(points - end) > size, axis=1) for end in (points[0], points[-1])]
    kept = np.flatnonzero(outside[0] & outside[1])
    if len(kept) < 2:
        return points[[0, -1]]
    first, last = kept[0], kept[-1]
    ends = [_border(points[i], points[j], size) for i, j in ((first, 0), (last, -1))]
    return np.vstack([ends[0], points[first : last + 1], ends[1]])


def _border(outside: np.ndarray, centre: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Where a line from outside to the centre of a box meets its border."""
    difference = outside - centre
    return centre + difference / max(np.max(np.abs(difference) / size), 1.0)
