"""The same tables for nocurl and for greedy equivalence search of causal-learn.

Needs `pip install causal-learn`. Times are of this machine, in this run.
"""

# %%
import time

import numpy as np
from causallearn.search.ScoreBased.GES import ges

import nocurl

VARIABLES, TABLES = 12, 3


# %% causal-learn returns a class of graphs: -1 at i and 1 at j means i -> j, -1 at both is open
def causal_learn(X):
    marks = ges(X, score_func="local_score_BIC")["G"].graph
    directed = (marks == -1) & (marks.T == 1)
    open_pairs = np.triu((marks == -1) & (marks.T == -1))
    return directed, open_pairs


# %% How many pairs differ from the class that the true graph belongs to
def distance(truth, directed, open_pairs):
    true_open = {frozenset(pair) for pair in truth.undirected}
    names = truth.variables
    wrong = 0
    for i in range(len(names)):
        for j in range(i):
            is_open = frozenset((names[i], names[j])) in true_open
            true = "open" if is_open else (truth.weights[i, j] != 0, truth.weights[j, i] != 0)
            found_open = open_pairs[i, j] or open_pairs[j, i]
            found = "open" if found_open else (bool(directed[i, j]), bool(directed[j, i]))
            wrong += true != found
    return wrong


# %%
print(f"{VARIABLES} variables, 1000 rows, standardised; wrong pairs of the class and seconds")
print("table       nocurl         causal-learn GES")
for seed in range(TABLES):
    drawn = nocurl.simulate(VARIABLES, 1000, degree=2, standardize=True, random_state=seed)
    start = time.perf_counter()
    graph = nocurl.learn(drawn.data, diagnose=False)
    ours = time.perf_counter() - start
    start = time.perf_counter()
    directed, open_pairs = causal_learn(drawn.data)
    theirs = time.perf_counter() - start
    wrong = nocurl.metrics.cpdag_shd(drawn.graph, graph)
    print(
        f"{seed:5}  {wrong:3} in {ours:7.4f} s    "
        f"{distance(drawn.graph, directed, open_pairs):3} in {theirs:6.2f} s"
        f"    {theirs / ours:6.0f} times faster"
    )
