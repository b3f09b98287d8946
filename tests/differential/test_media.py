"""Every compiled congestion control for media against its plain-Python twin, over the same random reports."""

import inspect
import math
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ackclock._native import MediaController
from reference import MEDIA, MediaFrame, MediaPacket, MediaReport, MediaStart
from tests.differential.pair import TOLERANCE, registered

# No round numbers, so that no difference of times lies on a threshold by construction: there the last bit of
# either computation would decide.
UNIT_NS = 1_000_003
RTT_NS = 517_019
BASE_DELAY_NS = 29_999_711
TWIN_NAMES = {"lambda": "lambda_"}
"""Parameters whose names are words of Python."""
OF_THE_TWIN = {"scream2": {"qdelay_target_high", "overhead_min", "competing"}}
"""Parameters of what only the second reading has."""


@dataclass
class Pair:
    """Both controllers, and the call of which they are told. Times are in `UNIT_NS`."""

    compiled: MediaController
    twin: Any
    sent_ns: int = 0
    now_ns: int = 0
    sequence: int = 0
    delay: int = 0
    flight: int = 0
    told: list[object] = field(default_factory=list)

    def packet(self, size: int, delay: int | None, marked: bool) -> MediaPacket:
        """The next packet; lost without a delay."""
        self.sequence += 1
        arrived_ns = None if delay is None else self.sent_ns + BASE_DELAY_NS + delay * UNIT_NS
        if arrived_ns is not None:
            self.now_ns = max(self.now_ns, arrived_ns)
        return MediaPacket(
            sequence=self.sequence - 1,
            size=size,
            sent=self.sent_ns / 1e9,
            arrived=None if arrived_ns is None else arrived_ns / 1e9,
            marked=marked and delay is not None,
        )

    def report(self, packets: list[MediaPacket], rtt: int, flight: int) -> None:
        """Feedback about these packets, with this many bytes in flight."""
        arrived = any(packet.arrived is not None for packet in packets)
        rtt_ns = rtt * UNIT_NS + RTT_NS
        self.now_ns = max(self.now_ns, self.sent_ns + rtt_ns)
        most, self.flight = max(flight, self.flight), flight // 2
        report = MediaReport(
            now=self.now_ns / 1e9,
            packets=packets,
            rtt=rtt_ns / 1e9 if arrived else None,
            in_flight=self.flight,
            most_in_flight=most,
        )
        self.compare(report, self.compiled.on_report(report), self.twin.on_report(report))

    def stream(
        self,
        reports: int,
        packets: tuple[int, int, int],
        growth: int,
        spoiled: tuple[int, int],
        path: tuple[int, int],
    ) -> None:
        """Packets (their number in a report, bytes, gap) whose delay changes; each n-th is lost or marked."""
        count, size, gap = packets
        lost, marked = spoiled
        rtt, flight = path
        for _ in range(reports):
            told = []
            for _ in range(count):
                self.sent_ns += gap * UNIT_NS
                self.delay = max(self.delay + growth, 0)
                is_lost = lost > 0 and self.sequence % lost == lost - 1
                is_marked = marked > 0 and self.sequence % marked == 0
                told.append(self.packet(size, None if is_lost else self.delay, is_marked))
            self.report(told, rtt, flight)

    def single(
        self, packets: list[tuple[int, int, int | None, bool]], rtt: int, flight: int, missed: int
    ) -> None:
        """A report of any packets, reordered ones too, after some of which no feedback tells."""
        self.sequence += missed
        told = []
        for size, gap, delay, marked in packets:
            self.sent_ns += gap * UNIT_NS
            told.append(self.packet(size, delay, marked))
        self.report(told, rtt, flight)

    def pause(self, units: int) -> None:
        """Nothing is sent, and the queue empties."""
        self.sent_ns += units * UNIT_NS
        self.delay = 0

    def frame(self, size: int, queued: int, queued_bytes: int) -> None:
        """The encoder hands over a frame."""
        frame = MediaFrame(
            now=self.now_ns / 1e9, size=size, queued=queued * UNIT_NS / 1e9, queued_bytes=queued_bytes
        )
        self.compare(frame, self.compiled.on_frame(frame), self.twin.on_frame(frame))

    def compare(self, event: object, found: tuple[float, ...], decision: Any) -> None:
        """Both say the same after an event."""
        self.told.append(event)
        expected = (decision.target, decision.pacing, decision.window)
        for compiled, twin in zip(found, expected, strict=True):
            assert math.isclose(compiled, twin, rel_tol=TOLERANCE), (
                f"target, pacing, window are {found}, the reference has {expected} after\n"
                + "\n".join(map(str, self.told[-5:]))
            )
        assert found == self.compiled.decision()


