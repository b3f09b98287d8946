"""Own congestion controls of calls: a class in a file, its facts, and the sentences about its mistakes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli import app
from ackclock.errors import InputError

STEADY = """
class Steady:
    def __init__(self, start):
        self.target = 800e3
        self.pacing = 1.6e6

    def on_report(self, report):
        pass
"""


def network(algorithm: str, **call: object) -> dict[str, object]:
    link = {"from": "a", "to": "b", "rate": "10 Mbit/s", "delay": "10 ms"}
    return {
        "name": "own",
        "duration": "10 s",
        "topology": {"graph": {"link": [link]}},
        "call": [{"from": "a", "to": "b", "algorithm": algorithm, "packet": "1000 bytes", **call}],
    }


def written(folder: Path) -> Path:
    (folder / "steady.py").write_text(STEADY)
    path = folder / "own.toml"
    path.write_text(
        'name = "own"\nduration = "10 s"\n'
        '[[topology.graph.link]]\nfrom = "a"\nto = "b"\nrate = "10 Mbit/s"\ndelay = "10 ms"\n'
        '[[call]]\nfrom = "a"\nto = "b"\nalgorithm = "steady.py:Steady"\npacket = "1000 bytes"\n'
    )
    return path


def test_a_class_in_a_file_does_what_the_built_in_one_does(tmp_path: Path) -> None:
    own = ackclock.run(written(tmp_path))
    same = ackclock.run(network("constant(rate=800000)"))
    assert own.calls.equals(same.calls)
    assert list(own.flows["algorithm"]) == ["steady.py:Steady"]


def test_the_facts_of_a_call_by_hand() -> None:
    """800 kbit/s at 25 frames a second: four packets of 1000 bytes a frame; 10.8 ms of delay each."""
    told: dict[str, list[Any]] = {"start": [], "report": [], "frame": []}

    class Steady:
        feedback_interval = 0.2

        def __init__(self, start: Any) -> None:
            told["start"].append(start)
            self.target, self.pacing = 800e3, 1.6e6

        def on_report(self, report: Any) -> None:
            told["report"].append(report)

        def on_frame(self, frame: Any) -> None:
            told["frame"].append(frame)

        def observe(self) -> dict[str, float]:
            return {"reports": len(told["report"])}

    result = ackclock.run(network("own", frame_rate=25, ecn="ect1"), algorithms={"own": Steady}, series=True)
    (start,) = told["start"]
    assert (start.min_rate, start.max_rate, start.initial_rate, start.mss) == (150e3, 1.5e6, 150e3, 1000)
    assert (start.frame_period, start.l4s) == (0.04, True)
    assert 47 <= len(told["report"]) <= 50
    report = told["report"][5]
    first, last = report.packets[0], report.packets[-1]
    assert last.sequence - first.sequence + 1 == len(report.packets) == 20
    assert all(packet.size == 1000 and not packet.marked for packet in report.packets)
    # Arrivals have units of 1/1024 s, rounded down.
    assert 0.0108 - 1 / 1024 <= first.arrived - first.sent <= 0.0108
    assert 0.0208 - 1 / 1024 <= report.rtt <= 0.0208 + 2 / 1024
    frame = told["frame"][3]
    assert (frame.size, frame.queued, frame.queued_bytes) == (4000, 0.0, 4000)
    assert frame.now == pytest.approx(0.12)
    assert "reports" in set(result.gauges["name"])


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("target = 0.0", "target, after on_report"),
        ("target = None", "the encoder's rate in bit/s"),
        ("pacing = 'fast'", "pacing, after on_report"),
        ("window = -1.0", "that is not negative, in bytes"),
    ],
)
def test_a_wrong_answer_is_one_sentence(body: str, sentence: str) -> None:
    name, _, value = body.partition(" = ")

    class Wrong:
        target = 500e3

        def on_report(self, report: Any) -> None:  # noqa: ARG002 - its interface
            setattr(self, name, eval(value))  # noqa: S307 - of this test

    with pytest.raises(InputError, match=sentence):
        ackclock.run(network("wrong"), algorithms={"wrong": Wrong})


def test_a_class_without_reports_is_refused() -> None:
    class Deaf:
        target = 500e3

    with pytest.raises(InputError, match="it has no on_report"):
        ackclock.run(network("deaf"), algorithms={"deaf": Deaf})


def test_its_own_exception_reaches_the_caller() -> None:
    class Broken:
        target = 500e3

        def on_report(self, report: Any) -> None:
            raise ZeroDivisionError(report.now)

    with pytest.raises(ZeroDivisionError):
        ackclock.run(network("broken"), algorithms={"broken": Broken})


def test_an_unknown_name_and_a_missing_class_name_the_key(tmp_path: Path) -> None:
    with pytest.raises(ackclock.ScenarioError, match=r"call\.0\.algorithm.*nada"):
        ackclock.run(network("nadar"))
    path = written(tmp_path)
    path.write_text(path.read_text().replace(":Steady", ":Stedy"))
    with pytest.raises(InputError, match='no class is named "Stedy"; did you mean "Steady"'):
        ackclock.run(path)


def test_a_class_is_evaluated_like_a_built_in_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = [
        "evaluate",
        "steady.py:Steady",
        "--quick",
        "--seeds",
        "1",
        "--only",
        "competing-calls",
        "--against",
        "",
    ]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    folder = tmp_path / "results" / "steady-rmcat"
    assert (folder / "algorithm" / "steady.py").read_text() == STEADY
