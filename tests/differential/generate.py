"""Random tables with everything that learning from them needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

#: Names that formats, shells and flags could trip over.
NAMES = [
    "age", "dose", "x1", "naïve ß", "größe", "a,b", "k=v", "a b", "温度", "it's", 'the "q"', "100%",
    "a;b", "σ²", "from", "class", "x.y", "p|q", "-m", "€/kg", "null value", "[z]", "a&b", "<tag>",
]

#: What a column is called in the document, by what the generator calls it.
KINDS = {
    "number": "continuous",
    "word": "binary",
    "flag": "binary",
    "coded": "binary",
    "rating": "ordinal",
    "size": "ordinal",
    "category": "categorical",
}

SIZES = ["small", "medium", "large", "huge"]


@dataclass
class Case:
    """One random table with its settings and rows that were not learnt from."""

    number: int
    frame: pd.DataFrame
    fresh: pd.DataFrame
    #: Kind of each column as the generator calls it.
    kinds: dict[str, str]
    #: Arguments of ``nocurl.learn``.
    settings: dict[str, Any]
    #: Levels of ordered text from the lowest to the highest.
    ordered: dict[str, list[str]]
    #: Names of the functions of each column, in the order they are applied.
    transforms: dict[str, list[str]]
    condition: str | None = None
    #: By condition: the variables that it acts on.
    targets: dict[str, list[str]] = field(default_factory=dict)
    soft: bool = False
    missing: str = "auto"

    @property
    def flavour(self) -> str:
        """Whether the columns are numbers, levels or both."""
        kinds = {KINDS[kind] for kind in self.kinds.values()}
        if kinds == {"continuous"}:
            return "numbers"
        return "levels" if kinds <= {"binary", "categorical"} else "mixed"


def generate(number: int, seed: int) -> Case:
    """The case of a number; the same for the same seed."""
    rng = np.random.default_rng([seed, number])
    d = int(rng.integers(2, 7))
    flavour = rng.choice(["numbers", "levels", "mixed"], p=[0.45, 0.2, 0.35])
    experiment = rng.random() < 0.18
    names = [str(name) for name in rng.permutation(NAMES)[:d]]
    words = {"numbers": ["number"], "levels": ["word", "flag", "coded", "category"]}
    choice = words.get(flavour, list(KINDS) + ["number"] * 4)
    kinds = {name: str(rng.choice(choice)) for name in names}
    parents = {
        name: [other for other in names[:j] if rng.random() < 0.5] for j, name in enumerate(names)
    }
    n = int(rng.integers(60, 400))
    if flavour != "numbers":
        n = max(n, 100)
    condition, targets, soft = None, {}, False
    if experiment:
        condition = "condition ∅" if rng.random() < 0.3 else "condition"
        hit = [str(name) for name in rng.permutation(names)[: rng.integers(1, 3)]]
        targets = {f"act {k}": [name] for k, name in enumerate(hit)}
        if len(hit) == 2 and rng.random() < 0.3:
            targets = {"act both": hit}
        soft = bool(rng.random() < 0.3)
    process = _Process(rng, names, kinds, parents, condition, targets, soft)
    transforms = _transforms(rng, kinds, n)
    frame, fresh = process.draw(n, transforms), process.draw(40, transforms)
    for name in names:
        if kinds[name] != "number":
            # New rows have levels that the table has.
            known = set(frame[name])
            pool = [value for value in fresh[name] if value in known] or list(frame[name][:1])
            fresh[name] = [value if value in known else pool[0] for value in fresh[name]]
    frame, missing = _gaps(rng, frame, flavour, condition)
    order = rng.permutation(frame.columns)
    frame, fresh = frame[order], fresh[order]
    case = Case(
        number=number,
        frame=frame,
        fresh=fresh,
        kinds={str(name): kinds.get(name, "category") for name in order},
        settings={},
        ordered={name: SIZES for name, kind in kinds.items() if kind == "size"},
        transforms=transforms,
        condition=condition,
        targets=targets,
        soft=soft,
        missing=missing,
    )
    case.settings = _settings(rng, case, names, parents)
    return case


def _transforms(rng: Any, kinds: dict[str, str], n: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    if rng.random() < 0.6:
        return found
    standardize = rng.random() < 0.4
    for name, kind in kinds.items():
        if kind != "number":
            continue
        # Above 257 different values, normal scores are interpolated between knots.
        how = rng.choice(["none", "log", "rank"] if n <= 250 else ["none", "log"])
        found[name] = ([str(how)] if how != "none" else []) + (["standardize"] if standardize else [])
    return {name: steps for name, steps in found.items() if steps}


class _Process:
    """What rows are drawn from."""

    def __init__(self, rng, names, kinds, parents, condition, targets, soft):
        self.rng, self.names, self.kinds, self.parents = rng, names, kinds, parents
        self.condition, self.targets, self.soft = condition, targets, soft
        self.weights = {
            (p, name): float(rng.choice([-1, 1]) * rng.uniform(0.4, 1.6))
            for name in names
            for p in parents[name]
        }
        self.location = {name: float(rng.normal() * rng.choice([1, 10])) for name in names}
        self.scale = {name: float(10 ** rng.uniform(-2, 3)) for name in names}
        self.levels = {name: int(rng.integers(3, 5)) for name in names}
        self.codes = {name: [[0, 1], [1, 2]][int(rng.integers(2))] for name in names}

    def draw(self, n: int, transforms: dict[str, list[str]]) -> pd.DataFrame:
        rng = self.rng
        hidden: dict[str, np.ndarray] = {}
        columns: dict[str, Any] = {}
        acted: dict[str, np.ndarray] = {}
        if self.condition:
            labels = ["control", "other", *self.targets] if len(self.targets) < 2 else ["control", *self.targets]
            drawn = np.array(labels)[np.r_[np.arange(len(labels)), rng.integers(0, len(labels), n)][:n]]
            columns[self.condition] = drawn
            for label, names in self.targets.items():
                for name in names:
                    acted[name] = acted.get(name, np.zeros(n, bool)) | (drawn == label)
        for name in self.names:
            signal = sum((self.weights[p, name] * hidden[p] for p in self.parents[name]), np.zeros(n))
            noise = rng.normal(size=n) * 0.8
            value = signal + noise
            if name in acted:
                # Rows of the same condition share the fate of the variable.
                moved = 0.5 * signal + noise + 1 if self.soft else noise + 2
                value = np.where(acted[name], moved, value)
            kind = self.kinds[name]
            columns[name], hidden[name] = self._column(name, kind, value, transforms.get(name, []))
        return pd.DataFrame(columns)

    def _column(self, name, kind, value, steps):
        rng = self.rng
        if kind == "number":
            if "log" in steps:
                return np.exp(0.5 * value) * self.scale[name], value
            return np.round((value + self.location[name]) * self.scale[name], 9), value
        if kind in ("word", "flag", "coded"):
            yes = value + rng.logistic(size=len(value)) * 0.6 > 0
            yes[:4] = [True, False, True, False]
            text = {
                "word": np.where(yes, "yes", "no"),
                "flag": yes,
                "coded": np.where(yes, *self.codes[name][::-1]),
            }
            return text[kind], yes - 0.5
        # The first rows have every level.
        steps = np.linspace(-1, 1, self.levels[name] - 1)
        place = np.searchsorted(steps, value + rng.normal(size=len(value)) * 0.3)
        place[: self.levels[name]] = np.arange(self.levels[name])[: len(place)]
        if kind == "rating":
            return place + 1, place - 1.0
        if kind == "size":
            return np.array(SIZES)[place], place - 1.0
        letters = np.array(["red", "green, dark", "blau", "d=4"])
        return letters[place], np.where(place == 1, 1.0, -0.5)


def _gaps(rng, frame, flavour, condition):
    """The table with holes, and what to do about them."""
    if rng.random() > 0.3:
        return frame, "auto"
    frame = frame.copy()
    for name in frame.columns:
        if name == condition or rng.random() < 0.3:
            continue
        holes = rng.random(len(frame)) < 0.04
        holes[:6] = False
        column = frame[name].astype(float) if frame[name].dtype.kind in "fiu" else frame[name].astype(object)
        column[holes] = np.nan if column.dtype.kind == "f" else None
        frame[name] = column
    gaps = bool(frame.isna().any(axis=None))
    em = flavour == "numbers" and condition is None and gaps and rng.random() < 0.5
    return frame, "em" if em else "drop"


def _settings(rng, case: Case, names, parents) -> dict[str, Any]:
    settings: dict[str, Any] = {"confidence": False, "diagnose": False, "n_jobs": 1, "restarts": 3}
    method = "order-search"
    if case.flavour == "numbers" and not case.condition and rng.random() < 0.4:
        choice = ["exact", "fges", "eq-td", "eq-bu", "nocurl", "sortnregress", "lingam"]
        # Errors of rows cannot be looked at where cells are estimated.
        method = str(rng.choice(choice[:-1] if case.missing == "em" else choice))
    if method != "order-search":
        del settings["restarts"]
        settings["method"] = method
    if method in ("eq-td", "sortnregress") and rng.random() < 0.3:
        settings["center"] = False
    if method in ("lingam", "eq-td", "nocurl") and rng.random() < 0.6:
        settings["prune"] = str(rng.choice(["bic", "ebic", "t-test"]))
    settings["random_state"] = int(rng.integers(1000))
    coded = [name for name, kind in case.kinds.items() if kind == "coded"]
    if coded:
        settings["categorical"] = coded
    ordinal: dict[str, list[str]] = {}
    for name, kind in case.kinds.items():
        if kind == "rating":
            ordinal[name] = []
        elif kind == "size":
            seen = set(case.frame[name].dropna())
            ordinal[name] = [level for level in SIZES if level in seen]
    if ordinal and all(not levels for levels in ordinal.values()):
        settings["ordinal"] = list(ordinal)
    elif ordinal:
        settings["ordinal"] = ordinal
    by_step: dict[str, list[str]] = {}
    for name, steps in case.transforms.items():
        for step in steps:
            if step == "standardize":
                settings["standardize"] = True
            else:
                by_step.setdefault(step, []).append(name)
    if by_step:
        settings["transforms"] = by_step
    if settings.get("standardize"):
        for name, kind in case.kinds.items():
            if kind == "number":
                steps = case.transforms.setdefault(name, [])
                if "standardize" not in steps:
                    steps.append("standardize")
    if case.missing != "auto":
        settings["missing"] = case.missing
    if case.condition:
        settings["condition"] = case.condition
        settings["targets"] = case.targets
        if case.soft:
            settings["soft"] = True
    knowledge = _knowledge(rng, names, parents)
    if knowledge and method != "fges":
        settings["knowledge"] = knowledge
    return settings


def _knowledge(rng, names, parents) -> dict[str, Any]:
    drawn = rng.random()
    if drawn < 0.4:
        cut = int(rng.integers(1, len(names))) if len(names) > 1 else 1
        if drawn < 0.25:
            return {"tiers": [[name] for name in names]}
        return {"tiers": [names[:cut], names[cut:]]}
    if drawn < 0.5:
        pairs = [[p, name] for name in names for p in parents[name]]
        if pairs:
            return {"required": [pairs[int(rng.integers(len(pairs)))]]}
    if drawn < 0.6 and len(names) > 2:
        a, b, c = names[:3]
        return {"forbidden": [[c, a], [b, a]]}
    return {}
