"""Answers of graphs with categories: levels by name, one row, gaps, new levels."""

import json

import networkx
import numpy as np
import pandas as pd
import pytest

import nocurl


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 2000
    sex = np.array(["f", "m"])[rng.integers(0, 2, n)]
    x = rng.normal(size=n)
    score = 1.1 * x + 0.8 * (sex == "m") + rng.normal(size=n)
    kind = np.array(["a", "b", "c"])[np.digitize(score, [-0.5, 0.8])]
    weight = 1.5 * (kind == "b") + 3.0 * (kind == "c") + 2 * (sex == "m") + rng.normal(size=n)
    return pd.DataFrame({"sex": sex, "x": x, "kind": kind, "weight": weight})


@pytest.fixture(scope="module")
def graph(table):
    tiers = {"tiers": [["sex", "x"], ["kind"], ["weight"]]}
    return nocurl.learn(table, confidence=False, knowledge=tiers)


def least_squares(table):
    base = table.kind.mode()[0]
    others = [level for level in ("a", "b", "c") if level != base]
    columns = [table.kind == level for level in others] + [table.sex == "m"]
    design = np.column_stack([np.ones(len(table)), *columns]).astype(float)
    return base, others, np.linalg.lstsq(design, table.weight, rcond=None)[0]


def test_strength_never_stands_for_a_weight(graph, table):
    base, others, fitted = least_squares(table)
    weights = {(cause, effect): weight for cause, effect, weight in graph.edges}
    assert weights["kind", "weight"] is None
    assert weights["sex", "weight"] == pytest.approx(fitted[3], rel=1e-9)
    place = {name: i for i, name in enumerate(graph.variables)}
    assert np.isnan(graph.weights[place["kind"], place["weight"]])
    assert np.isnan(graph.to_pandas().set_index(["from", "to"]).weight["kind", "weight"])
    drawn = graph.to_networkx()
    assert isinstance(drawn, networkx.DiGraph)
    assert "weight" not in drawn.edges["kind", "weight"]
    by_level = {e["from_level"]: e for e in graph.edges_by_level if e["from"] == "kind"}
    for level, value in zip(others, fitted[1:3]):
        assert by_level[level]["from_base"] == base
        assert by_level[level]["weight"] == pytest.approx(value, rel=1e-9)


def test_effects_have_an_entry_for_each_level(graph, table):
    base, others, fitted = least_squares(table)
    found = graph.effects("kind").set_index(["from_level", "to"])
    for level, value in zip(others, fitted[1:3]):
        row = found.loc[level, "weight"]
        assert row.effect == pytest.approx(value, rel=1e-9)
        assert row.lower < value < row.upper and row.from_base == base
    effects = graph.total_effects()
    assert effects.loc[f"kind={others[0]}", "weight"] == pytest.approx(fitted[1], rel=1e-9)


def test_levels_are_set_by_name_only(graph):
    low, high = (graph.intervene({"kind": level})["weight"] for level in ("a", "c"))
    assert high - low == pytest.approx(3.0, abs=0.3)
    for wrong in ("d", 1, 0.5):
        with pytest.raises(ValueError, match="no level"):
            graph.intervene({"kind": wrong})
    assert graph.intervene({"sex": "m"})["sex=m"] == 1.0


def test_rows_are_matched_by_name_and_one_is_enough(graph, table):
    each = graph.log_likelihood(table)
    shuffled = table[["weight", "kind", "x", "sex"]].assign(other="?")
    assert np.allclose(graph.log_likelihood(shuffled), each, rtol=1e-12)
    row = table.iloc[0].to_dict()
    for one in (row, table.iloc[0], table.iloc[:1], {k: [v] for k, v in row.items()}):
        assert graph.log_likelihood(one) == pytest.approx(each[:1], rel=1e-12)
    predicted = graph.predict({k: v for k, v in row.items() if k != "kind"}, "kind")
    chances = graph.predict(table, "kind", probabilities=True)
    assert predicted.tolist() == graph.predict(table, "kind")[:1].tolist()
    assert chances.shape == (len(table), 3) and np.allclose(chances.sum(axis=1), 1)
    assert (graph.predict(table, "kind") == table.kind).mean() > 0.6
    # A column with one level, or of one value, is no reason to stop.
    alone = table[table.kind == "b"]
    assert np.allclose(graph.log_likelihood(alone), each[table.kind == "b"], rtol=1e-12)


def test_what_was_not_learnt_from_is_named(graph, table):
    new = table.iloc[:3].assign(kind=["a", "q", "b"])
    with pytest.raises(ValueError, match="row 2, `kind`: level `q`.*unknown_level='missing'"):
        graph.score(new)
    with pytest.raises(ValueError, match="no column `kind`, which the graph needs"):
        graph.score(table.drop(columns="kind"))
    with pytest.raises(ValueError, match="row 1 has no value for `x`"):
        graph.score(table.iloc[:2].assign(x=[np.nan, 1.0]))
    with pytest.raises(ValueError, match="'high' is not a number"):
        graph.score(table.iloc[:2].assign(x=["high", "low"]))


def test_a_file_gives_the_answers_of_memory(graph, table, tmp_path):
    graph.write(tmp_path / "g.json")
    same = nocurl.read_graph(tmp_path / "g.json")
    assert np.allclose(same.log_likelihood(table), graph.log_likelihood(table), rtol=1e-12)
    assert same.intervene({"kind": "b"}) == graph.intervene({"kind": "b"})
    document = json.loads(same.to_json())
    assert document["schema"] == "nocurl/graph/3"
    assert {tuple(e["marks"]) for e in document["edges"]} <= {("tail", "arrow"), ("circle",) * 2}
    assert all(edge["lag"] == 0 for edge in document["edges"])
    for ending in ("dot", "graphml", "gml"):
        graph.write(tmp_path / f"g.{ending}")
        with pytest.raises(ValueError, match="does not hold its model"):
            nocurl.read_graph(tmp_path / f"g.{ending}").score(table)
    with pytest.raises(ValueError, match="part of a larger graph"):
        graph.part("kind").effects("kind")


def test_drawn_rows_have_levels(graph, table):
    drawn = graph.sample(4000, random_state=1)
    assert set(drawn.kind) == {"a", "b", "c"} and set(drawn.sex) == {"f", "m"}
    assert abs(drawn.weight.mean() - table.weight.mean()) < 0.2
    assert np.isfinite(graph.score(drawn))


def test_numbers_as_levels_go_by_name():
    rng = np.random.default_rng(1)
    sex = rng.integers(1, 3, 800)
    y = 2.0 * sex + rng.normal(size=800)
    table = pd.DataFrame({"sex": sex, "y": y})
    knowledge = {"sources": ["sex"]}
    graph = nocurl.learn(table, categorical="sex", confidence=False, knowledge=knowledge)
    for level in (1, 2):
        expected = y[sex == level].mean()
        assert graph.intervene({"sex": level})["y"] == pytest.approx(expected, rel=1e-9)
    for wrong in (0, 7):
        with pytest.raises(ValueError, match="no level"):
            graph.intervene({"sex": wrong})
    off = y - np.where(sex == 1, y[sex == 1].mean(), y[sex == 2].mean())
    share, variance = (sex == 2).mean(), np.mean(off**2)
    normal = -0.5 * (np.log(2 * np.pi * variance) + 1)
    of_sex = -0.5 * (np.log(2 * np.pi * share * (1 - share)) + 1)
    assert graph.score(table) == pytest.approx(normal + of_sex, rel=1e-9)
