"""Classes, parameters, results: what users of scikit-learn and of the command line expect."""

import json
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import estimator_checks_generator

import nocurl
from nocurl import _nocurl

CLASSES = sorted(nocurl.methods().values(), key=lambda cls: cls.__name__)


def test_every_method_has_a_class_and_every_class_is_exported():
    assert sorted(nocurl.methods()) == sorted(_nocurl.methods())
    for cls in CLASSES:
        assert getattr(nocurl, cls.__name__) is cls
        assert cls.__name__ in nocurl.__all__
        assert cls.__doc__


def test_every_parameter_is_explained():
    for cls in CLASSES:
        for name in cls._own:
            assert re.search(rf"^    (\w+, )*{name}(, \w+)* : ", cls.__doc__, re.M), (cls, name)


def test_editors_know_every_parameter():
    """What type checkers see of the constructors is what they are."""
    from pathlib import Path
    from typing import get_type_hints

    from nocurl import _learner, _methods, _stubs

    written = Path(_methods.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert written == _stubs.stubs(), "run `cargo xtask docs`"
    assert set(get_type_hints(_learner.Shared)) == {*_learner.SHARED, *_learner.ALIASES}


def test_a_new_method_needs_no_line_of_python():
    """The toy method is one file and one line of Rust; it is here when the engine has it."""
    if "toy" not in _nocurl.methods():
        pytest.skip("the engine was built without the method of the tests")
    data = np.random.default_rng(0).normal(size=(50, 3))
    model = nocurl.Toy(reverse=True).fit(data)
    assert list(model.causal_order_) == [2, 1, 0]
    assert "reverse : bool" in nocurl.Toy.__doc__
    assert nocurl.learn(data, "toy").method == "toy"


#: Checks that cannot pass, and why.
WORDS = "the message is that of the command line, in other words than scikit-learn's"
EXPECTED_TO_FAIL = {
    "check_fit2d_1sample": WORDS,
    "check_n_features_in_after_fitting": WORDS,
    "check_fit2d_predict1d": WORDS,
    "check_fit2d_1feature": WORDS,
    "check_estimators_empty_data_messages": WORDS,
    "check_estimators_nan_inf": WORDS,
    "check_dtype_object": "columns of Python objects are refused, even if they hold numbers",
}


#: Parameters that make any method quick.
BRIEF = {"restarts": 1, "max_rounds": 5, "hidden": 4, "batch": 2, "epochs": 3, "estimate_epochs": 3}


def brief(cls):
    """Those that the method has."""
    return {name: value for name, value in BRIEF.items() if name in cls._own}


def small(cls):
    """A model that learns the tables of the checks in little time."""
    return cls(**brief(cls))


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_checks_of_scikit_learn(cls):
    ran = 0
    for estimator, check in estimator_checks_generator(small(cls)):
        name = getattr(check, "func", check).__name__
        if name in EXPECTED_TO_FAIL:
            continue
        try:
            check(estimator)
            ran += 1
        except Exception as error:
            # Some methods need more rows than the smallest tables of the checks have.
            few = re.search(r"rows of data: at least \d+ are needed", str(error))
            if type(error).__name__ != "SkipTest" and not few:
                raise AssertionError(f"{name}: {error}") from error
    assert ran > 25


def test_parameters_are_those_of_scikit_learn():
    model = nocurl.NoCurl(lambdas=(10, 1000), threshold=0.3, refine=None, random_state=0)
    assert model.get_params()["lambdas"] == (10, 1000)
    twin = clone(model).set_params(max_iter=7, w_threshold=0.2)
    assert (twin.max_iter, twin.threshold, model.max_iter) == (7, 0.2, 15000)
    assert nocurl.Notears(lambda1=0.1, w_threshold=0.1).threshold == 0.1
    assert "lambdas" in repr(nocurl.NoCurl(lambdas=(7,)))


def test_unknown_parameters_and_methods():
    with pytest.raises(ValueError, match=r"did you mean `lambda1`\?"):
        nocurl.Notears(lamda1=1)
    with pytest.raises(ValueError, match=r"`lambda1` is not a parameter of `EqTD`.*; Notears, .* have it"):
        nocurl.EqTD(lambda1=1)
    with pytest.raises(ValueError, match="the same parameter"):
        nocurl.EqTD(threshold=1, w_threshold=2)
    with pytest.raises(ValueError, match="unknown method `nocurll`: did you mean `nocurl`?"):
        nocurl.learn(np.eye(3), method="nocurll")
    with pytest.raises(ValueError, match="Invalid parameter"):
        nocurl.EqTD().set_params(nothing=1)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"lambdas": "ten"}, "lambdas"),
        ({"lambdas": (-1.0,)}, "parameter `lambdas` is"),
        ({"lambdas": ()}, "parameter `lambdas` is"),
        ({"lambdas": (float("nan"),)}, "parameter `lambdas` is .*: give finite numbers"),
        ({"threshold": -1}, "parameter `threshold` is -1"),
        ({"threshold": float("inf")}, "parameter `threshold` is inf: give finite numbers"),
        ({"refine": "magic"}, "^refine: unknown refinement `magic`; known are equal-variance, bic, networks$"),
        ({"threshold": "a"}, "^threshold: expected a number, got `a`$"),
        ({"bootstrap": -1}, "^bootstrap: expected a whole number, got `-1`$"),
        ({"center": "yes"}, "^center: expected true or false, got `yes`$"),
        ({"prune": "magic"}, "magic.*bic"),
        ({"prune": {"rule": "t-test", "alpha": 2}}, "parameter `alpha` is 2"),
        ({"missing": "ignore"}, "ignore.*drop"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"bootstrap": 1}, "^bootstrap=1: between 2 and"),
        ({"confidence_seconds": 0}, "confidence=False"),
        ({"confidence_level": 1.5}, "^confidence_level=1.5: it must be a number from 0 to 1"),
        ({"graph": "all"}, "^graph: expected 'best' or 'consensus', got `all`$"),
        ({"graph": "consensus"}, "^graph=.consensus.: .* leave out confidence=False$"),
        ({"random_state": -1}, "random_state is -1"),
        ({"knowledge": {"forbiden": []}}, "knowledge: unknown field `forbiden`.*`forbidden`"),
        ({"knowledge": {"required": [("x1", "q")]}}, "prior knowledge names `q`"),
        ({"variant": object()}, "is no value of a parameter"),
    ],
)
def test_bad_values_are_refused_in_one_line(drawn, params, words):
    with pytest.raises(ValueError, match=words) as raised:
        nocurl.NoCurl(**params).fit(drawn.data)
    assert "\n" not in str(raised.value)
    assert "--" not in str(raised.value)