sizes = st.integers(41, 1499)
flights = st.integers(0, 60_000)
rtts = st.integers(3, 400)
streams = st.tuples(
    st.just("stream"),
    st.integers(1, 25),
    st.tuples(st.integers(1, 8), sizes, st.sampled_from([0, 1, 4, 7, 12, 33])),
    st.sampled_from([-5, -1, 0, 0, 0, 1, 2, 6, 15]),
    st.tuples(st.sampled_from([0, 0, 0, 2, 7, 30]), st.sampled_from([0, 0, 0, 1, 3, 20])),
    st.tuples(rtts, flights),
)
any_packets = st.tuples(
    sizes, st.sampled_from([0, 1, 3, 9, 40, 200]), st.none() | st.integers(0, 120), st.booleans()
)
singles = st.tuples(
    st.just("single"),
    st.lists(any_packets, min_size=1, max_size=8),
    rtts,
    flights,
    st.sampled_from([0, 0, 5, 90]),
)
pauses = st.tuples(st.just("pause"), st.integers(1, 4000))
frames = st.tuples(st.just("frame"), st.integers(1, 40_000), st.integers(0, 200), st.integers(0, 60_000))
events = st.lists(streams | singles | streams | pauses | frames, min_size=4, max_size=20)


@st.composite
def starts(draw: st.DrawFn) -> MediaStart:
    """The facts with which a call begins."""
    least = draw(st.floats(10e3, 300e3))
    most = least * draw(st.floats(1.0, 20.0))
    return MediaStart(
        min_rate=least,
        max_rate=most,
        initial_rate=draw(st.floats(0.5 * least, 1.2 * most)),
        frame_period=draw(st.integers(5_000_000, 100_000_000)) / 1e9,
        mss=draw(st.integers(200, 1500)),
        l4s=draw(st.booleans()),
    )


@st.composite
def values(draw: st.DrawFn, name: str) -> dict[str, float]:
    """Some of the parameters within their ranges, up to about four times their defaults."""
    drawn = {}
    for parameter in registered("media")[name]:
        key, unit, least = parameter["name"], parameter["unit"], parameter["min"]
        most = min(parameter["max"], 4 * parameter["default"] + 1)
        if not draw(st.booleans()):
            continue
        if unit == "0 or 1":
            drawn[key] = 1.0
        elif unit == "count":
            drawn[key] = float(draw(st.integers(math.ceil(least), math.floor(most))))
        else:
            # The engine's durations are whole nanoseconds.
            drawn[key] = round(draw(st.floats(least, most)), 6) or least
    if "multiloss" in drawn or name == "nada":
        # Losses at regular intervals would expire just at the default's multiple.
        drawn["multiloss"] = drawn.get("multiloss", 7.0) + 0.013_717
    return drawn


@pytest.mark.parametrize("name", sorted(MEDIA))
@given(data=st.data())
@settings(max_examples=100)
def test_compiled_and_reference_controllers_agree(name: str, data: st.DataObject) -> None:
    start = data.draw(starts(), "start")
    parameters = data.draw(values(name), "parameters")
    arguments = ",".join(f"{key}={value!r}" for key, value in parameters.items())
    twin = MEDIA[name](start, **{TWIN_NAMES.get(key, key): value for key, value in parameters.items()})
    pair = Pair(MediaController(f"{name}({arguments})", start), twin)
    before = twin.decision()
    assert pair.compiled.decision() == pytest.approx((before.target, before.pacing, before.window))
    for event, *facts in data.draw(events, "events"):
        getattr(pair, event)(*facts)


@pytest.mark.parametrize("name", sorted(MEDIA))
def test_every_parameter_has_its_default_in_the_reference(name: str) -> None:
    known = inspect.signature(MEDIA[name]).parameters
    defaults = {key: value.default for key, value in known.items() if key != "start"}
    expected = {
        TWIN_NAMES.get(parameter["name"], parameter["name"]): parameter["default"]
        for parameter in registered("media")[name]
    }
    own = OF_THE_TWIN.get(name, set())
    assert own <= defaults.keys()
    assert {key: value for key, value in defaults.items() if key not in own} == expected


def test_a_wrong_start_or_report_is_refused() -> None:
    start = MediaStart(min_rate=2e6, max_rate=1e6, initial_rate=1e6, frame_period=0.04, mss=1200)
    with pytest.raises(ValueError, match="min_rate is 2000000 and max_rate 1000000"):
        MediaController("nada", start)
    with pytest.raises(ValueError, match='did you mean "nada"'):
        MediaController("nda", start)
    controller = MediaController(
        "nada", MediaStart(min_rate=1e5, max_rate=1e6, initial_rate=1e6, frame_period=0.04, mss=1200)
    )
    with pytest.raises(ValueError, match="packets is empty"):
        controller.on_report(MediaReport(now=0.0, packets=[], rtt=None, in_flight=0, most_in_flight=0))
