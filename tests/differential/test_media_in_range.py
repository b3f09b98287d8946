"""Whatever a media transport reports, the readings answer with rates that an encoder has."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import MEDIA, MediaFrame, MediaPacket, MediaReport, MediaStart

LEAST, MOST = 150e3, 1.5e6

packets = st.tuples(
    st.integers(40, 1500),
    st.sampled_from([0, 1, 5, 33, 2000]),
    st.none() | st.integers(0, 3000),
    st.booleans(),
)
"""Size, milliseconds since the packet before, milliseconds of delay or lost, marked."""
reports = st.tuples(st.lists(packets, min_size=1, max_size=8), st.none() | st.integers(1, 3000))
frames = st.tuples(st.integers(1, 50_000), st.integers(0, 500), st.integers(0, 100_000))


@pytest.mark.parametrize("name", sorted(MEDIA))
@pytest.mark.parametrize("l4s", [False, True])
@settings(max_examples=30, deadline=None)
@given(events=st.lists(reports | frames, min_size=1, max_size=20))
def test_the_target_is_a_rate_of_the_encoder(
    name: str,
    l4s: bool,
    events: list[tuple[list[tuple[int, int, int | None, bool]], int | None] | tuple[int, int, int]],
) -> None:
    start = MediaStart(
        min_rate=LEAST, max_rate=MOST, initial_rate=300e3, frame_period=1 / 30, mss=1200, l4s=l4s
    )
    controller = MEDIA[name](start)
    sequence, sent = 0, 0.0
    for event in events:
        if len(event) == 3:
            size, queued, waiting = event
            decision = controller.on_frame(
                MediaFrame(now=sent, size=size, queued=queued / 1e3, queued_bytes=waiting)
            )
        else:
            told, rtt = event
            known = []
            for octets, gap, delay, marked in told:
                sent += gap / 1e3
                known.append(
                    MediaPacket(
                        sequence=sequence,
                        size=octets,
                        sent=sent,
                        arrived=None if delay is None else sent + delay / 1e3,
                        marked=marked and delay is not None,
                    )
                )
                sequence += 1
            if all(packet.arrived is None for packet in known):
                rtt = None
            decision = controller.on_report(
                MediaReport(
                    now=sent + 3,
                    packets=known,
                    rtt=None if rtt is None else rtt / 1e3,
                    in_flight=0,
                    most_in_flight=20_000,
                )
            )
        assert decision == controller.decision()
        assert LEAST <= decision.target <= MOST
        assert math.isfinite(decision.pacing)
        assert decision.pacing >= decision.target
        assert decision.window >= 3 * 1200