def test_the_consensus_can_be_the_result(drawn):
    best = nocurl.learn(drawn.data, bootstrap=20)
    agreed = nocurl.learn(drawn.data, bootstrap=20, graph="consensus")
    assert (best.parameters["graph"], agreed.parameters["graph"]) == ("best", "consensus")
    pairs = {frozenset((cause, effect)) for cause, effect, _ in agreed.edges}
    consensus = agreed.bootstrap["consensus"]
    assert pairs == {frozenset((edge["from"], edge["to"])) for edge in consensus}


def frame(**columns):
    table = {"a": [1.0, 2.0, 4.0, 3.0], "b": [1.0, 3.0, 2.0, 5.0], **columns}
    return pd.DataFrame(table)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (frame(c=[1.0, np.nan, 2.0, 3.0]), r"column `c` has no value in row 2, and 1 value is miss"),
        (frame(c=[1.0, np.inf, 2.0, 3.0]), "column `c` is infinite in row 2"),
        (frame(c=["x", "y", "z", "w"])[["a", "c"]], r"1 column is left.*`c` \(identifier\)"),
        (frame().iloc[:, [0, 1, 0]], "columns 1 and 3 are both called `a`"),
        (frame().iloc[:0], "0 rows of data: at least 2 are needed"),
        (frame()[["a"]], "1 column of data: at least 2 are needed"),
        (np.zeros((0, 0)), "0 columns of data"),
        (np.zeros(5), "1 dimension, a table has 2"),
        (np.zeros((2, 2, 2)), "3 dimensions, a table has 2"),
        (np.array([["a", "b"], ["c", "d"]]), "which is not numeric"),
        (np.array([[1, "b"], [2, "d"]], dtype=object), "type object, which is not numeric"),
        (np.eye(3) * 1j, "Complex data not supported"),
        (None, "None is no table: pass an array"),
    ],
)
def test_bad_tables_are_refused_in_one_line(table, words):
    with pytest.raises(ValueError, match=words) as raised:
        nocurl.learn(table)
    assert "\n" not in str(raised.value)
    assert "--" not in str(raised.value)


