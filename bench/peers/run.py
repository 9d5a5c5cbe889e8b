"""Compares nocurl with other people's software: same files, same scores, one run.

Tables come from `nocurl simulate`. Every contender runs in a process of its own, on every table,
with the same number of threads. Finished rows are kept in a CSV file, so a run that was stopped
goes on where it was; rows with errors are tried again. See README.md beside this file.
"""

import argparse
import csv
import importlib.metadata
import importlib.util
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import scores
from peers import PEERS

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent.parent / "target"
VENV = TARGET / "peers-venv"
REQUIREMENTS = HERE / "requirements.txt"
NOCURL = TARGET / "release" / "nocurl"

# Flags of `nocurl simulate`; the names are those of the other benchmarks.
LINEAR = {
    "ER3-Gaussian": "--graph er --degree 3 --noise gaussian",
    "ER4-Gaussian": "--graph er --degree 4 --noise gaussian",
    "ER6-Gaussian": "--graph er --degree 6 --noise gaussian",
    "SF4-Gumbel": "--graph sf --degree 4 --noise gumbel",
}
NONLINEAR = {
    "nonlinear-1": "--graph er --degree 3 --mechanism nonlinear-1",
    "nonlinear-2": "--graph er --degree 3 --mechanism nonlinear-2",
    "nonlinear-3": "--graph sf --degree 3 --mechanism nonlinear-3",
}
CASES = LINEAR | NONLINEAR

# Flags of `nocurl learn`, and what is scored: the DAG, or its class for methods whose directions
# come from independences alone.
NOCURL_CONTENDERS = {
    "nocurl eq-td, ebic": ("--method eq-td --prune ebic --threshold 0.3 --no-center", "dag"),
    "nocurl": ("--method nocurl --no-center", "dag"),
    "nocurl, equal-variance, ebic": (
        "--method nocurl --refine equal-variance --prune ebic --threshold 0.3 --no-center",
        "dag",
    ),
    "nocurl notears": ("--method notears --no-center", "dag"),
    "nocurl fges": ("--method fges", "class"),
    "nocurl, bic, ebic": ("--method nocurl --refine bic --prune ebic", "class"),
    "nocurl order-search": ("--method order-search", "class"),
    "nocurl order-search, 0 restarts": ("--method order-search --restarts 0", "class"),
}

CONTENDERS = {name: returns for name, (_, returns) in NOCURL_CONTENDERS.items()} | {
    name: peer.returns for name, peer in PEERS.items()
}

SCALING = {"raw": False, "standardised": True}

KEY = ["package", "case", "d", "rows", "standardised", "trial"]
SCORES = ["shd", "extra", "missing", "reversed", "cpdag_shd", "sid", "skeleton_f1"]
COLUMNS = ["package", "version", *KEY[1:], "seconds", "wall_seconds", "status", *SCORES, "cpu_seconds"]
HEADINGS = ["", "version", "trials", "SHD", "CPDAG SHD", "SID", "skeleton F1", "seconds", "process", "CPU"]
FINISHED = ("ok", "cyclic", "no-extension")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nocurl", type=Path, default=NOCURL, metavar="PATH",
                        help="nocurl to run [default: target/release/nocurl, built if missing]")
    parser.add_argument("--sizes", type=int, nargs="+", default=[100], metavar="D",
                        help="numbers of variables [default: 100]")
    parser.add_argument("--rows", type=int, default=1000, help="rows of each table [default: 1000]")
    parser.add_argument("--trials", type=int, default=5,
                        help="tables of each kind, with seeds from 1 [default: 5]")
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(LINEAR), metavar="CASE",
                        help=f"of {', '.join(CASES)} [default: the linear ones]")
    parser.add_argument("--only", nargs="+", default=[""], metavar="TEXT",
                        help="contenders with one of these texts in their names [default: all]")
    parser.add_argument("--scaling", nargs="+", choices=SCALING, default=list(SCALING),
                        help="tables as they are, standardised or both [default: both]")
    parser.add_argument("--threads", type=int, default=2, help="threads of each [default: 2]")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS",
                        help="longest time of a process [default: 600]")
    parser.add_argument("--output", type=Path, default=TARGET / "peers.csv", metavar="CSV",
                        help="rows, finished ones are skipped [default: target/peers.csv]")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table here too")
    parser.add_argument("--self-test", action="store_true",
                        help="check on known graphs that the edges of all point the right way")
    return parser.parse_args()


