"""One recovery for all that is compared, unless another is named."""

import math
from typing import Any

import polars as pl
import pytest

import ackclock
from ackclock.report import tables
from ackclock.report.text import algorithm_in_full
from ackclock.runs.result import Comparison
from ackclock.scenarios.catalogue import list_algorithms

BOTTLENECK = {"rate": "10 Mbit/s", "delay": "20 ms", "buffer": "20 packets"}
LOSSY: dict[str, Any] = {
    "name": "lossy",
    "duration": "20 s",
    "topology": {
        "dumbbell": {"pairs": 1, "bottleneck": BOTTLENECK, "access": {"rate": "1 Gbit/s", "delay": "1 ms"}}
    },
    "flow": [{"name": "tcp", "start_jitter": "1 s"}],
}


class Own:
    """RFC 5681 with appropriate byte counting, as `reno` has it."""

    def __init__(self, start: Any) -> None:
        self.cwnd, self.ssthresh = start.initial_window, start.initial_ssthresh

    def on_ack(self, ack: Any) -> None:
        if ack.may_grow:
            slow = self.cwnd < self.ssthresh
            self.cwnd += min(ack.delivered, 1.0) if slow else ack.delivered / self.cwnd

    def on_congestion(self, event: Any) -> None:
        self.ssthresh = max(min(self.cwnd, event.flight) / 2, 2.0)
        self.cwnd = 1.0 if event.restart else self.ssthresh


@pytest.fixture(scope="module")
def race() -> Comparison:
    competitors: dict[str, Any] = {"cubic": "cubic", "bbr3": "bbr3", "mine": Own, "sack+mine": Own}
    return ackclock.compare({**competitors, "old": "newreno+cubic"}, LOSSY)


def test_bare_names_and_python_classes_have_the_recovery_of_current_stacks(race: Comparison) -> None:
    expected = {"cubic": "rack", "bbr3": "rack", "mine": "rack", "sack+mine": "sack", "old": "newreno"}
    assert race.recoveries == expected
    assert race.result("cubic").flows.equals(ackclock.run(LOSSY, algorithm="rack+cubic").flows)


def test_the_label_of_a_python_class_names_its_recovery(race: Comparison) -> None:
    assert race.result("mine").flows["algorithm"].item() == "own"
    assert race.result("sack+mine").flows["algorithm"].item() == "sack+mine"
    again = ackclock.run(LOSSY | {"tcp": {"algorithm": "sack+mine"}}, algorithms={"mine": Own})
    assert race.result("sack+mine").flows.equals(again.flows)


def test_one_line_says_where_recoveries_differ(race: Comparison) -> None:
    line = tables.recovery_line(race.recoveries)
    said = "rack (cubic, bbr3, mine); sack (sack+mine); newreno (old)."
    assert line == f"Loss recoveries differ, and the numbers with them: {said}"
    assert tables.recovery_line({"cubic": "rack", "mine": "rack"}) == "Loss recovery: rack, the same for all."
    for one, other in (("rack", "rack+reno"), ("cubic", "rack+cubic")):
        line = tables.recovery_line({one: "rack", other: "rack", "sack+cubic": "sack"})
        assert line.endswith(f" {one} and {other} are one algorithm, by several names.")
    assert tables.recovery_line({"vegas": "vegas", "cubic": "rack"}).endswith("them: vegas; rack (cubic).")


def test_the_default_recovery_has_no_timeouts_that_sack_does_not_have() -> None:
    """RACK finds a retransmission that the full queue drops; the timer, restarted by it, waits for that."""
    race = ackclock.compare(["cubic", "sack+cubic"], "two-megabit", seeds=10)
    timeouts = race.runs.group_by("label").agg(pl.col("timeouts").sum()).rows()
    assert dict(timeouts)["cubic"] <= dict(timeouts)["sack+cubic"]
    old = ackclock.run("two-megabit", algorithm="cubic", settings={"tcp.rearm_at_fast_retransmit": False})
    assert old.flows["timeouts"][0] > 0


def test_the_queue_that_misled_the_exact_timer_of_rack() -> None:
    """The experiment of docs/algorithms/recovery/rack.md, with Linux' timer and with that of RFC 8985."""
    small = LOSSY | {"duration": "60 s", "tcp": {"segments_per_ack": 1}}
    settings = {
        "flow.0.start_jitter": "0 s",
        "topology.dumbbell.bottleneck.rate": "5 Mbit/s",
        "topology.dumbbell.bottleneck.delay": "10 ms",
        "topology.dumbbell.bottleneck.buffer": "10 packets",
    }

    def goodput(algorithm: str, **more: str) -> float:
        result = ackclock.run(small, algorithm=algorithm, settings=settings | more)
        return float(result.flows["goodput_bit_per_s"][0])

    sack, rack = goodput("sack"), goodput("rack")
    exact = goodput("rack", **{"tcp.reordering_timer_slack": "0 ms"})
    assert math.isclose(rack, sack, rel_tol=0.02)
    assert exact < 0.96 * sack


def test_a_flow_with_a_recovery_alone_says_its_avoidance() -> None:
    full = {"rack": "rack+reno", "sack": "sack+reno", "newreno": "newreno", "cubic": "cubic"}
    others = {"tfrc": "tfrc", "mine": "mine", "udp": "udp", "rack+reno(limit=2)": "rack+reno(limit=2)"}
    for spec, said in (full | others).items():
        assert algorithm_in_full(spec) == said


def test_a_recovery_and_an_avoidance_of_one_name_are_one_algorithm() -> None:
    """`vegas` is Vegas' recovery with Vegas' avoidance, and no `vegas+reno`."""
    kinds = ("recovery", "avoidance")
    recoveries, avoidances = ({one.name for one in list_algorithms() if one.kind == kind} for kind in kinds)
    assert recoveries & avoidances == {"reno", "vegas"}
    for name in recoveries & avoidances:
        assert algorithm_in_full(name) == name
