"""Answers about a table and a graph, by closed forms, enumeration and NumPy alone."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from generate import KINDS, Case

#: Draws of the program where it says that an answer is simulated.
PROGRAM_DRAWS = 10_000

#: Draws of this oracle in that case.
DRAWS = 40_000

#: Penalty on the squares of standardised coefficients of a logistic regression.
PENALTY = 1e-3


def text_of(value: Any) -> str | None:
    """A cell as the name of a level."""
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


class Scale:
    """A function of one column and its inverse."""

    def __init__(self, steps: list[str], values: np.ndarray) -> None:
        self.steps = []
        for step in steps:
            there = values[~np.isnan(values)]
            if step == "log":
                entry = (np.log, np.exp)
            elif step == "rank":
                distinct, place = np.unique(there, return_inverse=True)
                ranks = stats.rankdata(there)
                scores = np.zeros(len(distinct))
                scores[place] = stats.norm.ppf(ranks / (len(there) + 1))
                entry = (
                    lambda x, a=distinct, b=scores: np.where(np.isnan(x), np.nan, np.interp(x, a, b)),
                    lambda z, a=distinct, b=scores: np.where(np.isnan(z), np.nan, np.interp(z, b, a)),
                )
            else:
                mean, deviation = there.mean(), there.std()
                entry = (
                    lambda x, m=mean, s=deviation: (x - m) / s,
                    lambda z, m=mean, s=deviation: m + s * z,
                )
            self.steps.append(entry)
            values = entry[0](values)

    def to(self, values):
        """Values on the learnt scale."""
        for forth, _ in self.steps:
            values = forth(values)
        return values

    def back(self, values):
        """Values in the units of the table."""
        for _, back in reversed(self.steps):
            values = back(values)
        return values


@dataclass
class Variable:
    """A column as the graph has it."""

    name: str
    kind: str
    levels: list[str]
    scale: Scale

    @property
    def is_block(self) -> bool:
        return self.kind == "categorical"

    def columns(self, values: np.ndarray) -> np.ndarray:
        """The columns of a regression on it."""
        if not self.is_block:
            return values[:, None]
        # Absent values stay absent.
        dummies = (values[:, None] == np.arange(1, len(self.levels))).astype(float)
        dummies[np.isnan(values)] = np.nan
        return dummies


class Mechanism:
    """How one variable follows from its parents."""

    def places(self, parent):
        """Where the coefficients of one parent are."""
        at = 0
        for other in self.parents:
            width = self.oracle.width(other)
            if other == parent:
                return list(range(at, at + width))
            at += width
        return []


class Linear(Mechanism):
    """Least squares with an intercept."""

    is_linear = True

    def __init__(self, oracle, child, parents, rows=None, moments=None):
        self.oracle, self.child, self.parents = oracle, child, list(parents)
        if moments is not None:
            mean, s = moments
            used = self.parents
            self.beta = np.linalg.solve(s[np.ix_(used, used)], s[used, child]) if used else np.zeros(0)
            self.intercept = mean[child] - self.beta @ mean[used]
            self.variance = s[child, child] - s[used, child] @ self.beta
            self.covariance = None
        else:
            values = oracle.values[rows]
            x, y = oracle.design(values, self.parents), values[:, child]
            # Centred columns of unit size are well conditioned.
            middle, unit = x.mean(axis=0), x.std(axis=0)
            unit[unit == 0] = 1
            z = (x - middle) / unit
            beta, *_ = np.linalg.lstsq(z, y - y.mean(), rcond=1e-10)
            residuals = y - y.mean() - z @ beta
            self.beta = beta / unit
            self.intercept = y.mean() - middle @ self.beta
            self.variance = residuals @ residuals / len(y)
            self.freedom = len(y) - x.shape[1] - 1
            self.singular = np.linalg.matrix_rank(z, tol=1e-5 * np.sqrt(len(y))) < z.shape[1]
            inverse = np.linalg.pinv(z.T @ z) / np.outer(unit, unit)
            self.covariance = inverse * (residuals @ residuals) / self.freedom
        self.freedom = getattr(self, "freedom", None)
        self.singular = getattr(self, "singular", False)

    def mean(self, values):
        return self.intercept + self.oracle.design(values, self.parents) @ self.beta

    def log_density(self, values):
        return stats.norm.logpdf(values[:, self.child], self.mean(values), np.sqrt(self.variance))

    def draw(self, values, rng):
        return self.mean(values) + np.sqrt(self.variance) * rng.normal(size=len(values))


class Levels(Mechanism):
    """Probabilities of levels: smoothed counts or a penalised logistic regression."""

    is_linear = False

    def __init__(self, oracle, child, parents, rows):
        self.oracle, self.child, self.parents = oracle, child, list(parents)
        self.size = len(oracle.variables[child].levels)
        values = oracle.values[rows]
        self.is_table = all(oracle.has_levels(p) for p in self.parents)
        self.kind = "counts" if self.is_table else "logistic"
        own = values[:, child].astype(int)
        if not self.is_table:
            self._fit_logistic(oracle.design(values, self.parents), own)
            return
        overall = np.bincount(own, minlength=self.size)
        shares = (overall + 1 / self.size) / (len(own) + 1)
        sizes = [len(oracle.variables[p].levels) for p in self.parents]
        if not self.parents:
            self.table = shares[None, :]
        else:
            counts = np.zeros((int(np.prod(sizes)), self.size))
            np.add.at(counts, (np.ravel_multi_index(values[:, self.parents].astype(int).T, sizes), own), 1)
            self.table = (counts + shares) / (counts.sum(axis=1, keepdims=True) + 1)
        self.sizes = sizes

    def _fit_logistic(self, x, own):
        n, k = x.shape[0], self.size - 1
        middle, unit = x.mean(axis=0), x.std(axis=0)
        unit[unit == 0] = 1
        z = np.c_[np.ones(n), (x - middle) / unit]
        w = z.shape[1]
        penalty = np.tile(np.r_[0, np.full(w - 1, PENALTY)], k)
        hot = (own[:, None] == np.arange(1, self.size)).astype(float)
        theta = np.zeros(k * w)

        def loss(theta):
            odds = np.c_[np.zeros(n), z @ theta.reshape(k, w).T]
            top = odds.max(axis=1, keepdims=True)
            total = top[:, 0] + np.log(np.exp(odds - top).sum(axis=1))
            return (total - odds[np.arange(n), own]).sum() + 0.5 * penalty @ theta**2, odds - total[:, None]

        value, logs = loss(theta)
        for _ in range(200):
            p = np.exp(logs[:, 1:])
            gradient = ((p - hot).T @ z).ravel() + penalty * theta
            hessian = np.diag(penalty).astype(float)
            for a in range(k):
                for b in range(k):
                    weight = p[:, a] * ((a == b) - p[:, b])
                    hessian[a * w : (a + 1) * w, b * w : (b + 1) * w] += (z * weight[:, None]).T @ z
            step = np.linalg.solve(hessian + 1e-14 * np.eye(k * w), gradient)
            length = 1.0
            while length > 1e-10:
                there, logs_there = loss(theta - length * step)
                if there <= value + 1e-12 * abs(value):
                    break
                length /= 2
            theta, value, logs = theta - length * step, there, logs_there
            if np.abs(step).max() < 1e-12 * (1 + np.abs(theta).max()):
                break
        theta = theta.reshape(k, w)
        self.beta = theta[:, 1:] / unit
        self.intercepts = theta[:, 0] - self.beta @ middle

    def chances(self, values):
        """The probability of each level in each row."""
        if self.is_table:
            if not self.parents:
                return np.repeat(self.table, len(values), axis=0)
            gap = np.isnan(values[:, self.parents]).any(axis=1)
            codes = np.where(gap[:, None], 0, values[:, self.parents]).astype(int)
            found = self.table[np.ravel_multi_index(codes.T, self.sizes)].copy()
            found[gap] = np.nan
            return found
        x = self.oracle.design(values, self.parents)
        odds = np.c_[np.zeros(len(values)), self.intercepts + x @ self.beta.T]
        odds -= odds.max(axis=1, keepdims=True)
        chances = np.exp(odds)
        return chances / chances.sum(axis=1, keepdims=True)

    def log_density(self, values):
        own = values[:, self.child]
        gap = np.isnan(own)
        chances = self.chances(values)
        found = np.log(chances[np.arange(len(own)), np.where(gap, 0, own).astype(int)])
        return np.where(gap, np.nan, found)

    def draw(self, values, rng):
        passed = np.cumsum(self.chances(values), axis=1)[:, :-1]
        return (rng.random(len(values))[:, None] >= passed).sum(axis=1).astype(float)


class Oracle:
    """The model that a table and the edges of a document imply."""

    def __init__(self, case: Case, document: dict) -> None:
        self.case = case
        self.names: list[str] = document["variables"]
        self.d = len(self.names)
        self.place = {name: v for v, name in enumerate(self.names)}
        frame = case.frame
        if case.missing != "em":
            frame = frame.dropna().reset_index(drop=True)
        self.frame = frame
        levels = {kind["name"]: kind.get("levels", []) for kind in document["kinds"]}
        self.variables = []
        for name in self.names:
            kind = KINDS[case.kinds[name]]
            steps = case.transforms.get(name, [])
            numbers = frame[name].to_numpy(float) if kind == "continuous" else np.zeros(1)
            self.variables.append(Variable(name, kind, levels[name], Scale(steps, numbers)))
        if case.missing == "em" and frame.isna().any(axis=None):
            self._standardize_by_estimates(frame)
        self.all_levels = all(v.kind in ("binary", "categorical") for v in self.variables)
        self.condition = self.place.get(case.condition) if case.condition else None
        self.values = self.coded(frame)
        self.edges = [(self.place[e["from"]], self.place[e["to"]]) for e in document["edges"]]
        self.parents = {v: sorted(i for i, j in self.edges if j == v) for v in range(self.d)}
        self.order = self._order()
        self._fit(document)

    # The table.

    def _standardize_by_estimates(self, frame: pd.DataFrame) -> None:
        """Moves and scales by the estimated moments rather than those of the values present."""
        steps = [self.case.transforms.get(name, []) for name in self.names]
        plain = []
        for name, own in zip(self.names, steps):
            before = [step for step in own if step != "standardize"]
            plain.append(Scale(before, frame[name].to_numpy(float)))
        values = np.column_stack([s.to(frame[n].to_numpy(float)) for s, n in zip(plain, self.names)])
        mean, covariance = expectation_maximisation(values)
        for v, own in enumerate(steps):
            if "standardize" in own:
                m, s = mean[v], np.sqrt(covariance[v, v])
                plain[v].steps.append((lambda x, m=m, s=s: (x - m) / s, lambda z, m=m, s=s: m + s * z))
            self.variables[v].scale = plain[v]

    def coded(self, frame: pd.DataFrame) -> np.ndarray:
        """Numbers on the learnt scale and positions of levels."""
        found = np.empty((len(frame), self.d))
        for v, variable in enumerate(self.variables):
            column = frame[variable.name]
            if variable.kind == "continuous":
                found[:, v] = variable.scale.to(column.to_numpy(float))
            else:
                place = {level: k for k, level in enumerate(variable.levels)}
                texts = [text_of(value) for value in column]
                found[:, v] = [np.nan if t is None else place[t] for t in texts]
        return found

    def width(self, v: int) -> int:
        variable = self.variables[v]
        return len(variable.levels) - 1 if variable.is_block else 1

    def design(self, values, parents):
        if not parents:
            return np.zeros((len(values), 0))
        return np.concatenate([self.variables[p].columns(values[:, p]) for p in parents], axis=1)

    def has_levels(self, v: int) -> bool:
        """Whether a variable has probabilities rather than a mean."""
        kind = self.variables[v].kind
        return v == self.condition or kind == "categorical" or (kind == "binary" and self.all_levels)

    def _order(self):
        order: list[int] = []
        while len(order) < self.d:
            ready = [v for v in range(self.d) if v not in order and set(self.parents[v]) <= set(order)]
            assert ready, "the graph has a cycle"
            order.append(ready[0])
        # The condition decides about its targets, whether or not there is an edge.
        if self.condition is not None and not self.parents[self.condition]:
            order.remove(self.condition)
            order.insert(0, self.condition)
        return order

    # The mechanisms.

    def _fit(self, document):
        self.regimes: dict[tuple[int, int], tuple[Any, bool]] = {}
        everything = np.ones(len(self.values), bool)
        if self.case.missing == "em" and np.isnan(self.values).any():
            moments = expectation_maximisation(self.values)
            self.mechanisms = [
                Linear(self, v, self.parents[v], moments=moments) for v in range(self.d)
            ]
            self.moments = moments
            self.control = None
            return
        self.moments = None
        self.mechanisms = []
        for v in range(self.d):
            rows = everything.copy()
            for label, names in self.case.targets.items():
                if self.names[v] in names:
                    rows &= self.values[:, self.condition] != self.level(self.condition, label)
            self.mechanisms.append(self._mechanism(v, self.parents[v], rows))
        if self.condition is None:
            self.control = None
            return
        self.control = self.level(self.condition, "control")
        for label, names in self.case.targets.items():
            level = self.level(self.condition, label)
            rows = self.values[:, self.condition] == level
            for name in names:
                v = self.place[name]
                own = [p for p in self.parents[v] if p != self.condition] if self.case.soft else []
                self.regimes[level, v] = (self._mechanism(v, own, rows), not self.case.soft)

    def _mechanism(self, v, parents, rows):
        kind = Levels if self.has_levels(v) else Linear
        return kind(self, v, parents, rows)

    def level(self, v: int, text: str) -> int:
        return self.variables[v].levels.index(text)

    def mechanism_in(self, v: int, level: int | None):
        found = self.regimes.get((level, v)) if level is not None else None
        return found[0] if found else self.mechanisms[v]

    @property
    def law(self) -> str:
        linear = [m.is_linear for m in self.mechanisms]
        return "gaussian" if all(linear) else "mixed" if any(linear) else "discrete"

    @property
    def is_singular(self) -> bool:
        """Whether some regression has columns that repeat each other."""
        all_of = [*self.mechanisms, *(m for m, _ in self.regimes.values())]
        return any(m.is_linear and m.singular for m in all_of)

    # Joint distributions.

    def joint(self):
        """Mean and covariance of a model of numbers, at the control after an experiment."""
        d = self.d
        kept = [v for v in range(d) if v != self.condition]
        a, constant, noise = np.zeros((d, d)), np.zeros(d), np.zeros(d)
        for v in kept:
            mechanism = self.mechanisms[v]
            constant[v], noise[v] = mechanism.intercept, mechanism.variance
            for p in mechanism.parents:
                beta = mechanism.beta[mechanism.places(p)]
                if p == self.condition:
                    one = np.array([float(self.control)])
                    constant[v] += (self.variables[p].columns(one) @ beta)[0]
                else:
                    a[p, v] = beta[0]
        total = np.linalg.inv(np.eye(d) - a)
        return constant @ total, total.T @ np.diag(noise) @ total

    def regime_rows(self, values):
        """Rows by the condition that they came from."""
        if self.condition is None:
            return [(None, np.ones(len(values), bool))]
        levels = values[:, self.condition]
        return [(int(level), levels == level) for level in np.unique(levels[~np.isnan(levels)])]

    def log_likelihood(self, values: np.ndarray) -> np.ndarray:
        gaps = np.isnan(values).any(axis=1)
        found = np.full(len(values), np.nan)
        for level, rows in self.regime_rows(values):
            rows = rows & ~gaps
            found[rows] = 0.0
            for v in range(self.d):
                regime = self.regimes.get((level, v)) if level is not None else None
                if regime and regime[1]:
                    continue
                found[rows] += self.mechanism_in(v, level).log_density(values[rows])
        for i in np.flatnonzero(gaps):
            found[i] = self._log_likelihood_with_gaps(values[i])
        return found

    def _log_likelihood_with_gaps(self, row):
        there = np.flatnonzero(~np.isnan(row))
        if self.law == "gaussian":
            if not len(there):
                return 0.0
            mean, covariance = self.joint()
            off = row[there] - mean[there]
            block = covariance[np.ix_(there, there)]
            sign, log_determinant = np.linalg.slogdet(block)
            return -0.5 * (len(there) * np.log(2 * np.pi) + log_determinant + off @ np.linalg.solve(block, off))
        if self.law == "discrete":
            grid = self.grid({v: row[v] for v in there})
            found = np.zeros(len(grid))
            for level, rows in self.regime_rows(grid):
                for v in range(self.d):
                    # What a condition sets counts where it has to be summed over only.
                    if (level, v) in self.regimes and self.regimes[level, v][1] and v in there:
                        continue
                    found[rows] += self.mechanism_in(v, level).log_density(grid[rows])
            return np.log(np.exp(found).sum())
        return np.nan

    def grid(self, fixed: dict[int, float], but=()) -> np.ndarray:
        """All rows of levels with some of them fixed."""
        ranges = [
            [fixed[v]] if v in fixed else ([0.0] if v in but else range(len(self.variables[v].levels)))
            for v in range(self.d)
        ]
        return np.array(list(itertools.product(*ranges)), dtype=float)

    # Predictions and residuals.

    def predict(self, values: np.ndarray, v: int) -> np.ndarray:
        """The mean in the units of the table, or one column of probabilities per level."""
        values = values.copy()
        values[:, v] = np.nan
        others = [u for u in range(self.d) if u != v]
        if self.law == "gaussian":
            mean, covariance = self.joint()
            found = np.empty(len(values))
            for i, row in enumerate(values):
                there = [u for u in others if not np.isnan(row[u])]
                pull = np.linalg.solve(covariance[np.ix_(there, there)], row[there] - mean[there]) if there else []
                found[i] = mean[v] + covariance[v, there] @ np.array(pull)
            return self.variables[v].scale.back(found)
        if np.isnan(values[:, others]).any():
            assert self.law == "discrete"
            return np.array([self._predict_levels_with_gaps(row, v) for row in values])
        if not self.mechanisms[v].is_linear:
            logs = []
            for level in range(len(self.variables[v].levels)):
                values[:, v] = level
                logs.append(self._log_joint(values))
            logs = np.array(logs).T
            chances = np.exp(logs - logs.max(axis=1, keepdims=True))
            return chances / chances.sum(axis=1, keepdims=True)
        return self.variables[v].scale.back(self._posterior_mean(values, v))

    def _predict_levels_with_gaps(self, row, v):
        grid = self.grid({u: row[u] for u in range(self.d) if u != v and not np.isnan(row[u])})
        weights = np.exp(self._log_joint(grid))
        chances = np.bincount(grid[:, v].astype(int), weights, minlength=len(self.variables[v].levels))
        return chances / chances.sum()

    def _log_joint(self, values):
        """Log-densities with the mechanisms of each row's condition, set variables included."""
        found = np.zeros(len(values))
        for level, rows in self.regime_rows(values):
            for v in range(self.d):
                found[rows] += self.mechanism_in(v, level).log_density(values[rows])
        return found

    def _posterior_mean(self, values, v):
        found = np.empty(len(values))
        for level, rows in self.regime_rows(values):
            part = values[rows].copy()
            own = [self.mechanism_in(u, level) for u in range(self.d)]
            involved = [m for m in own if m.child == v or v in m.parents]

            def log_sum(x, linear):
                part[:, v] = x
                some = [m.log_density(part) for m in involved if m.is_linear == linear]
                return np.sum(some, axis=0) if some else np.zeros(len(part))

            # The linear factors are quadratic in the value: three points tell mean and variance.
            base = own[v].mean(part)
            unit = np.sqrt(own[v].variance)
            left, middle, right = (log_sum(base + k * unit, True) for k in (-1, 0, 1))
            curvature = 2 * middle - left - right
            mean = base + unit * 0.5 * (right - left) / curvature
            deviation = unit / np.sqrt(curvature)
            if any(not m.is_linear for m in involved):
                nodes = np.linspace(-13, 13, 1601)
                logs = np.array([-0.5 * z * z + log_sum(mean + z * deviation, False) for z in nodes])
                weights = np.exp(logs - logs.max(axis=0))
                mean = mean + deviation * (weights * nodes[:, None]).sum(axis=0) / weights.sum(axis=0)
            found[rows] = mean
        return found

    def reference(self, v: int) -> int:
        return self.control if v == self.condition else 0

    def answer_levels(self, v: int) -> list[int | None]:
        """The columns of answers: the variable, or its levels but the reference."""
        variable = self.variables[v]
        if variable.kind in ("binary", "categorical"):
            return [k for k in range(len(variable.levels)) if k != self.reference(v)]
        return [None]

    def residuals(self, values):
        """Columns by (variable, level) and what the parents leave."""
        columns = []
        for v in range(self.d):
            levels = [None] if self.mechanisms[v].is_linear else self.answer_levels(v)
            columns += [(v, level) for level in levels]
        found = np.full((len(values), len(columns)), np.nan)
        for condition, rows in self.regime_rows(values):
            part = values[rows]
            for k, (v, level) in enumerate(columns):
                mechanism = self.mechanism_in(v, condition)
                if level is None:
                    found[rows, k] = part[:, v] - mechanism.mean(part)
                else:
                    hit = np.where(np.isnan(part[:, v]), np.nan, part[:, v] == level)
                    found[rows, k] = hit - mechanism.chances(part)[:, level]
        return columns, found

    # Interventions.

    def expect(self, settings: dict[int, float]) -> tuple[list[Any], bool, list[Any]]:
        """For each variable the mean or the probabilities on the learnt scale after some are set,
        whether they are simulated, and the standard deviations of single draws."""
        settings = dict(settings)
        if self.condition is not None:
            settings.setdefault(self.condition, float(self.control))
        level = None if self.condition is None else int(settings[self.condition])
        mechanisms = [self.mechanism_in(v, level) for v in range(self.d)]
        curved = any(
            v not in settings and not m.is_linear
            and any(p not in settings and mechanisms[p].is_linear for p in m.parents)
            for v, m in enumerate(mechanisms)
        )
        if not curved:
            return self._expect_exactly(settings, mechanisms), False, []
        rng = np.random.default_rng(1)
        values = np.full((DRAWS, self.d), np.nan)
        for v in self.order:
            values[:, v] = settings[v] if v in settings else mechanisms[v].draw(values, rng)
        answers: list[Any] = [None] * self.d
        spreads: list[Any] = [None] * self.d
        columns: dict[int, np.ndarray] = {}
        for v in self.order:
            if mechanisms[v].is_linear:
                # Means of linear mechanisms are linear in those of the columns of their parents.
                mechanism = mechanisms[v]
                mean = [columns[p] for p in mechanism.parents]
                own = mechanism.intercept + (mechanism.beta @ np.concatenate(mean) if mean else 0.0)
                answers[v] = settings[v] if v in settings else own
                spreads[v] = float(values[:, v].std())
                columns[v] = np.array([answers[v]])
                continue
            shares = np.bincount(values[:, v].astype(int), minlength=len(self.variables[v].levels)) / DRAWS
            answers[v] = shares
            spreads[v] = np.sqrt(shares * (1 - shares)) + 1 / np.sqrt(DRAWS)
            columns[v] = shares[1:] if self.variables[v].is_block else shares[1:2]
        return answers, True, spreads

    def _expect_exactly(self, settings, mechanisms):
        discrete = [v for v in range(self.d) if not mechanisms[v].is_linear]
        numbers = [v for v in range(self.d) if mechanisms[v].is_linear]
        fixed = {v: value for v, value in settings.items()}
        grid = self.grid(fixed, but=[v for v in numbers if v not in fixed])
        for v in numbers:
            if v in settings:
                grid[:, v] = settings[v]
        logs = np.zeros(len(grid))
        for v in discrete:
            if v not in settings:
                logs += mechanisms[v].log_density(grid)
        weights = np.exp(logs)
        answers: list[Any] = [None] * self.d
        # The mean of each column of a regression.
        columns: dict[int, np.ndarray] = {}
        for v in self.order:
            if v in discrete:
                chances = np.bincount(grid[:, v].astype(int), weights, minlength=len(self.variables[v].levels))
                answers[v] = chances / chances.sum()
                columns[v] = answers[v][1:] if self.variables[v].is_block else answers[v][1:2]
                continue
            if v in settings:
                answers[v] = settings[v]
            else:
                mechanism = mechanisms[v]
                mean = [columns[p] for p in mechanism.parents]
                answers[v] = mechanism.intercept + (mechanism.beta @ np.concatenate(mean) if mean else 0.0)
            columns[v] = np.array([answers[v]])
        return answers

    def column(self, answer, v: int, level: int | None) -> float:
        """One number of an answer."""
        if np.ndim(answer) == 0:
            return 1.0 - float(answer) if level == 0 else float(answer)
        if level is not None:
            return float(answer[level])
        return float(answer @ np.arange(len(answer)))

    # Effects.

    def below(self, cause: int) -> set[int]:
        seen: set[int] = set()
        hit = {v for _, v in self.regimes} if cause == self.condition else set()
        queue = [cause]
        seen |= hit
        queue += hit
        while queue:
            i = queue.pop()
            for a, b in self.edges:
                if a == i and b not in seen and b != cause:
                    seen.add(b)
                    queue.append(b)
        return seen

    def between(self, cause: int, target: int) -> list[int]:
        """Variables on directed paths, the target included."""
        return [v for v in self.below(cause) if v == target or target in self.below(v)]

    def effects(self, cause: int) -> dict[tuple[int, int | None, int | None], dict]:
        """Entries by target, level of the cause and level of the target."""
        found = {}
        for to in self.answer_levels(cause):
            simulated = None
            for target in self.below(cause):
                way = self.between(cause, target)
                is_linear = cause != self.condition and all(self.mechanisms[v].is_linear for v in way)
                if is_linear:
                    value, interval = self._linear_effect(cause, to, target, way)
                    for level in self.answer_levels(target):
                        found[target, to, level] = {"value": value, "interval": interval, "error": 0.0}
                    continue
                if simulated is None:
                    simulated = self._difference(cause, to)
                before, after, unit, spreads, moved = simulated
                for level in self.answer_levels(target):
                    value = self.column(after[target], target, level) - self.column(before[target], target, level)
                    error = 0.0
                    if moved is not None:
                        # What an error of the simulated mean of the cause does to the effect.
                        low, high = (self.column(answers[target], target, level) for answers in moved)
                        error = abs(high - low - value)
                    if spreads:
                        spread = spreads[target]
                        spread = spread[level] if np.ndim(spread) else spread
                        error += float(spread) * np.sqrt(2 / PROGRAM_DRAWS + 2 / DRAWS)
                    found[target, to, level] = {"value": value / unit, "interval": None, "error": error / unit}
        return found

    def _difference(self, cause, to):
        """Answers at two values of the cause, their distance, spreads of single draws, and the same
        answers with the mean of the cause off by its standard error, where it is simulated."""
        shift = 0.0
        if to is not None:
            low, high, unit = float(self.reference(cause)), float(to), 1.0
        else:
            answers, is_simulated, spreads = self.expect({})
            spread = float(self.values[:, cause].std())
            if self.variables[cause].kind != "continuous":
                spread = 0.5
            if is_simulated and self.parents[cause]:
                shift = spreads[cause] * np.sqrt(1 / PROGRAM_DRAWS + 1 / DRAWS)
            low, high, unit = answers[cause] - spread, answers[cause] + spread, 2 * spread
        before, _, first = self.expect({cause: low})
        after, _, second = self.expect({cause: high})
        # A condition may decide whether an answer is simulated.
        spreads = [np.maximum(a, b) for a, b in zip(first or second, second or first)]
        moved = None
        if shift:
            moved = (self.expect({cause: low + shift})[0], self.expect({cause: high + shift})[0])
        return before, after, unit, spreads, moved

    def _linear_effect(self, cause, to, target, way):
        """The sum over paths, and its interval by the delta method with exact differences."""
        way = [v for v in self.order if v in way]

        def effect(change: dict[int, np.ndarray]):
            moved = {v: 0.0 for v in range(self.d)}
            for v in way:
                mechanism = self.mechanisms[v]
                beta = change.get(v, mechanism.beta)
                sum_ = 0.0
                for p in mechanism.parents:
                    own = beta[mechanism.places(p)]
                    if p == cause:
                        if self.variables[p].is_block:
                            step = np.zeros(len(own))
                            step[to - 1] = 1.0
                            sum_ += own @ step
                        else:
                            sum_ += own[0]
                    elif p in way:
                        sum_ += own[0] * moved[p]
                moved[v] = sum_
            return moved[target]

        value = effect({})
        variance, by_freedom = 0.0, 0.0
        for v in way:
            mechanism = self.mechanisms[v]
            if mechanism.covariance is None or mechanism.freedom <= 0:
                return value, None
            gradient = np.zeros(len(mechanism.beta))
            for k in range(len(gradient)):
                size = max(abs(mechanism.beta[k]), np.sqrt(mechanism.covariance[k, k]), 1e-300)
                high, low = mechanism.beta.copy(), mechanism.beta.copy()
                high[k] += size
                low[k] -= size
                # The effect is linear in each coefficient, so this difference is exact.
                gradient[k] = (effect({v: high}) - effect({v: low})) / (2 * size)
            own = float(gradient @ mechanism.covariance @ gradient)
            variance += own
            by_freedom += own * own / mechanism.freedom
        if variance <= 0:
            return value, None
        reach = stats.t.ppf(0.975, variance * variance / by_freedom) * np.sqrt(variance)
        return value, (value - reach, value + reach)


