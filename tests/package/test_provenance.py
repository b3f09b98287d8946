"""The command in a figure's provenance can be typed again."""

import subprocess
import sys
from pathlib import Path

import pytest

PRINTING = "from ackclock.provenance import command_line; print(command_line())"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["-m", "study", "--docs"], "python -m study --docs"),
        (["-m", "study.part", "two words"], "python -m study.part 'two words'"),
        (["study/part.py", "1"], "part.py 1"),
    ],
)
def test_a_command_is_said_as_it_was_typed(typed: list[str], said: str, tmp_path: Path) -> None:
    package = tmp_path / "study"
    package.mkdir()
    for name in ("__main__.py", "part.py"):
        (package / name).write_text(PRINTING, encoding="utf-8")
    done = subprocess.run([sys.executable, *typed], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == said
