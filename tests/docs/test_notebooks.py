"""The lessons: every cell of every notebook runs, each leaves its figure, and exercises have solutions."""

import ast
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree as ET

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.figure import Figure

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDER = REPOSITORY / "docs" / "notebooks"
EXTENSION = REPOSITORY / "docs" / "_extensions" / "notebook_page.py"
GALLERY = REPOSITORY / "published" / "gallery"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
WALKS = ("first-steps", "own-algorithm", "figure-for-a-paper", "learning-agent")
LESSONS = [path.stem for path in NOTEBOOKS if path.stem not in WALKS]


def load_module(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def runner() -> ModuleType:
    return load_module("notebooks", FOLDER / "__main__.py")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_cell_runs_and_shows_what_is_published(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    try:
        names, outputs = runner().run(path)
    finally:
        plt.close("all")
    published = GALLERY / f"{path.stem}.json"
    assert outputs == (json.loads(published.read_text(encoding="utf-8")) if published.exists() else {})
    assert isinstance(names["figure"], Figure)
    assert any(axis.has_data() for axis in names["figure"].axes)
    assert not list(tmp_path.iterdir())  # a lesson leaves nothing behind


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_gallery_has_its_figure_and_the_notebook_no_output(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    assert notebook["metadata"]["ackclock"]["alternative"]
    for cell in notebook["cells"]:
        assert not cell.get("outputs")
    ET.parse(GALLERY / f"{path.stem}.svg")  # noqa: S314 - our own
    assert f"notebooks/{path.stem}\n" in (REPOSITORY / "docs" / "gallery.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_cell_that_ends_in_an_expression_shows_its_value_in_the_page(path: Path) -> None:
    """The page of `own-algorithm` said "the table" where there was none."""
    page = load_module("notebook_page", EXTENSION).as_markdown(json.loads(path.read_text()), path.stem)
    cells = [part.partition("\n\n```python\n")[0] for part in page.split("```python\n")[1:]]
    for cell in cells:
        code, _, after = cell.partition("\n```")
        last = ast.parse(code).body[-1]
        if isinstance(last, ast.Expr) and "savefig" not in code:  # which returns nothing
            assert "![" in after or "`````" in after, code


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_three_exercises_with_solutions(name: str) -> None:
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "".join(cells[-1]["source"])
    assert text.startswith("## Exercises")
    for number in (1, 2, 3):
        assert f"\n{number}. " in text
        assert f"Solution of exercise {number}</summary>" in text


def test_a_teacher_changes_a_buffer_and_the_figure_follows(tmp_path: Path) -> None:
    text = (FOLDER / "bufferbloat.ipynb").read_text(encoding="utf-8")
    changed = text.replace("(0.25, 0.5, 1, 2, 4, 8)", "(1, 16)")
    assert changed != text
    lesson = tmp_path / "bufferbloat.ipynb"
    lesson.write_text(changed, encoding="utf-8")
    mpl.use("agg")
    try:
        names, _ = runner().run(lesson)
    finally:
        plt.close("all")
    (drawn,) = [line for line in names["figure"].axes[1].lines if line.get_marker() == "o"]
    product = 10e6 * 0.04 / 8 / 1500
    assert list(drawn.get_xdata()) == [round(product), round(16 * product)]
    # CUBIC keeps a buffer of 16 products more than 70 % full: a wait of more than 0.7 x 16 x 40 ms.
    assert drawn.get_ydata()[1] > 0.7 * 16 * 40
