"""RFC 8869: calls over Wi-Fi and cellular networks, as far as links have their properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ackclock.evaluation.criterion import Cell, Measure, NotEvaluated
from ackclock.evaluation.rmcat.capacity import LEAST, MOST, QUEUE
from ackclock.evaluation.rmcat.case import Case, Expectation
from ackclock.evaluation.rmcat.networks import HIGHEST, JITTER, Table, call
from ackclock.evaluation.rmcat.quantities import (
    COMMON,
    DELAY,
    LOST,
    OSCILLATION,
    Calls,
    Span,
    available,
    common,
)
from ackclock.measures.record import RunRecord

__all__ = ["CASES", "NOT_EVALUATED"]

FRAMES = [{"aggregation": {"period": "4 ms"}}, {"retransmission": {"probability": 0.1, "after": "2 ms"}}]
"""Frames of packets, and repetitions: what the path `wifi-home` has too."""

WIRED: Table = {
    "from": "left",
    "to": "right",
    "rate": "1 Mbit/s",
    "delay": "50 ms",
    "buffer": "300 ms",
    "impairments": JITTER,
    "reverse": {"rate": "1 Mbit/s", "buffer": "300 ms", "impairments": JITTER},
}
"""RFC 8869, 3.1.2."""

HOME: Table = {"from": "left", "to": "mobile", "path": "wifi-home"}

WHOLE: Span = (30, 119)
FIRST: Span = (30, 60)
SECOND: Span = (80, 119)
FREE, TAKEN = 1e6, 0.5e6
"""The capacity in bit/s without the datagrams and with them."""


def _scenario(links: list[Table], **traffic: object) -> Table:
    """Calls over these links for 120 s."""
    return {
        "name": "cell",
        "duration": "120 s",
        "topology": {"graph": {"link": links}},
        "trace": {"interval": "200 ms"},
        **traffic,
    }


def _home(calls: list[Table], **traffic: object) -> Table:
    """Behind an access point at home, with the bottleneck in the wired network."""
    return _scenario([HOME, WIRED], call=calls, **traffic)


UP = call("up", {"from": "mobile", "to": "right"})
DOWN = call("down", {"from": "right", "to": "mobile"})


def _datagrams(start_s: float, stop_s: float) -> Table:
    ends = {"from": "mobile", "to": "right", "start": f"{start_s:g} s", "stop": f"{stop_s:g} s"}
    return {"name": "constant", "rate": "500 kbit/s", **ends}


def _alone_cells(quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - two settings, in either run
    return Cell("a call up", _home([UP]), ()), Cell("a call each way", _home([UP, DOWN]), ())


def _alone(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    shares = [rate / 1e6 for rate in calls.all_rates(WHOLE)]
    return {
        **common(calls, [(WHOLE, 1e6 * len(shares))]),
        LEAST.key: min(shares),
        MOST.key: max(shares),
        QUEUE.key: calls.queue_95_s([WHOLE]),
    }


ALONE = Case(
    key="wifi-at-home",
    section="8869: 3.1",
    title="Bottleneck in the wired network behind Wi-Fi",
    force="",
    question="Does a call converge to the capacity despite the noise of Wi-Fi?",
    experiment="A call up, or one each way, over Wi-Fi and a line of 1 Mbit/s.",
    measures=(*COMMON, LEAST, MOST, QUEUE),
    cells=_alone_cells,
    measure=_alone,
    expectations=(
        Expectation(
            "RFC 8869, 3.1.4",
            "converge to the bottleneck capacity of the wired path in both directions "
            "despite the presence of measurement noise over the Wi-Fi connection",
            LEAST.key,
            low=0.7,
        ),
        Expectation(
            "RFC 8869, 3.1.4",
            "No excessive oscillations in the media rate should be present",
            OSCILLATION.key,
            high=0.2,
        ),
    ),
    settled={"all of it": WHOLE},
)

BESIDE = Measure("rate_beside", "rate beside the datagrams over the rate there is", "", 1, 2, "lower", 0.01)
WITHOUT = Measure(
    "rate_without", "rate without the datagrams over the rate there is", "", 1, 2, "higher", 0.01
)


def _datagram_cells(first: bool) -> Callable[[bool], tuple[Cell, ...]]:
    return partial(_with_datagrams, first)


def _with_datagrams(first: bool, quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - one setting, in either run
    span = (0, 60) if first else (60, 119)
    return (
        Cell(f"500 kbit/s from {span[0]} to {span[1]} s", _home([UP, DOWN], udp=[_datagrams(*span)]), ()),
    )


def _beside_datagrams(beside: Span, without: Span, result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    up = calls.names.index("up")
    return {
        **common(calls, [(beside, TAKEN + FREE), (without, 2 * FREE)]),
        BESIDE.key: calls.rate(up, beside) / TAKEN,
        WITHOUT.key: calls.rate(up, without) / FREE,
    }


def _datagram_case(key: str, words: str, first: bool) -> Case:
    beside, without = (FIRST, SECOND) if first else (SECOND, FIRST)
    return Case(
        key=key,
        section="8869: 3.1",
        title=f"The same with datagrams that {words}",
        force="",
        question="Does a call adapt to constant traffic that comes or goes?",
        experiment="A call each way over Wi-Fi and a line of 1 Mbit/s, with datagrams of 500 kbit/s up "
        "in one half.",
        measures=(*COMMON, BESIDE, WITHOUT),
        cells=_datagram_cells(first),
        measure=partial(_beside_datagrams, beside, without),
        expectations=(
            Expectation(
                "RFC 8869, 3.1.4",
                "the rate of RTP-based media flows should adapt promptly to the arrival "
                "and departure of background traffic flows",
                BESIDE.key,
                high=1.1,
            ),
            Expectation("RFC 8869, 3.1.4", "adapt promptly to the .. departure", WITHOUT.key, low=0.7),
        ),
        settled={"beside the datagrams": beside, "without them": without},
    )


SHARE = Measure("share_of_half", "rate over half of the link", "", 1, 2, "higher", 0.01)


def _tcp_cells(quick: bool) -> tuple[Cell, ...]:  # noqa: ARG001 - one setting, in either run
    flow = {"name": "upload", "from": "mobile", "to": "right", "algorithm": "newreno"}
    return (Cell("a call and an upload", _home([UP], flow=[flow]), ()),)


def _tcp(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    return {**common(calls, [(WHOLE, 0.5e6)]), SHARE.key: calls.total(WHOLE) / 0.5e6}


HOME_TCP = Case(
    key="wifi-at-home-tcp",
    section="8869: 3.1",
    title="The same with a long TCP flow",
    force="",
    question="What is left of a call beside an upload?",
    experiment="A call and a TCP flow up over Wi-Fi and a line of 1 Mbit/s.",
    measures=(*COMMON, SHARE),
    cells=_tcp_cells,
    measure=_tcp,
    expectations=(
        Expectation(
            "RFC 8869, 3.1.4",
            "avoid congestion collapse and to stabilize at a fair share of the bottleneck link capacity",
            SHARE.key,
            low=0.5,
            high=1.5,
        ),
    ),
    settled={"beside TCP": WHOLE},
)

WIFI = 20e6
"""The throughput in bit/s of applications over the Wi-Fi of RFC 8869 (3.2.3)."""

TOTAL = Measure("total", "rate of all flows", "Mbit/s", 1e-6, 2, "higher", 1e5)
LEAST_FAIR = Measure("least_fair", "lowest rate over the fair one", "", 1, 2, "higher", 0.01)
MEAN = Measure("mean_over_maximum", "mean rate of a call over the maximum", "", 1, 2, "higher", 0.01)


def _shared(count: int, *, tcp: bool = False) -> Table:
    """Calls, or TCP flows, from servers to mobile hosts over one Wi-Fi."""
    air: Table = {"from": "left", "to": "right", "rate": "20 Mbit/s", "delay": "1 ms", "buffer": "300 ms"}
    air |= {"impairments": FRAMES, "reverse": {"impairments": FRAMES}}
    line = {"from": "server", "to": "left", "rate": "100 Mbit/s", "delay": "49 ms", "buffer": "300 ms"}
    ends = {"from": "server", "to": "right", "start_jitter": "10 s"}
    if tcp:
        return _scenario(
            [air, line], flow=[{"name": "download", "count": count, "algorithm": "newreno", **ends}]
        )
    return _scenario([air, line], call=[call("call", {"count": count, **ends})])


def _crowd_cells(quick: bool) -> tuple[Cell, ...]:
    numbers = (4, 16) if quick else (4, 8, 12, 16, 20)
    return (
        *(Cell(f"{number} calls", _shared(number), ()) for number in numbers),
        Cell(_TCP, _shared(16, tcp=True), ()),
    )


_TCP = "16 TCP flows"


def _crowd(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    count = len(calls.rows)
    if not count:
        nothing = {measure.key: 0.0 for measure in (*COMMON, LEAST_FAIR, MEAN)}
        return {**nothing, TOTAL.key: calls.tcp(WHOLE)}
    fair = available(WIFI, count, 0) / count
    rates = calls.all_rates(WHOLE)
    return {
        **common(calls, [(WHOLE, WIFI)]),
        TOTAL.key: sum(rates),
        LEAST_FAIR.key: min(rates) / fair,
        MEAN.key: sum(rates) / count / HIGHEST,
    }


_MANY = ("16 calls",)

CROWD = Case(
    key="wifi-downlink",
    section="8869: 3.2",
    title="Bottleneck in the Wi-Fi network, downlink",
    force="",
    question="Do many calls share a Wi-Fi?",
    experiment="4 to 20 calls begin within 10 s over 20 Mbit/s with frames of 4 ms and repetitions; and "
    "16 TCP flows.",
    measures=(*COMMON, TOTAL, LEAST_FAIR, MEAN),
    partial={_TCP: (TOTAL.key,)},
    cells=_crowd_cells,
    measure=_crowd,
    expectations=(
        Expectation(
            "RFC 8869, 3.2.4",
            "Each media flow is expected to get its fair share of the total bottleneck link bandwidth",
            LEAST_FAIR.key,
            low=0.5,
            cells=_MANY,
        ),
        Expectation(
            "RFC 8869, 3.2.4",
            "Overall bandwidth usage should not be significantly lower than that "
            "experienced by the same number of concurrent downlink TCP flows",
            TOTAL.key,
            low=0.8,
            cells=_MANY,
            relative_to=_TCP,
        ),
        Expectation(
            "RFC 8869, 3.2.4",
            "The end-to-end delay .. should be within an acceptable range for real-time "
            "multimedia applications",
            DELAY.key,
            high=0.2,
            cells=_MANY,
        ),
        Expectation(
            "RFC 8869, 3.2.4",
            "packet loss ratio experienced by each flow should be within an acceptable range",
            LOST.key,
            high=0.01,
            cells=_MANY,
        ),
        Expectation(
            "RFC 8869, 3.2.4",
            "stay constant around the maximum rate when N is small",
            MEAN.key,
            low=0.9,
            cells=("4 calls",),
        ),
    ),
    settled={"all of it": WHOLE},
)


def _cellular_cells(quick: bool) -> tuple[Cell, ...]:
    cells = []
    for round_trip in (40,) if quick else (40, 150):
        line = {"from": "server", "to": "left", "rate": "10 Gbit/s", "delay": f"{round_trip / 2 - 15:g} ms"}
        air = {"from": "left", "to": "right", "path": "lte-driving"}
        table = _scenario([air, line], call=[call("call", {"from": "server", "to": "right"})])
        cells.append(Cell(f"lte-driving, round trip {round_trip} ms", {**table, "duration": "90 s"}, ()))
    return tuple(cells)


def _cellular(result: RunRecord) -> Mapping[str, float]:
    return common(Calls(result), [((30.0, 60.0), HIGHEST)])


CELLULAR = Case(
    key="cellular",
    section="8869: 2",
    title="Cellular network",
    force="",
    question="What becomes of a call in a moving car?",
    experiment="A call over the path lte-driving: a random walk over 0.3 to 16 Mbit/s, with outages.",
    measures=COMMON,
    cells=_cellular_cells,
    measure=_cellular,
    expectations=(),
    settled={"evaluated": (30, 60)},
)

CASES = (
    CELLULAR,
    ALONE,
    _datagram_case("wifi-datagrams-end", "end", first=True),
    _datagram_case("wifi-datagrams-begin", "begin", first=False),
    HOME_TCP,
    CROWD,
)

NOT_EVALUATED = (
    NotEvaluated("8867: 6.1", "Media flows with priority", "", "of the algorithms only NADA has a priority"),
    NotEvaluated(
        "8867: 6.2",
        "Explicit congestion notification",
        "",
        "the RFC states no marking queue and no bound; `ecn` of a call asks for marks",
    ),
    NotEvaluated("8867: 6.3", "Multiple bottlenecks", "", "no case has a chain of bottlenecks"),
    NotEvaluated(
        "8869: 2.1, 2.2",
        "Varying network load, bad radio coverage",
        "",
        "no cell with users, mobility and a scheduler is simulated",
    ),
    NotEvaluated(
        "8869: 3.2",
        "Uplink, and both directions",
        "",
        "no medium that hosts and directions contend for is simulated",
    ),
)
