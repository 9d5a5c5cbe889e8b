"""Every answer of one learnt graph next to that of the oracle."""

from __future__ import annotations

import functools
import json
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import classes
from generate import KINDS, Case, generate
from oracle import DRAWS, PROGRAM_DRAWS, Oracle, text_of

#: Tolerance of closed forms, relative to the size of the numbers around.
EXACT = 1e-7

#: Tolerance of the same computation twice.
SAME = 1e-12

#: Tolerance where both sides iterate, as in expectation-maximisation.
ITERATED = 2e-5

#: Standard errors that a simulated answer may be off. More than 4 because a long run has millions.
STANDARD_ERRORS = 6.0


class Comparison:
    """Collects differences between a graph and its oracle."""

    def __init__(self, case: Case, graph: Any) -> None:
        self.case, self.graph = case, graph
        self.document = graph._document
        self.oracle = Oracle(case, self.document)
        self.fresh_values = self.oracle.coded(case.fresh)
        self.found: list[str] = []
        self.counts: Counter[str] = Counter()
        self.rng = np.random.default_rng([case.number, 99])
        self.tolerance = ITERATED if case.missing == "em" else EXACT

    def say(self, what: str) -> None:
        self.found.append(f"case {self.case.number}: {what}")

    def equal(self, what: str, got: Any, right: Any, error: float = 0.0, scale: float = 1.0, tolerance=None) -> None:
        """Compares numbers: relative to their size and that of what they are differences of."""
        self.counts[what.split(" ")[0]] += 1
        got, right = np.asarray(got, dtype=float), np.asarray(right, dtype=float)
        if got.shape != right.shape:
            self.say(f"{what}: shape {got.shape} instead of {right.shape}")
            return
        tolerance = self.tolerance if tolerance is None else tolerance
        reach = STANDARD_ERRORS * error + tolerance * np.maximum(np.abs(right), scale)
        wrong = ~((np.abs(got - right) <= reach) | (np.isnan(got) & np.isnan(right)))
        if wrong.any():
            at = tuple(np.argwhere(wrong)[0])
            self.say(f"{what}: got {got[at]!r}, right {right[at]!r} at {[int(i) for i in at]}, {int(wrong.sum())} of {wrong.size} differ")

    def true(self, what: str, holds: bool) -> None:
        self.counts[what.split(" ")[0]] += 1
        if not holds:
            self.say(what)

    def run(self) -> None:
        """Compares all answers."""
        self.kinds()
        self.knowledge()
        if self.oracle.is_singular:
            # Coefficients of repeated columns are a convention.
            self.counts["singular"] += 1
            return
        self.weights()
        self.mechanisms()
        self.effects()
        self.relatives()
        self.adjustment()
        self.interventions()
        self.likelihood()
        self.predictions()
        self.residuals()
        if self.case.number % 8 == 0:
            self.samples()
        if self.case.number % 8 == 4:
            self.files()
        if self.case.number % 8 == 0:
            self.moments()
        if self.case.number % 4 == 1:
            self.shapes_of_rows()
        if self.case.number % 4 == 2:
            self.refusals()

    def unit(self, v: int) -> float:
        """The spread of a variable on the learnt scale, or 1 for levels."""
        if self.oracle.variables[v].kind != "continuous":
            return 1.0
        return float(np.nanstd(self.oracle.values[:, v])) or 1.0

    # What was read.

    def kinds(self) -> None:
        oracle, case = self.oracle, self.case
        self.true(f"kinds name {self.graph.variables}", sorted(self.graph.variables) == sorted(case.kinds))
        for v, known in enumerate(self.graph.kinds):
            name = known["name"]
            self.true(f"kinds `{name}` is {known['kind']}", known["kind"] == KINDS[case.kinds[name]])
            column = oracle.values[:, v]
            if known["kind"] == "continuous":
                if case.missing != "em":
                    self.equal(f"kinds mean of `{name}`", known["mean"], column.mean(), scale=self.unit(v))
                    self.equal(f"kinds deviation of `{name}`", known["deviation"], column.std(), scale=0)
                continue
            texts = [text_of(value) for value in oracle.frame[name]]
            seen = Counter(text for text in texts if text is not None)
            self.true(f"kinds levels of `{name}` are {known['levels']}", set(known["levels"]) == set(seen))
            if known["kind"] == "ordinal":
                order = case.ordered.get(name) or sorted(seen, key=float)
                right = [level for level in order if level in seen]
                self.true(f"kinds order of `{name}` is {known['levels']}", known["levels"] == right)
                self.equal(f"kinds mean of `{name}`", known["mean"], column.mean())
            else:
                shares = [seen[level] / len(texts) for level in known["levels"]]
                self.equal(f"kinds shares of `{name}`", known["shares"], shares)

    def knowledge(self) -> None:
        known = self.case.settings.get("knowledge", {})
        edges = {(a, b) for a, b, _ in self.graph.edges}
        for a, b in known.get("required", []):
            self.true(f"knowledge {a} -> {b} is required", (a, b) in edges)
        for a, b in known.get("forbidden", []):
            self.true(f"knowledge {a} -> {b} is forbidden", (a, b) not in edges)
        tier = {name: k for k, names in enumerate(known.get("tiers", [])) for name in names}
        for a, b in edges:
            if a in tier and b in tier:
                self.true(f"knowledge {a} -> {b} goes against tiers", tier[a] <= tier[b])
        if self.case.condition:
            into = any(b == self.case.condition for _, b in edges)
            self.true("knowledge something acts on the condition", not into)

    # The model.

    def weights(self) -> None:
        oracle = self.oracle
        for edge in self.document["edges"]:
            i, j = oracle.place[edge["from"]], oracle.place[edge["to"]]
            what = f"weights {edge['from']} -> {edge['to']}"
            mechanism = oracle.mechanisms[j]
            if not mechanism.is_linear:
                self.true(f"{what} has a weight", edge.get("weight") is None)
                self.true(f"{what} is not nan", np.isnan(self.graph.weights[i, j]))
                continue
            places = mechanism.places(i)
            unit = self.unit(j) / self.unit(i)
            known = [edge] if not oracle.variables[i].is_block else edge["coefficients"]
            if oracle.variables[i].is_block:
                levels = [c["from_level"] for c in known]
                self.true(f"{what} has levels {levels}", levels == oracle.variables[i].levels[1:])
                self.true(f"{what} has one weight", edge.get("weight") is None)
            else:
                self.equal(f"{what} in the matrix", self.graph.weights[i, j], edge["weight"], tolerance=0)
            for place, entry in zip(places, known):
                value = entry["weight"] if "weight" in entry else entry["value"]
                self.equal(what, value, mechanism.beta[place], scale=unit)
                interval = entry.get("interval")
                if mechanism.covariance is None:
                    self.true(f"{what} has an interval", interval is None)
                    continue
                from scipy import stats

                error = np.sqrt(mechanism.covariance[place, place])
                reach = stats.t.ppf(0.975, mechanism.freedom) * error
                right = mechanism.beta[place] + np.array([-reach, reach])
                self.equal(f"{what} interval", interval, right, scale=unit)
            if edge.get("standardized_weight") is not None and self.case.missing != "em":
                spread = oracle.values.std(axis=0)
                right = edge["weight"] * spread[i] / spread[j]
                self.equal(f"{what} standardized", edge["standardized_weight"], right)
            if self.oracle.law == "gaussian" and self.case.missing != "em":
                others = [p for p in mechanism.parents if p != i]
                short = type(mechanism)(oracle, j, others, np.ones(len(oracle.values), bool))
                right = 1 - mechanism.variance / short.variance
                self.equal(f"{what} strength", edge["strength"], right)

    def mechanisms(self) -> None:
        for v, known in enumerate(self.document["model"]["mechanisms"]):
            self._mechanism(f"mechanisms `{self.oracle.names[v]}`", v, known, self.oracle.mechanisms[v])
        experiment = self.document["model"].get("experiment")
        self.true("mechanisms experiment", (experiment is None) == (self.case.condition is None))
        if experiment is None:
            return
        self.true("mechanisms control", experiment["control"] == "control")
        right = {(label, name) for label, names in self.case.targets.items() for name in names}
        got = {(t["condition"], t["variable"]) for t in experiment.get("targets", [])}
        self.true(f"mechanisms targets {sorted(got)}", got == right)
        for target in experiment.get("targets", []):
            v = self.oracle.place[target["variable"]]
            level = self.oracle.level(self.oracle.condition, target["condition"])
            mechanism, is_set = self.oracle.regimes[level, v]
            self.true("mechanisms regime sets", target["set"] == is_set)
            self._mechanism(f"mechanisms regime of `{target['variable']}`", v, target["mechanism"], mechanism)

    def _mechanism(self, what, v, known, own) -> None:
        if own.is_linear:
            self.true(f"{what} is {known['kind']}", known["kind"] == "linear")
            if known["kind"] != "linear":
                return
            sizes = [abs(own.beta[own.places(p)] @ np.ones(len(own.places(p)))) * self.unit(p) for p in own.parents]
            level = abs(np.nanmean(self.oracle.values[:, v])) + sum(sizes)
            for p in own.parents:
                level += np.abs(own.beta[own.places(p)]).max() * np.abs(np.nanmean(self.oracle.values[:, p]))
            self.equal(f"{what} intercept", known["intercept"], own.intercept, scale=self.unit(v) + level)
            scale = self.unit(v) ** 2 * 1e-3
            self.equal(f"{what} variance", known["variance"], own.variance, scale=scale)
            return
        self.true(f"{what} is {known['kind']}", known["kind"] == own.kind)
        if own.kind == known["kind"] == "logistic":
            got = np.array([[level["intercept"], *np.concatenate(level["coefficients"])] for level in known["levels"]])
            # The order of the parents in the file decides about that of the coefficients.
            at, columns = 0, []
            for name, block in zip(known["parents"], known["levels"][0]["coefficients"]):
                columns.append((self.oracle.place[name], at, len(block)))
                at += len(block)
            for p, start, width in columns:
                right = own.beta[:, own.places(p)]
                self.equal(f"{what} logistic coefficients", got[:, 1 + start : 1 + start + width], right, scale=1 / self.unit(p), tolerance=1e-6)
            self.equal(f"{what} logistic intercepts", got[:, 0], own.intercepts, scale=1 + np.abs(own.beta).max() * 10, tolerance=1e-5)

    # Effects.

    def effects(self) -> None:
        graph, oracle = self.graph, self.oracle
        frame = graph.total_effects()
        total = {(a, b): x for a, row in zip(frame.index, frame.to_numpy()) for b, x in zip(frame.columns, row)}
        for name in graph.variables:
            cause = oracle.place[name]
            right = oracle.effects(cause)
            table = graph.effects(name)
            got = {}
            columns = {key: table[key].tolist() for key in table.columns}
            for row in (dict(zip(columns, cells)) for cells in zip(*columns.values())):
                target = oracle.place[row["to"]]
                levels = []
                for v, key in ((cause, "from_level"), (target, "to_level")):
                    text = row.get(key)
                    missing = text is None or (isinstance(text, float) and np.isnan(text))
                    levels.append(None if missing else oracle.level(v, text))
                got[(target, *levels)] = row
            for key, entry in right.items():
                target, from_level, to_level = key
                what = f"effects {name} {from_level} -> {oracle.names[target]} {to_level}"
                if key not in got:
                    is_path = target in classes.descendants(set(oracle.edges), cause)
                    self.true(f"{what} is left out, right {entry['value']}", abs(entry["value"]) < 1e-12 and not is_path)
                    continue
                row = got.pop(key)
                unit = self.unit(target) / (self.unit(cause) if from_level is None else 1)
                simulated = entry["error"] > 0
                self.equal(what, row["effect"], entry["value"], error=entry["error"], scale=unit)
                if not simulated:
                    interval = entry["interval"] or (np.nan, np.nan)
                    self.equal(f"{what} interval", [row["lower"], row["upper"]], interval, scale=unit)
                column = lambda v, level: oracle.names[v] if level is None else f"{oracle.names[v]}={oracle.variables[v].levels[level]}"
                a, b = column(cause, from_level), column(target, to_level)
                if (a, b) in total:
                    self.equal(f"effects total {a} -> {b}", total[a, b], row["effect"], scale=unit, tolerance=SAME)
                else:
                    self.say(f"effects total has no entry {a} -> {b}")
            for key, row in got.items():
                # Other members of the class may have a path where the drawn graph has none.
                self.true(f"effects {name} -> {row['to']} has no path", row["effect"] == 0 and not row["determined"])
            if oracle.law == "gaussian" and self.document.get("class"):
                self._ranges(name, cause, table)

    def members(self):
        pairs = [[(self.oracle.place[a], self.oracle.place[b]) for a, b in self.document["class"][key]] for key in ("directed", "undirected")]
        determined = {
            (self.oracle.place[edge["from"]], self.oracle.place[edge["to"]])
            for edge in self.document["edges"]
            if edge["direction"] == "determined"
        }
        # Directions that rest on more than independences leave fewer members.
        found = [edges for edges in classes.members(self.oracle.d, *pairs) if determined <= edges]
        self.true("class the drawn graph is no member", set(self.oracle.edges) in found)
        return found

    def _ranges(self, name, cause, table) -> None:
        """The values of the effect over the members, one per set of parents."""
        oracle = self.oracle
        mean, covariance = oracle.joint()
        by_parents = {}
        for edges in self.members():
            by_parents[classes.parents_in(edges, cause)] = edges
        values = table.attrs["values"]
        rows = {name: row for name, *row in zip(*(table[key].tolist() for key in ("to", "determined", "least", "most")))}
        for target in range(oracle.d):
            if target == cause:
                continue
            right = []
            for parents in by_parents:
                is_parent = target in parents
                right.append(0.0 if is_parent else classes.coefficient(covariance, target, cause, parents)[0])
            unit = np.sqrt(covariance[target, target] / covariance[cause, cause])
            known = oracle.names[target] in rows
            spread = max(right) - min(right)
            what = f"ranges {name} -> {oracle.names[target]}"
            if not known:
                self.true(f"{what} is left out, right {right}", max(map(abs, right)) < 1e-9 * unit)
                continue
            determined, least, most = rows[oracle.names[target]]
            if determined:
                self.true(f"{what} is called determined, and takes {right}", spread < 1e-6 * unit)
                continue
            got = sorted(values[oracle.names[target]])
            self.equal(f"{what} values", got, sorted(right), scale=unit, tolerance=max(1e-7, self.tolerance))
            self.equal(f"{what} range", [least, most], [min(right), max(right)], scale=unit)

    def relatives(self) -> None:
        """Parents, ancestors and Markov blankets by walking along the edges."""
        oracle, graph = self.oracle, self.graph
        edges = set(oracle.edges)
        determined = {pair for pair in edges if graph.is_determined(*(oracle.names[v] for v in pair))}
        name = str(self.rng.choice(graph.variables))
        v = oracle.place[name]
        children = [j for i, j in edges if i == v]
        blanket = {i for i, j in edges if j == v or j in children} | set(children)
        for what, got, right in [
            ("blanket", graph.markov_blanket(name), blanket - {v}),
            ("parents", graph.parents(name), classes.parents_in(determined, v)),
            ("ancestors", graph.ancestors(name), {u for u in range(oracle.d) if v in classes.descendants(determined, u)}),
        ]:
            named = {oracle.names[u] for u in right}
            self.true(f"relatives {what} of {name} are {got}, right {named}", set(got) == named)

    def adjustment(self) -> None:
        if not self.document.get("class"):
            return
        oracle, graphs = self.oracle, self.members()
        d = oracle.d
        pairs = [(x, y) for x in range(d) for y in range(d) if x != y]
        some = self.rng.permutation(len(pairs))[:3]
        for x, y in (pairs[k] for k in some):
            a, b = oracle.names[x], oracle.names[y]
            sets = self.graph.adjustment_sets(a, b)
            what = f"adjustment {a} -> {b}"
            others = [v for v in range(d) if v not in (x, y)]
            subsets = [[v for k, v in enumerate(others) if mask >> k & 1] for mask in range(2 ** len(others))]
            moves = [y in classes.descendants(edges, x) for edges in graphs]
            if sets is None:
                if any(moves):
                    # A set that is valid in every member would have been one to name.
                    valid = [s for s in subsets if classes.is_valid_set(graphs, d, x, y, s)]
                    self.true(f"{what} is none, and {valid[:1]} is valid", not valid)
                continue
            if not any(moves):
                # An effect that is 0 in every member needs no set.
                self.true(f"{what} is {sets} for an effect of 0", False)
            placed = {key: [oracle.place[name] for name in own] for key, own in sets.items()}
            for key, own in placed.items():
                self.true(f"{what} {key} {own} is not valid", classes.is_valid_set(graphs, d, x, y, own))
            for v in placed["minimal"]:
                less = [u for u in placed["minimal"] if u != v]
                self.true(f"{what} minimal is not: {less} is valid", not classes.is_valid_set(graphs, d, x, y, less))
            rng = np.random.default_rng(self.case.number)
            _, covariance = classes.random_weights(graphs[0], d, rng)
            own = classes.coefficient(covariance, y, x, placed["optimal"])[1]
            for other in subsets:
                if classes.is_valid_set(graphs, d, x, y, other):
                    variance = classes.coefficient(covariance, y, x, other)[1]
                    self.true(f"{what} optimal {placed['optimal']}: {other} has a smaller variance", own <= variance * (1 + 1e-9))

    # Interventions.

    def settings_drawn(self, count: int) -> dict[str, Any]:
        """Random values for some variables, in the units of the table."""
        oracle = self.oracle
        chosen = self.rng.permutation(oracle.d)[:count]
        do = {}
        for v in chosen:
            variable = oracle.variables[v]
            if variable.kind == "continuous":
                do[variable.name] = float(self.rng.choice(self.case.fresh[variable.name]))
            else:
                do[variable.name] = str(self.rng.choice(variable.levels))
        return do

    def coded_settings(self, do: dict[str, Any]) -> dict[int, float]:
        found = {}
        for name, value in do.items():
            v = self.oracle.place[name]
            variable = self.oracle.variables[v]
            is_number = variable.kind == "continuous"
            found[v] = float(variable.scale.to(np.array([value]))[0]) if is_number else float(variable.levels.index(value))
        return found

    def interventions(self) -> None:
        oracle = self.oracle
        for count in (1, min(2, oracle.d)):
            do = self.settings_drawn(count)
            settings = self.coded_settings(do)
            got = self.graph.intervene(do)
            answers, simulated, spreads = oracle.expect(settings)
            expected_names = set()
            for v, variable in enumerate(oracle.variables):
                for level in oracle.answer_levels(v):
                    key = variable.name if level is None else f"{variable.name}={variable.levels[level]}"
                    expected_names.add(key)
                    what = f"interventions do({do}) {key}"
                    if key not in got:
                        self.say(f"{what} is left out")
                        continue
                    error = 0.0
                    if simulated:
                        spread = spreads[v][level] if np.ndim(spreads[v]) else spreads[v]
                        error = float(spread) * np.sqrt(1 / PROGRAM_DRAWS + 1 / DRAWS)
                    right = oracle.column(answers[v], v, level)
                    value = got[key]
                    if np.ndim(answers[v]) == 0 and level is None and v not in settings:
                        # Medians of curved scales are compared on the scale.
                        value = float(variable.scale.to(np.array([value]))[0])
                        ends = variable.scale.to(variable.scale.back(np.array([right])))
                        right = float(ends[0])
                    elif v in settings and variable.kind == "continuous":
                        right = do[variable.name]
                    elif level is not None:
                        # Linear probabilities are cut to their range.
                        right = float(np.clip(right, 0.0, 1.0))
                    self.equal(what, value, right, error=error, scale=self.unit(v))
            self.true(f"interventions names {sorted(set(got) - expected_names)}", set(got) <= expected_names)
            if oracle.law == "gaussian" and self.document.get("class"):
                self._intervention_ranges(do, settings)

    def _intervention_ranges(self, do, settings) -> None:
        oracle = self.oracle
        mean, covariance = oracle.joint()
        rows = []
        for edges in self.members():
            after = np.full(oracle.d, np.nan)
            remaining = list(range(oracle.d))
            while remaining:
                v = next(u for u in remaining if not set(classes.parents_in(edges, u)) & set(remaining))
                remaining.remove(v)
                used = list(classes.parents_in(edges, v))
                if v in settings:
                    after[v] = settings[v]
                elif used:
                    beta = np.linalg.solve(covariance[np.ix_(used, used)], covariance[used, v])
                    after[v] = mean[v] + beta @ (after[used] - mean[used])
                else:
                    after[v] = mean[v]
            rows.append([oracle.variables[v].scale.back(after[v : v + 1])[0] for v in range(oracle.d)])
        rows = np.array(rows)
        got = self.graph.intervention_ranges(do)
        for v, name in enumerate(oracle.names):
            if v in settings:
                continue
            right = [rows[:, v].min(), rows[:, v].max()]
            if oracle.variables[v].kind == "binary":
                right = list(np.clip(right, 0.0, 1.0))
            is_number = oracle.variables[v].kind == "continuous"
            scale = float(np.nanstd(oracle.frame[name].to_numpy(float))) if is_number else 1.0
            key = name if is_number or not oracle.variables[v].kind == "binary" else f"{name}={oracle.variables[v].levels[1]}"
            self.equal(f"intervention-ranges do({do}) {name}", got[key], right, scale=scale, tolerance=max(self.tolerance, 1e-7))

    # Rows.

    @functools.cached_property
    def gaps(self) -> pd.DataFrame:
        """New rows with holes."""
        columns = {}
        for name in self.case.fresh.columns:
            column = self.case.fresh[name]
            numeric = column.dtype.kind in "fiu"
            values = column.to_numpy(dtype=float if numeric else object, copy=True)
            if name != self.case.condition:
                values[self.rng.random(len(values)) < 0.25] = np.nan if numeric else None
            columns[name] = values
        return pd.DataFrame(columns)

    @functools.cached_property
    def gap_values(self) -> np.ndarray:
        return self.oracle.coded(self.gaps)

    def likelihood(self) -> None:
        oracle, fresh = self.oracle, self.case.fresh
        right = oracle.log_likelihood(self.fresh_values)
        got = self.graph.log_likelihood(fresh)
        scale = 1 + np.abs(right).max() if np.isfinite(right).all() else 1.0
        self.equal("likelihood of rows", got, right, scale=scale)
        self.equal("likelihood score", self.graph.score(fresh), right.mean(), scale=scale)
        gaps = self.gaps
        if oracle.law == "mixed":
            if gaps.isna().any(axis=None):
                self.refused("likelihood of gaps", lambda: self.graph.log_likelihood(gaps), "complete rows")
            return
        right = oracle.log_likelihood(self.gap_values)
        self.equal("likelihood of gaps", self.graph.log_likelihood(gaps), right, scale=scale)

    def refused(self, what: str, call, words: str, error=ValueError) -> None:
        self.counts[what.split(" ")[0]] += 1
        try:
            answer = call()
        except error as problem:
            text = str(problem)
            if words not in text or "\n" in text or "panic" in text:
                self.say(f"{what}: the error is {text!r} instead of one line with {words!r}")
        except Exception as problem:  # noqa: BLE001
            self.say(f"{what}: {type(problem).__name__}: {problem}")
        else:
            self.say(f"{what}: not refused, gave {str(answer)[:80]}")

    def predictions(self) -> None:
        oracle, graph = self.oracle, self.graph
        for v in self.rng.permutation(oracle.d)[:2]:
            v, name = int(v), oracle.names[v]
            frames = [(self.case.fresh, self.fresh_values)]
            if oracle.law != "mixed":
                frames.append((self.gaps, self.gap_values))
            for k, (frame, values) in enumerate(frames):
                right = oracle.predict(values, v)
                what = f"predictions of `{name}`{' with gaps' if k else ''}"
                others = frame.drop(columns=[name]) if self.rng.random() < 0.5 else frame
                if not len(others.columns):
                    others = frame
                if oracle.mechanisms[v].is_linear:
                    got = graph.predict(others, name)
                    scale = float(np.nanstd(oracle.frame[name])) if oracle.variables[v].kind == "continuous" else 1.0
                    tolerance = None if oracle.law != "mixed" else 1e-6
                    self.equal(what, got, right, scale=scale, tolerance=tolerance)
                    continue
                got = graph.predict(others, name, probabilities=True)
                self.equal(f"{what}, probabilities", got, right)
                levels = graph.predict(others, name)
                # Ties may go either way.
                best = np.sort(right, axis=1)
                clear = best[:, -1] - best[:, -2] > 1e-6
                named = np.array(oracle.variables[v].levels)[right.argmax(axis=1)]
                self.true(f"{what}, levels", (np.asarray(levels)[clear] == named[clear]).all())

    def residuals(self) -> None:
        oracle = self.oracle
        tables = [("residuals of rows", self.case.fresh, self.fresh_values)]
        tables.append(("residuals of gaps", self.gaps, self.gap_values))
        for what, frame, values in tables:
            got = self.graph.residuals(frame)
            columns, right = oracle.residuals(values)
            named = [oracle.names[v] if level is None else f"{oracle.names[v]}={oracle.variables[v].levels[level]}" for v, level in columns]
            if isinstance(got, pd.DataFrame):
                self.true(f"{what} columns {list(got.columns)}", list(got.columns) == named)
                got = got.to_numpy()
            scale = np.array([self.unit(v) for v, _ in columns])
            self.equal(what, got / scale, right / scale, scale=10.0)

    def samples(self) -> None:
        """Means of drawn rows next to those that the model implies."""
        oracle, n = self.oracle, 4000
        drawn = self.graph.sample(n, random_state=self.case.number)
        frame = drawn if isinstance(drawn, pd.DataFrame) else pd.DataFrame(drawn, columns=self.graph.variables)
        self.true(f"samples columns {list(frame.columns)}", list(frame.columns) == self.graph.variables)
        if oracle.law == "gaussian":
            # Two levels are drawn as levels, and levels in order are rounded.
            if any(v.scale.steps or v.kind != "continuous" for v in oracle.variables):
                return
            mean, covariance = oracle.joint()
            values = frame.to_numpy(float)
            unit = np.sqrt(np.diag(covariance))
            self.equal("samples mean", (values.mean(axis=0) - mean) / unit, np.zeros(oracle.d), error=1 / np.sqrt(n))
            z = (values - mean) / unit
            right = covariance / np.outer(unit, unit)
            self.equal("samples covariance", z.T @ z / n, right, error=np.sqrt(2 / n))
        elif oracle.law == "discrete":
            grid = oracle.grid({})
            weights = np.exp(oracle._log_joint(grid))
            for v, variable in enumerate(oracle.variables):
                right = np.bincount(grid[:, v].astype(int), weights, minlength=len(variable.levels))
                texts = Counter(text_of(value) for value in frame[variable.name])
                got = [texts[level] / n for level in variable.levels]
                self.equal(f"samples shares of `{variable.name}`", got, right, error=0.5 / np.sqrt(n))

    # Files, forms of rows, refusals.

    def answers(self, graph) -> dict[str, Any]:
        """Answers of a graph that may be read from a file, as JSON and arrays."""
        do = {name: value for name, value in self.first_do.items()}
        return {
            "effects": json.loads(graph._answers.effects()),
            "intervene": graph.intervene(do),
            "score": graph.log_likelihood(self.case.fresh).tolist(),
        }

    def files(self) -> None:
        import nocurl

        self.first_do = self.settings_drawn(1)
        right = self.answers(self.graph)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "graph.json"
            self.graph.write(path)
            back = nocurl.read_graph(path)
            self.true("files json is another graph", back == self.graph)
            self.true("files json gives other answers", same_numbers(self.answers(back), right, SAME))
            for ending in ("dot", "graphml", "gml", "csv"):
                path = Path(folder) / f"graph.{ending}"
                self.graph.write(path)
                other = nocurl.read_graph(path)
                edges = {(a, b) for a, b, _ in other.edges}
                self.true(f"files {ending} has edges {edges}", edges == {(a, b) for a, b, _ in self.graph.edges})
                if ending == "csv" and not self.is_plain():
                    # A list of edges has no place for levels, scales and conditions.
                    continue
                try:
                    effects = json.loads(other._answers.effects())["effects"]
                except ValueError as problem:
                    good = "json" in str(problem).lower() and "\n" not in str(problem)
                    self.true(f"files {ending}: effects: the error is {problem}", good or not edges or "weight" in str(problem))
                else:
                    values = {(e["from"], e.get("from_level"), e["to"], e.get("to_level")): e["effect"] for e in effects if e["path"]}
                    own = {(e["from"], e.get("from_level"), e["to"], e.get("to_level")): e["effect"] for e in right["effects"]["effects"] if e["path"]}
                    self.true(f"files {ending} effects {values} instead of {own}", same_numbers(values, own, 1e-9))
                try:
                    moved = other.intervene(self.first_do)
                except ValueError as problem:
                    self.true(f"files {ending}: the error is {problem}", "\n" not in str(problem))
                else:
                    self.true(f"files {ending} do({self.first_do}) {moved} instead of {right['intervene']}", same_numbers(moved, right["intervene"], 1e-9))
                try:
                    score = other.log_likelihood(self.case.fresh).tolist()
                except ValueError as problem:
                    self.true(f"files {ending}: the error is {problem}", "\n" not in str(problem))
                else:
                    self.true(f"files {ending} scores otherwise", same_numbers(score, right["score"], 1e-9))

    def moments(self) -> None:
        """The graph learnt from summary statistics is that of the table."""
        import nocurl

        case = self.case
        if case.flavour != "numbers" or case.condition or case.missing == "em" or case.transforms:
            return
        settings = {key: value for key, value in case.settings.items() if key not in ("missing", "transforms")}
        if settings.get("method") == "lingam":
            return
        summary = nocurl.Moments.of(case.frame, missing=case.missing)
        other = nocurl.learn(summary, **settings)
        own = {(a, b): weight for a, b, weight in self.graph.edges}
        self.true("moments give other weights", same_numbers({(a, b): w for a, b, w in other.edges}, own, 1e-8))
        got = other.log_likelihood(case.fresh)
        self.equal("moments likelihood", got, self.graph.log_likelihood(case.fresh), scale=1 + np.abs(got).max())

    def is_plain(self) -> bool:
        """Whether weights, means and variances are the whole model."""
        return all(v.kind == "continuous" and not v.scale.steps for v in self.oracle.variables)

    def shapes_of_rows(self) -> None:
        fresh, graph = self.case.fresh, self.graph
        right = graph.log_likelihood(fresh)
        turned = fresh[fresh.columns[::-1]].copy()
        turned.insert(0, "another column", "text")
        self.equal("shapes other columns", graph.log_likelihood(turned), right, tolerance=SAME)
        one = fresh.iloc[[3]]
        self.equal("shapes one row", graph.log_likelihood(one), right[3:4], tolerance=SAME)
        cells = {name: fresh[name].iloc[3] for name in fresh.columns}
        self.equal("shapes one dict", graph.log_likelihood(cells), right[3:4], tolerance=SAME)
        lists = {name: fresh[name].tolist() for name in fresh.columns}
        self.equal("shapes dict of lists", graph.log_likelihood(lists), right, tolerance=SAME)
        self.equal("shapes series", graph.log_likelihood(fresh.iloc[3]), right[3:4], tolerance=SAME)
        some = fresh.iloc[10:20]
        self.equal("shapes some rows", graph.log_likelihood(some), right[10:20], tolerance=SAME)
        if self.case.flavour == "numbers" and not self.case.condition:
            array = fresh[graph.variables].to_numpy(float)
            self.equal("shapes array", graph.log_likelihood(array), right, tolerance=SAME)

    def refusals(self) -> None:
        fresh, graph = self.case.fresh, self.graph
        name = str(self.rng.choice(list(fresh.columns)))
        if len(fresh.columns) > 1:
            self.refused("refusals missing column", lambda: graph.score(fresh.drop(columns=[name])), name)
        self.refused("refusals unknown variable", lambda: graph.predict(fresh, "no such"), "no such")
        self.refused("refusals unknown cause", lambda: graph.effects("no such"), "no such")
        self.refused("refusals unknown set", lambda: graph.intervene({"no such": 1}), "no such")
        variable = self.oracle.variables[self.oracle.place[name]]
        bad = fresh.copy()
        if variable.levels:
            column = [text_of(value) for value in bad[name]]
            column[7] = "no such level"
            bad[name] = column
            for words in (name, "no such level", "8"):
                self.refused("refusals unknown level", lambda: graph.score(bad), words)
            self.refused("refusals unknown level set", lambda: graph.intervene({name: "no such level"}), "no such level")
            gap = fresh.copy()
            column = [text_of(value) for value in gap[name]]
            column[7] = None
            gap[name] = column
            if self.oracle.law == "discrete" and name != self.case.condition:
                got = graph.log_likelihood(bad, unknown_level="missing")
                self.equal("refusals unknown as missing", got, graph.log_likelihood(gap), tolerance=SAME)
        else:
            bad[name] = bad[name].astype(object)
            bad.loc[bad.index[7], name] = "no number"
            for words in (name, "no number", "8"):
                self.refused("refusals text for a number", lambda: graph.score(bad), words)
            bad[name] = fresh[name]
            bad.loc[bad.index[7], name] = np.inf
            self.refused("refusals infinity", lambda: graph.score(bad), name)
            self.refused("refusals infinity set", lambda: graph.intervene({name: np.inf}), name)
            if "log" in self.case.transforms.get(name, []):
                bad.loc[bad.index[7], name] = -1.0
                self.refused("refusals off the scale", lambda: graph.score(bad), name)


