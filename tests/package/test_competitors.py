"""Algorithms of a user in the experiments of a paper: `--with`."""

import sys
from pathlib import Path

import polars as pl
import pytest

import ackclock
from ackclock import cli, papers
from ackclock.errors import InputError
from ackclock.papers.competitors import competitors

CLAIMS = """
[paper]
key = "race"
title = "A race"
authors = "A. Nonymous"

[[claim]]
id = "order"
class = "paper"
place = "1"
statement = "Reno fills the link."
kind = "range"
expected = [900, 1000]
unit = "kbit/s"
why = "It is alone."
"""
MEASURE = """
import polars as pl
from ackclock.papers import Values

PARTS = ("race", "other")
COMPARES = ("race",)


def measure(context):
    assert context.parts in (("race",), ())
    variants = context.with_competitors({"reno": "sack+reno(limit=1)"}, "sack+reno(limit=1)")
    race = context.compare(variants, context.scenario("link"))
    rate = {one.label: float(one.flows["goodput_bit_per_s"][0]) / 1e3 for one in race.results}
    as_run = {}
    for label, spec in variants.items():
        alone = context.run(context.scenario("link", {"tcp.algorithm": spec}))
        as_run[label] = alone.flows["algorithm"][0]
    rows = [{"algorithm": label, "kbit/s": rate[label], "as": as_run[label]} for label in variants]
    context.answer("The race", pl.DataFrame(rows))
    return {"order": Values([rate["reno"]])}
"""
LINK = """
name = "link"
duration = "5 s"
topology.dumbbell.bottleneck = { rate = "1 Mbit/s", delay = "5 ms", buffer = "20 packets" }
topology.dumbbell.access = { rate = "10 Mbit/s", delay = "1 ms" }
[[flow]]
name = "one"
"""
HALF = """
class Half:
    def __init__(self, start):
        self.cwnd = start.initial_window

    def on_ack(self, ack):
        self.cwnd += ack.delivered / 2 if ack.may_grow else 0.0

    def on_congestion(self, event):
        self.cwnd = max(event.flight / 2, 1.0)
"""


@pytest.fixture
def race(tmp_path: Path) -> Path:
    folder = tmp_path / "race"
    (folder / "scenarios").mkdir(parents=True)
    (folder / "claims.toml").write_text(CLAIMS)
    (folder / "reproduce.py").write_text(MEASURE)
    (folder / "scenarios" / "link.toml").write_text(LINK)
    (tmp_path / "half.py").write_text(HALF)
    return folder


@pytest.mark.parametrize(
    ("named", "standard", "spec"),
    [
        ("btcp(f=4)", "newreno+reno(limit=1)", "newreno+btcp(f=4)+reno(limit=1)"),
        ("btcp(f=4)", "rack+hystart+cubic", "rack+btcp(f=4)+cubic"),
        ("htcp", "rack+hystart+cubic", "rack+hystart+htcp"),
        ("tahoe+htcp", "sack+reno(limit=1)", "tahoe+htcp"),
        ("hystart+cubic", "sack+reno(limit=1)", "sack+hystart+cubic"),
        ("bbr3", "sack+reno(limit=1)", "sack+bbr3"),
        ("newreno", "sack+reno(limit=1)", "newreno"),
    ],
)
def test_a_competitor_takes_the_place_of_the_parts_that_it_names(
    named: str, standard: str, spec: str
) -> None:
    (one,) = competitors([named])
    assert one.in_place_of(standard) == spec
    assert ackclock.run(LINKED, settings={"duration": "100 ms"}, algorithm=spec).flows.height == 1


LINKED = {
    "name": "linked",
    "duration": "1 s",
    "topology": {
        "dumbbell": {
            "bottleneck": {"rate": "1 Mbit/s", "delay": "5 ms"},
            "access": {"rate": "10 Mbit/s", "delay": "1 ms"},
        }
    },
    "flow": [{"name": "one"}],
}


def test_a_transport_of_the_experiment_stays() -> None:
    standard = "acknak+limited-mesonet(max_ssthresh=100)+reno(limit=1)"
    (one,) = competitors(["sack+cubic"])
    assert one.in_place_of(standard, over="acknak") == "acknak+limited-mesonet(max_ssthresh=100)+cubic"


def test_competitors_stand_beside_the_papers_algorithms(race: Path, tmp_path: Path) -> None:
    plain = ackclock.reproduce(race)
    found = ackclock.reproduce(race, algorithms=["cubic", f"{tmp_path}/half.py:Half"])
    assert (found.parts, found.competitors, plain.answers) == (("race",), ("cubic", "half"), {})
    table = found.answers["The race"]
    assert table["algorithm"].to_list() == ["reno", "cubic", "half"]
    assert table["as"].to_list() == ["sack+reno(limit=1)", "sack+cubic", "sack+half"]
    assert min(table["kbit/s"].to_list()) > 500
    assert found.verdicts[0].measured == plain.verdicts[0].measured, "no claim is about them"


def test_an_algorithm_of_the_callers_own_competes(race: Path) -> None:
    space: dict[str, type] = {}
    exec(HALF, space)  # noqa: S102 - as in a notebook
    found = ackclock.reproduce(race, algorithms=[space["Half"]])
    assert found.answers["The race"]["algorithm"].to_list() == ["reno", "half"]


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit status of `ackclock reproduce` with these arguments."""
    monkeypatch.setattr(sys, "argv", ["ackclock", "reproduce", *arguments])
    try:
        cli.main()
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


def test_each_part_has_a_folder_of_its_own(
    race: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in (["--part", "race"], ["--part", "race", "--with", "cubic"]):
        assert called(monkeypatch, str(race), *arguments) == 0
    assert [folder.name for folder in sorted((tmp_path / "results/papers").iterdir())] == [
        "race-race",
        "race-with-race",
    ]


def test_the_command_prints_and_keeps_the_tables(
    race: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    assert called(monkeypatch, str(race), "--with", "cubic", "--output", str(folder)) == 0
    assert "cubic" in capsys.readouterr().out
    assert "The race" in (folder / "report.html").read_text()
    again = papers.judged_again(papers.load_paper(race), folder)
    assert again.competitors == ("cubic",)
    assert again.answers["The race"].equals(pl.DataFrame(again.answers["The race"].to_dicts()))


def test_what_cannot_compete_is_refused(
    race: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match='--with reno: race has an algorithm "reno" already'):
        ackclock.reproduce(race, algorithms=["reno"])
    (race / "reproduce.py").write_text(MEASURE.replace("COMPARES =", "OTHER ="))
    with pytest.raises(InputError, match="no experiment of this paper takes further algorithms"):
        ackclock.reproduce(race, algorithms=["cubic"])
    assert called(monkeypatch, "all", "--with", "cubic") == 2
    assert called(monkeypatch, str(race), "--with", "cubic", "--from", "nowhere") == 2
    assert called(monkeypatch, str(race), "--with", "cubik") == 2
    assert "cubik" in capsys.readouterr().err
