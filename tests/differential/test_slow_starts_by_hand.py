"""SEARCH, Rapid Start and Careful Resume by hand, from their drafts, in both readings."""

import math
from typing import Any

import pytest

from ackclock._native import Controller
from reference import AVOIDANCES, SLOW_STARTS, Ack, Congestion, Signal, Start, Windowed


@pytest.fixture(params=["compiled", "reference"])
def sender(request: pytest.FixtureRequest) -> Any:
    """A function that makes a sender with an initial window of ten packets, in either reading."""

    def make(slow_start: str, avoidance: str = "reno", **values: float) -> Any:
        if request.param == "compiled":
            arguments = ",".join(f"{key}={value!r}" for key, value in values.items())
            return Controller(f"{slow_start}({arguments})+{avoidance}", 10.0)
        return Windowed(
            SLOW_STARTS[slow_start](**values), AVOIDANCES[avoidance](), Start(initial_window=10.0)
        )

    return make


def ack(now_ms: float, rtt_ms: float | None, packets: float, in_flight: float, **facts: Any) -> Ack:
    """An acknowledgment that may grow the window, over a path of 100 ms."""
    known = {"srtt": 0.1, "min_rtt": 0.1, "round": 0} | facts
    return Ack(
        now=now_ms / 1e3,
        delivered=packets,
        in_flight=in_flight,
        rtt=None if rtt_ms is None else rtt_ms / 1e3,
        **known,
    )


def lose(controller: Any, signal: Signal = Signal.LOSS, *, now_ms: float = 9000) -> None:
    """The start of a congestion episode with the whole window in flight."""
    restart = signal == Signal.TIMEOUT
    controller.on_congestion(
        Congestion(now=now_ms / 1e3, signal=signal, flight=controller.cwnd, restart=restart, repeated=False)
    )


def bins(controller: Any, numbers: range, sent_from: int, per_bin: float = 10.0) -> float:
    """An acknowledgment in each of these bins of 35 ms, of `per_bin` packets; returns the packets in flight.

    Three bins pass between sending and acknowledgment, 30 packets in flight. From the bin `sent_from` on
    twice as many packets are sent as arrive, so that the flight grows by `per_bin` in each.
    """
    flight = 0.0
    for number in numbers:
        flight = 3 * per_bin + per_bin * max(number - sent_from + 1, 0)
        rtt = 100 if number == 0 else 105
        controller.on_ack(ack(1 + 35 * number if number else 0, rtt, per_bin, flight))
    return flight


def test_search_leaves_when_a_quarter_of_what_was_sent_is_missing(sender: Any) -> None:
    """Bins are of 100 ms x 3.5 / 10 = 35 ms.

    The acknowledgments come 1 ms after a bin's end, with 105 ms, three bins.

    Ten packets arrive in each bin, and from bin 15 on twenty are sent. The check of bin i compares the 100
    packets of bins i-9 to i with those sent in the ten bins to i-3. Of these i-17 have ten packets more:

    - i = 20: (130 - 100) / 130 = 0.231 < 0.26
    - i = 21: (140 - 100) / 140 = 0.286: the capacity is found.

    Until then each of 21 acknowledgments has added ten packets to the ten at the beginning; the last adds
    none. The target is what arrived in ceil(100 / 35) = 3 bins, 30 packets. Of ten acknowledged, three are
    sent for nine and one is kept: with 90 in flight the window is 93, with ten more and 83 in flight (1 +
    10 = 3 x 3 + 2) 86, then with 20 in flight (2 + 10 = 3 x 4) not 24 but 30, the target.
    """
    controller = sender("search")
    bins(controller, range(21), sent_from=15)
    assert (controller.cwnd, controller.ssthresh) == (220.0, math.inf)
    assert bins(controller, range(21, 22), sent_from=15) == 100
    assert (controller.cwnd, controller.ssthresh) == (220.0, math.inf)
    for number, flight, window in ((1, 90, 93), (2, 83, 86), (3, 20, 30)):
        controller.on_ack(ack(740 + number, 105, 10, flight))
        assert controller.cwnd == window
    assert controller.ssthresh == 30


def test_search_without_a_drain_leaves_with_the_window_as_it_is(sender: Any) -> None:
    """The same, and the acknowledgment that finds the capacity is the first of congestion avoidance."""
    controller = sender("search", drain=0.0)
    bins(controller, range(22), sent_from=15)
    assert controller.ssthresh == 220
    assert controller.cwnd == pytest.approx(220 + 10 / 220, abs=0.01)


