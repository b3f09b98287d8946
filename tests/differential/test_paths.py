"""Departures from links that vary, packet by packet, compared with the second readings in `reference/path/`.

Datagrams of several sizes at random times cross a fast link and then the one that varies. Captures at both
far ends give each packet's arrival there and its departure, since the second link has no propagation delay.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

import ackclock
from reference.path import opportunities, schedule, token_bucket

MILLISECOND = 1_000_000
SECOND = 1000 * MILLISECOND
SIZES = (120, 700, 1400, 1500)


def run(link: dict[str, Any], load: float, *, seconds: float, seed: int) -> ackclock.Result:
    groups = [
        {
            "from": "a",
            "to": "c",
            "rate": f"{load / len(SIZES):.0f} bit/s",
            "packet": f"{size} bytes",
            "pattern": "poisson",
        }
        for size in SIZES
    ]
    first = {"from": "a", "to": "b", "rate": "100 Gbit/s", "delay": "0 s"}
    scenario = {
        "name": "departures",
        "seed": seed,
        "duration": f"{seconds} s",
        "topology": {"graph": {"link": [first, {"from": "b", "to": "c", "delay": "0 s", **link}]}},
        "udp": groups,
        "trace": {"packets": ["a->b", "b->c"]},
    }
    return ackclock.run(scenario)


def departures(result: ackclock.Result) -> tuple[list[tuple[int, int]], list[int | None]]:
    """The packets as (arrival in nanoseconds, bytes), and when each has left."""
    packets = result.tables["packets"].to_dicts()
    first = min(row["link"] for row in packets)
    nanos: dict[bool, dict[tuple[int, int], tuple[int, int]]] = {True: {}, False: {}}
    for row in packets:
        key = (row["flow"], row["sequence"])
        nanos[row["link"] == first][key] = (round(row["time_s"] * SECOND), row["wire_bytes"])
    arrived = sorted(nanos[True].items(), key=lambda item: item[1][0])
    left = [nanos[False][key][0] if key in nanos[False] else None for key, _ in arrived]
    return [value for _, value in arrived], left


def steps(chance: random.Random, *, linear: bool) -> tuple[dict[str, Any], schedule.Schedule]:
    times = sorted({0, *(chance.randrange(1, 900) for _ in range(6))})
    rates = [chance.choice([0, *range(1_000, 9_000_000, 977)]) for _ in times]
    rates[0] = 3_000_000
    every = chance.choice([None, 1000])
    points = [[f"{time} ms", f"{rate} bit/s"] for time, rate in zip(times, rates, strict=True)]
    table: dict[str, Any] = {"ramps" if linear else "steps": points}
    if every is not None:
        table["every"] = f"{every} ms"
    exact = [(time * MILLISECOND, rate) for time, rate in zip(times, rates, strict=True)]
    period = None if every is None else every * MILLISECOND
    return table, schedule.Schedule(exact, linear=linear, every=period)


@pytest.mark.parametrize("linear", [False, True], ids=["steps", "ramps"])
@pytest.mark.parametrize("seed", range(4))
def test_a_rate_that_varies(seed: int, linear: bool) -> None:
    table, exact = steps(random.Random(seed), linear=linear)  # noqa: S311
    packets, left = departures(run({"rate": table}, 1.5e6, seconds=1.5, seed=seed))
    assert len(packets) > 100
    assert left == schedule.departures(exact, packets, until=3 * SECOND // 2)


@pytest.mark.parametrize("seed", range(8))
def test_delivery_opportunities(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    trace = sorted(chance.choices(range(400), k=chance.randrange(1, 120)))
    trace.append(max(trace[-1], 1))
    load = len(trace) * 1500 * 8 / trace[-1] * 1000 * chance.choice([0.3, 0.9, 1.3])
    packets, left = departures(run({"rate": {"opportunities": trace}}, load, seconds=3, seed=seed))
    assert len(packets) > 10
    assert left == opportunities.departures(trace, packets, until=3 * SECOND)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("load", [0.7, 1.2, 2.5])
def test_token_buckets(seed: int, load: float) -> None:
    """Behind a shaper each departure, behind a policer each loss."""
    chance = random.Random(seed)  # noqa: S311
    rate, burst = chance.choice([1_000_000, 3_141_592, 7_500_001]), chance.choice([1600, 5000, 30_000])
    end = 2 * SECOND
    for kind in ("policer", "shaper"):
        impairment = f"{kind}(rate={rate} bit/s, burst={burst} bytes)"
        link = {"rate": "20 Mbit/s", "impairments": [impairment]}
        packets, left = departures(run(link, load * rate, seconds=2, seed=seed))
        bucket = token_bucket.Bucket(rate, burst)
        assert len(packets) > 100
        if kind == "shaper":
            assert left == token_bucket.shaped(bucket, 20_000_000, packets, until=end)
            continue
        passed = token_bucket.policed(bucket, packets)
        # What arrived last may be on its way at the end.
        old = [index for index, (arrival, _) in enumerate(packets) if arrival < end - 5 * MILLISECOND]
        assert [left[index] is not None for index in old] == [passed[index] for index in old]


@pytest.mark.parametrize(
    ("rate", "mean"),
    [
        ({"steps": [["0 s", "1 Mbit/s"], ["700 ms", "4 Mbit/s"]], "every": "1 s"}, 0.7 * 1e6 + 0.3 * 4e6),
        ({"ramps": [["0 s", "0 bit/s"], ["1 s", "8 Mbit/s"]], "every": "2 s"}, 6e6),
        ({"opportunities": [3, 3, 5, 8, 10], "opportunity": "1500 bytes"}, 5 * 1500 * 8 * 100),
    ],
    ids=["steps", "ramps", "trace"],
)
def test_the_capacity_delivered_is_that_of_the_schedule(rate: dict[str, Any], mean: float) -> None:
    """Under overload, to 0.1 %; the tables state the capacity, and that it was used."""
    result = run({"rate": rate, "buffer": "50 packets"}, 5 * mean, seconds=40, seed=1)
    link = result.tables["links"].to_dicts()[2]
    assert link["name"] == "b->c"
    assert link["bytes_forwarded"] * 8 / 40 == pytest.approx(mean, rel=1e-3)
    assert link["rate_bit_per_s"] == pytest.approx(mean, rel=1e-6)
    assert link["utilisation"] == pytest.approx(1, rel=1e-3)


def test_rack_waits_where_three_duplicates_mistake_reordering_for_loss() -> None:
    """RFC 8985, 6.2, step 4: having seen reordering, RACK waits min_RTT / 4, 15 ms; packets are 5 ms late."""
    rows = {}
    for algorithm in ("newreno", "rack"):
        result = ackclock.run("reordering", settings={"tcp.algorithm": algorithm, "duration": "30 s"})
        rows[algorithm] = result.tables["flows"].to_dicts()[0]
    goodput = {name: row["goodput_bit_per_s"] for name, row in rows.items()}
    assert goodput["rack"] > 0.9 * 50e6 * 1460 / 1500
    assert goodput["newreno"] < 0.5 * goodput["rack"]
