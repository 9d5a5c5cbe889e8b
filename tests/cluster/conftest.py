"""A partitioned table, and what one machine makes of it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

import nocurl
import nocurl.distributed as nd


#: Seconds that a test may take: an engine that waits for a dead worker would wait for ever.
_LONGEST = 300


@pytest.fixture(autouse=True)
def bounded() -> Iterator[None]:
    """Fails a test that does not end."""

    def late(*_: object) -> None:
        raise TimeoutError(f"the test took more than {_LONGEST} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(_LONGEST)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@dataclass
class Case:
    """A table in files, and the graph of the same files on one machine."""

    table: pd.DataFrame
    folder: str
    paths: list[str]
    moments: nocurl.Moments
    graph: nocurl.Graph


@pytest.fixture(scope="session")
def case(tmp_path_factory) -> Case:
    drawn = nocurl.simulate(variables=10, rows=30_000, degree=3, random_state=4)
    table = pd.DataFrame(drawn.data, columns=[f"v{j}" for j in range(10)])
    folder = tmp_path_factory.mktemp("table")
    paths = []
    for number, start in enumerate(range(0, 30_000, 3_000)):
        path = folder / f"part-{number:02}.parquet"
        part = pa.Table.from_pandas(table[start : start + 3_000], preserve_index=False)
        pyarrow.parquet.write_table(part, path)
        paths.append(str(path))
    graph = nd.learn(paths, bootstrap=20)
    return Case(table, str(folder), paths, nd.moments(paths), graph)


@pytest.fixture(scope="session")
def mixed(tmp_path_factory) -> tuple[str, pd.DataFrame]:
    """A folder of files with a column of text and one of groups."""
    rng = np.random.default_rng(1)
    size = rng.normal(size=2000)
    kind = np.where(size > 0.7, "big", np.where(size < -0.7, "tiny", "usual"))
    age = size + rng.normal(size=2000)
    land = np.array(["at", "ch"])[np.arange(2000) % 2]
    table = pd.DataFrame({"size": size, "kind": kind, "age": age, "land": land})
    folder = tmp_path_factory.mktemp("mixed")
    for number, start in enumerate(range(0, 2000, 500)):
        part = pa.Table.from_pandas(table[start : start + 500], preserve_index=False)
        pyarrow.parquet.write_table(part, folder / f"part-{number}.parquet")
    return str(folder), table


@dataclass
class Experiment:
    """A table of a control and two conditions in files, and what it is learnt with."""

    folder: str
    asked: dict
    edges: set


@pytest.fixture(scope="session")
def experiment(tmp_path_factory) -> Experiment:
    rng = np.random.default_rng(5)
    a, drug = rng.normal(size=3000), np.array(["none", "on_b", "on_c"])[np.arange(3000) // 1000]
    b = np.where(drug == "on_b", 2 + rng.normal(size=3000), a + rng.normal(size=3000))
    c = np.where(drug == "on_c", rng.normal(size=3000) - 1, b - a + rng.normal(size=3000))
    table = pd.DataFrame({"a": a, "b": b, "drug": drug, "c": c})
    folder = tmp_path_factory.mktemp("experiment")
    # Rows stand by condition, so that no file has all of them.
    for number, start in enumerate(range(0, 3000, 700)):
        part = pa.Table.from_pandas(table[start : start + 700], preserve_index=False)
        pyarrow.parquet.write_table(part, folder / f"part-{number}.parquet")
    asked = {"condition": "drug", "targets": {"on_b": ["b"], "on_c": ["c"]}}
    return Experiment(str(folder), asked, edges(nocurl.learn(table, **asked)))


@pytest.fixture(scope="session")
def curved() -> tuple[pd.DataFrame, nocurl.Graph]:
    """A table with curved effects, more rows than are tried at first, and its graph."""
    drawn = nocurl.simulate(variables=5, rows=2100, mechanism="gp", degree=2, random_state=6)
    table = pd.DataFrame(drawn.data, columns=list("abcde"))
    return table, nocurl.learn(table, "nonlinear", diagnose=False)


def edges(graph: nocurl.Graph) -> set:
    """The edges, without their weights."""
    return {edge[:2] for edge in graph.edges}
