"""RFC 8867, 5.6 and 5.7: calls with TCP."""

from __future__ import annotations

from collections.abc import Mapping

from ackclock.evaluation.criterion import Cell, Measure
from ackclock.evaluation.rmcat.case import Case, Expectation
from ackclock.evaluation.rmcat.networks import LOWEST, forwards, jittery, scenario
from ackclock.evaluation.rmcat.quantities import COMMON, Calls, Span, common
from ackclock.measures.record import RunRecord

__all__ = ["LONG", "SHORT"]

LEAST = Measure("least_rate", "lowest rate in 5 s over the minimum", "", 1, 2, "higher", 0.01)
TCP = Measure("tcp_rate", "goodput of TCP", "Mbit/s", 1e-6, 2, "higher", 1e4)
TCP_LOST = Measure("tcp_lost", "packets of TCP lost", "%", 100, 2, "lower", 0.001)
USED = Measure("used", "part of the link in use", "%", 100, 0, "higher", 0.01)
BACK = Measure("rate_after", "rate after the TCP flows over the rate there is", "", 1, 2, "higher", 0.01)

WITH_TCP: Span = (30, 119)
SHORT_FLOWS: Span = (30, 240)
ALONE: Span = (270, 299)


def _least(calls: Calls, span: Span) -> float:
    """The lowest mean of 5 s of any call, over the minimum rate of the encoder."""
    return min(float(calls.windows(place, span, 5.0).min()) for place in range(len(calls.rows))) / LOWEST


def _tcp_lost(result: RunRecord) -> float:
    flows = result.columns("flows")
    rows = [row for row, kind in enumerate(flows["kind"]) if kind == "tcp"]
    sent = sum(float(flows["packets_sent"][row]) for row in rows)
    return sum(float(flows["packets_lost"][row]) for row in rows) / sent if sent else 0.0


def _long_cells(quick: bool) -> tuple[Cell, ...]:
    cells = []
    for algorithm in ("newreno",) if quick else ("newreno", "cubic"):
        for buffer in (300, 1000):
            table = jittery(scenario("rmcat-long-tcp"))
            table["tcp"]["algorithm"] = algorithm
            forwards(table)["buffer"] = f"{buffer} ms"
            cells.append(Cell(f"{algorithm}, queue of {buffer} ms", table, ()))
    return tuple(cells)


def _long(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    rate, tcp = calls.total(WITH_TCP), calls.tcp(WITH_TCP)
    return {
        # Half of the link is there for the call.
        **common(calls, [(WITH_TCP, 1e6)]),
        LEAST.key: _least(calls, WITH_TCP),
        TCP.key: tcp,
        TCP_LOST.key: _tcp_lost(result),
        USED.key: (rate + tcp) / 2e6,
    }


LONG = Case(
    key="long-tcp",
    section="5.6",
    title="Media flow competing with a long TCP flow",
    force="",
    question="What is left of a call beside a download?",
    experiment="A call from 5 s on beside a TCP flow without an end over 2 Mbit/s.",
    measures=(*COMMON, LEAST, TCP, TCP_LOST, USED),
    cells=_long_cells,
    measure=_long,
    expectations=(
        Expectation(
            "RFC 8867, 5.6",
            "In the worst case, the media stream will fall to the minimum media bit rate",
            LEAST.key,
            low=0.9,
        ),
        Expectation("RFC 8867, 5.6", "may be able to avoid congestion collapse", USED.key, low=0.8),
    ),
    settled={"beside TCP": WITH_TCP},
)


def _short_cells(quick: bool) -> tuple[Cell, ...]:
    one_by_one = jittery(scenario("rmcat-short-tcp"))
    cells = [Cell("ten sources, a file at a time", one_by_one, ())]
    if not quick:
        bursts = jittery(scenario("rmcat-short-tcp"))
        keys = ("size", "think", "stop")
        bursts["flow"] = [
            {
                "name": "burst",
                **{key: bursts["flow"][0][key] for key in keys},
                "pool": {"connections": 30, "objects": {"constant": "30 objects"}},
            }
        ]
        cells.append(Cell("one source, 30 files at once", bursts, ()))
    return tuple(cells)


def _short(result: RunRecord) -> Mapping[str, float]:
    calls = Calls(result)
    return {
        **common(calls, [(SHORT_FLOWS, 2e6)]),
        LEAST.key: _least(calls, SHORT_FLOWS),
        BACK.key: common(calls, [(ALONE, 2e6)])["call_share"],
        TCP.key: calls.tcp(SHORT_FLOWS),
        TCP_LOST.key: _tcp_lost(result),
    }


SHORT = Case(
    key="short-tcp",
    section="5.7",
    title="Media flow competing with short TCP flows",
    force="",
    question="Do short transfers starve a call?",
    experiment="Two calls over 2 Mbit/s beside TCP flows that fetch files of 30 to 50 kB with pauses of "
    "10 s in "
    "the mean, until 240 s.",
    measures=(*COMMON, LEAST, BACK, TCP, TCP_LOST),
    cells=_short_cells,
    measure=_short,
    expectations=(
        Expectation(
            "RFC 8867, 5.7",
            "avoid flow starvation during the presence of short and bursty competing TCP "
            "flows, streaming at least at the minimum media bit rate",
            LEAST.key,
            low=0.9,
        ),
        Expectation(
            "RFC 8867, 5.7",
            "After competing TCP flows terminate, the media streams are expected to be "
            "robust enough to eventually recover to previous steady state behavior",
            BACK.key,
            low=0.7,
        ),
    ),
    settled={"beside TCP": SHORT_FLOWS, "after it": ALONE},
)