def test_the_words_are_those_of_the_command_line(command_line, tmp_path):
    table = frame(c=[1.0, np.nan, 2.0, 3.0])
    table.to_csv(tmp_path / "t.csv", index=False)
    told = command_line("learn", tmp_path / "t.csv").stderr
    with pytest.raises(ValueError) as raised:
        nocurl.learn(tmp_path / "t.csv")
    pythonic = told.removeprefix("error: ").strip()
    pythonic = pythonic.replace("--missing drop", "missing='drop'")
    pythonic = pythonic.replace("--missing em", "missing='em'")
    assert str(raised.value) == pythonic


def test_nothing_before_fit():
    model = nocurl.NoCurl()
    for use in [lambda: model.adjacency_matrix_, model.to_networkx, model.to_dot, model.plot]:
        with pytest.raises(NotFittedError, match="call `fit`"):
            use()
    assert not hasattr(model, "graph_")


def test_a_failed_fit_keeps_the_last_result(drawn):
    model = nocurl.NoCurl().fit(drawn.data)
    before = model.graph_
    with pytest.raises(ValueError):
        model.set_params(threshold=-1).fit(drawn.data)
    assert model.graph_ is before


def test_a_panic_becomes_an_exception():
    with pytest.raises(RuntimeError, match=r"on purpose.*please report"):
        _nocurl._panic()
    assert nocurl.simulate(3, 5, degree=1).data.shape == (5, 3)


@pytest.mark.parametrize("method", sorted(nocurl.methods()))
def test_the_same_bits_as_the_command_line(method, command_line, tmp_path):
    drawn = nocurl.simulate(variables=6, rows=1500, degree=2, noise="gumbel", random_state=11)
    np.save(tmp_path / "t.npy", drawn.data)
    pd.DataFrame(drawn.data).to_csv(tmp_path / "t.csv", index=False, header=list("uvwxyz"))
    given = brief(nocurl.methods()[method])
    flags = [word for name, value in given.items() for word in ("--param", f"{name}={value}")]
    for name, table in [
        ("t.npy", drawn.data),
        ("t.csv", pd.read_csv(tmp_path / "t.csv")),
    ]:
        output = tmp_path / "g.json"
        # Time enough, so that it is not the machine that decides how many tables are resampled.
        enough = ["--confidence-seconds", 600]
        arguments = ["--method", method, "--seed", 3, "--output", output, *enough, *flags]
        done = command_line("learn", tmp_path / name, *arguments)
        assert done.returncode == 0, done.stderr
        told = json.loads(output.read_text())
        graph = nocurl.learn(
            table, method=method, random_state=3, confidence_seconds=600, **given
        )
        ours = json.loads(graph.to_json())
        for field in ["edges", "order", "potential", "class", "determines", "iterations", "means"]:
            assert ours[field] == told[field], (name, field)
        numbers = [finding["numbers"] for finding in told["diagnosis"]]
        assert [finding["numbers"] for finding in graph.diagnosis] == numbers
        assert nocurl.Graph.from_json(output.read_text()).edges == graph.edges


def test_simulation_is_that_of_the_command_line(command_line, tmp_path):
    table, truth = tmp_path / "x.npy", tmp_path / "g.json"
    words = "--graph sf --degree 4 --variables 7 --rows 50 --noise student:4 --seed 9".split()
    done = command_line("simulate", *words, "--output", table, "--truth", truth)
    assert done.returncode == 0, done.stderr
    drawn = nocurl.simulate(7, 50, graph="sf", noise={"student": 4}, random_state=9)
    assert (np.load(table) == drawn.data).all()
    assert nocurl.read_graph(truth).edges == drawn.graph.edges
    with pytest.raises(ValueError, match="degree"):
        nocurl.simulate(5, degree=-1)
    with pytest.raises(ValueError, match="tree.*er"):
        nocurl.simulate(5, graph="tree")