def same_numbers(got: Any, right: Any, tolerance: float) -> bool:
    """Whether two nested answers agree, numbers up to a tolerance."""
    if isinstance(got, dict) and isinstance(right, dict):
        return got.keys() == right.keys() and all(same_numbers(got[k], right[k], tolerance) for k in got)
    if isinstance(got, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(got) == len(right) and all(map(lambda pair: same_numbers(*pair, tolerance), zip(got, right)))
    if isinstance(got, float) or isinstance(right, float):
        if got is None or right is None:
            return False
        return bool(abs(got - right) <= tolerance * max(1.0, abs(right)) or (np.isnan(got) and np.isnan(right)))
    return bool(got == right)


def learn(case: Case):
    """The graph of a case."""
    import nocurl

    return nocurl.learn(case.frame, **case.settings)


def check(number: int, seed: int) -> tuple[list[str], Counter[str]]:
    """All differences of one case, and how much was compared."""
    case = generate(number, seed)
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            graph = learn(case)
        except Exception as problem:  # noqa: BLE001
            return [f"case {number}: learn: {type(problem).__name__}: {problem} ({case.settings})"], counts
        comparison = Comparison(case, graph)
        for step in ("run",):
            try:
                getattr(comparison, step)()
            except Exception as problem:  # noqa: BLE001
                import traceback

                where = traceback.extract_tb(problem.__traceback__)
                place = "; ".join(f"{frame.name}:{frame.lineno}" for frame in where[-4:])
                comparison.say(f"{type(problem).__name__}: {problem} at {place}")
    comparison.counts["tables"] += 1
    comparison.counts[f"law-{comparison.oracle.law}"] += 1
    return comparison.found, comparison.counts


if __name__ == "__main__":
    import os
    import sys

    seed = int(os.environ.get("NOCURL_DIFFERENTIAL_SEED", "0"))
    for number in map(int, sys.argv[1:]):
        case = generate(number, seed)
        print(case.settings, case.kinds, case.transforms, case.condition, case.targets, sep="\n")
        print("\n".join(check(number, seed)[0]) or "no difference")
