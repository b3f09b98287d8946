"""Services in pairs on one bottleneck."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ackclock.cli import app
from ackclock.errors import InputError
from ackclock.evaluation.pairings import Pairings, fair_share, pairings
from ackclock.evaluation.pairings_report import as_markdown, share_map
from ackclock.evaluation.services import service


@pytest.mark.parametrize(
    ("demand", "other", "fair"),
    [
        (8.0, 8.0, 4.0),  # both want all
        (2.5, 8.0, 2.5),  # a call wants less than its half
        (8.0, 2.5, 5.5),  # and leaves the rest to the other
        (10.0, 10.0, 4.0),
        (3.0, 3.0, 3.0),
    ],
)
def test_the_fair_share_is_max_min(demand: float, other: float, fair: float) -> None:
    assert fair_share(8.0, demand, other) == fair


def test_prudentias_example() -> None:
    """A service of at most 10 Mbit/s has 10 of 50 Mbit/s, and the other one 25 + (25 - 10)."""
    assert (fair_share(50, 10, 50), fair_share(50, 50, 10)) == (10, 40)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Pairings:
    services = ["bulk:cubic", "film:cubic", "call:gcc"]
    store = tmp_path_factory.mktemp("store")
    return pairings(services, store=store, rates_mbit_per_s=[3.0], quick=True, seeds=1, workers=1)


def test_two_of_a_kind_share_equally_and_every_pair_is_there(small: Pairings) -> None:
    assert len(small.outcomes) == 9
    own = small.outcomes[3.0, "bulk:cubic", "bulk:cubic"]
    assert own.share.estimate == pytest.approx(1, abs=0.02)
    assert own.fair_bit_per_s == pytest.approx(1.46e6, rel=0.01)  # half of 3 Mbit/s, without headers


def test_a_pair_divides_the_link(small: Pairings) -> None:
    """What both have together is the payload that 3 Mbit/s carry, 2.92 Mbit/s, or less."""
    for mine in small.services:
        for other in small.services:
            both = [small.outcomes[3.0, *pair].goodput_bit_per_s for pair in ((mine, other), (other, mine))]
            assert sum(both) < 2.93e6
    bulk = small.outcomes[3.0, "bulk:cubic", "film:cubic"].goodput_bit_per_s
    film = small.outcomes[3.0, "film:cubic", "bulk:cubic"].goodput_bit_per_s
    assert bulk + film > 2.7e6


def test_tables_and_picture_have_every_service(small: Pairings) -> None:
    text = as_markdown(small)
    assert text.count("| film:cubic |") == 2  # shares, and standstills
    assert text.count("| bulk:cubic |") == 1
    drawn = share_map(small)
    assert [panel.get_title("left") for panel in drawn.axes] == ["3 Mbit/s"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("film", 'found "film"; expected an application and an algorithm'),
        ("flim:cubic", 'did you mean "film"'),
    ],
)
def test_a_service_is_an_application_with_an_algorithm(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        service(text)


def test_the_command_writes_and_prints_the_matrix(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    given = ["call:gcc", "--rates", "5", "--seeds", "1", "--quick", "--json", "-o", str(folder)]
    done = CliRunner().invoke(app, ["pairings", *given])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["schema"] == "ackclock-pairings/1"
    assert [pair["incumbent"] for pair in document["pairs"]] == ["call:gcc"]
    assert (folder / "figures" / "pairings.svg").exists()
    assert (folder / "pairings.md").exists()