def test_seeds_and_threads(drawn):
    model = nocurl.OrderSearch(restarts=20)
    edges = [clone(model).set_params(n_jobs=n).fit(drawn.data).graph_.edges for n in (1, 2, None)]
    assert edges[0] == edges[1] == edges[2]
    for state in [None, np.random.RandomState(1), np.random.default_rng(1), np.int64(3)]:
        assert clone(model).set_params(random_state=state).fit(drawn.data).graph_.n_edges > 0


def test_knowledge_is_honoured(drawn, tmp_path):
    cause, effect, _ = drawn.graph.edges[0]
    known = {"forbidden": [(cause, effect)], "tiers": [[effect], [cause]]}
    assert nocurl.learn(drawn.data, knowledge=known).weights[
        drawn.graph.variables.index(cause), drawn.graph.variables.index(effect)
    ] == 0
    file = tmp_path / "known.toml"
    file.write_text(f"forbidden = [['{cause}', '{effect}']]\n")
    names = [edge[:2] for edge in nocurl.learn(drawn.data, knowledge=file).edges]
    assert (cause, effect) not in names


def test_a_training_goes_on_from_its_checkpoint(drawn, tmp_path):
    kept = tmp_path / "training"
    model = nocurl.NoCurlGNN(hidden=8, estimate_epochs=40, epochs=60, random_state=2)
    whole = clone(model).fit(drawn.data).graph_
    calls = []

    def stop(*progress):
        calls.append(progress)
        raise KeyboardInterrupt

    longer = clone(model).set_params(checkpoint=kept, show_progress=stop, epochs=10**6)
    with pytest.raises(KeyboardInterrupt):
        longer.fit(drawn.data)
    assert kept.exists() and calls
    with pytest.raises(ValueError, match="its epochs is 1000000, not 60"):
        clone(model).set_params(checkpoint=kept).fit(drawn.data)
    kept.unlink()
    resumed = clone(model).set_params(checkpoint=kept)
    assert resumed.fit(drawn.data).graph_.edges == whole.edges
    assert resumed.fit(drawn.data).graph_.edges == whole.edges
    with pytest.raises(ValueError, match="`checkpoint`: the work of method `eq-td` cannot be kept.*method='notears-mlp'"):
        nocurl.EqTD(checkpoint=kept).fit(drawn.data)


def test_bootstrap_and_diagnosis(drawn):
    graph = nocurl.learn(drawn.data, bootstrap=20, method="eq-td", prune="bic")
    assert graph.bootstrap["replicates"] == 20
    table = graph.to_pandas()
    assert table["adjacent"].between(0, 1).all()
    assert (table["direction_confidence"] <= table["adjacent"]).all()
    assert {finding["verdict"] for finding in graph.diagnosis} <= {"ok", "note", "concern"}
    for finding in graph.diagnosis:
        assert finding["check"] and "--" not in finding["sentence"]
        for action in finding["advice"]:
            assert {"set", "parameter", "method", "leave_out", "leave_out_one_of", "fewer_columns"} & {
                *action
            }
    assert nocurl.EqTD().fit(drawn.data).graph_.diagnosis is None


def test_advice_is_in_keywords(drawn):
    graph = nocurl.learn(drawn.data, method="eq-td", threshold=1e9)
    advice = "lower it with `threshold`, or use prune='bic'"
    assert any(warning.endswith(advice) for warning in graph.warnings)
    # Flags are the command line's.
    assert graph.diagnosis and not any("--" in finding["sentence"] for finding in graph.diagnosis)


