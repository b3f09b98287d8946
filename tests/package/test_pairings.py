"""Services in pairs on one bottleneck."""

import json
import math
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ackclock.cli import app
from ackclock.errors import InputError
from ackclock.evaluation.pairings import Pairings, fair_share, pairings
from ackclock.evaluation.pairings_documents import as_markdown, harm_view, sentence
from ackclock.evaluation.pairings_figures import share_map
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
    services = ["bulk:cubic", "film:cubic", "call:gcc", "page:cubic"]
    store = tmp_path_factory.mktemp("store")
    return pairings(services, store=store, rates_mbit_per_s=[4.0], quick=True, seeds=1, workers=1)


def test_two_of_a_kind_share_equally_and_every_pair_is_there(small: Pairings) -> None:
    assert len(small.outcomes) == 16
    own = small.outcomes[4.0, "bulk:cubic", "bulk:cubic"]
    assert own.share.estimate == pytest.approx(1, abs=0.02)
    assert own.fair_bit_per_s == pytest.approx(1.95e6, rel=0.01)  # half of 4 Mbit/s, without headers


def test_a_pair_divides_the_link(small: Pairings) -> None:
    """What both have together is the payload that 4 Mbit/s carry, 3.89 Mbit/s, or less."""
    services = [name for name in small.services if not name.startswith("page:")]  # pages have pauses
    for mine in services:
        for other in services:
            both = [small.outcomes[4.0, *pair].goodput_bit_per_s for pair in ((mine, other), (other, mine))]
            assert sum(both) < 3.9e6
    bulk = small.outcomes[4.0, "bulk:cubic", "film:cubic"].goodput_bit_per_s
    film = small.outcomes[4.0, "film:cubic", "bulk:cubic"].goodput_bit_per_s
    assert bulk + film > 3.6e6


def test_a_pages_goodput_counts_the_time_in_which_it_loads(small: Pairings) -> None:
    """Load time times goodput is what a page transfers: 1894 KiB, and the TLS handshake of its first page."""
    beside = small.outcomes[4.0, "page:cubic", "bulk:cubic"]
    page = 1894 * 1024 * 8
    assert beside.load_s * beside.goodput_bit_per_s == pytest.approx(page, rel=0.15)
    assert beside.load_alone_s > page / (4e6 * 1460 / 1500)  # the link could not be faster
    assert beside.load_s > 1.5 * beside.load_alone_s
    assert beside.fair_bit_per_s == 4e6 * 1460 / 1500 / 2  # both can use more than half
    assert math.isnan(small.outcomes[4.0, "bulk:cubic", "page:cubic"].load_s)


def test_the_pauses_of_a_reader_are_the_others_share(tmp_path: Path) -> None:
    """Who reads for half of the time leaves more than half of the link, and needs more while waiting."""
    services = pairings(
        ["page:cubic"], store=tmp_path, rates_mbit_per_s=[10.0], quick=True, seeds=1, workers=1
    )
    link = 10e6 * 1460 / 1500
    assert link / 2 < services.outcomes[10.0, "page:cubic", "page:cubic"].fair_bit_per_s < link
    assert services.outcomes[10.0, "page:cubic", "page:cubic"].load_s < 2 * 1894 * 1024 * 8 / link


def test_one_seed_harms_nobody(small: Pairings) -> None:
    assert "One seed decides no harm" in sentence(small)
    assert [row[-1].text for row in harm_view(small).rows] == ["none"] * 4


def test_tables_and_picture_have_every_service(small: Pairings) -> None:
    text = as_markdown(small)
    assert text.count("| film:cubic |") == 3  # as contender, shares, and standstills
    assert text.count("| bulk:cubic |") == 2
    drawn = share_map(small)
    assert [panel.get_title("left") for panel in drawn.axes] == ["4 Mbit/s"]


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
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "call:gcc in pairs" in page
    assert 'id="pictures"' in page  # a call has one; nobody reads pages
    assert 'id="pages"' not in page
