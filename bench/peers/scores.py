"""Scores of a pattern against the true graph, the same for every contender.

A pattern is a list of lists of booleans, row -> column, with an undirected edge in both places; a
DAG is a pattern without undirected edges.
"""


def extension(pattern):
    """A DAG with the edges of the pattern, and whether it is a consistent extension.

    Dor and Tarsi (1992): find a variable that no edge leaves and whose undirected neighbours are
    adjacent to all its other neighbours, point its edges at it, and leave it out from then on.
    Where there is none, the pattern has a cycle or no extension; then the variable that comes
    closest is taken, so that the result always is a DAG with the same adjacencies.
    """
    size = len(pattern)
    dag = [[False] * size for _ in range(size)]
    left, consistent = set(range(size)), True
    while left:
        faults, sink = min((_faults(pattern, left, v), v) for v in left)
        consistent = consistent and faults == 0
        left.remove(sink)
        for v in left:
            dag[v][sink] = bool(pattern[v][sink] or pattern[sink][v])
    return dag, consistent


def _faults(pattern, left, v):
    """How much speaks against `v` as a sink among the variables that are left."""
    near = [u for u in left if u != v and (pattern[u][v] or pattern[v][u])]
    leaving = sum(not pattern[u][v] for u in near)
    undirected = [u for u in near if pattern[u][v] and pattern[v][u]]
    apart = sum(
        not (pattern[u][w] or pattern[w][u]) for u in undirected for w in near if w != u
    )
    return leaving + apart


def mistakes(truth, pattern):
    """Extra, missing and reversed edges; their sum is the structural Hamming distance.

    An undirected edge is no mistake where the truth has an edge: it leaves undetermined what the method
    cannot know. This favours methods that return an equivalence class.
    """
    extra = missing = turned = 0
    for i in range(len(truth)):
        for j in range(i):
            true = (bool(truth[i][j]), bool(truth[j][i]))
            found = (bool(pattern[i][j]), bool(pattern[j][i]))
            extra += any(found) and not any(true)
            missing += any(true) and not any(found)
            turned += any(true) and found == true[::-1]
    return {"extra": extra, "missing": missing, "reversed": turned}
