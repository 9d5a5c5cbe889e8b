"""From a table to a causal effect: nocurl finds the graph, DoWhy estimates and tests the effect.

Needs `pip install dowhy`.
"""

# %%
import warnings

import pandas as pd
from dowhy import CausalModel

import nocurl

warnings.filterwarnings("ignore", module="dowhy")

# %% Data whose truth is known
drawn = nocurl.simulate(variables=6, rows=2000, degree=3, random_state=7)
table = pd.DataFrame(drawn.data, columns=["age", "diet", "dose", "weight", "pressure", "risk"])
truth = nocurl.Graph.from_adjacency(drawn.graph.weights, table.columns)

# %% The graph, with what is known beforehand: nothing acts on age
graph = nocurl.learn(table, knowledge={"sources": [truth.order[0]]})
print(graph)

# %% The edge with the largest weight, as a question: what does the cause do to the effect?
cause, effect, _ = max(truth.edges, key=lambda edge: abs(edge[2]))
model = CausalModel(data=table, treatment=cause, outcome=effect, graph=graph.to_networkx())
estimand = model.identify_effect(proceed_when_unidentifiable=True)
estimate = model.estimate_effect(estimand, method_name="backdoor.linear_regression")

# %% DoWhy's answer, ours along all paths of the learnt graph, and the truth
ours = graph.total_effects().loc[cause, effect]
true = truth.total_effects().loc[cause, effect]
print(f"effect of {cause} on {effect}: DoWhy {estimate.value:.3f}, nocurl {ours:.3f}, true {true:.3f}")

# %% A test of DoWhy: replaced by noise, the cause should have no effect
placebo = model.refute_estimate(
    estimand, estimate, method_name="placebo_treatment_refuter", num_simulations=10
)
print(f"with a placebo: {placebo.new_effect:.3f}")
