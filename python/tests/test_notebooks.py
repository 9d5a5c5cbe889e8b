"""The notebooks in `examples/` run, and hold what they print.

``NOCURL_WRITE_NOTEBOOKS=1`` runs them and writes what they print into them.
"""

import ast
import contextlib
import io
import json
import os

import pytest


def _printed(source, names):
    """What a cell prints, and the value of the expression at its end."""
    told, tree = io.StringIO(), ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(told):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return told.getvalue(), value


def _outputs(text, value):
    outputs = []
    if text:
        lines = text.splitlines(keepends=True)
        outputs.append({"name": "stdout", "output_type": "stream", "text": lines})
    if value is not None:
        data = {"text/html": value._repr_html_().splitlines(keepends=True)}
        outputs.append({"data": data, "metadata": {}, "output_type": "display_data"})
    return outputs


@pytest.mark.parametrize("name", ["experiments"])
def test_notebook(name, root, monkeypatch):
    pytest.importorskip("pandas")
    path = root / "examples" / f"{name}.ipynb"
    monkeypatch.chdir(path.parent)
    notebook, names = json.loads(path.read_text()), {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        text, value = _printed("".join(cell["source"]), names)
        if os.environ.get("NOCURL_WRITE_NOTEBOOKS"):
            cell["outputs"] = _outputs(text, value)
            continue
        held = [out["text"] for out in cell["outputs"] if out["output_type"] == "stream"]
        assert "".join(line for lines in held for line in lines) == text, cell["id"]
        shown = any("text/html" in out.get("data", {}) for out in cell["outputs"])
        assert shown == (value is not None)
    if os.environ.get("NOCURL_WRITE_NOTEBOOKS"):
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


def test_every_notebook_is_run(root):
    assert {path.stem for path in (root / "examples").glob("*.ipynb")} == {"experiments"}
