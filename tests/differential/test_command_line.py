"""The command line on random tables: the same answers as Python, to the last digits."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import classes
import compare
from files import DIALECTS, difference, flags, numbers_of, write_table
from generate import generate

#: Share of the cases that go through the command line.
SHARE = 0.075

SAME = 1e-12


class Failed(Exception):
    """The program refused; its message."""


def run(program: str, folder: Path, *arguments: str) -> str:
    """Standard output of a run that must succeed."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise Failed(f"{arguments}: {done.returncode}: {done.stderr.strip()[:300]}")
    return done.stdout


def read_cells(path: Path) -> tuple[list[str], list[list[str]]]:
    with open(path, newline="", encoding="utf-8") as file:
        first, *rest = csv.reader(file)
    return first, rest


def check(program: str, folder: Path, number: int, seed: int) -> list[str]:
    """The differences between the command line and Python on one case."""
    import nocurl

    case = generate(number, seed)
    found: list[str] = []

    def same(what: str, got, right, tolerance: float = SAME) -> None:
        where = difference(got, right, tolerance)
        if where:
            found.append(f"case {number}: {what}: {where}")

    graph = compare.learn(case)
    dialect = DIALECTS[number % len(DIALECTS)]
    write_table(folder / "table.csv", case.frame, case.kinds, dialect)
    write_table(folder / "fresh.csv", case.fresh, case.kinds)
    run(program, folder, "learn", "table.csv", *flags(case), "--output", "graph.json")
    document = json.loads((folder / "graph.json").read_text())
    right = numbers_of(graph._document)
    # Sums of a file may be added in another order than those of a frame.
    same("learn", numbers_of(document), right, 1e-9)

    # From here on both have the same file.
    graph = nocurl.read_graph(folder / "graph.json")
    effects = json.loads(run(program, folder, "effects", "graph.json", "--json"))
    same("effects", effects["effects"], json.loads(graph._answers.effects())["effects"])
    cause, target = graph.variables[0], graph.variables[-1]
    single = json.loads(run(program, folder, "effects", "graph.json", f"--from={cause}", f"--to={target}", "--json"))
    table = graph.effects(cause)
    of_target = table[table["to"] == target]
    def entry_of(row: dict) -> tuple:
        levels = [row.get("from_level"), row.get("to_level")]
        return tuple(level if isinstance(level, str) else None for level in levels)

    known = {entry_of(row): [row["effect"], row["lower"], row["upper"]] for row in of_target.to_dict("records")}
    for entry in single["effects"]:
        got = [entry["effect"], *(entry["interval"] or (np.nan, np.nan))]
        # A single effect is listed even where it is 0.
        right = known.pop(entry_of(entry), [0.0, np.nan, np.nan])
        same(f"effect of {cause} on {target} {entry_of(entry)}", got, right)
    if known:
        found.append(f"case {number}: effect of {cause} on {target}: {list(known)} are left out")

    comparison = compare.Comparison(case, graph)
    do = comparison.settings_drawn(1)
    given = [f"--do={name}={value}" for name, value in do.items()]
    moved = json.loads(run(program, folder, "intervene", "graph.json", *given, "--json"))
    named = {e["variable"] if e.get("level") is None else f"{e['variable']}={e['level']}": e["after"] for e in moved["variables"]}
    same(f"intervene {do}", named, graph.intervene(do))

    scored = json.loads(run(program, folder, "score", "graph.json", "fresh.csv", "--json", "--output", "score.csv"))
    rows = graph.log_likelihood(case.fresh)
    names, cells = read_cells(folder / "score.csv")
    same("score of rows", [float(row[-1]) for row in cells], rows.tolist())
    means = [value for value in scored.values() if isinstance(value, float)]
    if not any(abs(value - rows.mean()) <= 1e-12 * max(1, abs(rows.mean())) for value in means):
        found.append(f"case {number}: score: {scored} has no mean {rows.mean()}")

    name = graph.variables[number % len(graph.variables)]
    run(program, folder, "predict", "graph.json", "fresh.csv", f"--variable={name}", "--output", "predicted.csv")
    names, cells = read_cells(folder / "predicted.csv")
    v = comparison.oracle.place[name]
    if comparison.oracle.mechanisms[v].is_linear:
        variable = comparison.oracle.variables[v]
        # The mean of two levels is the probability of the second.
        own = f"{name}={variable.levels[1]}" if variable.kind == "binary" else name
        column = [float(row[names.index(own)]) for row in cells]
        same(f"predict {own}", column, graph.predict(case.fresh, name).tolist())
    else:
        levels = graph.predict(case.fresh, name)
        if name in names:
            same(f"predict {name}", [row[names.index(name)] for row in cells], [str(level) for level in levels])
        chances = graph.predict(case.fresh, name, probabilities=True)
        for k, level in enumerate(comparison.oracle.variables[v].levels):
            if f"{name}={level}" in names:
                column = [float(row[names.index(f"{name}={level}")]) for row in cells]
                same(f"predict {name}={level}", column, chances[:, k].tolist())

    run(program, folder, "residuals", "graph.json", "fresh.csv", "--output", "residuals.csv")
    names, cells = read_cells(folder / "residuals.csv")
    left = graph.residuals(case.fresh)
    values = left if isinstance(left, np.ndarray) else left.to_numpy()
    same("residuals", [[float(x) for x in row] for row in cells], values.tolist())

    run(program, folder, "sample", "graph.json", "--rows", "20", "--seed", "5", "--output", "sample.csv")
    names, cells = read_cells(folder / "sample.csv")
    drawn = graph.sample(20, random_state=5)
    columns = drawn.T if isinstance(drawn, np.ndarray) else [drawn[n] for n in drawn.columns]
    for name, own, column in zip(names, columns, zip(*cells)):
        if case.kinds[name] == "number":
            same(f"sample {name}", [float(x) for x in column], [float(x) for x in own])
        else:
            same(f"sample {name}", list(column), [compare.text_of(x) for x in own])

    # Against itself, and against the graph without its first edge.
    scores = json.loads(run(program, folder, "evaluate", "graph.json", "graph.json", "--json"))
    if scores.get("shd") != 0:
        found.append(f"case {number}: evaluate: a graph differs from itself: {scores}")
    return found


