"""A learnt graph as a model, its relatives, and effects over its class."""

import json
import warnings

import numpy as np
import pytest

import nocurl


@pytest.fixture
def drawn():
    return nocurl.simulate(variables=5, rows=800, degree=2, random_state=3)


def pair():
    document = json.loads(nocurl.Graph.from_adjacency([[0, 1.0], [1.0, 0]], ["a", "b"]).to_json())
    document["edges"] = [{"from": "a", "to": "b", "weight": 2.0, "direction": "undetermined"}]
    document |= {"means": [1.0, 10.0], "error_variances": [1.0, 3.0]}
    return nocurl.Graph.from_json(json.dumps(document))


def test_learning_twice_gives_equal_graphs(drawn):
    assert nocurl.learn(drawn.data) == nocurl.learn(drawn.data)
    assert nocurl.learn(drawn.data) != nocurl.learn(drawn.data, random_state=1)


def test_scores_predictions_and_new_rows(drawn):
    graph = nocurl.learn(drawn.data)
    rows = np.asarray(drawn.data)
    assert graph.score(rows) == pytest.approx(np.mean(graph.log_likelihood(rows)))
    assert graph.residuals(rows).shape == rows.shape
    predicted = graph.predict(rows, "x2")
    others = np.delete(rows, 1, axis=1)
    design = np.column_stack([np.ones(len(rows)), others])
    best = design @ np.linalg.lstsq(design, rows[:, 1], rcond=None)[0]
    assert np.corrcoef(predicted, best)[0, 1] > 0.99
    new = graph.sample(4000, random_state=1)
    assert np.allclose(new.mean(axis=0), rows.mean(axis=0), atol=0.4)
    assert np.array_equal(new, graph.sample(4000, random_state=1))
    with pytest.raises(ValueError, match="5 features"):
        graph.score(rows[:, :3])
    # Missing cells are integrated out: one value less is one factor less.
    gaps = np.where(rows == rows[0, 0], np.nan, rows)
    assert np.isfinite(graph.log_likelihood(gaps)).all()
    with pytest.raises(ValueError, match="x1.*infinite"):
        graph.score(np.where(rows == rows[0, 0], np.inf, rows))
    with pytest.raises(ValueError, match="not a variable"):
        graph.predict(rows, "q")
    with pytest.raises(ValueError, match="error variances"):
        nocurl.Graph.from_adjacency([[0, 1.0], [0, 0]]).score(np.zeros((3, 2)))


def test_cross_validation_works(drawn):
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(nocurl.OrderSearch(), {"penalty": [1.0, 50.0, 1000.0]}, cv=3)
    search.fit(np.asarray(drawn.data))
    assert np.isfinite(search.best_score_)
    assert search.best_params_["penalty"] < 1000


def test_relatives_and_adjustment():
    weights = [[0, 1.0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    graph = nocurl.Graph.from_adjacency(weights, ["age", "dose", "health", "work"])
    assert graph.parents("health") == ["age", "dose"]
    assert graph.ancestors("work") == ["age", "dose", "health"]
    assert graph.markov_blanket("age") == ["dose", "health"]
    sets = graph.adjustment_sets("dose", "work")
    assert sets == {"optimal": ["age"], "minimal": ["age"], "parents": ["age"]}
    assert graph.adjustment_sets("work", "dose") is None
    with pytest.raises(ValueError, match="not a variable"):
        graph.parents("q")
    with pytest.raises(ValueError, match="same variable"):
        graph.adjustment_sets("age", "age")


def test_effects_through_undetermined_edges_are_ranges_with_a_warning():
    graph = pair()
    with pytest.warns(nocurl.ResultWarning, match="undetermined"):
        table = graph.effects("a")
    assert table.loc[0, ["least", "most"]].tolist() == [0.0, 2.0]
    assert sorted(table.attrs["values"]["b"]) == [0.0, 2.0]
    with pytest.warns(nocurl.ResultWarning):
        assert graph.intervene({"a": 2.0})["b"] == 12.0
    assert graph.intervention_ranges({"a": 2.0})["b"] == (10.0, 12.0)
    for ask in (graph.total_effects, lambda: graph.parents("a"), lambda: graph.ancestors("b")):
        with pytest.warns(nocurl.ResultWarning):
            ask()
    with pytest.warns(nocurl.ResultWarning):
        assert graph.adjustment_sets("a", "b") is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert graph.markov_blanket("a") == ["b"]


def test_the_shape_of_errors_directs_where_it_is_asked_for():
    random = np.random.default_rng(1)
    cause = random.exponential(size=600)
    table = np.column_stack([cause + random.exponential(size=600), cause])
    graph = nocurl.learn(table, error_shape=True, confidence=False)
    assert graph.is_determined("x2", "x1")
    assert json.loads(graph.to_json())["edges"][0]["evidence"] == "error-shape"
    assert nocurl.learn(table).undirected == {frozenset(("x1", "x2"))}
    assert nocurl.Lingam().fit(table).graph_.order == ["x2", "x1"]
