"""`ackclock results`, and the folder in which a command finds its results again."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import ackclock
from ackclock.cli.folders import meaning_of
from ackclock.errors import InputError
from ackclock.runs.joined import joined


def program(*words: str, status: int = 0, columns: int = 200) -> str:
    """What the program prints, on standard output and on standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "ackclock", *words],
        capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": str(columns)},
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


SHORT = {"duration": "2 s", "warm_up": "0 s"}
RUN = ("run", "two-megabit", "--duration", "2 s", "--no-report")


def test_a_command_finds_its_folder_again(here: Path) -> None:
    """Options that change no result, and their order, make no other command of it."""
    program(*RUN)
    program(*RUN, "--seed", "3")
    program(*RUN, "--json")
    program("run", "two-megabit", "--no-report", "--duration", "2 s", "--workers", "1")
    program(*RUN, "--seed", "3", "--fail-if", "goodput < 1 bit/s")
    assert sorted(path.name for path in (here / "results").iterdir()) == [
        "two-megabit-run",
        "two-megabit-run-2",
    ]


@pytest.mark.usefixtures("here")
def test_a_narrow_terminal_breaks_no_word_of_a_command() -> None:
    program(*RUN)
    first, second = program("results", columns=60).splitlines()
    assert first.startswith("results/two-megabit-run  run, 1 seed, 2")
    assert second == "  ackclock run two-megabit --duration '2 s' --no-report"


def test_a_gap_in_the_numbers_hides_no_results(here: Path) -> None:
    for seed in ("1", "2", "3"):
        program(*RUN, "--seed", seed)
    results = here / "results"
    (results / "two-megabit-run-2").rename(here / "kept")
    program(*RUN, "--seed", "3")
    assert sorted(path.name for path in results.iterdir()) == ["two-megabit-run", "two-megabit-run-3"]
    program(*RUN, "--seed", "4")
    assert (results / "two-megabit-run-2").is_dir()


@pytest.mark.parametrize(
    ("one", "other", "are_same"),
    [
        ("ackclock run x --seeds 2 --open", "ackclock run x --seeds 2", True),
        ("ackclock run x --seeds 2 --series", "ackclock run x --series --seeds 2", True),
        ("ackclock run x --figure-format pdf", "ackclock run x --figure-format=svg", True),
        ("ackclock run x --seeds 2", "ackclock run x --seeds 3", False),
        ("ackclock compare a b", "ackclock compare b a", False),
        ("ackclock run x --set a=1 --set b=2", "ackclock run x --set b=1 --set a=2", False),
        ("ackclock run x --no-report", "ackclock run x", False),
    ],
)
def test_commands_that_compute_the_same(one: str, other: str, are_same: bool) -> None:
    assert (meaning_of(one) == meaning_of(other)) is are_same


def test_the_list_has_every_result_with_its_command(here: Path) -> None:
    program(*RUN)
    program(
        "compare",
        "reno",
        "vegas",
        "--scenario",
        "two-megabit",
        "--duration",
        "2 s",
        "--no-report",
        "--seeds",
        "2",
    )
    (here / "results" / "notes").mkdir()
    (here / "results" / "notes" / "provenance.json").write_text("mine")
    listed = program("results")
    assert "results/two-megabit-run " in listed
    assert "ackclock compare reno vegas" in listed.replace("python -m ackclock", "ackclock")
    found: list[dict[str, Any]] = json.loads(program("results", "--json"))["results"]
    assert [(each["what"], each["of"], each["seeds"]) for each in found] == [
        ("comparison", "two-megabit", 2), ("run", "two-megabit", 1),
    ]  # fmt: skip
    assert found[0]["algorithms"] == "reno, vegas"
    assert "--below results lists them" in program("results", "results", status=2)
    assert "elsewhere: there are no results" in program("results", "--below", "elsewhere", status=2)


def test_several_folders_are_drawn_together(here: Path) -> None:
    for buffer in ("4 packets", "16 packets"):
        key = f"topology.dumbbell.bottleneck.buffer={buffer}"
        name = buffer.split()[0]
        program(*RUN, "--set", key, "--set", "trace.interval=100 ms", "--output", f"buffers/{name}")
    printed = program("results", "buffers/4", "buffers/16", "--plot", "window", "--output", "both.svg")
    assert "two-megabit (4)" in printed
    texts = "".join(ET.parse(here / "both.svg").getroot().itertext())  # noqa: S314 - our own
    assert "two-megabit (16)" in texts
    program("results", "buffers/4", "buffers/16", "--output", "both.svg")  # replaces its own
    (here / "both.svg").write_text("mine")
    assert "would be replaced" in program(
        "results", "buffers/4", "buffers/16", "--output", "both.svg", status=2
    )


def test_results_that_have_nothing_in_common_are_refused() -> None:
    one = ackclock.compare(["reno"], "two-megabit", seeds=[1, 2], settings={"duration": "2 s"})
    other = ackclock.compare(["cubic"], "two-megabit", seeds=[2, 3], settings={"duration": "2 s"})
    both = joined({"one": one, "other": other})
    assert (both.labels, both.seeds) == (("reno", "cubic"), (2,))
    with pytest.raises(InputError, match="no seed in common"):
        joined({"one": one, "other": ackclock.compare(["vegas"], "two-megabit", seeds=[9])})
    with pytest.raises(InputError, match="other: found other links than in one"):
        joined({"one": one, "other": ackclock.compare(["vegas"], "parking-lot", seeds=[1], settings=SHORT)})
