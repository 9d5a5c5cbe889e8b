"""Values of parameters on their way to the engine."""

from __future__ import annotations

import json
import os
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


def names_of(value: Any) -> list[str] | None:
    """One name or several; numbers are written out."""
    if value is None:
        return None
    if isinstance(value, (str, int, float)):
        value = [value]
    return [f"{item:g}" if isinstance(item, float) else str(item) for item in value]


def ordinal_of(value: Any) -> list[dict[str, Any]] | None:
    """Columns with the order of their levels, where it is given."""
    if value is None:
        return None
    if isinstance(value, dict):
        return [{"column": str(name), "levels": names_of(list(v))} for name, v in value.items()]
    found = []
    for item in names_of(value) or []:
        name, _, levels = str(item).partition("=")
        # One level makes no order: then the sign is part of the name.
        several = "," in levels
        column = name if several else str(item)
        found.append({"column": column, "levels": levels.split(",") if several else []})
    return found


def transform_of(value: Any) -> list[str] | None:
    """Rules such as ``log:a,b``."""
    if not isinstance(value, dict):
        return names_of(value)
    quoted = {how: [_in_list(name) for name in names_of(names) or []] for how, names in value.items()}
    return [f"{how}:{','.join(names)}" for how, names in quoted.items()]


def _in_list(name: str) -> str:
    """A name as one item of a list with commas."""
    return '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name


def threads_of(n_jobs: Any) -> int | None:
    """Threads for ``n_jobs``: without it as many as OMP_NUM_THREADS allows, which is what joblib
    and batch systems set, else one for each core."""
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "").strip()
        return int(limit) if limit.isdecimal() and int(limit) > 0 else None
    if n_jobs == -1:
        return None
    if isinstance(n_jobs, (int, np.integer)) and n_jobs > 0:
        return int(n_jobs)
    raise ValueError(f"n_jobs is {n_jobs}: give a number of threads, or -1 for one per core")


def percent(share: float) -> str:
    """A share in percent; what is less than all of it is never shown as 100%."""
    return "99%" if 0.99 <= share < 1 else f"{share:.0%}"
