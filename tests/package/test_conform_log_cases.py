"""The least window, persistent congestion and bursts, as logs show them: logs that hold and that fail."""

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path

import pytest

from ackclock.conformance.judge import conform_log
from ackclock.measures.verdict import Outcome

HOLDS, FAILS, UNDECIDED = Outcome.HOLDS, Outcome.FAILS, Outcome.UNDECIDED
NOT_APPLICABLE = Outcome.NOT_APPLICABLE

PACKET_BYTES = 1200
TCP = {"protocol_type": ["TCP"]}

Event = dict[str, object]


def sent(time_ms: float, number: int, size: int = PACKET_BYTES) -> Event:
    header = {"packet_type": "1RTT", "packet_number": number}
    return {"time": time_ms, "name": "packet_sent", "data": {"header": header, "raw": {"length": size}}}


def lost(time_ms: float, number: int) -> Event:
    header = {"packet_type": "1RTT", "packet_number": number}
    return {"time": time_ms, "name": "packet_lost", "data": {"header": header}}


def window(time_ms: float, packets: float) -> Event:
    """Metrics on a path with a round trip of 50 ms: a probe timeout is 50 + 4 x 5 + 25 ms."""
    trips = {"min_rtt": 50, "latest_rtt": 50, "smoothed_rtt": 50, "rtt_variance": 5}
    return {
        "time": time_ms,
        "name": "metrics_updated",
        "data": {"congestion_window": packets * PACKET_BYTES, **trips},
    }


def judged(
    folder: Path, spec: str, case: str, events: Iterable[Event], common: Mapping[str, object] | None = None
) -> Outcome:
    """The verdict of a case on a log of these events."""
    file = folder / "some.qlog"
    trace = {"common_fields": common or {}, "events": list(events)}
    file.write_text(json.dumps({"qlog_version": "0.3", "traces": [trace]}))
    return conform_log(file, spec, only=[case]).verdicts[0].outcome


@pytest.mark.parametrize(
    ("smallest", "by_reno", "by_bbr"),
    [
        (1.0, FAILS, FAILS),
        (1.9, FAILS, FAILS),
        (2.0, HOLDS, FAILS),
        (3.0, UNDECIDED, FAILS),
        (4.0, UNDECIDED, HOLDS),
        (6.0, UNDECIDED, UNDECIDED),
    ],
)
def test_the_least_window_is_two_packets_and_four_of_bbr(
    tmp_path: Path, smallest: float, by_reno: Outcome, by_bbr: Outcome
) -> None:
    events = [sent(0, 0), window(50, 10), window(100, smallest), window(150, 10)]
    assert judged(tmp_path, "reno", "least-threshold", events) is by_reno
    assert judged(tmp_path, "cubic", "least-window", events) is by_reno
    assert judged(tmp_path, "bbr", "sub-packet", events) is by_bbr


def test_two_packets_of_the_first_size_are_enough_if_larger_ones_are_sent(tmp_path: Path) -> None:
    events = [sent(0, 0), sent(10, 1, 1452), window(50, 10), window(100, 2)]
    assert judged(tmp_path, "reno", "least-threshold", events) is HOLDS


def test_a_timeout_of_tcp_leaves_one_packet(tmp_path: Path) -> None:
    events = [sent(0, 0), window(50, 10), window(100, 1)]
    assert judged(tmp_path, "reno", "least-threshold", events, TCP) is HOLDS


def test_the_first_window_is_none_that_a_reduction_leaves(tmp_path: Path) -> None:
    """A scenario may begin with one packet (RFC 5681 leaves it to senders)."""
    events = [sent(0, 0), window(50, 1), window(100, 20), window(150, 14)]
    assert judged(tmp_path, "cubic", "least-window", events, TCP) is UNDECIDED
    assert judged(tmp_path, "cubic", "least-window", events[:3], TCP) is UNDECIDED


def outage(
    after: float, *, apart_ms: float = 100, arrives: tuple[int, ...] = (), measured: bool = True
) -> list[Event]:
    """Ten packets that are lost but for those that arrive, and the window after."""
    numbers = range(1, 11)
    before = window(50, 20) if measured else {**window(50, 20), "data": {"congestion_window": 24000}}
    return [
        sent(0, 0),
        before,
        *(sent(100 + apart_ms * number, number) for number in numbers),
        *(lost(1500, number) for number in numbers if number not in arrives),
        window(1500, after),
        window(1600, 20),
    ]


@pytest.mark.parametrize("case", [("reno", "timeout"), ("cubic", "timeout"), ("dctcp", "timeout")])
def test_persistent_congestion_leaves_the_least_window(tmp_path: Path, case: tuple[str, str]) -> None:
    """From the first to the last packet are 900 ms, and three probe timeouts are 285 ms."""
    assert judged(tmp_path, *case, outage(2)) is HOLDS
    assert judged(tmp_path, *case, outage(4)) is HOLDS
    assert judged(tmp_path, *case, outage(10)) is FAILS
    assert judged(tmp_path, *case, outage(20)) is FAILS
    assert judged(tmp_path, *case, outage(10), TCP) is NOT_APPLICABLE


def test_losses_for_a_shorter_time_are_no_persistent_congestion(tmp_path: Path) -> None:
    assert judged(tmp_path, "reno", "timeout", outage(10, apart_ms=30)) is UNDECIDED


def test_a_packet_between_that_arrives_ends_persistent_congestion(tmp_path: Path) -> None:
    assert judged(tmp_path, "reno", "timeout", outage(10, arrives=(4, 7))) is UNDECIDED


def test_losses_before_a_round_trip_is_known_do_not_count(tmp_path: Path) -> None:
    assert judged(tmp_path, "reno", "timeout", outage(10, measured=False)) is UNDECIDED


def test_a_collapse_is_no_halving_and_no_window_of_bbr(tmp_path: Path) -> None:
    halved = [window(70, 10), *outage(2)[2:]]
    events = [*outage(2)[:2], *halved]
    assert judged(tmp_path, "reno", "halving", events) is HOLDS
    assert judged(tmp_path, "bbr", "sub-packet", outage(2)) is UNDECIDED


def bursts(packets: int, apart_ms: float, *, times: int = 5) -> list[Event]:
    """Bursts each 500 ms, with a window of 40 packets."""
    groups = (
        [sent(500 * one + apart_ms * place, packets * one + place) for place in range(packets)]
        for one in range(times)
    )
    return [window(0, 40), *chain.from_iterable(groups)]


@pytest.mark.parametrize("case", [("reno", "idle"), ("copa", "paced")])
def test_a_sender_paces_or_sends_the_initial_window_at_once(tmp_path: Path, case: tuple[str, str]) -> None:
    """12.3 packets and a tenth of the window of 40 may leave in a twentieth of 50 ms."""
    assert judged(tmp_path, *case, bursts(40, 1.25)) is HOLDS
    assert judged(tmp_path, *case, bursts(16, 0.0)) is HOLDS
    assert judged(tmp_path, *case, bursts(40, 0.0)) is FAILS
    assert judged(tmp_path, *case, bursts(20, 0.1)) is FAILS
    assert judged(tmp_path, *case, bursts(40, 0.0), TCP) is NOT_APPLICABLE


def test_one_burst_of_many_packets_may_be_a_machine_that_was_late(tmp_path: Path) -> None:
    paced = [sent(1000 + 1.25 * number, 100 + number) for number in range(1000)]
    assert judged(tmp_path, "reno", "idle", [*bursts(20, 0.0, times=1), *paced]) is HOLDS
