"""NOTEARS-MLP on NumPy and SciPy: a reference for `nocurl learn --method notears-mlp`.

    python3 bench/peers/scipy_mlp.py x.npy a.csv            # d = 10, n = 5000: half an hour or more
    python3 bench/peers/scipy_mlp.py x.npy a.csv --rounds 3

Written from the paper (Zheng, Dan, Aragam, Ravikumar, Xing, 2020) with the settings of "DAGs with No
Curl": 32 sigmoids for each variable, lambda1 = lambda2 = 0.01, h = tr (I + A∘A/d)^d - d, L-BFGS-B
with its own stopping rule, first-layer weights as positive and negative parts. It prints a line for
each penalty, so that the way to the minimum can be compared, not the end alone. See README.md.
"""

import argparse
import time
from pathlib import Path

import run

HIDDEN = 32
LAMBDA1 = LAMBDA2 = 0.01
H_TOLERANCE = 1e-8
MAX_RHO = 1e16
THRESHOLD = 0.3


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path, metavar="DATA.npy")
    parser.add_argument("output", type=Path, metavar="ADJACENCY.csv",
                        help="square matrix with names, row -> column, for `nocurl evaluate`")
    parser.add_argument("--rounds", type=int, default=100, help="updates of alpha [default: 100]")
    parser.add_argument("--seed", type=int, default=0, help="of the first weights [default: 0]")
    return parser.parse_args()


class Networks:
    """The loss of all networks as a function of one vector."""

    def __init__(self, x):
        import numpy

        self.numpy, self.x = numpy, x
        self.rows, self.size = x.shape
        self.shape = (self.size, HIDDEN, self.size)  # network, hidden unit, input
        self.weights = self.size * HIDDEN * self.size

    def start(self, seed):
        """As PyTorch draws them; the bounds cut what is negative."""
        rng = self.numpy.random.default_rng(seed)
        draw = lambda shape, fan_in: rng.uniform(-1, 1, shape) / fan_in ** 0.5
        d, layer = self.size, (self.size, HIDDEN)
        parts = [self.numpy.maximum(draw(self.shape, d), 0) * self.inputs() for _ in range(2)]
        biases = draw(layer, d) - draw(layer, d)
        rest = [biases, draw(layer, HIDDEN), draw(d, HIDDEN)]
        return self.numpy.concatenate([part.ravel() for part in parts + rest])

    def inputs(self):
        """1 for every input that a network may have: all but its own variable."""
        free = 1 - self.numpy.eye(self.size)
        return self.numpy.repeat(free[:, None, :], HIDDEN, axis=1)

    def bounds(self):
        both = self.numpy.tile(self.inputs().ravel(), 2)
        others = 2 * self.size * HIDDEN + self.size
        return [(0, None if free else 0) for free in both] + [(None, None)] * others

    def split(self, vector):
        d, units = self.size, self.size * HIDDEN
        positive, negative, rest = self.numpy.split(vector, [self.weights, 2 * self.weights])
        biases, second, last = self.numpy.split(rest, [units, 2 * units])
        layer = lambda part: part.reshape(d, HIDDEN)
        return (positive - negative).reshape(self.shape), layer(biases), layer(second), last

    def squared_norms(self, vector):
        """Row -> column."""
        return (self.split(vector)[0] ** 2).sum(axis=1).T

    def acyclicity(self, squares):
        """h and its derivative in the squared norms."""
        matrix = self.numpy.eye(self.size) + squares / self.size
        walks = self.numpy.linalg.matrix_power(matrix, self.size - 1).T
        return (walks * matrix).sum() - self.size, walks

    def objective(self, vector, rho, alpha):
        np, (n, d) = self.numpy, self.x.shape
        first, biases, second, last = self.split(vector)
        units = self.x @ first.reshape(-1, d).T + biases.ravel()
        units = (1 / (1 + np.exp(-units))).reshape(n, d, HIDDEN)
        errors = (np.einsum("njm,jm->nj", units, second) + last - self.x) / n
        back = (units * (1 - units) * errors[:, :, None] * second).reshape(n, -1)
        h, walks = self.acyclicity((first**2).sum(axis=1).T)
        value = 0.5 * n * (errors**2).sum() + alpha * h + 0.5 * rho * h * h
        value += 0.5 * LAMBDA2 * ((first**2).sum() + (second**2).sum())
        value += LAMBDA1 * vector[: 2 * self.weights].sum()
        slopes = (back.T @ self.x).reshape(self.shape) + LAMBDA2 * first
        slopes += 2 * (alpha + rho * h) * walks.T[:, None, :] * first
        of_second = np.einsum("njm,nj->jm", units, errors) + LAMBDA2 * second
        parts = [LAMBDA1 + slopes, LAMBDA1 - slopes, back.sum(axis=0), of_second, errors.sum(axis=0)]
        return value, np.concatenate([part.ravel() for part in parts])


def learn(x, rounds, seed):
    """The norms of first-layer weights, row -> column."""
    from scipy.optimize import minimize

    networks = Networks(x)
    vector, bounds = networks.start(seed), networks.bounds()
    rho, alpha, h = 1.0, 0.0, float("inf")
    for _ in range(rounds):
        while True:
            start = time.perf_counter()
            found = minimize(networks.objective, vector, args=(rho, alpha), jac=True,
                             method="L-BFGS-B", bounds=bounds)
            vector = found.x
            squares = networks.squared_norms(vector)
            now, _ = networks.acyclicity(squares)
            edges = (squares > THRESHOLD**2).sum()
            print(f"rho {rho:.0e}  alpha {alpha:.3g}  objective {found.fun:.4f}  h {now:.2e}  "
                  f"edges {edges}  iterations {found.nit}  {time.perf_counter() - start:.0f} s",
                  flush=True)
            if now <= 0.25 * h or rho >= MAX_RHO:
                break
            rho *= 10
        h, alpha = now, alpha + rho * now
        if h <= H_TOLERANCE or rho >= MAX_RHO:
            break
    return squares**0.5


def main():
    options = arguments()
    run.enter_environment(run.VENV, run.REQUIREMENTS)
    import numpy

    norms = learn(numpy.load(options.data).astype("float64"), options.rounds, options.seed)
    norms[norms < THRESHOLD] = 0
    run.write_matrix(options.output, [f"x{i + 1}" for i in range(len(norms))], norms)


if __name__ == "__main__":
    main()
