"""The scripts in `examples/` run."""

import runpy

import pytest


@pytest.mark.parametrize("name", ["sachs", "peer", "effects"])
def test_example(name, root, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(root / "examples" / f"{name}.py"), run_name="__main__")
    told = capsys.readouterr().out
    if name == "sachs":
        assert (tmp_path / "sachs.png").stat().st_size > 10_000
    if name == "peer":
        assert "times faster" in told
    if name == "effects":
        assert "DoWhy" in told


def test_every_example_is_run(root):
    assert {path.stem for path in (root / "examples").glob("*.py")} == {"sachs", "peer", "effects"}
