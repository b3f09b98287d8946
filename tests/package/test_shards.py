"""Shards of a sweep: each run is in one of them, and together they are the whole sweep, byte for byte."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import ackclock
from ackclock import cli
from ackclock.errors import InputError
from ackclock.sweeps.shards import Shard

PLAN: dict[str, Any] = {
    "name": "small",
    "scenario": "two-megabit",
    "algorithms": ["newreno", "vegas"],
    "seeds": 2,
    "settings": {"duration": "3 s"},
    "grid": {"topology.dumbbell.bottleneck.buffer": ["3 packets", "12 packets"]},
    "keep": ["flows"],
}
TEXT = """
name = "small"
scenario = "two-megabit"
algorithms = ["newreno", "vegas"]
seeds = 2
keep = ["flows"]

[settings]
duration = "3 s"

[grid]
topology.dumbbell.bottleneck.buffer = ["3 packets", "12 packets"]
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The plan as a file in an empty working directory."""
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "small.toml"
    file.write_text(TEXT, encoding="utf-8")
    return file


def command(*words: str | Path) -> Any:
    return CliRunner().invoke(cli.app, [*map(str, words)])


def test_every_run_is_in_one_part() -> None:
    parts = [Shard(number, 3).part(range(8)) for number in (1, 2, 3)]
    assert sorted(run for part in parts for run in part) == list(range(8))
    assert {len(part) for part in parts} == {2, 3}


def test_a_part_makes_its_runs_alone(tmp_path: Path) -> None:
    whole = ackclock.sweep(PLAN, tmp_path / "whole")
    part = ackclock.sweep(PLAN, tmp_path / "part", shard="2/3")
    assert part.new_runs == 3
    columns = ["point", "label", "seed"]
    assert part.runs.select(columns).rows() == whole.runs.select(columns).rows()[1::3]


def test_merged_parts_have_the_bytes_of_the_whole(plan: Path) -> None:
    for number in (1, 2, 3):
        outcome = command("sweep", plan, "--shard", f"{number}/3")
        assert outcome.exit_code == 0, outcome.output
    parts = sorted(Path("results").glob("small-sweep-*-of-3"))
    assert [part.name for part in parts] == [f"small-sweep-{number}-of-3" for number in (1, 2, 3)]
    assert not any((part / "report.html").exists() for part in parts)
    assert command("merge", plan, *parts, "--output", "merged").exit_code == 0
    assert command("sweep", plan, "--output", "whole", "--no-report").exit_code == 0
    for file in sorted(Path("whole/tables").iterdir()):
        assert file.read_bytes() == Path("merged/tables", file.name).read_bytes(), file.name
    results = [
        json.loads(Path(place, "provenance.json").read_text())["result"] for place in ("merged", "whole")
    ]
    assert results[0] == results[1]
    assert Path("merged/report.html").is_file()


def test_a_merged_sweep_makes_no_run_again(tmp_path: Path) -> None:
    for number in (1, 2):
        ackclock.sweep(PLAN, tmp_path / f"{number}", shard=f"{number}/2")
    ackclock.merge(PLAN, tmp_path / "merged", [tmp_path / "1", tmp_path / "2"])
    assert ackclock.sweep(PLAN, tmp_path / "merged").new_runs == 0
    longer = {**PLAN, "seeds": 3}
    assert ackclock.sweep(longer, tmp_path / "merged").new_runs == 4


def test_parts_may_overlap_and_be_repeated(tmp_path: Path) -> None:
    ackclock.sweep(PLAN, tmp_path / "half", shard="1/2")
    ackclock.sweep(PLAN, tmp_path / "whole")
    done = ackclock.merge(
        PLAN, tmp_path / "merged", [tmp_path / "half", tmp_path / "whole", tmp_path / "half"]
    )
    assert done.runs.height == done.runs.unique(["point", "label", "seed"]).height == 8


def test_a_missing_part_is_said(plan: Path) -> None:
    assert command("sweep", plan, "--shard", "1/2").exit_code == 0
    with pytest.raises(
        InputError,
        match=r"4 of 8 runs are in none of these stores, the first of them .*3 packets.*newreno, seed 2",
    ):
        ackclock.merge(plan, "merged", ["results/small-sweep-1-of-2/store"])
    with pytest.raises(InputError, match=r"elsewhere.*holds no runs of a sweep"):
        ackclock.merge(plan, "merged", ["elsewhere/store"])


@pytest.mark.parametrize("text", ["0/4", "5/4", "3", "a/b", "1/0", "-1/4"])
def test_a_part_that_does_not_exist_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f'shard: found "{text}"; expected a part and the number of parts'):
        ackclock.sweep(PLAN, tmp_path, shard=text)


def test_more_parts_than_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="shard: found 9/9; expected one of at most 8 parts"):
        ackclock.sweep(PLAN, tmp_path, shard="9/9")


def test_the_parts_of_a_design_whose_points_are_equal_are_whole(tmp_path: Path) -> None:
    plan = {
        **PLAN,
        "grid": {},
        "keep": [],
        "cases": {"same": {"one": {"tcp.segments_per_ack": 1}, "two": {"tcp.segments_per_ack": 1}}},
    }
    for number in (1, 2):
        ackclock.sweep(plan, tmp_path / f"{number}", shard=f"{number}/2")
    done = ackclock.merge(plan, tmp_path / "merged", [tmp_path / "1", tmp_path / "2"])
    assert done.runs.height == 8
    values = done.runs.filter(pl.col("same") == "one")["goodput_bit_per_s"]
    assert values.equals(done.runs.filter(pl.col("same") == "two")["goodput_bit_per_s"], check_names=False)
