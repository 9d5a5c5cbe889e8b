"""Spark in local-cluster mode: two executors, each a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import nocurl
import nocurl.distributed as nd

pyspark_sql = pytest.importorskip("pyspark.sql")


@pytest.fixture(scope="module")
def spark():
    # Executors have the Python of this environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        pyspark_sql.SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .config("spark.ui.enabled", "false")
        .config("spark.sql.files.maxPartitionBytes", "300k")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def test_moments_and_graph_of_a_frame(spark, case) -> None:
    frame = spark.read.parquet(case.folder)
    found = nd.moments(frame)
    assert found.rows == 30_000
    np.testing.assert_allclose(found.covariance(), case.moments.covariance(), rtol=1e-9)
    graph = nd.learn(frame, bootstrap=12)
    # Listed by confidence, which depends a little on the cut.
    assert {edge[:2] for edge in graph.edges} == {edge[:2] for edge in case.graph.edges}
    assert graph == nd.learn(frame, bootstrap=12)
    # More partitions than are sent to the driver one by one.
    many = nd.moments(frame.repartition(70))
    np.testing.assert_allclose(many.covariance(), case.moments.covariance(), rtol=1e-9)


def test_text_groups_and_empty_partitions(spark, mixed) -> None:
    folder, table = mixed
    frame = spark.read.parquet(folder)
    found = nd.moments(frame, drop="land")
    np.testing.assert_allclose(found.mean, nocurl.Moments.of(table, drop="land").mean, atol=1e-9)
    each = nd.learn_each(frame, by="land")
    assert each["rows"].tolist() == [1000, 1000]
    few = frame.where("size > 2.5").repartition(6).select("size", "age")
    assert nd.moments(few).rows == int((table["size"] > 2.5).sum())


def test_tasks_run_on_executors(spark, case) -> None:
    assert nd.moments(case.paths, executor=spark) == case.moments
    assert nd.learn(case.paths, executor=spark, bootstrap=20) == case.graph


def test_fits_of_networks_are_tasks(spark, curved) -> None:
    table, expected = curved
    assert nd.fit_rows(table, "nonlinear", executor=spark, diagnose=False) == expected


def test_experiments(spark, experiment) -> None:
    frame = spark.read.parquet(experiment.folder)
    found = nd.learn(frame, bootstrap=20, **experiment.asked)
    assert {edge[:2] for edge in found.edges} == experiment.edges
    assert found.bootstrap["kind"] == "rows"


def test_an_executor_that_dies_changes_nothing(spark, case) -> None:
    global _ours
    _ours = spark.sparkContext.getConf().get("spark.driver.port")
    frame = spark.read.parquet(*case.paths * 6)
    expected = nd.moments(frame)
    threading.Thread(target=_kill_one, daemon=True).start()
    assert nd.moments(frame) == expected


def _kill_one() -> None:
    time.sleep(0.5)
    out = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
    pids = [int(line.split()[0]) for line in out.splitlines() if _is_executor(line)]
    if pids:
        os.kill(pids[0], signal.SIGKILL)


def _is_executor(line: str) -> bool:
    """An executor of this test, not of somebody else's Spark."""
    return "CoarseGrainedExecutorBackend" in line and _ours in line


_ours = ""


def test_bad_input_is_one_line(spark, case) -> None:
    from pyspark.sql import functions

    frame = spark.read.parquet(case.folder)
    gap = frame.withColumn("v3", functions.when(functions.col("v3") > 0, None).otherwise(frame.v3))
    with pytest.raises(ValueError, match="partition .*`v3`"):
        nd.moments(gap)
    with pytest.raises(ValueError, match="nocurl.distributed"):
        nocurl.learn(frame)
    with pytest.raises(ValueError, match="a table of Spark is read by Spark, not by"):
        nd.moments(frame, executor=ThreadPoolExecutor(1))
    with pytest.raises(ValueError, match="`nope`"):
        nd.moments(frame, columns=["v1", "nope"])
