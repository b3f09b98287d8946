"""C4 by hand, from its draft: eras of 100 ms over a path whose rates and delays a test says."""

import pytest

from reference import Ack, RateSample, Start
from reference.controllers.c4 import C4


class Path:
    """A sender with packets of 1000 octets, each era of which is one acknowledgment of a packet."""

    def __init__(self, window: float = 10.0) -> None:
        self.c4 = C4(packet_size=1000.0)
        self.c4.begin(Start(initial_window=window))
        self.now = 0.0

    def era(
        self,
        rate: float,
        *,
        rtt_ms: float = 100,
        lost: float = 0.0,
        marked: float = 0.0,
        packets: float = 1.0,
        limited: bool = False,
        ends: bool = True,
    ) -> None:
        """An acknowledgment with a rate in packets per second, which ends an era unless told not to."""
        self.now += rtt_ms / 1e3
        sample = RateSample(
            rate=rate, app_limited=limited, prior_delivered=self.c4.delivered if ends else -1.0
        )
        self.c4.on_ack(
            Ack(
                now=self.now,
                delivered=packets,
                lost=lost,
                ce_marked=marked,
                in_flight=10.0,
                rtt=rtt_ms / 1e3,
                srtt=0.1,
                min_rtt=0.1,
                round=1,
                rate=sample,
            )
        )

    def cruise(self, rate: float = 1000.0) -> None:
        """Goes from the beginning into the cruising state, with 100 ms as the largest round-trip time."""
        for _ in range(4):
            self.era(rate)
        self.c4.nominal_max_rtt = 0.1
        self.era(rate)
        assert self.c4.state == "cruising"


@pytest.mark.parametrize(
    ("rate", "sensitivity"),
    [(40, 0), (50, 0), (525, 0.46), (1000, 0.92), (5500, 0.96), (10_000, 1), (20_000, 1)],
)
def test_the_sensitivity_is_a_curve_of_the_rate(rate: float, sensitivity: float) -> None:
    """4 corners, in kB/s: 50 has 0, 1000 has 0.92 and 10,000 has 1; halfway between them the means."""
    path = Path()
    path.c4.nominal_rate = rate
    assert path.c4.sensitivity() == pytest.approx(sensitivity)


def test_the_delay_threshold_is_at_most_25_ms() -> None:
    """1/16 of a round-trip time for the largest rates, 1/4 for the smallest."""
    path = Path()
    for rate, rtt, threshold in [(20e3, 0.160, 0.010), (10, 0.080, 0.020), (10, 0.400, 0.025)]:
        path.c4.nominal_rate, path.c4.nominal_max_rtt = rate, rtt
        assert path.c4.delay_threshold() == pytest.approx(threshold)


def test_the_initial_state_ends_after_three_eras_without_increase() -> None:
    """Eras that the application limits do not count.

    The window grows by what is acknowledged, after one era without increase by an eighth of it, after two by
    a 64th. Twice the rate of 100 packets/s times 100 ms is less. Half of it over the rate is the largest RTT.
    """
    path = Path()
    assert path.c4.pacing_rate == float("inf")
    path.era(100.0, packets=40.0)
    assert (path.c4.cwnd, path.c4.pacing_rate) == (50, 200)
    path.era(90.0)
    path.era(90.0, limited=True)
    path.era(100.0)
    assert path.c4.state == "initial"
    window = 50 + 1 + 1 / 8 + 1 / 8
    assert path.c4.cwnd == window
    path.era(100.0)
    assert path.c4.state == "recovery"
    largest = (window + 1 / 64) / 2 / 100
    assert path.c4.nominal_max_rtt == pytest.approx(largest)
    # 15/16 of the rate; the margin is 15 ms, which is less than a quarter.
    assert path.c4.pacing_rate == 93.75
    assert path.c4.cwnd == pytest.approx(93.75 * (largest + 0.015))


def test_signals_end_the_initial_state_where_they_can_be_trusted() -> None:
    """A delay after two eras without increase, losses after 20 packets; neither reduces the rate."""
    path = Path()
    for number, state in enumerate(["initial", "initial", "initial", "recovery"]):
        path.era(1000.0, rtt_ms=130 if number else 100, ends=number != 3)
        assert path.c4.state == state
    path = Path()
    for lost, packets, state in [(8.0, 18.0, "initial"), (8.0, 2.0, "initial"), (8.0, 1.0, "recovery")]:
        path.era(1000.0, lost=lost, packets=packets, ends=False)
        assert path.c4.state == state
    assert path.c4.nominal_rate == 1000


def test_four_eras_of_cruising_then_a_push_by_a_sixteenth() -> None:
    """A push that brings anything is followed by one of 1/4, which has to bring 1/16, after four eras more.

    The next two follow; then the level is above 3, and the initial state begins again.
    """
    path = Path()
    path.cruise()
    rate = 1000.0
    for alpha, eras, gain in [(17 / 16, 4, 1.01), (5 / 4, 4, 1.07), (5 / 4, 1, 1.07)]:
        for _ in range(eras - 1):
            path.era(rate)
            assert (path.c4.state, path.c4.pacing_rate) == ("cruising", rate)
        path.era(rate)
        assert path.c4.state == "pushing"
        assert path.c4.pacing_rate == pytest.approx(alpha * rate)
        path.era(rate)
        assert path.c4.state == "recovery"
        rate *= gain
        path.era(rate)
    assert path.c4.state == "initial"


