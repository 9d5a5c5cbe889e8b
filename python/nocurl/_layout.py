"""Where the variables of a drawing stand: layers by depth, causes on top, few crossings."""

from __future__ import annotations

from ._graph import Graph

#: Sweeps down and up that sort the layers.
SWEEPS = 12


def layout(graph: Graph) -> dict[str, tuple[float, float]]:
    """A place for each variable: layers at y = 0, -1, ... from causes to effects, x around 0.

    A variable stands one layer below the lowest of its causes (so that the potential rises
    downwards along every edge); within a layer, near the mean of its neighbours.
    """
    parents: dict[str, list[str]] = {name: [] for name in graph.variables}
    children: dict[str, list[str]] = {name: [] for name in graph.variables}
    for cause, effect, _ in graph.edges:
        parents[effect].append(cause)
        children[cause].append(effect)
    depth: dict[str, int] = {}
    for name in graph.order:
        depth[name] = 1 + max((depth[cause] for cause in parents[name]), default=-1)
    layers: list[list[str]] = [[] for _ in range(1 + max(depth.values(), default=0))]
    for name in graph.order:
        layers[depth[name]].append(name)
    # Variables without edges would stand among the causes.
    lonely = [name for name in layers[0] if not parents[name] and not children[name]]
    if len(lonely) < len(layers[0]):
        layers[0] = [name for name in layers[0] if name not in lonely]
        layers.append(lonely)
    layers = [layer for layer in layers if layer]
    x: dict[str, float] = {}
    _spread(layers, x)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for layer in layers if down else reversed(layers):
            near = parents if down else children
            mean = {
                name: sum(x[other] for other in near[name]) / len(near[name])
                for name in layer
                if near[name]
            }
            layer.sort(key=lambda name: mean.get(name, x[name]))
        _spread(layers, x)
    return {name: (x[name], -float(y)) for y, layer in enumerate(layers) for name in layer}


def _spread(layers: list[list[str]], x: dict[str, float]) -> None:
    """Evenly spaced places around 0, in the order of each layer."""
    for y, layer in enumerate(layers):
        # Every other layer is shifted a little, so that straight edges do not pass through nodes.
        shift = 0.25 if y % 2 else -0.25
        for i, name in enumerate(layer):
            x[name] = i - (len(layer) - 1) / 2 + shift
