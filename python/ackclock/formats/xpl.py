"""Time-sequence graphs as tcptrace writes them (`.xpl`), which xplot and jPlot draw: a file per connection.

Segments are strokes between two arrows, retransmissions are red with an R, the acknowledged sequence number
is a green staircase, and drops, which no capture of a real network shows, are orange diamonds.
"""

from __future__ import annotations

from collections.abc import Iterator

from ackclock.errors import InputError
from ackclock.measures.record import RunRecord
from ackclock.measures.time_sequence import TimeSequence, time_sequences

__all__ = ["written"]


def written(result: RunRecord) -> dict[str, bytes]:
    """The file of each connection whose packets were captured, by its name. Raises InputError without one."""
    names = dict(result.flows.select("flow", "name").iter_rows())
    found = {}
    for each in time_sequences(result):
        of = f"-{each.connection + 1}" if each.connection else ""
        text = "\n".join(_lines(each, f"{result.label}: {names[each.flow]}{of}")) + "\n"
        found[f"{names[each.flow]}{of}"] = text.encode()
    if not found:
        raise InputError(f"{result.label}: the capture has no data of a connection; expected some")
    return found


def _lines(each: TimeSequence, title: str) -> Iterator[str]:
    yield from ("timeval double", "title", f"{title} (time sequence graph)")
    yield from ("xlabel", "time", "ylabel", "sequence number")
    for time_s, first, last, again in each.segments.iter_rows():
        at, colour = f"{time_s:.6f}", "red" if again else "white"
        yield colour
        yield f"darrow {at} {first}"
        yield f"uarrow {at} {last}"
        yield f"line {at} {first} {at} {last}"
        if again:
            yield f"atext {at} {last}"
            yield "R"
    yield from _staircase(each)
    if each.drops.height:
        yield "orange"
        yield from (f"diamond {time_s:.6f} {first}" for time_s, first in each.drops.iter_rows())
    yield "go"


def _staircase(each: TimeSequence) -> Iterator[str]:
    """The acknowledged sequence number over time; a duplicate acknowledgment is a tick."""
    before: tuple[float, int] | None = None
    yield "green"
    for time_s, acknowledged in each.acknowledgments.iter_rows():
        if before is None:
            before = (time_s, acknowledged)
            continue
        then_s, known = before
        yield f"line {then_s:.6f} {known} {time_s:.6f} {known}"
        if acknowledged > known:
            yield f"line {time_s:.6f} {known} {time_s:.6f} {acknowledged}"
        else:
            yield f"dtick {time_s:.6f} {known}"
        before = (time_s, max(known, acknowledged))
