"""Congestion control of calls: built-in algorithms by their names, and the interface of classes in Python.

Rates are in bit/s on the wire, sizes in bytes, times in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from ackclock.errors import InputError, unknown
from ackclock.scenarios import own_code
from ackclock.scenarios.algorithms import Factory, label_of, name_of
from ackclock.scenarios.catalogue import list_entries

__all__ = [
    "MediaControl",
    "MediaFrame",
    "MediaPacket",
    "MediaReport",
    "MediaStart",
    "is_media",
    "known",
    "referred",
    "with_media",
]


class MediaStart(Protocol):
    """The facts with which a call begins."""

    @property
    def min_rate(self) -> float:
        """The least rate of the encoder in bit/s."""

    @property
    def max_rate(self) -> float:
        """The highest rate of the encoder in bit/s."""

    @property
    def initial_rate(self) -> float:
        """The rate before the first report in bit/s."""

    @property
    def frame_period(self) -> float:
        """The nominal time between frames. In seconds."""

    @property
    def mss(self) -> int:
        """The largest packet on the wire in bytes."""

    @property
    def l4s(self) -> bool:
        """Packets are sent as ECT(1), so that a mark has the meaning of L4S."""


class MediaPacket(Protocol):
    """A packet whose fate has become known."""

    @property
    def sequence(self) -> int:
        """Its number, from 0."""

    @property
    def size(self) -> int:
        """Bytes on the wire."""

    @property
    def sent(self) -> float:
        """The time of its departure. In seconds."""

    @property
    def arrived(self) -> float | None:
        """The time of its arrival, in units of 1/1024 s; none if it is lost. In seconds."""

    @property
    def marked(self) -> bool:
        """It arrived with a congestion-experienced mark."""


class MediaReport(Protocol):
    """Feedback with news."""

    @property
    def now(self) -> float:
        """The arrival of the feedback at the sender. In seconds."""

    @property
    def packets(self) -> Sequence[MediaPacket]:
        """The packets whose fate became known, ascending, each once over the call; at least one."""

    @property
    def rtt(self) -> float | None:
        """The round trip of the highest packet that arrived; none if none arrived. In seconds."""

    @property
    def in_flight(self) -> int:
        """The bytes sent after the highest packet known to have arrived."""

    @property
    def most_in_flight(self) -> int:
        """The largest number of bytes in flight after any packet sent since the report before."""


class MediaFrame(Protocol):
    """A frame that the encoder hands over."""

    @property
    def now(self) -> float:
        """The time. In seconds."""

    @property
    def size(self) -> int:
        """Its bytes on the wire."""

    @property
    def queued(self) -> float:
        """The age of the oldest packet that waits for the pacer before this frame. In seconds."""

    @property
    def queued_bytes(self) -> int:
        """The bytes that wait for the pacer, this frame included."""


@runtime_checkable
class MediaControl(Protocol):
    """The interface of a congestion control of calls written in Python.

    Optional are the method `on_frame(frame)`; attributes or methods `pacing` (bit/s; 1.5 times the target
    without it), `window` (bytes that may be in flight; no limit without it) and `feedback_interval` (s
    between two reports, read once; 0.1 without it); and `observe()`, which returns a dict of gauges for
    traces. `target` may be an attribute, a property or a method.
    """

    def on_report(self, report: MediaReport) -> None:
        """Takes feedback, and adjusts the target."""

    @property
    def target(self) -> float:
        """The rate that the encoder is asked for, headers included, in bit/s; finite and positive."""


def known() -> list[str]:
    """The names of the built-in ones."""
    return [entry.name for entry in list_entries("media")]


def is_media(algorithm: str | Factory, *, trust: bool = False) -> bool:
    """True for the name of a built-in congestion control of calls, or a class with `on_report`.

    `trust` is that of `own_code.load`, which reads the file of a `file.py:Class`.
    """
    if isinstance(algorithm, str):
        if not own_code.is_reference(algorithm):
            return name_of(algorithm.strip()) in known()
        _, algorithm = own_code.load(algorithm, Path(), trust=trust)
    return hasattr(algorithm, "on_report")


def referred(algorithms: Sequence[str | Factory], *, trust: bool = False) -> dict[str, str | Factory]:
    """Congestion controls of calls by label, classes instead of their `file.py:Class`.

    Raises InputError for another.
    """
    found: dict[str, str | Factory] = {}
    for given in algorithms:
        each = given
        if isinstance(each, str) and own_code.is_reference(each):
            _, each = own_code.load(each, Path(), trust=trust)
        label = label_of(each)
        if not is_media(each):
            raise unknown("congestion control of calls", label, known())
        if not isinstance(each, str) and label in known():
            raise InputError(
                f'a Python class is called "{label}", like a built-in algorithm; rename the class, or '
                "give it an attribute `name`"
            )
        if label in found:
            raise InputError(f'algorithm "{label}" is named twice; each can be compared once')
        found[label] = each
    return found


def with_media(
    tree: Mapping[str, object], algorithm: str | Factory
) -> tuple[dict[str, object], dict[str, Factory]]:
    """A scenario's tree with an algorithm in the calls that name none, and the classes that it needs."""
    spec = label_of(algorithm)
    groups = cast("list[Mapping[str, object]]", tree.get("call", []))
    calls = [group if "algorithm" in group else {**group, "algorithm": spec} for group in groups]
    classes = {} if isinstance(algorithm, str) else {spec: algorithm}
    return {**tree, **({"call": calls} if calls else {})}, classes
