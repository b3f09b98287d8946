"""Three walks from the documentation, with the built wheel in a fresh environment without Rust.

`make wheel` builds the wheel in dist/. Dependencies are those of this environment: nothing is fetched.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"

Alone = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """Runs a program of a fresh environment that has the wheel, with nothing else in reach."""
    wheels = sorted(REPOSITORY.glob("dist/ackclock-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        pytest.skip("no wheel in dist/: make wheel builds it")
    room = tmp_path_factory.mktemp("alone")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", room / "venv"], check=True)
    packages = next(
        (room / "venv").glob("lib/python*/site-packages"), room / "venv" / "Lib" / "site-packages"
    )
    # As pip does it: unpacked next to the packages that it needs, which are those of this environment.
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheels[-1], packages], check=True)
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    binaries = room / "venv" / ("Scripts" if os.name == "nt" else "bin")

    def run(folder: Path, *words: str, code: int = 0) -> "subprocess.CompletedProcess[str]":
        python = str(binaries / "python")
        done = subprocess.run(
            [python, *words], cwd=folder, capture_output=True, text=True, check=False,
            env={"PATH": str(binaries), "HOME": str(folder), "MPLBACKEND": "agg", "MPLCONFIGDIR": str(room)},
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        return done

    where = run(room, "-c", "import ackclock, shutil; print(ackclock.__file__, shutil.which('cargo'))")
    assert str(packages) in where.stdout
    assert "None" in where.stdout
    return run


def test_a_researcher_has_a_figure_and_a_table(alone: Alone, tmp_path: Path) -> None:
    page = (DOCS / "from-idea-to-paper.md").read_text(encoding="utf-8")
    algorithm, experiment = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len([line for line in experiment.splitlines() if line.strip()]) < 15
    (tmp_path / "quarter.py").write_text(algorithm, encoding="utf-8")
    (tmp_path / "experiment.py").write_text(experiment, encoding="utf-8")
    alone(tmp_path, "experiment.py")
    assert (tmp_path / "goodput.pdf").read_bytes().startswith(b"%PDF")
    assert r"\begin{tabular}" in (tmp_path / "race.tex").read_text(encoding="utf-8")


def test_a_teacher_changes_a_buffer(alone: Alone, tmp_path: Path) -> None:
    notebook = json.loads((DOCS / "notebooks" / "bufferbloat.ipynb").read_text(encoding="utf-8"))
    code = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    assert "(0.25, 0.5, 1, 2, 4, 8)" in code
    lesson = code.replace("(0.25, 0.5, 1, 2, 4, 8)", "(1, 16)")
    (tmp_path / "lesson.py").write_text(
        lesson + "\nprint(rtt)\nfigure.savefig('lesson.png')\n", encoding="utf-8"
    )
    short, long = json.loads(alone(tmp_path, "lesson.py").stdout)
    assert long > 5 * short
    assert (tmp_path / "lesson.png").read_bytes().startswith(b"\x89PNG")


def test_an_engineer_guards_an_algorithm(alone: Alone, tmp_path: Path) -> None:
    page = (DOCS / "from-idea-to-paper.md").read_text(encoding="utf-8")
    (tmp_path / "quarter.py").write_text(
        re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8"
    )
    guard = (
        "-m",
        "ackclock",
        "compare",
        "cubic",
        "quarter.py:Quarter",
        "--scenario",
        "two-megabit",
        "--seeds",
        "3",
        "--no-report",
        "--fail-if",
    )
    alone(tmp_path, *guard, "quarter.goodput < 0.5 Mbit/s")
    failed = alone(tmp_path, *guard, "quarter.goodput < 5 Mbit/s", code=1)
    assert "failed: quarter.goodput < 5 Mbit/s" in failed.stderr
