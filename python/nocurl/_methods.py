"""One class for each method; parameters and defaults come from the registry of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _nocurl
from ._graph import Graph
from ._learner import Learner

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._learner import Shared, SharedButPrune, SharedButThreshold


class NoCurl(Learner, method="nocurl"):
    """DAG-NoCurl (Yu, Gao, Yin and Ji, *DAGs with No Curl*, ICML 2021).

    A penalised, maybe cyclic estimate is projected by the graph Hodge decomposition onto the
    gradient of a potential, which is an order of the variables; regression on that order gives the
    graph. Directions rest on error variances of similar size in the units given.

    Parameters
    ----------
    lambdas : sequence of float
        Penalties, one solve for each: (10, 1000) is the paper's NoCurl-2.
    variant : str
        "standard", or one of the paper's ablations, as ``nocurl learn --help`` lists them.
    solver : {"ridge", "lbfgs"}
        How the first estimate is found.
    acyclicity : {"polynomial", "exponential", "log-det"}
        Penalty on cycles.
    estimate_threshold : float
        Entries of the first estimate smaller than this do not count.
    tolerance : float, optional
        Relative change at which the solver stops.
    max_iter : int
        Iterations of a solve.
    **shared
        Those of all methods; see :class:`Learner`.

    Examples
    --------
    >>> import nocurl
    >>> X = nocurl.simulate(variables=6, rows=1000, degree=2, random_state=2).data
    >>> model = nocurl.NoCurl(lambdas=(10, 1000), threshold=0.3).fit(X)
    >>> model.adjacency_matrix_.shape
    (6, 6)
    >>> model.termination_
    'converged'
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            lambdas: Sequence[float] = ...,
            variant: str = ...,
            solver: str = ...,
            acyclicity: str = ...,
            estimate_threshold: float = ...,
            tolerance: float | None = ...,
            max_iter: int = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class Notears(Learner, method="notears"):
    """NOTEARS (Zheng, Aragam, Ravikumar and Xing, NeurIPS 2018).

    Least squares under a smooth acyclicity constraint, by an augmented Lagrangian. Directions rest
    on error variances of similar size in the units given.

    Parameters
    ----------
    lambda1 : float
        Weight of the sum of sizes of all weights.
    max_iter : int
        Iterations of a subproblem.
    max_rounds : int
        Rounds of the augmented Lagrangian.
    max_penalty, penalty_tolerance : float
        Where the rounds end.
    tolerance : float
        Relative change at which a subproblem stops.
    solver : {"ridge", "lbfgs"}
        How subproblems are solved; with ``lambda1`` always L-BFGS.
    acyclicity : {"polynomial", "exponential", "log-det"}
        Measure of cycles.
    **shared
        Those of all methods; see :class:`Learner`.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=5, rows=1000, degree=2, random_state=1)
    >>> nocurl.metrics.shd(drawn.graph, nocurl.Notears(lambda1=0.1).fit(drawn.data))
    0
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            lambda1: float = ...,
            max_iter: int = ...,
            max_rounds: int = ...,
            max_penalty: float = ...,
            penalty_tolerance: float = ...,
            tolerance: float = ...,
            solver: str = ...,
            acyclicity: str = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class EqTD(Learner, method="eq-td"):
    """Equal error variances, top-down (Chen, Drton and Wang, Biometrika 2019).

    Sources first, by conditional variance.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=8, rows=1000, random_state=0)
    >>> nocurl.metrics.shd(drawn.graph, nocurl.EqTD(prune="ebic").fit(drawn.data))
    0
    """

    if TYPE_CHECKING:

        def __init__(self, **shared: Unpack[Shared]) -> None: ...


class EqBU(Learner, method="eq-bu"):
    """Equal error variances, bottom-up (Chen, Drton and Wang, Biometrika 2019).

    Sinks first, by the precision matrix.
    """

    if TYPE_CHECKING:

        def __init__(self, **shared: Unpack[Shared]) -> None: ...


class Exact(Learner, method="exact"):
    """The best order of all, by dynamic programming over sets of variables.

    Parameters
    ----------
    criterion : {"least-squares", "bic"}
        What is minimised.
    max_variables : int, optional
        Most variables to try; the default is what fits in memory.
    **shared
        Those of all methods; see :class:`Learner`.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=6, rows=1000, random_state=0)
    >>> nocurl.Exact(criterion="bic").fit(drawn.data).graph_.determines
    'class'
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            criterion: str = ...,
            max_variables: int | None = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class FGES(Learner, method="fges"):
    """Greedy search over equivalence classes by BIC (Chickering, 2002; Ramsey et al., 2017).

    Parameters
    ----------
    penalty : float
        Factor on the cost of an edge.
    search : {"thorough", "two-phase"}
        Whether the search goes on where the published one stops.
    **shared
        Those of all methods; see :class:`Learner`.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            penalty: float = ...,
            search: str = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class OrderSearch(Learner, method="order-search"):
    """Search over orders by the extended BIC, with restarts. The default method.

    What it determines, the equivalence class, does not depend on the units of the columns.

    Parameters
    ----------
    penalty : float, optional
        Factor on the cost ``log(n) / 2`` of an edge; by default an edge costs that of the extended
        BIC, ``log(n) + 2 log(d)``.
    restarts : int, optional
        Restarts; max(100, 5 d) by default.
    **shared
        Those of all methods; see :class:`Learner`.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=10, rows=1000, standardize=True, random_state=1)
    >>> model = nocurl.OrderSearch().fit(drawn.data)
    >>> nocurl.metrics.cpdag_shd(drawn.graph, model)
    0
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            penalty: float | None = ...,
            restarts: int | None = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class MMPC(Learner, method="mmpc"):
    """Max-min parents and children (Tsamardinos, Brown and Aliferis, 2006).

    A skeleton by tests of independence: directions are undetermined.

    Parameters
    ----------
    alpha : float
        Level of the tests.
    max_condition : int, optional
        Largest set that is conditioned on.
    **shared
        Those of all methods; see :class:`Learner`.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            alpha: float = ...,
            max_condition: int | None = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class CAM(Learner, method="cam"):
    """Causal additive models (Bühlmann, Peters and Ernest, 2014), for effects that are not linear.

    Additive splines, greedy order search, selection by significance. Weights are the linear parts
    of the effects. Needs the rows, which are copied.

    Parameters
    ----------
    alpha : float
        Level at which an effect stays.
    basis : int
        Splines for a variable.
    neighbours : int
        Candidates for parents, where there are many variables.
    prune : bool
        Whether effects are tested at the end.
    **shared
        Those of all methods but their ``prune``; see :class:`Learner`.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            alpha: float = ...,
            basis: int = ...,
            neighbours: int = ...,
            prune: bool = ...,
            **shared: Unpack[SharedButPrune],
        ) -> None: ...


