"""Results of the literature on large windows, yielding, marks and round trips, by harm and shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest

import ackclock
from ackclock.evaluation.coexistence import Coexistence, Setting, coexist
from ackclock.evaluation.networks import dumbbell, flows
from ackclock.evaluation.quantities import goodputs
from ackclock.evaluation.tcpeval import networks as tcpeval
from ackclock.evaluation.verdict import MUCH_WORSE, WORSE
from ackclock.measures.record import RunRecord
from ackclock.scenarios.load import load_scenario

RENO = "rack+reno"


@pytest.fixture(scope="module")
def large_windows(tmp_path_factory: pytest.TempPathFactory) -> Coexistence:
    """One flow with another, 833 packets of bandwidth-delay product: HSTCP departs from Reno above 38."""
    store = tmp_path_factory.mktemp("store")
    setting = Setting(100, 100, (0.5,), 1)
    return coexist([RENO, "hstcp", "scalable"], store, setting=setting, quick=True, seeds=2)


@pytest.mark.parametrize(("newcomer", "classes"), [("hstcp", {WORSE}), ("scalable", {MUCH_WORSE})])
def test_hstcp_and_scalable_take_from_reno_at_large_windows(
    large_windows: Coexistence, newcomer: str, classes: set[str]
) -> None:
    """RFC 3649, 6: what HSTCP leaves to standard TCP falls with the window; Scalable leaves less."""
    pair = large_windows.pair(RENO, newcomer, 0.5)
    assert pair.share.estimate < 0.45 < large_windows.pair(RENO, RENO, 0.5).share.estimate
    assert pair.harm["goodput"].interval.estimate > 0.25
    assert pair.harm["goodput"].verdict in {*classes, MUCH_WORSE}


def test_scalable_does_not_converge(large_windows: Coexistence) -> None:
    """Multiplicative increase and decrease keep the quotient of windows (Chiu and Jain)."""
    assert large_windows.pair("scalable", "scalable", 0.5).share.estimate > 0.8
    assert large_windows.pair(RENO, RENO, 0.5).share.estimate < 0.7


def test_ledbat_yields(tmp_path: Path) -> None:
    """RFC 6817, 2.1: it takes nothing from standard TCP, and gives way though it was first."""
    found = coexist([RENO, "ledbat"], tmp_path, setting=Setting(10, 40, (4,), 1), quick=True, seeds=2)
    assert found.pair(RENO, "ledbat", 4).harm["goodput"].interval.estimate < 0
    assert found.pair("ledbat", RENO, 4).share.estimate < 0.2


def rates(link: Mapping[str, object], newcomer: str, **tcp: str) -> tuple[float, float]:
    """The mean goodputs of two Reno flows with these settings, and of two newcomers."""
    standard = flows("standard", 2, algorithm=RENO, tcp=tcp)
    new = flows("new", 2, algorithm=newcomer, tcp=tcp if newcomer == RENO else {})
    result = run(dumbbell(20, 40, 1, [standard, new], seconds=40, warm_up_s=10, link=link))
    return float(goodputs(result, "standard").mean()), float(goodputs(result, "new").mean())


def run(table: Mapping[str, object], seed: int = 1) -> RunRecord:
    return ackclock.run(load_scenario(table).with_value("seed", str(seed)))


@pytest.mark.filterwarnings("ignore:dctcp responds to marks")
def test_dctcp_is_reno_where_nothing_is_marked() -> None:
    """RFC 8257, 3.5: it responds to loss as standard TCP does."""
    assert rates({}, "dctcp") == rates({}, RENO)


def test_dctcp_takes_a_marked_link_from_those_that_halve_at_a_mark() -> None:
    """RFC 8257, 5: it is not to share a queue with others. Those without ECN fill the queue."""
    marked = {"ecn_threshold": "10 packets"}
    reno, dctcp = rates(marked, "dctcp", ecn="classic")
    assert dctcp > 5 * reno
    reno, dctcp = rates(marked, "dctcp", ecn="off")
    assert reno > 5 * dctcp


def two_round_trips() -> Iterator[tuple[float, float]]:
    """The quotients of two Reno flows' goodputs and of their mean round trips, for three seeds."""
    ends = {"start_jitter": "1 s", "algorithm": RENO}
    traffic = [
        {"name": "short", "from": "n1", "to": "n4"} | ends,
        {"name": "long", "from": "n2", "to": "n5"} | ends,
    ]
    edges = tcpeval.Edges(1000, ((8.0, 38.0), (0.0, 0.0)))
    network = tcpeval.dumbbell(tcpeval.Central(20, 2, 0.04), edges, traffic, seconds=200, warm_up_s=20)
    for seed in (1, 2, 3):
        result = run(network, seed)
        short, long = (float(goodputs(result, name)[0]) for name in ("short", "long"))
        trips = [float(value) for value in result.columns("flows")["mean_rtt_s"]]
        yield short / long, trips[1] / trips[0]


def test_renos_share_falls_with_the_inverse_of_its_round_trip() -> None:
    """As 1/RTT where losses are random, as 1/RTT² where each meets both (Lakshman and Madhow)."""
    found = np.array(list(two_round_trips()))
    share, trip = np.exp(np.log(found).mean(axis=0))
    assert trip < share < trip**2


def completion_s(**tcp: object) -> float:
    """The time of a file of 200 packets from a window of two, over a path with a round trip of 100 ms.

    Each packet is acknowledged: a delayed acknowledgment, of two packets, counts as one in RFC 3465 too.
    """
    settings = {"initial_window": "2 packets", "segments_per_ack": 1} | tcp
    file = {"name": "file", "packets": 200, "algorithm": RENO, "tcp": settings}
    result = run(dumbbell(50, 100, 1, [file], seconds=20, warm_up_s=0))
    return float(result.columns("flows")["finish_s"][0])


def test_splitting_acknowledgments_speeds_up_a_sender_that_counts_them_and_none_that_counts_bytes() -> None:
    """Savage and others (1999); RFC 3465 counts bytes for that reason."""
    counting = {"count_acknowledgments": True}
    assert completion_s(ack_splitting=8, **counting) < 0.75 * completion_s(**counting)
    assert completion_s(ack_splitting=8) == pytest.approx(completion_s(), rel=0.1)
