"""Tables in parts without an engine: files, iterators, other libraries, executors of Python."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import nocurl
import nocurl.distributed as nd


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    drawn = nocurl.simulate(variables=6, rows=4000, degree=2, random_state=2)
    return pd.DataFrame(drawn.data, columns=list("abcdef"))


@pytest.fixture(scope="module")
def folder(table: pd.DataFrame, tmp_path_factory) -> str:
    """Twelve files, one of them empty, one with its columns in another order."""
    path = tmp_path_factory.mktemp("parts")
    cuts = [0, 1, 1, *range(400, 4001, 400)]
    for number, (start, end) in enumerate(zip(cuts, cuts[1:])):
        part = table[start:end]
        part = part[list("fedcba")] if number == 5 else part
        name = path / f"part-{number:02}.parquet"
        pa.parquet.write_table(pa.Table.from_pandas(part, preserve_index=False), name)
    return str(path)


def edges(graph: nocurl.Graph) -> set[tuple[str, str]]:
    # Listed by confidence, which depends a little on how it was measured.
    return {edge[:2] for edge in graph.edges}


def test_every_way_gives_the_same_moments(table: pd.DataFrame, folder: str) -> None:
    whole = nocurl.Moments.of(table)
    found = nd.moments(folder)
    # The command line and Python merge files as the workers do.
    assert found == nocurl.Moments.of(folder)
    assert found == nd.moments(folder + "/*.parquet", n_jobs=1)
    with ThreadPoolExecutor(3) as pool:
        assert found == nd.moments(folder, executor=pool)
    frames = {
        "polars": pl.from_pandas(table).lazy(),
        "pyarrow": pa.dataset.dataset(folder),
        "batches": iter(pa.Table.from_pandas(table).to_batches(max_chunksize=700)),
        "pandas": table,
        "frames": iter([table[:100], table[100:100], table[100:]]),
    }
    for name, frame in frames.items():
        one = nd.moments(frame)
        assert (one.rows, one.names) == (4000, list("abcdef")), name
        np.testing.assert_allclose(one.covariance(), whole.covariance(), rtol=1e-9)


def test_the_graph_is_that_of_the_whole_table(table: pd.DataFrame, folder: str) -> None:
    expected = nocurl.learn(table)
    graph = nd.learn(folder, bootstrap=30)
    assert edges(graph) == edges(expected)
    assert graph.bootstrap["kind"] == "rows"
    with ThreadPoolExecutor(2) as pool:
        assert nd.learn(folder, bootstrap=30, at_once=7, executor=pool) == graph
    for wrong in (0, -1, 1.5, "many"):
        with pytest.raises(ValueError, match="whole number of tables"):
            nd.learn(folder, bootstrap=wrong)
    few = nd.learn(folder, restarts=250, confidence=False)
    assert edges(few) == edges(expected)


def test_resampling_is_close_to_that_of_rows(table: pd.DataFrame, folder: str) -> None:
    ours = nd.learn(folder, bootstrap=60, diagnose=False).bootstrap["pairs"]
    theirs = nocurl.learn(table, bootstrap=60, diagnose=False).bootstrap["pairs"]
    shares = [{(p["from"], p["to"]): p["adjacent"] for p in pairs} for pairs in (ours, theirs)]
    for pair in shares[0].keys() | shares[1].keys():
        one, other = (share.get(pair, share.get(pair[::-1], 0.0)) for share in shares)
        assert abs(one - other) < 0.35, pair


def test_text_columns_are_looked_at_first(tmp_path) -> None:
    rng = np.random.default_rng(1)
    size = rng.normal(size=900)
    kind = np.where(size > 0.7, "big", np.where(size < -0.7, "tiny", "usual"))
    table = pd.DataFrame({"size": size, "kind": kind, "age": size + rng.normal(size=900)})
    table = table.sort_values("size", ignore_index=True)
    for number in range(3):
        part = table[number * 300 : (number + 1) * 300]
        part.to_csv(tmp_path / f"{number}.csv", index=False)
    found = nd.moments(tmp_path)
    assert found.kinds["kind"] == "categorical"
    np.testing.assert_allclose(found.mean, nocurl.Moments.of(table).mean, atol=1e-9)
    assert edges(nd.learn(tmp_path, bootstrap=12)) == edges(nocurl.learn(table))


def test_one_graph_for_each_group(table: pd.DataFrame, folder: str) -> None:
    grouped = table.assign(country=np.array(["at", "ch", "de"])[np.arange(4000) % 3])
    parts = iter([grouped[:1000], grouped[1000:]])
    found = nd.learn_each(parts, by="country")
    assert found["country"].tolist() == ["at", "ch", "de"]
    assert found["rows"].sum() == 4000
    alone = nocurl.learn(table[::3], confidence=False, diagnose=False)
    assert edges(found["graph"][0]) == edges(alone)
    tiny = grouped.assign(country=["tiny"] + ["large"] * 3999)
    found = nd.learn_each(tiny, by="country")
    assert "1 row of data" in found["error"][1] and pd.isna(found["error"][0])


def test_a_sample_of_rows_does_not_depend_on_parts(table: pd.DataFrame, folder: str) -> None:
    whole = nd.fit_rows(table, "lingam", sample=1500)
    assert nd.fit_rows(iter([table[:7], table[7:]]), "lingam", sample=1500) == whole
    assert len(whole.variables) == 6


class Counted(Executor):
    """An executor that others know nothing of: each call and what comes of it is pickled."""

    def __init__(self, workers: int) -> None:
        self._pool, self.calls = ThreadPoolExecutor(workers), 0

    def submit(self, function, /, *args, **kwargs):
        self.calls += 1
        sent = pickle.dumps((function, args, kwargs))
        return self._pool.submit(Counted._work, sent)

    @staticmethod
    def _work(sent: bytes) -> object:
        function, args, kwargs = pickle.loads(sent)
        return pickle.loads(pickle.dumps(function(*args, **kwargs)))


@pytest.mark.parametrize(
    "asked", [{"method": "nonlinear"}, {"method": "order-search", "refine": "networks"}]
)
def test_fits_of_networks_go_out_as_tasks(asked: dict) -> None:
    drawn = nocurl.simulate(variables=6, rows=600, mechanism="gp", degree=2, random_state=3)
    table = pd.DataFrame(drawn.data, columns=list("abcdef"))
    settings = {**asked, "diagnose": False, "knowledge": {"required": [["a", "b"]]}}
    here = nocurl.learn(table, **settings)
    told: list = []
    for workers in (1, 3):
        executor = Counted(workers)
        cut = [table[:200], table[200:]]
        # With one thread here too: a fit in this process does not wait for the search to end.
        watched = {"executor": executor, "show_progress": lambda *one: told.append(one)}
        found = nd.fit_rows(iter(cut), n_jobs=1, **watched, **settings)
        assert found == here and found.iterations == here.iterations
        # Each task has several of the quick fits, and one of the others.
        assert executor.calls > 20
    fits = [done for stage, done, *_ in told if stage == "fitting networks"]
    assert max(fits) > 20 and nd.fit_rows(table, **settings) == here


def test_fits_elsewhere_can_fail_and_be_stopped() -> None:
    drawn = nocurl.simulate(variables=5, rows=300, mechanism="gp", degree=2, random_state=3)

    class Broken(Counted):
        def submit(self, function, /, *args, **kwargs):
            if function.__name__ == "run_task" and self.calls > 9:
                raise ValueError("no more work today")
            return super().submit(function, *args, **kwargs)

    with pytest.raises(ValueError, match="no more work today"):
        nd.fit_rows(drawn.data, "nonlinear", executor=Broken(2))

    def stop(stage: str, *_: object) -> None:
        if stage == "fitting networks":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nd.fit_rows(drawn.data, "nonlinear", executor=Counted(2), show_progress=stop)
    # Nothing is left behind that the next run would trip over.
    found = nd.fit_rows(drawn.data, "nonlinear", executor=Counted(2))
    assert found == nocurl.learn(drawn.data, "nonlinear")


def test_a_benchmark_goes_on_where_it_was(tmp_path, command_line) -> None:
    asked = {"sizes": [5], "methods": ["NoCurl-1", "GES"][:1], "scenarios": ["ER3-Gaussian"]}
    nd.bench("paper-linear", output=str(tmp_path / "one"), trials=1, **asked)
    with ThreadPoolExecutor(2) as pool:
        rows = nd.bench("paper-linear", output=str(tmp_path / "one"), trials=3, executor=pool, **asked)
    assert len(rows) == 3 and set(rows["status"]) == {"ok"}
    words = ["bench", "paper-linear", "--sizes", "5", "--methods", "NoCurl-1", "--trials", "3"]
    words += ["--scenarios", "ER3-Gaussian", "--timing-trials", "0", "--output", tmp_path / "two"]
    assert command_line(*words, "-q").returncode == 0
    other = pd.read_csv(tmp_path / "two" / "results.csv")
    key = ["scenario", "d", "method", "trial", "seed", "shd", "sid"]
    ours = rows[key].sort_values("trial", ignore_index=True)
    pd.testing.assert_frame_equal(
        ours, other[key].sort_values("trial", ignore_index=True), check_dtype=False
    )


def test_bad_parts_are_named(table: pd.DataFrame, tmp_path) -> None:
    def refused(parts, words: str, **options) -> None:
        with pytest.raises(ValueError, match=words):
            nd.moments(iter(parts), **options)

    gap = table[:3].astype(float)
    gap.iloc[1, 2] = np.nan
    refused([table, gap], "batch 1: .*`c`")
    refused([table, table.rename(columns={"a": "z"})], "batch 1 and batch 0 differ: .*`a`")
    refused([table, table.drop(columns="a")], "batch 1 and batch 0 differ: .*`a`")
    refused([table, table.assign(b="word")], "batch 1 and batch 0 differ: .*`b` is of numbers")
    # One of a later group stands beside the first of its group or of all.
    refused([*[table] * 19, table.assign(b="word")], "batch 19 and batch (0|8|16) differ: .*`b`")
    refused([table, table.assign(b=np.nan)], "batch 1: column `b`")
    refused([table, table[[]]], "batch 1: 0 columns")
    refused([table, nocurl.Moments.of(table)], "batch 1: these are moments already")
    refused([], "no part")
    refused([table], "`nope`", columns=["a", "nope"])
    refused([table], "em", missing="em")
    assert nd.moments(iter([gap]), missing="drop").rows == 2
    with pytest.raises(ValueError, match="no executor"):
        nd.moments([str(tmp_path / "a.csv")], executor=object())
    for nothing in ([], (), None, 3, table["a"]):
        for learner in (nd.moments, nd.learn, lambda x: nd.fit_rows(x, "lingam")):
            with pytest.raises(ValueError, match="no part|no table|one column"):
                learner(nothing)
    # No rows are no mistake, and neither is another order.
    assert nd.moments([table[:0], table[list("fedcba")]]).rows == len(table)
    nocurl.Moments.of(table).write(tmp_path / "m.moments")
    with pytest.raises(ValueError, match="m.moments`: this file has moments already"):
        nd.moments([str(tmp_path / "m.moments")])
    with pytest.raises(ValueError, match="cannot read `[^`]*a.csv`: there is no such file"):
        nd.moments([str(tmp_path / "a.csv")])
    with pytest.raises((ValueError, MemoryError), match="[0-9]+ (GiB|MiB)"):
        nocurl.Moments.empty([f"v{j}" for j in range(2_000_000)])


def test_bad_parts_of_a_sample_are_named(table: pd.DataFrame) -> None:
    def refused(parts, words: str, **options) -> None:
        with pytest.raises(ValueError, match=words):
            nd.fit_rows(parts, "lingam", **options)

    refused([table, table.rename(columns={"a": "z"})], "part 1 and part 0 differ: .*`a`")
    refused([table, table.assign(b="word")], "part 1 and part 0 differ: column `b` is double")
    refused([np.ones((3, 2)), np.ones((3, 3))], "part 1 and part 0 differ: .*`x3`")
    refused([table, table.drop(columns="a")], "part 1: .*`a`", columns=["a", "b"])
    whole = table.astype({"a": "float32"})
    assert nd.fit_rows([table, whole], "eq-td", sample=50).variables == list("abcdef")


def test_progress_is_told(folder: str) -> None:
    told = []
    for n_jobs in (None, 1):
        nd.moments(folder, n_jobs=n_jobs, show_progress=lambda *one: told.append(one))
        # Each part once, whether they are read side by side or not.
        assert told == [("reading parts", done, 12, None) for done in range(1, 13)]
        told.clear()


def test_ctrl_c_stops(folder: str) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as pool, pytest.raises(KeyboardInterrupt):
        nd.moments(folder, executor=pool, show_progress=stop)


@pytest.fixture(scope="module")
def experiment() -> pd.DataFrame:
    """A control and four conditions that each set a variable."""
    rng = np.random.default_rng(5)
    parts = []
    for number, drug in enumerate(["none", "on_a", "on_b", "on_c", "on_d"]):
        a = rng.normal(size=400) if drug != "on_a" else 2 + rng.normal(size=400)
        b = a + rng.normal(size=400) if drug != "on_b" else rng.normal(size=400) - 1
        c = b - a + rng.normal(size=400) if drug != "on_c" else rng.normal(size=400)
        d = c + rng.normal(size=400) if drug != "on_d" else 1 + rng.normal(size=400)
        parts.append(pd.DataFrame({"a": a, "b": b, "drug": drug, "c": c, "d": d}))
    return pd.concat(parts, ignore_index=True)


TARGETS = {"on_a": ["a"], "on_b": ["b"], "on_c": ["c"], "on_d": ["d"]}


def test_experiments_in_parts_are_learnt_as_from_rows(experiment: pd.DataFrame, tmp_path) -> None:
    asked: dict = {"condition": "drug", "targets": TARGETS}
    whole = nocurl.learn(experiment, **asked)
    # Rows stand by condition, so that no part has all of them; one has its columns in another order.
    parts = [experiment[:300], experiment[300:300], experiment[300:900][list("dcab") + ["drug"]]]
    parts.append(experiment[900:])
    found = nd.learn(iter(parts), bootstrap=30, **asked)
    assert edges(found) == edges(whole)
    weights = {edge[:2]: edge[2] for edge in whole.edges}
    for source, target, weight in (edge[:3] for edge in found.edges):
        assert abs(weight - weights[source, target]) < 1e-9
    assert found.bootstrap["kind"] == "rows"
    acting = json.loads(found.to_json())["experiments"]["conditions"]
    assert [one["rows"] for one in acting] == [400] * 5
    # From moments, added up, written and read.
    moments = sum(nocurl.Moments.of(part, condition="drug") for part in parts)
    assert moments.condition == "drug" and list(moments.conditions) == ["none", *TARGETS]
    np.testing.assert_allclose(
        moments.conditions["on_a"].mean,
        experiment[experiment["drug"] == "on_a"][moments.conditions["on_a"].names].mean(),
    )
    moments.write(tmp_path / "m.moments")
    back = nocurl.Moments.read(tmp_path / "m.moments")
    assert back == moments and pickle.loads(pickle.dumps(moments)) == moments
    assert edges(nocurl.learn(back, **asked)) == edges(whole)
    # A word that often stands for a missing value is a level where the others are words.
    for number, part in enumerate(parts):
        part.to_parquet(tmp_path / f"{number}.parquet", index=False)
    files = nd.moments(f"{tmp_path}/*.parquet", condition="drug")
    assert list(files.conditions) == list(moments.conditions)
    one, other = nd.moments(iter(parts), condition="drug"), nd.moments(iter(parts), condition="drug")
    assert one == other and list(one.conditions) == list(moments.conditions)


def test_bad_experiments_in_parts_are_one_line(experiment: pd.DataFrame) -> None:
    plain = nd.moments(experiment)
    with pytest.raises(ValueError, match="do not tell the conditions of `drug` apart"):
        nocurl.learn(plain, condition="drug")
    with pytest.raises(ValueError, match="only one of them tells conditions apart"):
        plain + nocurl.Moments.of(experiment, condition="drug")
    with pytest.raises(ValueError, match="`dose`"):
        nd.learn(experiment, condition="dose")
    with pytest.raises(ValueError, match="did you mean `a`"):
        nd.learn(experiment, condition="drug", targets={"on_a": ["aa"]})
    without = experiment.drop(columns="drug")
    with pytest.raises(ValueError, match="batch 1: .*`drug`"):
        nd.learn(iter([experiment, without]), condition="drug")
    single = pd.concat([experiment, experiment[:1].assign(drug="once")])
    with pytest.raises(ValueError, match="`once` of column `drug` has one row only"):
        nd.learn(single, condition="drug")
    with pytest.raises(ValueError, match="condition_from_files"):
        nd.learn(experiment, condition_from_files=True)
    with pytest.raises(ValueError, match="missing"):
        nd.moments(experiment, condition="drug", missing="em")


def test_parts_that_do_not_fit_say_how_many_bytes() -> None:
    wide = pd.DataFrame(np.ones((2, 19_000)), columns=[f"v{j}" for j in range(19_000)])
    with pytest.raises(ValueError, match="19000 columns take [0-9]+ MiB.*at most [0-9]+ columns fit"):
        nd.learn(iter([wide]), bootstrap=100)
