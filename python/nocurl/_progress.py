"""Progress on a bar or through a function of the user."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any


class Bar:
    """A bar of tqdm, one for each stage."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            raise ImportError(
                "show_progress=True needs tqdm: pip install tqdm, or pass a function"
            ) from None
        self._tqdm = tqdm
        self._stage: str | None = None
        self._bar: Any = None

    @staticmethod
    def of(wish: Any) -> AbstractContextManager[Callable | None]:
        """What the parameter ``show_progress`` asks for."""
        if callable(wish):
            return nullcontext(wish)
        return Bar() if wish else nullcontext(None)

    def __enter__(self) -> Bar:
        return self

    def __call__(self, stage: str, done: int, total: int | None, objective: float | None) -> None:
        if stage != self._stage:
            self._close()
            self._stage = stage
            self._bar = self._tqdm(desc=stage, total=total, leave=False)
        self._bar.n = done
        if objective is not None:
            self._bar.set_postfix(objective=f"{objective:.6g}", refresh=False)
        self._bar.refresh()

    def __exit__(self, *_: object) -> None:
        self._close()

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.close()