@pytest.mark.parametrize(("threshold", "found"), [(0.28, 21), (0.29, 22), (0.4, 24)])
def test_search_finds_the_capacity_at_its_threshold(sender: Any, threshold: float, found: int) -> None:
    """10 n / (100 + 10 n) with n = i - 17: 0.286 at bin 21, 0.333 at 22, 0.375 at 23, 0.412 at 24."""
    controller = sender("search", threshold=threshold, drain=0.0)
    bins(controller, range(found), sent_from=15)
    assert controller.ssthresh == math.inf
    bins(controller, range(found, found + 1), sent_from=15)
    assert controller.ssthresh < math.inf


def test_search_goes_on_while_a_path_delivers_what_was_sent(sender: Any) -> None:
    """What arrives in every bin was sent three bins ago, 105 ms: the two sums are equal."""
    controller = sender("search", drain=0.0)
    bins(controller, range(200), sent_from=1000)
    assert (controller.cwnd, controller.ssthresh) == (10 + 10 * 200, math.inf)


def test_search_checks_nothing_before_fourteen_bins(sender: Any) -> None:
    """prev_idx = i - 3 must exceed W = 10. Here nothing but the first ten packets ever arrives.

    Sent twice as fast from the beginning: in flight 30 + 10 (i + 1). The sum of what was sent in ten bins
    is 200, 100 arrive: 0.5, as soon as there are enough bins.
    """
    controller = sender("search", drain=0.0)
    bins(controller, range(14), sent_from=0)
    assert controller.ssthresh == math.inf
    bins(controller, range(14, 15), sent_from=0)
    assert controller.ssthresh < math.inf


def test_search_takes_parts_of_two_windows(sender: Any) -> None:
    """A round trip of 122.5 ms is three bins and a half: half of the window to i-3, half of that to i-4.

    At bin 21 the windows hold 140 and 130 packets: (135 - 100) / 135 = 0.2593 < 0.26. A round trip of 119
    ms has the fraction 0.4: 136 packets, 0.2647.
    """
    for rtt, leaves in ((122.5, False), (119.0, True)):
        controller = sender("search", drain=0.0)
        bins(controller, range(21), sent_from=15)
        controller.on_ack(ack(736, rtt, 10, 100))
        assert (controller.ssthresh < math.inf) == leaves


def test_search_begins_anew_after_a_silence(sender: Any) -> None:
    """More than ten bins without an acknowledgment: nothing is checked until there are fifteen new bins.

    The silence ends in a flight of 330 packets that is never explained by what arrives, and is forgotten.
    """
    controller = sender("search", drain=0.0)
    bins(controller, range(15), sent_from=1000)
    controller.on_ack(ack(491 + 11 * 35, 105, 10, 330))
    for number in range(15):
        now, rtt = (1001 + 35 * number, 105) if number else (1000, 100)
        controller.on_ack(ack(now, rtt, 10, 330))
    assert controller.ssthresh == math.inf


def test_search_looks_back_less_than_fifteen_bins(sender: Any) -> None:
    """A round trip of 15 bins, 525 ms, is too long for the history, one of 14.9 bins is not."""
    for rtt, leaves in ((525.0, False), (520.0, True)):
        controller = sender("search", drain=0.0)
        bins(controller, range(31), sent_from=1000)
        # Ten bins that ended fourteen bins ago held 100 packets: now one arrives in each.
        for number in range(31, 41):
            controller.on_ack(ack(1 + 35 * number, rtt, 1, 30))
        assert (controller.ssthresh < math.inf) == leaves


def test_search_forgets_at_a_timeout(sender: Any) -> None:
    """Slow start up to half of the window; the bins begin with the next acknowledgment."""
    controller = sender("search", drain=0.0)
    bins(controller, range(21), sent_from=15)
    lose(controller, Signal.TIMEOUT, now_ms=730)
    assert (controller.cwnd, controller.ssthresh) == (1, 110)
    controller.on_ack(ack(736, 105, 10, 100))
    assert (controller.cwnd, controller.ssthresh) == (11, 110)


def rapid_round(controller: Any, number: int, rtt_ms: float, packets: int, min_rtt_ms: float = 100) -> None:
    """A round trip of acknowledgments of one packet each."""
    for place in range(packets):
        now = 1000 * number + place
        controller.on_ack(ack(now, rtt_ms, 1, packets, round=number, min_rtt=min(rtt_ms, min_rtt_ms) / 1e3))


