"""CoDel in the simulator and in plain Python: datagrams at given times, and the same ones dropped."""

import pytest

import ackclock
from reference.codel import Codel, Waiting

SIZE = 1000
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


def replayed(loads: list[float], target_ms: int, interval_ms: int) -> list[object]:
    """Which datagrams of which source plain Python drops. Times are in nanoseconds: none is rounded."""
    part = SECONDS * 1_000_000_000 // len(loads)
    service = SIZE * 8 * 1_000_000_000 // 8_000_000
    arrivals = []
    for source, load in enumerate(loads):
        gap = round(SIZE * 8 * 1_000_000_000 / round(8e6 * load))
        count = -(-part // gap)
        arrivals += [(source * part + number * gap, (source, number)) for number in range(count)]
    queue = Codel(target_ms * 1_000_000, interval_ms * 1_000_000)
    free = 0
    for time, name in sorted(arrivals):
        while queue.queue and free <= time:
            if queue.dequeue(free) is not None:
                free += service
        queue.enqueue(Waiting(time, SIZE, name))
        if free <= time and queue.dequeue(time) is not None:
            free = time + service
    return [packet.name for packet in queue.dropped]


@pytest.mark.parametrize(
    ("loads", "target_ms", "interval_ms"),
    [
        ([1.03], 5, 100),
        # Bad, good and bad again: dropping goes on where it ended, if that is not long ago.
        ([1.1, 0.7, 1.1, 0.2, 1.3, 0.9], 5, 100),
        ([1.2, 0.6, 1.05], 20, 50),
    ],
)
def test_the_same_datagrams_are_dropped(loads: list[float], target_ms: int, interval_ms: int) -> None:
    result = simulated(loads, f"codel(target={target_ms},interval={interval_ms})")
    drops = result.drops
    found = [
        (flow, sequence // SIZE)
        for flow, sequence in zip(drops["flow"].to_list(), drops["sequence_bytes"].to_list(), strict=True)
    ]
    expected = replayed(loads, target_ms, interval_ms)
    assert len(expected) > 20
    # What waits at the end of the run is not asked for again.
    assert found == expected[: len(found)]
    assert len(expected) - len(found) <= 1
