"""The states in which flows stay: slow start, and the states that BBR's gauges name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ackclock.measures import over_time
from ackclock.measures.record import RunRecord
from ackclock.scenarios.algorithms import name_of
from ackclock.scenarios.catalogue import list_entries

__all__ = ["SILENCE", "SLOW_START", "parts_of", "stays"]

SLOW_START, SILENCE = "slow-start", "silence"
"""The window is below the threshold; no data arrive, as while a sender waits for its timer."""

GAUGES: Mapping[str, Mapping[int, str]] = {
    # ProbeBW is where BBR 1 belongs.
    "bbr1_state": {0: "startup", 1: "drain", 3: "probe-rtt"},
    "bbr3_state": {
        0: "startup",
        1: "drain",
        2: "probe-bw-down",
        3: "probe-bw-cruise",
        4: "probe-bw-refill",
        5: "probe-bw-up",
        6: "probe-rtt",
    },
}
"""The states that are meant to end, by the gauge that tells them."""

Floats = NDArray[np.float64]
Inside = NDArray[np.bool_]


# Asked for each flow of each run of a search; to list the catalogue takes two milliseconds.
@cache
def parts_of(spec: str) -> frozenset[str]:
    """The kinds of the parts that a specification names: recovery, slow start, avoidance, controller."""
    entries = list_entries("algorithms")
    names = [name_of(part.strip()) for part in spec.split("+")]
    kinds = frozenset(entry.kind for entry in entries for name in names if entry.name == name)
    return kinds or frozenset({"controller"})


def stays(result: RunRecord, rows: NDArray[np.intp]) -> dict[str, float]:
    """The longest stay in each state: begin, end and goodput, as `stay_slow-start_begin_s`."""
    found: dict[str, tuple[float, float, float]] = {}
    for row in rows:
        for state, begin_s, end_s, goodput in _stays(result, int(row)):
            if state not in found or end_s - begin_s > found[state][1] - found[state][0]:
                found[state] = (begin_s, end_s, goodput)
    names = ("begin_s", "end_s", "bit_per_s")
    return {
        f"stay_{state}_{name}": value
        for state, values in found.items()
        for name, value in zip(names, values, strict=True)
    }


def _stays(result: RunRecord, row: int) -> Iterator[tuple[str, float, float, float]]:
    flows = result.columns("flows")
    column = over_time.of_flow(result, int(np.asarray(flows["flow"])[row]))
    times, goodput = column["time_s"], np.nan_to_num(column["goodput_bit_per_s"])
    has_begun = times > float(flows["start_s"][row])
    for state, inside in _states(result, row, column):
        for begin, end in spans(inside & has_begun):
            # A sample tells of the interval that it ends.
            begin_s = times[begin - 1] if begin else 0.0
            yield state, float(begin_s), float(times[end - 1]), float(goodput[begin:end].mean())


def _states(result: RunRecord, row: int, column: Mapping[str, Floats]) -> Iterator[tuple[str, Inside]]:
    """Each state with the samples at which the flow is in it."""
    flows = result.columns("flows")
    yield SILENCE, np.nan_to_num(column["goodput_bit_per_s"]) == 0
    if "controller" not in parts_of(str(flows["algorithm"][row])):
        yield SLOW_START, column["cwnd_packets"] < column["ssthresh_packets"]
    gauges = result.tables.get("gauges")
    if gauges is None or not gauges.height:
        return
    own = gauges.filter(gauges["flow"] == int(flows["flow"][row]))
    for gauge, names in GAUGES.items():
        told = own.filter(own["name"] == gauge)
        if told.height:
            place = np.searchsorted(told["time_s"].to_numpy(), column["time_s"], side="right") - 1
            values = told["value"].to_numpy()[np.maximum(place, 0)]
            for number, name in names.items():
                yield name, (values == number) & (place >= 0)


def spans(inside: Inside) -> Iterator[tuple[int, int]]:
    """The first place of each span, and the place after it."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], inside, [False]))))
    yield from ((int(begin), int(end)) for begin, end in list(pairwise(edges))[::2])