class DagGNN(Learner, method="dag-gnn"):
    """DAG-GNN (Yu, Chen, Gao and Yu, ICML 2019), for effects that are not linear.

    An autoencoder under an acyclicity constraint, by an augmented Lagrangian. Weights are the
    linear parts of the effects. Needs the rows, which are copied.

    Parameters
    ----------
    hidden : int
        Hidden units of each network.
    epochs : int
        Passes over the rows before the penalty is looked at again.
    learning_rate : float
        Of Adam.
    batch : int
        Rows of a step.
    threshold : float
        Entries of the matrix smaller than this are no edges.
    penalty_tolerance, max_penalty : float
        Where the rounds end.
    max_rounds : int
        Rounds of the augmented Lagrangian.
    **shared
        Those of all methods but their ``threshold``; see :class:`Learner`.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            hidden: int = ...,
            epochs: int = ...,
            learning_rate: float = ...,
            batch: int = ...,
            threshold: float = ...,
            penalty_tolerance: float = ...,
            max_penalty: float = ...,
            max_rounds: int = ...,
            **shared: Unpack[SharedButThreshold],
        ) -> None: ...


class NoCurlGNN(Learner, method="nocurl-gnn"):
    """DAG-GNN with NoCurl (Yu, Gao, Yin and Ji, ICML 2021, Algorithm 2).

    The autoencoder of DAG-GNN at one fixed penalty, the potential of what it finds, and the
    autoencoder again on edges along that potential. Weights are the linear parts of the effects.
    Needs the rows, which are copied.

    Parameters
    ----------
    hidden : int
        Hidden units of each network.
    penalty : float
        Penalty on cycles while the estimate is trained.
    estimate_epochs : int
        Passes over the rows for the estimate.
    epochs : int
        Passes over the rows with the potential fixed.
    learning_rate : float
        Of Adam.
    batch : int
        Rows of a step.
    threshold : float
        Entries of the estimate and of the final matrix smaller than this are no edges.
    **shared
        Those of all methods but their ``threshold``; see :class:`Learner`.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(5, 500, degree=2, mechanism="nonlinear-2", random_state=1)
    >>> model = nocurl.NoCurlGNN(estimate_epochs=20, epochs=30, hidden=16).fit(drawn.data)
    >>> model.n_iter_
    50
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            hidden: int = ...,
            penalty: float = ...,
            estimate_epochs: int = ...,
            epochs: int = ...,
            learning_rate: float = ...,
            batch: int = ...,
            threshold: float = ...,
            **shared: Unpack[SharedButThreshold],
        ) -> None: ...


