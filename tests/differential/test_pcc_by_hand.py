"""PCC by hand: the intervals of Allegro and Vivace, what ends their plans, and each alone on a path.

`monitored.py` has the sender: 10 packets in the first window, 100 ms for a round trip.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import ackclock
from reference import Congestion, Signal, Start
from reference.controllers.allegro import Allegro
from reference.controllers.vivace import Vivace
from reference.controllers.vivace_linux import VivaceLinux
from reference.facts import nanoseconds
from tests.differential.monitored import MS, ack, begun, timed_out, vivace


def test_an_interval_has_the_packets_that_were_sent_in_it() -> None:
    """20 packets/s are 2 in a round trip; 10 of them take 500 ms, from 100 ms to 600 ms.

    Those sent from 100 ms to 590 ms are acknowledged from 200 ms to 690 ms, 50 of them. What is lost by
    720 ms was sent before the one acknowledged at 690 ms; what is lost later, after the interval. So at
    730 ms the result is known.
    """
    controller = begun(vivace())
    assert (controller.pacing_rate, controller.cwnd) == (20.0, 4.0)
    for now_ms in range(110, 720, 10):
        controller.on_ack(ack(now_ms))
    (interval,) = controller.intervals
    assert (interval.end, interval.counted, controller.pacing_rate) == (600 * MS, 50.0, 20.0)
    controller.on_ack(ack(720, lost=1.0))
    assert interval.lost == 1.0
    controller.on_ack(ack(730, lost=1.0))
    assert (interval.lost, controller.pacing_rate) == (1.0, 40.0)


def test_losses_before_the_interval_are_not_of_it() -> None:
    """At 220 ms three of its packets have arrived before, the first of which was sent at 100 ms."""
    controller = begun(vivace())
    for now_ms in range(110, 230, 10):
        controller.on_ack(ack(now_ms, lost=1.0))
    assert controller.intervals[0].lost == 0.0
    controller.on_ack(ack(230, lost=1.0))
    assert controller.intervals[0].lost == 1.0


def test_a_packet_sent_again_is_of_the_interval_of_the_last_one() -> None:
    controller = begun(vivace())
    for now_ms in range(110, 210, 10):
        controller.on_ack(ack(now_ms))
    controller.on_ack(ack(210, rtt_ms=None))
    (interval,) = controller.intervals
    assert (interval.delivered, len(interval.rtts)) == (2.0, 1)


@pytest.mark.parametrize("limited", [True, False])
def test_an_interval_that_the_application_held_down_is_sent_again(limited: bool) -> None:
    controller = begun(vivace())
    for now_ms in range(110, 740, 10):
        controller.on_ack(ack(now_ms, limited=limited and now_ms == 300))
    assert controller.pacing_rate == (20.0 if limited else 40.0)
    assert controller.intervals[0].start == 730 * MS


def test_after_a_pause_the_plan_begins_anew_from_the_restart_window() -> None:
    controller = begun(Allegro())
    controller.on_idle_restart(3.0)
    assert (controller.cwnd, controller.intervals) == (3.0, [])
    controller.on_ack(ack(400))
    assert (controller.cwnd, controller.pacing_rate, controller.intervals[0].start) == (4.0, 20.0, 400 * MS)


def test_a_timeout_halves_vivaces_rate_and_ends_its_start() -> None:
    controller = begun(vivace())
    controller.rate = 100.0
    timed_out(controller)
    assert controller.cwnd == 1.0
    controller.on_ack(ack(400))
    assert sorted(controller.plan) == [47.5, 52.5]


def test_a_timeout_drops_what_allegro_has_under_way() -> None:
    """At 600 ms the second rate of the row begins, and the first has no result: it begins there again."""
    controller = begun(Allegro())
    for now_ms in range(110, 610, 10):
        controller.on_ack(ack(now_ms))
    timed_out(controller)
    assert controller.intervals == []
    controller.on_ack(ack(800))
    assert (controller.pacing_rate, [found.start for found in controller.intervals]) == (20.0, [800 * MS])
    assert controller.plan == [20.0]


def test_an_interval_lasts_whole_nanoseconds_with_halves_rounded_up() -> None:
    """Ten packets at 4 in a round trip of 3 ns take 7.5 ns."""
    assert nanoseconds(10.0 / (4.0 / 3e-9)) == 8
    assert (nanoseconds(6.4e-9), nanoseconds(6.6e-9)) == (6, 7)
    controller = begun(vivace())
    controller.on_ack(replace(ack(110), rtt=0.068242553, srtt=0.068242553))
    assert nanoseconds(controller.length(4.0 / 0.068242553)) == 170606383


@pytest.mark.parametrize("signal", [Signal.LOSS, Signal.ECN])
def test_a_loss_or_a_mark_in_itself_changes_nothing(signal: Signal) -> None:
    controller = begun(vivace())
    controller.on_congestion(Congestion(now=0.3, signal=signal, flight=4.0, restart=False, repeated=False))
    controller.on_spurious()
    assert (controller.cwnd, controller.pacing_rate, len(controller.intervals)) == (4.0, 20.0, 1)


def run_alone(controls: Callable[[], Any], loss: float) -> Any:
    def make(start: Start) -> object:
        controller = controls()
        controller.begin(start)
        return controller

    bottleneck = {"rate": "10 Mbit/s", "delay": "20 ms", "buffer": "100% bdp", "loss": {"bernoulli": loss}}
    scenario = {
        "name": "alone",
        "duration": "20 s",
        "warm_up": "10 s",
        "topology": {"dumbbell": {"bottleneck": bottleneck, "access": {"rate": "1 Gbit/s", "delay": "1 ms"}}},
        "flow": [{"name": "alone", "algorithm": "rack+twin"}],
    }
    algorithms: dict[str, Callable[[Start], object]] = {"twin": make}
    return ackclock.run(scenario, algorithms=algorithms).flows


@pytest.mark.parametrize(
    ("controls", "loss", "least", "longest_ms"),
    [
        (Vivace, 0.0, 8.0, 65.0),
        (Vivace, 0.01, 6.0, 65.0),
        (VivaceLinux, 0.0, 9.5, 100.0),
        (Allegro, 0.01, 9.4, 100.0),
    ],
)
def test_alone_they_use_the_path(
    controls: Callable[[], Any], loss: float, least: float, longest_ms: float
) -> None:
    """The round trip is 44 ms without a queue. By its latency Vivace keeps the queue short."""
    flows = run_alone(controls, loss)
    assert flows["goodput_bit_per_s"][0] > least * 1e6
    assert flows["mean_rtt_s"][0] < longest_ms / 1e3


def test_beyond_the_margin_allegro_gives_the_path_up() -> None:
    assert run_alone(Allegro, 0.1)["goodput_bit_per_s"][0] < 3e6
