"""The gallery of attacks as laws, and the published searches for known weaknesses."""

import pytest

import ackclock
from ackclock.attacks.replay import Recorded, replay
from verification.attacks.gallery import FOLDER, MENDED, STILL_BAD, gallery, replayed
from verification.attacks.known import KNOWN, PUBLISHED, Known, published

GALLERY = {each.name: each for each in gallery()}


def test_the_gallery_has_twenty_paths_of_fifteen_lines() -> None:
    files = list(FOLDER.glob("*.toml"))
    assert len(files) >= 20
    for file in files:
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 15, file


@pytest.mark.parametrize("finding", GALLERY.values(), ids=lambda each: each.name)
def test_a_path_is_what_its_file_says(finding: Recorded) -> None:
    assert finding.state in (STILL_BAD, MENDED)
    share = replayed(finding)
    is_bad = share < finding.below
    assert is_bad == (finding.state == STILL_BAD), (
        f"{finding.name}: the path leaves {share:.3f}, and its file says below {finding.below}"
    )


def test_bbr3_keeps_a_maximum_that_the_path_no_longer_has() -> None:
    """The estimate is above five times the rate half a minute after the rate fell to a tenth."""
    finding = GALLERY["bbr3-stale-maximum"]
    scenario, _ = finding.problem.scenario(finding.path, "bbr3", finding.duration_s)
    gauges = ackclock.run(scenario).gauges
    rows = gauges.filter(gauges["name"] == "bbr3_max_bandwidth_packet_per_s")
    now = 1e6 / (1500 * 8)
    assert rows["value"][-1] > 5 * now


def test_copa_competes_with_nobody_but_itself() -> None:
    """Mode confusion: 1/delta grows as if another flow filled the buffer."""
    finding = GALLERY["copa-mode-confusion"]
    scenario, _ = finding.problem.scenario(finding.path, "copa", finding.duration_s)
    gauges = ackclock.run(scenario).gauges
    assert min(gauges.filter(gauges["name"] == "copa_delta")["value"].to_list()) < 0.25


def test_the_attacked_recovery_loses_to_timeouts_and_others_do_not() -> None:
    """Bursts at the interval of the timer stop NewReno; on the same path BBR 3 has most of the goodput."""
    path = GALLERY["newreno-low-rate-attack"]
    judged = path.shares((1,))[1]
    assert judged.values["newreno"]["timeouts"] >= 5

    assert replay(FOLDER / "newreno-low-rate-attack.toml", "bbr3") > 0.5


def test_published_searches_are_of_known_weaknesses() -> None:
    keys = {file.stem for file in PUBLISHED.glob("*.json")} - {"optimisers", "worst-paths"}
    assert keys
    assert keys <= {each.key for each in KNOWN}


@pytest.mark.parametrize("known", [each for each in KNOWN if published(each)], ids=lambda each: each.key)
def test_a_published_search_has_found_its_weakness(known: Known) -> None:
    row = published(known)
    assert row is not None
    assert row["found"]
    assert row["share"] < known.below == row["below"]
    assert row["simulated_s"] <= 90_000
    assert set(row["path"]) & set(known.needs)