class NotearsMLP(Learner, method="notears-mlp"):
    """NOTEARS-MLP (Zheng, Dan, Aragam, Ravikumar and Xing, AISTATS 2020), for effects that are not
    linear.

    A network for each variable under an acyclicity constraint on the norms of their first layers.
    Weights are the linear parts of the effects. Needs the rows, which are copied.

    Parameters
    ----------
    hidden : int
        Hidden units of a network.
    lambda1, lambda2 : float
        Weights of the L1 penalty on first layers and of the L2 penalty on all weights.
    norm_threshold : float
        Edges of a smaller norm go.
    acyclicity : {"polynomial", "exponential", "log-det"}
        Measure of cycles.
    penalty_tolerance, max_penalty : float
        Where the rounds end.
    max_rounds : int
        Rounds of the augmented Lagrangian.
    tolerance : float
        Relative decrease at which a subproblem stops.
    max_iter : int
        Iterations of a subproblem.
    **shared
        Those of all methods; see :class:`Learner`.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            hidden: int = ...,
            lambda1: float = ...,
            lambda2: float = ...,
            norm_threshold: float = ...,
            acyclicity: str = ...,
            penalty_tolerance: float = ...,
            max_penalty: float = ...,
            max_rounds: int = ...,
            tolerance: float = ...,
            max_iter: int = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class NoCurlMLP(Learner, method="nocurl-mlp"):
    """The networks of NOTEARS-MLP by way of a potential, as DAG-NoCurl has it.

    The networks at fixed penalties, the potential of what they find, then each network for itself
    on the inputs that the potential allows. Weights are the linear parts of the effects. Needs the
    rows, which are copied.

    Parameters
    ----------
    lambdas : sequence of float
        Penalties on cycles, one minimisation for each.
    estimate_threshold : float
        Norms of the estimate below this do not count as edges.
    hidden : int
        Hidden units of a network.
    lambda1, lambda2 : float
        Weights of the L1 penalty on first layers and of the L2 penalty on all weights.
    norm_threshold : float
        Edges of a smaller norm go.
    acyclicity : {"polynomial", "exponential", "log-det"}
        Measure of cycles.
    tolerance : float
        Relative decrease at which a minimisation stops.
    max_iter : int
        Iterations of a minimisation.
    **shared
        Those of all methods; see :class:`Learner`.
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            lambdas: Sequence[float] = ...,
            estimate_threshold: float = ...,
            hidden: int = ...,
            lambda1: float = ...,
            lambda2: float = ...,
            norm_threshold: float = ...,
            acyclicity: str = ...,
            tolerance: float = ...,
            max_iter: int = ...,
            **shared: Unpack[Shared],
        ) -> None: ...


class SortNRegress(Learner, method="sortnregress"):
    """A baseline: order by variance (Reisach, Seiler and Weichwald, 2021)."""

    if TYPE_CHECKING:

        def __init__(self, **shared: Unpack[Shared]) -> None: ...


class R2SortNRegress(Learner, method="r2-sortnregress"):
    """A baseline: order by the share of variance that the others explain (Reisach et al., 2023)."""

    if TYPE_CHECKING:

        def __init__(self, **shared: Unpack[Shared]) -> None: ...


def methods() -> dict[str, type[Learner]]:
    """All methods by the names of the command line.

    Examples
    --------
    >>> import nocurl
    >>> nocurl.methods()["eq-td"].__name__
    'EqTD'
    """
    return {cls._method: cls for cls in Learner.__subclasses__()}


def learn(X: Any, method: str = "order-search", *, diagnose: bool = True, **params: Any) -> Graph:
    """Learns a graph from a table: the short way.

    Parameters
    ----------
    X : ndarray, DataFrame (pandas, polars), Arrow table or stream, Moments, or path
        The table, one column per variable.
    method : str
        Name of the method, as ``nocurl methods`` lists them.
    diagnose : bool
        Check the result, as the command line does.
    **params
        Those of the method and of all methods; see :func:`methods` and :class:`Learner`.

    Examples
    --------
    >>> import nocurl
    >>> drawn = nocurl.simulate(variables=5, rows=1000, random_state=1)
    >>> graph = nocurl.learn(drawn.data, method="nocurl", refine="equal-variance", prune="ebic")
    >>> nocurl.metrics.shd(drawn.graph, graph)
    0
    """
    known = methods()
    if method not in known:
        # The engine knows which name was meant.
        _nocurl.describe_method(method)
    return known[method](diagnose=diagnose, **params).fit(X).graph_
