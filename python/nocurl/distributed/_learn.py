"""Learning from a table in parts."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from .. import _nocurl
from .._graph import Graph
from .._learner import READING, Learner
from .._methods import METHODS
from .._moments import Moments
from .._progress import Bar
from .._values import seed_of, to_json
from .._warnings import warn
from ._gather import Source
from ._runner import Here, Progress, Runner

#: Restarts of one task.
_RESTARTS = 100

#: Resampled tables that one task learns from.
_TABLES = 5


def learn(
    frame: Any,
    method: str = "order-search",
    *,
    bootstrap: int | None = None,
    restarts: int | None = None,
    at_once: int = 100,
    weights: str | None = None,
    executor: Any = None,
    n_jobs: int | None = None,
    show_progress: Any = False,
    random_state: Any = 0,
    diagnose: bool = True,
    confidence: bool = True,
    **params: Any,
) -> Graph:
    """Learns a graph from a table that lies on many machines, or comes in parts.

    The rows stay where they are: moments come back, and the graph is learnt from them. The result
    does not depend on the number of workers.

    Parameters
    ----------
    frame
        As for :func:`moments`.
    method : str
        A method that needs no rows; :func:`fit_rows` is for the others.
    bootstrap : int, optional
        Learn again from this many resampled tables, each with rows drawn by Poisson's law where
        they are, in the same pass. Without it confidence comes from tables drawn from a Gaussian
        law with the moments found.
    restarts : int, optional
        Restarts of ``order-search``, 100 to a task.
    at_once : int
        Resampled tables of one pass over the parts; fewer take less memory, and more passes.
    weights, executor, n_jobs, show_progress
        As for :func:`moments`.
    random_state : int, RandomState, Generator or None
        Seed of everything random.
    diagnose, confidence, **params
        As for :func:`nocurl.learn`; ``columns``, ``missing`` and the like say how parts are read,
        ``condition`` and ``targets`` that they are of an experiment.

    Examples
    --------
    >>> import nocurl
    >>> import nocurl.distributed as nd
    >>> X = nocurl.simulate(variables=4, rows=600, degree=2, random_state=3).data
    >>> graph = nd.learn(iter([X[:200], X[200:]]), bootstrap=20, diagnose=False)
    >>> graph.bootstrap["kind"]
    'rows'
    """
    if at_once < 1:
        raise ValueError(f"at_once is {at_once}: at least one table is needed")
    if bootstrap is not None and (not isinstance(bootstrap, Integral) or bootstrap < 2):
        raise ValueError(
            f"bootstrap={bootstrap!r}: a whole number of tables from 2 on can be drawn, some hundred "
            "are usual"
        )
    seed = seed_of(random_state)
    reading = {name: params.pop(name) for name in list(params) if name in READING}
    settings = {"bootstrap": bootstrap, "diagnose": diagnose, "confidence": confidence, **params}
    model = _learner(method, random_state=seed, **settings)
    source = Source.of(frame, reading, weights, executor, n_jobs, condition=_condition(model))
    with Bar.of(show_progress) as progress:
        if bootstrap is None:
            whole, drawn = source.gather(progress), None
        else:
            whole, drawn = source.gather_drawn(bootstrap, at_once, seed, progress)
        runner = source.parts.runner
        if restarts is not None:
            model.set_params(**_best_restart(whole, model, restarts, seed, runner, progress))
        graph = Graph(json.loads(_learnt(whole, drawn, model, runner, progress)))
    warn(graph)
    return graph


def _condition(model: Learner) -> str | None:
    """The column that tells conditions apart."""
    request = model._request()
    if request["condition_from_files"]:
        raise ValueError(
            "condition_from_files is for nocurl.learn: here a column of the table tells conditions "
            "apart, name it by `condition`"
        )
    return (request["experiments"] or {}).get("condition")


def _learner(method: str, **settings: Any) -> Learner:
    if method not in METHODS:
        # The engine knows which name is close.
        _nocurl.describe_method(method)
    return METHODS[method](**settings)


def _learnt(
    whole: Moments,
    drawn: list[Moments] | None,
    model: Learner,
    runner: Runner,
    progress: Progress | None,
) -> str:
    """The description of the graph, with what is found again in resampled tables."""
    request = to_json(model._request())
    if drawn is None:
        return _nocurl.learn(whole._engine, [], request, progress)
    alone = to_json({**model._request(), "bootstrap": None, "confidence": False, "diagnose": False})
    first = _nocurl.learn(whole._engine, [], alone, progress)
    threads = runner.threads
    again = to_json({**json.loads(alone), "threads": threads})
    calls = [
        (drawn[start : start + _TABLES], again, first) for start in range(0, len(drawn), _TABLES)
    ]
    found = runner.tasks("learning from resampled data", learn_again, calls, progress)
    learnt = [one for some in found for one in some]
    engines = [one._engine for one in drawn]
    return _nocurl.learn(whole._engine, [], request, progress, engines, learnt)


def learn_again(drawn: list[Moments], request: str, document: str) -> list[str]:
    """What a worker learns from resampled tables."""
    return _nocurl.learn_again([one._engine for one in drawn], request, document)


def learn_moments(whole: Moments, request: str) -> str:
    """What a worker learns from moments."""
    return _nocurl.learn(whole._engine, [], request, None)


def _best_restart(
    whole: Moments,
    model: Learner,
    restarts: int,
    seed: int,
    runner: Runner,
    progress: Progress | None,
) -> dict[str, Any]:
    """The seed and restarts of the task that found the best graph."""
    if "restarts" not in model._own:
        raise ValueError(f"`{model._method}` has no restarts: leave `restarts` out")
    if restarts < 0:
        raise ValueError(f"restarts is {restarts}: give a number from 0 on")
    tasks = max(1, math.ceil(restarts / _RESTARTS))
    if tasks == 1 or isinstance(runner, Here):
        return {"restarts": restarts}
    own = {**model._request(), "bootstrap": None, "confidence": False, "diagnose": False}
    own["threads"] = runner.threads
    shares = [restarts * (task + 1) // tasks - restarts * task // tasks for task in range(tasks)]
    calls = []
    for task, share in enumerate(shares):
        parameters = {**own["parameters"], "restarts": share}
        calls.append((whole, to_json({**own, "seed": seed + task, "parameters": parameters})))
    found = runner.tasks("searching", learn_moments, calls, progress)
    scores = [_score(json.loads(text), whole, model) for text in found]
    if any(score is None for score in scores):
        return {"restarts": restarts}
    best = min(range(tasks), key=lambda task: (scores[task], task))
    return {"restarts": shares[best], "random_state": seed + best}


def _score(document: dict[str, Any], whole: Moments, model: Learner) -> float | None:
    """The criterion that restarts minimise; nothing where variables are categorical."""
    mechanisms: Sequence[dict[str, Any]] = document["model"]["mechanisms"]
    if any(mechanism["kind"] != "linear" for mechanism in mechanisms):
        return None
    variances = [mechanism["variance"] for mechanism in mechanisms]
    n, d = whole.rows, len(variances)
    penalty = getattr(model, "penalty", None)
    cost = math.log(n) + 2 * math.log(d) if penalty is None else penalty * math.log(n)
    return n * sum(map(math.log, variances)) + cost * len(document["edges"])