def test_results_go_everywhere(drawn, tmp_path):
    import networkx as nx

    model = nocurl.learn(pd.DataFrame(drawn.data, columns=[f"var {i}" for i in range(8)]))
    directed = model.to_networkx()
    assert nx.is_directed_acyclic_graph(directed)
    assert {(a, b): w for a, b, w in directed.edges(data="weight")} == {
        (a, b): w for a, b, w in model.edges
    }
    assert all("potential" in data for _, data in directed.nodes(data=True))
    gml = nx.parse_gml(model.to_gml())
    assert set(gml.edges) == set(directed.edges)
    assert "digraph" in model.to_dot()
    assert "<graphml" in model.to_graphml()
    table = model.to_pandas()
    assert list(table.columns)[:3] == ["from", "to", "weight"]
    assert {"direction", "determined", "strength"} < set(table.columns)
    assert len(table) == model.n_edges
    assert (model.adjacency().to_numpy() == model.weights).all()
    assert pickle.loads(pickle.dumps(model)) == model
    assert nocurl.Graph.from_json(model.to_json()) == model
    for name in ["g.json", "g.dot", "g.graphml", "g.gml", "g.csv"]:
        model.write(tmp_path / name)
        if name != "g.csv":
            read = nocurl.read_graph(tmp_path / name)
            assert nocurl.metrics.compare(model, read)["shd"] == 0, name
    with pytest.raises(ValueError, match="graph.xyz|xyz"):
        model.write(tmp_path / "graph.xyz")
    with pytest.raises(ValueError, match="no `schema`"):
        nocurl.Graph.from_json("{}")
    fitted = nocurl.OrderSearch(restarts=3).fit(drawn.data)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.adjacency_matrix_ == fitted.adjacency_matrix_).all()


def test_names_are_escaped_in_notebooks(drawn):
    names = ["<script>alert(1)</script>", "a&b", *"cdefgh"]
    model = nocurl.OrderSearch(diagnose=True).fit(pd.DataFrame(drawn.data, columns=names))
    page = model._repr_html_()
    assert "<script>" not in page and "&lt;script&gt;" in page and "<svg" in page
    assert "edges among 8 variables" in page
    assert nocurl.NoCurl()._repr_html_()


def test_plots(drawn):
    graph = nocurl.learn(drawn.data)
    axes = graph.plot(show_weights=True)
    assert len(axes.patches) >= graph.n_edges + len(graph.variables)
    # Names, weights, and notes such as the legend.
    assert len(axes.texts) >= graph.n_edges + len(graph.variables)
    empty = nocurl.Graph.from_adjacency(np.zeros((3, 3)))
    assert len(empty.plot().texts) == 4
    assert empty._repr_html_()


def test_pictures_of_odd_and_of_many_names(tmp_path):
    names = ["$\\frac{a}$", "x" * 300, "<b>", "\u05e9\u05dc\u05d5\u05dd"]
    graph = nocurl.Graph.from_adjacency(np.triu(np.ones((4, 4)), 1), names)
    graph.plot().figure.savefig(tmp_path / "odd.png")
    assert "<b>" not in graph.to_svg() and graph.to_svg().startswith("<svg")
    for ending in ["svg", "png", "pdf", "tex", "mmd", "dagitty"]:
        graph.write(tmp_path / f"g.{ending}")
        assert (tmp_path / f"g.{ending}").stat().st_size > 100
    assert "flowchart" in graph.to_mermaid() and "dag {" in graph.to_dagitty()
    assert "tikzpicture" in graph.to_tikz()
    chain = nocurl.Graph.from_adjacency(np.diag(np.ones(299), 1))
    chain.plot().figure.savefig(tmp_path / "chain.png")
    assert chain._repr_html_().count("<svg") == 1
    assert chain.part("x10", depth=2).variables == ["x8", "x9", "x10", "x11", "x12"]
    with pytest.raises(ValueError, match="did you mean `x29"):
        chain.part("x290a")


