"""DAG-GNN in PyTorch: a peer for the speed of an epoch, and a reference for the paper's Algorithm 2.

    python3 bench/peers/torch_gnn.py time                  # seconds per epoch, torch and nocurl
    python3 bench/peers/torch_gnn.py learn x.npy a.csv     # the paper's Algorithm 2, minutes

The model is DAG-GNN (Yu, Chen, Gao, Yu, 2019) for continuous scalars, as its published program
computes it, written anew: networks 1 -> 64 -> 1 on every scalar, A amplified by sinh(3 A), an
explicit inverse in the decoder, h by a matrix power, double precision, Adam. What that program
does beside learning (an SHD against the truth after every batch) is left out. See README.md.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

import run

VENV = run.TARGET / "torch-venv"
REQUIREMENTS = run.HERE / "torch-requirements.txt"

HIDDEN = 64
BATCH = 100
LEARNING_RATE = 3e-3
THRESHOLD = 0.3
PENALTY = 10.0  # lambda of Step 1 in the paper's nonlinear experiments
EPOCHS = {"step 1": 400, "step 2": 600}

# What nocurl is timed with: `{}` is a number of epochs. Two runs that differ in it alone give the
# time of an epoch.
NOCURL_METHODS = {
    "nocurl dag-gnn": "--method dag-gnn --param epochs={} --param max_penalty=10",
    "nocurl nocurl-gnn": "--method nocurl-gnn --param estimate_epochs={} --param epochs=1",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--threads", type=int, default=2, help="threads of each [default: 2]")
    commands = parser.add_subparsers(dest="command", required=True)
    timed = commands.add_parser("time", help="seconds per epoch of DAG-GNN, torch beside nocurl")
    timed.add_argument("--nocurl", type=Path, default=run.NOCURL, metavar="PATH",
                       help="nocurl to run [default: target/release/nocurl, built if missing]")
    timed.add_argument("--sizes", type=int, nargs="+", default=[10, 50, 100], metavar="D",
                       help="numbers of variables [default: 10 50 100]")
    timed.add_argument("--rows", type=int, default=5000, help="rows [default: 5000]")
    timed.add_argument("--case", choices=run.CASES, default="nonlinear-1", metavar="CASE",
                       help=f"of {', '.join(run.CASES)} [default: nonlinear-1]")
    timed.add_argument("--cpu", action="store_true",
                       help="CPU seconds of all threads, for a machine that is busy")
    timed.add_argument("--epochs", type=int, default=5, help="epochs, median of [default: 5]")
    learned = commands.add_parser("learn", help="DAG-GNN with NoCurl, the paper's Algorithm 2")
    learned.add_argument("data", type=Path, metavar="DATA.npy")
    learned.add_argument("output", type=Path, metavar="ADJACENCY.csv",
                         help="square matrix with names, row -> column, for `nocurl evaluate`")
    learned.add_argument("--seed", type=int, default=0, help="of the first weights [default: 0]")
    return parser.parse_args()


def network():
    """1 -> 64 -> 1 with ReLU, for every scalar by itself; Xavier-normal weights."""
    from torch import nn

    layers = nn.Linear(1, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1)
    for layer in (layers[0], layers[2]):
        nn.init.xavier_normal_(layer.weight)
    return nn.Sequential(*layers).double()


def model(size):
    """Encoder, decoder and adjacency of DAG-GNN; the class is made here, where torch is there."""
    import torch

    class DagGnn(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.decoder = network(), network()
            # As published: the encoder's biases start as PyTorch draws them, the decoder's from 0.
            for layer in (self.decoder[0], self.decoder[2]):
                torch.nn.init.zeros_(layer.bias)
            self.weights = torch.nn.Parameter(torch.zeros(size, size, dtype=torch.float64))
            self.offset = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
            self.mask = None  # ReLU(grad p) in Step 2

        def adjacency(self):
            """The amplified matrix, row -> column."""
            amplified = torch.sinh(3 * self.weights)
            return amplified if self.mask is None else amplified * self.mask

        def elbo_loss(self, x, adjacency):
            """KL + NLL per row. Nothing is sampled: the latent variable is its mean."""
            back = torch.eye(size, dtype=torch.float64) - adjacency.T
            latent = back @ (self.encoder(x) + self.offset) - self.offset
            mixed = torch.linalg.inv(back) @ (latent + self.offset) - self.offset
            errors = self.decoder(mixed) - x
            return 0.5 * (latent.square().sum() + errors.square().sum()) / len(x)

        def acyclicity(self, adjacency):
            """tr (I + A∘A/d)^d - d."""
            eye = torch.eye(size, dtype=torch.float64)
            return torch.matrix_power(eye + adjacency * adjacency / size, size).trace() - size

    return DagGnn()


def lagrangian(alpha, rho):
    """DAG-GNN's penalty: alpha h + rho/2 h^2, and a diagonal that must vanish."""

    def penalty(gnn, adjacency):
        h = gnn.acyclicity(adjacency)
        return alpha * h + 0.5 * rho * h * h + 100 * (adjacency * adjacency).trace()

    return penalty


def loader(table):
    """Batches as the published program makes them: rows in their order, put together one by one."""
    from torch.utils.data import DataLoader, TensorDataset

    return DataLoader(TensorDataset(table), batch_size=BATCH)


def slices(table):
    """The same batches, cut once: what an epoch costs without the loader."""
    return [(part,) for part in table.split(BATCH)]


