"""What several tests need."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import matplotlib
import pytest

import nocurl

matplotlib.use("Agg")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> Path:
    return ROOT


@pytest.fixture
def command_line():
    """Runs the command line that was built with the tests."""

    def run(*arguments: object) -> subprocess.CompletedProcess:
        program = os.environ.get("NOCURL", ROOT / "target/debug/nocurl")
        words = [str(program), *map(str, arguments)]
        return subprocess.run(words, capture_output=True, text=True, check=False)

    return run


@pytest.fixture(scope="session")
def drawn() -> nocurl.Simulated:
    return nocurl.simulate(variables=8, rows=600, degree=3, random_state=5)