def test_two_graphs_are_compared(tmp_path):
    one = nocurl.Graph.from_adjacency([[0, 1, 0], [0, 0, 1], [0, 0, 0]], ["a", "b", "c"])
    other = nocurl.Graph.from_adjacency([[0, 0, 2], [1, 0, 0], [0, 0, 0]], ["a", "b", "c"])
    found = one.compare(other)
    assert (found.shared, found.first, found.second, found.reversed) == (0, 1, 1, 1)
    assert list(found.to_pandas()["part"]) == ["reversed", "first", "second"]
    assert "<svg" in found._repr_html_()
    found.write(tmp_path / "both.png")
    with pytest.raises(ValueError, match="picture"):
        found.write(tmp_path / "both.json")


def test_effects(drawn):
    graph = nocurl.Graph.from_adjacency([[0, 2, 1], [0, 0, 3], [0, 0, 0]], ["a", "b", "c"])
    assert graph.total_effects().loc["a", "c"] == 7
    with pytest.raises(ValueError, match="no means"):
        graph.intervene({"a": 1})
    learnt = nocurl.learn(drawn.data)
    with pytest.raises(ValueError, match="`q` is not a variable"):
        learnt.intervene({"q": 1})
    cause, effect, weight = learnt.edges[0]
    low, high = (learnt.intervene({cause: value})[effect] for value in (0.0, 1.0))
    assert np.isclose(high - low, learnt.total_effects().loc[cause, effect])
    with pytest.raises(ValueError, match="cycle: (a -> b -> c -> a|b -> c -> a -> b|c -> a -> b -> c)"):
        nocurl.Graph.from_adjacency([[0, 1, 0], [0, 0, 1], [1, 0, 0]], ["a", "b", "c"])


def test_metrics_take_anything(drawn):
    import networkx as nx

    truth = drawn.graph
    shuffled = truth.adjacency().iloc[::-1, ::-1]
    assert nocurl.metrics.shd(truth, shuffled) == 0
    assert nocurl.metrics.shd(truth, truth.to_networkx()) == 0
    assert nocurl.metrics.sid(truth, truth) == 0
    assert nocurl.metrics.cpdag_shd(truth.weights, truth) == 0
    assert nocurl.metrics.compare(truth, np.zeros((8, 8)))["missing"] == truth.n_edges
    with pytest.raises(ValueError, match="different variables"):
        nocurl.metrics.shd(truth, nx.DiGraph([("x1", "q")]))
    with pytest.raises(ValueError, match="cycle"):
        nocurl.metrics.shd(np.ones((3, 3)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="square"):
        nocurl.metrics.shd(np.ones((3, 2)), np.zeros((3, 3)))
    with pytest.raises(ValueError):
        nocurl.metrics.shd(np.zeros((2, 2)), np.zeros((3, 3)))
    with pytest.raises(ValueError, match="determines='all'"):
        nocurl.metrics.compare(truth, truth, determines="all")
    assert nocurl.metrics.compare(truth, truth, determines="skeleton")["reversed"] == truth.n_edges


def test_metrics_take_columns_with_numbers_for_names(drawn):
    table = pd.DataFrame(drawn.data)
    truth = pd.DataFrame(drawn.graph.weights)
    assert list(truth.columns) == list(range(8))
    learnt = nocurl.learn(table, method="eq-td")
    assert nocurl.metrics.shd(truth, learnt) == nocurl.metrics.shd(truth.to_numpy(), learnt.weights)
    assert nocurl.metrics.shd(truth.iloc[::-1, ::-1], truth) == 0


def test_metrics_take_partially_directed_graphs():
    import networkx as nx

    dag = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 0, 0]])
    cpdag = dag.copy()
    cpdag[3, 2] = 1
    endpoints = np.array([[0, -1, 0, 0], [1, 0, 1, 0], [0, -1, 0, -1], [0, 0, -1, 0]])
    both = nx.DiGraph([(0, 1), (2, 1), (2, 3), (3, 2)])
    marked = nx.DiGraph([(0, 1), (2, 1)])
    marked.add_edge(3, 2, directed=False)
    forms = [cpdag, pd.DataFrame(cpdag), endpoints, both, marked, nocurl.Graph.from_adjacency(cpdag)]
    for form in forms:
        for truth, estimate in [(dag, form), (form, dag), (cpdag, form), (form, form)]:
            scores = nocurl.metrics.compare(truth, estimate)
            assert (scores["shd"], scores["cpdag_shd"], scores["sid"]) == (0, 0, None)
        with pytest.raises(ValueError, match="all directions"):
            nocurl.metrics.sid(form, dag)
    turned = np.array([[0, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]])
    assert nocurl.metrics.shd(cpdag, turned) == 1
    # All edges of an undirected graph are of undetermined direction.
    undirected = nx.Graph([(0, 1), (1, 2), (2, 3)])
    assert nocurl.metrics.shd(dag, undirected) == 0
    assert nocurl.metrics.cpdag_shd(cpdag, undirected) == 2


