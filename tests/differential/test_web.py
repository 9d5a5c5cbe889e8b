"""The program of the page, compiled for this machine and as WebAssembly: the same graphs as Python."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import compare
from conftest import ROOT
from files import difference, numbers_of, request, write_table
from generate import generate

#: Share of the cases that go through the native program.
SHARE = 0.075

#: Cases in the WebAssembly module.
IN_MODULE = 50

#: Another compiler and another order of sums.
TOLERANCE = 1e-9


def call(number: int, seed: int, folder: Path) -> dict:
    """The request of a case, whose table is written into a folder."""
    case = generate(number, seed)
    write_table(folder / f"table{number}.csv", case.frame, case.kinds)
    return {"call": "learn", "file": f"table{number}.csv", "settings": request(case)}


def compared(number: int, seed: int, reply: dict) -> list[str]:
    """Where the document of a reply differs from Python's, and whether the oracle agrees with it."""
    import nocurl

    case = generate(number, seed)
    if "result" not in reply:
        return [f"case {number}: {reply}"]
    result = reply["result"]
    own = compare.learn(case)
    found = []
    where = difference(numbers_of(result["document"]), numbers_of(own._document), TOLERANCE)
    if where:
        found.append(f"case {number}: {where}")
    if not result["svg"].startswith("<svg"):
        found.append(f"case {number}: the picture is {result['svg'][:40]}")
    comparison = compare.Comparison(case, nocurl.Graph(result["document"]))
    if not comparison.oracle.is_singular:
        comparison.kinds()
        comparison.weights()
        comparison.mechanisms()
    return found + comparison.found


def test_the_native_program_learns_as_python_does(web_program, cases, seed, tmp_path):
    def one(number: int) -> list[str]:
        text = json.dumps(call(number, seed, tmp_path))
        done = subprocess.run([web_program], input=text, cwd=tmp_path, capture_output=True, text=True)
        try:
            return compared(number, seed, json.loads(done.stdout))
        except Exception as problem:  # noqa: BLE001
            return [f"case {number}: {type(problem).__name__}: {problem}"]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            found = [line for lines in pool.map(one, range(int(cases * SHARE))) for line in lines]
    assert not found, f"{len(found)} differences (seed {seed}):\n" + "\n".join(found[:40])


@pytest.mark.parametrize("change", ["file", "setting", "column", "call"])
def test_the_native_program_refuses_in_one_line(web_program, seed, tmp_path, change):
    asked = call(3, seed, tmp_path)
    if change == "file":
        asked["file"] = "nowhere.csv"
    elif change == "setting":
        asked["settings"]["nothing"] = 1
    elif change == "column":
        asked["settings"]["drop"] = ["no such column"]
    else:
        asked["call"] = "nothing"
    done = subprocess.run([web_program], input=json.dumps(asked), cwd=tmp_path, capture_output=True, text=True)
    reply = json.loads(done.stdout)
    assert done.returncode == 2 and list(reply) == ["error"]
    assert "\n" not in reply["error"] and "panic" not in reply["error"] + done.stderr


#: Runs one request. Each has a process of its own, as Node loses track of memory after some modules.
HOST = """
import { openSync, readFileSync } from "node:fs";
import { WASI } from "node:wasi";

const [path, request, reply] = process.argv.slice(2);
const [stdin, stdout] = [openSync(request, "r"), openSync(reply, "w")];
const wasi = new WASI({ version: "preview1", preopens: { ".": process.cwd() }, stdin, stdout, returnOnExit: true });
const module = await WebAssembly.compile(readFileSync(path));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));
"""


def test_the_module_learns_as_python_does(cases, seed, tmp_path):
    default = ROOT / "target/wasm/wasm32-wasip1/release/nocurl-web.wasm"
    module = Path(os.environ.get("NOCURL_WASM", default))
    if not module.exists():
        pytest.skip(f"{module} does not exist: build the module or set NOCURL_WASM")
    node = shutil.which("node")
    assert node, "node runs the module, and is not installed"
    (tmp_path / "host.mjs").write_text(HOST)

    def one(number: int) -> list[str]:
        (tmp_path / f"request{number}").write_text(json.dumps(call(number, seed, tmp_path)))
        command = [node, "--no-warnings", "host.mjs", str(module), f"request{number}", f"reply{number}"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        try:
            return compared(number, seed, json.loads((tmp_path / f"reply{number}").read_text()))
        except Exception as problem:  # noqa: BLE001
            return [f"case {number}: exit code {done.returncode}: {type(problem).__name__}: {problem}"]

    # Other cases than those of the native program.
    numbers = range(100_000, 100_000 + min(cases, IN_MODULE))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            found = [line for lines in pool.map(one, numbers) for line in lines]
    assert not found, f"{len(found)} differences (seed {seed}):\n" + "\n".join(found[:40])
