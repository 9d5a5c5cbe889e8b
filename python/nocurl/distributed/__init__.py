"""Learning where the rows are: on Dask, Spark and Ray, or from anything that comes in parts.

Most methods need only the moments of a table, and moments of parts add up. So each part is read
once where it lies, sums come back, and the graph is learnt from them. No engine is imported until
a frame of it is passed.

>>> import nocurl
>>> import nocurl.distributed as nd
>>> X = nocurl.simulate(variables=5, rows=1000, degree=2, random_state=1).data
>>> graph = nd.learn(iter([X[:300], X[300:]]))
>>> len(graph.variables)
5

The result does not depend on the number of workers: the same parts give the same bits.
"""

from ._bench import bench
from ._each import learn_each
from ._gather import moments
from ._learn import learn
from ._rows import fit_rows

__all__ = ["bench", "fit_rows", "learn", "learn_each", "moments"]
