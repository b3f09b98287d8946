"""Completion in shells, by the words that a shell hands over."""

import os
import subprocess
import sys

import pytest


def shown(variables: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ackclock", *words],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def completed(*words: str) -> list[str]:
    line = " ".join(["ackclock", *words])
    asked = {"_ACKCLOCK_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words))}
    return shown(asked).split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("comp",), ["compare", "competition"]),
        (("run", "two-m"), ["two-megabit"]),
        (("compare", "cub"), ["cubic", "cubic-linux"]),
        (("compare", "cubic", "sack+westw"), ["sack+westwood"]),
        (("compare", "--scenario", "lte"), ["lte-driving"]),
        (("run", "--fig"), ["--figure-format"]),
    ],
)
def test_names_are_completed(words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(*words) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_for_shells(shell: str) -> None:
    text = shown({"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}, "--show-completion", shell)
    assert "_ACKCLOCK_COMPLETE" in text


@pytest.mark.parametrize("columns", [60, 120])
def test_columns_are_respected(columns: int) -> None:
    text = shown({"COLUMNS": str(columns), "NO_COLOR": "1"}, "compare", "--help")
    widest = max(len(line.rstrip()) for line in text.splitlines())
    assert 0.8 * columns < widest <= columns
    assert "Examples" in text
