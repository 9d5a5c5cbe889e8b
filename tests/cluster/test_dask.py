"""Dask with two worker processes."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.array
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import nocurl
import nocurl.distributed as nd
from nocurl.distributed._dask import DaskRunner


@pytest.fixture(scope="module")
def client():
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        yield client


def test_files_frames_arrays_and_bags(client, case) -> None:
    assert nd.moments(case.paths, executor=client) == case.moments
    frame = dd.read_parquet(case.folder, split_row_groups=False, aggregate_files=False)
    assert nd.learn(case.paths, executor=client, bootstrap=20) == case.graph
    # Partitions that are files are read as files.
    assert nd.moments(frame) == case.moments
    names = list(case.moments.names[3:6])
    assert nd.moments(frame, columns=names) == nd.moments(frame[names])
    filtered = dd.read_parquet(case.folder, filters=[("v0", ">", 0.0)])
    chosen = case.table[case.table["v0"] > 0]
    for other, table in [(frame.assign(v0=-frame["v0"]), case.table), (filtered, chosen)]:
        assert nd.moments(other).rows == len(table)
    found = nd.moments(frame.assign(v0=frame["v0"] + 1))
    np.testing.assert_allclose(found.covariance(), case.moments.covariance(), rtol=1e-9)
    array = dask.array.from_array(case.table.to_numpy(), chunks=(7000, 4))
    np.testing.assert_allclose(
        nd.moments(array).covariance(), case.moments.covariance(), rtol=1e-9
    )
    assert nd.moments(dask.bag.from_sequence(case.paths, npartitions=3)) == case.moments


def test_same_bits_for_any_number_of_workers(case, client) -> None:
    frame = dd.from_pandas(case.table, npartitions=9)
    ours = nd.learn(frame, bootstrap=12, restarts=200)
    with dask.config.set(scheduler="synchronous"):
        alone = DaskRunner.__new__(DaskRunner)
        alone._client = None
        assert nd.learn(frame, bootstrap=12, restarts=200, executor=alone) == ours


def test_text_and_groups(client, mixed) -> None:
    folder, table = mixed
    frame = dd.read_parquet(folder)
    found = nd.moments(frame, drop="land")
    assert found.kinds["kind"] == "categorical"
    np.testing.assert_allclose(found.mean, nocurl.Moments.of(table, drop="land").mean, atol=1e-9)
    each = nd.learn_each(frame, by="land")
    assert each["land"].tolist() == ["at", "ch"] and each["rows"].tolist() == [1000, 1000]


def test_an_index_in_files_is_no_column(client, case, tmp_path) -> None:
    table = case.table[:100].rename_axis("row")
    dd.from_pandas(table, npartitions=2).to_parquet(tmp_path)
    assert nd.moments(dd.read_parquet(tmp_path)).names == list(table.columns)


def test_experiments(client, experiment) -> None:
    frame = dd.read_parquet(experiment.folder)
    found = nd.learn(frame, bootstrap=20, **experiment.asked)
    assert {edge[:2] for edge in found.edges} == experiment.edges
    assert found.bootstrap["kind"] == "rows"
    files = nd.learn(experiment.folder, executor=client, bootstrap=20, **experiment.asked)
    assert files == nd.learn(experiment.folder, bootstrap=20, **experiment.asked)


def test_a_worker_that_dies_changes_nothing(client, case) -> None:
    expected = nd.learn(case.paths, executor=client, bootstrap=20)
    # One dies while it works on a part.
    pids = list(client.run(os.getpid).values())
    slow = [*case.paths] * 6
    threading.Thread(target=_kill, args=(pids[0],), daemon=True).start()
    whole = nd.moments(slow, executor=client)
    assert whole == nd.moments(slow)
    client.wait_for_workers(2, timeout=60)
    assert nd.learn(case.paths, executor=client, bootstrap=20) == expected


def test_fits_of_networks_are_tasks(client, curved) -> None:
    table, expected = curved
    frame = dd.from_pandas(table, npartitions=3)
    assert nd.fit_rows(frame, "nonlinear", diagnose=False) == expected
    # One worker dies while it fits.
    told: list = []

    def kill_one(stage: str, done: int, *_: object) -> None:
        if stage == "fitting networks" and done > 0 and not told:
            told.append(done)
            os.kill(list(client.run(os.getpid).values())[0], signal.SIGKILL)

    asked = {"executor": client, "diagnose": False, "show_progress": kill_one}
    assert nd.fit_rows(table, "nonlinear", **asked) == expected
    assert told
    client.wait_for_workers(2, timeout=60)

    def stop(stage: str, *_: object) -> None:
        if stage == "fitting networks":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nd.fit_rows(table, "nonlinear", executor=client, show_progress=stop)
    with dask.config.set(scheduler="threads"):
        alone = DaskRunner.__new__(DaskRunner)
        alone._client = None
        assert nd.fit_rows(table, "nonlinear", executor=alone, diagnose=False) == expected


def _kill(pid: int) -> None:
    time.sleep(0.15)
    os.kill(pid, signal.SIGKILL)


def test_bad_input_names_partition_and_column(client, case) -> None:
    table = case.table.copy()
    table.iloc[29_999, 3] = np.nan
    frame = dd.from_pandas(table, npartitions=3)
    with pytest.raises(ValueError, match="partition 2: .*`v3`"):
        nd.moments(frame)
    assert nd.moments(frame, missing="drop").rows == 29_999
    with pytest.raises(ValueError, match="nocurl.distributed"):
        nocurl.learn(frame)
    with pytest.raises(ValueError, match="nocurl.distributed"):
        nocurl.learn(dask.array.ones((10, 3)))
    with pytest.raises(ValueError, match="`nope`"):
        nd.moments(frame, columns=["v1", "nope"])
    empty = dd.from_pandas(case.table, npartitions=4)
    empty = empty[empty["v0"] > case.table["v0"].max() - 1e-9]
    assert nd.moments(empty).rows == 1


def test_another_version_is_said(client, case, monkeypatch) -> None:
    from nocurl.distributed import _work

    job = _work.MomentsJob({}, version="0.0.1")
    with pytest.raises(RuntimeError, match="a worker has nocurl"):
        client.submit(_work.run_part, job, 0, "part", case.paths[0]).result()


def test_workers_without_nocurl_are_said(case) -> None:
    forget = """
