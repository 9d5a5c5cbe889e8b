"""Ray with two workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import nocurl
import nocurl.distributed as nd

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    yield
    ray.shutdown()


def test_tasks_on_files_and_data_sets(case) -> None:
    assert nd.moments(case.paths, executor="ray") == case.moments
    assert nd.learn(case.paths, executor="ray", bootstrap=20) == case.graph
    data = ray.data.read_parquet(case.folder)
    found = nd.moments(data)
    np.testing.assert_allclose(found.covariance(), case.moments.covariance(), rtol=1e-9)


def test_text_and_groups(mixed) -> None:
    folder, table = mixed
    data = ray.data.read_parquet(folder)
    found = nd.moments(data, drop="land")
    np.testing.assert_allclose(found.mean, nocurl.Moments.of(table, drop="land").mean, atol=1e-9)
    assert nd.learn_each(data, by="land")["rows"].tolist() == [1000, 1000]


def test_experiments(experiment) -> None:
    found = nd.learn(experiment.folder, executor="ray", bootstrap=20, **experiment.asked)
    assert found == nd.learn(experiment.folder, bootstrap=20, **experiment.asked)
    data = nd.learn(ray.data.read_parquet(experiment.folder), **experiment.asked)
    assert {edge[:2] for edge in data.edges} == experiment.edges


def test_a_worker_that_dies_changes_nothing(case) -> None:
    slow = [*case.paths] * 6
    expected = nd.moments(slow)
    # Not a function of this module, which workers cannot import.
    pid = ray.get(ray.remote(lambda: os.getpid()).remote())
    threading.Thread(target=_kill, args=(pid,), daemon=True).start()
    assert nd.moments(slow, executor="ray") == expected


def test_fits_of_networks_are_tasks(curved) -> None:
    table, expected = curved
    assert nd.fit_rows(table, "nonlinear", executor="ray", diagnose=False) == expected


def _kill(pid: int) -> None:
    time.sleep(0.15)
    os.kill(pid, signal.SIGKILL)


def test_bad_input_is_one_line(case) -> None:
    data = ray.data.read_parquet(case.folder)
    with pytest.raises(ValueError, match="nocurl.distributed"):
        nocurl.learn(data)
    with pytest.raises(ValueError, match="a table of Ray is read by Ray, not by"):
        nd.moments(data, executor=ThreadPoolExecutor(1))
    paths = [case.paths[0], case.folder + "/nothing.parquet"]
    with pytest.raises((ValueError, OSError), match="nothing.parquet"):
        nd.moments(paths, executor=ray)