@pytest.mark.parametrize(
    ("gain", "limited", "level"), [(1.0, False, 1), (1.0, True, 2), (1.06, False, 1), (1.07, True, 3)]
)
def test_a_push_that_brings_too_little_lowers_the_level(gain: float, limited: bool, level: int) -> None:
    """A push of 1/4 brings enough from 1/16 on; less, where the application did not limit it, is none."""
    path = Path()
    path.cruise()
    path.c4.probe_level = 2
    for _ in range(5):
        path.era(1000.0)
    path.era(1000.0 * gain, limited=limited)
    assert path.c4.probe_level == level


def test_pushing_waits_for_an_application_that_fills_the_path() -> None:
    """Cruising lasts 'until at least 4 RTT and the connection is not "app limited"'."""
    path = Path()
    path.cruise()
    for _ in range(6):
        path.era(1000.0, limited=True)
    assert path.c4.state == "cruising"
    path.era(1000.0)
    assert path.c4.state == "pushing"


def test_a_delay_while_cruising_reduces_the_rate_by_its_excess() -> None:
    """1 MB/s has the sensitivity 0.92: the threshold is (1/16 + 0.08 * 3/16) * 100 ms = 7.75 ms.

    109.3 ms is 1.55 ms above the target, a fifth of the threshold, and 120 ms more than a quarter of it.
    """
    for rtt_ms, rate in [(107.7, 1000), (109.3, 800), (120, 750)]:
        path = Path()
        path.cruise()
        path.c4.nominal_max_rtt = 0.1
        path.era(1000.0, rtt_ms=rtt_ms, ends=False)
        assert path.c4.nominal_rate == pytest.approx(rate)
        assert path.c4.state == ("cruising" if rate == 1000 else "recovery")


def test_losses_while_cruising_take_a_quarter_and_a_congested_recovery_raises_nothing() -> None:
    """The bound at 1 MB/s is 0.02 + 0.5 * 0.08 = 0.06, and one loss is 1/16 = 0.0625."""
    path = Path()
    path.cruise()
    path.c4.nominal_max_rtt = 0.1
    path.era(1000.0, lost=1.0, ends=False)
    assert path.c4.nominal_rate == 750
    assert path.c4.nominal_max_rtt == pytest.approx(0.075)
    # A second signal in the recovery counts no more, and rates are of packets from before.
    path.era(1000.0, lost=5.0, ends=False)
    assert path.c4.nominal_rate == 750
    path.era(1000.0)
    assert (path.c4.state, path.c4.nominal_rate) == ("cruising", 750)
    path.era(1000.0)
    assert path.c4.nominal_rate == 1000


def test_marks_reduce_the_rate_by_their_excess() -> None:
    """At 1 MB/s the bound is (2 - 0.92) * 3/32 = 0.10125. Of 32 packets 16 are half, which counts at once."""
    path = Path()
    path.cruise()
    path.era(1000.0, packets=10.0, marked=4.0, ends=False)
    assert path.c4.ecn_alpha == pytest.approx(0.4 / 16)
    assert path.c4.state == "cruising"
    path.era(1000.0, packets=32.0, marked=16.0, ends=False)
    assert (path.c4.state, path.c4.nominal_rate) == ("recovery", 750)


@pytest.mark.parametrize(("marked", "rtt_ms", "level"), [(0.0, 150, 1), (1.0, 100, 0)])
def test_congestion_ends_a_push_without_a_reduction(marked: float, rtt_ms: float, level: int) -> None:
    """The rate stays; after marks the next push is one of 1/32."""
    path = Path()
    path.cruise()
    for _ in range(4):
        path.era(1000.0)
    assert path.c4.state == "pushing"
    path.era(1000.0, marked=marked, rtt_ms=rtt_ms, ends=False)
    assert (path.c4.state, path.c4.nominal_rate) == ("recovery", 1000)
    path.era(1000.0)
    assert path.c4.probe_level == level


def test_the_largest_round_trip_time_is_remembered_for_some_eras() -> None:
    """Each era of packets sent at the nominal rate lowers it by an eighth of the difference, or raises it.

    By 250 ms above the running minimum at most: of 100 ms, 350.
    """
    path = Path()
    path.cruise()
    path.c4.nominal_max_rtt = 0.2
    path.era(1000.0)
    assert path.c4.nominal_max_rtt == pytest.approx(0.1875)
    path.c4.nominal_max_rtt = 0.39
    path.era(1000.0, rtt_ms=400, ends=False)
    path.era(1000.0)
    assert path.c4.nominal_max_rtt == pytest.approx((7 * 0.39 + 0.35) / 8)


def test_high_jitter_begins_the_initial_state_again_once() -> None:
    """At the end of a recovery, a running minimum below two fifths of the largest: 100 ms of 300."""
    path = Path()
    for _ in range(4):
        path.era(1000.0)
    for state in ("initial", "cruising"):
        path.c4.enter_recovery(congested=False)
        path.c4.running_min_rtt, path.c4.nominal_max_rtt = 0.1, 0.3
        path.era(1000.0)
        assert path.c4.state == state
