"""Written by `cargo xtask docs` from what the engine knows about its methods."""

from collections.abc import Sequence
from typing import Literal

from typing_extensions import Unpack

from ._learner import Learner, Shared, SharedButPrune, SharedButThreshold

METHODS: dict[str, type[Learner]]

__all__ = [
    "CAM",
    "DagGNN",
    "EqBU",
    "EqTD",
    "Exact",
    "FGES",
    "GSGES",
    "GranDAG",
    "Lingam",
    "MMPC",
    "NoCurl",
    "NoCurlGNN",
    "NoCurlGran",
    "NoCurlMLP",
    "Nonlinear",
    "Notears",
    "NotearsMLP",
    "OrderSearch",
    "R2SortNRegress",
    "SortNRegress",
]

class NoCurl(Learner, method="nocurl"):
    def __init__(
        self,
        *,
        lambdas: Sequence[float] = ...,
        estimate_threshold: float = ...,
        acyclicity: Literal["polynomial", "exponential", "log-det"] = ...,
        solver: Literal["ridge", "lbfgs"] = ...,
        variant: Literal["standard", "s", "-", "+", "rand-init", "rand-p"] = ...,
        tolerance: float | None = ...,
        max_iter: int = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class Notears(Learner, method="notears"):
    def __init__(
        self,
        *,
        lambda1: float = ...,
        acyclicity: Literal["polynomial", "exponential", "log-det"] = ...,
        solver: Literal["ridge", "lbfgs"] = ...,
        penalty_tolerance: float = ...,
        max_penalty: float = ...,
        max_rounds: int = ...,
        tolerance: float = ...,
        max_iter: int = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class EqTD(Learner, method="eq-td"):
    def __init__(
        self,
        **shared: Unpack[Shared],
    ) -> None: ...

class EqBU(Learner, method="eq-bu"):
    def __init__(
        self,
        **shared: Unpack[Shared],
    ) -> None: ...

class Exact(Learner, method="exact"):
    def __init__(
        self,
        *,
        criterion: Literal["least-squares", "bic"] = ...,
        max_variables: int | None = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class FGES(Learner, method="fges"):
    def __init__(
        self,
        *,
        penalty: float | None = ...,
        search: Literal["thorough", "two-phase"] = ...,
        criterion: Literal["auto", "degenerate-gaussian", "multinomial"] = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class GSGES(Learner, method="gsges"):
    def __init__(
        self,
        *,
        criterion: Literal["cross-validated", "marginal"] = ...,
        folds: int = ...,
        ridge: float = ...,
        features: int = ...,
        screen: bool = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class OrderSearch(Learner, method="order-search"):
    def __init__(
        self,
        *,
        penalty: float | None = ...,
        restarts: int | None = ...,
        criterion: Literal["auto", "degenerate-gaussian", "multinomial"] = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class Lingam(Learner, method="lingam"):
    def __init__(
        self,
        *,
        penalty: float | None = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class MMPC(Learner, method="mmpc"):
    def __init__(
        self,
        *,
        alpha: float = ...,
        max_condition: int | None = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class CAM(Learner, method="cam"):
    def __init__(
        self,
        *,
        basis: int = ...,
        neighbours: int = ...,
        prune: bool = ...,
        alpha: float = ...,
        **shared: Unpack[SharedButPrune],
    ) -> None: ...

class DagGNN(Learner, method="dag-gnn"):
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
    def __init__(
        self,
        *,
        hidden: int = ...,
        lambda1: float = ...,
        lambda2: float = ...,
        norm_threshold: float = ...,
        acyclicity: Literal["polynomial", "exponential", "log-det"] = ...,
        penalty_tolerance: float = ...,
        max_penalty: float = ...,
        max_rounds: int = ...,
        tolerance: float = ...,
        max_iter: int = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class NoCurlMLP(Learner, method="nocurl-mlp"):
    def __init__(
        self,
        *,
        lambdas: Sequence[float] = ...,
        estimate_threshold: float = ...,
        hidden: int = ...,
        lambda1: float = ...,
        lambda2: float = ...,
        norm_threshold: float = ...,
        acyclicity: Literal["polynomial", "exponential", "log-det"] = ...,
        tolerance: float = ...,
        max_iter: int = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class Nonlinear(Learner, method="nonlinear"):
    def __init__(
        self,
        *,
        max_fits: int = ...,
        **shared: Unpack[Shared],
    ) -> None: ...

class GranDAG(Learner, method="gran-dag"):
    def __init__(
        self,
        *,
        hidden: int = ...,
        layers: int = ...,
        errors: Literal["own", "equal", "predicted"] = ...,
        neighbours: int = ...,
        learning_rate: float = ...,
        batch: int = ...,
        clamp: float = ...,
        penalty_tolerance: float = ...,
        max_iter: int = ...,
        prune: bool = ...,
        alpha: float = ...,
        **shared: Unpack[SharedButPrune],
    ) -> None: ...

class NoCurlGran(Learner, method="nocurl-gran"):
    def __init__(
        self,
        *,
        hidden: int = ...,
        layers: int = ...,
        errors: Literal["own", "equal", "predicted"] = ...,
        neighbours: int = ...,
        lambdas: Sequence[float] = ...,
        share: float = ...,
        estimate_iterations: int = ...,
        iterations: int = ...,
        learning_rate: float = ...,
        batch: int = ...,
        prune: bool = ...,
        alpha: float = ...,
        **shared: Unpack[SharedButPrune],
    ) -> None: ...

class SortNRegress(Learner, method="sortnregress"):
    def __init__(
        self,
        **shared: Unpack[Shared],
    ) -> None: ...

class R2SortNRegress(Learner, method="r2-sortnregress"):
    def __init__(
        self,
        **shared: Unpack[Shared],
    ) -> None: ...
