"""The chart in characters above the table of a comparison."""

import io
from pathlib import Path

import pytest
from rich.console import Console

import ackclock
from ackclock.cli.bars import WIDTH, bars, can_draw
from ackclock.scenarios.defaults import ALGORITHMS, SCENARIO

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.fixture(scope="module")
def race() -> ackclock.Comparison:
    return ackclock.compare(ALGORITHMS, SCENARIO)


def drawn(race: ackclock.Comparison) -> list[str]:
    terminal = Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None)
    chart = bars(race)
    assert chart is not None
    with terminal.capture() as captured:
        terminal.print(chart)
    return captured.get().splitlines()


def test_bars_are_as_long_as_the_means(race: ackclock.Comparison) -> None:
    _, *lines = drawn(race)
    means = {
        (row["label"], row["metric"]): row["mean"]
        for row in race.summary.iter_rows(named=True)
        if row["metric"] == "call_delay_s"
    }
    largest = max(means.values())
    assert [line.split()[0] for line in lines] == list(ALGORITHMS)
    for line in lines:
        label = line.split()[0]
        second = line[line.index("█") + WIDTH :]
        whole = second.count("█")
        assert whole == int(WIDTH * means[label, "call_delay_s"] / largest)


def test_the_readme_shows_what_the_first_command_prints(race: ackclock.Comparison) -> None:
    shown = {line.rstrip() for line in README.read_text(encoding="utf-8").splitlines()}
    assert not {line.rstrip() for line in drawn(race)} - shown


def test_a_chart_names_its_metrics_with_units(race: ackclock.Comparison) -> None:
    heading, *_ = drawn(race)
    assert "Goodput [Mbit/s]" in heading
    assert "Call delay, 95 % [ms]" in heading


@pytest.mark.parametrize(
    ("terminal", "possible"),
    [
        (Console(file=io.StringIO(), width=100, force_terminal=True), True),
        (Console(file=io.StringIO(), width=60, force_terminal=True), False),
        (Console(file=io.StringIO(), width=100), False),
        (Console(file=io.TextIOWrapper(io.BytesIO(), "latin-1"), width=100, force_terminal=True), False),
    ],
)
def test_bars_need_a_wide_terminal_with_blocks(terminal: Console, possible: bool) -> None:
    assert can_draw(terminal) is possible
