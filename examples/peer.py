"""The same tables for nocurl and for greedy equivalence search of causal-learn.

Needs `pip install causal-learn`. Times are of this machine, in this run.
"""

# %%
import time

from causallearn.search.ScoreBased.GES import ges

import nocurl

VARIABLES, TABLES = 12, 3


# %% causal-learn returns a class as a matrix of endpoints, which nocurl.metrics takes as it is:
# -1 at (i, j) and 1 at (j, i) is i -> j; -1 at both is an edge of undetermined direction
def causal_learn(X):
    return ges(X, score_func="local_score_BIC")["G"].graph


# %%
print(f"{VARIABLES} variables, 1000 rows, standardised; wrong pairs of the class and seconds")
print("table       nocurl         causal-learn GES")
for seed in range(TABLES):
    drawn = nocurl.simulate(VARIABLES, 1000, degree=2, standardize=True, random_state=seed)
    start = time.perf_counter()
    graph = nocurl.learn(drawn.data, diagnose=False)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    endpoints = causal_learn(drawn.data)
    theirs = time.perf_counter() - start
    wrong = nocurl.metrics.cpdag_shd(drawn.graph, graph)
    wrong_theirs = nocurl.metrics.cpdag_shd(drawn.graph, endpoints)
    print(
        f"{seed:5}  {wrong:3} in {ours:7.4f} s    {wrong_theirs:3} in {theirs:6.2f} s"
        f"    {theirs / ours:6.0f} times faster"
    )
