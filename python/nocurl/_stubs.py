"""Writes `_methods.pyi`, what editors and type checkers see of the classes.

``python -m nocurl._stubs FILE`` writes the file anew.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from . import _nocurl
from ._learner import RENAMED, SHARED

#: Types as type checkers read them; words to choose from become literals.
TYPES = {
    "bool": "bool",
    "f64": "float",
    "u64": "int",
    "usize": "int",
    "Vec<f64>": "Sequence[float]",
    "Option<f64>": "float | None",
    "Option<u64>": "int | None",
    "Option<usize>": "int | None",
}

HEAD = '''"""Written by `cargo xtask docs` from what the engine knows about its methods."""

from collections.abc import Sequence
from typing import Literal

from typing_extensions import Unpack

from ._learner import Learner, Shared, SharedButPrune, SharedButThreshold

METHODS: dict[str, type[Learner]]
'''


def _type(parameter: dict[str, Any]) -> str:
    choices = parameter["range"].replace("`", '"')
    return TYPES.get(parameter["kind"], f"Literal[{choices}]")


def _shared(names: list[str]) -> str:
    """What is left of the shared parameters when the method has some for itself."""
    own = {name for name in names if name in SHARED}
    kinds = {(): "Shared", ("threshold",): "SharedButThreshold", ("prune",): "SharedButPrune"}
    return kinds[tuple(sorted(own))]


def _class(facts: dict[str, Any]) -> str:
    own = [(RENAMED.get(p["name"], p["name"]), _type(p)) for p in facts["about"]]
    shared = f"        **shared: Unpack[{_shared([name for name, _ in own])}],\n"
    star = "        *,\n" if own else ""
    lines = "".join(f"        {name}: {kind} = ...,\n" for name, kind in own)
    return (
        f"\nclass {facts['class']}(Learner, method=\"{facts['name']}\"):\n"
        f"    def __init__(\n        self,\n{star}{lines}{shared}    ) -> None: ...\n"
    )


def stubs() -> str:
    """The text of the file; the method of the tests is not in it."""
    known = [json.loads(_nocurl.describe_method(name)) for name in _nocurl.methods()]
    known = [facts for facts in known if facts["name"] != "toy"]
    names = "".join(f'    "{name}",\n' for name in sorted(facts["class"] for facts in known))
    return HEAD + f"\n__all__ = [\n{names}]\n" + "".join(_class(facts) for facts in known)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(stubs(), encoding="utf-8")
