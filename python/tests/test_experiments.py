"""Experiments: conditions, targets, and what to do next."""

import numpy as np
import pytest

import nocurl


def _experiment(seed: int = 0):
    """x1 -> x2 -> x3, a control and a condition that sets x2."""
    random = np.random.default_rng(seed)
    n = 300
    labels = np.array(["control"] * n + ["drug"] * n)
    x1 = random.normal(size=2 * n)
    x2 = np.where(labels == "drug", random.normal(2, 1, 2 * n), x1 + random.normal(size=2 * n))
    x3 = x2 + random.normal(size=2 * n)
    return np.column_stack([x1, x2, x3]), labels


def test_conditions_beside_an_array_determine_directions():
    X, labels = _experiment()
    model = nocurl.OrderSearch(hide_condition=True).fit(
        X, conditions=labels, targets={"drug": ["x2"]}
    )
    edges = {(a, b) for a, b, _ in model.graph_.edges}
    assert edges == {("x1", "x2"), ("x2", "x3")}
    assert model.graph_.conditions[0]["name"] == "control"
    assert "condition" not in model.graph_.variables


def test_conditions_can_be_a_column():
    pandas = pytest.importorskip("pandas")
    X, labels = _experiment()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"]).assign(batch=labels)
    graph = nocurl.learn(frame, condition="batch", targets={"drug": "b"}, confidence=False)
    assert "batch" in graph.variables
    named = frame.assign(batch=frame["batch"].replace({"drug": "b"}))
    same = nocurl.learn(named, target_column="batch", confidence=False)
    assert [edge[:2] for edge in same.edges] == [edge[:2] for edge in graph.edges]


def test_each_file_can_be_a_condition(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, labels = _experiment()
    frame = pandas.DataFrame(X, columns=["a", "b", "c"])
    paths = []
    for label in ("control", "drug"):
        paths.append(tmp_path / f"{label}.csv")
        frame[labels == label].to_csv(paths[-1], index=False)
    targets = {"drug": "b"}
    graph = nocurl.learn(paths, condition_from_files=True, targets=targets, confidence=False)
    whole = nocurl.learn(
        frame.assign(condition=labels), condition="condition", targets=targets, confidence=False
    )
    assert [edge[:2] for edge in graph.edges] == [edge[:2] for edge in whole.edges]
    assert [condition["name"] for condition in graph.conditions] == ["control", "drug"]
    with pytest.raises(ValueError, match="there is one file"):
        nocurl.learn(paths[0], condition_from_files=True)
    with pytest.raises(ValueError, match="no file"):
        nocurl.learn(frame, condition_from_files=True)
    with pytest.raises(ValueError, match="by files and by a column"):
        nocurl.learn(paths, condition_from_files=True, condition="a")


def test_wrong_conditions_are_refused():
    X, labels = _experiment()
    with pytest.raises(ValueError, match="300 conditions for 600 rows"):
        nocurl.OrderSearch().fit(X, conditions=labels[:300])
    with pytest.raises(ValueError, match="there is no such column"):
        nocurl.OrderSearch().fit(X, conditions=labels, targets={"drug": "x9"})
    with pytest.raises(ValueError, match="targets need conditions"):
        nocurl.OrderSearch().fit(X, targets={"drug": "x2"})
    with pytest.raises(ValueError, match="does not learn from experiments"):
        nocurl.EqBU().fit(X, conditions=labels)


def test_the_next_experiment():
    X, labels = _experiment()
    graph = nocurl.learn(X[labels == "control"], confidence=False)
    best = graph.next_experiment()[0]
    assert best["expected"] >= 1 and best["targets"]
    with pytest.raises(ValueError, match="no variable of the graph"):
        graph.next_experiment(only="x9")
