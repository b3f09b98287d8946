"""Counted instructions say when a packet became dearer. How many they are is the compiler's business."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from benches import instructions
from benches.cases import UNTUNED, Case
from benches.instructions import RARER, main
from verification import examples


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Counts of a thousand for every case are on record, and nothing is run."""
    file = tmp_path / "instructions.json"
    file.write_text(json.dumps(dict.fromkeys(instructions.SECONDS, 1000)), encoding="utf-8")
    monkeypatch.setattr(instructions, "RECORD", file)
    fast = tmp_path / "as-tests.json"
    fast.write_text(json.dumps(dict.fromkeys(instructions.FAST, 1000)), encoding="utf-8")
    monkeypatch.setattr(instructions, "FAST_RECORD", fast)
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/valgrind")
    return file


def count(monkeypatch: pytest.MonkeyPatch, dear: str, instructions_per_packet: float) -> None:
    def per_packet(case: Case, *, release: bool) -> float:  # noqa: ARG001
        return instructions_per_packet if case.key == dear else 1000.0

    monkeypatch.setattr(instructions, "per_packet", per_packet)


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize("case", instructions.SECONDS)
def test_a_dearer_packet_is_noticed(
    case: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    count(monkeypatch, case, 1010)
    assert main([]) == 0
    count(monkeypatch, case, 1030)
    capsys.readouterr()
    assert main([]) == 1
    assert f"More than recorded: {case}." in capsys.readouterr().out


def test_what_is_meant_is_recorded(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count(monkeypatch, "S10", 1500)
    assert main(["--record"]) == 0
    assert json.loads(record.read_text(encoding="utf-8"))["S10"] == 1500
    assert main([]) == 0


@pytest.mark.usefixtures("record")
def test_a_part_is_counted_on_request(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    count(monkeypatch, "S10", 1060)
    assert main(["--fast"]) == 1
    assert "S10" in capsys.readouterr().out
    assert main(["D10", "bbr3"]) == 0
    assert "S10" not in capsys.readouterr().out
    count(monkeypatch, "RED", 1060)
    assert main(["--fast"]) == 0
    count(monkeypatch, "S10", 1030)
    assert main(["--fast"]) == 0, "another processor counts others"
    assert main(["S10"]) == 1
    with pytest.raises(SystemExit):
        main(["D11"])


def test_a_part_is_counted_as_tests_are_compiled(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count(monkeypatch, "S10", 1500)
    before = record.read_text(encoding="utf-8")
    assert main(["--fast", "--record"]) == 0
    assert json.loads(instructions.FAST_RECORD.read_text(encoding="utf-8"))["S10"] == 1500
    assert record.read_text(encoding="utf-8") == before
    assert main(["--fast"]) == 0


def test_a_part_that_is_recorded_leaves_the_others(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count(monkeypatch, "S10", 1500)
    assert main(["--record", "S10"]) == 0
    assert json.loads(record.read_text(encoding="utf-8")) == {
        **dict.fromkeys(instructions.SECONDS, 1000),
        "S10": 1500,
    }


def test_without_valgrind_nothing_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert main([]) == 0
    assert "not installed" in capsys.readouterr().out


def test_the_rarer_cases_are_of_scenarios_that_are_there() -> None:
    for case in (*RARER, *UNTUNED):
        assert case.path.is_file()
        assert case.network().flows in (1, 10, 20, 30, 60, 100, 1000)


def test_fast_counts_are_of_programs_that_make_test_compiles() -> None:
    made = subprocess.run(
        ["make", "--dry-run", "--always-make", "test-rust"],
        cwd=examples.REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"cargo test {' '.join(examples.AS_TESTS)} " in made


def test_every_rarer_case_is_counted_and_on_record() -> None:
    recorded = json.loads(instructions.RECORD.read_text(encoding="utf-8"))
    assert set(recorded) == set(instructions.SECONDS)
    assert {case.key for case in (*RARER, *UNTUNED)} <= set(recorded)
    fast = json.loads(instructions.FAST_RECORD.read_text(encoding="utf-8"))
    assert list(fast) == list(instructions.FAST)
