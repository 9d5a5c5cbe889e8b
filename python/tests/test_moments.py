"""Moments as people use them: added up, chosen from, weighted, sent and kept."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import nocurl


@pytest.fixture
def table(drawn: nocurl.Simulated) -> pd.DataFrame:
    return pd.DataFrame(drawn.data, columns=[f"v{j}" for j in range(8)])


def test_parts_add_up_whatever_their_size_and_order(table: pd.DataFrame) -> None:
    shuffled = table.iloc[200:, ::-1]
    parts = [table[:0], table[:1], table[1:200], shuffled]
    total = sum(nocurl.Moments.of(part) for part in parts)
    whole = nocurl.Moments.of(table)
    assert (total.rows, total.names) == (600, whole.names)
    np.testing.assert_allclose(total.covariance(), whole.covariance(), rtol=1e-10)
    started = nocurl.Moments.empty(table.columns)
    for part in parts:
        started = started + nocurl.Moments.of(part)
    np.testing.assert_allclose(started.mean, whole.mean, rtol=1e-10, atol=1e-12)
    graphs = [nocurl.learn(moments) for moments in (total, whole)]
    assert {edge[:2] for edge in graphs[0].edges} == {edge[:2] for edge in graphs[1].edges}
    # All rows are kept while they are few: checks and resampling see them.
    assert graphs[0].bootstrap["kind"] == "rows"


def test_columns_are_chosen_and_strangers_named(table: pd.DataFrame) -> None:
    moments = nocurl.Moments.of(table)
    some = moments[["v5", "v2"]]
    assert some.names == ["v5", "v2"]
    np.testing.assert_array_equal(some.mean, moments.mean[[5, 2]])
    assert nocurl.Moments.of(table, columns=["v5", "v2"]).names == ["v5", "v2"]
    with pytest.raises(KeyError, match="`nope`"):
        moments[["v1", "nope"]]
    with pytest.raises(ValueError, match="several"):
        moments["v1"]
    with pytest.raises(ValueError, match="only one of them has `v7`"):
        moments + nocurl.Moments.of(table.drop(columns="v7"))
    with pytest.raises(TypeError):
        moments + 3


def test_weights_are_counts(table: pd.DataFrame) -> None:
    counts = np.arange(len(table)) % 3
    repeated = nocurl.Moments.of(table.loc[np.repeat(table.index, counts)])
    for weighted in (
        nocurl.Moments.of(table, weights=counts),
        nocurl.Moments.of(table.assign(n=counts), weights="n"),
        nocurl.Moments.of(table.to_numpy(), weights=counts),
    ):
        assert weighted.rows == repeated.rows
        np.testing.assert_allclose(weighted.covariance(), repeated.covariance(), rtol=1e-10)
    with pytest.raises(ValueError, match="-1"):
        nocurl.Moments.of(table, weights=counts - 1)
    with pytest.raises(ValueError, match="shape"):
        nocurl.Moments.of(table, weights=counts[:5])


def test_levels_of_parts_are_put_together() -> None:
    rng = np.random.default_rng(0)
    size = rng.normal(size=300)
    kind = np.where(size > 0.5, "big", np.where(size < -1, "tiny", "usual"))
    table = pd.DataFrame({"size": size, "kind": kind, "age": size + rng.normal(size=300)})
    table = table.sort_values("size", ignore_index=True)
    # Each part sees one or two of the levels.
    parts = [nocurl.Moments.of(table[s : s + 100], categorical="kind") for s in (0, 100, 200)]
    whole = nocurl.Moments.of(table)
    for total in (sum(parts), nocurl.Moments.merge_all(reversed(parts))):
        assert total.kinds == {"size": "continuous", "kind": "categorical", "age": "continuous"}
        np.testing.assert_allclose(total.mean, whole.mean, atol=1e-12)
        np.testing.assert_allclose(total.covariance(), whole.covariance(), atol=1e-12)


def test_files_and_pickles_keep_all(table: pd.DataFrame, tmp_path, command_line) -> None:
    moments = nocurl.Moments.of(table)
    assert pickle.loads(pickle.dumps(moments)) == moments
    path = tmp_path / "m.moments"
    moments.write(path)
    assert nocurl.Moments.read(path) == moments
    assert nocurl.learn(path) == nocurl.learn(moments)
    assert command_line("learn", path, "-q").returncode == 0
    large = nocurl.Moments.empty([f"x{j}" for j in range(1000)])
    assert len(pickle.dumps(large)) < 8 * 1000 * 1000
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match="cut off"):
        nocurl.Moments.read(path)
    with pytest.raises(ValueError, match="cut off"):
        nocurl.learn(path)


def test_several_files_are_one_table(table: pd.DataFrame, tmp_path) -> None:
    for number, start in enumerate(range(0, 600, 150)):
        table[start : start + 150].to_csv(tmp_path / f"part-{number}.csv", index=False)
    expected = nocurl.Moments.of(table)
    found = nocurl.Moments.of(str(tmp_path / "part-*.csv"))
    np.testing.assert_allclose(found.covariance(), expected.covariance(), rtol=1e-9)
    assert found == nocurl.Moments.of(sorted(tmp_path.iterdir()), n_jobs=1)
    (tmp_path / "part-9.csv").write_text("v0,v1\n1,x\n")
    with pytest.raises(ValueError, match="part-9.csv"):
        nocurl.Moments.of(tmp_path)
    with pytest.raises(ValueError, match="no files"):
        nocurl.Moments.of(str(tmp_path / "nothing-*.csv"))


def test_gaps_of_small_parts(table: pd.DataFrame) -> None:
    gaps = table.astype(float)
    gaps.iloc[0, 0] = np.nan
    assert nocurl.Moments.of(gaps[:1], missing="drop").rows == 0
    found = sum(nocurl.Moments.of(gaps[s : s + 3], missing="drop") for s in (0, 3))
    assert (found.rows, found.rows_dropped) == (5, 1)
    with pytest.raises(ValueError, match="v0"):
        nocurl.Moments.of(gaps[:1])
    gaps.iloc[400, 1] = np.nan
    parts = [nocurl.Moments.of(part, missing="em") for part in (gaps[:300], gaps[300:])]
    with pytest.warns(nocurl.ResultWarning, match="each of 2 parts"):
        nocurl.learn(sum(parts))