def epoch(gnn, optimiser, batches, penalty):
    for (x,) in batches:
        optimiser.zero_grad()
        adjacency = gnn.adjacency()
        loss = gnn.elbo_loss(x, adjacency)
        if penalty:
            loss = loss + penalty(gnn, adjacency)
        loss.backward()
        optimiser.step()


def adam(gnn):
    import torch

    return torch.optim.Adam(gnn.parameters(), lr=LEARNING_RATE)


def read_table(path):
    """Rows as [n, d, 1]."""
    import numpy
    import torch

    return torch.from_numpy(numpy.load(path).astype("float64")).unsqueeze(2)


def learn(table, seed):
    """The paper's Algorithm 2; returns the thresholded adjacency, row -> column."""
    import torch

    torch.manual_seed(seed)
    size = table.shape[1]
    gnn, batches = model(size), slices(table)
    # Step 1: no constraint, a fixed multiple of h.
    optimiser = adam(gnn)
    for _ in range(EPOCHS["step 1"]):
        epoch(gnn, optimiser, batches, lagrangian(PENALTY, 0))
    # Step 2: W from zero with p fixed; the networks go on from where they are.
    gradient = potential_gradient(thresholded(gnn))
    gnn.mask = torch.relu(torch.from_numpy(gradient))
    gnn.weights.data.zero_()
    optimiser = adam(gnn)
    for _ in range(EPOCHS["step 2"]):
        epoch(gnn, optimiser, batches, None)
    # Step 3.
    return thresholded(gnn)


def thresholded(gnn):
    matrix = gnn.adjacency().detach().numpy().copy()
    matrix[abs(matrix) < THRESHOLD] = 0
    return matrix


def potential_gradient(matrix):
    """(grad p)[i, j] = p[j] - p[i], where p is the projection of the connectivity of a matrix:
    minus the pseudo-inverse of the Laplacian of the complete graph times the divergence of
    (C - C')/2.
    """
    import numpy
    from scipy.linalg import pinv

    size = len(matrix)
    reached = matrix != 0
    for k in range(size):
        reached |= numpy.outer(reached[:, k], reached[k])
    flow = (reached.astype(float) - reached.T) / 2
    laplacian = size * numpy.eye(size) - numpy.ones((size, size))
    potential = -pinv(laplacian) @ flow.sum(axis=1)
    return potential[None, :] - potential[:, None]


def time_torch(data, epochs, batching, clock):
    """Median seconds of an epoch, after one that warms up."""
    gnn, batches = model(data.shape[1]), batching(data)
    optimiser, seconds = adam(gnn), []
    for _ in range(epochs + 1):
        start = clock()
        epoch(gnn, optimiser, batches, lagrangian(0, 1))
        seconds.append(clock() - start)
    return statistics.median(seconds[1:])


def time_nocurl(nocurl, data, flags, epochs, threads, cpu):
    """Seconds of an epoch: what a longer run takes more, over what it trains more."""

    def measure(epochs):
        output = run.TARGET / "peers" / "gnn.json"
        command = [nocurl, "learn", data, *flags.format(epochs).split(), "--threads", threads,
                   "--no-diagnosis", "--output", output, "--quiet"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            raise ValueError(done.stderr.strip().removeprefix("error: ").partition(" (")[0])
        document = json.loads(output.read_text())
        spent = sum(after[:2]) - sum(before[:2]) if cpu else document["elapsed_seconds"]
        return spent, document["iterations"]

    short, long = measure(epochs), measure(10 * epochs)
    return (long[0] - short[0]) / (long[1] - short[1])


def time_all(options):
    """A line for each size and program, all in one run."""
    import torch

    nocurl = run.find_nocurl(options.nocurl)
    versions = f"torch {torch.__version__}, {run.version('nocurl', nocurl)}"
    print(f"{options.case}, n = {options.rows}, batches of {BATCH}, {options.threads} threads, "
          f"{'CPU ' * options.cpu}seconds per epoch; {versions}")
    clock = time.process_time if options.cpu else time.perf_counter
    for size in options.sizes:
        data, _ = run.simulate(nocurl, run.TARGET / "peers", options.case, size, options.rows,
                               False, 1)
        table = read_table(data)
        for name, batching in (("torch", loader), ("torch, batches cut beforehand", slices)):
            seconds = time_torch(table, options.epochs, batching, clock)
            print(f"d = {size:>4}  {name:<32} {seconds:.4f}", flush=True)
        for name, flags in NOCURL_METHODS.items():
            try:
                seconds = time_nocurl(nocurl, data, flags, options.epochs, options.threads,
                                      options.cpu)
                print(f"d = {size:>4}  {name:<32} {seconds:.4f}", flush=True)
            except ValueError as error:
                print(f"d = {size:>4}  {name:<32} {error}", flush=True)


def main():
    options = arguments()
    run.enter_environment(VENV, REQUIREMENTS)
    import torch

    torch.set_num_threads(options.threads)
    if options.command == "time":
        return time_all(options)
    if not options.data.exists():
        sys.exit(f"error: there is no `{options.data}`")
    matrix = learn(read_table(options.data), options.seed)
    # The names that nocurl gives to columns without any.
    run.write_matrix(options.output, [f"x{i + 1}" for i in range(len(matrix))], matrix)


if __name__ == "__main__":
    main()
