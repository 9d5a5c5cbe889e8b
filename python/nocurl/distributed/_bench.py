"""Benchmarks as tasks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _nocurl
from .._progress import Bar
from .._values import to_json
from ._frames import runner_of

if TYPE_CHECKING:
    import pandas

#: Tasks that are handed out at a time: what is finished of them is written down before the next.
_ROUND = 64


def bench(
    grid: str,
    *,
    executor: Any = None,
    output: str | None = None,
    trials: int | None = None,
    sizes: Sequence[int] | None = None,
    methods: Sequence[str] = (),
    scenarios: Sequence[str] = (),
    seed: int = 0,
    timeout: float | None = None,
    retry: bool = False,
    show_progress: Any = False,
) -> pandas.DataFrame:
    """Runs a benchmark, its trials as tasks: the rows of ``nocurl bench``, but for their times.

    Finished trials are kept in ``results.csv`` of the output folder; the same call goes on from
    there, and so does ``nocurl bench``.

    Parameters
    ----------
    grid : str
        Name of a grid, such as "paper-linear", or a ``.toml`` file.
    executor : optional
        As for :func:`moments`; this process by default.
    output : str, optional
        Folder for results, tables and figures; by default "bench-" and the name of the grid.
    trials, sizes, methods, scenarios, seed, timeout, retry
        As the flags of ``nocurl bench``.

    Returns
    -------
    DataFrame
        One row for each trial.

    Examples
    --------
    >>> import tempfile
    >>> import nocurl.distributed as nd
    >>> folder = tempfile.mkdtemp()
    >>> asked = dict(trials=2, sizes=[10], methods=["NoCurl-1"], scenarios=["ER3-Gaussian"])
    >>> rows = nd.bench("paper-linear", output=folder, **asked)
    >>> rows["status"].tolist()
    ['ok', 'ok']
    """
    import pandas

    is_text = grid.endswith(".toml")
    request = to_json(
        {
            "grid": _nocurl.bench_grid(grid) if is_text else grid,
            "is_text": is_text,
            "seed": seed,
            "trials": trials,
            "sizes": None if sizes is None else list(sizes),
            "methods": list(methods),
            "scenarios": list(scenarios),
            "timeout": timeout,
            "retry": retry,
        }
    )
    name = grid.rpartition("/")[2].removesuffix(".toml")
    log = _nocurl.BenchLog(request, output or f"bench-{name}")
    runner = runner_of(executor)
    tasks = log.tasks()
    with Bar.of(show_progress) as progress:
        for start in range(0, len(tasks), _ROUND):
            calls = [(request, task) for task in tasks[start : start + _ROUND]]
            for rows in runner.tasks("running trials", _nocurl.bench_task, calls, None):
                log.append(rows)
            if progress is not None:
                progress("running trials", min(start + _ROUND, len(tasks)), len(tasks), None)
    log.report(f"nocurl.distributed.bench({grid!r})")
    return pandas.DataFrame(json.loads(log.rows()))