def test_rapid_start_triples_and_then_doubles(sender: Any) -> None:
    """Two packets for each acknowledged while the round's least time is at most min(min + 4 ms, 1.1 min).

    100 ms: up to 104 ms. 10, 30, 90 with 104 ms; with 105 ms twice as many: 180.
    """
    controller = sender("rapid-start")
    initial = controller.cwnd
    rapid_round(controller, 1, 100, 10)
    assert controller.cwnd == initial + 20
    rapid_round(controller, 2, 104, 30)
    assert controller.cwnd == initial + 80
    rapid_round(controller, 3, 105, 90)
    assert controller.cwnd == initial + 170


def test_rapid_start_bounds_the_queue_by_a_tenth_of_short_round_trips(sender: Any) -> None:
    """20 ms: up to 22 ms."""
    for rtt, grown in ((22.0, 20), (22.1, 10)):
        controller = sender("rapid-start")
        rapid_round(controller, 1, 20, 10, min_rtt_ms=20)
        before = controller.cwnd
        rapid_round(controller, 2, rtt, 10, min_rtt_ms=20)
        assert controller.cwnd == pytest.approx(before + grown)


def ninety(controller: Any) -> Any:
    """Rapid Start with a window of 90 packets: 10, and two for each of 40."""
    for number in range(40):
        controller.on_ack(ack(1000 + number, 100, 1, 10))
    assert controller.cwnd == 90
    return controller


def recovered(controller: Any, acked: int, lost: int, *, now: float = 9000.0) -> list[float]:
    """The windows of a recovery in which packets are lost and acknowledged evenly."""
    found = []
    steps = math.gcd(acked, lost) or acked
    for step in range(steps):
        facts = {"lost": lost / steps, "suspended": True, "recovering": lost > 0, "round": 9}
        controller.on_ack(ack(now + step, 130, acked / steps, 50, **facts))
        found.append(controller.cwnd)
    return found


@pytest.mark.parametrize(
    ("avoidance", "begins", "resumes_at", "ends"),
    [("reno", 75.0, 45.0, 15.0), ("cubic", 81.0, 63.0, 21.0)],
)
def test_rapid_start_ends_with_beta_of_the_pipe(
    sender: Any, avoidance: str, begins: float, resumes_at: float, ends: float
) -> None:
    """Appendix A: three times the full BDP of 30 packets in flight, of which two thirds are lost.

    beta 0.5: 90 x 5/6 = 75. After half of the BDP is acknowledged, 15, and 30 are lost, 45 are in flight, and
    the window is 75 - 15/3 - 30 x 5/6 = 45: sending resumes. At the end 75 - 30/3 - 60 x 5/6 = 15 = 30 x 0.5.

    beta 0.7: 81; after 9 and 18 packets, 63 in flight: 81 - 1.8 - 16.2 = 63; at the end 81 - 6 - 54 = 21.
    """
    controller = ninety(sender("rapid-start", avoidance))
    lose(controller)
    assert controller.cwnd == pytest.approx(begins)
    windows = recovered(controller, 30, 60)
    assert windows[round((90 - resumes_at) / 3) - 1] == pytest.approx(resumes_at)
    assert windows[-1] == pytest.approx(ends)


def test_rapid_start_ends_with_beta_of_the_window_after_a_mark(sender: Any) -> None:
    """3.3.2: nothing is lost, and 90 packets are acknowledged: 75 - 90/3 = 45 = 90 x 0.5."""
    controller = ninety(sender("rapid-start"))
    lose(controller, Signal.ECN)
    assert recovered(controller, 90, 0)[-1] == pytest.approx(45)


def test_rapid_start_does_not_fall_below_a_third_of_beta(sender: Any) -> None:
    """80 of 90 packets lost would leave 75 - 10/3 - 80 x 5/6 = 5; 90 x 0.5 / 3 = 15 stay."""
    controller = ninety(sender("rapid-start"))
    lose(controller)
    assert recovered(controller, 10, 80)[-1] == pytest.approx(15)


def test_rapid_start_is_over_after_its_recovery(sender: Any) -> None:
    """Reno's rules are "the underlying congestion controller's ordinary rules", from 15 on.

    The first acknowledgment after the recovery adds 1/15. The next loss halves 15 1/15.
    """
    controller = ninety(sender("rapid-start"))
    lose(controller)
    recovered(controller, 30, 60)
    controller.on_ack(ack(9100, 100, 1, 15, round=10))
    assert controller.cwnd == pytest.approx(15 + 1 / 15)
    lose(controller, now_ms=9200)
    assert controller.cwnd == pytest.approx((15 + 1 / 15) / 2)


def test_rapid_start_is_over_after_a_timeout(sender: Any) -> None:
    """RFC 5681: half of the window as the threshold, one packet; then twice and not three times as much."""
    controller = ninety(sender("rapid-start"))
    lose(controller, Signal.TIMEOUT)
    assert (controller.cwnd, controller.ssthresh) == (1, pytest.approx(45))
    controller.on_ack(ack(9100, 100, 1, 1, round=10))
    assert controller.cwnd == 2


