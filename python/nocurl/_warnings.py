"""What a result warns of, as Python's warnings."""

from __future__ import annotations

import warnings

from ._graph import Graph


class ResultWarning(UserWarning):
    """What you should know about a result: a warning of it, or a check that raises a concern.

    Examples
    --------
    >>> import warnings
    >>> import nocurl
    >>> warnings.simplefilter("ignore", nocurl.ResultWarning)
    """


def warn(graph: Graph) -> None:
    """Tells Python's warnings all that a graph warns of."""
    concerns = [
        f"{finding.get('check', '')}: {finding['sentence']}"
        for finding in graph.diagnosis or []
        if finding["verdict"] == "concern"
    ]
    for text in [*graph.warnings, *concerns]:
        # At the line that called `fit` or `learn`: the frames in between are of this package.
        warnings.warn(text, ResultWarning, stacklevel=_depth())


def _depth() -> int:
    """How many frames above the caller's the package ends."""
    import sys

    frame, depth = sys._getframe(1), 1
    while frame is not None and frame.f_globals.get("__name__", "").startswith("nocurl."):
        frame, depth = frame.f_back, depth + 1  # type: ignore[assignment]
    return depth