def test_undetermined_edges_are_marked_for_networkx():
    graph = nocurl.Graph.from_adjacency([[0, 2, 1], [0, 0, 0], [1, 0, 0]], ["a", "b", "c"])
    assert graph.determines == "class"
    assert graph.is_determined("a", "b") and not graph.is_determined("b", "a")
    assert not graph.is_determined("a", "c") and not graph.is_determined("c", "a")
    assert graph.undirected == {frozenset("ac")}
    given = graph.to_networkx()
    assert nocurl.metrics.compare(given, graph)["cpdag_shd"] == 0
    assert [directed for *_, directed in given.edges(data="directed")].count(False) == 1
    assert "--" in repr(graph) and graph._repr_html_().count("<path") >= 2


def test_a_file_gives_everything_back(drawn, tmp_path):
    table = pd.DataFrame(drawn.data, columns=list("abcdefgh"))
    learnt = nocurl.learn(table, bootstrap=3)
    learnt.write(tmp_path / "g.json")
    read = nocurl.read_graph(tmp_path / "g.json")
    assert read == learnt
    assert read.bootstrap["replicates"] == 3 and read.diagnosis and read.means is not None
    assert read.intervene({"a": 1.0}) == learnt.intervene({"a": 1.0})
    for name in ["g.dot", "g.graphml", "g.gml"]:
        learnt.write(tmp_path / name)
        read = nocurl.read_graph(tmp_path / name)
        assert read.intervene({"a": 1.0}) == learnt.intervene({"a": 1.0}), name
        assert (read.edges, read.undirected) == (learnt.edges, learnt.undirected), name
        assert (read.determines, read.method) == (learnt.determines, learnt.method), name


def test_hodge_operators_are_adjoint():
    rng = np.random.default_rng(0)
    complex_ = nocurl.hodge.Complex(5, [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4), (4, 0)])
    p, flow = rng.normal(size=5), rng.normal(size=6)
    rotation = rng.normal(size=len(complex_.triangles))
    assert np.isclose(complex_.grad(p) @ flow, -p @ complex_.div(flow))
    assert np.isclose(complex_.curl(flow) @ rotation, flow @ complex_.curl_adjoint(rotation))
    assert np.allclose(complex_.laplacian() @ p, -complex_.div(complex_.grad(p)))
    parts = complex_.decompose(flow)
    assert np.allclose(parts.gradient + parts.curl + parts.harmonic, flow)
    assert np.isclose(sum(parts.energies), flow @ flow)
    matrix = complex_.to_matrix(flow)
    assert np.allclose(complex_.flow_of(matrix), flow)
    assert nocurl.hodge.Complex.of_support(matrix).edges == complex_.edges
    a = np.triu(rng.normal(size=(4, 4)), 1)
    p = nocurl.hodge.potential(a)
    assert np.allclose(
        nocurl.hodge.graph_of(nocurl.hodge.weights_on_potential(a, p), p), a
    )
    assert nocurl.hodge.order_energy(a).gradient > 0
    for mistake in [
        lambda: complex_.grad([1.0]),
        lambda: complex_.div([1.0]),
        lambda: complex_.curl_adjoint([]),
        lambda: nocurl.hodge.potential([[1.0, 2.0]]),
        lambda: nocurl.hodge.potential([[0.0, np.nan], [0.0, 0.0]]),
        lambda: nocurl.hodge.graph_of(a, [1.0]),
        lambda: nocurl.hodge.Complex(2, [(0, 5)]),
    ]:
        with pytest.raises(ValueError):
            mistake()
