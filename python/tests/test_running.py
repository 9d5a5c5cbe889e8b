"""Long work: it can be stopped and watched, shares the interpreter, and copies nothing."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import nocurl
from nocurl._progress import Bar


def long_work(**params):
    """A search that would go on for hours."""
    X = nocurl.simulate(variables=60, rows=300, random_state=0).data
    nocurl.OrderSearch(restarts=10**9, **params).fit(X)


def test_ctrl_c_stops_a_fit_and_leaves_the_interpreter_usable():
    # A shell that starts programs in the background lets them ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            long_work()
    finally:
        signal.signal(signal.SIGINT, before)
    assert nocurl.learn(nocurl.simulate(5, 100).data).n_edges >= 0


def test_progress_comes_through_a_function_which_may_stop_the_work():
    seen = []

    def watch(stage, done, total, objective):
        seen.append((stage, done, total, objective))
        if len(seen) >= 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        long_work(show_progress=watch)
    assert all(isinstance(stage, str) and done >= 0 for stage, done, _, _ in seen)


def test_progress_on_a_bar(capsys):
    bar = Bar()
    with bar:
        bar("reading", 1, 10, None)
        bar("searching", 2, None, 0.5)
    shown = capsys.readouterr().err
    assert "reading" in shown and "searching" in shown and "objective=0.5" in shown
    X = nocurl.simulate(5, 100).data
    assert nocurl.OrderSearch(show_progress=True).fit(X).n_features_in_ == 5


def test_other_threads_run_meanwhile():
    counted = 0
    going = threading.Event()

    def stop_when_counted(*_):
        if counted > 1000:
            raise StopIteration

    def count():
        nonlocal counted
        going.set()
        while counted <= 10**6 and going.is_set():
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    with pytest.raises(StopIteration):
        long_work(show_progress=stop_when_counted)
    going.clear()
    counter.join()
    assert counted > 1000


def run(code: str) -> str:
    words = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own():
    run("""
        import os, signal
        import nocurl
        X = nocurl.simulate(20, 500).data
        expected = nocurl.learn(X).edges
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            os._exit(0 if nocurl.learn(X).edges == expected else 1)
        _, status = os.waitpid(child, 0)
        assert status == 0, status
    """)


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_gigabyte_is_not_copied(order):
    grown = run(f"""
        import resource
        import numpy as np, nocurl
        rng = np.random.default_rng(0)
        small = rng.normal(size=(1000, 100))
        nocurl.learn(small)
        X = np.empty((1_250_000, 100), order={order!r})
        for start in range(0, len(X), 1000):
            X[start:start + 1000] = small
        X[:, 0] += np.arange(len(X)) % 7
        assert X.nbytes == 10**9
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        nocurl.NoCurl().fit(X)
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """)
    assert int(grown) < 200_000, "kilobytes more than before"


def test_nothing_else_is_needed_than_numpy_and_scikit_learn():
    run("""
        import sys
        class Hidden:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in {"pandas", "networkx", "matplotlib", "tqdm", "polars"}:
                    raise ImportError(name)
        sys.meta_path.insert(0, Hidden())
        import nocurl
        drawn = nocurl.simulate(5, 300)
        model = nocurl.NoCurl().fit(drawn.data)
        assert model.to_dot() and model.to_gml() and model.to_json() and model._repr_html_()
        assert nocurl.Moments.of(drawn.data).rows == 300
        for use in (model.to_networkx, model.plot, lambda: nocurl.EqTD(show_progress=True).fit(drawn.data)):
            try:
                use()
            except ImportError:
                continue
            raise AssertionError(use)
    """)