import os, sys
for name in [name for name in sys.modules if name.partition(".")[0] == "nocurl"]:
    del sys.modules[name]
sys.path[:] = [path for path in sys.path if not os.path.isdir(os.path.join(path, "nocurl"))]
sys.path_importer_cache.clear()
"""
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster, set_as_default=False) as client:
        client.run(exec, forget)
        with pytest.raises(RuntimeError, match="install nocurl=="):
            nd.moments(case.paths, executor=client)


def test_benchmark_rows_and_samples(client, case, tmp_path) -> None:
    asked = {"sizes": [5], "methods": ["NoCurl-1"], "scenarios": ["ER3-Gaussian"], "trials": 3}
    ours = nd.bench("paper-linear", executor=client, output=str(tmp_path / "a"), **asked)
    here = nd.bench("paper-linear", output=str(tmp_path / "b"), **asked)
    key = ["scenario", "d", "method", "trial", "seed", "shd"]
    pd.testing.assert_frame_equal(
        ours[key].sort_values("trial", ignore_index=True),
        here[key].sort_values("trial", ignore_index=True),
    )
    frame = dd.read_parquet(case.folder)
    rows = nd.fit_rows(frame, "lingam", sample=2000)
    assert rows == nd.fit_rows(case.table, "lingam", sample=2000)


def test_progress_and_ctrl_c(client, case) -> None:
    told: list = []
    nd.moments(case.paths, executor=client, show_progress=lambda *one: told.append(one))
    assert told[-1][:3] == ("reading parts", 10, 10)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nd.moments([*case.paths] * 10, executor=client, show_progress=stop)
    assert nd.moments(case.paths, executor=client) == case.moments


def test_parts_that_differ_are_told_apart(client, case, tmp_path) -> None:
    table = case.table[:60]

    def refused(words: str, *parts: pd.DataFrame) -> None:
        paths = []
        for number, part in enumerate(parts):
            paths.append(str(tmp_path / f"{number}.parquet"))
            part.to_parquet(paths[-1])
        with pytest.raises(ValueError, match=words):
            nd.moments(paths, executor=client)

    other = table.rename(columns={"v3": "w3"})
    refused("1.parquet` and .*0.parquet` differ: only one of them has `v3`", table, other)
    refused("`v3` is of numbers in one part and text", table, table.assign(v3="word"))
    refused("1.parquet.*`v3`", table, table.assign(v3=np.nan))
    with pytest.raises(ValueError, match="there is no part"):
        nd.moments(dask.bag.from_sequence([], npartitions=1))
    frame = dd.from_pandas(table, npartitions=2)
    with pytest.raises(ValueError, match="a table of Dask is read by Dask, not by"):
        nd.moments(frame, executor=ThreadPoolExecutor(1))
    with pytest.raises(ValueError, match="partition 1 and partition 0 differ: .*`v3`"):
        nd.moments(dd.from_delayed([dask.delayed(table), dask.delayed(other)], meta=table, verify_meta=False))
    with pytest.raises(ValueError, match="Series of Dask is no table|no table"):
        nd.moments(dask.bag.from_sequence([{"a": 1}]).to_dataframe()["a"])
    turned = [table[:30], table[30:30], table[30:][list(reversed(table.columns))]]
    parts = [dd.from_pandas(part, npartitions=1) for part in turned]
    whole = sum(nd.moments(part) for part in parts)
    np.testing.assert_allclose(
        whole.covariance(), nocurl.Moments.of(table).covariance(), rtol=1e-9
    )
