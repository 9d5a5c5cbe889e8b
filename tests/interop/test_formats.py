"""The files nocurl reads and writes, in the programs people use for them."""

import json
import os
import subprocess

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pydot
import pytest

NOCURL = os.environ["NOCURL"]
NAMES = ["plain", "with space", 'quo"te', "comma,s", "<&>", "größe"]


def nocurl(*arguments, **options):
    result = subprocess.run([NOCURL, *map(str, arguments)], capture_output=True, **options)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(7)
    values = rng.normal(size=(400, len(NAMES)))
    for j in range(1, len(NAMES)):
        values[:, j] += 1.5 * values[:, j - 1]
    return pd.DataFrame(values, columns=NAMES)


@pytest.fixture(scope="module")
def learnt(frame, tmp_path_factory):
    folder = tmp_path_factory.mktemp("learnt")
    frame.to_csv(folder / "data.csv", index=False)
    endings = ["json", "dot", "graphml", "gml", "csv"]
    outputs = [a for e in endings for a in ("--output", folder / f"graph.{e}")]
    nocurl("learn", folder / "data.csv", "--quiet", *outputs)
    document = json.loads((folder / "graph.json").read_text())
    edges = {(e["from"], e["to"]): e["weight"] for e in document["edges"]}
    assert len(edges) >= len(NAMES) - 1
    return folder, document, edges


def weighted(graph, weight="weight"):
    return {(u, v): float(w) for u, v, w in graph.edges(data=weight)}


def marks(document):
    """The attribute `direction` that every edge should have."""
    return {(e["from"], e["to"]): e["direction"] for e in document["edges"]}


def marked(graph):
    return {(u, v): mark for u, v, mark in graph.edges(data="direction")}


def test_json_has_what_scripts_rely_on(learnt):
    _, document, _ = learnt
    for key in ("schema variables edges order potential class determines method parameters seed version "
                "input termination warnings elapsed_seconds").split():
        assert key in document, key
    assert document["variables"] == NAMES
    assert sorted(document["order"]) == sorted(NAMES)
    assert set(document["class"]) == {"directed", "undirected"}
    assert document["input"]["rows"] == 400


def test_graphml_and_gml_open_in_networkx(learnt):
    folder, document, edges = learnt
    graphml = nx.read_graphml(folder / "graph.graphml")
    labels = nx.get_node_attributes(graphml, "name") or {n: n for n in graphml}
    gml = nx.read_gml(folder / "graph.gml", label="label")
    for graph in (nx.relabel_nodes(graphml, labels), gml):
        assert weighted(graph) == edges
        assert marked(graph) == marks(document)
        assert graph.graph["determines"] == document["determines"]
        means = nx.get_node_attributes(graph, "mean")
        assert [means[name] for name in NAMES] == document["means"]


def test_dot_opens_in_pydot(learnt):
    folder, document, edges = learnt
    (graph,) = pydot.graph_from_dot_file(folder / "graph.dot", encoding="utf-8")
    assert len(graph.get_edges()) == len(edges)
    found = [edge.get("direction").strip('"') for edge in graph.get_edges()]
    assert found == list(marks(document).values())
    assert graph.get("determines").strip('"') == document["determines"]


def test_graphs_of_other_programs_are_read_back(learnt, tmp_path):
    folder, _, _ = learnt
    nx.write_graphml(nx.read_graphml(folder / "graph.graphml"), tmp_path / "g.graphml")
    nx.write_gml(nx.read_gml(folder / "graph.gml"), tmp_path / "g.gml")
    (graph,) = pydot.graph_from_dot_file(folder / "graph.dot", encoding="utf-8")
    graph.write_raw(tmp_path / "g.dot", encoding="utf-8")
    for name in ("g.graphml", "g.gml", "g.dot"):
        scores = json.loads(nocurl("evaluate", folder / "graph.json", tmp_path / name, "--json"))
        assert (scores["shd"], scores["variables"]) == (0, len(NAMES)), name


