"""The numbers of the course's solutions are those of the simulation, and of their own calculation."""

import math
import re
from pathlib import Path

import pytest

import ackclock

REPOSITORY = Path(__file__).resolve().parents[2]
SOLUTIONS = REPOSITORY / "course" / "solutions"
PAGE = (REPOSITORY / "docs" / "course.md").read_text(encoding="utf-8")
BOTTLENECK = "topology.dumbbell.bottleneck"

pytestmark = pytest.mark.skipif(not SOLUTIONS.is_dir(), reason="the solutions are left out")


def rows(number: int) -> dict[str, list[float]]:
    """The rows of a solution's table of numbers, by their first cells."""
    text = (SOLUTIONS / f"{number}.md").read_text(encoding="utf-8")
    cells = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")][2:]
    return {first.strip(): [float(cell) for cell in rest] for first, *rest in cells}


def utilisation(buffer: float) -> float:
    """Of a window that rises by a packet per round trip, and halves as it reaches the path and the buffer."""
    bottom, top = max(1.0, (1 + buffer) / 2), 1 + buffer
    least = (1 + buffer) / 2
    idle = max(0.0, 1 - least)
    full = (top**2 - bottom**2) / 2
    return ((1 - min(least, 1.0) ** 2) / 2 + full) / (idle + full)


@pytest.mark.parametrize(("buffer", "row"), rows(1).items() if SOLUTIONS.is_dir() else [])
def test_the_utilisation_is_simulated_and_calculated(buffer: str, row: list[float]) -> None:
    share = float(buffer.removesuffix(" %")) / 100
    scenario = ackclock.load_scenario("single-flow", {f"{BOTTLENECK}.buffer": f"{share:.0%} bdp"})
    links = ackclock.run(scenario, algorithm="rack+reno").tables["links"]
    found = dict(zip(links["name"], links["utilisation"], strict=True))["left->right"] * 100
    simulated, calculated = row
    assert simulated == pytest.approx(found, abs=0.05)
    assert calculated == pytest.approx(utilisation(share) * 100, abs=0.05)
    assert simulated == pytest.approx(calculated, abs=0.3)


@pytest.mark.parametrize(("loss", "row"), rows(2).items() if SOLUTIONS.is_dir() else [])
def test_the_window_follows_the_loss_rate(loss: str, row: list[float]) -> None:
    rate = float(loss.removesuffix(" %")) / 100
    settings = {
        f"{BOTTLENECK}.loss.bernoulli": str(rate),
        f"{BOTTLENECK}.rate": "1 Gbit/s",
        "topology.dumbbell.access.rate": "1 Gbit/s",
    }
    flows = ackclock.run(ackclock.load_scenario("single-flow", settings), algorithm="rack+reno").flows
    window, formula, deviation = row
    assert window == pytest.approx(flows["mean_cwnd_packets"][0], abs=0.05)
    assert formula == pytest.approx(math.sqrt(1.5 / rate), abs=0.05)
    assert deviation == round((window / formula - 1) * 100)


@pytest.mark.parametrize(("queue", "row"), rows(3).items() if SOLUTIONS.is_dir() else [])
def test_the_delays_of_the_call(queue: str, row: list[float]) -> None:
    scenario = ackclock.load_scenario("call-beside-download", {"topology.graph.link.0.queue": queue})
    found = []
    for algorithm in (None, "bbr3"):
        result = ackclock.run(scenario, algorithm=algorithm)
        name = result.flows["name"][result.tables["calls"]["flow"][0]]
        assert name == "hear"
        delay = result.tables["calls"]["delay_p95_s"][0] * 1e3
        found += [delay, result.flows["goodput_bit_per_s"][0] / 1e6]
    assert row == pytest.approx(found, abs=0.051)


def test_every_exercise_has_a_solution_and_the_points_are_a_hundred() -> None:
    exercises = re.findall(r"^### (\d)\. .*\((\d+) points\)$", PAGE, re.MULTILINE)
    assert [int(number) for number, _ in exercises] == [1, 2, 3, 4, 5]
    assert sum(int(points) for _, points in exercises) == 100
    for number, points in exercises:
        section = PAGE.partition(f"### {number}. ")[2].partition("\n### ")[0].partition("\n## ")[0]
        given = re.findall(r"\((\d+)(?: points)?(?:: [^)]*)?\)", section.partition("Hand in")[2])
        assert sum(map(int, given)) == int(points), number
        assert (SOLUTIONS / f"{number}.md").is_file()
