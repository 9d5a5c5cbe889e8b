"""The report: one HTML file."""

import json

import numpy as np
import pandas as pd
import pytest

import nocurl


def told(page):
    """What the script of a report reads."""
    return json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])


def test_a_report_has_all_that_was_found(tmp_path):
    drawn = nocurl.simulate(variables=5, rows=500, random_state=1)
    graph = nocurl.OrderSearch(restarts=20, random_state=2).fit(drawn.data).graph_
    graph.report(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert page == graph.to_html() and "Content-Security-Policy" in page
    data = told(page)
    assert [variable["name"] for variable in data["variables"]] == graph.variables
    assert np.shape(data["sample"]) == (5, 300)
    assert data["command"] == "nocurl.OrderSearch(random_state=2, restarts=20).fit(X).graph_"
    assert np.shape(told(graph.to_html(rows=40))["sample"]) == (5, 40)
    assert told(graph.to_html(rows=0))["sample"] == []
    # Files hold no rows, and are the same graph.
    read = nocurl.Graph.from_json(graph.to_json())
    assert read == graph and "sample" not in json.loads(graph.to_json())
    assert told(read.to_html())["sample"] == []
    for wrong in [-1, 1.5, True]:
        with pytest.raises(ValueError, match="whole number"):
            graph.to_html(rows=wrong)
    with pytest.raises(ValueError, match="ends in .html"):
        graph.report(tmp_path / "r.txt")


def test_names_and_levels_are_never_markup(tmp_path):
    rng = np.random.default_rng(0)
    cause = rng.normal(size=400)
    table = pd.DataFrame({
        "</script><script>alert(1)</script>": cause,
        "<img src=x onerror=alert(1)>": cause + rng.normal(size=400),
        "kind": np.where(cause > 0, "</script><b>", "'\"><svg onload=alert(1)>"),
    })
    graph = nocurl.learn(table, confidence=False)
    for page in [graph.to_html(), graph._repr_html_(), graph.to_svg()]:
        rest = page.replace("</script>\n", "")
        assert "<script>alert" not in page and "<img" not in page and "<b></b>" not in rest
        assert "<svg onload" not in page
    names = [variable["name"] for variable in told(graph.to_html())["variables"]]
    assert names == list(table.columns)


def test_two_graphs_in_a_report(tmp_path):
    one = nocurl.Graph.from_adjacency([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
    other = nocurl.Graph.from_adjacency([[0, 0, 2], [1, 0, 0], [0, 0, 0]], ["a", "b", "c"])
    found = one.compare(other, names=("one", "other"))
    found.write(tmp_path / "both.html")
    data = told((tmp_path / "both.html").read_text())
    assert data["compared"]["graphs"] == ["one", "other"] and data == told(found.to_html())
    parts = {(edge["part"]) for edge in data["views"][0]["edges"]}
    assert parts == {"reversed", "first", "second"}
