"""Where the program, the module of the page and the settings of a run are."""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

#: Every comparison works on one thread at a time.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def setting(name: str, default: int) -> int:
    """A whole number of the environment."""
    return int(os.environ.get(name, default))


@pytest.fixture(scope="session")
def seed() -> int:
    return setting("NOCURL_DIFFERENTIAL_SEED", 0)


@pytest.fixture(scope="session")
def cases() -> int:
    return setting("NOCURL_DIFFERENTIAL_CASES", 2000)


@pytest.fixture(scope="session")
def program() -> str:
    path = os.environ.get("NOCURL", str(ROOT / "target/debug/nocurl"))
    assert shutil.which(path), f"{path} does not exist: build it or set NOCURL"
    return path


@pytest.fixture(scope="session")
def web_program() -> str:
    path = os.environ.get("NOCURL_WEB", str(ROOT / "target/debug/nocurl-web"))
    if not shutil.which(path):
        pytest.skip(f"{path} does not exist: build nocurl-web or set NOCURL_WEB")
    return path
