"""Terminals of other encodings, full disks, and scenarios from pipes: the right thing, or one sentence."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ackclock

SHORT = ["--no-report", "--duration", "50 ms", "--set", "warm_up=0 s"]
FULL = Path("/dev/full")
ENVIRONMENTS = [
    {"PYTHONIOENCODING": "cp1252"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "ascii"},
]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize(
    "words",
    [
        ["run", "single-flow", *SHORT],
        ["compare", "sack", "cubic", "--seeds", "2", "--scenario", "two-megabit", *SHORT],
        ["list", "papers"],
        ["list", "algorithms", "--json"],
    ],
)
def test_no_encoding_of_a_terminal_is_an_error(
    words: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    call = [sys.executable, "-m", "ackclock", *words]
    done = subprocess.run(call, cwd=tmp_path, env=os.environ | environment, capture_output=True, check=False)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr
    text = done.stdout.decode("cp1252" if "cp1252" in environment.values() else "ascii")
    if "--seeds" in words:
        assert ("±" if "cp1252" in environment.values() else "+-") in text
    if "--json" in words:
        assert json.loads(text)["algorithms"]


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_columns_are_as_wide_as_what_is_printed(environment: dict[str, str], tmp_path: Path) -> None:
    """A sign that the encoding lacks is replaced before the table is laid out, not after."""
    words = ["compare", "sack", "cubic", "--seeds", "2", "--scenario", "two-megabit", *SHORT]
    call = [sys.executable, "-m", "ackclock", *words]
    done = subprocess.run(call, cwd=tmp_path, env=os.environ | environment, capture_output=True, check=True)
    lines = done.stdout.decode("cp1252" if "cp1252" in environment.values() else "ascii").splitlines()
    table = lines[next(number for number, line in enumerate(lines) if line.startswith("+---")) :]
    table = table[: table.index(table[0], 1) + 1]
    assert any(re.search(r"\d (?:±|\+-) \d", row) for row in table)
    assert {len(row) for row in table} == {len(table[0])}, "\n".join(table)


@pytest.mark.skipif(not FULL.exists(), reason="/dev/full is Linux's")
@pytest.mark.parametrize("words", [["run", "single-flow", "--json", *SHORT], ["list", "algorithms"]])
def test_a_full_disk_under_the_output_is_one_sentence(words: list[str], tmp_path: Path) -> None:
    call = [sys.executable, "-m", "ackclock", *words]
    with FULL.open("wb") as full:
        done = subprocess.run(call, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(
        "ackclock: cannot write the output of this command: No space"
    )
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
@pytest.mark.parametrize("how", ["standard input", "pipe"])
def test_scenarios_and_plans_come_from_standard_input_and_pipes(how: str, tmp_path: Path) -> None:
    scenario = ackclock.load_scenario("single-flow").to_toml()
    plan = 'scenario = "single-flow"\n[settings]\nduration = "1 s"\nwarm_up = "0 s"\n'
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for words, text in ((["run", *SHORT], scenario), (["sweep", "--no-report"], plan)):
        name, *options = words
        source = "-" if how == "standard input" else str(pipe)
        call = [sys.executable, "-m", "ackclock", name, source, *options, "--json"]
        with subprocess.Popen(
            call, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as running:
            if how == "pipe":
                pipe.write_text(text, encoding="utf-8")
            output, _ = running.communicate("" if how == "pipe" else text)
        assert running.returncode == 0
        assert json.loads(output)["folder"]


@pytest.mark.skipif(not Path(os.devnull).is_char_device(), reason="needs a device")
def test_a_device_is_read_like_a_file() -> None:
    with pytest.raises(ackclock.ScenarioError, match="missing"):
        ackclock.load_scenario(os.devnull)


def test_one_algorithm_as_a_text_is_one_algorithm() -> None:
    race = ackclock.compare("cubic", "single-flow", settings={"duration": "1 s", "warm_up": "0 s"})
    assert race.labels == ("cubic",)
