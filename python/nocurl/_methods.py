"""One class for each method, made from what the engine knows about it."""

from __future__ import annotations

import json
import types
from textwrap import fill, indent
from typing import Any

from . import _nocurl
from ._learner import RENAMED, Learner

#: How the types of parameters read in Python; all others are words to choose from.
TYPES = {
    "bool": "bool",
    "f64": "float",
    "u64": "int",
    "usize": "int",
    "Vec<f64>": "sequence of float",
    "Option<f64>": "float, optional",
    "Option<u64>": "int, optional",
    "Option<usize>": "int, optional",
}

#: What a method determines, in words.
DETERMINES = {
    "graph": "a graph with all its directions",
    "class": "a class: directions that it leaves undetermined are marked",
    "skeleton": "a skeleton: no direction is determined",
}


def _words(text: str) -> str:
    return fill(text, 96)


def _type(parameter: dict[str, Any]) -> str:
    choices = parameter["range"].replace("`", '"')
    return TYPES.get(parameter["kind"], f"{{{choices}}}")


def _explained(parameter: dict[str, Any]) -> str:
    name = RENAMED.get(parameter["name"], parameter["name"])
    range_ = f" Range: {parameter['range']}." if parameter["kind"] in TYPES else ""
    meaning = indent(fill(parameter["meaning"] + range_, 92), "    ")
    return f"{name} : {_type(parameter)}\n{meaning}"


def _documented(facts: dict[str, Any]) -> str:
    """The docstring of a class."""
    needs = " Needs the rows, which are copied." if facts["needs"] == "rows" else ""
    determines = DETERMINES.get(facts["determines"], facts["determines"])
    said = f"{facts['assumption']}. Determines {determines}.{needs}"
    parameters = [_explained(parameter) for parameter in facts["about"]]
    parameters.append("**shared\n    Those of all methods; see :class:`Learner`.")
    text = "\n\n".join(
        [
            f"{facts['name']}: {facts['summary']}.",
            _words(said),
            "Parameters\n----------\n" + "\n".join(parameters),
            "References\n----------\n" + _words(facts["reference"] + "."),
        ]
    )
    return indent(text, "    ").strip() + "\n"


def _class_of(name: str) -> type[Learner]:
    facts = json.loads(_nocurl.describe_method(name))

    def fill_in(namespace: dict[str, Any]) -> None:
        namespace["__doc__"] = _documented(facts)
        namespace["__module__"] = __name__

    return types.new_class(facts["class"], (Learner,), {"method": name}, fill_in)


#: All methods by the names of the command line.
METHODS = {name: _class_of(name) for name in _nocurl.methods()}

globals().update({cls.__name__: cls for cls in METHODS.values()})

__all__ = sorted(cls.__name__ for cls in METHODS.values())
