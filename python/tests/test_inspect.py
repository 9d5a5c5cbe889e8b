"""A look at a table before learning."""

import numpy as np
import pandas as pd
import pytest

import nocurl


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(1)
    n = 120
    x = rng.normal(size=n)
    return pd.DataFrame({
        "patient_id": np.arange(1, n + 1),
        "x": x,
        "y": 2 * x + rng.normal(size=n),
        "income": np.exp(2.5 * rng.normal(size=n)),
        "zone": rng.choice(["north", "south", "west"], n),
        "grade": rng.integers(1, 5, n),
        "ozone": np.where(rng.random(n) < 0.1, -999.0, rng.normal(40, 5, n)),
        "nothing": np.full(n, np.nan),
    })


def test_columns_kinds_and_what_to_call(table):
    found = nocurl.inspect(table)
    kinds = {column["name"]: column["kind"] for column in found.columns}
    assert kinds["zone"] == "categorical" and kinds["x"] == "continuous"
    assert found.left_out == [{"name": "nothing", "why": "no values"}]
    names = {suspicion["name"]: suspicion["columns"] for suspicion in found.suspicions}
    assert names["row-numbers"] == ["patient_id"]
    assert names["sentinels"] == ["ozone"]
    assert names["few-values"] == ["grade"]
    assert found.next == (
        "nocurl.learn(X, drop=['patient_id'], na=['-999'], missing='drop')"
    )
    graph = nocurl.learn(table, drop=["patient_id"], na=["-999"], missing="drop", confidence=False)
    assert "patient_id" not in graph.variables
    x = next(column for column in found.columns if column["name"] == "x")
    assert np.isclose(x["mean"], table["x"].mean()) and x["least"] == table["x"].min()
    assert sum(x["histogram"]) == len(table) and x["missing"] == 0


def test_shown_in_terminals_and_notebooks(table):
    found = nocurl.inspect(table, na=-999)
    assert "row-numbers" in repr(found) and "next: nocurl.learn(X" in repr(found)
    page = found._repr_html_()
    assert page.count("<tr>") == 1 + len(found.columns) and "patient_id" in page
    assert nocurl.inspect(pd.DataFrame({"<b>": [1, 2, 4], "c": [3, 1, 2]}))._repr_html_().count("<b>") == 1
    assert list(found.to_pandas()["name"]) == [column["name"] for column in found.columns]
    assert found.to_dict()["schema"] == "nocurl/inspection/1"
    ozone = next(column for column in found.columns if column["name"] == "ozone")
    assert ozone["missing"] > 0 and ozone["least"] > 0


def test_what_cannot_be_looked_at_is_said(table):
    with pytest.raises(ValueError, match="does not say how a table is read"):
        nocurl.inspect(table, penalty=2)
    with pytest.raises(ValueError, match="moments have no cells"):
        nocurl.inspect(nocurl.Moments.of(table[["x", "y"]]))
    with pytest.raises(ValueError, match="no column `q`"):
        nocurl.inspect(table, drop="q")


def test_suspicions_are_notes_of_a_result(table):
    graph = nocurl.learn(table, na=-999, missing="drop", confidence=False)
    notes = {finding["check"]: finding for finding in graph.diagnosis}
    assert notes["row-numbers"]["advice"] == [{"leave_out": ["patient_id"]}]
    assert "drop=['patient_id']" in notes["row-numbers"]["sentence"]
    assert "sentinels" not in notes
