"""Cases as text files, flags of the command line and settings of the page."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np

from generate import Case
from oracle import text_of

#: Delimiter and sign before the places of a number.
DIALECTS = [(",", "."), (";", "."), ("\t", "."), (";", ",")]


def write_table(path: Path, frame, kinds: dict[str, str], dialect=(",", ".")) -> None:
    """Writes a table so that numbers come back to the last bit."""
    delimiter, point = dialect
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerow(frame.columns)
        columns = [[cell(value, kinds[name], point) for value in frame[name]] for name in frame.columns]
        writer.writerows(zip(*columns))


def cell(value: Any, kind: str, point: str) -> str:
    if kind != "number":
        return text_of(value) or ""
    number = float(value)
    return "" if math.isnan(number) else repr(number).replace(".", point)


def listed(names) -> str:
    """Names as a list with commas, quoted as in CSV."""
    def item(name: str) -> str:
        return '"' + name.replace('"', '""') + '"' if set(name) & set(',"') or name.strip() != name else name

    return ",".join(item(name) for name in names)


def request(case: Case) -> dict[str, Any]:
    """The settings of a case as the page spells them."""
    own = case.settings
    found: dict[str, Any] = {"confidence": False, "diagnose": False, "seed": own["random_state"]}
    found["method"] = own.get("method", "order-search")
    if "restarts" in own:
        found["parameters"] = {"restarts": own["restarts"]}
    for name in ("standardize", "center", "missing"):
        if name in own:
            found[name] = own[name]
    if "categorical" in own:
        found["categorical"] = own["categorical"]
    if "ordinal" in own:
        levels = own["ordinal"] if isinstance(own["ordinal"], dict) else {name: [] for name in own["ordinal"]}
        found["ordinal"] = [{"column": name, "levels": given} for name, given in levels.items()]
    if "transforms" in own:
        found["transform"] = [f"{how}:{listed(names)}" for how, names in own["transforms"].items()]
    if "prune" in own:
        found["prune"] = {"rule": own["prune"], **({"alpha": 0.05} if own["prune"] == "t-test" else {})}
    if case.condition:
        kind = "soft" if case.soft else "perfect"
        found["experiments"] = {
            "condition": case.condition,
            "targets": [
                {"condition": label, "variable": name, "kind": kind}
                for label, names in case.targets.items()
                for name in names
            ],
        }
    if "knowledge" in own:
        known = dict(own["knowledge"])
        if "tiers" in known:
            known["tiers"] = [{"variables": names} for names in known["tiers"]]
        found["knowledge"] = known
    return found


def flags(case: Case) -> list[str]:
    """The settings of a case as flags of ``nocurl learn``."""
    own = case.settings
    found = ["--no-confidence", "--no-diagnosis", "--quiet", "--threads", "1", "--seed", str(own["random_state"])]
    found += ["--method", own["method"]] if "method" in own else []
    found += ["--restarts", str(own["restarts"])] if "restarts" in own else []
    found += ["--standardize"] if own.get("standardize") else []
    found += ["--no-center"] if own.get("center") is False else []
    found += ["--missing", own["missing"]] if "missing" in own else []
    found += ["--prune", own["prune"]] if "prune" in own else []
    found += [f"--categorical={listed(own['categorical'])}"] if "categorical" in own else []
    ordinal = own.get("ordinal", {})
    for name in ordinal:
        levels = ordinal[name] if isinstance(ordinal, dict) else []
        found.append(f"--ordinal={name}={listed(levels)}" if levels else f"--ordinal={listed([name])}")
    for how, names in own.get("transforms", {}).items():
        found.append(f"--transform={how}:{listed(names)}")
    if case.condition:
        found.append(f"--condition={case.condition}")
        found += [f"--target={label}={listed(names)}" for label, names in case.targets.items()]
        found += ["--soft"] if case.soft else []
    known = own.get("knowledge", {})
    found += [f"--tier={listed(names)}" for names in known.get("tiers", [])]
    found += [f"--require={listed(pair)}" for pair in known.get("required", [])]
    found += [f"--forbid={listed(pair)}" for pair in known.get("forbidden", [])]
    return found


def numbers_of(document: dict) -> dict:
    """What of a document says something about the table, without the order of edges."""
    kinds = [
        {key: value for key, value in kind.items() if key not in ("histogram", "missing")}
        | {"missing": kind.get("missing") or 0}
        for kind in document["kinds"]
    ]
    edges = {
        f"{edge['from']} -> {edge['to']}": {k: v for k, v in edge.items() if k not in ("from", "to")}
        for edge in document["edges"]
    }
    return {
        "variables": document["variables"],
        "kinds": kinds,
        "edges": edges,
        "class": document.get("class"),
        "model": document["model"],
        "experiments": document.get("experiments"),
        "directions": document["directions"],
    }


def difference(got: Any, right: Any, tolerance: float, where: str = "") -> str | None:
    """The first place where two nested values differ; numbers may by a tolerance."""
    if isinstance(got, dict) and isinstance(right, dict):
        for key in {**got, **right}:
            if key not in got or key not in right:
                return f"{where}/{key} is in one only"
            found = difference(got[key], right[key], tolerance, f"{where}/{key}")
            if found:
                return found
        return None
    if isinstance(got, list) and isinstance(right, list):
        if len(got) != len(right):
            return f"{where} has {len(got)} and {len(right)} entries"
        for k, pair in enumerate(zip(got, right)):
            found = difference(*pair, tolerance, f"{where}/{k}")
            if found:
                return found
        return None
    is_number = [isinstance(x, (int, float, np.floating)) and not isinstance(x, bool) for x in (got, right)]
    if all(is_number):
        close = abs(got - right) <= tolerance * max(1.0, abs(right)) or (got != got and right != right)
        return None if close else f"{where}: {got} and {right}"
    return None if got == right else f"{where}: {got!r} and {right!r}"
