"""Congestion control: built-in algorithms by their names, and the interface of controllers written in Python.

A controller is any class with `on_ack`, `on_congestion` and `cwnd`; see [`CongestionControl`]. Windows are in
packets, times in seconds, rates in packets per second. The simulator calls it for every acknowledgment, so it
runs about a hundred times slower than a built-in one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol, runtime_checkable

from ackclock import _native
from ackclock.errors import MOST_LETTERS, InputError, plain_name
from ackclock.scenarios import own_code
from ackclock.scenarios.catalogue import list_entries

__all__ = [
    "Ack",
    "Congestion",
    "CongestionControl",
    "LossSample",
    "RateSample",
    "Signal",
    "Start",
    "classes_of",
    "is_built_in",
    "kinds_of",
    "label_of",
    "name_of",
    "named",
    "one_algorithm",
    "own_names",
    "pieces_of",
    "recovery_of",
    "referred",
    "with_algorithm",
]


class Start(Protocol):
    """The windows with which a connection begins."""

    @property
    def initial_window(self) -> float:
        """The initial congestion window in packets."""

    @property
    def initial_ssthresh(self) -> float:
        """The initial slow-start threshold in packets; infinite by default."""

    @property
    def restart_window(self) -> float:
        """The window in packets to begin again from when the ACK clock is lost.

        It is RFC 5681's loss window of one packet, or what another transport's model says.
        """


class RateSample(Protocol):
    """A delivery-rate sample (draft-ietf-ccwg-bbr-06, 4.1; draft-cheng-iccrg-delivery-rate-estimation).

    It says what happened between the sending of a packet, the latest-sent of those just acknowledged, and
    its acknowledgment.
    """

    @property
    def rate(self) -> float:
        """Packets delivered in a unit of time over the sample's interval. In packets per second."""

    @property
    def app_limited(self) -> bool:
        """The application, not the network, may have held the rate down."""

    @property
    def interval(self) -> float:
        """The time to send the packets counted here, or to acknowledge them, whichever is longer.

        In seconds.
        """

    @property
    def delivered(self) -> float:
        """Packets delivered over the interval."""

    @property
    def prior_delivered(self) -> float:
        """Packets delivered before the packet was sent, since the connection began."""

    @property
    def lost(self) -> float:
        """Packets declared lost since the packet was sent."""

    @property
    def tx_in_flight(self) -> float:
        """Packets in flight when the packet had been sent, itself included."""


class LossSample(Protocol):
    """The facts of a packet declared lost (draft-ietf-ccwg-bbr-06, 5.5.10.2)."""

    @property
    def tx_in_flight(self) -> float:
        """Packets in flight when it had been sent, itself included."""

    @property
    def lost(self) -> float:
        """Packets declared lost since it was sent, itself included."""

    @property
    def app_limited(self) -> bool:
        """The application may have held the sender back when it was sent."""


class Ack(Protocol):
    """The facts of one arriving acknowledgment, or of a batch of them."""

    @property
    def now(self) -> float:
        """When it arrived. In seconds."""

    @property
    def acks(self) -> int:
        """Acknowledgments this one stands for, by which rules that count acknowledgments multiply.

        It is 1 where each is reported by itself, more where a kernel or a QUIC stack reports a batch,
        and 0 for one that only completes a congestion signal.
        """

    @property
    def delivered(self) -> float:
        """Packets newly known to be delivered."""

    @property
    def lost(self) -> float:
        """Packets newly declared lost."""

    @property
    def ce_marked(self) -> float:
        """Packets newly known to carry a congestion-experienced mark."""

    @property
    def in_flight(self) -> float:
        """Packets in flight after this acknowledgment."""

    @property
    def rtt(self) -> float | None:
        """The round-trip time it measured, never from a retransmission (Karn's rule).

        It is the smallest of a batch. In seconds.
        """

    @property
    def srtt(self) -> float:
        """The smoothed round-trip time (RFC 6298); zero before the first sample. In seconds."""

    @property
    def min_rtt(self) -> float:
        """The smallest round-trip time of a segment with data so far; zero before the first sample.

        The round trip of a SYN is shorter. In seconds.
        """

    @property
    def round(self) -> int:
        """Packet-timed round trips completed."""

    @property
    def suspended(self) -> bool:
        """Growth is suspended: a congestion signal came in this round trip, or its recovery lasts."""

    @property
    def advanced(self) -> bool:
        """The cumulative acknowledgment advanced.

        It does not for a duplicate, even one that reports deliveries beyond a hole.
        """

    @property
    def window_limited(self) -> bool:
        """The window may grow by what it was used for.

        It limited the sender, which had more to send (RFC 7661), or it is below what the largest flight gives
        leave to.
        """

    @property
    def largest_flight(self) -> float:
        """The largest flight in packets since the window was last reduced, which bounds its growth.

        It is infinite for a sender that the window limited, and for one whose growth nothing bounds.
        """

    @property
    def recovering(self) -> bool:
        """Lost packets are still being sent again: fast recovery, or the restart after a timeout."""

    @property
    def loss(self) -> LossSample | None:
        """The latest-sent of the packets declared lost since the last acknowledgment."""

    @property
    def rate(self) -> RateSample | None:
        """The delivery rate over the flight that this acknowledgment ends."""

    @property
    def feedback(self) -> float | None:
        """The change of the rate that the routers of the path grant; absent where none of them spoke.

        In packets per second.
        """

    @property
    def may_grow(self) -> bool:
        """Growth is not suspended, the acknowledgment is of new data, and the window may grow."""


