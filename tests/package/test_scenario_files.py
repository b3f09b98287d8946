"""Tables next to scenarios: found where they belong, and copied permanently."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import ackclock

SCENARIO = """
name = "tables"
duration = "20 s"
[topology.dumbbell]
pairs = 2
bottleneck = { rate = "5 Mbit/s", delay = "10 ms", buffer = "20 packets" }
access = { rate = "50 Mbit/s", delay = "2 ms" }
[[flow]]
count = 40
size = { table = { file = "sizes.csv" } }
start_jitter = "5 s"
[[flow]]
name = "given"
packets = 3
arrivals = { file = "starts.csv" }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tables.toml").write_text(SCENARIO)
    (tmp_path / "sizes.csv").write_text("size_packets,weight\n3,2\n40,1\n")
    (tmp_path / "starts.csv").write_text("start_s\n1\n2.5\n")
    return tmp_path


def test_files_are_looked_up_beside_the_scenario(folder: Path) -> None:
    result = ackclock.run(folder / "tables.toml")
    assert set(result.flows["packets_delivered"][:40]) == {3, 40}
    assert result.flows["start_s"][40:].to_list() == [1.0, 2.5]


def test_a_saved_scenario_needs_no_other_file(folder: Path) -> None:
    saved = ackclock.run(folder / "tables.toml").save(folder / "results", report=False) / "scenario.toml"
    for table in folder.glob("*.csv"):
        table.unlink()
    again = ackclock.run(saved)
    assert again.scenario.flow_count == 42
    assert "sizes.csv" not in saved.read_text()


def test_names_that_come_with_settings_count_from_the_working_directory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "large.csv").write_text("size_packets\n7\n")
    monkeypatch.chdir(folder / "elsewhere")
    value = '{ table = { file = "large.csv" } }'
    scenario = ackclock.load_scenario(folder / "tables.toml", {"flow.0.size": value})
    assert json.loads(scenario.to_json())["flow"][0]["size"] == {"table": {"packets": [7]}}


@pytest.mark.parametrize(
    ("file", "text", "parts"),
    [
        ("sizes.csv", None, ["flow.0.size.table.file", "there is no such file"]),
        ("sizes.csv", "size_packets\nx\n", ["flow.0.size.table.file", "sizes.csv, line 2", '"x"']),
        ("sizes.csv", "size_packets,wieght\n3,4\n", ["line 1", 'did you mean "weight"?']),
        ("starts.csv", "\xff", ["flow.1.arrivals.file", "UTF-8"]),
    ],
)
def test_mistakes_name_scenario_key_file_and_line(
    folder: Path, file: str, text: str | None, parts: list[str]
) -> None:
    if text is None:
        (folder / file).rename(folder / "size.csv")
        parts = [*parts, 'did you mean "size.csv"?']
    else:
        (folder / file).write_bytes(text.encode("latin-1"))
    with pytest.raises(ackclock.ScenarioError) as caught:
        ackclock.load_scenario(folder / "tables.toml")
    assert caught.value.file == str(folder / "tables.toml")
    for part in parts:
        assert part in str(caught.value)


def test_a_scenario_travels_with_its_files_and_the_names_of_classes(folder: Path) -> None:
    own = ackclock.load_scenario(folder / "tables.toml").with_custom(["mine"])
    sent = pickle.loads(pickle.dumps(own))  # noqa: S301 - as it travels to a worker
    assert (sent, sent.folder) == (own, folder)
    assert sent.with_value("tcp.algorithm", "mine").algorithm_names() == ["mine"]
