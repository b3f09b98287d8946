"""DOWN ends when the queue of the probe is gone."""

from collections.abc import Iterator

from ackclock.conformance.case import Case
from ackclock.conformance.specifications.bbr.states import (
    CRUISE,
    DOWN,
    LONGTERM,
    MAX_BANDWIDTH,
    PACING_GAIN,
    STATE,
    UP,
    bdp_packets,
    followed_by,
    never_came,
    phases,
)
from ackclock.conformance.specifications.paths import one_flow
from ackclock.conformance.trace import Trace
from ackclock.measures.verdict import Verdict


def observe(trace: Trace) -> Iterator[Verdict]:
    """Each DOWN after a probe."""
    probed = {probe.end_s for probe in phases(trace, UP)}
    ended = [down for down in phases(trace, DOWN) if down.begin_s in probed]
    if not ended:
        yield never_came(DOWN)
        return
    for down in ended:
        yield followed_by(trace, down, CRUISE)
        gain = float(trace.during(PACING_GAIN, down.begin_s, down.end_s).max())
        yield Verdict.near("pacing gain in DOWN", gain, 0.9, 1e-9)
        flight = trace.at("in_flight_packets", down.end_s)
        target = max(bdp_packets(trace, down.end_s, MAX_BANDWIDTH), 4.0)
        yield Verdict.within("flight at the end of DOWN, less the BDP", flight - target, -4.0, 2.0)
        room = 0.85 * trace.at(LONGTERM, down.end_s)
        yield Verdict.within(
            "flight at the end of DOWN, less the headroom", flight - room, -float("inf"), 2.0
        )


CASE = Case(
    number=8,
    section='appendix, "Exiting PROBE_DOWN on Inflight"; 5.3.3.1',
    title="DOWN ends when the queue of the probe is gone",
    statement=(
        "After a probe the flow paces at 90 % of the bandwidth until no more is in flight than the "
        "estimated bandwidth-delay product and, where inflight_longterm is set, than 85 % of that; then "
        "it cruises."
    ),
    scenario=one_flow("10 Mbit/s", 40, 4.9),
    rule=(
        "In every DOWN after a probe: the pacing gain is 0.9, CRUISE follows, and the flight at its end "
        "is at most 2 packets above either bound and at most 4 below the bandwidth-delay product."
    ),
    why="An acknowledgment covers two packets, and the series has a sample each millisecond.",
    observe=observe,
    shown=(STATE, "in_flight_packets", PACING_GAIN),
)