class Signal(StrEnum):
    """The kinds of congestion signals; each equals its text."""

    LOSS = "loss"
    """A loss detected from acknowledgments."""
    ECN = "ecn"
    """A congestion-experienced mark echoed by the receiver."""
    TIMEOUT = "timeout"
    """The retransmission timer expired."""


class Congestion(Protocol):
    """The start of a congestion episode. One of a loss or a mark comes at most once per round trip."""

    @property
    def now(self) -> float:
        """When it was noticed. In seconds."""

    @property
    def signal(self) -> str:
        """The kind of signal. One of [`Signal`]."""

    @property
    def flight(self) -> float:
        """Packets sent and not yet acknowledged when the episode began (RFC 5681's FlightSize)."""

    @property
    def restart(self) -> bool:
        """The transport starts again from one packet because its ACK clock is lost.

        It does after every timeout, and after every loss under Tahoe's recovery.
        """

    @property
    def repeated(self) -> bool:
        """This is the timeout of a packet that had timed out before, and ssthresh is held (RFC 5681, 3.1).

        A timeout that was undone is none.
        """


@runtime_checkable
class CongestionControl(Protocol):
    """The interface of a controller written in Python.

    Optional are the methods `on_spurious()`, `on_idle_restart(restart_window)`,
    `on_not_validated(window, ssthresh)`, `on_deadline(now)` and
    `on_segment_size(from_bytes, to_bytes)`; attributes or methods `ssthresh` (packets), `pacing_rate`
    (packets per second or None) and `wake` (the time in seconds at which to call `on_deadline`, or None);
    `accurate_ecn = True` for a controller that needs `Ack.ce_marked`; `l4s = True` for one whose packets
    carry ECT(1); `explicit_feedback = True` for one whose packets carry congestion headers, for
    `Ack.feedback`; and `observe()`, which returns a dict of gauges for traces. `cwnd` may be an attribute, a
    property or a method.
    """

    def on_ack(self, ack: Ack) -> None:
        """Takes measurements from one acknowledgment, and adjusts the window."""

    def on_congestion(self, event: Congestion) -> None:
        """Reacts to the start of a congestion episode."""

    @property
    def cwnd(self) -> float:
        """The congestion window in packets; finite and positive."""


Factory = Callable[..., object]
"""A callable that makes one controller for one flow, usually the class itself.

It receives the connection's [`Start`] if it has a parameter `start`, or a parameter without a default;
otherwise its controllers must begin with the scenario's initial window.
"""


def label_of(algorithm: str | Factory) -> str:
    """The name in a comparison: the specification, or the class's `name`, or its class name in lower case."""
    if isinstance(algorithm, str):
        return algorithm.strip()
    given = getattr(algorithm, "name", None)
    return given if isinstance(given, str) else getattr(algorithm, "__name__", "python").lower()


def named(algorithms: Sequence[str | Factory] | Mapping[str, str | Factory]) -> dict[str, str | Factory]:
    """Algorithms by label. Raises ScenarioError for an invalid specification, InputError for equal labels."""
    pairs = (
        list(algorithms.items())
        if isinstance(algorithms, Mapping)
        else [(label_of(a), a) for a in algorithms]
    )
    if len({label for label, _ in pairs}) < len(pairs):
        twin = next(label for label, _ in pairs if [other for other, _ in pairs].count(label) > 1)
        raise InputError(f'algorithm "{twin}" is named twice; each can be compared once')
    for label, algorithm in pairs:
        if isinstance(algorithm, str):
            _native.parse_algorithm(algorithm)
        if label != algorithm and not plain_name(label):
            raise InputError(
                f"label {json.dumps(label)}: expected a plain name of at most {MOST_LETTERS} letters, no path"
            )
    return dict(pairs)


def class_name(label: str, made: Factory) -> tuple[str, str]:
    """The specification of a Python class compared as `label`, and the name of the class in it.

    The label "rack+mine" gives the class a recovery, and "rack+mine+reno" makes it the slow start next to an
    avoidance; another label is a name in tables only. Raises ScenarioError where parts are not in order.
    """
    pieces = pieces_of(label)
    own = _own(pieces)
    if len(pieces) == 1 or len(own) > 1 or len(own) == len(pieces):
        name = label_of(made)
        return name, name
    name = own[0] if own else pieces[-1]
    _native.parse_algorithm(label, [name])
    return label, name


def pieces_of(spec: str) -> list[str]:
    """The parts of a specification; no parameter has a "+"."""
    return [piece.strip() for piece in spec.split("+")]