def jumped(sender: Any) -> Any:
    """The examples of appendix 2: an initial window of 10, 29 packets in flight at the jump, 300 saved.

    Nine acknowledgments grow the window to 19; the tenth confirms the path.
    """
    controller = sender("careful-resume", saved_cwnd=300.0, saved_rtt=100.0)
    for number in range(10):
        controller.on_ack(ack(100 + number, 100, 1, 29))
        assert controller.cwnd == (11 + number if number < 9 else 150)
    return controller


def test_careful_resume_jumps_to_half_and_validates(sender: Any) -> None:
    """Example 2.1: 150. The 29 packets before the jump arrive, then packet 30, the first unvalidated one.

    149 are in flight then, more than the 30 that have arrived: the window is 149, and grows again, by that
    acknowledgment to 150. After the last of these 149 it is 299, in slow start without a threshold.
    """
    controller = jumped(sender)
    for number in range(29):
        controller.on_ack(ack(110 + number, 100, 1, 30 + 4 * number))
        assert controller.cwnd == 150
    controller.on_ack(ack(140, 100, 1, 149))
    assert controller.cwnd == 150
    for number in range(149):
        controller.on_ack(ack(200 + number, 100, 1, 150))
    assert (controller.cwnd, controller.ssthresh) == (299, math.inf)


def test_careful_resume_takes_back_what_was_not_used(sender: Any) -> None:
    """Example 2.2: after more than a round trip 50 packets are in flight, of the 150: the window is 50.

    With 29 in flight, as at the jump, it is what has arrived, the PipeSize: 29.
    """
    for flight, left in ((50, 50), (29, 29)):
        controller = jumped(sender)
        controller.on_ack(ack(208, 100, 1, flight, window_limited=False))
        assert controller.cwnd == 150
        controller.on_ack(ack(210, 100, 1, flight, window_limited=False))
        assert controller.cwnd == left


def test_careful_resume_is_not_used_after_a_loss_before_it(sender: Any) -> None:
    """Example 2.3: half of the window, and nothing is resumed."""
    controller = sender("careful-resume", saved_cwnd=300.0, saved_rtt=100.0)
    for number in range(9):
        controller.on_ack(ack(100 + number, 100, 1, 29))
    lose(controller, now_ms=300)
    controller.on_ack(ack(300, 100, 1, 5, round=2, lost=1.0, suspended=True))
    for number in range(20):
        controller.on_ack(ack(400 + number, 100, 1, 5, round=3))
    assert controller.cwnd < 15


def test_careful_resume_retreats_to_half_of_what_arrived(sender: Any) -> None:
    """Example 2.4: after 29 + 34 packets one is lost: 63 / 2 = 31.5, without growth during the repair.

    The other 86 arrive, and the repaired one: in all 150. The threshold is 150 x 0.5, and slow start goes on
    below it.
    """
    controller = jumped(sender)
    for number in range(63):
        controller.on_ack(ack(110 + number, 100, 1, 140))
    lose(controller, now_ms=210)
    assert controller.cwnd == 31.5
    for number in range(86):
        lost = 1.0 if number == 0 else 0.0
        controller.on_ack(ack(210 + number, 100, 1, 80, lost=lost, suspended=True, recovering=True, round=2))
        assert controller.cwnd == 31.5
    controller.on_ack(ack(300, 100, 1, 10, round=3))
    assert controller.ssthresh == 75
    assert controller.cwnd == 32.5


@pytest.mark.parametrize(("saved_ms", "jumps"), [(199.0, True), (200.0, False), (10.0, True), (9.9, False)])
def test_careful_resume_confirms_the_path_by_its_round_trip(
    sender: Any, saved_ms: float, jumps: bool
) -> None:
    """100 ms: not where it is half of the saved one or less, or more than ten times."""
    controller = sender("careful-resume", saved_cwnd=300.0, saved_rtt=saved_ms)
    for number in range(10):
        controller.on_ack(ack(100 + number, 100, 1, 29))
    assert controller.cwnd == (150 if jumps else 20)


def test_careful_resume_makes_no_smaller_jump_than_its_window(sender: Any) -> None:
    """The tenth acknowledgment finds 19 packets. Half of 36 is less: it adds one. Half of 42 is more."""
    for saved, found in ((36.0, 20), (42.0, 21)):
        controller = sender("careful-resume", saved_cwnd=saved)
        for number in range(10):
            controller.on_ack(ack(100 + number, 100, 1, 10))
        assert controller.cwnd == found
