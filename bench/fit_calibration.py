"""Fits what frequencies of edges in resampled tables are worth, on simulated graphs alone.

    nocurl bench calibration-fit --trials 200 --seed 1000 --output bench-calibration-fit
    python bench/fit_calibration.py bench-calibration-fit/pairs.csv [bench-calibration/pairs.csv]

prints the constants of crates/nocurl/src/analysis/bootstrap/calibration.rs: a logistic regression
of "the edge is true", over the edges that were drawn, on the logit of the frequency and the size of
the table. With a second file it shows what the constants are worth there, on tables that they were
not fitted on. Directions are reported as they are, and as a fit of the same kind would have them.
Needs NumPy and pandas.
"""

import sys

import numpy as np
import pandas as pd

BINS = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.01]


def logit(share, tables=100):
    share = (share * tables + 0.5) / (tables + 1)
    return np.log(share / (1 - share))


def features(frequency, rows, variables):
    x, n, d = logit(frequency), np.log(rows / 1000), np.log(variables / 50)
    return np.column_stack([np.ones_like(x), x, n, d, x * n])


def fit(X, y, ridge=1e-1):
    """Logistic regression by Newton's method."""
    beta = np.zeros(X.shape[1])
    for _ in range(50):
        p = 1 / (1 + np.exp(-X @ beta))
        gradient = X.T @ (y - p) - ridge * beta
        hessian = (X * (p * (1 - p))[:, None]).T @ X + ridge * np.eye(len(beta))
        step = np.linalg.solve(hessian, gradient)
        beta += step
        if np.abs(step).max() < 1e-10:
            break
    return beta


def report(name, confidence, truth):
    for low, high in zip(BINS, BINS[1:]):
        inside = (confidence >= low) & (confidence < high)
        if inside.sum():
            mean, share = confidence[inside].mean(), truth[inside].mean()
            print(f"// {name} {low:.2f} to {high:.2f}: {inside.sum()} edges, mean {mean:.3f}, "
                  f"true {share:.3f}, apart {share - mean:+.3f}")


def main(path, other=None):
    pairs = pd.read_csv(path)
    sets = [("fitted", pairs[pairs["drawn"] == 1])]
    if other:
        pairs = pd.read_csv(other)
        pairs = pairs[pairs["drawn"] == 1]
        networks = ~pairs["case"].str.contains("ER|SF")
        sets += [("networks", pairs[networks]), ("simulated", pairs[~networks])]
    edges = [(label, drawn) for label, drawn in sets]
    compelled = [(label, drawn[drawn["compelled"] == 1]) for label, drawn in sets]
    for name, frequency, truth, sets in [
        ("ADJACENT", "adjacent_frequency", "truly_adjacent", edges),
        ("DIRECTION", "direction_frequency", "truly_directed", compelled),
    ]:
        def of(drawn):
            columns = [drawn[c].to_numpy(float) for c in (frequency, "rows", "variables")]
            return features(*columns), drawn[truth].to_numpy(float)

        beta = fit(*of(sets[0][1]))
        values = ", ".join(f"{value:.4f}" for value in beta)
        print(f"const {name}: [f64; {len(beta)}] = [{values}];")
        for label, drawn in sets:
            X, y = of(drawn)
            if len(y):
                report(f"{label} {name.lower()}", 1 / (1 + np.exp(-X @ beta)), y)
                report(f"{label} {name.lower()} as it is", drawn[frequency].to_numpy(float), y)


if __name__ == "__main__":
    main(*sys.argv[1:])