def enter_environment(venv, requirements):
    """Starts this program again in its own virtual environment, which it makes when needed."""
    if Path(sys.prefix).resolve() == venv.resolve():
        return
    python, stamp = venv / "bin" / "python", venv / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        if sys.version_info[:2] != (3, 11):
            sys.exit("error: the pinned versions are for Python 3.11: run this with python3.11")
        pip = [python, "-m", "pip", "install", "--quiet", "--no-deps", "-r", requirements]
        subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
        subprocess.run(pip, check=True)
        shutil.copy(requirements, stamp)
    os.execv(python, [python, *sys.argv])


def install_nocurl():
    """Puts the Python package of this repository into the environment, built if it is not there."""
    if importlib.util.find_spec("nocurl") is None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", HERE.parent.parent]
        subprocess.run(pip, check=True)


def find_nocurl(path):
    """The program to compare; only the default one is built."""
    if not path.exists() and path == NOCURL:
        build = ["cargo", "build", "--release", "-p", "nocurl-cli"]
        subprocess.run(build, cwd=HERE.parent.parent, check=True)
    if not path.exists():
        sys.exit(f"error: there is no `{path}`")
    return path.resolve()


def version(name, nocurl):
    if name in PEERS:
        return importlib.metadata.version(PEERS[name].package)
    output = subprocess.run([nocurl, "--version"], check=True, capture_output=True, text=True)
    return output.stdout.split()[-1]


def limited(threads):
    """The environment, with the number of threads for every library that asks there."""
    names = ["OMP", "OPENBLAS", "MKL", "NUMBA", "RAYON"]
    return os.environ | {f"{name}_NUM_THREADS": str(threads) for name in names}


def simulate(nocurl, folder, case, size, rows, standardised, trial):
    """Writes a table and the true graph; returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"{case}-{size}-{rows}-{'standardised' if standardised else 'raw'}-{trial}"
    data, truth = folder / f"{stem}.npy", folder / f"{stem}-truth.json"
    command = [nocurl, "simulate", *CASES[case].split(), "--variables", size, "--rows", rows,
               "--seed", trial, "--output", data, "--truth", truth, "--quiet"]
    command += ["--standardize"] if standardised else []
    subprocess.run(list(map(str, command)), check=True)
    return data, truth


def learn(name, nocurl, data, threads, timeout):
    """Runs a contender in a process of its own: its status, times and pattern."""
    with tempfile.TemporaryDirectory() as folder:
        return run_process(name, nocurl, data, Path(folder) / "result.json", threads, timeout)


def run_process(name, nocurl, data, result, threads, timeout):
    if name in PEERS:
        command = [sys.executable, HERE / "peers.py", name, data, result]
    else:
        flags, _ = NOCURL_CONTENDERS[name]
        command = [nocurl, "learn", data, *flags.split(), "--threads", threads, "--no-diagnosis",
                   "--output", result, "--quiet"]
    start, used = time.perf_counter(), cpu_of_children()
    try:
        done = subprocess.run(list(map(str, command)), env=limited(threads), timeout=timeout,
                              capture_output=True, text=True)
    except subprocess.TimeoutExpired:
        return {"status": "timeout"}
    wall, cpu = time.perf_counter() - start, cpu_of_children() - used
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return {"status": "error: " + lines[-1].removeprefix("error: ")}
    document = json.loads(result.read_text())
    if name in NOCURL_CONTENDERS:
        document["seconds"] = document["elapsed_seconds"]
        document["pattern"] = pattern_of(document, CONTENDERS[name])
    return {"status": "ok", "seconds": document["seconds"], "wall_seconds": wall,
            "cpu_seconds": cpu, "pattern": document["pattern"]}


def cpu_of_children():
    """Seconds of the processor that processes of this one have had: they hold on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pattern_of(document, returns="dag"):
    """The graph in nocurl's JSON, or its class, as a pattern."""
    place = {name: i for i, name in enumerate(document["variables"])}
    pattern = [[False] * len(place) for _ in place]
    if returns == "dag":
        pairs = [(edge["from"], edge["to"]) for edge in document["edges"]]
    else:
        undirected = document["class"]["undirected"]
        pairs = document["class"]["directed"] + undirected + [pair[::-1] for pair in undirected]
    for i, j in pairs:
        pattern[place[i]][place[j]] = True
    return pattern


