"""Proteins in human cells: from a CSV file to a picture.

The table is that of Sachs et al. (2005): eleven proteins and lipids in 7466 cells. Run it with
`python examples/sachs.py`, or cell by cell in an editor that knows `# %%`.
"""

# %% The table
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import nocurl

root = Path(__file__).resolve().parents[1]
cells = pd.read_csv(root / "data/sachs.csv")
print(f"{len(cells)} cells, {cells.shape[1]} molecules")

# %% Amounts span orders of magnitude: their logarithms are closer to a linear model.
logs = np.log(cells)

# %% Learn, with how sure each edge and direction is, and look at what the checks say.
graph = nocurl.learn(logs, random_state=0)
print(graph)
for finding in graph.diagnosis:
    if finding["verdict"] != "ok":
        print(f"{finding['verdict']}: {finding['sentence']}")

# %% Edges that are nearly sure, and directions that are determined
edges = graph.to_pandas()
print(edges[edges["adjacent"] >= 0.9].to_string(index=False))
print(edges[edges["determined"]].to_string(index=False))

# %% Against the network that biologists agree on
consensus = nocurl.read_graph(root / "data/sachs-20.csv")
scores = nocurl.metrics.compare(consensus, graph)
print(f"SHD {scores['shd']}, of {scores['true_edges']} known edges {scores['missing']} are missing")

# %% The picture: causes on top; dashed lines without a head have an undetermined direction
fig, ax = plt.subplots(figsize=(9, 8))
graph.plot(ax)
fig.savefig("sachs.png", dpi=150, bbox_inches="tight")
print("wrote sachs.png")