def test_answers_are_those_of_python(program, cases, seed, tmp_path):
    def one(number: int) -> list[str]:
        folder = tmp_path / str(number)
        folder.mkdir()
        try:
            return check(program, folder, number, seed)
        except Failed as problem:
            return [f"case {number}: {problem}"]
        except Exception as problem:  # noqa: BLE001
            return [f"case {number}: {type(problem).__name__}: {problem}"]

    chosen = range(max(1, int(cases * SHARE)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with ThreadPoolExecutor(max(2, os.cpu_count() or 1)) as pool:
            found = [line for lines in pool.map(one, chosen) for line in lines]
    assert not found, f"{len(found)} differences (seed {seed}):\n" + "\n".join(found[:40])


def random_graph(d: int, rng) -> set[tuple[int, int]]:
    order = rng.permutation(d)
    return {(int(order[i]), int(order[j])) for i in range(d) for j in range(i + 1, d) if rng.random() < 0.45}


def intervention_distance(truth, estimate, d: int) -> int:
    """Pairs whose effect is wrong after adjusting for the parents in the estimate."""
    wrong = 0
    for x in range(d):
        parents = classes.parents_in(estimate, x)
        below = classes.descendants(truth, x)
        for y in range(d):
            if y == x:
                continue
            if y in parents:
                wrong += y in below
            else:
                wrong += not classes.is_valid_set([truth], d, x, y, parents)
    return wrong


def test_scores_of_graphs_are_counted(program, seed, tmp_path):
    """Distances of random graphs next to counting and to adjustment in random linear models."""
    rng = np.random.default_rng([seed, 7])
    for number in range(60):
        d = int(rng.integers(2, 7))
        graphs = [random_graph(d, rng), random_graph(d, rng)]
        for name, edges in zip(("truth.csv", "estimate.csv"), graphs):
            matrix = [[str(int((i, j) in edges)) for j in range(d)] for i in range(d)]
            lines = [",".join(f"v{j}" for j in range(d)), *(",".join(row) for row in matrix)]
            (tmp_path / name).write_text("".join(line + "\n" for line in lines))
        got = json.loads(run(program, tmp_path, "evaluate", "truth.csv", "estimate.csv", "--json"))
        truth, estimate = graphs
        skeletons = [{frozenset(edge) for edge in edges} for edges in graphs]
        reversed_ = sum((j, i) in truth for i, j in estimate)
        right = {
            "extra": len(skeletons[1] - skeletons[0]),
            "missing": len(skeletons[0] - skeletons[1]),
            "reversed": reversed_,
            "shd": len(skeletons[0] ^ skeletons[1]) + reversed_,
            "sid": intervention_distance(truth, estimate, d),
            "true_edges": len(truth),
            "estimated_edges": len(estimate),
        }
        if estimate:
            right["precision"] = len(truth & estimate) / len(estimate)
        if truth:
            right["recall"] = len(truth & estimate) / len(truth)
        assert {key: got[key] for key in right} == pytest.approx(right), (number, truth, estimate)


BAD = {
    "no such table": ["learn", "nowhere.csv"],
    "no such graph": ["effects", "nowhere.json"],
    "a table as a graph": ["effects", "table.csv"],
    "half a graph": ["effects", "half.json"],
    "another schema": ["effects", "schema.json"],
    "unknown cause": ["effects", "graph.json", "--from", "nobody"],
    "same cause and target": ["effects", "graph.json", "--from", "a", "--to", "a"],
    "unknown variable set": ["intervene", "graph.json", "--do", "nobody=1"],
    "no value": ["intervene", "graph.json", "--do", "a"],
    "text for a number": ["intervene", "graph.json", "--do", "a=much"],
    "infinity": ["intervene", "graph.json", "--do", "a=inf"],
    "unknown level set": ["intervene", "graph.json", "--do", "k=z"],
    "set twice": ["intervene", "graph.json", "--do", "a=1", "--do", "a=2"],
    "missing column": ["score", "graph.json", "short.csv"],
    "unknown level": ["score", "graph.json", "levels.csv", "--output", "out.csv"],
    "text in a column": ["score", "graph.json", "text.csv", "--output", "out.csv"],
    "ragged rows": ["score", "graph.json", "ragged.csv", "--output", "out.csv"],
    "an empty file": ["score", "graph.json", "empty.csv"],
    "only names": ["score", "graph.json", "names.csv"],
    "unknown variable": ["predict", "graph.json", "table.csv", "--variable", "nobody", "--output", "out.csv"],
    "unknown format": ["predict", "graph.json", "table.csv", "--variable", "a", "--output", "out.docx"],
    "level while predicting": ["predict", "graph.json", "levels.csv", "--variable", "a", "--output", "out.csv"],
    "residuals of text": ["residuals", "graph.json", "text.csv", "--output", "out.csv"],
    "no rows": ["sample", "graph.json", "--rows", "0", "--output", "out.csv"],
    "no folder": ["sample", "graph.json", "--output", "nowhere/out.csv"],
    "unknown flag": ["learn", "table.csv", "--nothing"],
    "unknown column": ["learn", "table.csv", "--columns", "nobody", "--output", "out.json"],
    "knowledge of nobody": ["learn", "table.csv", "--require", "a,nobody", "--output", "out.json"],
    "a cycle": ["learn", "table.csv", "--require", "a,b", "--require", "b,a", "--output", "out.json"],
    "condition of nobody": ["learn", "table.csv", "--condition", "nobody", "--output", "out.json"],
    "unknown target": ["learn", "table.csv", "--condition", "k", "--target", "x=nobody", "--output", "out.json"],
    "logarithm of a negative number": ["learn", "table.csv", "--transform", "log:a", "--output", "out.json"],
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_one_line(program, tmp_path, what):
    rng = np.random.default_rng(1)
    a = rng.normal(size=60)
    b = a + rng.normal(size=60)
    k = np.where(a + rng.normal(size=60) > 0, "x", "y")
    rows = [f"{x},{y},{z}" for x, y, z in zip(a, b, k)]
    tables = {
        "table.csv": ["a,b,k", *rows],
        "short.csv": ["a,k", "1,x"],
        "levels.csv": ["a,b,k", *rows[:5], "1,2,z"],
        "text.csv": ["a,b,k", *rows[:5], "much,2,x"],
        "ragged.csv": ["a,b,k", "1,2,x", "1,2", "1,2,x,4"],
        "names.csv": ["a,b,k"],
        "empty.csv": [],
    }
    for name, lines in tables.items():
        (tmp_path / name).write_text("".join(line + "\n" for line in lines))
    run(program, tmp_path, "learn", "table.csv", "--no-confidence", "--no-diagnosis", "--quiet", "--output", "graph.json")
    text = (tmp_path / "graph.json").read_text()
    (tmp_path / "half.json").write_text(text[: len(text) // 2])
    (tmp_path / "schema.json").write_text(text.replace("nocurl/graph/3", "nocurl/graph/99"))
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    done = subprocess.run([program, *BAD[what]], cwd=tmp_path, capture_output=True, text=True)
    lines = done.stderr.strip().split("\n")
    # The parser of the flags adds its usage below its one line.
    own = [line for line in lines if line.startswith("error")]
    assert done.returncode == 2, (done.returncode, done.stderr)
    assert len(own) == 1 and (len(lines) == 1 or "--help" in done.stderr), done.stderr
    assert "panic" not in done.stderr and "RUST_BACKTRACE" not in done.stderr
    assert not done.stdout, done.stdout
    # No file appears, is lost or changes.
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    for word in ("levels.csv", "text.csv"):
        if word in BAD[what]:
            # The place: row, column and cell.
            cell = "z" if word == "levels.csv" else "much"
            column = "k" if word == "levels.csv" else "a"
            assert cell in done.stderr and f"`{column}`" in done.stderr, done.stderr
            assert "6" in done.stderr or "7" in done.stderr, done.stderr