def expectation_maximisation(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of a normal distribution from a table with holes."""
    d = values.shape[1]
    middle, unit = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    z = (values - middle) / unit
    mean, covariance = np.zeros(d), np.diag(np.ones(d))
    patterns: dict[bytes, list[int]] = {}
    for i, gap in enumerate(np.isnan(z)):
        patterns.setdefault(gap.tobytes(), []).append(i)
    for _ in range(5000):
        total, second = np.zeros(d), np.zeros((d, d))
        for rows in patterns.values():
            block = z[rows].copy()
            gap = np.isnan(block[0])
            there = ~gap
            if gap.any():
                pull = np.linalg.solve(covariance[np.ix_(there, there)], covariance[np.ix_(there, gap)]) if there.any() else np.zeros((0, gap.sum()))
                block[:, gap] = mean[gap] + (block[:, there] - mean[there]) @ pull
                left = covariance[np.ix_(gap, gap)] - covariance[np.ix_(gap, there)] @ pull
                second[np.ix_(gap, gap)] += len(rows) * left
            total += block.sum(axis=0)
            second += block.T @ block
        new_mean = total / len(z)
        new = second / len(z) - np.outer(new_mean, new_mean)
        change = max(np.abs(new - covariance).max(), np.abs(new_mean - mean).max())
        mean, covariance = new_mean, new
        if change < 1e-13:
            break
    return middle + unit * mean, covariance * np.outer(unit, unit)