def score(nocurl, truth, pattern, returns):
    """All scores of a pattern, and a status that says whether a DAG could be made of it.

    SHD is counted on the pattern; `nocurl evaluate` does the rest on one DAG of its class.
    """
    document = json.loads(truth.read_text())
    dag, consistent = scores.extension(pattern)
    estimate = truth.with_name("estimate.csv")
    write_matrix(estimate, document["variables"], dag)
    command = [nocurl, "evaluate", truth, estimate, "--json"]
    evaluated = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    found = scores.mistakes(pattern_of(document), pattern)
    found["shd"] = sum(found.values())
    if returns == "dag" and consistent and found["shd"] != evaluated["shd"]:
        sys.exit(f"error: SHD {found['shd']} here, {evaluated['shd']} by nocurl evaluate: a bug")
    broken = "cyclic" if returns == "dag" else "no-extension"
    return {"status": "ok" if consistent else broken} | found | {
        name: evaluated[name] for name in ("cpdag_shd", "sid", "skeleton_f1")
    }


def write_matrix(path, names, matrix):
    """A square matrix of booleans or weights, row -> column, with names: it also knows variables
    without edges.
    """
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([cell + 0 for cell in row] for row in matrix)


def read_rows(path):
    """The newest row of each key."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {tuple(row[name] for name in KEY): row for row in csv.DictReader(file)}


def append_row(path, row):
    path.parent.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        writer.writerow(row)


def tables(options):
    """Every kind of table; trials outermost, so that a run stopped early has something of each."""
    for trial in range(1, options.trials + 1):
        for size in options.sizes:
            for case in options.cases:
                for scaling in options.scaling:
                    yield case, size, options.rows, SCALING[scaling], trial


def compare(options, nocurl):
    """Fills the CSV file. After a timeout the other trials of the same kind are skipped."""
    names = [name for name in CONTENDERS if any(text in name for text in options.only)]
    versions = {name: version(name, nocurl) for name in names}
    for table in tables(options):
        data = truth = None
        for name in names:
            rows = read_rows(options.output)
            key = tuple(map(str, (name, *table)))
            if key in rows and not rows[key]["status"].startswith("error"):
                continue
            if data is None:
                data, truth = simulate(nocurl, TARGET / "peers", *table)
            row = dict(zip(KEY, key)) | {"version": versions[name]}
            if any(k[:-1] == key[:-1] and r["status"] == "timeout" for k, r in rows.items()):
                row["status"] = "skipped"
            else:
                row |= learn(name, nocurl, data, options.threads, options.timeout)
            if pattern := row.pop("pattern", None):
                row |= score(nocurl, truth, pattern, CONTENDERS[name])
            append_row(options.output, row)
            print(*key, row["status"], row.get("shd", ""), file=sys.stderr)


def summary(rows):
    """Markdown: a table for each kind of data, means ± standard errors over finished trials."""
    lines = []
    for kind in dict.fromkeys(key[1:-1] for key in rows):
        case, size, count, standardised = kind
        note = ", standardised" if standardised == "True" else ""
        lines += [f"### {case}, d = {size}, n = {count}{note}", ""]
        lines += ["| " + " | ".join(HEADINGS) + " |", "|---" * len(HEADINGS) + "|"]
        for name in CONTENDERS:
            chosen = [row for key, row in rows.items() if key[0] == name and key[1:-1] == kind]
            if chosen:
                lines.append(summary_line(name, chosen))
        lines.append("")
    return "\n".join(lines)


def summary_line(name, rows):
    finished = [row for row in rows if row["status"] in FINISHED]
    trials = f"{len(finished)} of {len(rows)}"
    other = sorted({row["status"].partition(":")[0] for row in rows} - {"ok"})
    cells = [name, rows[0]["version"], ", ".join([trials, *other])]
    for column, digits in (("shd", ".1f"), ("cpdag_shd", ".1f"), ("sid", ".1f"),
                           ("skeleton_f1", ".3f"), ("seconds", ".3g"), ("wall_seconds", ".3g"),
                           ("cpu_seconds", ".3g")):
        # Rows of earlier runs may lack the last.
        values = [float(row[column]) for row in finished if row.get(column)]
        cells.append(mean(values, digits))
    return "| " + " | ".join(cells) + " |"


def mean(values, digits):
    """Mean ± standard error, as far as there are values for them."""
    if not values:
        return ""
    text = format(statistics.fmean(values), digits)
    if len(values) > 1:
        text += " ± " + format(statistics.stdev(values) / len(values) ** 0.5, digits)
    return text


def known_tables():
    """Graphs on big tables: a collider with a tail, which shows directions, and a chain, which a
    class leaves undirected. Uniform errors of equal variance suit every method here.
    """
    import numpy

    for name, size, edges in (("collider", 4, [(3, 0), (1, 0), (0, 2)]),
                              ("chain", 3, [(2, 0), (0, 1)])):
        weights = numpy.zeros((size, size))
        for i, j in edges:
            weights[i, j] = 1
        errors = numpy.random.default_rng(1).uniform(-1, 1, (20_000, size)) * 3**0.5
        yield name, errors @ numpy.linalg.inv(numpy.eye(size) - weights), weights != 0


def self_test(options, nocurl):
    """Every contender on every known graph; exits with 1 if one of them fails.

    A method that this nocurl does not have is named, but is no failure.
    """
    import numpy

    square = [[(i - j) % 4 in (1, 3) for j in range(4)] for i in range(4)]
    assert not scores.extension(square)[1], "an undirected square has no extension"
    failed = False
    data = TARGET / "peers" / "known.npy"
    data.parent.mkdir(parents=True, exist_ok=True)
    for kind, table, truth in known_tables():
        numpy.save(data, table)
        for name, returns in CONTENDERS.items():
            if not any(text in name for text in options.only):
                continue
            expected = truth | truth.T if (kind, returns) == ("chain", "class") else truth
            result = learn(name, nocurl, data, options.threads, options.timeout)
            verdict = result["status"]
            if verdict == "ok":
                right = numpy.array_equal(result["pattern"], expected)
                verdict = "right" if right else f"WRONG, {result['pattern']}"
            failed = failed or not verdict.startswith(("right", "error: unknown method"))
            print(f"{kind}: {name}: {verdict}", flush=True)
    sys.exit(int(failed))


def main():
    options = arguments()
    enter_environment(VENV, REQUIREMENTS)
    install_nocurl()
    # As an exception, this also ends the process of the contender that is running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    nocurl = find_nocurl(options.nocurl)
    if options.self_test:
        self_test(options, nocurl)
    compare(options, nocurl)
    text = summary(read_rows(options.output))
    print(text)
    if options.markdown:
        options.markdown.write_text(text + "\n")


if __name__ == "__main__":
    main()
