"""p-values of regressions on an order, by statsmodels; prints what crates/nocurl/tests/prune.rs holds.

Run: python make.py   (numpy, statsmodels)
"""

import numpy as np
import statsmodels.api as sm
from statsmodels.stats.multitest import multipletests

rng = np.random.default_rng(7)
n = 20
x1 = 5 + rng.normal(size=n)
x2 = 2 + 0.9 * x1 + rng.normal(size=n)
x3 = -1 + 0.6 * x2 + rng.normal(size=n)
x4 = 0.7 * x1 - 0.35 * x3 + rng.normal(size=n)
x = np.round(np.column_stack([x1, x2, x3, x4]), 2)
for row in x:
    print("    [" + ", ".join(repr(float(v)) for v in row) + "],")

edges, values, weights = [], [], []
for j in range(1, 4):
    fit = sm.OLS(x[:, j], sm.add_constant(x[:, :j])).fit()
    for i in range(j):
        edges.append((i, j))
        values.append(fit.pvalues[i + 1])
        weights.append(fit.params[i + 1])
adjusted = multipletests(values, method="fdr_bh")[1]
for edge, p, q, w in zip(edges, values, adjusted, weights):
    print(f"    ({edge[0]}, {edge[1]}, {float(w)!r}, {float(q)!r}), // p = {p:.6g}")
