"""Fits what frequencies in resampled tables are worth, on simulated graphs alone.

    nocurl bench calibration-fit --trials 200 --seed 1000 --output bench-calibration-fit
    python bench/fit_calibration.py bench-calibration-fit/pairs.csv

prints the constants of crates/nocurl/src/analysis/bootstrap/calibration.rs: logistic regressions
of "the edge is true" and "the direction is compelled in the true class" on the logit of the
frequency and on the size of the table, over the edges that were drawn. Needs NumPy and pandas.
"""

import sys

import numpy as np
import pandas as pd


def logit(share, tables=100):
    share = (share * tables + 0.5) / (tables + 1)
    return np.log(share / (1 - share))


def features(frequency, rows, variables):
    x, n, d = logit(frequency), np.log(rows / 1000), np.log(variables / 50)
    return np.column_stack([np.ones_like(x), x, n, d, x * n])


def fit(X, y, ridge=1e-3):
    """Logistic regression by Newton's method, each table with the same weight for an edge."""
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
    bins = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.99, 1.01]
    for low, high in zip(bins, bins[1:]):
        inside = (confidence >= low) & (confidence < high)
        if inside.sum():
            mean, share = confidence[inside].mean(), truth[inside].mean()
            print(f"// {name} {low:.2f} to {high:.2f}: {inside.sum()} edges, mean {mean:.3f}, true {share:.3f}")


def main(path):
    pairs = pd.read_csv(path)
    drawn = pairs[pairs["drawn"] == 1]
    sizes = drawn["rows"].to_numpy(float), drawn["variables"].to_numpy(float)
    for name, frequency, truth in [
        ("ADJACENT", "adjacent_frequency", "truly_adjacent"),
        ("DIRECTION", "direction_frequency", "truly_compelled"),
    ]:
        X = features(drawn[frequency].to_numpy(float), *sizes)
        y = drawn[truth].to_numpy(float)
        beta = fit(X, y)
        values = ", ".join(f"{value:.4f}" for value in beta)
        print(f"const {name}: [f64; {len(beta)}] = [{values}];")
        report(name.lower(), 1 / (1 + np.exp(-X @ beta)), y)


if __name__ == "__main__":
    main(sys.argv[1])
