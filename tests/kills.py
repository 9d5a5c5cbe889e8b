#!/usr/bin/env python3
"""Kills runs of nocurl at random moments and looks at what is left.

    python3 tests/kills.py target/release/nocurl --kills 1000 --seed 1

Four kinds of runs: `learn` with outputs, `learn` from standard input (a Parquet file, which is
spooled), a training with a checkpoint, a bench. After each kill every file with the name of an
output must be whole; after the next run that is left alone no stray file may be there and the
results must be those of a run that was never killed.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TRAINING = "--method nocurl-gnn --param estimate_epochs=20 --param epochs=20 --param hidden=8".split()
BENCH = "bench paper --sizes 5,6 --trials 2 --methods Eq+TD --timing-trials 0 --jobs 2 -q".split()
SIGNALS = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT]


class Kind:
    """A command, the files it leaves, and what in them must not depend on kills."""

    def __init__(self, name, arguments, stdin, outputs):
        self.name, self.arguments, self.stdin, self.outputs = name, arguments, stdin, outputs

    def start(self, program, folder):
        source = open(folder / self.stdin, "rb") if self.stdin else subprocess.DEVNULL
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        return subprocess.Popen([program, *self.arguments], cwd=folder, stdin=source, **quiet)

    def result(self, folder):
        found = {}
        for name in self.outputs:
            text = (folder / name).read_text()
            if name.endswith("graph.json"):
                document = json.loads(text)
                document["elapsed_seconds"] = 0
                found[name] = json.dumps(document, sort_keys=True)
            elif name.endswith("results.csv"):
                # Rows come in the order in which they are done; times differ.
                rows = [line.split(",") for line in text.splitlines()]
                found[name] = sorted(row[:6] + row[10:] for row in rows)
            elif name.endswith(".dot"):
                found[name] = [line for line in text.splitlines() if "elapsed" not in line]
        return found

    def check_whole(self, folder):
        """What is there after a kill can be read."""
        for name in self.outputs:
            path = folder / name
            if not path.exists():
                continue
            text = path.read_text()
            if name.endswith(".json"):
                json.loads(text)
            elif name.endswith(".dot"):
                assert text.rstrip().endswith("}"), f"{name} is cut short"
            elif name.endswith(".state"):
                assert text.count("\n") == 2 and text.endswith("\n"), f"{name} is cut short"


KINDS = [
    Kind("learn", "learn x.csv --bootstrap 5 --output graph.json --output g.dot -q".split(), None,
         ["graph.json", "g.dot"]),
    # A number of resampled tables: by default a slow machine draws fewer of them.
    Kind("moments", "learn - --bootstrap 20 --output graph.json -q".split(), "x.parquet",
         ["graph.json"]),
    Kind("checkpoint", ["learn", "t.csv", "--checkpoint", "run.state", "--output", "graph.json", "-q",
         *TRAINING], None, ["graph.json", "run.state"]),
    Kind("bench", [*BENCH, "--output", "out"], None,
         ["out/results.csv", "out/results.json", "out/tables.csv", "out/tables.md"]),
]


def tables(program, folder):
    def simulate(*flags):
        subprocess.run([program, "simulate", "-q", *flags], cwd=folder, check=True)

    simulate("--variables", "10", "--rows", "300", "--output", "x.csv")
    simulate("--variables", "20", "--rows", "20000", "--output", "x.parquet")
    simulate("--variables", "5", "--rows", "200", "--mechanism", "dag-gnn-2", "--output", "t.csv")


def names(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def spooled():
    """Files that were copied from standard input and stayed."""
    found = os.scandir(tempfile.gettempdir())
    return [entry.name for entry in found if entry.name.startswith(".tmp") and entry.is_file()]


def clean_run(kind, program, inputs):
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    for name in inputs.iterdir():
        shutil.copy(name, folder)
    began = time.monotonic()
    process = kind.start(program, folder)
    told = process.communicate()[1]
    assert process.returncode == 0, told
    took = time.monotonic() - began
    result, files = kind.result(folder), names(folder)
    shutil.rmtree(folder)
    return result, files, took


def kept(found, wanted):
    """Both results, in a folder that stays."""
    folder = Path(tempfile.mkdtemp(prefix="kills-kept-"))
    for name, result in [("found", found), ("wanted", wanted)]:
        (folder / f"{name}.json").write_text(json.dumps(result, indent=1))
    return folder


def campaign(program, kills, seed):
    draw = random.Random(seed)
    inputs = Path(tempfile.mkdtemp(prefix="kills-inputs-"))
    tables(program, inputs)
    before = set(spooled())
    wanted = {kind.name: clean_run(kind, program, inputs) for kind in KINDS}
    counts = {kind.name: {"kills": 0, "ended before": 0} for kind in KINDS}
    done = 0
    while done < kills:
        kind = KINDS[done % len(KINDS)] if done < 4 else draw.choice(KINDS)
        result, files, took = wanted[kind.name]
        folder = Path(tempfile.mkdtemp(prefix="kills-"))
        for name in inputs.iterdir():
            shutil.copy(name, folder)
        # Some kills in a row on the same folder, then a run that is left alone.
        for _ in range(draw.randint(2, 8)):
            process = kind.start(program, folder)
            time.sleep(draw.random() * 1.1 * took)
            process.send_signal(draw.choice(SIGNALS))
            process.communicate()
            ended = process.returncode == 0
            counts[kind.name]["ended before" if ended else "kills"] += 1
            done += not ended
            kind.check_whole(folder)
        process = kind.start(program, folder)
        told = process.communicate()[1]
        assert process.returncode == 0, (kind.name, told)
        assert names(folder) == files, (kind.name, names(folder), files)
        found = kind.result(folder)
        assert found == result, f"{kind.name}: another result; see {kept(found, result)}"
        shutil.rmtree(folder)
        print(f"{done} of {kills}: {json.dumps(counts)}", file=sys.stderr, flush=True)
    shutil.rmtree(inputs)
    left = set(spooled()) - before
    print(json.dumps({"seed": seed, "kinds": counts, "spools left": sorted(left)}))
    assert not left, left


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    # What is ignored here would be ignored by the program too.
    for ignored in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(ignored, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    campaign(os.path.abspath(given.program), given.kills, given.seed)
