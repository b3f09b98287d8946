"""Every pair on one bottleneck: what the literature knows, harm, resuming, errors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import ackclock
from ackclock.cli import app
from ackclock.errors import InputError
from ackclock.evaluation import coexistence_figures
from ackclock.evaluation.coexistence import HARMS, Coexistence, Setting, coexist
from ackclock.evaluation.coexistence_documents import sentence
from ackclock.evaluation.criterion import Measure
from ackclock.evaluation.harm import harm
from ackclock.evaluation.verdict import BETTER, MUCH_WORSE, SAME, WORSE, Thresholds

RENO = "rack+reno"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Coexistence:
    store = tmp_path_factory.mktemp("coexistence") / "store"
    setting = Setting(buffers_bdp=(0.2, 2))
    return coexist([RENO, "vegas", "bbr1"], store, setting=setting, quick=True, seeds=10)


def test_vegas_starves_beside_reno(found: Coexistence) -> None:
    pair = found.pair("vegas", RENO, 2)
    assert pair.share.high < 0.25, "less than half of its fair half"
    assert pair.harm["goodput"].verdict == MUCH_WORSE
    assert pair.harm["delay_95_s"].verdict == MUCH_WORSE, "Reno fills the buffer that Vegas leaves empty"


def test_a_heat_map_has_no_panel_without_a_buffer(
    found: Coexistence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(coexistence_figures, "CELLS", 6)
    three = replace(found, setting=replace(found.setting, buffers_bdp=(0.2, 2, 0.2)))
    panels = coexistence_figures.share_map(three).axes
    assert [panel.get_title(loc="left") for panel in panels if panel.get_visible()] == [
        "buffer 0.2 BDP",
        "buffer 2 BDP",
        "buffer 0.2 BDP",
    ]


@pytest.mark.parametrize("buffer", [0.2, 2])
def test_reno_beside_reno_has_half_and_no_harm(found: Coexistence, buffer: float) -> None:
    pair = found.pair(RENO, RENO, buffer)
    assert 0.5 in pair.share
    assert [each.interval.estimate for each in pair.harm.values()] == [0, 0, 0]
    assert {each.verdict for each in pair.harm.values()} == {SAME}


def test_against_the_link_to_itself_an_equal_takes_half(found: Coexistence) -> None:
    alone = found.pair(RENO, RENO, 2).harm_alone["goodput"].interval
    assert alone.low < 0.5 < alone.high
    assert alone.estimate == pytest.approx(0.5, abs=0.05)


def test_bbr_1_harms_reno_in_a_shallow_buffer(found: Coexistence) -> None:
    shallow, deep = found.pair(RENO, "bbr1", 0.2), found.pair(RENO, "bbr1", 2)
    assert shallow.harm["goodput"].verdict == MUCH_WORSE
    # The harm by losses is 0.43 (0.33 to 0.52), around the bound of "much worse".
    assert shallow.harm["loss"].verdict == WORSE
    assert shallow.share.high < 0.1
    assert deep.harm["goodput"].interval.estimate < shallow.harm["goodput"].interval.estimate


def test_of_two_on_a_link_what_one_gets_the_other_does_not(found: Coexistence) -> None:
    """Whoever comes first: in a deep buffer the shares of either order add up to one, about."""
    first, second = found.pair(RENO, "vegas", 2).share, found.pair("vegas", RENO, 2).share
    assert first.estimate + second.estimate == pytest.approx(1, abs=0.1)


RATE = Measure("rate", "rate", "", 1, 0, "higher", 0.0)
DELAY = Measure("delay", "delay", "", 1, 0, "lower", 0.0)


@pytest.mark.parametrize(
    ("measure", "beside", "baseline", "expected", "verdict"),
    [
        (RATE, 2.0, 8.0, 0.75, MUCH_WORSE),  # (x - y) / x
        (RATE, 6.0, 8.0, 0.25, WORSE),
        (RATE, 16.0, 8.0, -1.0, BETTER),
        (DELAY, 40.0, 10.0, 0.75, MUCH_WORSE),  # (y - x) / y
        (DELAY, 10.0, 40.0, -3.0, BETTER),
        (DELAY, 10.0, 10.0, 0.0, SAME),
    ],
)
def test_harm_is_that_of_ware_and_others(
    measure: Measure, beside: float, baseline: float, expected: float, verdict: str
) -> None:
    outcome = harm(measure, {1: beside, 2: beside}, {1: baseline, 2: baseline}, Thresholds())
    assert outcome.interval.estimate == pytest.approx(expected)
    assert outcome.verdict == verdict


def test_one_seed_decides_no_class() -> None:
    outcome = harm(RATE, {1: 2.0}, {1: 8.0}, Thresholds())
    assert outcome.interval.estimate == pytest.approx(0.75)
    assert outcome.verdict == SAME


def test_the_sentence_claims_nothing_for_one_seed_and_further_seeds_reuse_it(tmp_path: Path) -> None:
    setting = Setting(rate_mbit_per_s=5, buffers_bdp=(2,), flows=1)
    one = coexist([RENO, "vegas"], tmp_path / "store", setting=setting, quick=True, seeds=1)
    assert "decides no class" in sentence(one, HARMS[0])
    three = coexist([RENO, "vegas"], tmp_path / "store", setting=setting, quick=True, seeds=3)
    assert three.new_runs == 12, "two more seeds of six runs each: the first is in the store"
    assert sentence(three, HARMS[0]).startswith(f"{RENO} harms vegas most")


class Timid:
    """Two packets per round trip."""

    cwnd = 2.0

    def __init__(self, start: Any) -> None:
        """Begins with its own window."""

    def on_ack(self, ack: Any) -> None:
        """Takes no notice."""

    def on_congestion(self, event: Any) -> None:
        """Takes no notice."""


def test_a_python_class_is_incumbent_and_newcomer(tmp_path: Path) -> None:
    setting = Setting(rate_mbit_per_s=5, buffers_bdp=(1,), flows=1)
    small = ackclock.coexist([Timid, "cubic"], tmp_path / "store", setting=setting, quick=True, seeds=2)
    assert small.pair("timid", "cubic", 1).share.high < 0.3
    assert small.pair("cubic", "timid", 1).harm["goodput"].interval.estimate < 0


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


SMALL = [
    "coexist",
    RENO,
    "vegas",
    "--quick",
    "--seeds",
    "2",
    "--flows",
    "1",
    "--buffer",
    "1",
    "--rate",
    "4 Mbit/s",
]


def test_the_command_writes_everything_and_resumes(in_folder: Path) -> None:
    runner = CliRunner()
    first = runner.invoke(app, [*SMALL, "--json"])
    assert first.exit_code == 0, first.output
    document = json.loads(first.stdout)
    assert document["schema"] == "ackclock-coexistence/1"
    order = [(pair["incumbent"], pair["newcomer"]) for pair in document["pairs"]]
    assert order == [(RENO, RENO), (RENO, "vegas"), ("vegas", RENO), ("vegas", "vegas")]
    folder = in_folder / "results" / "rack-reno-vegas-coexistence"
    for name in (
        "report.html",
        "coexistence.json",
        "coexistence.md",
        "coexistence.tex",
        "provenance.json",
        "figures/share.svg",
        "figures/loss.svg",
    ):
        assert (folder / name).is_file()
    assert ackclock.run(folder / document["pairs"][1]["scenario"]).conserved
    before = (folder / "coexistence.json").read_bytes()
    stored = sorted(file.name for file in (folder / "store").iterdir())
    again = runner.invoke(app, SMALL)
    assert again.exit_code == 0, again.output
    assert "Share of the incumbents" in again.output
    assert (folder / "coexistence.json").read_bytes() == before
    assert sorted(file.name for file in (folder / "store").iterdir()) == stored, "nothing was run twice"


def test_the_folder_has_the_source_of_a_class_and_the_tables_as_text(in_folder: Path) -> None:
    source = (
        "class Mine:\n    def __init__(self, start): self.cwnd = start.initial_window\n"
        "    def on_ack(self, ack): ...\n    def on_congestion(self, event): ...\n"
    )
    (in_folder / "mine.py").write_text(source, encoding="utf-8")
    command = ["mine.py:Mine" if each == "vegas" else each for each in SMALL]
    done = CliRunner().invoke(app, [*command, "--output", "out"])
    assert done.exit_code == 0, done.output
    assert (in_folder / "out" / "algorithms" / "1" / "mine.py").read_text(encoding="utf-8") == source
    provenance = json.loads((in_folder / "out" / "provenance.json").read_text(encoding="utf-8"))
    assert list(provenance["result"]["classes"]) == ["mine"]
    alone = ackclock.run(in_folder / "out" / "scenarios" / "2.toml")
    assert "mine" in alone.scenario.to_toml(), "the scenario of a pair names the class by its file"
    written = (in_folder / "out" / "coexistence.md").read_text(encoding="utf-8")
    document = json.loads((in_folder / "out" / "coexistence.json").read_text(encoding="utf-8"))
    (pair,) = [p for p in document["pairs"] if (p["incumbent"], p["newcomer"]) == (RENO, "mine")]
    assert f"| {RENO} | 1 | " in written
    assert f"{pair['harm']['goodput']['mean']:.2f} (" in written
    assert (in_folder / "out" / "coexistence.tex").read_text(encoding="utf-8").count(r"\toprule") == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["reno"], "at least two algorithms"),
        (["reno", "reno"], "named twice"),
        (["reno", "cubik"], "cubic"),
        (["reno", "cubic", "--rate", "20"], '--rate: found "20"; expected a number and one of kbit/s'),
        (["reno", "cubic", "--rtt", "40 min"], '--rtt: found "40 min"'),
        (["reno", "cubic", "--rate", "0 Mbit/s"], "rate: found 0; expected positive numbers"),
        (["reno", "cubic", "--buffer", "1,deep"], '--buffer: found "deep"'),
        (["reno", "cubic", "--buffer", "1,1"], "buffer: a depth is named twice"),
    ],
)
def test_a_mistake_is_said_and_nothing_is_written(
    arguments: list[str], message: str, in_folder: Path
) -> None:
    outcome = CliRunner().invoke(app, ["coexist", *arguments])
    assert isinstance(outcome.exception, InputError | ackclock.ScenarioError)
    assert message in str(outcome.exception)
    assert not list(in_folder.rglob("*.json"))
    assert not list(in_folder.rglob("store/*"))
