"""Learning as another graph was learnt."""

import numpy as np
import pandas as pd
import pytest

import nocurl


@pytest.fixture(scope="module")
def tables():
    def table(seed):
        drawn = nocurl.simulate(variables=5, rows=300, degree=2, random_state=seed)
        frame = pd.DataFrame(np.exp(drawn.data / np.abs(drawn.data).max()), columns=list("abcde"))
        frame["size"] = np.where(frame.a > 1.5, "large", np.where(frame.b > 1, "medium", "small"))
        frame.loc[7, "c"] = np.nan
        return frame

    return table(1), table(2)


def learn(table, **params):
    return nocurl.learn(table, confidence=False, diagnose=False, **params)


SETTINGS = {
    "method": "order-search",
    "penalty": 1.5,
    "missing": "drop",
    "drop": "e",
    "ordinal": {"size": ["small", "medium", "large"]},
    "transforms": "log:a,b",
    "knowledge": {"tiers": [["a", "b"], ["c", "d"]]},
    "prune": "bic",
    "random_state": 4,
}


def test_a_graph_or_its_file_stands_for_its_settings(tables, tmp_path):
    first, second = tables
    graph, expected = learn(first, **SETTINGS), learn(second, **SETTINGS)
    path = tmp_path / "graph.json"
    graph.write(path)
    for like in (graph, path, str(path)):
        again = learn(second, like=like)
        assert again == expected
        assert again.parameters == expected.parameters and again.seed == 4


def test_what_is_given_counts_more(tables):
    first, second = tables
    graph = learn(first, **SETTINGS)
    again = learn(second, like=graph, missing="em", transforms="none")
    assert again.parameters["missing"] == "em" and again.parameters["penalty"] == 1.5
    other = learn(second, like=graph, method="nocurl")
    assert other.method == "nocurl" and other.variables == graph.variables
    assert other.parameters.get("penalty") != 1.5


def test_defaults_stay_defaults(tables):
    first, _ = tables
    plain = first[["a", "b", "d"]]
    assert learn(plain, like=learn(plain)) == learn(plain)


def test_what_cannot_be_taken_is_said(tables):
    first, _ = tables
    with pytest.raises(ValueError, match="does not say how it was learnt"):
        learn(first, like=nocurl.Graph.from_adjacency(np.zeros((2, 2))))
    with pytest.raises(TypeError, match="like is a int"):
        learn(first, like=3)
    mixed = first[["a", "b"]].assign(place=["x", "y"] * 150)
    graph = learn(mixed, condition="place")
    with pytest.raises(ValueError, match="learnt from experiments"):
        learn(mixed, like=graph)
    assert learn(mixed, like=graph, condition="place") == graph