def test_partially_directed_graphs_of_networkx_are_read(tmp_path):
    """a -> b <- c and c - d, in the ways that networkx writes it."""
    both = nx.DiGraph([("a", "b"), ("c", "b"), ("c", "d"), ("d", "c")])
    marked_graph = nx.DiGraph([("a", "b"), ("c", "b")])
    marked_graph.add_edge("c", "d", directed=False)
    nx.write_graphml(both, tmp_path / "both.graphml")
    nx.write_graphml(marked_graph, tmp_path / "marked.graphml")
    nx.write_gml(both, tmp_path / "both.gml")
    nx.write_gml(marked_graph, tmp_path / "marked.gml")
    nx.nx_pydot.write_dot(marked_graph, tmp_path / "marked.dot")
    nx.to_pandas_adjacency(both).to_csv(tmp_path / "both.csv")
    undirected = nx.Graph([("a", "b"), ("c", "b"), ("c", "d")])
    nx.write_graphml(undirected, tmp_path / "undirected.graphml")
    nx.write_gml(undirected, tmp_path / "undirected.gml")
    for path in sorted(tmp_path.iterdir()):
        scores = json.loads(nocurl("evaluate", tmp_path / "both.csv", path, "--json"))
        differ = 2 if path.stem == "undirected" else 0
        assert (scores["shd"], scores["cpdag_shd"], scores["sid"]) == (0, differ, None), path


def test_edge_list_opens_in_pandas(learnt):
    folder, document, edges = learnt
    # The default parser of pandas may be off by one in the last digit.
    table = pd.read_csv(folder / "graph.csv")
    assert list(table.columns)[:4] == ["from", "to", "weight", "direction"]
    assert {(r["from"], r["to"]): r["weight"] for _, r in table.iterrows()} == edges
    assert {(r["from"], r["to"]): r["direction"] for _, r in table.iterrows()} == marks(document)


@pytest.mark.parametrize("ending", ["tsv", "parquet", "feather", "arrow", "arrows", "npy"])
def test_tables_of_other_programs_give_the_same_graph(frame, learnt, tmp_path, ending):
    _, _, edges = learnt
    path = tmp_path / f"data.{ending}"
    table = pa.Table.from_pandas(frame, preserve_index=False)
    if ending == "tsv":
        frame.to_csv(path, sep="\t", index=False)
    elif ending == "parquet":
        pyarrow.parquet.write_table(table, path)
    elif ending == "feather":
        pyarrow.feather.write_feather(table, path, compression="uncompressed")
    elif ending == "arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)
    elif ending == "arrows":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    else:
        np.save(path, frame.to_numpy())
    nocurl("learn", path, "--quiet", "--output", tmp_path / "graph.json")
    document = json.loads((tmp_path / "graph.json").read_text())
    names = dict(zip([f"x{j + 1}" for j in range(len(NAMES))], NAMES)) if ending == "npy" else {}
    got = {(names.get(e["from"], e["from"]), names.get(e["to"], e["to"])): e["weight"]
           for e in document["edges"]}
    assert got.keys() == edges.keys()
    for edge, weight in edges.items():
        assert got[edge] == pytest.approx(weight, rel=1e-9)


def test_simulated_tables_open_in_numpy_and_pandas(tmp_path):
    for ending, read in {
        "csv": lambda p: pd.read_csv(p).to_numpy(),
        "npy": np.load,
        "parquet": lambda p: pd.read_parquet(p).to_numpy(),
    }.items():
        path = tmp_path / f"data.{ending}"
        nocurl("simulate", "--variables", 5, "--rows", 50, "--seed", 3, "--output", path,
               "--truth", tmp_path / "truth.json")
        values = read(path)
        assert values.shape == (50, 5)
        if ending == "csv":
            expected = values
        assert np.array_equal(values, expected), ending
