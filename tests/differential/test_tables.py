"""Random tables: every answer of Python next to that of the oracle."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import compare
from generate import generate

#: Cases per piece of work.
PIECE = 25

#: Differences that are shown of a run.
SHOWN = 40


def check_piece(first: int, last: int, seed: int) -> tuple[list[str], Counter]:
    """The differences of some cases."""
    found, counts = [], Counter()
    for number in range(first, last):
        own, counted = compare.check(number, seed)
        found += own
        counts += counted
    return found, counts


def test_answers_agree_with_the_oracle(cases, seed):
    workers = max(2, os.cpu_count() or 1)
    starts = range(0, cases, PIECE)
    found: list[str] = []
    counts: Counter = Counter()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(check_piece, k, min(cases, k + PIECE), seed) for k in starts]
        for job in jobs:
            own, counted = job.result()
            found += own
            counts += counted
    print(dict(sorted(counts.items())))
    wrong = sorted({line.split(":")[0] for line in found})
    assert not found, (
        f"{len(found)} differences in {len(wrong)} of {cases} cases (seed {seed}); "
        "python tests/differential/compare.py NUMBER repeats one:\n" + "\n".join(found[:SHOWN])
    )
    assert counts["tables"] == cases
    # A run that compares nothing would pass as well.
    if cases >= 500:
        answers = ["kinds", "weights", "mechanisms", "effects", "ranges", "adjustment", "interventions"]
        answers += ["intervention-ranges", "likelihood", "predictions", "residuals", "samples", "files"]
        answers += ["relatives", "shapes", "refusals", "law-gaussian", "law-discrete", "law-mixed", "knowledge"]
        lacking = [what for what in answers if counts[what] < cases // 100]
        assert not lacking, f"too few comparisons of {lacking}: {counts}"


def test_the_oracle_agrees_with_statsmodels(seed):
    """Weights, intervals and predictions of the oracle are those of statsmodels."""
    import statsmodels.api as sm

    checked = 0
    for number in range(60):
        case = generate(number, seed)
        if case.condition or case.missing == "em":
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            oracle = compare.Oracle(case, compare.learn(case)._document)
        for v, mechanism in enumerate(oracle.mechanisms):
            if not mechanism.is_linear or not mechanism.parents or mechanism.singular:
                continue
            design = sm.add_constant(oracle.design(oracle.values, mechanism.parents), has_constant="add")
            right = sm.OLS(oracle.values[:, v], design).fit()
            np.testing.assert_allclose(mechanism.beta, right.params[1:], rtol=1e-6, atol=1e-9 * abs(right.params).max())
            np.testing.assert_allclose(np.sqrt(np.diag(mechanism.covariance)), right.bse[1:], rtol=1e-6)
            np.testing.assert_allclose(mechanism.freedom, right.df_resid)
            checked += 1
    assert checked > 20


@pytest.mark.parametrize("what", ["weight", "intercept", "effect", "interval"])
def test_a_wrong_number_is_found(what, seed):
    """The comparison fails when a number of the document changes in the fifth digit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(200):
            case = generate(number, seed)
            if case.flavour != "numbers" or case.condition or case.missing == "em":
                continue
            graph = compare.learn(case)
            if graph.n_edges:
                break
        document = graph._document
        assert not found_by(case, graph)
        edge = document["edges"][0]
        child = document["variables"].index(edge["to"])
        mechanism = document["model"]["mechanisms"][child]
        if what == "weight":
            edge["weight"] *= 1.00001
        elif what == "intercept":
            mechanism["intercept"] += 1e-4 * (abs(mechanism["intercept"]) + mechanism["variance"] ** 0.5)
        elif what == "effect":
            mechanism["parents"][0]["coefficients"][0] *= 1.00001
        else:
            edge["interval"][1] *= 1.00001
        assert found_by(case, type(graph)(document))


def found_by(case, graph) -> list[str]:
    comparison = compare.Comparison(case, graph)
    comparison.weights()
    comparison.mechanisms()
    comparison.effects()
    return comparison.found
