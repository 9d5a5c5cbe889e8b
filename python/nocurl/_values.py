"""Values of parameters on their way to the engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np


def to_json(values: dict) -> str:
    """JSON for the engine, which has no word for NaN and infinity."""
    try:
        return json.dumps(values, allow_nan=False, default=_plain)
    except ValueError:
        for name, value in _leaves(values):
            if not _is_finite(value):
                raise ValueError(f"parameter `{name}` is {value}: give finite numbers") from None
        raise


def _leaves(values: dict) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _leaves(value)
        else:
            yield name, value


def _is_finite(value: Any) -> bool:
    try:
        return bool(np.all(np.isfinite(value)))
    except TypeError:
        return True


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy, sets and the like as JSON has them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    raise ValueError(f"{value!r} of type {type(value).__name__} is no value of a parameter")


def seed_of(random_state: Any) -> int:
    """The seed behind what scikit-learn calls a random state."""
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if 0 <= random_state < 2**64:
            return int(random_state)
        raise ValueError(f"random_state is {random_state}: give an integer from 0 to 2**64 - 1")
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31))
