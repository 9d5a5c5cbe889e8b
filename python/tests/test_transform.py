"""Columns on other scales."""

import warnings

import numpy as np
import pandas as pd
import pytest

import nocurl


@pytest.fixture(scope="module")
def plain():
    drawn = nocurl.simulate(variables=4, rows=400, degree=2, random_state=3)
    return pd.DataFrame(drawn.data / np.abs(drawn.data).max(), columns=list("abcd"))


def learn(table, **params):
    return nocurl.learn(table, confidence=False, diagnose=False, **params)


def test_logarithms_are_undone_for_new_data(plain):
    skewed = np.exp(plain)
    graph, expected = learn(skewed, transforms="log:*"), learn(plain)
    assert np.allclose(graph.weights, expected.weights)
    assert [kind["transforms"] for kind in graph.kinds] == [[{"name": "log"}]] * 4
    assert np.isclose(graph.score(skewed), expected.score(plain))
    assert np.allclose(graph.predict(skewed, "b"), np.exp(expected.predict(plain, "b")))
    assert np.allclose(graph.residuals(skewed), expected.residuals(plain))
    assert np.allclose(graph.sample(5, 1), np.exp(expected.sample(5, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        moved, plain_moved = graph.intervene({"a": np.e}), expected.intervene({"a": 1.0})
    assert np.allclose(list(moved.values()), np.exp(list(plain_moved.values())))
    again = nocurl.Graph.from_json(graph.to_json())
    assert again == graph and np.isclose(again.score(skewed), graph.score(skewed))
    with pytest.raises(ValueError, match=r"learnt as log\(a\)"):
        graph.score(plain)


def test_ranks_and_rules(plain):
    skewed = np.exp(3 * plain)
    # Between the knots of the kept table scores are interpolated, on other scales in other ways.
    np.testing.assert_allclose(
        learn(skewed, transforms="rank:*").weights,
        learn(plain, transforms={"rank": ["*"]}).weights,
        atol=1e-4,
    )
    graph = learn(skewed, transforms=["log:*", "none:a", "rank:b"])
    names = [[step["name"] for step in kind.get("transforms", [])] for kind in graph.kinds]
    assert names == [[], ["rank"], ["log"], ["log"]]
    assert graph.parameters["transform"] == ["log:*", "none:a", "rank:b"]
    scaled = learn(plain, standardize=True)
    assert np.allclose(scaled.means, 0)
    clone = nocurl.OrderSearch(transforms="auto").fit(plain)
    assert clone.get_params()["transforms"] == "auto"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("log:*", r"`a` has .* transforms='rank:"),
        ("log:z", "no column `z`"),
        ("square:a", "is no transformation"),
        (3, "is no transformation"),
        ({"log": []}, "empty"),
    ],
)
def test_what_cannot_be_done_is_said(plain, rule, words):
    with pytest.raises(ValueError, match=words):
        learn(plain, transforms=rule)


def test_moments_are_not_transformed_in_silence(plain):
    moments = nocurl.Moments.of(plain)
    for settings in ({"standardize": True}, {"transforms": "log:*"}):
        with pytest.raises(ValueError, match="moments have no cells"):
            nocurl.learn(moments, **settings)


def test_inspect_takes_the_same_names(plain):
    nocurl.inspect(plain, transforms="rank:*")
    with pytest.raises(ValueError, match="`transform` does not say how a table is read"):
        nocurl.inspect(plain, transform="rank:*")