def kinds_of(piece: str) -> set[str]:
    """The kinds of built-in parts of that name: recovery, slow start, avoidance, controller, transport."""
    return {entry.kind for entry in list_entries("algorithms") if entry.name == name_of(piece)}


def _own(pieces: Sequence[str]) -> list[str]:
    """Those that are not built in."""
    return [piece for piece in pieces if not kinds_of(piece)]


def name_of(piece: str) -> str:
    """The name of a part without its parameters."""
    return piece.partition("(")[0].strip()


def recovery_of(spec: str) -> str:
    """The recovery of an algorithm, built-in or a Python class, or its transport other than TCP."""
    try:
        return _native.recovery_of(spec)
    except _native.ScenarioError:
        return _native.recovery_of(spec, _own(pieces_of(spec)))


def referred(
    algorithms: Sequence[str | Factory] | Mapping[str, str | Factory],
    folder: Path = Path(),
    *,
    within: Path | None = None,
    trust: bool = False,
) -> dict[str, str | Factory]:
    """Algorithms by label, with the classes instead of their `file.py:Class`, relative to `folder`.

    `within` and `trust` are those of `own_code.load`.

    A class in a list is labelled by its name with the parts that the text names: "sack+mine", "mine+reno".
    """
    said: object = algorithms
    if isinstance(said, str) or not isinstance(said, Mapping | Sequence):
        raise InputError(
            f'algorithms: found {algorithms!r:.60}; expected a list of names and classes, as ["reno", Mine], '
            "or a mapping of them by label"
        )
    pairs: list[tuple[str, str | Factory]] = []
    items = algorithms.items() if isinstance(algorithms, Mapping) else ((None, each) for each in algorithms)
    for given, algorithm in items:
        if not isinstance(algorithm, str) and not callable(algorithm):
            raise InputError(f'algorithm: found {algorithm!r:.60}; expected a name, as "reno", or a class')
        if isinstance(algorithm, str):
            own_code.refuse_file(algorithm, folder)
        if isinstance(algorithm, str) and own_code.is_reference(algorithm):
            (before, after), made = own_code.load(algorithm, folder, within=within, trust=trust)
            name = label_of(made) if given is None else given.removeprefix(before).removesuffix(after)
            label = before + name + after
            if before or after:
                _native.parse_algorithm(label, [name])
            pairs.append((label, made))
        else:
            pairs.append((label_of(algorithm) if given is None else given, algorithm))
    if len(dict(pairs)) < len(pairs):
        return named([_Labelled(label) for label, _ in pairs])  # refuses the label that stands twice
    return named(dict(pairs))


def one_algorithm(
    algorithm: str | Factory | None, *, trust: bool = False
) -> tuple[str, str | Factory | None]:
    """The label of an algorithm, and the algorithm, a class instead of its `file.py:Class`."""
    if algorithm is None:
        return "", None
    return next(iter(referred([algorithm], trust=trust).items()))


def own_names(label: str, algorithm: str | Factory | None) -> list[str]:
    """The name of a Python class in a specification; empty for a built-in algorithm."""
    return [] if algorithm is None or isinstance(algorithm, str) else [class_name(label, algorithm)[1]]


class _Labelled:
    """A name alone, for the check of labels."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self) -> object:
        raise NotImplementedError


def is_built_in(name: str) -> bool:
    """True for the specification of a built-in congestion control of TCP."""
    try:
        _native.parse_algorithm(name)
    except _native.ScenarioError:
        return False
    return True


def with_algorithm(
    scenario: _native.Scenario,
    algorithm: str | Factory | None,
    factories: Mapping[str, Factory] | None = None,
    label: str = "",
    *,
    trust: bool = False,
) -> tuple[_native.Scenario, dict[str, Factory]]:
    """The scenario with `tcp.algorithm` replaced, and the Python classes, by name, that its run needs.

    `label` may name the other parts of a Python class: see `class_name`. `trust` is that of `own_code.load`.
    """
    needed = dict(factories or {})
    spec = algorithm.strip() if isinstance(algorithm, str) else ""
    if algorithm is not None and not isinstance(algorithm, str):
        spec, name = class_name(label, algorithm)
        needed[name] = algorithm
    for name in needed:
        if is_built_in(name):
            raise InputError(
                f'a Python class is called "{name}", like a built-in algorithm; rename the class, or '
                "give it an attribute `name`"
            )
    if algorithm is not None:
        # In quotes: a class may be called "nan" or "3".
        scenario = scenario.with_custom(list(needed)).with_value("tcp.algorithm", json.dumps(spec))
    return scenario, {**classes_of(scenario, trust=trust), **needed}


def classes_of(scenario: _native.Scenario, *, trust: bool = False) -> dict[str, Factory]:
    """The Python classes that a scenario names by their files, `file.py:Class`, as it names them."""
    found: dict[str, Factory] = {}
    for spec in filter(own_code.is_reference, [*scenario.algorithm_names(), *scenario.media_names()]):
        (before, after), made = own_code.load(spec, scenario.folder, within=scenario.within, trust=trust)
        found[spec.removeprefix(before).removesuffix(after)] = made
    return found
