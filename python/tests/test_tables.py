"""Whatever holds the numbers, the same graph comes out."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nocurl


@pytest.fixture(scope="module")
def X():
    return nocurl.simulate(variables=6, rows=3000, random_state=4).data


NAMES = list("abcdef")


def weights(table, **params):
    return np.asarray(nocurl.NoCurl(**params).fit(table).adjacency_matrix_)


def test_layouts_views_and_order_do_not_matter(X):
    expected = weights(X)
    assert expected.any()
    assert (weights(np.asfortranarray(X)) == expected).all()
    wide = np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)
    assert (weights(wide[::2, ::2]) == expected).all()
    assert (weights(X[::-1][::-1]) == expected).all()
    backwards = weights(X[:, ::-1])
    assert np.allclose(backwards[::-1, ::-1], expected)
    frozen = X.copy()
    frozen.flags.writeable = False
    assert (weights(frozen) == expected).all()
    assert (weights(X.tolist()) == expected).all()


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "longdouble"])
def test_floats_of_any_kind(X, dtype):
    rounded = X.astype(dtype)
    assert (weights(rounded) == weights(rounded.astype("f8"))).all()


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4"])
def test_integers_of_any_kind(X, dtype):
    whole = np.clip(np.round(5 * X + 60), 0, 120).astype(dtype)
    assert (weights(whole) == weights(whole.astype("f8"))).all()


def test_booleans_are_zero_and_one():
    drawn = np.random.default_rng(0).random((500, 3)) < 0.5
    drawn[:, 2] |= drawn[:, 0]
    assert (weights(drawn) == weights(drawn.astype(float))).all()


def test_unaligned_numbers(X):
    raw = np.zeros(X.nbytes + 1, dtype="u1")
    odd = np.ndarray(X.shape, dtype="f8", buffer=raw, offset=1)
    odd[...] = X
    assert not odd.flags.aligned
    assert (weights(odd) == weights(X)).all()


def test_input_is_not_changed(X):
    before = X.copy()
    nocurl.learn(X, bootstrap=5)
    nocurl.CAM().fit(X[:200])
    assert (before == X).all()


def test_frames_keep_their_names(X):
    frame = pd.DataFrame(X, columns=NAMES)
    expected = weights(X)
    tables = [
        frame,
        pl.from_pandas(frame),
        pa.Table.from_pandas(frame),
        pa.Table.from_pandas(frame).to_reader(max_chunksize=len(X)),
    ]
    for table in tables:
        model = nocurl.NoCurl().fit(table)
        assert list(model.adjacency_matrix_.columns) == NAMES, type(table)
        assert list(model.adjacency_matrix_.index) == NAMES
        assert (model.adjacency_matrix_.to_numpy() == expected).all(), type(table)
        assert model.feature_names_in_.tolist() == NAMES
        assert set(model.to_networkx().nodes) == set(NAMES)
    array = nocurl.NoCurl().fit(X)
    assert isinstance(array.adjacency_matrix_, np.ndarray)
    assert not hasattr(array, "feature_names_in_")


def test_streams_come_in_many_batches(X):
    table = pa.table({name: X[:, j] for j, name in enumerate(NAMES)})
    pieces = table.to_reader(max_chunksize=100)
    assert np.allclose(weights(pieces), weights(X), rtol=1e-9)

    def batches():
        yield from table.to_batches(max_chunksize=250)

    lazy = pa.RecordBatchReader.from_batches(table.schema, batches())
    assert np.allclose(weights(lazy), weights(X), rtol=1e-9)


def test_a_stream_that_fails_says_so(X):
    table = pa.table({name: X[:, j] for j, name in enumerate(NAMES)})

    def batches():
        yield from table.to_batches(max_chunksize=1000)
        raise RuntimeError("the network is down")

    with pytest.raises(ValueError, match="the network is down"):
        nocurl.learn(pa.RecordBatchReader.from_batches(table.schema, batches()))


def test_mixed_and_nullable_columns(X):
    frame = pd.DataFrame(X, columns=NAMES)
    frame["a"] = np.round(frame["a"]).astype("Int64")
    frame["b"] = frame["b"].astype("float32")
    frame["c"] = frame["c"].convert_dtypes(dtype_backend="pyarrow")
    expected = weights(frame.astype("f8").to_numpy())
    assert (weights(frame) == expected).all()
    frame.loc[3, "a"] = pd.NA
    with pytest.raises(ValueError, match=r"column `a` has no value in row 4"):
        nocurl.learn(frame, missing="error")
    assert nocurl.NoCurl(missing="drop").fit(frame).adjacency_matrix_.shape == (6, 6)
    assert nocurl.NoCurl(missing="em").fit(frame).adjacency_matrix_.shape == (6, 6)


def test_labels_that_are_no_strings(X):
    frame = pd.DataFrame(X, columns=[10, 20, 30, 40, 50, 60])
    model = nocurl.NoCurl().fit(frame)
    assert list(model.adjacency_matrix_.columns) == [10, 20, 30, 40, 50, 60]
    assert not hasattr(model, "feature_names_in_")


def test_columns_that_are_no_variables_are_left_out(X):
    frame = pd.DataFrame(X, columns=NAMES)
    rows = len(frame)
    frame["name"] = [f"row {i}" for i in range(rows)]
    frame["when"] = pd.date_range("2026-01-01", periods=rows)
    frame["thing"] = [object() for _ in range(rows)]
    graph = nocurl.learn(frame)
    assert graph.variables == NAMES
    told = " ".join(graph.warnings)
    for name in ["name", "when", "thing"]:
        assert f"`{name}`" in told, told
    assert nocurl.learn(frame, drop=["na*"], columns=NAMES[:3]).variables == NAMES[:3]


def test_kinds_of_columns(X):
    frame = pd.DataFrame(X, columns=NAMES)
    frame["sex"] = np.where(X[:, 0] > 0, "male", "female")
    frame["well"] = X[:, 1] > 0
    frame["size"] = pd.Categorical(np.where(X[:, 2] > 0, "large", "small"), ["small", "large"], ordered=True)
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        graph = nocurl.learn(table)
        assert set(graph.variables) == {*NAMES, "sex", "well", "size"}


def test_constant_columns_stay_in_the_matrix(X):
    frame = pd.DataFrame(X, columns=NAMES)
    frame.insert(2, "still", 1.0)
    model = nocurl.NoCurl().fit(frame)
    assert model.adjacency_matrix_.shape == (7, 7)
    assert not model.adjacency_matrix_["still"].any()
    assert np.isnan(model.potential_[2])
    assert sorted(model.causal_order_) == [0, 1, 3, 4, 5, 6]
    assert "still" in model.warnings_[0]


def test_files_are_read_as_by_the_command_line(root, command_line, tmp_path):
    table, output = root / "data/sachs.csv", tmp_path / "g.json"
    graph = nocurl.learn(table, method="eq-td")
    assert "raf" in graph.variables or "praf" in graph.variables
    done = command_line("learn", table, "--method", "eq-td", "--output", output, "--quiet")
    assert done.returncode == 0, done.stderr
    told, ours = json.loads(output.read_text()), json.loads(graph.to_json())
    assert told["input"]["digest"].startswith("xxh3-128:")
    for field in ["input", "parameters"]:
        assert ours[field] == told[field], field
    assert json.loads(nocurl.learn(np.random.default_rng(1).normal(size=(9, 2))).to_json())["input"] is None
    with pytest.raises(OSError, match="no-such-file"):
        nocurl.learn("no-such-file.csv")


def test_moments_merge_and_travel(X):
    import pickle

    whole = nocurl.Moments.of(X)
    parts = [nocurl.Moments.of(part) for part in np.array_split(X, 3)]
    merged = parts[0].merge(parts[1]).merge(pickle.loads(pickle.dumps(parts[2])))
    assert merged.rows == 3000
    assert np.allclose(merged.mean, X.mean(axis=0))
    assert np.allclose(merged.covariance(), np.cov(X.T, bias=True))
    assert np.allclose(weights(merged), weights(X))
    assert (weights(whole) == weights(X)).all()
    # JSON has no room for the rows that are kept.
    again = nocurl.Moments(whole.to_json())
    assert (again.covariance() == whole.covariance()).all() and again.sample() is None
    with pytest.raises(ValueError, match="only one of them has `x4`"):
        whole.merge(nocurl.Moments.of(X[:, :3]))
    with pytest.raises(ValueError, match="needs the rows"):
        nocurl.CAM().fit(whole)
    with pytest.raises(ValueError, match="no moments"):
        nocurl.Moments("{}")


def test_what_is_masked_is_missing(X):
    mask = np.random.default_rng(0).random(X.shape) < 0.1
    masked = np.ma.masked_array(X.copy(), mask)
    masked.data[mask] = -9999
    gaps = np.where(mask, np.nan, X)
    with pytest.raises(ValueError, match="has no value in row"):
        nocurl.Moments.of(masked)
    for missing in ["drop", "em"]:
        ours = nocurl.Moments.of(masked, missing=missing)
        assert ours == nocurl.Moments.of(gaps, missing=missing)
    assert (weights(masked, missing="drop") == weights(gaps, missing="drop")).all()
    whole = np.ma.masked_array(np.round(9 * X).astype("i8"), mask)
    whole.data[mask] = 2**60
    expected = np.where(mask, np.nan, np.round(9 * X))
    assert (weights(whole, missing="drop") == weights(expected, missing="drop")).all()
    assert (weights(np.ma.masked_array(X, False)) == weights(X)).all()


def test_whole_numbers_that_would_be_rounded_are_refused(X):
    table = {name: np.round(9 * X[:, j]).astype("i8") for j, name in enumerate(NAMES)}
    large = {**table, "b": table["b"] + 2**53}
    told = "column `b` has whole numbers beyond"
    for make in [pd.DataFrame, pl.DataFrame, pa.table]:
        weights(make(table))
        with pytest.raises(ValueError, match=told):
            nocurl.learn(make(large))
    nullable = pd.DataFrame(large).astype("Int64")
    with pytest.raises(ValueError, match=told):
        nocurl.learn(nullable)
    with pytest.raises(ValueError, match="column 2 of the array has whole numbers beyond"):
        nocurl.learn(np.column_stack(list(large.values())))
    with pytest.raises(ValueError, match="column 2 of the array"):
        nocurl.learn(np.ma.masked_array(np.column_stack(list(large.values())), False))
    exact = {**table, "b": np.where(table["b"] > 0, 2**53, -(2**53))}
    nocurl.Moments.of(pd.DataFrame(exact))


def test_dates_and_objects_are_left_out_by_name(X):
    import datetime
    import decimal

    frame = pd.DataFrame(X, columns=NAMES)
    times = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(len(X)), unit="s")
    fractions = [decimal.Decimal("1.5")] * len(X)
    days = [datetime.date(2026, 1, 1)] * len(X)
    for values in [times, times - times[0], fractions, days]:
        frame["when"] = values
        graph = nocurl.learn(frame)
        assert graph.variables == NAMES
        assert any("`when`" in warning for warning in graph.warnings), graph.warnings
    for values in [times, pa.array(days)]:
        columns = {name: pa.array(X[:, j]) for j, name in enumerate(NAMES)}
        graph = nocurl.learn(pa.table({**columns, "when": pa.array(values)}))
        assert graph.variables == NAMES
        assert any("`when`" in warning for warning in graph.warnings), graph.warnings

def test_memory_is_bounded(X):
    with pytest.raises(MemoryError, match=r"columns takes up to .* columns fit|not even two"):
        nocurl.learn(X, memory="1MB")
    with pytest.raises(ValueError, match="give a size such as"):
        nocurl.learn(X, memory="much")
    nocurl.learn(X, memory=2**31)


def test_nothing_that_was_read_is_overwritten(X, tmp_path):
    table = tmp_path / "table.csv"
    pd.DataFrame(X, columns=NAMES).to_csv(table, index=False)
    before = table.read_bytes()
    graph = nocurl.learn(table)
    link = tmp_path / "link.csv"
    link.symlink_to(table)
    for path in [table, link]:
        with pytest.raises(ValueError, match="is also the table, which is read"):
            graph.write(path)
    with pytest.raises(ValueError, match="the checkpoint .* is also the table"):
        nocurl.NotearsMLP(checkpoint=table).fit(table)
    assert table.read_bytes() == before


def test_licences_are_there():
    assert "faer" in nocurl.licenses() and "MIT" in nocurl.licenses()


def test_several_files_are_one_table(tmp_path):
    frame = pd.DataFrame({"a": np.arange(60.0) * 7 % 13, "b": np.arange(60.0) * 5 % 11})
    paths = []
    for part in range(3):
        path = tmp_path / "parts" / f"p{part}.csv"
        path.parent.mkdir(exist_ok=True)
        frame[20 * part : 20 * part + 20].to_csv(path, index=False)
        paths.append(path)
    whole = nocurl.Moments.of(frame)
    for table in (paths, [str(path) for path in paths], path.parent, str(tmp_path / "parts" / "*.csv")):
        found = nocurl.Moments.of(table)
        assert found.rows == 60 and found.names == ["a", "b"]
        np.testing.assert_allclose(found.mean, whole.mean)
    graph = nocurl.learn(paths, file_column="part", confidence=False)
    assert "part" in graph.variables
    frame.rename(columns={"b": "c"}).to_csv(paths[1], index=False)
    with pytest.raises(ValueError, match=r"p1.csv`.*`b`"):
        nocurl.Moments.of(paths)


def test_arrays_and_lines_in_files(tmp_path):
    frame = pd.DataFrame({"a": np.arange(30.0) * 7 % 13, "b": np.arange(30.0) * 5 % 11})
    np.savez(tmp_path / "t.npz", X=frame.to_numpy(), y=np.arange(30))
    with pytest.raises(ValueError, match=r"several arrays: `X \(30 x 2\)`, `y \(30\)`"):
        nocurl.Moments.of(tmp_path / "t.npz")
    assert nocurl.EqTD(sheet="X").fit(tmp_path / "t.npz").n_features_in_ == 2
    frame.to_json(tmp_path / "t.jsonl", orient="records", lines=True)
    np.testing.assert_allclose(nocurl.Moments.of(tmp_path / "t.jsonl").mean, frame.mean())


def test_columns_without_values_are_left_out():
    frame = pd.DataFrame({"a": np.arange(30.0) * 7 % 13, "b": np.arange(30.0) * 5 % 11, "c": np.nan})
    polars = pytest.importorskip("polars")
    for table in (frame, frame.assign(c=None), polars.from_pandas(frame)):
        graph = nocurl.learn(table, confidence=False)
        assert graph.variables == ["a", "b"]
        assert any("left out `c` (no values)" in warning for warning in graph.warnings)


def same_means(frame, path):
    """The means of a file are those that pandas has."""
    read = nocurl.Moments.of(path)
    assert read.names == [str(name) for name in frame.columns]
    assert np.allclose(read.mean, frame.mean().to_numpy())


def test_files_as_pandas_writes_them(X, tmp_path):
    plain = pd.DataFrame(X)
    path = tmp_path / "t.csv"
    plain.to_csv(path, index=False)
    same_means(plain, path)
    named = pd.DataFrame(X.round(3), columns=["größe", *"bcdef"])
    for options in ({"sep": ";", "decimal": ","}, {"encoding": "utf-16"}, {"encoding": "cp1252"}):
        named.to_csv(path, index=False, **options)
        same_means(pd.read_csv(path, **options), path)
    for ends in ("\r", "\r\n"):
        named.to_csv(path, index=False, lineterminator=ends)
        same_means(pd.read_csv(path), path)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_numbers_as_text_are_refused(X, make):
    table = make({"a": [str(x) for x in X[:200, 0]], "b": X[:200, 1], "c": X[:200, 2]})
    with pytest.raises(ValueError, match="200 of 200 cells of `a` are numbers stored as text"):
        nocurl.learn(table, confidence=False)
    assert "a" not in nocurl.learn(table, drop="a", confidence=False).variables
    codes = make({"a": [str(i % 3) for i in range(200)], "b": X[:200, 1], "c": X[:200, 2]})
    graph = nocurl.learn(codes, confidence=False)
    assert "a" in graph.variables
    assert any("numbers stored as text" in words for words in graph.warnings)


def test_a_few_gaps_are_left_out_with_a_warning(X):
    table = pd.DataFrame(X, columns=NAMES)
    table.loc[:9, "a"] = np.nan
    with pytest.warns(UserWarning, match="10 of 3000 rows were left out"):
        graph = nocurl.learn(table, confidence=False)
    expected = nocurl.learn(table.dropna(), confidence=False)
    assert np.allclose(graph.adjacency(), expected.adjacency())
    table.loc[:199, "a"] = np.nan
    with pytest.raises(ValueError, match="keeps 2800 of 3000 rows"):
        nocurl.learn(table, confidence=False)


def ends(graph):
    return {(edge["from"], edge["to"]) for edge in json.loads(graph.to_json())["edges"]}


def test_matrices_and_turned_tables(X, tmp_path):
    table = pd.DataFrame(X, columns=NAMES)
    expected = nocurl.learn(table, confidence=False)
    table.cov().to_csv(tmp_path / "cov.csv")
    graph = nocurl.learn(tmp_path / "cov.csv", rows=len(X), confidence=False)
    assert ends(graph) == ends(expected)
    table.T.to_csv(tmp_path / "turned.csv")
    turned = nocurl.learn(tmp_path / "turned.csv", transpose=True, confidence=False)
    assert np.allclose(turned.adjacency(), expected.adjacency())
