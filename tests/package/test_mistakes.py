"""Mistakes on the command line, in files and in Python: each is one sentence, and nothing is written."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

import ackclock
from ackclock import cli
from ackclock.errors import InputError, OutputError, ScenarioError

SCENARIO = """name = "net"
duration = "5 s"
[topology.dumbbell]
bottleneck = { rate = "1 Mbit/s", delay = "10 ms", buffer = "10 packets" }
access = { rate = "10 Mbit/s", delay = "1 ms" }
[[flow]]
"""

FILES = {
    "net.toml": SCENARIO,
    "gentle.py": "class Gentle:\n    pass\n",
    "empty.py": "\n",
    "broken.py": "class Gentle(:\n",
    "thresholds.toml": "wurse = 5\n",
    "thesis/chapter.tex": "years of work\n",
}

BOTTLENECK = "topology.dumbbell.bottleneck"

LONGEST_SENTENCE = 420


def mistakes() -> list[tuple[str, str, list[str]]]:
    """The kind, the input and the parts of the sentence of each line of the table."""
    lines = Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8").splitlines()
    rows = [re.split(r" \| ", line) for line in lines if line and not line.startswith("#")]
    return [(kind, given.replace("\\n", "\n"), parts.split(" & ")) for kind, given, parts in rows]


ROWS = mistakes()


def test_there_are_two_hundred() -> None:
    assert len(ROWS) >= 200
    assert len({(kind, given) for kind, given, _ in ROWS}) == len(ROWS)


def words_of(kind: str, given: str, folder: Path) -> list[str]:
    """The words of the command line, and the files that it reads."""
    if kind == "cli":
        return shlex.split(given)
    if kind == "set":
        return ["run", "net.toml", "--set", given]
    if kind == "toml":
        before, after = (part.strip() for part in f"{given} ".split("=> "))
        assert before in SCENARIO
        (folder / "net.toml").write_text(SCENARIO.replace(before, after, 1), encoding="utf-8")
        return ["run", "net.toml"]
    if kind == "plan":
        default = "" if given.startswith("algorithms") else 'algorithms = ["reno"]\n'
        text = f'scenario = "net.toml"\n{default}{given}\n'
        (folder / "plan.toml").write_text(text, encoding="utf-8")
        return ["sweep", "plan.toml"]
    if kind == "csv":
        (folder / "drive.csv").write_text(given, encoding="utf-8")
        link = SCENARIO.replace('rate = "1 Mbit/s"', 'schedule = { file = "drive.csv" }')
    else:
        (folder / "drive.down").write_text(given, encoding="utf-8")
        link = SCENARIO.replace('rate = "1 Mbit/s"', 'rate = { trace = "drive.down" }')
    (folder / "net.toml").write_text(link, encoding="utf-8")
    return ["run", "net.toml"]


@pytest.mark.parametrize(("kind", "given", "parts"), ROWS, ids=[f"{row[0]}: {row[1]}" for row in ROWS])
def test_a_mistake_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    given: str,
    parts: list[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    if kind == "python":
        if "gym" in given:
            pytest.importorskip("gymnasium")
        with pytest.raises((InputError, ScenarioError, OutputError)) as error:
            eval(given, {"ackclock": ackclock})  # noqa: S307 - the table next to this file
        said = str(error.value)
    else:
        words = words_of(kind, given, tmp_path)
        before = sorted(tmp_path.rglob("*"))
        monkeypatch.setattr(sys, "argv", ["ackclock", *words])
        with pytest.raises(SystemExit) as end:
            cli.main()
        out, err = capsys.readouterr()
        assert end.value.code == 2, (out, err)
        assert out == ""
        assert err.startswith("ackclock: ")
        said = err.removeprefix("ackclock: ").removesuffix("\n")
        assert sorted(tmp_path.rglob("*")) == before
    assert [part for part in parts if part not in said] == [], said
    assert "\n" not in said
    assert "Traceback" not in said
    assert len(said) <= LONGEST_SENTENCE
    assert "did you mean" not in said or said.endswith('"?'), "the nearest name stands last"
    assert "did you mean" not in said or "there are" not in said, "and alone"


@pytest.mark.parametrize("kind", ["toml", "plan", "csv", "trace"])
def test_a_byte_order_mark_is_no_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    texts = {"toml": "a", "plan": "", "csv": "time_s,rate_bit_per_s\n0,1000000", "trace": "1\n2\n3"}
    (tmp_path / "net.toml").write_text(SCENARIO, encoding="utf-8")
    if kind != "toml":
        words_of(kind, texts[kind], tmp_path)
    for file in tmp_path.iterdir():
        file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    if kind == "plan":
        assert ackclock.load_plan("plan.toml").runs == 1
    else:
        assert ackclock.load_scenario("net.toml").duration_s == 5


@pytest.mark.parametrize(
    ("table", "rate"),
    [
        ("time_s,rate_kbit_per_s\n0,1500", "1500 kbit/s"),
        ("time_s,rate_mbit_per_s\n0,1.5", "1.5 Mbit/s"),
        ("time_s,rate_Mbit_per_s\n0,1.5", "1.5 Mbit/s"),
        ("time_ms,rate_gbit_per_s\n0,0.0015", "0.0015 Gbit/s"),
        ("time [s],rate [Mbit/s]\n0,1.5", "1.5 Mbit/s"),
        ('"Time (s)","Rate (kbit/s)"\n0,1500', "1500 kbit/s"),
    ],
)
def test_columns_have_the_units_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: str, rate: str
) -> None:
    """Each is a link of 1.5 Mbit/s, and so the same as one of a constant rate."""
    monkeypatch.chdir(tmp_path)
    words_of("csv", table, tmp_path)
    scheduled = ackclock.load_scenario("net.toml")
    assert f'"{rate}"' in scheduled.to_toml()
    (tmp_path / "net.toml").write_text(SCENARIO.replace("1 Mbit/s", "1.5 Mbit/s"), encoding="utf-8")
    constant = ackclock.run("net.toml").flows["goodput_bit_per_s"]
    assert ackclock.run(scheduled).flows["goodput_bit_per_s"].to_list() == constant.to_list()


def test_the_kinds_of_lists_are_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["ackclock", "list"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert not end.value.code
    assert {"algorithms", "queues", "scenarios", "papers"} <= set(capsys.readouterr().out.split())
