"""Equivalence classes by enumeration of their members."""

from __future__ import annotations

import itertools

import numpy as np


def is_acyclic(edges: set[tuple[int, int]], d: int) -> bool:
    """Whether directed edges have no cycle."""
    remaining = set(range(d))
    while remaining:
        sources = {v for v in remaining if not any(j == v and i in remaining for i, j in edges)}
        if not sources:
            return False
        remaining -= sources
    return True


def colliders(edges: set[tuple[int, int]], adjacent: set[frozenset[int]]) -> set[tuple]:
    """Unshielded colliders a -> c <- b."""
    return {
        (min(a, b), c, max(a, b))
        for a, c in edges
        for b, other in edges
        if c == other and a != b and frozenset((a, b)) not in adjacent
    }


def members(d: int, directed: list[tuple[int, int]], undirected: list[tuple[int, int]]):
    """All graphs with these directions and no collider that the directed edges do not have."""
    adjacent = {frozenset(pair) for pair in [*directed, *undirected]}
    known = colliders(set(directed), adjacent)
    found = []
    for turned in itertools.product([False, True], repeat=len(undirected)):
        own = {(j, i) if turn else (i, j) for (i, j), turn in zip(undirected, turned)}
        edges = set(directed) | own
        if is_acyclic(edges, d) and colliders(edges, adjacent) == known:
            found.append(edges)
    return found


def parents_in(edges: set[tuple[int, int]], v: int) -> tuple[int, ...]:
    """The parents of a variable, in increasing order."""
    return tuple(sorted(i for i, j in edges if j == v))


def descendants(edges: set[tuple[int, int]], v: int) -> set[int]:
    """What a variable acts on, without itself."""
    seen: set[int] = set()
    queue = [v]
    while queue:
        i = queue.pop()
        for a, b in edges:
            if a == i and b not in seen:
                seen.add(b)
                queue.append(b)
    return seen


def random_weights(edges: set[tuple[int, int]], d: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """Total effects and covariance of a linear model on a graph with random numbers."""
    a = np.zeros((d, d))
    for i, j in edges:
        a[i, j] = rng.choice([-1, 1]) * rng.uniform(0.5, 1.5)
    total = np.linalg.inv(np.eye(d) - a)
    covariance = total.T @ np.diag(rng.uniform(0.5, 2, d)) @ total
    return total, covariance


def coefficient(covariance: np.ndarray, y: int, x: int, others) -> tuple[float, float]:
    """The coefficient of x in the regression of y on x and others, and its asymptotic variance."""
    used = [x, *others]
    s = covariance[np.ix_(used, used)]
    inverse = np.linalg.inv(s)
    beta = inverse @ covariance[used, y]
    residual = covariance[y, y] - covariance[used, y] @ beta
    return float(beta[0]), float(residual * inverse[0, 0])


def is_valid_set(graphs, d: int, x: int, y: int, others, seed: int = 0) -> bool:
    """Whether adjusting for a set gives the effect of x on y in every member, for random weights."""
    rng = np.random.default_rng(seed)
    for edges in graphs:
        for _ in range(2):
            total, covariance = random_weights(edges, d, rng)
            found, _ = coefficient(covariance, y, x, others)
            if abs(found - total[x, y]) > 1e-8 * (1 + abs(total[x, y])):
                return False
    return True
