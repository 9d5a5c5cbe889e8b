"""The short way to learn a graph."""

from __future__ import annotations

import os
from typing import Any

from . import _nocurl
from ._graph import Graph
from ._learner import Learner
from ._like import as_graph, method_of, settings_of
from ._methods import METHODS


def methods() -> dict[str, type[Learner]]:
    """All methods by the names of the command line.

    Examples
    --------
    >>> import nocurl
    >>> nocurl.methods()["eq-td"].__name__
    'EqTD'
    """
    return dict(METHODS)


def licenses() -> str:
    """The licences of everything that the package is built from, with their texts.

    Examples
    --------
    >>> import nocurl
    >>> "faer" in nocurl.licenses()
    True
    """
    return _nocurl.LICENSES


def write_page(folder: str | os.PathLike[str]) -> None:
    """Writes a page that learns graphs in the browser, as ``nocurl page`` does.

    Parameters
    ----------
    folder : str or path
        Made if it is not there; refused if it holds anything else.

    Examples
    --------
    >>> import nocurl, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     nocurl.write_page(folder)
    ...     "index.html" in os.listdir(folder)
    True
    """
    _nocurl.write_page(os.fspath(folder))


def learn(
    X: Any,
    method: str | None = None,
    *,
    like: Graph | str | os.PathLike[str] | None = None,
    diagnose: bool = True,
    confidence: bool = True,
    **params: Any,
) -> Graph:
    """Learns a graph from a table: the short way.

    Parameters
    ----------
    X : ndarray, DataFrame (pandas, polars), Arrow table or stream, Moments, or path
        The table, one column per variable; a folder, a pattern such as "parts/*.parquet" or a
        list of paths is one table of several files.
    method : str, optional
        Name of the method; :func:`methods` has all of them. By default "order-search", or that of
        ``like``.
    like : Graph or path, optional
        Learn as this graph was learnt, or the one in this JSON file: its method, parameters,
        columns, transformations, seed and prior knowledge. What is given beside it counts more.
    diagnose : bool
        Check the result, as the command line does.
    confidence : bool
        Measure how sure every edge and direction is, as the command line does.
    **params
        Parameters of the method (see its class in :func:`methods`) and those that all methods
        have (see :class:`Learner`).

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=5, rows=1000, random_state=1)
    >>> graph = nocurl.learn(drawn.data, method="nocurl", refine="equal-variance", prune="ebic")
    >>> nocurl.metrics.shd(drawn.graph, graph)
    0
    >>> nocurl.metrics.shd(drawn.graph, nocurl.EqTD(prune="ebic").fit(drawn.data))
    0
    """
    return learner(method, like, diagnose=diagnose, confidence=confidence, **params).fit(X).graph_


def learner(method: str | None, like: Any = None, **params: Any) -> Learner:
    """The method that :func:`learn` fits."""
    if like is not None:
        like = as_graph(like)
        method = method or method_of(like)
    method = method or "order-search"
    if method not in METHODS:
        # The engine knows which name is close.
        _nocurl.describe_method(method)
    if like is not None:
        params = {**settings_of(like, METHODS[method], params), **params}
    return METHODS[method](**params)
