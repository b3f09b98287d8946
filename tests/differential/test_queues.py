"""Queues in the simulator and in plain Python: datagrams at given times, and the same ones dropped."""

import numpy as np
import pytest
from scipy import stats

import ackclock
from reference.queue.codel import Codel, Waiting
from reference.queue.red import Red
from tests.differential.regular_datagrams import departures_ns

SIZE = 1000
SERVICE = 1_000_000
"""Nanoseconds at 8 Mbit/s."""
SECONDS = 12


def simulated(loads: list[float], queue: str) -> ackclock.Result:
    """Several regular sources on one link of 8 Mbit/s, each for a part of the time."""
    part = SECONDS / len(loads)
    return ackclock.run(
        {
            "name": "codel",
            "duration": f"{SECONDS} s",
            "topology": {
                "graph": {
                    "link": [{"from": "a", "to": "b", "rate": "8 Mbit/s", "delay": "1 ms", "queue": queue}]
                }
            },
            "udp": [
                {
                    "from": "a",
                    "to": "b",
                    "rate": f"{8e6 * load:.0f} bit/s",
                    "packet": f"{SIZE} bytes",
                    "start": f"{i * part:g} s",
                    "stop": f"{(i + 1) * part:g} s",
                }
                for i, load in enumerate(loads)
            ],
            "trace": {"interval": "1 s", "packets": ["a->b"]},
        }
    )


def arrivals(loads: list[float]) -> list[tuple[int, tuple[int, int]]]:
    """When which datagram of which source comes, in nanoseconds: so none of the times below is rounded."""
    part = SECONDS * 1_000_000_000 // len(loads)
    found = []
    for source, load in enumerate(loads):
        times = departures_ns(round(8e6 * load), SIZE, source * part, (source + 1) * part)
        found += [(time, (source, number)) for number, time in enumerate(times)]
    return sorted(found)


def dropped(result: ackclock.Result) -> list[tuple[int, int]]:
    """Which datagrams of which source the simulator drops, in order."""
    drops = result.drops
    rows = zip(drops["flow"].to_list(), drops["sequence_bytes"].to_list(), strict=True)
    return [(flow, sequence // SIZE) for flow, sequence in rows]


def codel(loads: list[float], target_ms: int, interval_ms: int) -> list[object]:
    """Which datagrams plain Python drops."""
    queue = Codel(target_ms * 1_000_000, interval_ms * 1_000_000)
    free = 0
    for time, name in arrivals(loads):
        while queue.queue and free <= time:
            if queue.dequeue(free) is not None:
                free += SERVICE
        queue.enqueue(Waiting(time, SIZE, name))
        if free <= time and queue.dequeue(time) is not None:
            free = time + SERVICE
    return [packet.name for packet in queue.dropped]


def red(loads: list[float], rule: Red) -> list[tuple[int, int]]:
    """Which datagrams plain Python drops."""
    found, free = [], 0
    for time, name in arrivals(loads):
        # The one being transmitted does not wait, and is through at `free` if nothing else waits.
        waiting = max(0, -(-(free - time) // SERVICE) - 1)
        idle_since = free if free <= time else None
        if rule.passes(time, waiting, waiting * SIZE, idle_since, SIZE):
            free = max(free, time) + SERVICE
        else:
            found.append(name)
    return found


@pytest.mark.parametrize(
    ("loads", "target_ms", "interval_ms"),
    [
        ([1.03], 5, 100),
        # Bad, good and bad again: dropping resumes at its last rate, if it ended recently.
        ([1.1, 0.7, 1.1, 0.2, 1.3, 0.9], 5, 100),
        ([1.2, 0.6, 1.05], 20, 50),
    ],
)
def test_codel_drops_the_same(loads: list[float], target_ms: int, interval_ms: int) -> None:
    found = dropped(simulated(loads, f"codel(target={target_ms},interval={interval_ms})"))
    expected = codel(loads, target_ms, interval_ms)
    assert len(expected) > 20
    # Packets still queued at the end of the run are not dequeued.
    assert found == expected[: len(found)]
    assert len(expected) - len(found) <= 1


@pytest.mark.parametrize(
    ("weight", "in_bytes", "least_queue"),
    [(0.02, False, 0), (0.002, False, 0), (0.1, True, 0), (0.02, False, 8)],
)
def test_red_averages_the_same(weight: float, in_bytes: bool, least_queue: int) -> None:
    """With a single threshold nothing is left to chance; pauses of the link count as they should."""
    low, high = 9.9999999, 10.0
    setting = (
        f"red(min={low},max={high},gentle=0,weight={weight},bytes={int(in_bytes)},packet={SIZE},"
        f"least_queue={least_queue})"
    )
    loads = [1.2, 0.3, 1.5, 0.1, 1.05, 2.0]
    rule = Red(
        _never,
        low,
        high,
        weight=weight,
        gentle=False,
        in_bytes=in_bytes,
        least_queue=least_queue,
        service=SERVICE,
    )
    found = dropped(simulated(loads, setting))
    assert len(found) > 20
    assert found == red(loads, rule)


def _never() -> float:
    raise AssertionError("an average hit the ramp between the thresholds")


def test_red_waits_the_same() -> None:
    """With ns-2's wait_, and whole numbers as averages, nothing is left to chance either.

    At 5 the probability is 1/13, so the first twelve packets after a drop escape, and here the queue grows
    before that. At 6 it is 11/13: the first packet after a drop escapes, and the second does not.
    """
    low, high = 4.9, 6.2
    setting = f"red(min={low},max={high},max_p=1,gentle=0,weight=1,least_gap=1,packet={SIZE})"
    loads = [1.5, 0.3, 2.0, 0.1, 1.25, 3.0]
    rule = Red(_certain, low, high, 1.0, weight=1.0, gentle=False, least_gap=True, service=SERVICE)
    found = dropped(simulated(loads, setting))
    assert len(found) > 20
    assert found == red(loads, rule)
    # The rule of the paper drops others.
    assert found != dropped(simulated(loads, setting.replace("least_gap=1", "least_gap=0")))


def _certain() -> float:
    """Asked for only where the packet is dropped whatever comes: the probability is above 1."""
    return 0.999999


@pytest.mark.parametrize(("least_gap", "least"), [(False, 1), (True, 20)])
def test_red_spreads_its_drops(least_gap: bool, least: int) -> None:
    """The gaps of the plain reading are uniform over 1 to 1/p too; with ns-2's wait_, 1/p to 2/p - 1."""
    random = np.random.default_rng(1)
    rule = Red(random.random, weight=1.0, least_gap=least_gap)
    gaps, gap = [], 0
    for _ in range(100_000):
        gap += 1
        if not rule.passes(0.0, 10, 10_000, None, 1000.0):
            gaps.append(gap)
            gap = 0
    counts = np.bincount(gaps[1:], minlength=least + 20)[least:]
    assert min(gaps[1:]) >= least
    assert len(counts) == 20
    assert stats.chisquare(counts).pvalue > 0.001
