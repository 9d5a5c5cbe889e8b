"""Writes testdata/em/: Gaussian EM for data with gaps, by NumPy alone, row by row.

It shares nothing with the engine but the textbook definition: for each row, the conditional mean
and covariance of what is missing by a general solver; 20,000 plain iterations, so that the result
is the fixed point to the last digits. Run: python testdata/make_em.py   (needs numpy)
"""

import json
import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent / "em"
folder.mkdir(exist_ok=True)
rng = np.random.default_rng(7)
n, d = 40, 4
mix = rng.normal(size=(d, d))
x = (rng.normal(size=(n, d)) @ mix + [1.0, -2.0, 30.0, 0.0]).round(4)
x[rng.random((n, d)) < 0.2] = np.nan
x = x[~np.isnan(x).all(axis=1)]
n = len(x)

mean = np.nanmean(x, axis=0)
cov = np.diag(np.nanvar(x, axis=0))
for _ in range(20000):
    filled, extra = np.empty_like(x), np.zeros((d, d))
    for r, row in enumerate(x):
        m = np.isnan(row)
        o = ~m
        filled[r] = row
        if m.any():
            k = np.linalg.solve(cov[np.ix_(o, o)], cov[np.ix_(o, m)]).T
            filled[r, m] = mean[m] + k @ (row[o] - mean[o])
            extra[np.ix_(m, m)] += cov[np.ix_(m, m)] - k @ cov[np.ix_(o, m)]
    mean = filled.mean(axis=0)
    centred = filled - mean
    cov = (centred.T @ centred + extra) / n

loglik = 0.0
for row in x:
    o = ~np.isnan(row)
    c, r = cov[np.ix_(o, o)], row[o] - mean[o]
    loglik -= 0.5 * (o.sum() * np.log(2 * np.pi) + np.linalg.slogdet(c)[1] + r @ np.linalg.solve(c, r))

with open(folder / "gaps.csv", "w") as out:
    out.write("a,b,c,d\n")
    for row in x:
        out.write(",".join("" if np.isnan(v) else repr(float(v)) for v in row) + "\n")
golden = {
    "rows": n,
    "values": [[None if np.isnan(v) else float(v) for v in row] for row in x],
    "mean": mean.tolist(),
    "covariance": cov.tolist(),
    "log_likelihood": float(loglik),
}
(folder / "gaps.json").write_text(json.dumps(golden) + "\n")
